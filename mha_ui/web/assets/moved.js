// What an edit has moved: the numbers that are printed otherwise than before it. No DOM here.

import { rowsOf, shownAs } from "./graph.js";

/**
 * The numbers of a model as they stand, to be compared with later ones.
 * @type {(model: Model) => Record<string, any>}
 */
export const remembered = ({ matrices }) =>
  structuredClone(Object.fromEntries(Object.entries(matrices).map(([name, { values }]) => [name, values])));

/** @type {(before: any, now: any) => boolean} */
const isSize = (before, now) => typeof before === "number" && typeof now === "number";

/**
 * What a number was before the last edit, where it is printed otherwise now: {before, sign}, else null. A sign is
 * "up", "down", or "new" where one of the two is no number.
 * @type {(model: Model, cell: Cell) => { before: Value; sign: string } | null}
 */
export function movedAt(model, { name, head, row, col }) {
  const held = model.before?.[name];
  if (!held) return null;
  const before = (model.matrices[name].perHead ? held[head] : held)?.[row]?.[col];
  const now = rowsOf(model, name, head)?.[row]?.[col];
  if (before === now || before === undefined) return null;
  const show = shownAs(model, name, head);
  if (show(before) === show(now)) return null;
  const sign = isSize(before, now) ? (Number(now) > Number(before) ? "up" : "down") : "new";
  return { before, sign };
}

/**
 * Of a step's numbers: how many there are, how many are printed otherwise than before, and the one that moved most.
 * @param {Model} model
 * @param {string} name
 */
export function movedIn(model, name) {
  const { perHead, values } = model.matrices[name];
  const found = { all: 0, changed: 0, most: /** @type {Cell | null} */ (null), by: 0 };
  const heads = perHead ? [...values.keys()] : [null];
  for (const head of heads)
    for (const [row, cells] of (rowsOf(model, name, head) ?? []).entries())
      for (const [col, now] of cells.entries()) {
        const cell = { name, head, row, col };
        found.all += 1;
        const moved = movedAt(model, cell);
        if (!moved) continue;
        found.changed += 1;
        const by = isSize(moved.before, now) ? Math.abs(Number(now) - Number(moved.before)) : 0;
        if (found.most && by <= found.by) continue;
        Object.assign(found, { most: cell, by });
      }
  return found;
}
