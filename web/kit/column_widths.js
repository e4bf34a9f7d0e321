// How wide tables are: the room that is reserved for their numbers, so that a column keeps its width while they change,
// and the width of a whole table. No DOM here.

import { folded, MOST_NARROW, MOST_UNFOLDED, UNASKED } from "./folding.js";
import { isClaim, isGiven, labelsOf, requireRows, rowsOf, shownAs, symbolOf, wasTyped } from "./graph.js";
import { format, isWhole } from "./numbers.js";

/**
 * The sizes of a table, in em, as explore.css has them. `least`: of a number without its margin; `slack`: to the left of
 * a number, for the sign that may come; `margin`: of a cell, and the space to the next one; `gap`: in place of columns
 * that are folded away; `label`: the size of a label's text.
 */
const USUAL = { least: 3.5, slack: 1, margin: 0.6, gap: 5.5, label: 0.86 };
const NARROWED = { least: 2.2, slack: 0.2, margin: 0.5, gap: 2.3, label: 1 };
const LABEL = 7; // the longest of a row, and where columns are narrow
const HEADING = 5; // the longest of a narrow column
const FILLED_IN = 5.2; // a column to fill in, with the corner for a mark

// In digits, of fonts with wide ones:
const SIGN = 1.3; // a minus
const POINT = 0.5;
const ROOM = 1.35; // the slack
const NARROW = 5.4; // the least
const NARROWEST = 3.3; // the least of a narrow column: −12

/** So many rows and columns are measured; of more the rest are folded away. */
const MOST = 8;

/**
 * How many digits of a narrow column there are for a number below ten with a sign and so many decimals.
 * @param {number} decimals
 */
export const narrowFor = (decimals) => SIGN + 1 + POINT + decimals;

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
 * Those numbers of a table that decide how wide its columns are.
 * @type {OfMatrix<{ rows: Rows; numbers: number[] }>}
 */
function measured(model, name, head) {
  const rows = (rowsOf(model, name, head) ?? []).slice(0, MOST);
  const numbers = rows.flatMap((row) => row.slice(0, MOST)).filter((value) => typeof value === "number");
  return { rows, numbers };
}

/**
 * How many decimals a computed table shows in columns of so many digits: as many as its longest number leaves room for.
 * A step has as many in every head, so that its numbers can be compared.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @param {number} [room]
 */
export function decimalsWithin(model, name, head, room = Infinity) {
  if (room === Infinity || wasTyped(model, name, head)) return model.decimals;
  const heads = head === null ? [head] : [...Array(model.dims.h).keys()];
  const computed = heads.filter((one) => !wasTyped(model, name, one));
  const numbers = computed.flatMap((one) => measured(model, name, one).numbers);
  const whole = Math.max(0, ...numbers.map((number) => digitsIn(format(number, 0))));
  return Math.max(0, Math.min(model.decimals, Math.floor(room - POINT - whole)));
}

/**
 * Whether a table shows fewer decimals than it would in wide columns.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @param {number} room
 */
export const isShortened = (model, name, head, room) =>
  !isWhole(rowsOf(model, name, head) ?? []) && decimalsWithin(model, name, head, room) < model.decimals;

/**
 * For how many digits a narrow table has room: so many, or as many as its numbers have if that is more, or if they are
 * whole.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @param {number} room
 */
function reservedNarrow(model, name, head, room) {
  const { rows, numbers } = measured(model, name, head);
  const show = shownAs({ ...model, decimals: decimalsWithin(model, name, head, room) }, name, head);
  const longest = Math.max(NARROWEST, ...numbers.map((number) => digitsIn(show(number))));
  const isFraction = !wasTyped(model, name, head) && (!isWhole(rows) || isDivided(model, name));
  if (!isFraction || !model.decimals) return longest;
  return Math.max(longest, Math.min(room, narrowFor(model.decimals)));
}

/**
 * For how many digits a table reserves room: for its numbers, and for any number below ten, with a sign; 0 where the
 * least column is wide enough. `room`: the digits of narrow columns.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @param {number} [room]
 */
export function reserved(model, name, head, room) {
  const { rows, numbers } = measured(model, name, head);
  if (!numbers.length || isClaim(model, name)) return 0;
  if (room !== undefined) return reservedNarrow(model, name, head, room);
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

const WIDE = /[\u2e80-\uffef]/g; // signs of Chinese, Japanese and Korean
const WIDER = 0.8; // by which such a sign is wider than a digit

/**
 * A text's length in one line, in digits; subscripts count for less.
 * @param {string} text
 */
function lengthOf(text) {
  const line = text.replaceAll(/_(\w+)/g, (_, below) => "x".repeat(Math.ceil(0.72 * below.length)));
  return line.length + WIDER * (line.match(WIDE)?.length ?? 0);
}

/**
 * The width of a head's widest table, in em, or of its caption. `digit`: the width of a digit; `room`: the digits of narrow
 * columns; `isWhole`: large tables are shown as a whole.
 * @type {(model: Model, head: number, digit: number, room?: number, isWhole?: boolean) => number}
 */
export function widthOf(model, head, digit, room, isWhole = false) {
  const backward = new Set(model.learning?.stages.flatMap(({ matrices }) => matrices)); // they do not push heads out
  const own = Object.keys(model.matrices).filter(
    (name) => model.matrices[name].perHead && rowsOf(model, name, head) && !backward.has(name),
  );
  const widths = own.flatMap((name) => [
    tableWidth(model, name, head, digit, room, isWhole),
    captionWidth(model, name, head, digit),
  ]);
  return Math.max(...widths, 0);
}

/** @type {(model: Model, name: string, head: number, digit: number, room: number | undefined, isWhole: boolean) => number} */
function tableWidth(model, name, head, digit, room, isWhole) {
  const { least, slack, margin, gap, label: size } = room === undefined ? USUAL : NARROWED;
  const rows = requireRows(model, name, head);
  const number = Math.max(least, reserved(model, name, head, room) * digit + slack) + margin;
  const width = isClaim(model, name) ? FILLED_IN : number;
  const [down, across] = model.matrices[name].axes.map((axis, n) =>
    labelsOf(model, axis, n ? rows[0].length : rows.length).map((text) => size * digit * lengthOf(text)),
  );
  const [longest, most] = room === undefined ? [0, MOST_UNFOLDED] : [HEADING, MOST_NARROW];
  const columns = folded(rows[0].length, { ...UNASKED, open: isWhole }, most).map((at) =>
    typeof at === "object" ? gap : Math.max(width, Math.min(longest, across[at]) + 0.3),
  );
  return Math.min(LABEL, Math.max(...down)) + 0.6 + columns.reduce((sum, column) => sum + column, 0);
}

/** @type {(model: Model, name: string, head: number, digit: number) => number} */
function captionWidth(model, name, head, digit) {
  const { formula } = model.matrices[name];
  const sign = symbolOf(model, name, head);
  const text = isGiven(model, name, head) || !formula ? sign : `${sign} = ${formula}`;
  return digit * lengthOf(text) + 3.6;
}
