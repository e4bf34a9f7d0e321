// In which order the rows of a table are shown. No DOM here.

/**
 * A table is sorted by one column.
 * @typedef {{ column: number; falling: boolean }} Order
 */

/** @typedef {string | number | null} Entry null or "": nothing */

const TEXTS = new Intl.Collator(undefined, { numeric: true });

/** @param {Entry} entry */
const isNothing = (entry) => entry === null || entry === "";

/**
 * Indices of the rows, sorted by a column. Rows with nothing in that column come last in both directions.
 * @param {Entry[][]} rows
 * @param {Order | null} order null: in the order in which they came
 */
export function sorted(rows, order) {
  const indices = [...rows.keys()];
  if (!order) return indices;
  return indices.sort((one, other) => {
    const [a, b] = [one, other].map((row) => rows[row][order.column]);
    if (isNothing(a) || isNothing(b)) return Number(isNothing(a)) - Number(isNothing(b));
    const difference =
      typeof a === "number" && typeof b === "number" ? a - b : TEXTS.compare(String(a), String(b));
    return order.falling ? -difference : difference;
  });
}

/**
 * The order after a click on a column's head: rising first, then falling.
 * @param {Order | null} order
 * @param {number} column
 * @returns {Order}
 */
export const nextOrder = (order, column) => ({
  column,
  falling: order?.column === column && !order.falling,
});
