// The part of a long map that is shown: a square of whole tokens, from one row and one column on. A map with fewer rows
// or columns than the square is shown whole along these. No DOM here.

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
 * @param {number} n rows
 * @param {number} [m] columns; by default as many
 * @returns {Window}
 */
export function zoomed({ row, col, size }, factor, { x, y }, n, m = n) {
  const most = Math.max(n, m);
  const next = Math.max(Math.min(FEWEST, most), Math.min(most, Math.round(size * factor)));
  const rows = Math.min(size, n) - Math.min(next, n);
  const cols = Math.min(size, m) - Math.min(next, m);
  return within({ row: row + rows * y, col: col + cols * x, size: next }, n, m);
}

/**
 * Moved by so many rows and columns.
 * @param {Window} window
 * @param {number} rows
 * @param {number} cols
 * @param {number} n
 * @param {number} [m]
 */
export const shifted = ({ row, col, size }, rows, cols, n, m = n) =>
  within({ row: row + rows, col: col + cols, size }, n, m);

/**
 * Moved just far enough to have a pair in it.
 * @param {Window} window
 * @param {Pair} pair
 * @param {number} n
 * @param {number} [m]
 */
export function revealing({ row, col, size }, { query, key }, n, m = n) {
  /** @type {(start: number, at: number) => number} */
  const around = (start, at) => Math.min(at, Math.max(start, at - size + 1));
  return within({ row: around(row, query), col: around(col, key), size }, n, m);
}

/** @type {(window: Window, n: number, m: number) => Window} */
function within({ row, col, size }, n, m) {
  /** @type {(at: number, count: number) => number} */
  const start = (at, count) => Math.max(0, Math.min(count - size, Math.round(at)));
  return { row: start(row, n), col: start(col, m), size };
}
