// The board: one computation, or two side by side with their differences marked. Nothing here can be edited.

import { isBeforeAudience, onAudienceChange, reportRedrawn } from "../kit/audience.js";
import {
  accent,
  announcer,
  div,
  element,
  fill,
  p,
  prose,
  redrawn,
  rich,
  setText,
  targetOf,
  titled,
} from "../kit/dom.js";
import { headOf, key, rowsOf, symbolOf, unkey } from "../kit/graph.js";
import { stageTitle } from "../kit/layout.js";
import { withEdits } from "../kit/local_edits.js";
import { Menu } from "../kit/menu.js";
import { mounting } from "../kit/mount.js";
import { segments } from "../kit/segments.js";
import { Pointing } from "../kit/selection.js";
import { structureOf } from "../kit/tables.js";
import { Differences } from "./differences.js";
import { Pane } from "./pane.js";
import { Slider } from "./slider.js";

/** @typedef {{ pane: Pane; cell: Cell }} CellOnSide */

export class Board {
  /** @type {BoardData} */
  #data;
  /** @type {Pane[]} */
  panes = [];
  head = 0; // the one that is shown where there are two sides
  #structure = "";
  #onlyDifferences = true;
  #gone = new AbortController();
  #differences = new Differences(this);
  /** @type {Component["setStateValue"]} */
  #send = () => {};
  /** @type {Pane | null} */
  #menuSide = null; // the side whose menu is open

