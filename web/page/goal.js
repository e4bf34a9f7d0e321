// A task of the page: with one number of W_Q changed, a token looks most at another one. No DOM here.

import { isPerHead, numberOf, requireRows, rowsOf } from "../kit/graph.js";
import { withEdits } from "../kit/local_edits.js";

const MOST = 36; // numbers of W_Q, and of a matrix of weights, that are searched
const VALUES = [1, 2, -1, -2, 3, -3, 0]; // that are tried for a number
const CLEAR = 0.5; // a weight from which on a token looks at another one clearly
const NEAR = 1e-9; // weights that differ by less are equal

/**
 * In `head` the token `query` is to look most at the token `key`. It does if the number of W_Q at `row`, `col` is `value`.
 * @typedef {{ head: number; query: number; key: number; row: number; col: number; value: number }} Goal
 */

/**
 * The tasks that one number of W_Q fulfils, at most one for each query of a head, in the order of heads; none for a layer
 * that is large, or in which nothing is computed from W_Q.
 * @param {Model} model as it is at the start
 * @returns {Goal[]}
 */
export function goalsOf(model) {
  const { matrices, labels, dims } = model;
  if (!matrices.w_q?.edit || !matrices.x || !model.steps.weights) return [];
  if (dims.d_model * dims.d_k > MOST || labels.n_q.length * labels.n_k.length > MOST) return [];
  const queries = [...labels.n_q.keys()];
  return [...Array(dims.h).keys()].flatMap((head) =>
    [...queries.slice(1), 0].flatMap((query) => goalOf(model, head, query) ?? []),
  );
}

/** The clearest of the changes after which a query looks at another key. @type {(model: Model, head: number, query: number) => Goal | null} */
function goalOf(model, head, query) {
  const rows = rowsOf(model, "w_q", head);
  const before = topOf(model, head, query);
  if (!rows || !before) return null;
  /** @type {{ goal: Goal; weight: number } | null} */
  let best = null;
  for (const [row, numbers] of rows.entries()) {
    if (numberOf(requireRows(model, "x", null)[query][row]) === 0) continue; // it does not act on this token
    for (const [col, present] of numbers.entries())
      for (const value of VALUES.filter((other) => other !== present)) {
        const edit = /** @type {SetBlock} */ ({
          op: "set",
          matrix: "w_q",
          head,
          row,
          col,
          values: [[value]],
        });
        const top = topOf(withEdits(model, [edit]).model, head, query);
        if (!top || top.key === before.key || top.weight < CLEAR) continue;
        if (!best || top.weight > best.weight + NEAR)
          best = { goal: { head, query, key: top.key, row, col, value }, weight: top.weight };
      }
  }
  return best?.goal ?? null;
}

/**
 * The key that a query looks most at; null where several have its largest weight, or none has any.
 * @type {(model: Model, head: number, query: number) => { key: number; weight: number } | null}
 */
export function topOf(model, head, query) {
  const row = requireRows(model, "weights", isPerHead(model, "weights") ? head : null)[query].map(numberOf);
  const weight = Math.max(...row);
  const keys = [...row.keys()].filter((key) => row[key] >= weight - NEAR);
  return keys.length === 1 && weight > 0 ? { key: keys[0], weight } : null;
}
