// Steps of gradient descent in the browser: every learned number W becomes W − η·∂L/∂W, as mha_core/learn/descent.py
// has it. No DOM here.

import { evaluate } from "./evaluate.js";
import { LOSS, numberOf, rowsOf, withTable } from "./graph.js";

/** @template {Model} M @typedef {{ model: M; steps: number; changed: Set<string> }} Descended */

/**
 * By the model that it begins with, the furthest that a descent has come: playing asks for one step more each time.
 * @type {WeakMap<Model, Descended<any>>}
 */
const furthest = new WeakMap();

/**
 * A model after so many steps, and the names of the tables with new numbers. The given model stays as it is.
 * @template {Model} M
 * @param {M} model with a goal
 * @param {number} steps
 * @returns {Descended<M>}
 */
export function descended(model, steps) {
  /** @type {Descended<M> | undefined} */
  const known = furthest.get(model);
  let at = known && known.steps <= steps ? known : { model, steps: 0, changed: new Set() };
  while (at.steps < steps) at = stepped(at);
  furthest.set(model, at);
  return at;
}

/**
 * @template {Model} M
 * @param {Descended<M>} before
 * @returns {Descended<M>}
 */
function stepped({ model: before, steps, changed }) {
  const model = { ...before, matrices: { ...before.matrices } };
  const learned = before.learning?.learned ?? [];
  const rate = before.learning?.goal.rate ?? 0;
  for (const name of learned)
    for (const head of model.matrices[name].perHead ? [...Array(model.dims.h).keys()] : [null])
      model.matrices[name] = moved(before, model.matrices[name], { name, head }, rate);
  const names = evaluate(model, learned) ?? learned;
  return { model, steps: steps + 1, changed: new Set([...changed, ...names]) };
}

/** @type {(before: Model, matrix: Matrix, table: TableId, rate: number) => Matrix} */
function moved(before, matrix, { name, head }, rate) {
  const slopes = rowsOf(before, `d_${name}`, head);
  if (!slopes) return matrix;
  return withTable(matrix, head, (rows) =>
    rows.map((row, i) => row.map((value, j) => numberOf(value) - rate * numberOf(slopes[i][j]))),
  );
}

/**
 * The loss of a model with a goal; NaN where there is none.
 * @param {Model} model
 */
export const lossOf = (model) => numberOf(rowsOf(model, LOSS.name, null)?.[0][0] ?? Number.NaN);

/**
 * What a step makes of a learned number, where a cell is a derivative by one; else null.
 * @type {(model: Model, cell: Cell) => { by: Cell; rate: number; before: number; slope: number } | null}
 */
export function stepAt(model, cell) {
  const name = cell.name.replace(/^d_/, "");
  const { learning } = model;
  if (!learning || name === cell.name || !learning.learned.includes(name)) return null;
  const [before, slope] = [name, cell.name].map((of) => rowsOf(model, of, cell.head)?.[cell.row]?.[cell.col]);
  if (before === undefined || slope === undefined) return null;
  const rate = learning.goal.rate ?? 0;
  return { by: { ...cell, name }, rate, before: numberOf(before), slope: numberOf(slope) };
}
