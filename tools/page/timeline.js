// SPDX-License-Identifier: MIT
// What each thread did over time; uPlot draws.

const FIRST_THREADS = 8;

// Upper edges of the stacked areas; null where nothing was measured.
function columns(timeline) {
  const width = timeline.bucket_s, buckets = timeline.buckets;
  const x = buckets.map((b, i) => i * width).concat(buckets.length * width);
  const edges = LEVEL1.map((_, upto) => {
    const line = buckets.map(b => b.topdown ? LEVEL1.slice(0, upto + 1).reduce((s, n) => s + (b.topdown[n] || 0), 0) : null);
    return line.concat(line[line.length - 1]);
  });
  const samples = buckets.map(b => b.samples);
  return {x, edges, samples: samples.concat(samples[samples.length - 1])};
}

const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

function axis(more) {
  return {stroke: colourOf("soft"), grid: {stroke: colourOf("line"), width: 1}, ticks: {show: false},
    font: "11px system-ui, sans-serif", ...more};
}

function topdownSeries(timeline) {
  // the last drawn lies on top, so the largest edge comes first
  return LEVEL1.map((node, i) => ({
    label: TITLES[node], stroke: colourOf(node), fill: colourOf(node), width: 0, points: {show: false},
    paths: uPlot.paths.stepped({align: 1}),
    value: (u, v, s, at) => {
      const bucket = timeline.buckets[Math.min(at ?? -1, timeline.buckets.length - 1)];
      return bucket && bucket.topdown ? `${percent(bucket.topdown[node])} %` : "–";
    },
    order: i,
  })).reverse();
}

function plot(parent, timeline, end) {
  const {x, edges, samples} = columns(timeline);
  const topdown = timeline.buckets.some(b => b.topdown);
  const series = topdown ? topdownSeries(timeline) : [{label: "Samples", stroke: colourOf("none"), fill: colourOf("none"),
    width: 0, points: {show: false}, paths: uPlot.paths.stepped({align: 1})}];
  const options = {
    width: Math.max(200, parent.clientWidth), height: 150,
    cursor: {y: false, drag: {x: false, y: false}, points: {show: false}},
    legend: {live: true, markers: {width: 0, fill: (u, i) => u.series[i].stroke()}},
    scales: {x: {time: false, range: [0, end]}, y: {range: topdown ? [0, 1] : (u, min, max) => [0, max || 1]}},
    axes: [axis({values: (u, v) => v.map(s => `${+s.toFixed(6)} s`), size: 28}),
      axis({values: (u, v) => v.map(f => topdown ? `${Math.round(100 * f)} %` : f), size: 48})],
    series: [{label: "Time", value: (u, v) => v === null ? "–" : `${+v.toFixed(3)} s`}, ...series],
  };
  return new uPlot(options, [x, ...(topdown ? edges.slice().reverse() : [samples])], parent);
}

function readByKeys(box, chart, buckets) {
  let at = -1;
  box.addEventListener("keydown", e => {
    const step = {ArrowLeft: -1, ArrowRight: 1}[e.key];
    if (!step)
      return;
    e.preventDefault();
    at = Math.max(0, Math.min(buckets - 1, at + step));
    const u = chart();
    u.setCursor({left: u.valToPos(u.data[0][at], "x") + 1, top: 10});
  });
}

function threadRow(thread) {
  const box = el("div", {class: "plot", tabindex: 0, role: "group", "aria-label": `Timeline of ${thread.name || thread.tid}`});
  const title = thread.state === "folded" ? `${count(thread.threads)} ended threads` : thread.name || "thread";
  const about = el("div", {}, el("h3", {}, title),
    el("p", {class: "soft"}, `${thread.state === "folded" ? `pid ${thread.pid}` : `tid ${thread.tid}`}, ${many(thread.samples, "sample")}, ${seconds(thread.cpu_time_s)} of CPU`),
    thread.topdown && stack(thread.topdown), thread.topdown && limit(thread.bottleneck));
  return {row: el("div", {class: "thread"}, about, box), box, thread};
}

class Timelines {
  constructor(parent) {
    this.parent = parent;
    this.rows = [];
    this.rest = report.threads.filter(t => t.timeline).sort((a, b) => b.samples - a.samples);
    // one scale for all, so that what happens together stands together
    this.end = Math.max(...this.rest.map(t => t.timeline.bucket_s * t.timeline.buckets.length));
    this.more = el("button", {type: "button", class: "more", onclick: () => this.add(this.rest.length)});
    parent.append(this.more);
    this.add(FIRST_THREADS);
    new ResizeObserver(() => this.fit()).observe(parent);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.redraw());
  }

  add(n) {
    for (const thread of this.rest.splice(0, n)) {
      const row = threadRow(thread);
      this.more.before(row.row);
      row.chart = plot(row.box, thread.timeline, this.end);
      readByKeys(row.box, () => row.chart, thread.timeline.buckets.length);
      this.rows.push(row);
    }
    this.more.hidden = !this.rest.length;
    this.more.textContent = `${count(this.rest.length)} more threads`;
  }

  fit() {
    for (const {box, chart} of this.rows) {
      if (chart.width !== Math.max(200, box.clientWidth))
        chart.setSize({width: Math.max(200, box.clientWidth), height: 150});
    }
  }

  redraw() {
    for (const row of this.rows) {
      row.chart.destroy();
      row.chart = plot(row.box, row.thread.timeline, this.end);
    }
  }
}
