// The board: one trace, or two side by side with what differs marked. Nothing here can be edited.

import { drawnForHall, isInHall, onHall } from "../kit/audience.js";
import { accent, announcer, div, element, fill, p, pressable, redrawn, rich, setText } from "../kit/dom.js";
import { headOf, key, rowsOf, symbolOf, unkey } from "../kit/graph.js";
import { stageTitle } from "../kit/layout.js";
import { layOver } from "../kit/live.js";
import { Menu } from "../kit/menu.js";
import { mounting } from "../kit/mount.js";
import { Pointing } from "../kit/selection.js";
import { structureOf } from "../kit/tables.js";
import { Differences } from "./differences.js";
import { Pane } from "./pane.js";
import { Slider } from "./slider.js";

export class Board {
  /** @type {{ panes: { title: string; model: TablesModel; wrong: Record<string, string> }[]; [more: string]: any }} */
  #data = null;
  #structure = "";
  head = 0; // the one that is shown, where there are two sides
  #only = true;
  #gone = new AbortController();
  #differences = new Differences(this);
  /** @type {(name: string, value: unknown) => void} */
  #send = null;

  constructor(parent) {
    this.root = element("div", { class: "bench board", role: "region" });
    this.bar = div("board-bar");
    this.tables = div("tables");
    this.foot = div("board-foot");
    this.live = announcer();
    this.panes = [];
    parent.append(this.root);
    this.menu = new Menu(null); // its host is the side that it is opened on
    this.slider = new Slider({
      painted: (header, numbers) => this.#painted(header, numbers),
      moved: (text) => setText(this.tables.querySelector(".side-title:nth-child(3)"), text),
      chosen: (value) => this.#send("chosen", value),
    });
    this.root.append(this.slider.root, this.bar, this.tables, this.foot, this.live, this.menu.root);
    this.pointing = new Pointing(
      this.tables,
      (td) => this.#placeOf(td),
      (focused) => this.#reached(focused),
    );
    this.root.addEventListener("click", (event) => this.#act(event));
    const outside = (event) => event.composedPath().includes(this.root) || this.menu.close();
    document.addEventListener("pointerdown", outside, { signal: this.#gone.signal });
    onHall(() => this.#anew(), this.#gone.signal);
    this.#anew();
    this.resized = new ResizeObserver(() => this.#stack());
    this.resized.observe(this.root);
  }

  unmount() {
    this.resized.disconnect();
    this.#gone.abort();
    this.slider.stop();
    this.root.remove();
  }

  update({ data, setStateValue }) {
    this.#send = setStateValue;
    const first = this.#data === null || this.#data.panes.length !== data.panes.length;
    if (first || this.#data.only !== data.only) this.#only = data.only;
    this.#data = data;
    this.root.lang = data.panes[0].model.words.lang;
    this.root.setAttribute("aria-label", data.words.board);
    this.root.classList.toggle("alone", data.panes.length === 1);
    this.#differences.take(data.differences);
    this.head = Math.min(this.head, this.#heads() - 1);
    if (first) this.head = data.differences.find((one) => one.head !== null)?.head ?? 0;
    this.#show();
    this.slider.update(data.slider);
  }

  get words() {
    return this.#data.words;
  }

  say(text) {
    this.live.textContent = text;
  }

  /** Explain what is pointed at, else what has the focus, else what is held. */
  rest() {
    const held = this.panes.find((pane) => pane.pinned);
    const at = this.pointing.at ?? (held ? { pane: held, cell: held.pinned } : null);
    const { words } = this;
    const look = this.panes.length > 1 ? words.look : words.look_alone;
    for (const pane of this.panes) {
      const cell = at && (pane === at.pane ? at.cell : this.counterpart(at.pane, at.cell, pane));
      const isHere = pane.explainCell(cell);
      const { line } = pane.explain;
      if (!at) line.textContent = pane === this.panes[0] ? look : "";
      else if (!isHere) line.textContent = words.no_counterpart;
    }
    this.foot.classList.toggle("idle", !at);
    setText(this.delta, at ? this.#differences.sentenceFor(at) : "");
  }

  // --- moved by hand -----------------------------------------------------------------------------------------------

  /** Numbers of the last side have come by the live channel. */
  #painted({ blocks, captions = {}, id: _, ...marks }, numbers) {
    const { model, view } = this.panes.at(-1);
    Object.assign(model, marks);
    for (const [name, caption] of Object.entries(captions))
      Object.assign(model.matrices[name] ?? {}, caption);
    for (const name of layOver(model, blocks, numbers)) this.#differences.compare(name);
    view.patchCaptions(model);
    view.patch(model);
    this.#differences.mark();
    this.rest();
  }

  /** Before an audience large tables are folded. */
  #anew() {
    this.root.classList.toggle("in-hall", isInHall());
    this.#structure = "";
    if (this.#data) this.#show();
  }

  // --- showing ---------------------------------------------------------------------------------------------------

  #heads() {
    return Math.max(...this.#data.panes.map((pane) => pane.model.dims.h));
  }

  #show() {
    const { panes, stages, words } = this.#data;
    const shown = stages
      .map((stage) => ({ ...stage, matrices: stage.matrices.filter((name) => this.#wanted(name)) }))
      .filter((stage) => stage.matrices.length);
    const structure = JSON.stringify([
      panes.map((pane) => [pane.title, structureOf(pane.model), pane.wrong]),
      shown.map((stage) => [stage.title, stage.matrices]),
      panes.length > 1 && this.head,
    ]);
    this.#bar(words);
    if (structure !== this.#structure) this.#rebuild(shown, panes);
    this.#structure = structure;
    panes.forEach(({ model, wrong }, index) => {
      const pane = this.panes[index];
      Object.assign(pane, { model, wrong });
      pane.view.patch(model);
    });
    this.#differences.mark();
    this.rest();
  }

  /** Whether a matrix has its place here: one pane shows all that it was given, two what differs or everything. */
  #wanted(name) {
    const { panes, differences } = this.#data;
    if (!panes.some((pane) => pane.model.matrices[name])) return false;
    if (panes.length === 1 || !this.#only) return true;
    return differences.some((one) => one.name === name && (one.head === null || one.head === this.head));
  }

  #bar(words) {
    redrawn(this.bar, () =>
      this.bar.replaceChildren(...(this.#data.panes.length > 1 ? this.#choices(words) : [])),
    );
    this.bar.hidden = !this.bar.children.length;
  }

  #choices(words) {
    const heads = [...Array(this.#heads()).keys()].map((head) => {
      const data = { focus: `head ${head}` };
      const onclick = () => this.#choose({ head });
      const text = `${this.#data.panes[0].model.words.head} ${head + 1}`;
      return pressable(head === this.head, { data, style: accent(head), onclick }, text);
    });
    const group = { class: "group heads", role: "group", "aria-label": words.all_heads };
    const onchange = () => this.#choose({ only: box.checked });
    const box = element("input", { type: "checkbox", data: { focus: "only" }, onchange });
    box.checked = this.#only;
    const only = element("label", { class: "check" }, box, words.only_differences);
    return heads.length > 1 ? [element("div", group, ...heads), only] : [only];
  }

  #choose({ head = this.head, only = this.#only }) {
    this.head = head;
    this.#only = only;
    this.#show();
  }

  #rebuild(shown, panes) {
    const { focused } = this.pointing;
    while (this.panes.length < panes.length) this.panes.push(new Pane(this));
    this.panes.length = panes.length;
    const alone = panes.length === 1;
    panes.forEach((pane, index) =>
      this.panes[index].build(alone ? { ...pane, model: { ...pane.model, stages: shown } } : pane, !alone),
    );
    this.delta = p("delta");
    this.foot.replaceChildren(...this.panes.map((pane) => pane.explain.root), this.delta);
    if (alone) {
      const holder = element("div", {}, this.panes[0].view.root);
      this.panes[0].selection.listen(holder);
      this.tables.replaceChildren(holder);
    } else this.tables.replaceChildren(this.#sides(shown));
    this.#stack();
    const there = this.panes.includes(focused?.pane) ? focused.pane : this.panes[0];
    if (focused) there.cellOf(focused.cell)?.focus();
    drawnForHall();
  }

  /** A stage whose two sides do not fit beside each other has them one below the other; where none fits, no column
   * has a title. */
  #stack() {
    if (this.panes.length < 2 || isInHall()) return; // there each screen is fitted by itself
    const stages = [...this.tables.querySelectorAll(".stage-title")].map((title) => [
      title,
      title.nextElementSibling,
      title.nextElementSibling.nextElementSibling,
    ]);
    this.tables.classList.remove("stacked");
    for (const part of stages.flat()) part.classList.remove("wide");
    const wide = stages.filter(([, ...sides]) =>
      sides.some((side) => side.scrollWidth > side.clientWidth + 1),
    );
    for (const part of wide.flat()) part.classList.add("wide");
    this.tables.classList.toggle("stacked", wide.length > 0 && wide.length === stages.length);
  }

  /** Two columns, a row for each stage. */
  #sides(shown) {
    const root = element("div", { class: "sides", style: accent(this.head) });
    root.append(
      element("div", {}),
      ...this.panes.map((pane) => element("h3", { class: "side-title" }, pane.title)),
    );
    if (!shown.length) root.append(p("nothing", this.#data.words.nothing_differs));
    for (const stage of shown) {
      root.append(stageTitle(stage));
      for (const pane of this.panes) {
        const cell = element(
          "section",
          { class: "side-stage", "data-side": pane.title, "aria-label": `${stage.title}, ${pane.title}` },
          ...this.#side(pane, stage),
        );
        pane.selection.listen(cell);
        root.append(cell);
      }
    }
    return root;
  }

  /** One side's tables of a stage, and in one line what only the other side has. */
  #side(pane, stage) {
    const figures = stage.matrices.map((name) => this.#matrix(pane, name));
    const absent = stage.matrices.filter((_, at) => figures[at] === undefined);
    if (!absent.length) return figures;
    const owner = (name) => this.panes.map((pane) => pane.model).find((model) => model.matrices[name]);
    const symbols = absent.map((name) => symbolOf(owner(name), name, this.head));
    const text = fill(this.#data.words.not_here, { list: symbols.join(", ") });
    return [...figures.filter(Boolean), p("absent", ...rich(text))];
  }

  /** A matrix's table; null where it stands there already, undefined where this side has none. */
  #matrix(pane, name) {
    const { model } = pane;
    if (!model.matrices[name]) return undefined;
    const head = model.matrices[name].perHead ? headOf(model, name, this.head) : null;
    if (!rowsOf(model, name, head)) return undefined;
    if (pane.view.cells.has(key({ name, head, row: 0, col: 0 }))) return null;
    const figure = pane.view.matrix(model, name, head);
    if (pane.wrong[name]) figure.classList.add("made-wrong");
    return figure;
  }

  // --- looking ---------------------------------------------------------------------------------------------------

  /** The same token's cell on the other side. */
  counterpart(from, cell, to) {
    const axes = from.model.matrices[cell.name].axes;
    const last = this.panes.at(-1);
    const moved = (axis, at) => {
      const places = this.#data.places[axis];
      if (!places) return at;
      return from === last ? places[at] : places.indexOf(at);
    };
    if (!to.model.matrices[cell.name]) return null;
    const shown = this.panes.length > 1 && from.cellOf(cell) ? this.head : cell.head;
    const head = cell.head === null ? null : headOf(to.model, cell.name, shown);
    return { ...cell, head, row: moved(axes[0], cell.row), col: moved(axes[1], cell.col) };
  }

  #placeOf(td) {
    const pane = this.panes.find((one) => one.view?.cells.get(td.dataset.key) === td);
    return pane ? { pane, cell: unkey(td.dataset.key) } : null;
  }

  #reached(focused) {
    this.rest();
    if (!focused) return;
    const texts = this.panes.map((pane) => `${pane.title}: ${pane.explain.text()}`);
    this.live.textContent = [...texts, this.delta.textContent].join(". ");
  }

  /** Show all rows or columns of a table, or as few as before. */
  #fold({ do: what, matrix: name, head, axis }, { view }) {
    const of = { name, head: head === "" ? null : Number(head) };
    if (what === "fold") view.fold(of);
    else view.unfold(of, axis);
    this.#differences.mark();
  }

  #act(event) {
    const folding = event.target.closest?.('button:is([data-do="fold"], [data-do="unfold"])');
    if (folding)
      this.#fold(
        folding.dataset,
        this.#placeOf(folding.closest("figure").querySelector("td[data-key]")).pane,
      );
    const button = event.target.closest?.('button[data-do="menu"]');
    if (!button) {
      if (!event.composedPath().includes(this.menu.root)) this.menu.close();
      return;
    }
    this.menu.host = this.#placeOf(button.closest("figure").querySelector("td[data-key]")).pane;
    this.menu.toggle(button);
  }
}

export default mounting(({ parentElement }) => new Board(parentElement));
