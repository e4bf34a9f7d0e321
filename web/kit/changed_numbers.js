// What an edit has changed: the numbers that are printed differently than before it. No DOM here.

import { rowsIn, rowsOf, shownIn } from "./graph.js";

/**
 * A model's numbers, to be compared with later ones.
 * @type {(model: Model) => Record<string, Matrix["values"]>}
 */
export const remembered = ({ matrices }) =>
  Object.fromEntries(Object.entries(matrices).map(([name, { values }]) => [name, values]));

/**
 * What the numbers of a matrix were before the last edit, where they are printed differently now: a function of row and
 * column to {before, was, sign}, or to null. Null where there is nothing to compare with. `was`: as it was printed;
 * `sign`: "up", "down", or "new" where one of the two is no number.
 * @type {OfMatrix<((row: number, col: number) => { before: Value; was: string; sign: string } | null) | null>}
 */
export function movedOf(model, name, head) {
  const before = model.before?.[name];
  const rows = rowsOf(model, name, head);
  const old = before && rowsIn(model.matrices[name].perHead, before, head);
  if (!old || !rows) return null;
  const show = shownIn(model, name, head, [...old, ...rows]); // whole numbers alone have no decimals
  const shownThen = shownIn(model, name, head, old);
  return (row, col) => {
    const [before, now] = [old[row]?.[col], rows[row]?.[col]];
    if (before === now || before === undefined || show(before) === show(now)) return null;
    return { before, was: shownThen(before), sign: signOf(before, now) };
  };
}

/** @type {(before: Value, now: Value) => string} */
function signOf(before, now) {
  if (typeof before !== "number" || typeof now !== "number") return "new";
  return now > before ? "up" : "down";
}

/**
 * The same of one cell.
 * @type {(model: Model, cell: Cell) => { before: Value; was: string; sign: string } | null}
 */
export const movedAt = (model, { name, head, row, col }) => movedOf(model, name, head)?.(row, col) ?? null;

/**
 * Of a step's numbers: how many there are, how many are printed differently than before, and the one that moved most.
 * @param {Model} model
 * @param {string} name
 */
export function movedIn(model, name) {
  const { perHead, values } = model.matrices[name];
  const tally = { all: 0, changed: 0, most: /** @type {Cell | null} */ (null), by: 0 };
  const heads = perHead ? [...values.keys()] : [null];
  for (const head of heads) {
    const movedFrom = movedOf(model, name, head);
    for (const [row, cells] of (rowsOf(model, name, head) ?? []).entries())
      for (const [col, now] of cells.entries()) {
        tally.all += 1;
        const moved = movedFrom?.(row, col);
        if (!moved) continue;
        tally.changed += 1;
        const by = moved.sign === "new" ? 0 : Math.abs(Number(now) - Number(moved.before));
        if (tally.most && by <= tally.by) continue;
        Object.assign(tally, { most: { name, head, row, col }, by });
      }
  }
  return tally;
}
