// The part of a long map that is shown: a square of whole tokens, from one row and one column on. No DOM here.

/** @typedef {{ row: number; col: number; size: number }} Window */

/** Fewest tokens along a side. */
const FEWEST = 8;

/** @type {(n: number) => Window} */
export const whole = (n) => ({ row: 0, col: 0, size: n });

/**
 * Zoomed in (factor < 1) or out. What lies under a point stays there; the point is given in parts of the window.
 * @param {Window} window
 * @param {number} factor
 * @param {{ x: number; y: number }} point
 * @param {number} n
 * @returns {Window}
 */
export function zoomed({ row, col, size }, factor, { x, y }, n) {
  const next = Math.max(Math.min(FEWEST, n), Math.min(n, Math.round(size * factor)));
  return within({ row: row + (size - next) * y, col: col + (size - next) * x, size: next }, n);
}

/**
 * Moved by so many rows and columns.
 * @param {Window} window
 * @param {number} rows
 * @param {number} cols
 * @param {number} n
 */
export const shifted = ({ row, col, size }, rows, cols, n) =>
  within({ row: row + rows, col: col + cols, size }, n);

/**
 * Moved just far enough to have a pair in it.
 * @param {Window} window
 * @param {Pair} pair
 * @param {number} n
 */
export function revealing({ row, col, size }, { query, key }, n) {
  /** @type {(start: number, at: number) => number} */
  const around = (start, at) => Math.min(at, Math.max(start, at - size + 1));
  return within({ row: around(row, query), col: around(col, key), size }, n);
}

/** @type {(window: Window, n: number) => Window} */
function within({ row, col, size }, n) {
  /** @param {number} at */
  const start = (at) => Math.max(0, Math.min(n - size, Math.round(at)));
  return { row: start(row), col: start(col), size };
}
