// The part of a long map that is shown: a square of whole tokens, from one row and one column on. No DOM here.

/** @typedef {{ row: number; col: number; size: number }} Window */

/** Fewest tokens to a side. */
const FEWEST = 8;

/** @type {(n: number) => Window} */
export const whole = (n) => ({ row: 0, col: 0, size: n });

/**
 * Nearer (factor < 1) or further, while what lies under a point, told in parts of the window, stays there.
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
 * Moved no further than it takes to have a pair in it.
 * @param {Window} window
 * @param {{ query: number; key: number }} pair
 * @param {number} n
 */
export function revealing({ row, col, size }, { query, key }, n) {
  const holding = (start, at) => Math.min(at, Math.max(start, at - size + 1));
  return within({ row: holding(row, query), col: holding(col, key), size }, n);
}

/** @returns {Window} */
function within({ row, col, size }, n) {
  const start = (at) => Math.max(0, Math.min(n - size, Math.round(at)));
  return { row: start(row), col: start(col), size };
}
