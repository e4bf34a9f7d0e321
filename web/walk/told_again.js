// What the server says of a walk's numbers, worked out again where they are changed without it: the powers of e, where
// the heads look most, and how much two of them share. No DOM here.

import { headOf, isPerHead, numberOf, ofHead, requireRows, rowsOf } from "../kit/graph.js";
import { format } from "../kit/numbers.js";

const NEAR = 1e-9; // weights that differ by less are shared equally, as in mha_core/walk/summary.py
const ALIKE = 1e-12; // shares that differ by less are equal

/**
 * A walk of which all this has been worked out again. The given one stays as it is.
 * @param {WalkModel} walk
 * @returns {WalkModel}
 */
export function toldAgain(walk) {
  const stages = walk.stages.map((stage) => ({ ...stage }));
  const model = { ...walk, stages, closing: { ...walk.closing } };
  tellAgain(model);
  return model;
}

/**
 * The same in a walk that `toldAgain` has made, and in its stages.
 * @param {WalkModel} model
 */
export function tellAgain(model) {
  for (const stage of model.stages) {
    if (stage.powers) stage.powers = powersIn(model, stage);
    if (stage.kind === "closing") stage.why = ""; // in how many ways the heads look
  }
  const heads = [...model.closing.looked.keys()];
  const weights = heads.map((head) => requireRows(model, "weights", head));
  const looks = looksIn(model);
  model.closing.looked = weights.map((rows) => rows.map(looks));
  model.compare = heads.map((one) => heads.map((other) => sharedBy(model, one, other)));
}

/**
 * How much attention two heads share, as mha_core/walk/pairs.py works it out: in percent, the first query with the
 * least, and how many have as little. Null where no query may attend to anything in both.
 * @type {(model: WalkModel, one: number, other: number) => WalkModel["compare"][number][number]}
 */
function sharedBy(model, one, other) {
  const [mine, theirs] = [one, other].map((head) => requireRows(model, "weights", head));
  const shares = mine.map((row, query) => {
    if (model.dead?.[one][query] || model.dead?.[other][query]) return null;
    const apart = row.map((weight, key) => Math.abs(Number(weight) - Number(theirs[query][key])));
    return 1 - apart.reduce((sum, number) => sum + number, 0) / 2;
  });
  const seen = shares.filter((share) => share !== null);
  if (!seen.length) return null;
  const least = Math.min(...seen) + ALIKE;
  const mean = seen.reduce((sum, share) => sum + share, 0) / seen.length;
  const isLeast = (/** @type {number | null} */ share) => share !== null && share <= least;
  return [`${format(100 * mean, 0)}%`, shares.findIndex(isLeast), shares.filter(isLeast).length];
}

/**
 * The powers of e in a stage's softmax, row by row.
 * @param {WalkModel} model
 * @param {WalkStage} stage
 */
function powersIn(model, { steps: [{ operands }], head }) {
  const [[scores], ...more] = operands;
  const sink = more.flatMap(([name]) => rowsOf(model, name, head) ?? []).flat();
  const rows = requireRows(model, scores, isPerHead(model, scores) ? headOf(model, scores, head) : null);
  return rows.map((row, at) => {
    const shift = ofHead(model.shifts, head)?.[at] ?? 0;
    const powers = [...row, ...sink].map((score) => Math.exp(numberOf(score) - shift));
    return { powers, total: powers.reduce((sum, power) => sum + power, 0), shift };
  });
}

/** Where a row of weights looks most. @param {WalkModel} model */
function looksIn({ labels }) {
  return (/** @type {Value[]} */ row) => {
    const weight = Math.max(...row.map(Number));
    if (weight <= 0) return null;
    const keys = [...row.keys()].filter((key) => Number(row[key]) >= weight - NEAR);
    return { keys, name: keys.map((key) => labels.n_k[key]).join(", "), weight };
  };
}
