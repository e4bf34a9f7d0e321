// Lenses: what the colours show in place of the values, such as changes since a baseline, or a derivative. Every number
// here is the server's; only shades are computed.

import { fill } from "./dom.js";
import { isSame, ofHead, requireValue } from "./graph.js";
import { brief, toneOf, topOf } from "./numbers.js";

/**
 * A cell's number in what is shaped as its matrix's values; null where there is none.
 * @type {(matrix: Matrix, values: Matrix["lens"], cell: Cell) => Value | null}
 */
function numberIn({ perHead }, values, { head, row, col }) {
  const rows = perHead
    ? ofHead(/** @type {(LensRows | null)[] | null | undefined} */ (values), head)
    : /** @type {LensRows | null | undefined} */ (values);
  return rows?.[row]?.[col] ?? null;
}

/**
 * The lens's number of a cell: null where it has none, undefined without a lens.
 * @type {OfCell<Value | null | undefined>}
 */
export function lensAt(model, cell) {
  const matrix = model.matrices[cell.name];
  return model.lens ? numberIn(matrix, matrix.lens, cell) : undefined;
}

/** @type {OfCell<boolean>} */
export const isTarget = (model, cell) => isSame(model.lens?.target, cell);

/**
 * The name of the sign in a cell's corner, which says the same as its colour.
 * @type {(model: Model, cell: Cell, by: Value | null | undefined) => string}
 */
export function markOf(model, cell, by) {
  const sign = by === null || by === 0 ? "" : Number(by) > 0 || by === "inf" ? "more" : "less";
  if (model.lens?.kind === "change") return by === null ? "new" : sign && (sign === "more" ? "up" : "down");
  return isTarget(model, cell)
    ? "target"
    : by === null
      ? "none"
      : sign && (sign === "more" ? "plus" : "minus");
}

/**
 * How strongly a cell is coloured, 0 to 1. Most derivatives are small: their square root still shows.
 * @type {(model: Model, by: Value | null | undefined, top: number) => number}
 */
export function lensTone(model, by, top) {
  if (by === null || by === undefined) return 0;
  if (typeof by === "string") return 1;
  const share = toneOf(by, top);
  return model.lens?.kind === "gradient" ? Math.sqrt(share) : share;
}

/**
 * What the colour of a cell says, for a screen reader; "" where that is nothing.
 * @type {OfCell<string>}
 */
export function lensText(model, cell) {
  const by = lensAt(model, cell);
  const { words } = model;
  if (model.lens?.kind === "change") return by === 0 ? "" : changeText(model, cell, by);
  if (isTarget(model, cell)) return words.derivative_target;
  return by === null || by === undefined ? "" : fill(words.derivative, { number: brief(by, model.decimals) });
}

/**
 * How a cell has changed: by what, from what.
 * @param {Model} model
 * @param {Cell} cell
 * @param {Value | null | undefined} [by]
 * @returns {string}
 */
export function changeText(model, cell, by = lensAt(model, cell)) {
  const { words } = model;
  if (by === null) return words.no_counterpart;
  if (by === 0) return words.unchanged;
  const matrix = model.matrices[cell.name];
  const now = requireValue(model, cell);
  const values = {
    before: brief(numberIn(matrix, matrix.was, cell) ?? "", model.decimals),
    now: brief(now, model.decimals),
  };
  if (typeof by !== "number" || typeof now !== "number") return fill(words.was_without, values);
  return fill(words.was, { ...values, by: `${by > 0 ? "+" : ""}${brief(by, model.decimals)}` });
}

/**
 * One scale for all tables, so that derivatives that saturation has made tiny look so beside the others.
 * @type {(model: Model) => number}
 */
export const topOfAll = (model) => topOf(Object.values(model.matrices).map((matrix) => matrix.lens));
