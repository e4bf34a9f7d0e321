// The board: one trace, or two side by side with what differs marked. Nothing here can be edited.

import {
  accent,
  announcer,
  div,
  element,
  fill,
  p,
  pressable,
  redrawn,
  rich,
  setAttribute,
  setText,
  span,
} from "../mha.web/dom.js";
import { Folds } from "../mha.web/folding.js";
import { headOf, isSame, key, rowsOf, symbolOf, termsOf, unkey, valueAt } from "../mha.web/graph.js";
import { drawnForHall, isInHall, MOST_IN_HALL, onHall } from "../mha.web/hall.js";
import { Explain } from "../mha.web/line.js";
import { layOver } from "../mha.web/live.js";
import { Menu } from "../mha.web/menu.js";
import { mounting } from "../mha.web/mount.js";
import { brief, isRounded } from "../mha.web/numbers.js";
import { stageTitle } from "../mha.web/pieces.js";
import { Pointing, Selection } from "../mha.web/selection.js";
import { structureOf, View } from "../mha.web/tables.js";
import { Slider } from "./slider.js";

const ROUNDING = 1e-12; // of the largest number of a matrix: less than that is rounded otherwise, not another number

/** One side: its tables, its selection and its line of arithmetic. */
class Pane {
  /** @type {Model} */
  model = null;
  /** @type {View} */
  view = null;
  /** @type {Cell} */
  pinned = null;

  constructor(board) {
    this.board = board;
    this.selection = new Selection(this);
  }

  /** Called where the tables have to be built anew. */
  build({ title, model, wrong }, bare) {
    this.title = title;
    this.model = model;
    this.wrong = wrong;
    this.words = model.words;
    this.selection.rebuilt();
    this.view = new View(model, { bare, folds: isInHall() ? new Folds(MOST_IN_HALL) : null });
    this.explain = new Explain(model.words, { unpin: () => this.unpin() }, span("side", title));
  }

  say(text) {
    this.board.say(text);
  }

  pin(cell) {
    this.pinned = isSame(this.pinned, cell) ? null : cell;
    this.board.rest();
  }

  unpin() {
    this.pinned = null;
    this.board.rest();
  }
}

