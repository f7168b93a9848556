// SPDX-License-Identifier: MIT
// The tree of call paths from the top down: a frame is as wide as the samples on its path.

const FRAME = 22; // px a row
const THIN = 2; // px: narrower frames are not drawn

class Flame {
  constructor(parent, onChoose) {
    this.onChoose = onChoose;
    this.words = [];
    this.grow();
    this.frames = el("div", {class: "frames", role: "tree", tabindex: 0, "aria-label": "Call paths"});
    this.box = el("div", {class: "flame"}, this.frames);
    this.said = el("p", {class: "said", role: "status"});
    const areas = hasTopdown ? LEVEL1.map(n => el("span", {}, swatch(n), TITLES[n])) : [];
    parent.append(this.box, this.said, el("div", {class: "legend soft"}, ...areas,
      el("span", {}, swatch(), hasTopdown ? "nothing stands out, or not known" : "samples only"),
      hasTopdown && el("span", {}, "hatched: by the function's own values, as this path has too few windows")));
    this.top = 0;
    this.here = 0;
    this.frames.addEventListener("keydown", e => this.key(e));
    this.frames.addEventListener("click", e => this.click(e));
    this.frames.addEventListener("dblclick", () => this.zoom(this.here));
    this.frames.addEventListener("mousemove", e => this.say(this.under(e) ?? this.here));
    this.frames.addEventListener("mouseleave", () => this.say(this.here));
    new ResizeObserver(() => this.draw()).observe(parent);
    this.draw();
    this.say(this.here);
  }

  // Children by size, and where each frame begins, in samples.
  grow() {
    this.children = paths.map(() => []);
    this.depth = new Uint32Array(paths.length);
    this.start = new Float64Array(paths.length);
    paths.forEach((p, i) => {
      if (p.parent === undefined)
        return;
      this.children[p.parent].push(i);
      this.depth[i] = this.depth[p.parent] + 1;
    });
    paths.forEach((p, i) => {
      let at = this.start[i];
      this.children[i].sort((a, b) => paths[b].total - paths[a].total || a - b);
      for (const child of this.children[i]) {
        this.start[child] = at;
        at += paths[child].total;
      }
    });
  }

  name(i) {
    return i === 0 ? "all threads" : pathName(paths[i]);
  }

  // {area, own}: own where the path itself does not tell.
  colour(i) {
    const p = paths[i];
    if (p.topdown)
      return {area: AREA[p.bottleneck] || "none", own: false};
    const a = p.function === undefined ? {} : answer(functions[p.function]);
    return {area: AREA[a.bottleneck] || "none", own: Boolean(a.bottleneck)};
  }

  matches(i) {
    const p = paths[i];
    if (!this.words.length)
      return true;
    if (p.function === undefined)
      return false;
    const text = `${functions[p.function].name}\n${base(functions[p.function].module)}`.toLowerCase();
    return this.words.every(w => text.includes(w));
  }

  filter(text) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
    this.draw();
  }

  ancestors(i) {
    const list = [];
    for (let p = paths[i].parent; p !== undefined; p = paths[p].parent)
      list.unshift(p);
    return list;
  }

  draw() {
    const width = this.box.clientWidth - 2;
    const scale = width / (paths[this.top].total || 1);
    const drawn = [];
    let rows = 0;
    for (const i of this.ancestors(this.top))
      drawn.push(this.frame(i, 0, width, "above"));
    const visit = i => {
      const left = (this.start[i] - this.start[this.top]) * scale;
      drawn.push(this.frame(i, left, paths[i].total * scale, ""));
      rows = Math.max(rows, this.depth[i] + 1);
      for (const child of this.children[i]) {
        if (paths[child].total * scale < THIN)
          break;
        visit(child);
      }
    };
    visit(this.top);
    this.frames.style.height = `${rows * FRAME}px`;
    this.frames.replaceChildren(...drawn);
    this.mark();
  }

  frame(i, left, width, extra) {
    const {area, own} = this.colour(i);
    const css = ["frame", area, own && "other", width < 28 && "thin", extra, !this.matches(i) && "faint"].filter(Boolean).join(" ");
    const node = el("div", {class: css, id: `frame-${i}`, role: "treeitem", "aria-level": this.depth[i] + 1, "data-path": i,
      "aria-label": width < 28 ? this.name(i) : null}, width < 28 ? "" : this.name(i));
    node.style.top = `${this.depth[i] * FRAME}px`;
    node.style.left = `${left.toFixed(1)}px`;
    node.style.width = `${Math.max(1, width - 1).toFixed(1)}px`;
    return node;
  }

  mark() {
    for (const old of this.frames.querySelectorAll(".here"))
      old.classList.remove("here");
    const node = byId(`frame-${this.here}`);
    if (node)
      node.classList.add("here");
    this.frames.setAttribute("aria-activedescendant", `frame-${this.here}`);
  }

  under(e) {
    const node = e.target.closest(".frame");
    return node ? Number(node.dataset.path) : undefined;
  }

  say(i) {
    const p = paths[i], all = paths[0].total || 1;
    const parts = [el("b", {}, this.name(i)), ` ${percent(p.total / all)} % of samples (${count(p.total)}), ${percent(p.samples / all)} % in itself. `];
    if (p.topdown)
      parts.push(LEVEL1.map(n => p.topdown[n] ? `${TITLES[n]} ${percent(p.topdown[n].value)} ±${percent(half(p.topdown[n]) ?? 1)}` : "")
        .filter(Boolean).join(", "), `; ${many(p.windows, "window")}.`);
    else if (hasTopdown)
      parts.push(`${many(p.windows || 0, "window")}: too few to tell of this path.`);
    this.said.replaceChildren(...parts);
  }

  choose(i) {
    if (!byId(`frame-${i}`))
      return;
    this.here = i;
    this.mark();
    this.say(i);
    byId(`frame-${i}`).scrollIntoView({block: "nearest", behavior: "instant"});
    if (paths[i].function !== undefined)
      this.onChoose(paths[i].function);
  }

  zoom(i) {
    this.top = i;
    this.here = i;
    this.draw();
    this.say(i);
  }

  click(e) {
    const i = this.under(e);
    if (i === undefined)
      return;
    this.choose(i);
    if (this.ancestors(this.top).includes(i))
      this.zoom(i);
  }

  beside(step) {
    const p = paths[this.here].parent;
    if (p === undefined)
      return undefined;
    const row = this.children[p];
    return row[row.indexOf(this.here) + step];
  }

  key(e) {
    const to = {ArrowUp: () => paths[this.here].parent, ArrowDown: () => this.children[this.here][0],
      ArrowLeft: () => this.beside(-1), ArrowRight: () => this.beside(1)}[e.key];
    if (to) {
      const i = to();
      if (i !== undefined)
        this.choose(i);
    } else if (e.key === "Enter") {
      this.zoom(this.here);
    } else if (e.key === "Escape" || e.key === "Backspace") {
      this.zoom(paths[this.top].parent ?? 0);
    } else if (e.key === "Home") {
      this.zoom(0);
    } else {
      return;
    }
    e.preventDefault();
  }
}
