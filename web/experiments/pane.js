// One side of the board: its tables, its selection and its line of arithmetic.

import { isInHall, MOST_IN_HALL } from "../kit/audience.js";
import { element, span } from "../kit/dom.js";
import { Folds } from "../kit/folding.js";
import { isSame, key, rowsOf, symbolOf, termsOf, valueAt } from "../kit/graph.js";
import { Explain } from "../kit/line.js";
import { brief, isRounded } from "../kit/numbers.js";
import { Selection } from "../kit/selection.js";
import { View } from "../kit/tables.js";

export class Pane {
  /** @type {Model} */
  model = null;
  /** @type {View} */
  view = null;
  /** @type {Cell} */
  pinned = null;

  /** @param {{ say: (text: string) => void; rest: () => void }} board */
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

  /** @param {Cell} cell */
  cellOf(cell) {
    return this.view.cells.get(key(cell));
  }

  /**
   * Tell of a cell; where its step was worked out wrongly, what was computed instead. Returns whether this side has it.
   * @param {Cell | null} cell
   */
  explainCell(cell) {
    this.explain.show(this, cell, this.pinned);
    const isHere = Boolean(cell && rowsOf(this.model, cell.name, cell.head));
    if (isHere && this.wrong[cell.name]) this.#showMistake(cell);
    return isHere;
  }

  /** What was computed here instead of the step. */
  #showMistake(cell) {
    const number = rowsOf(this.model, cell.name, cell.head)[cell.row][cell.col];
    const { decimals } = this.model;
    const { line } = this.explain;
    const text = [...line.querySelectorAll(".place")].map((node) => node.textContent).join("");
    line.replaceChildren(
      span("place", text),
      " = ",
      span("wrong-formula", this.wrong[cell.name]),
      span("quiet-text", this.#madeOf(cell)),
      isRounded(number, decimals) ? " ≈ " : " = ",
      element("strong", {}, brief(number, decimals)),
    );
  }

  /** The numbers that a wrong step was made of, where they are one number or one row of a matrix of the same shape. */
  #madeOf(cell) {
    const { model, wrong } = this;
    const given = termsOf(model, cell).map(([of]) => of);
    const axes = (of) => String(model.matrices[of?.name]?.axes);
    if (axes(given[0]) !== axes(cell)) return "";
    const [{ name }] = given;
    if (wrong[cell.name] === model.matrices[name].symbol) return ""; // it is that number
    const numbers = given.map((of) => brief(valueAt(model, of), model.decimals)).join(", ");
    const sign = symbolOf(model, name, cell.head).replaceAll("_", "");
    return ` (${sign} = ${given.length > 1 ? `[${numbers}]` : numbers})`;
  }
}
