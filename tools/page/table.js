// SPDX-License-Identifier: MIT
// The table of functions: only the rows in sight exist.

const ROW = 34; // px, as page.css has it
const AHEAD = 8; // rows beyond the edges
const GAP = 13; // px between columns, likewise
const LAST_ORDER = 6; // columns of this order go first where there is no room

// A value with half its interval, and a question mark where it is not to be acted on.
function written(e, vague) {
  const h = half(e);
  return [percent(e.value), el("span", {class: "pm"}, h === undefined ? " ±?" : ` ±${percent(h)}`), vague ? "?" : ""];
}

function nodeColumn(node, title) {
  return {
    key: node, title, room: 92, order: 6, number: true,
    value: f => answer(f).topdown && answer(f).topdown[node] ? answer(f).topdown[node].value : undefined,
    cell(f) {
      const e = answer(f).topdown && answer(f).topdown[node];
      return e ? written(e, isVague(f, e)) : [];
    },
  };
}

const COLUMNS = [
  {
    key: "name", title: "Function", grows: true, room: 136, order: 0, value: f => f.name,
    cell: f => [el("b", {title: f.name}, f.name), el("small", {title: f.module}, f.module ? base(f.module) : "no module")],
    class: "name",
  },
  {
    key: "share", title: "Samples", room: 62, order: 0, number: true, value: f => f.share,
    cell: f => [`${percent(f.share)} %`],
    title2: f => `${many(f.samples, "sample")}, ${percent(f.share_low)} to ${percent(f.share_high)} %`,
  },
  {
    key: "total", title: "Total", room: 62, order: 3, number: true, needs: hasPaths, value: f => f.total && f.total.share,
    cell: f => f.total ? [`${percent(f.total.share)} %`] : [],
  },
  {
    key: "topdown", title: "Top-down", grows: true, room: 90, order: 1, needs: hasTopdown,
    value: f => answer(f).topdown && Math.max(...LEVEL1.slice(1).map(n => answer(f).topdown[n] ? answer(f).topdown[n].value : 0)),
    cell(f) {
      const {topdown} = answer(f);
      return [topdown ? stack(topdown) : el("span", {class: "missing"}, "no windows")];
    },
  },
  {
    key: "bottleneck", title: "Limited by", room: 264, order: 2, class: "limited", needs: hasTopdown, value: f => answer(f).bottleneck,
    cell(f) {
      const {topdown, bottleneck, total} = answer(f);
      return topdown ? [limit(bottleneck), ...(bottleneck ? [" ", ...written(topdown[bottleneck], isVague(f, topdown[bottleneck]))] : []), total ? el("span", {class: "pm", title: "with all that it calls"}, " ^") : ""] : [];
    },
  },
  ...(hasTopdown ? [nodeColumn("retiring", "Retiring"), nodeColumn("bad_speculation", "Bad spec."),
    nodeColumn("frontend_bound", "Frontend"), nodeColumn("backend_bound", "Backend")] : []),
  {
    key: "windows", title: "Windows", room: 65, order: 4, number: true,
    value: f => f.used_windows ?? f.windows.valid, cell: f => [count(f.used_windows ?? f.windows.valid)],
  },
  {
    key: "cpu", title: "CPU time", room: 72, order: 5, number: true, needs: functions.some(f => f.cpu_time_s !== undefined),
    value: f => f.cpu_time_s, cell: f => f.cpu_time_s === undefined ? [] : [seconds(f.cpu_time_s)],
  },
  {
    key: "latency", title: "Latency", room: 72, order: 6, number: true, needs: functions.some(f => f.retire_latency),
    value: f => f.retire_latency && f.retire_latency.mean, cell: f => f.retire_latency ? [f.retire_latency.mean.toPrecision(3)] : [],
  },
].filter(c => c.needs !== false);

class Table {
  constructor(parent, onChoose) {
    this.onChoose = onChoose;
    this.sort = {key: "share", down: true};
    this.words = [];
    this.chosen = 0;
    this.text = functions.map(f => `${f.name}\n${base(f.module)}`.toLowerCase());
    this.titles = el("div", {class: "row titles", role: "row", "aria-rowindex": 1});
    this.body = el("div", {class: "body", role: "rowgroup", tabindex: 0, "aria-label": "Functions"});
    this.grid = el("div", {class: "grid", role: "grid", "aria-label": "Functions"}, this.titles, this.body);
    parent.append(this.grid);
    this.grid.addEventListener("scroll", () => this.schedule());
    this.body.addEventListener("keydown", e => this.key(e));
    this.body.addEventListener("click", e => this.click(e));
    new ResizeObserver(() => this.fit()).observe(parent);
    this.fit();
    this.arrange();
  }

  // Columns for which there is room.
  fit() {
    const room = (this.grid.clientWidth || window.innerWidth) - 24; // without what a row has on both sides
    const needed = order => COLUMNS.filter(c => c.order <= order).reduce((sum, c) => sum + c.room + GAP, -GAP);
    let order = LAST_ORDER;
    while (order > 0 && needed(order) > room)
      order--;
    const shown = COLUMNS.filter(c => c.order <= order);
    if (this.columns && this.columns.length === shown.length)
      return this.schedule();
    this.columns = shown;
    this.grid.style.setProperty("--columns", shown.map(c => c.grows ? `minmax(${c.room}px, 2fr)` : `${c.room}px`).join(" "));
    this.grid.setAttribute("aria-colcount", shown.length);
    this.head();
    this.range = this.kept = null;
    this.schedule();
  }

