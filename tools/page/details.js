// SPDX-License-Identifier: MIT
// All that is known of one function.

const EVIDENCE = {
  own: "windows of this function alone",
  separated: "told apart from its neighbours by regression over all windows",
  callers: "only known together with its callers",
};

function nodeRows(f) {
  const own = f.topdown || {}, all = (f.total && f.total.topdown) || {};
  const both = hasPaths && f.total && f.total.topdown;
  const rows = [];
  const add = (node, child) => {
    const e = own[node] || all[node];
    if (!e)
      return;
    const cells = [el("td", {}, limit(node))];
    for (const side of both ? [own, all] : [own[node] ? own : all]) {
      const v = side[node];
      cells.push(el("td", {class: "num"}, ...(v ? written(v, isWide(v) || (side === own && !isToldApart(f))) : [])));
    }
    if (!both)
      cells.push(el("td", {}, range(node, e)));
    const most = answer(f).bottleneck === node;
    rows.push(el("tr", {class: [child && "child", most && "most"].filter(Boolean).join(" ") || null}, ...cells));
  };
  for (const area of LEVEL1) {
    add(area, false);
    CHILDREN[area].forEach(child => add(child, true));
  }
  const titles = both ? ["% of slots", "its own", "with callees"] : [own[LEVEL1[0]] ? "% of slots" : "% of slots, with callees", "", ""];
  return rows.length ? el("table", {}, el("thead", {}, el("tr", {}, ...titles.map(t => el("th", {scope: "col"}, t)))),
    el("tbody", {}, ...rows)) : el("p", {class: "missing"}, hasTopdown ? "No window tells of this function." : "Top-down was not measured in this run.");
}

// Who calls it and whom it calls, by samples; calls of itself count once.
function neighbours(index) {
  const callers = new Map(), callees = new Map();
  const add = (map, key, n) => map.set(key, (map.get(key) || 0) + n);
  const inside = new Uint8Array(paths.length);
  paths.forEach((p, i) => {
    const parent = p.parent === undefined ? undefined : paths[p.parent];
    inside[i] = p.function === index || (parent && inside[p.parent]) ? 1 : 0;
    if (p.function === index && !(parent && inside[p.parent]))
      add(callers, parent ? parent.function ?? pathName(parent) : KIND.root, p.total);
    else if (p.function !== index && parent && parent.function === index)
      add(callees, p.function ?? pathName(p), p.total);
  });
  const sorted = map => [...map].sort((a, b) => b[1] - a[1]).slice(0, 12);
  return {callers: sorted(callers), callees: sorted(callees)};
}

// Paths without a row in the table.
const KIND = {root: "(start of the thread)", cut: "(callers not known)"};
const pathName = p => p.function !== undefined ? functions[p.function].name : p.name ?? KIND[p.kind];

function neighbourTable(list, show) {
  if (!list.length)
    return el("p", {class: "soft"}, "none");
  return el("table", {}, el("tbody", {}, ...list.map(([who, samples]) => el("tr", {},
    el("td", {}, typeof who === "number" ? el("button", {type: "button", onclick: () => show(who)}, functions[who].name) : who),
    el("td", {class: "num"}, `${percent(samples / report.totals.samples)} %`)))));
}

function countTable(entries) {
  return el("table", {}, el("tbody", {}, ...entries.map(([name, value]) => el("tr", {},
    el("td", {}, name), el("td", {class: "num"}, value)))));
}

function shareLine(f) {
  const parts = [`${percent(f.share)} % of the samples (${percent(f.share_low)} to ${percent(f.share_high)}, ${count(f.samples)})`];
  if (f.total)
    parts.push(`${percent(f.total.share)} % with all that it calls`);
  if (f.cpu_time_s !== undefined)
    parts.push(`${seconds(f.cpu_time_s)} of CPU time`);
  return parts.join("; ") + ".";
}

function hintOf(f) {
  const {topdown, bottleneck} = answer(f);
  if (!bottleneck || isVague(f, topdown[bottleneck]))
    return null;
  return el("p", {class: "hint"}, `${TITLES[bottleneck]}: ${hints[bottleneck]}.`);
}

function evidenceLine(f) {
  if (!f.evidence)
    return "";
  const known = f.identifiability === undefined ? "" : `; identifiability ${f.identifiability.toFixed(2)}`;
  const visit = f.visit_cycles === undefined ? "" : `; ${f.visit_cycles.toFixed(0)} cycles a visit`;
  return `Evidence: ${EVIDENCE[f.evidence]}${known}${visit}.`;
}

// Events of TDAGENT_EVENTS, and of the tables where there is no top-down.
function rateEntries(f) {
  return Object.entries(f.events || {}).map(([name, e]) => name === "inst"
    ? ["instructions a cycle", e.per_cycle.value.toPrecision(3)]
    : [name, e.per_instruction ? `${(1000 * e.per_instruction.value).toPrecision(3)} in 1000 instructions`
      : `${e.per_cycle.value.toPrecision(3)} a cycle`]);
}

function latencyEntry(f) {
  const l = f.retire_latency;
  const half = l.high === undefined ? "" : ` ± ${(l.high - l.mean).toPrecision(2)}`;
  return [`before ${report.run.retire_latency.event}`, `${l.mean.toPrecision(3)}${half} cycles, ${many(l.records, "record")}`];
}

function showDetails(index, show) {
  const f = functions[index];
  const rejected = Object.entries(f.windows.rejected).map(([cause, n]) => [cause.replaceAll("_", " "), count(n)]);
  const counters = Object.entries(f.counters || {}).map(([name, c]) =>
    [name.replaceAll("_", " "), `${c.per_window.toPrecision(4)} ${c.unit === "1" ? "" : c.unit}`.trim()]);
  const parts = [
    el("h2", {}, f.name),
    el("p", {class: "soft"}, `${f.module || "code without a module"} at ${f.address}`),
    el("p", {}, shareLine(f)),
    hasTopdown && el("h3", {}, "What limits it"),
    hasTopdown && nodeRows(f),
    hintOf(f),
    f.evidence && el("p", {class: "soft"}, evidenceLine(f)),
  ];
  if (hasPaths) {
    const {callers, callees} = neighbours(index);
    parts.push(el("h3", {}, "Called by"), neighbourTable(callers, show), el("h3", {}, "Calls"), neighbourTable(callees, show));
  }
  parts.push(el("h3", {}, "Windows"), countTable([["valid", count(f.windows.valid)], ...rejected]));
  if (counters.length)
    parts.push(el("h3", {}, "Counters, a window"), countTable(counters));
  const rates = rateEntries(f);
  if (rates.length)
    parts.push(el("h3", {}, "Events"), countTable(rates));
  if (f.retire_latency)
    parts.push(el("h3", {}, "Retire latency"), countTable([latencyEntry(f)]));
  byId("details").replaceChildren(...parts.filter(Boolean));
  byId("details").scrollTop = 0;
}
