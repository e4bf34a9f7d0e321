// One side of the board: its tables, its selection and its line of arithmetic.

import { isBeforeAudience, MOST_BEFORE_AUDIENCE } from "../kit/audience.js";
import { element, span } from "../kit/dom.js";
import { Folds } from "../kit/folding.js";
import { isSame, key, rowsOf, symbolOf, termsOf, valueAt } from "../kit/graph.js";
import { Explain } from "../kit/line.js";
import { brief, isRounded } from "../kit/numbers.js";
import { Selection } from "../kit/selection.js";
import { View } from "../kit/tables.js";

/** @param {TablesModel} model @param {boolean} bare */
const viewOf = (model, bare) =>
  new View(model, { bare, folds: isBeforeAudience() ? new Folds(MOST_BEFORE_AUDIENCE) : null });

export class Pane {
  /** @type {Cell | null} */
  pinned = null;

  /**
   * @param {{ say: (text: string) => void; rest: () => void }} board
   * @param {SideData} side
   * @param {boolean} bare whether the board lays out the tables
   */
  constructor(board, { title, model, wrong }, bare) {
    this.board = board;
    this.title = title;
    this.model = model;
    this.wrong = wrong;
    this.view = viewOf(model, bare);
    this.explain = this.#explain();
    this.selection = new Selection(this);
  }

  /**
   * Build new tables, for other data or another layout.
   * @param {SideData} side
   * @param {boolean} bare
   */
  rebuild({ title, model, wrong }, bare) {
    Object.assign(this, { title, model, wrong });
    this.selection.rebuilt();
    this.view = viewOf(model, bare);
    this.explain = this.#explain();
  }

  #explain() {
    return new Explain(this.words, { unpin: () => this.unpin() }, span("side", this.title));
  }

  get words() {
    return this.model.words;
  }

  /** @param {string} text */
  say(text) {
    this.board.say(text);
  }

  /** @param {Cell} cell */
  pin(cell) {
    this.pinned = isSame(this.pinned, cell) ? null : cell;
    this.board.rest();
  }

  unpin() {
    this.pinned = null;
    this.board.rest();
  }

  /** @param {Cell} cell */
  cellOf(cell) {
    return this.view.cells.get(key(cell));
  }

  /**
   * Explain a cell. Where its step was computed by mistake, show what was computed instead. Returns whether this side
   * has the cell.
   * @param {Cell | null} cell
   */
  explainCell(cell) {
    this.explain.show(this, cell, this.pinned);
    if (!cell || !rowsOf(this.model, cell.name, cell.head)) return false;
    if (this.wrong[cell.name]) this.#showMistake(cell);
    return true;
  }

  /**
   * What was computed here instead of the step.
   * @param {Cell} cell
   */
  #showMistake(cell) {
    const number = valueAt(this.model, cell) ?? "";
    const { decimals } = this.model;
    const { line } = this.explain;
    const text = [...line.querySelectorAll(".place")].map((node) => node.textContent).join("");
    line.replaceChildren(
      span("place", text),
      " = ",
      span("wrong-formula", this.wrong[cell.name]),
      span("quiet-text", this.#sources(cell)),
      isRounded(number, decimals) ? " ≈ " : " = ",
      element("strong", {}, brief(number, decimals)),
    );
  }

  /**
   * The numbers that a wrong step was computed from, in words. "" unless they are one number or one row of a matrix of
   * the same shape.
   * @param {Cell} cell
   */
  #sources(cell) {
    const { model, wrong } = this;
    const sources = termsOf(model, cell).map(([source]) => source);
    if (!sources.length) return "";
    const [{ name }] = sources;
    if (String(model.matrices[name]?.axes) !== String(model.matrices[cell.name].axes)) return "";
    if (wrong[cell.name] === model.matrices[name].symbol) return ""; // the formula is that number already
    const numbers = sources.map((source) => brief(valueAt(model, source) ?? "", model.decimals)).join(", ");
    const sign = symbolOf(model, name, cell.head).replaceAll("_", "");
    return ` (${sign} = ${sources.length > 1 ? `[${numbers}]` : numbers})`;
  }
}
