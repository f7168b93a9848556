// SPDX-License-Identifier: MIT
// The report as `tdagent report --format=json` writes it, and how its numbers are written.
const report = JSON.parse(document.getElementById("profile").textContent);
const functions = report.functions;
// What each node means and what usually helps.
const hints = JSON.parse(document.getElementById("hints").textContent);
const paths = report.paths || [];

const LEVEL1 = ["retiring", "bad_speculation", "frontend_bound", "backend_bound"];
const CHILDREN = {
  retiring: ["heavy_operations", "light_operations"],
  bad_speculation: ["branch_mispredicts", "machine_clears"],
  frontend_bound: ["fetch_latency", "fetch_bandwidth"],
  backend_bound: ["memory_bound", "core_bound"],
};
const TITLES = {
  retiring: "Retiring", bad_speculation: "Bad speculation", frontend_bound: "Frontend bound", backend_bound: "Backend bound",
  heavy_operations: "Heavy operations", light_operations: "Light operations",
  branch_mispredicts: "Branch mispredicts", machine_clears: "Machine clears",
  fetch_latency: "Fetch latency", fetch_bandwidth: "Fetch bandwidth",
  memory_bound: "Memory bound", core_bound: "Core bound",
};
const AREA = {};
for (const area of LEVEL1) {
  AREA[area] = area;
  for (const child of CHILDREN[area])
    AREA[child] = area;
}

const hasTopdown = Boolean(report.totals.topdown) || functions.some(f => f.topdown);
const hasPaths = paths.length > 0;

// Wider intervals prove too little to act on.
const WIDE = 0.2;

const percent = (fraction, digits = 1) => (100 * fraction).toFixed(digits);
const count = n => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const many = (n, what) => `${count(n)} ${what}${n === 1 ? "" : "s"}`;
const seconds = s => s >= 100 ? s.toFixed(0) + " s" : s >= 1 ? s.toFixed(2) + " s" : (1000 * s).toFixed(1) + " ms";
const base = path => path.slice(path.lastIndexOf("/") + 1) || path;

// Half of the interval in points; undefined where it has no bounds.
const half = e => e && e.low !== undefined && e.high !== undefined ? (e.high - e.low) / 2 : undefined;
const isWide = e => !(half(e) <= WIDE / 2);
const isToldApart = f => f.evidence !== "callers";

// What a reader wants to see of the function: its own values, or those of its total.
function answer(f) {
  if (f.answer === "total")
    return {topdown: f.total.topdown, bottleneck: f.total.bottleneck, total: true};
  return {topdown: f.topdown, bottleneck: f.bottleneck, total: false};
}

// It is not to be acted on: `e` of the function's answer.
const isVague = (f, e) => isWide(e) || !(answer(f).total || isToldApart(f));

// el("p", {class: "x", onclick: f}, child, "text", ...): text is never markup.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on"))
      node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false)
      node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.filter(c => c !== undefined && c !== null && c !== false));
  return node;
}

const byId = id => document.getElementById(id);
