// Goals as an example's file has them (mha_core/example/learning.py): one target more, and one fewer. No DOM here.

import { isGiven, labelOf, rowsOf } from "../../kit/graph.js";

export const RATE = 0.1; // where a goal is set for the first time, as in mha_core/example/learning.py

/**
 * What a target is about: a row of the output or of Concat, or, of the weights, a query of a head.
 * @typedef {{ step: Learning["step"]; head: number | null; row: number }} Aim
 */
/** What it should become: numbers, or the key that the query should look at. @typedef {number | number[]} Target */

/** @type {(model: ExploreModel) => Learning["step"][]} the steps that a goal can be about, the plainest first */
export const stepsOf = (model) => [
  ...(headsOf(model).length ? /** @type {const} */ (["weights"]) : []),
  .../** @type {const} */ (["output", "concat"]).filter((name) => model.matrices[name]),
];

/** The heads whose weights are computed, so that something leads to them. @type {(model: ExploreModel) => number[]} */
export const headsOf = (model) =>
  [...Array(model.dims.h).keys()].filter((head) => !isGiven(model, "weights", head));

/**
 * The goal with a target more, or with another one in its place; `null` removes it. A goal about another step is replaced.
 * @type {(model: ExploreModel, aim: Aim, target: Target | null) => Learning}
 */
export function withTarget({ learning, dims }, { step, head, row }, target) {
  const goal = learning?.goal;
  const rate = goal?.rate ?? RATE;
  const before = goal?.step === step ? goal.targets : null;
  /** @type {(rows: any) => any} */
  const write = (rows) =>
    Array.from({ length: dims.n_q }, (_, at) => (at === row ? target : (rows?.[at] ?? null)));
  if (step !== "weights") return { step, rate, targets: write(before) };
  const heads = Array.from({ length: dims.h }, (_, at) => before?.[at] ?? null);
  return { step, rate, targets: heads.map((rows, at) => (at === head ? write(rows) : rows)) };
}

/**
 * The goal without a target; null where it was the last.
 * @type {(model: ExploreModel, aim: Aim) => Learning | null}
 */
export function without(model, aim) {
  const goal = withTarget(model, aim, null);
  return targetsOf(goal).length ? goal : null;
}

/**
 * Every target of a goal.
 * @type {(goal: Learning | undefined) => { aim: Aim; target: Target }[]}
 */
export function targetsOf(goal) {
  if (!goal) return [];
  const { step, targets } = goal;
  /** @type {(rows: any, head: number | null) => { aim: Aim; target: Target }[]} */
  const ofRows = (rows, head) =>
    (rows ?? []).flatMap((/** @type {Target | null} */ target, /** @type {number} */ row) =>
      target === null ? [] : [{ aim: { step, head, row }, target }],
    );
  return step === "weights" ? targets.flatMap((rows, head) => ofRows(rows, head)) : ofRows(targets, null);
}

/**
 * A cell of each backward table in the row and the column of every target.
 * @type {(model: ExploreModel) => Cell[]}
 */
export function cellsOfGoal({ learning, matrices, dims }) {
  const tables = learning?.stages.flatMap((stage) => stage.matrices) ?? [];
  return targetsOf(learning?.goal).flatMap(({ aim, target }) => {
    /** @type {Record<string, number>} */
    const along = { n_q: aim.row, ...(typeof target === "number" ? { n_k: target } : {}) };
    return tables.flatMap((name) => {
      const { axes, perHead } = matrices[name];
      const [row, col] = axes.map((axis) => along[axis] ?? 0);
      const heads = !perHead ? [null] : aim.head === null ? [...Array(dims.h).keys()] : [aim.head];
      return heads.map((head) => ({ name, head, row, col }));
    });
  });
}

/**
 * The numbers that a row has now, as they would be typed.
 * @type {(model: ExploreModel, aim: Aim) => string}
 */
export const rowAsTyped = (model, { step, head, row }) =>
  (rowsOf(model, step, head)?.[row] ?? [])
    .map((number) => String(Number(Number(number).toFixed(2))))
    .join(" ");

/** @type {(model: ExploreModel, axis: "n_q" | "n_k") => string[]} the tokens, with their numbers where one occurs twice */
export function tokensAlong(model, axis) {
  const tokens = Array.from({ length: model.dims[axis] }, (_, at) => labelOf(model, axis, at));
  return tokens.map((token, at) =>
    tokens.indexOf(token) === tokens.lastIndexOf(token) ? token : `${token} (${at + 1})`,
  );
}
