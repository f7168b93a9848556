// SPDX-License-Identifier: MIT
// Stacked bars and intervals.

// What is drawn of an area: its children where both were measured, else itself.
function segments(topdown, level1) {
  const list = [];
  for (const area of LEVEL1) {
    const value = n => typeof topdown[n] === "number" ? topdown[n] : topdown[n] && topdown[n].value;
    if (value(area) === undefined)
      continue;
    const [first, second] = CHILDREN[area];
    if (!level1 && value(first) !== undefined && value(second) !== undefined) {
      list.push({node: first, area, value: value(first), second: false});
      list.push({node: second, area, value: value(second), second: true});
    } else {
      list.push({node: area, area, value: value(area), second: false});
    }
  }
  return list;
}

function stack(topdown, big) {
  const list = segments(topdown, big);
  const sum = list.reduce((s, x) => s + x.value, 0) || 1;
  const text = LEVEL1.filter(n => topdown[n] !== undefined)
    .map(n => `${TITLES[n]} ${percent(topdown[n].value ?? topdown[n])} %`).join(", ");
  const bar = el("div", {class: big ? "stack big" : "stack", role: "img", "aria-label": text});
  for (const {node, area, value, second} of list) {
    const part = el("i", {class: area + (second ? " second" : ""), title: `${TITLES[node]} ${percent(value)} %`});
    part.style.flex = `${value / sum} 1 0px`;
    if (big && value > 0.04)
      part.textContent = `${percent(value, 0)} %`;
    bar.append(part);
  }
  return bar;
}

function swatch(node) {
  const area = AREA[node];
  const second = area !== node && area && CHILDREN[area][1] === node;
  return el("span", {class: `swatch ${area || "none"}${second ? " second" : ""}`, "aria-hidden": "true"});
}

function legend(nodes) {
  return el("div", {class: "legend"}, ...nodes.map(n => el("span", {}, swatch(n), TITLES[n])));
}

// A value with its interval on a line from 0 to 100 %.
function range(node, e) {
  const area = AREA[node], low = e.low ?? 0, high = e.high ?? 1;
  const fill = el("i", {class: area}), line = el("u", {class: area}), mark = el("s");
  fill.style.width = `${percent(e.value, 2)}%`;
  line.style.left = `${percent(low, 2)}%`;
  line.style.width = `${percent(high - low, 2)}%`;
  mark.style.left = `calc(${percent(e.value, 2)}% - 1px)`;
  return el("div", {class: "range", role: "img", "aria-label": `${percent(low)} to ${percent(high)} %`}, fill, line, mark);
}

function limit(node) {
  return node ? el("span", {class: "limit"}, swatch(node), TITLES[node]) : el("span", {class: "soft"}, "none stands out");
}
