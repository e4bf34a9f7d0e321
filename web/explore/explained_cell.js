// Which cell is explained: the one that is pointed at, here or in a picture, else the one with the focus, else the
// pinned one.

import { active } from "../kit/dom.js";
import { MOST_UNFOLDED } from "../kit/folding.js";
import { isClaim, isSame, key, termsOf, valueAt } from "../kit/graph.js";
import { cellIn, Pointing } from "../kit/selection.js";
import { beginningOf, gently, isInSight } from "./viewport.js";

/**
 * `hinted`: the cell that an exercise is about to give a hint for; `showExplained`: show where a cell comes
 * from, `byFocus`: and say it; `reveal`: have a head's tables shown, with these cells unfolded; `bring`: scroll an
 * element into view.
 * @typedef {{
 *   readonly root: HTMLElement;
 *   readonly tables: HTMLElement;
 *   readonly model: ExploreModel;
 *   readonly view: import("../kit/tables.js").View;
 *   readonly overview: import("./overview/overview.js").Overview;
 *   readonly explain: import("../kit/line.js").Explain;
 *   hinted: () => Cell | null;
 *   showExplained: (cell: Cell | null, pinned: Cell | null, byFocus: boolean) => void;
 *   reveal: (head: number | null, cells: Cell[]) => void;
 *   goTo: (cell: Cell) => void;
 *   bring: (node: Element, behavior: ScrollBehavior, block: ScrollLogicalPosition) => void;
 *   looked: () => void;
 *   send: (edit: Edit) => void;
 * }} ExplainedCellHost
 */

export class ExplainedCell {
  /** @type {Cell | null} */
  pinned = null;
  /** @type {Cell | null} */
  #inPicture = null; // the cell that is pointed at in a picture
  /** @type {Cell | null} */
  #written = null; // the last claimed number that was written
  /** @type {Cell | null} */
  #next = null; // the cell that had the focus after that one
  #isExplaining = false; // an explanation is due
  #byFocus = false; // it will be said to a screen reader too

  /** @param {ExplainedCellHost} host */
  constructor(host) {
    this.host = host;
    this.pointing = new Pointing(host.tables, cellIn, (byFocus) => {
      this.#byFocus ||= byFocus;
      if (byFocus) this.#focusMoved();
      this.explainSoon();
    });
  }

  /** The cell whose arithmetic is shown. */
  get cell() {
    return this.#inPicture ?? this.#justWrittenWrong ?? this.pointing.at ?? this.host.hinted() ?? this.pinned;
  }

  /** @param {Cell} cell with a claimed number that has just been written */
  wrote(cell) {
    this.#written = cell;
    this.#next = null;
  }

  /** The focus has moved. The number written last is forgotten at the second move. */
  #focusMoved() {
    const at = this.pointing.focused;
    if (!this.#written || isSame(at, this.#written)) return;
    if (this.#next && !isSame(at, this.#next)) this.#written = null;
    this.#next = at;
  }

  /**
   * The number written last, if it is wrong and the focus is on the blank cell after it, which has nothing to explain.
   */
  get #justWrittenWrong() {
    const { model } = this.host;
    const at = this.pointing.at;
    if (!this.#written || !at || !isSame(at, this.#next)) return null;
    const isBlank = isClaim(model, at.name) && valueAt(model, at) === "";
    const mark = model.marks?.[key(this.#written)];
    return isBlank && mark && mark !== "right" ? this.#written : null;
  }

  /** Explain the cell, once for all that one event does: each explanation lights other cells. */
  explainSoon() {
    if (this.#isExplaining) return;
    this.#isExplaining = true;
    queueMicrotask(() => {
      this.#isExplaining = false;
      const byFocus = this.#byFocus;
      this.#byFocus = false;
      this.host.showExplained(this.cell, this.pinned, byFocus);
    });
  }

  /** @param {Cell} cell to pin, or to unpin where it is the pinned one */
  pin(cell) {
    const { host } = this;
    this.pinned = isSame(this.pinned, cell) ? null : cell;
    if (this.pinned) host.reveal(cell.head, [cell, ...this.#unfolded(termsOf(host.model, cell).flat())]);
    host.send({ op: "pin", cell: this.pinned });
    this.explainSoon();
  }

  /**
   * Terms, unless they are many, or heads stand side by side in narrow columns: unfolding a table for them would push
   * away what was clicked, or the next head. The line leads to each.
   * @param {Cell[]} terms
   */
  #unfolded(terms) {
    const { heads, digits } = this.host.view;
    const isCrowded = heads.length > 1 && digits !== undefined;
    return isCrowded || terms.length > 2 * MOST_UNFOLDED ? [] : terms;
  }

  /** Unpin the cell. The button with the focus may disappear; then the cell gets the focus. */
  unpin() {
    const { host, pinned } = this;
    if (!pinned) return;
    const focused = active(host.root);
    this.pinned = null;
    host.send({ op: "pin", cell: null });
    this.explainSoon();
    if (host.explain.line.contains(focused) || document.activeElement === document.body)
      host.view.cells.get(key(pinned))?.focus({ preventScroll: true });
  }

  /** @param {Cell | null} cell that is pointed at in a picture; null: none is any more */
  pointed(cell) {
    const hasLeft = this.#inPicture && !cell;
    this.#inPicture = cell;
    this.explainSoon();
    if (hasLeft) this.host.looked();
  }

  /** @param {Cell} cell that was clicked in a picture: pin it, and go to it */
  chosen(cell) {
    this.#inPicture = null;
    if (!isSame(this.pinned, cell)) this.pin(cell);
    this.host.goTo(cell);
    this.host.looked();
  }

  /**
   * Light the whole path of the pinned number.
   * @param {Cell[] | null} path null: none is lit
   * @param {boolean} begun it has just been requested, so its terms are to be in sight
   */
  traced(path, begun) {
    const { host, pinned } = this;
    host.overview.trace(path);
    if (!begun || !pinned) return;
    const terms = termsOf(host.model, pinned).flat();
    const nodes = terms.map((cell) => host.view.cells.get(key(cell))).filter((td) => td !== undefined);
    if (!nodes.every((td) => isInSight(td, host, 1))) host.bring(beginningOf(nodes[0]), gently(), "start");
  }

  /** @param {Cell} cell of the path to scroll to. The pinned cell stays pinned and explained. */
  goTo(cell) {
    const { host } = this;
    host.reveal(cell.head, [cell]);
    const td = host.view.cells.get(key(cell));
    if (td) host.bring(beginningOf(td), "auto", "start");
  }
}