  /**
   * @param {HTMLElement} parent
   * @param {BoardData} data
   */
  constructor(parent, data) {
    this.#data = data;
    this.root = element("div", { class: "bench board", role: "region" });
    this.bar = div("board-bar");
    this.tables = div("tables");
    this.foot = div("board-foot");
    this.delta = p("delta");
    this.live = announcer();
    parent.append(this.root);
    this.menu = this.#makeMenu();
    this.slider = new Slider({
      moved: (place) => this.#move(place),
      chosen: (value) => this.#send("chosen", value),
    });
    this.root.append(this.slider.root, this.bar, this.tables, this.foot, this.live, this.menu.root);
    this.pointing = new Pointing(
      this.tables,
      (td) => this.#cellOfNode(td),
      (byFocus) => this.#reached(byFocus),
    );
    this.root.addEventListener("click", (event) => this.#onClick(event));
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (!event.composedPath().includes(this.root)) this.menu.close();
      },
      { signal: this.#gone.signal },
    );
    this.root.classList.toggle("in-hall", isBeforeAudience());
    onAudienceChange(() => this.#audienceChanged(), this.#gone.signal);
    this.resized = new ResizeObserver(() => this.#stack());
    this.resized.observe(this.root);
  }

  /** @returns {Menu<Pick<Host, "model" | "words" | "say">>} */
  #makeMenu() {
    const side = () => this.#menuSide ?? this.panes[0];
    return new Menu({
      get model() {
        return side().model;
      },
      get words() {
        return side().words;
      },
      say: (text) => this.say(text),
    });
  }

  unmount() {
    this.resized.disconnect();
    this.#gone.abort();
    this.root.remove();
  }

  /** @param {{ data: BoardData; setStateValue: Component["setStateValue"] }} component */
  update({ data, setStateValue }) {
    this.#send = setStateValue;
    const isOtherLayout = this.panes.length !== data.panes.length;
    if (isOtherLayout || this.#data.only !== data.only) this.#onlyDifferences = data.only;
    this.#data = data;
    this.root.lang = data.panes[0].model.words.lang;
    this.root.setAttribute("aria-label", data.words.board);
    this.root.classList.toggle("alone", data.panes.length === 1);
    this.#differences.take(data.differences);
    this.head = Math.min(this.head, this.#headCount - 1);
    if (isOtherLayout) this.head = data.differences.find(({ head }) => head !== null)?.head ?? 0;
    this.#show();
    this.slider.update(data.slider);
  }

  get words() {
    return this.#data.words;
  }

  /** @param {string} text for a screen reader */
  say(text) {
    this.live.textContent = text;
  }

  /** @returns {CellOnSide | null} */
  get #pinned() {
    for (const pane of this.panes) if (pane.pinned) return { pane, cell: pane.pinned };
    return null;
  }

  /** Explain the cell that is pointed at, else the one with the focus, else the pinned one. */
  rest() {
    const at = this.pointing.at ?? this.#pinned;
    const { words } = this;
    const hint = this.panes.length > 1 ? words.look : words.look_alone;
    for (const pane of this.panes) {
      const cell = at && (pane === at.pane ? at.cell : this.counterpart(at.pane, at.cell, pane));
      const isHere = pane.explainCell(cell);
      const { line } = pane.explain;
      if (!at) line.textContent = pane === this.panes[0] ? hint : "";
      else if (!isHere) line.textContent = words.no_counterpart;
    }
    this.foot.classList.toggle("idle", !at);
    setText(this.delta, at ? this.#differences.sentenceFor(at) : "");
  }

  // --- moved by the slider -----------------------------------------------------------------------------------------

  /**
   * Show the last side at another place of the slider.
   * @param {SliderPlace} place
   */
  #move({ text, edit }) {
    this.#titleLastSide(text);
    const last = this.panes.length - 1;
    const { model, changed } = withEdits(this.#data.panes[last].model, [edit]);
    this.panes[last].model = model;
    for (const name of changed) this.#differences.compare(name);
    this.panes[last].view.patch(model);
    this.#differences.mark();
    this.rest();
  }

  /** @param {string} text */
  #titleLastSide(text) {
    const title = this.tables.querySelector(".side-title:nth-child(3)");
    if (title) setText(title, text);
  }

  /** Before an audience large tables are folded. */
  #audienceChanged() {
    this.root.classList.toggle("in-hall", isBeforeAudience());
    this.#structure = "";
    if (this.panes.length) this.#show();
  }

  // --- showing ---------------------------------------------------------------------------------------------------

  get #headCount() {
    return Math.max(...this.#data.panes.map(({ model }) => model.dims.h));
  }

  #show() {
    const { panes, stages } = this.#data;
    const shown = stages
      .map((stage) => ({ ...stage, matrices: stage.matrices.filter((name) => this.#isShown(name)) }))
      .filter((stage) => stage.matrices.length);
    const structure = JSON.stringify([
      panes.map((pane) => [pane.title, structureOf(pane.model), pane.wrong]),
      shown.map((stage) => [stage.title, stage.matrices]),
      panes.length > 1 && this.head,
    ]);
    this.#showBar();
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

  /**
   * Whether a matrix has a table. A single side shows all of its matrices, two show what differs or everything.
   * @param {string} name
   */
  #isShown(name) {
    const { panes, differences } = this.#data;
    if (!panes.some((pane) => pane.model.matrices[name])) return false;
    if (panes.length === 1 || !this.#onlyDifferences) return true;
    return differences.some(
      (difference) => difference.name === name && (difference.head === null || difference.head === this.head),
    );
  }

  #showBar() {
    redrawn(this.bar, () =>
      this.bar.replaceChildren(...(this.#data.panes.length > 1 ? this.#choices() : [])),
    );
    this.bar.hidden = !this.bar.children.length;
  }

  #choices() {
    const { words } = this;
    const heads = [...Array(this.#headCount).keys()].map((head) => ({
      value: head,
      text: `${this.#data.panes[0].model.words.head} ${head + 1}`,
      head,
    }));
    const box = element("input", { type: "checkbox", data: { focus: "only" } });
    box.addEventListener("change", () => this.#choose({ only: box.checked }));
    box.checked = this.#onlyDifferences;
    const only = element("label", { class: "check" }, box, words.only_differences);
    if (heads.length < 2) return [only];
    return [segments(words.all_heads, heads, this.head, (head) => this.#choose({ head })), only];
  }

  /** @param {{ head?: number; only?: boolean }} choice */
  #choose({ head = this.head, only = this.#onlyDifferences }) {
    this.head = head;
    this.#onlyDifferences = only;
    this.#show();
  }

  /**
   * @param {Stage[]} shown
   * @param {SideData[]} sides
   */
  #rebuild(shown, sides) {
    const { focused } = this.pointing;
    const isAlone = sides.length === 1;
    const laidOut = isAlone ? [{ ...sides[0], model: { ...sides[0].model, stages: shown } }] : sides;
    this.panes = laidOut.map((side, index) => {
      const pane = this.panes[index];
      if (!pane) return new Pane(this, side, !isAlone);
      pane.rebuild(side, !isAlone);
      return pane;
    });
    this.delta = p("delta");
    this.foot.replaceChildren(...this.panes.map((pane) => pane.explain.root), this.delta);
    if (isAlone) {
      const holder = element("div", {}, this.panes[0].view.root);
      this.panes[0].selection.listen(holder);
      this.tables.replaceChildren(holder);
    } else this.tables.replaceChildren(this.#layOutSides(shown));
    this.#stack();
    if (focused) {
      const pane = this.panes.includes(focused.pane) ? focused.pane : this.panes[0];
      pane.cellOf(focused.cell)?.focus();
    }
    reportRedrawn();
  }

  /**
   * Where the two sides of a stage do not fit beside each other, they stand one below the other. Where that is so in
   * every stage, the columns have no titles. Before an audience each screen is fitted by itself.
   */
  #stack() {
    if (this.panes.length < 2 || isBeforeAudience()) return;
    const stages = [...this.tables.querySelectorAll(".stage-title")].map((title) => {
      const left = title.nextElementSibling;
      return [title, left, left?.nextElementSibling].filter((part) => part instanceof Element);
    });
    this.tables.classList.remove("stacked");
    for (const part of stages.flat()) part.classList.remove("wide");
    const wide = stages.filter(([, ...sides]) =>
      sides.some((side) => side.scrollWidth > side.clientWidth + 1),
    );
    for (const part of wide.flat()) part.classList.add("wide");
    this.tables.classList.toggle("stacked", wide.length > 0 && wide.length === stages.length);
  }

  /**
   * Two columns, with a row for each stage.
   * @param {Stage[]} shown
   */
  #layOutSides(shown) {
    const root = element("div", { class: "sides", style: accent(this.head) });
    root.append(
      element("div", {}),
      ...this.panes.map((pane) => element("h3", { class: "side-title" }, pane.title)),
    );
    if (!shown.length) root.append(p("nothing", this.words.nothing_differs));
    for (const stage of shown) {
      root.append(stageTitle(stage, this.#data.panes[0].model.words));
      for (const pane of this.panes) {
        const cell = element(
          "section",
          {
            class: "side-stage",
            "data-side": pane.title,
            "aria-label": titled(this.words, stage.title, pane.title),
          },
          ...this.#tablesOf(pane, stage),
        );
        pane.selection.listen(cell);
        root.append(cell);
      }
    }
    return root;
  }

  /**
   * One side's tables of a stage, and a line that names what only the other side has.
   * @param {Pane} pane
   * @param {Stage} stage
   */
  #tablesOf(pane, stage) {
    const figures = stage.matrices.flatMap((name) => this.#table(pane, name));
    const absent = stage.matrices.filter((name) => !this.#hasTable(pane, name));
    if (!absent.length) return figures;
    const symbols = absent.flatMap((name) => {
      const owner = this.panes.map(({ model }) => model).find((model) => model.matrices[name]);
      return owner ? [symbolOf(owner, name, this.head)] : [];
    });
    const text = fill(this.words.not_here, { list: symbols.join(", ") });
    return [...figures, p("absent", ...rich(text))];
  }

  /** @type {(pane: Pane, name: string) => number | null} */
  #headShown({ model }, name) {
    return model.matrices[name].perHead ? headOf(model, name, this.head) : null;
  }

  /** @type {(pane: Pane, name: string) => boolean} */
  #hasTable(pane, name) {
    return Boolean(pane.model.matrices[name] && rowsOf(pane.model, name, this.#headShown(pane, name)));
  }

  /**
   * A matrix's table; none where this side has no such matrix, or shows it already.
   * @param {Pane} pane
   * @param {string} name
   * @returns {HTMLElement[]}
   */
  #table(pane, name) {
    if (!this.#hasTable(pane, name)) return [];
    const head = this.#headShown(pane, name);
    if (pane.view.cells.has(key({ name, head, row: 0, col: 0 }))) return [];
    const figure = pane.view.matrix(pane.model, name, head);
    if (pane.wrong[name]) figure.classList.add("made-wrong");
    return [figure];
  }

  // --- looking ---------------------------------------------------------------------------------------------------

  /**
   * The same token's cell on another side.
   * @param {Pane} from
   * @param {Cell} cell
   * @param {Pane} to
   * @returns {Cell | null}
   */
  counterpart(from, cell, to) {
    if (!to.model.matrices[cell.name]) return null;
    const [down, across] = from.model.matrices[cell.name].axes;
    const isLast = from === this.panes[this.panes.length - 1];
    const moved = (/** @type {string} */ axis, /** @type {number} */ at) => {
      const places = this.#data.places[axis];
      if (!places) return at;
      return isLast ? places[at] : places.indexOf(at);
    };
    const shown = this.panes.length > 1 && from.cellOf(cell) ? this.head : cell.head;
    const head = cell.head === null ? null : headOf(to.model, cell.name, shown);
    return { ...cell, head, row: moved(down, cell.row), col: moved(across, cell.col) };
  }

  /**
   * @param {HTMLElement} td
   * @returns {CellOnSide | null}
   */
  #cellOfNode(td) {
    const id = td.dataset.key ?? "";
    const pane = this.panes.find(({ view }) => view.cells.get(id) === td);
    return pane ? { pane, cell: unkey(id) } : null;
  }

  /** @param {boolean} byFocus */
  #reached(byFocus) {
    this.rest();
    if (!byFocus) return;
    const texts = this.panes.map((pane) => titled(this.words, pane.title, pane.explain.text()));
    this.say(prose(...texts.map((text) => `${text}${this.words.stop}`), this.delta.textContent));
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const target = targetOf(event);
    const fold = target?.closest('button:is([data-do="fold"], [data-do="unfold"])');
    if (fold instanceof HTMLElement) this.#fold(fold);
    const opener = target?.closest('button[data-do="menu"]');
    if (opener instanceof HTMLElement) {
      this.#menuSide = this.#sideOf(opener);
      this.menu.toggle(opener);
    } else if (!event.composedPath().includes(this.menu.root)) this.menu.close();
  }

  /**
   * The side that holds a table, by a button of the table.
   * @param {HTMLElement} button
   */
  #sideOf(button) {
    const td = button.closest("figure")?.querySelector("td[data-key]");
    return td instanceof HTMLElement ? (this.#cellOfNode(td)?.pane ?? null) : null;
  }

  /**
   * Unfold rows or columns of a table, or fold it again.
   * @param {HTMLElement} button
   */
  #fold(button) {
    const { do: action, matrix: name = "", head, axis } = button.dataset;
    const matrix = { name, head: head ? Number(head) : null };
    const view = this.#sideOf(button)?.view;
    if (action === "fold") view?.fold(matrix);
    else view?.unfold(matrix, axis === "row" ? "row" : "col");
    this.#differences.mark();
  }
}

export default mounting(({ parentElement, data }) => new Board(parentElement, data));
