// How wide tables are: the room that is reserved for their numbers, so that a column keeps its width while they change,
// and the width of a whole table. No DOM here.

import { folded, UNASKED } from "./folding.js";
import { isClaim, isGiven, labelsOf, requireRows, rowsOf, shownAs, symbolOf, wasTyped } from "./graph.js";
import { isWhole } from "./numbers.js";

// In em, as bench.css has them:
const LEAST = 3.5; // of a number without its margin
const SLACK = 1; // to the left of a number, for the sign that may come
const MARGIN = 0.6; // of a cell, and the space to the next one
const GAP = 5.5; // in place of columns that are folded away
const LABEL = 7; // the longest
const FILLED_IN = 5.2; // a column to fill in, with the corner for a mark

// In digits, of fonts with wide ones:
const SIGN = 1.3; // a minus
const POINT = 0.5;
const ROOM = 1.35; // the slack
const NARROW = 5.4; // the least

/** So many rows and columns are measured; of more the rest are folded away. */
const MOST = 8;

/**
 * A number's length in digits.
 * @param {string} text
 */
export const digitsIn = (text) =>
  text.length + (text.includes("−") ? SIGN - 1 : 0) - (text.includes(".") ? 1 - POINT : 0);

/**
 * How long a number may be where room is reserved for so many digits.
 * @param {number} digits
 */
export const roomFor = (digits) => Math.max(NARROW, digits + ROOM);

/**
 * Whether a matrix may get decimals though no input has any: it, or what it is computed from, is divided.
 * @param {Model} model
 * @param {string} name
 * @returns {boolean}
 */
function isDivided(model, name) {
  const { matrices, steps, constants } = model;
  if (matrices[name]?.scale === "weights") return true;
  const { constant, operands = [] } = steps[name] ?? {};
  if (constant === "divisor" && constants.divisor !== 1) return true;
  return operands.some(([operand]) => isDivided(model, operand));
}

/**
 * For how many digits a table reserves room: for its numbers, and for any number below ten, with a sign; 0 where the
 * least column is wide enough.
 * @type {OfMatrix<number>}
 */
export function reserved(model, name, head) {
  const rows = (rowsOf(model, name, head) ?? []).slice(0, MOST);
  const numbers = rows.flatMap((row) => row.slice(0, MOST)).filter((value) => typeof value === "number");
  if (!numbers.length || isClaim(model, name)) return 0;
  const show = shownAs(model, name, head);
  const longest = Math.max(...numbers.map((number) => digitsIn(show(number))));
  const needed = longest > NARROW ? longest - ROOM : 0;
  if (wasTyped(model, name, head)) {
    const unsigned = numbers.map((number) => digitsIn(show(Math.abs(number))));
    return isWhole(rows) ? needed : Math.max(needed, ...unsigned);
  }
  const mayBeDivided = !isWhole(rows) || isDivided(model, name);
  return mayBeDivided && model.decimals ? Math.max(needed, 1 + POINT + model.decimals) : needed;
}

/**
 * The width of a column, in em, with room for so many digits of so many em.
 * @param {number} digits
 * @param {number} digit
 */
const column = (digits, digit) => Math.max(LEAST, digits * digit + SLACK) + MARGIN;

/**
 * A text's length in one line; subscripts count for less.
 * @param {string} text
 */
const lengthOf = (text) =>
  text.replaceAll(/_(\w+)/g, (_, below) => "x".repeat(Math.ceil(0.72 * below.length))).length;

/**
 * The width of a head's widest table, in em, or of its caption; no table is unfolded. `digit`: the width of a digit.
 * @param {Model} model
 * @param {number} head
 * @param {number} digit
 */
export function widthOf(model, head, digit) {
  const own = Object.keys(model.matrices).filter(
    (name) => model.matrices[name].perHead && rowsOf(model, name, head),
  );
  const widths = own.flatMap((name) => [
    tableWidth(model, name, head, digit),
    captionWidth(model, name, head, digit),
  ]);
  return Math.max(...widths, 0);
}

/** @type {(model: Model, name: string, head: number, digit: number) => number} */
function tableWidth(model, name, head, digit) {
  const rows = requireRows(model, name, head);
  const numbers = isClaim(model, name) ? FILLED_IN : column(reserved(model, name, head), digit);
  const columns = folded(rows[0].length, UNASKED).map((at) => (typeof at === "object" ? GAP : numbers));
  const labels = labelsOf(model, model.matrices[name].axes[0], rows.length).map(lengthOf);
  const label = Math.min(LABEL, 0.86 * digit * Math.max(...labels)) + 0.6;
  return label + columns.reduce((sum, width) => sum + width, 0);
}

/** @type {(model: Model, name: string, head: number, digit: number) => number} */
function captionWidth(model, name, head, digit) {
  const { formula } = model.matrices[name];
  const sign = symbolOf(model, name, head);
  const text = isGiven(model, name, head) || !formula ? sign : `${sign} = ${formula}`;
  return digit * lengthOf(text) + 3.6;
}
