// What an edit has changed: the numbers that are printed differently than before it. No DOM here.

import { fill } from "./dom.js";
import { nameOf, requireValue, rowsIn, rowsOf, shownAs, shownIn, symbolOf, tokensOf } from "./graph.js";
import { isolated } from "./quoted.js";

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

/**
 * What the last edit has done to the weights; where it has changed none, to the output.
 * @param {Model} model
 * @param {Record<string, string>} words
 */
export function movedSentence(model, words) {
  const last = ["output", "concat"].find((name) => model.matrices[name]);
  const weights = movedIn(model, "weights");
  const tally = weights.most || !last ? weights : movedIn(model, last);
  const { most, all, changed } = tally;
  if (!most) return "";
  const show = shownAs(model, most.name, most.head);
  const values = {
    all,
    changed,
    place: nameOf(model, most).replaceAll("_", ""),
    head: (most.head ?? 0) + 1,
    tokens: tokensOf(model, most).map(isolated).join(" → "),
    before: movedAt(model, most)?.was,
    now: show(requireValue(model, most)),
  };
  if (!weights.most) return fill(words.moved_outputs, values);
  return because(model, words, fill(words.moved_weights, values), most);
}

/**
 * A sentence on a weight that has moved, with what its own score did, where that is what moved it.
 * @type {(model: Model, words: Record<string, string>, sentence: string, weight: Cell) => string}
 */
function because(model, words, sentence, weight) {
  const name = model.steps.weights?.operands[0][0];
  const moved = name && rowsOf(model, name, weight.head) ? movedAt(model, { ...weight, name }) : null;
  if (!name || !moved) return sentence;
  const now = shownAs(model, name, weight.head)(requireValue(model, { ...weight, name }));
  const score = symbolOf(model, name, weight.head).replaceAll("_", "");
  return fill(words.moved_because, { sentence, score, before: moved.was, now });
}
