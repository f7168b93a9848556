// SPDX-License-Identifier: MIT
// The page from top to bottom.

function showHead() {
  const run = report.run;
  const period = n => run.period_unit === "ns" ? (n >= 1e6 ? `${n / 1e6} ms` : `${n / 1e3} µs`) : `${count(n)} cycles`;
  byId("command").textContent = run.command;
  document.title = `${base(run.command.split(" ")[0])} · tdagent report`;
  byId("simulated").hidden = !report.simulated;
  const facts = [
    ["Processor", run.cpu], ["Measured by", run.backend + (run.level ? `, level ${run.level}` : "")], ["Host", run.host],
    ["Cores", run.cores && `the ${run.cores} ones`], ["Kernel", run.kernel], ["Started", run.start], ["Took", seconds(run.duration_s)], ["Ended", run.state],
    ["One sample every", period(run.long_period)], ["Window", run.short_period ? period(run.short_period) : "none"],
    ["Processes", count(report.processes.length)],
  ].filter(([, value]) => value);
  byId("facts").append(...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

function showNotes() {
  const notes = report.run.notes.slice();
  const check = report.run.check;
  if (check && !check.holds)
    notes.push(`The functions, weighted by samples, and the complete totals are ${percent(check.difference)} points of ${TITLES[check.node]} apart; ` +
      `${percent(check.explained)} can be explained.`);
  byId("notes").hidden = !notes.length;
  byId("notes-list").append(...notes.map(n => el("li", {}, n)));
}

function figure(name, value, small) {
  return el("div", {}, el("dt", {}, name), el("dd", {}, value, small && el("small", {}, small)));
}

function showOverview() {
  const t = report.totals;
  const sum = o => Object.values(o).reduce((s, n) => s + n, 0);
  const rejected = sum(t.windows.rejected), lost = sum(t.lost), tried = t.windows.valid + rejected;
  const left = el("div", {});
  if (t.topdown) {
    left.append(stack(t.topdown, true), el("div", {class: "areas"}, ...LEVEL1.filter(n => t.topdown[n]).map(area => el("ul", {},
      ...[area, ...CHILDREN[area]].filter(n => t.topdown[n]).map(n => el("li", {}, limit(n), el("span", {class: "num"}, `${percent(t.topdown[n].value)} %`)))))),
    el("p", {class: "soft"}, {complete: "Of all slots of the run, counted completely.", partial: "Of nearly all slots of the run.",
      windows: "Of the slots in the windows."}[t.coverage] || ""));
  } else {
    left.append(el("p", {}, "Top-down was not measured: ", report.run.reason || "this run has samples only", "."));
  }
  byId("overview-body").append(left, el("dl", {class: "figures"},
    figure("Samples", count(t.samples), lost ? `${count(lost)} lost` : ""),
    figure("Windows", count(t.windows.valid), tried ? `${percent(t.windows.valid / tried, 0)} % of those opened` : ""),
    figure("CPU time", seconds(t.cpu_time_s)),
    figure("Functions", count(t.functions)), figure("Threads", count(report.run.threads)),
    t.slots !== undefined && figure("Slots", Number(t.slots).toExponential(2))));
}

function showFoot() {
  byId("written").textContent = `Written by ${report.run.agent}. This file holds the whole report as JSON (script #profile), loads nothing and sends nothing.`;
  const {processes, ...rest} = {run: report.run, processes: report.processes.map(({timeline, ...p}) => p)};
  byId("run").textContent = JSON.stringify({...rest, processes}, null, 2);
}

function start() {
  showHead();
  showNotes();
  showOverview();
  const found = byId("found"), input = byId("filter");
  let table = null, flame = null;
  const show = index => { table.show(index); };
  table = new Table(byId("table"), index => showDetails(index, show));
  if (hasPaths)
    flame = new Flame(byId("flame"), show);
  else
    byId("flame").append(el("p", {class: "soft"}, "This run took no call paths; TDAGENT_CALLPATH=on (tdagent run --callpath=on) takes them."));
  byId("time-hint").textContent = hasTopdown ? "fractions of slots," : "samples,";
  if (report.threads.some(t => t.timeline))
    new Timelines(byId("timeline"));
  else
    byId("timeline").append(el("p", {class: "soft"}, "This profile has no timeline."));
  const say = () => { found.textContent = `${count(table.order.length)} of ${count(functions.length)}`; };
  input.addEventListener("input", () => {
    table.filter(input.value);
    if (flame)
      flame.filter(input.value);
    say();
  });
  input.addEventListener("keydown", e => {
    if (e.key === "ArrowDown" || e.key === "Enter") {
      table.body.focus();
      e.preventDefault();
    }
  });
  byId("details").addEventListener("keydown", e => {
    if (e.key === "Escape")
      table.body.focus();
  });
  document.addEventListener("keydown", e => {
    if (e.key === "/" && e.target !== input && !e.ctrlKey && !e.metaKey && !e.altKey) {
      input.focus();
      input.select();
      e.preventDefault();
    }
  });
  say();
  showFoot();
  document.documentElement.dataset.ready = "yes";
}

start();