class Board {
  /** @type {{ panes: { title: string; model: Model; wrong: Record<string, string> }[]; [more: string]: any }} */
  #data = null;
  #structure = "";
  #head = 0;
  #only = true;
  #gone = new AbortController();
  #differences = new Map(); // "name|head" → difference
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
    this.#differences = new Map(data.differences.map((one) => [`${one.name}|${one.head ?? ""}`, one]));
    this.#head = Math.min(this.#head, this.#heads() - 1);
    if (first) this.#head = data.differences.find((one) => one.head !== null)?.head ?? 0;
    this.#show();
    this.slider.update(data.slider);
  }

  say(text) {
    this.live.textContent = text;
  }

  /** Explain what is pointed at, else what has the focus, else what is held. */
  rest() {
    const held = this.panes.find((pane) => pane.pinned);
    const at = this.pointing.at ?? (held ? { pane: held, cell: held.pinned } : null);
    const { words } = this.#data;
    const look = this.panes.length > 1 ? words.look : words.look_alone;
    for (const pane of this.panes) {
      const cell = at && (pane === at.pane ? at.cell : this.#counterpart(at.pane, at.cell, pane));
      pane.explain.show(pane, cell, pane.pinned);
      const { line } = pane.explain;
      if (!at) line.textContent = pane === this.panes[0] ? look : "";
      else if (!(cell && rowsOf(pane.model, cell.name, cell.head))) line.textContent = words.no_counterpart;
      else if (pane.wrong[cell.name]) this.#wrongly(pane, cell);
    }
    this.foot.classList.toggle("idle", !at);
    setText(this.delta, at ? this.#differs(at) : "");
  }

  // --- moved by hand -----------------------------------------------------------------------------------------------

  /** Numbers of the last side have come by the live channel. */
  #painted({ blocks, captions = {}, id: _, ...marks }, numbers) {
    const { model, view } = this.panes.at(-1);
    Object.assign(model, marks);
    for (const [name, caption] of Object.entries(captions))
      Object.assign(model.matrices[name] ?? {}, caption);
    for (const name of layOver(model, blocks, numbers)) this.#compare(name);
    view.patchCaptions(model);
    view.patch(model);
    this.#markDifferences();
    this.rest();
  }

  /** By how much the last side's numbers of a matrix differ from the first's, where both have them. */
  #compare(name) {
    const [first, last] = [this.panes[0], this.panes.at(-1)].map(({ model }) => model.matrices[name]);
    if (!first || String(first.axes) !== String(last.axes)) return;
    const heads = last.perHead ? last.values.map((values, head) => [head, values]) : [[null, last.values]];
    for (const [head, rows] of heads) {
      const before = head === null ? first.values : first.values[head];
      if (!rows || rows.length !== before?.length) continue;
      const least = ROUNDING * Math.max(...rows.flat().map((number) => Math.abs(number) || 0));
      const by = rows.map((row, i) => row.map((number, j) => differing(number, before[i][j], least)));
      this.#differences.set(`${name}|${head ?? ""}`, { name, head, kind: "changed", by });
    }
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
      panes.length > 1 && this.#head,
    ]);
    this.#bar(words);
    if (structure !== this.#structure) this.#rebuild(shown, panes);
    this.#structure = structure;
    panes.forEach(({ model, wrong }, index) => {
      const pane = this.panes[index];
      Object.assign(pane, { model, wrong });
      pane.view.patch(model);
    });
    this.#markDifferences();
    this.rest();
  }

  /** Whether a matrix has its place here: one pane shows all that it was given, two what differs or everything. */
  #wanted(name) {
    const { panes, differences } = this.#data;
    if (!panes.some((pane) => pane.model.matrices[name])) return false;
    if (panes.length === 1 || !this.#only) return true;
    return differences.some((one) => one.name === name && (one.head === null || one.head === this.#head));
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
      return pressable(head === this.#head, { data, style: accent(head), onclick }, text);
    });
    const group = { class: "group heads", role: "group", "aria-label": words.all_heads };
    const onchange = () => this.#choose({ only: box.checked });
    const box = element("input", { type: "checkbox", data: { focus: "only" }, onchange });
    box.checked = this.#only;
    const only = element("label", { class: "check" }, box, words.only_differences);
    return heads.length > 1 ? [element("div", group, ...heads), only] : [only];
  }

  #choose({ head = this.#head, only = this.#only }) {
    this.#head = head;
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
    if (focused) this.#cellOf(there, focused.cell)?.focus();
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
    const root = element("div", { class: "sides", style: accent(this.#head) });
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
    const symbols = absent.map((name) => symbolOf(owner(name), name, this.#head));
    const text = fill(this.#data.words.not_here, { list: symbols.join(", ") });
    return [...figures.filter(Boolean), p("absent", ...rich(text))];
  }

  /** A matrix's table; null where it stands there already, undefined where this side has none. */
  #matrix(pane, name) {
    const { model } = pane;
    if (!model.matrices[name]) return undefined;
    const head = model.matrices[name].perHead ? headOf(model, name, this.#head) : null;
    if (!rowsOf(model, name, head)) return undefined;
    if (pane.view.cells.has(key({ name, head, row: 0, col: 0 }))) return null;
    const figure = pane.view.matrix(model, name, head);
    if (pane.wrong[name]) figure.classList.add("made-wrong");
    return figure;
  }

  /** Each number of the last side that differs: its direction as a sign, and by how much for who asks. */
  #markDifferences() {
    const pane = this.panes.at(-1);
    for (const [of, td] of pane.view.cells) {
      const cell = unkey(of);
      const by = this.#by(cell);
      const small = by && this.#looksTheSame(pane, cell) ? "-small" : "";
      const sign = !by ? undefined : (by === "inf" || by > 0 ? "up" : "down") + small;
      if (!sign && !td.dataset.change) continue;
      setAttribute(td, "data-change", sign);
      setAttribute(td, "aria-description", sign && this.#said(by));
    }
  }

  #difference({ name, head }) {
    const shown = head === null || this.panes.length === 1 ? head : this.#head; // keys of another head may stand here
    return this.#differences.get(`${name}|${shown ?? ""}`);
  }

  #by(cell) {
    return this.#difference(cell)?.by[cell.row]?.[cell.col];
  }

  /** Whether a number differs by less than its decimals show. */
  #looksTheSame(pane, cell) {
    const first = this.panes[0];
    const other = pane === first ? null : this.#counterpart(pane, cell, first);
    return Boolean(other) && this.#cellOf(first, other)?.textContent === this.#cellOf(pane, cell).textContent;
  }

  #said(by) {
    const number = typeof by === "number" ? brief(Math.abs(by), this.panes[0].model.decimals) : "∞";
    return fill(this.#data.words.by, { by: `${by === "inf" || by > 0 ? "+" : "−"}${number}` });
  }

  // --- looking ---------------------------------------------------------------------------------------------------

  /** The same token's cell on the other side. */
  #counterpart(from, cell, to) {
    const axes = from.model.matrices[cell.name].axes;
    const last = this.panes.at(-1);
    const moved = (axis, at) => {
      const places = this.#data.places[axis];
      if (!places) return at;
      return from === last ? places[at] : places.indexOf(at);
    };
    if (!to.model.matrices[cell.name]) return null;
    const shown = this.panes.length > 1 && this.#cellOf(from, cell) ? this.#head : cell.head;
    const head = cell.head === null ? null : headOf(to.model, cell.name, shown);
    return { ...cell, head, row: moved(axes[0], cell.row), col: moved(axes[1], cell.col) };
  }

  #differs({ pane, cell }) {
    const last = this.panes.at(-1);
    const here = pane === last ? cell : this.#counterpart(pane, cell, last);
    if (!here || (this.panes.length === 1 && !this.#differences.size)) return "";
    const difference = this.#difference(here);
    const by = this.#by(here);
    if (by === null || (difference && difference.kind !== "changed" && by === undefined))
      return this.#data.words.no_counterpart;
    return by ? this.#said(by) : this.#data.words.same;
  }

  /** What was computed here instead of the step. */
  #wrongly(pane, cell) {
    const number = rowsOf(pane.model, cell.name, cell.head)[cell.row][cell.col];
    const { decimals } = pane.model;
    const text = [...pane.explain.line.querySelectorAll(".place")].map((node) => node.textContent).join("");
    pane.explain.line.replaceChildren(
      span("place", text),
      " = ",
      span("wrong-formula", pane.wrong[cell.name]),
      span("quiet-text", this.#madeOf(pane, cell)),
      isRounded(number, decimals) ? " ≈ " : " = ",
      element("strong", {}, brief(number, decimals)),
    );
  }

  /** The numbers that a wrong step was made of, where they are one number or one row of a matrix of the same shape. */
  #madeOf({ model, wrong }, cell) {
    const given = termsOf(model, cell).map(([of]) => of);
    const axes = (of) => String(model.matrices[of?.name]?.axes);
    if (axes(given[0]) !== axes(cell)) return "";
    const [{ name }] = given;
    if (wrong[cell.name] === model.matrices[name].symbol) return ""; // it is that number
    const numbers = given.map((of) => brief(valueAt(model, of), model.decimals)).join(", ");
    const sign = symbolOf(model, name, cell.head).replaceAll("_", "");
    return ` (${sign} = ${given.length > 1 ? `[${numbers}]` : numbers})`;
  }

  #cellOf(pane, cell) {
    return pane.view.cells.get(key(cell));
  }

  #placeOf(td) {
    const pane = this.panes.find((one) => one.view?.cells.get(td.dataset.key) === td);
    return pane ? { pane, cell: unkey(td.dataset.key) } : null;
  }

  #reached(focused) {
    this.rest();
    if (!focused) return;
    const told = this.panes.map((pane) => `${pane.title}: ${pane.explain.text()}`);
    this.live.textContent = [...told, this.delta.textContent].join(". ");
  }

  /** Show all rows or columns of a table, or as few as before. */
  #fold({ do: what, matrix: name, head, axis }, { view }) {
    const of = { name, head: head === "" ? null : Number(head) };
    if (what === "fold") view.fold(of);
    else view.unfold(of, axis);
    this.#markDifferences();
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

/** Now − before; 0 where they are as good as equal, ±∞ where one of them alone is −∞. */
function differing(now, before, least) {
  if (now === before) return 0;
  if (typeof now !== "number") return "-inf";
  if (typeof before !== "number") return "inf";
  return Math.abs(now - before) > least ? now - before : 0;
}

export default mounting(({ parentElement }) => new Board(parentElement));
