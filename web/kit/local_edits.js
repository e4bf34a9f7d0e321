// Edits shown before the server has answered them: an input has its new value at once, and what follows from it is
// worked out here. No DOM here.

import { descended } from "./descent.js";
import { evaluate } from "./evaluate.js";
import { isPerHead, rowsOf, withTable } from "./graph.js";
import { exact } from "./numbers.js";

/**
 * Whether an edit can be shown in full before the server has answered it: it writes numbers, and no table comes, goes
 * or changes its size. A goal can be where its rate alone is another. A first divisor, or one by its name, brings tables and a number that only the server has.
 * @param {Model} model
 * @param {Edit} edit
 */
export function isLocal(model, edit) {
  const { matrices, constants, learning } = model;
  if (edit.op === "learn") return Boolean(learning && !learning.refused);
  if (edit.op === "learning") return isOtherRate(learning, edit.learning);
  if (edit.op === "scale") return typeof edit.value === "number" && constants.divisor !== null;
  if (edit.op === "set" && edit.matrix.endsWith("_target") && !hasTargets(model, edit)) return false;
  return (edit.op === "claim" || (edit.op === "set" && !edit.grow)) && Boolean(matrices[edit.matrix]);
}

/** Whether a goal differs from the present one by its rate alone. @type {(now: Model["learning"], goal: Learning | null | undefined) => boolean} */
const isOtherRate = (now, goal) =>
  Boolean(now && goal && JSON.stringify({ ...now.goal, rate: 0 }) === JSON.stringify({ ...goal, rate: 0 }));

/** Whether all rows that an edit writes have a target: a new one changes what is compared. @type {(model: Model, edit: SetBlock) => boolean} */
const hasTargets = (model, { row, values }) =>
  values.every((_, at) => (rowsOf(model, "given_rows", null)?.[row + at]?.[0] ?? 1) === 1);

/**
 * A model with edits in it, and the names of the tables that may have new numbers. The given model stays as it is.
 * Where an operation is not known here, what follows from it keeps its numbers.
 * @template {Model} M
 * @param {M} model
 * @param {Edit[]} edits
 * @returns {{ model: M; changed: Set<string> }}
 */
export function withEdits(model, edits) {
  let shown = model;
  /** @type {Set<string>} */
  const changed = new Set();
  /** @param {Edit[]} written */
  const show = (written) => {
    if (!written.length) return;
    shown = { ...shown, matrices: { ...shown.matrices } };
    const inputs = new Set(written.map((edit) => write(shown, edit)));
    for (const name of evaluate(shown, inputs) ?? inputs) changed.add(name);
  };
  /** @type {Edit[]} */
  let waiting = [];
  for (const edit of edits.filter((edit) => isLocal(model, edit))) {
    if (edit.op !== "learn") {
      waiting.push(edit);
      continue;
    }
    show(waiting);
    waiting = [];
    const after = descended(shown, edit.steps ?? 1);
    shown = after.model;
    for (const name of after.changed) changed.add(name);
  }
  show(waiting);
  const names = [...changed].filter((name) => shown.matrices[name]);
  return { model: { ...shown, matrices: { ...shown.matrices } }, changed: new Set(names) };
}

/**
 * A model with the numbers of another of the same structure, in whatever language that is. Both stay as they are.
 * @template {Model} M
 * @param {M} model
 * @param {Model} numbers
 * @returns {M}
 */
export function withNumbers(model, { matrices, constants, dead, shifts }) {
  const changed = Object.entries(model.matrices).map(([name, matrix]) => {
    const { values, symbol, formula } = matrices[name];
    return [name, { ...matrix, values, symbol, formula }];
  });
  return { ...model, matrices: Object.fromEntries(changed), constants, dead, shifts };
}

/**
 * Write the numbers of an edit into a model; the name of what it changes.
 * @param {Model} model
 * @param {Edit} edit
 */
function write(model, edit) {
  if (edit.op === "scale") return divideBy(model, Number(edit.value));
  if (edit.op === "learning") return learnBy(model, edit.learning);
  const { matrix, head, row, col, values } = /** @type {SetBlock | ClaimBlock} */ (edit);
  const changed = withTable(
    model.matrices[matrix],
    isPerHead(model, matrix) ? (head ?? null) : null,
    (rows) => rows.map((cells, at) => (values[at - row] ? withValues(cells, col, values[at - row]) : cells)),
  );
  model.matrices[matrix] = changed;
  return matrix;
}

/**
 * A row with values from a column on; null leaves what is there.
 * @param {Rows[number]} cells
 * @param {number} col
 * @param {(Value | null)[]} values
 */
const withValues = (cells, col, values) => cells.map((cell, at) => values[at - col] ?? cell);

/**
 * Divide the scores by another number. Captions name it.
 * @param {Model} model
 * @param {number} divisor
 */
function divideBy(model, divisor) {
  model.constants = { ...model.constants, divisor };
  if (model.controls) model.controls = { ...model.controls, scale: divisor };
  const renamed = (/** @type {string} */ text) => withDivisor(text, divisor);
  for (const [name, { symbol, formula }] of Object.entries(model.matrices))
    if (/\//.test(symbol + formula))
      model.matrices[name] = { ...model.matrices[name], symbol: renamed(symbol), formula: renamed(formula) };
  return "divisor";
}

/**
 * Use another rate. No number follows from it.
 * @param {Model} model
 * @param {Learning | null | undefined} goal
 */
function learnBy(model, goal) {
  if (model.learning && goal) model.learning = { ...model.learning, goal };
  if (model.controls) model.controls = { ...model.controls, rate: goal?.rate ?? null };
  return "rate";
}

const MOST_SIGNS = 6; // of a divisor that a formula has in full, as in mha_core/compute/graph.py

/**
 * A formula that divides by another number: S/√d_k → S/3. A long one is called c there.
 * @type {(formula: string, divisor: number) => string}
 */
export function withDivisor(formula, divisor) {
  const text = exact(divisor);
  const sign = text.length <= MOST_SIGNS ? text : "c";
  const renamed = formula.replace(/, c = .*/, "").replace(/([/÷] ?)(√d_k|c\b|[\d.e+−-]+)/g, `$1${sign}`);
  return /÷ c$/.test(renamed) ? `${renamed}, c = ${text}` : renamed;
}