  head() {
    this.titles.replaceChildren(...this.columns.map(c => {
      const sorted = this.sort.key === c.key;
      const arrow = sorted ? (this.sort.down ? " ↓" : " ↑") : "";
      return el("div", {role: "columnheader", class: c.number ? "num" : null, "data-key": c.key,
        "aria-sort": sorted ? (this.sort.down ? "descending" : "ascending") : null},
      el("button", {type: "button", onclick: () => this.sortBy(c.key)}, c.title + arrow));
    }));
  }

  sortBy(key) {
    const column = COLUMNS.find(c => c.key === key);
    const down = this.sort.key === key ? !this.sort.down : key !== "name" && key !== "bottleneck";
    this.sort = {key, down};
    this.head();
    this.titles.querySelector(`[data-key="${column.key}"] button`).focus();
    this.arrange();
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.arrange();
  }

  matches(index) {
    return this.words.every(w => this.text[index].includes(w));
  }

  // What is absent comes last, whichever way.
  arrange() {
    const {value} = COLUMNS.find(c => c.key === this.sort.key);
    const sign = this.sort.down ? -1 : 1;
    const rows = functions.map((f, index) => ({index, v: value(f)})).filter(r => this.matches(r.index));
    rows.sort((a, b) => {
      if (a.v === undefined || b.v === undefined)
        return (a.v === undefined) - (b.v === undefined) || a.index - b.index;
      return (a.v < b.v ? -sign : a.v > b.v ? sign : 0) || a.index - b.index;
    });
    this.order = rows.map(r => r.index);
    this.at = Math.max(0, this.order.indexOf(this.chosen));
    this.grid.setAttribute("aria-rowcount", this.order.length + 1);
    this.body.style.height = `${Math.max(1, this.order.length) * ROW}px`;
    this.grid.scrollTop = 0;
    this.range = this.kept = null;
    this.draw();
    if (this.order.length)
      this.choose(this.at, true);
  }

  schedule() {
    if (!this.frame)
      this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    if (!this.order)
      return;
    const first = Math.max(0, Math.floor(this.grid.scrollTop / ROW) - AHEAD);
    const last = Math.min(this.order.length, Math.ceil((this.grid.scrollTop + this.grid.clientHeight) / ROW) + AHEAD);
    if (this.range && this.range[0] === first && this.range[1] === last)
      return;
    this.range = [first, last];
    const old = new Map([...this.body.querySelectorAll(".row")].map(row => [Number(row.dataset.at), row]));
    if (!this.kept || !this.order.length)
      old.clear();
    this.kept = true;
    const rows = [];
    for (let i = first; i < last; i++)
      rows.push(old.get(i) || this.row(i));
    if (!this.order.length)
      rows.push(el("p", {class: "empty"}, functions.length ? "No function has this in its name or module." : "No function was sampled."));
    if (rows.some(row => old.has(Number(row.dataset.at))))
      this.exchange(old, rows);
    else
      this.body.replaceChildren(...rows);
    this.mark();
  }

  // What stays in sight is left alone: scrolling by a row makes a row.
  exchange(old, rows) {
    const stay = new Set(rows);
    for (const row of old.values()) {
      if (!stay.has(row))
        row.remove();
    }
    rows.forEach((row, i) => {
      if (this.body.children[i] !== row)
        this.body.insertBefore(row, this.body.children[i] || null);
    });
  }

  row(i) {
    const f = functions[this.order[i]];
    const {topdown} = answer(f);
    const vague = topdown && LEVEL1.some(n => topdown[n] && isVague(f, topdown[n]));
    const row = el("div", {class: vague ? "row vague" : "row", role: "row", id: `row-${i}`, "aria-rowindex": i + 2, "data-at": i},
      ...this.columns.map(c => el("div", {role: "gridcell", "data-key": c.key, class: c.number ? "num" : c.class || null,
        title: c.title2 ? c.title2(f) : null}, ...c.cell(f))));
    row.style.top = `${i * ROW}px`;
    return row;
  }

  mark() {
    for (const row of this.body.querySelectorAll(".row"))
      row.setAttribute("aria-selected", Number(row.dataset.at) === this.at);
    this.body.setAttribute("aria-activedescendant", `row-${this.at}`);
  }

  // quiet: nothing was asked for, the row is only shown as chosen
  choose(at, quiet) {
    this.at = Math.max(0, Math.min(this.order.length - 1, at));
    this.chosen = this.order[this.at];
    const top = this.at * ROW, room = this.grid.clientHeight - 40;
    if (top < this.grid.scrollTop)
      this.grid.scrollTop = top;
    else if (top + ROW > this.grid.scrollTop + room)
      this.grid.scrollTop = top + ROW - room;
    this.draw();
    this.mark();
    this.onChoose(this.chosen, quiet);
  }

  // From elsewhere: the filter goes if it hides the function.
  show(index) {
    if (!this.order.includes(index)) {
      byId("filter").value = "";
      this.filter("");
      byId("filter").dispatchEvent(new Event("input"));
    }
    this.choose(this.order.indexOf(index));
  }

  key(e) {
    const page = Math.max(1, Math.floor(this.grid.clientHeight / ROW) - 2);
    const to = {ArrowDown: this.at + 1, ArrowUp: this.at - 1, PageDown: this.at + page, PageUp: this.at - page,
      Home: 0, End: this.order.length - 1}[e.key];
    if (e.key === "Enter" && this.order.length) {
      byId("details").focus();
    } else if (to !== undefined && this.order.length) {
      this.choose(to);
    } else {
      return;
    }
    e.preventDefault();
  }

  click(e) {
    const row = e.target.closest(".row");
    if (row)
      this.choose(Number(row.dataset.at));
  }
}
