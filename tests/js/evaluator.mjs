// Reads a model a line, works it out as the page does, and prints how far it is from the numbers that torch gave it.
// test_evaluate.py writes the lines.

import { createInterface } from "node:readline";
import { arithmetic, inBrief } from "../../web/kit/arithmetic.js";
import { evaluate, KNOWN } from "../../web/kit/evaluate.js";
import { fedBy, isGiven, isPerHead, key, termsOf, valueAt } from "../../web/kit/graph.js";

const number = (value) => (value === "-inf" ? -Infinity : Number(value));
const EXACT = new Set(["copy", "concat", "masked_fill"]);

/** The distance between this float64 and the next one. */
function ulp(value) {
  const size = Math.abs(value);
  return Math.max(2 ** (Math.floor(Math.log2(size)) - 52), Number.MIN_VALUE);
}

/** What the rounding of a cell is measured by: the sum of its terms' absolute values where terms are added. */
function scaleOf(model, cell) {
  const products = termsOf(model, cell).map((term) =>
    term.reduce((product, factor) => product * Math.abs(number(valueAt(model, factor))), 1),
  );
  const { op } = model.steps[cell.name];
  if (op === "rotate") return termsOf(model, cell).reduce((sum, [a]) => sum + Math.abs(number(valueAt(model, a))), 0);
  const isSum = ["matmul", "sum"].includes(op);
  return isSum ? products.reduce((sum, product) => sum + product, 0) : Math.abs(number(valueAt(model, cell)));
}

function* cellsOf(model, name) {
  const { values } = model.matrices[name];
  const tables = isPerHead(model, name) ? values.map((rows, head) => [head, rows]) : [[null, values]];
  for (const [head, rows] of tables)
    if (rows && !isGiven(model, name, head))
      for (let row = 0; row < rows.length; row++)
        for (let col = 0; col < rows[row].length; col++) yield { name, head, row, col };
}

const inputsOf = (model) => [...Object.keys(model.matrices), ...Object.keys(model.constants)];

/** Each step by itself, from torch's numbers: the largest error, in ulp of its scale. */
function stepErrors(truth) {
  const worst = {};
  for (const [name, step] of Object.entries(truth.steps)) {
    if (!truth.matrices[name]) continue;
    const model = structuredClone({ ...truth, steps: { [name]: step } });
    evaluate(model, inputsOf(model));
    for (const cell of cellsOf(truth, name)) {
      const [mine, right] = [valueAt(model, cell), valueAt(truth, cell)];
      if (mine === right) continue;
      const off = EXACT.has(step.op) ? Infinity : Math.abs(number(mine) - number(right)) / ulp(scaleOf(truth, cell));
      if (!(off <= (worst[step.op]?.off ?? 0))) worst[step.op] = { off: String(off), cell: key(cell), mine, right };
    }
  }
  return worst;
}

/**
 * How large the numbers of a table are, or those that it was computed from: what is left when large numbers cancel is
 * only as exact as they were.
 */
function sizes(model) {
  const found = new Map();
  const sizeOf = (name) => {
    if (!found.has(name)) found.set(name, computed(name));
    return found.get(name);
  };
  const computed = (name) => {
    const values = [model.matrices[name].values].flat(3).map((value) => Math.abs(number(value)));
    const step = model.steps[name];
    const [cell] = step ? cellsOf(model, name) : [];
    const terms = cell ? termsOf(model, cell) : [];
    const isSum = ["matmul", "sum"].includes(step?.op);
    const products = terms.map((term) => term.reduce((product, factor) => product * sizeOf(factor.name), 1));
    const origins = isSum
      ? [products.reduce((sum, product) => sum + product, 0)]
      : terms.flat().map((factor) => sizeOf(factor.name));
    return [...values.filter(Number.isFinite), ...origins].reduce((most, size) => Math.max(most, size), 0);
  };
  return sizeOf;
}

/** Whether a direction is taken of a row of which cancellation has left nothing: it may then be any. */
function hasNoDirection(model, sizeOf) {
  return Object.entries(model.steps).some(
    ([name, { op, operands }]) =>
      op === "norm" &&
      [...cellsOf(model, name)].some((cell) => valueAt(model, cell) <= 1e-6 * sizeOf(operands[0][0])),
  );
}

/** All steps, from the inputs alone: the largest error, as a share of the size of its table. */
function chainError(truth) {
  const model = structuredClone(truth);
  for (const name of Object.keys(model.steps))
    if (model.matrices[name])
      for (const { head, row, col } of cellsOf(truth, name)) {
        const { values, perHead } = model.matrices[name];
        (perHead ? values[head] : values)[row][col] = "?";
      }
  evaluate(model, inputsOf(model));
  const sizeOf = sizes(truth);
  let [worst, at] = [0, ""];
  for (const name of Object.keys(model.steps)) {
    if (!model.matrices[name]) continue;
    for (const cell of cellsOf(truth, name)) {
      const [mine, right] = [valueAt(model, cell), valueAt(truth, cell)];
      if (mine === right) continue;
      const off = Math.abs(number(mine) - number(right)) / sizeOf(name);
      if (!(off <= worst)) [worst, at] = [off, `${key(cell)} ${mine} ${right}`];
    }
  }
  return { worst: String(worst), dead: model.dead, shifts: model.shifts, at, any: hasNoDirection(truth, sizeOf) };
}

/** Whether an unknown operation leaves the numbers alone. */
function refuses(truth) {
  const model = structuredClone(truth);
  for (const step of Object.values(model.steps)) step.op = "unheard of";
  const before = JSON.stringify(model);
  return evaluate(model, inputsOf(model)) === null && JSON.stringify(model) === before;
}

/** A cell's line of arithmetic; "" where it is a copy, which the page shows by its place. */
function lineOf(model, cell) {
  const pieces = arithmetic({ ...model, words: {} }, cell, inBrief(model));
  if (pieces.some((piece) => piece.place)) return "";
  return pieces
    .map(({ text, power, number }) => text ?? power ?? number)
    .join("")
    .replaceAll(" · ", "·");
}

/** Of each cell that is asked for: its terms, the cells that it feeds, and its line. */
function asked(model) {
  const plain = ({ name, head, row, col }) => [name, head, row, col];
  return (model.ask ?? []).map(([name, head, row, col]) => {
    const cell = { name, head, row, col };
    return [termsOf(model, cell).map((term) => term.map(plain)), fedBy(model, cell).map(plain), lineOf(model, cell)];
  });
}

console.log(JSON.stringify(KNOWN));
for await (const line of createInterface({ input: process.stdin })) {
  const model = JSON.parse(line);
  console.log(
    JSON.stringify({
      steps: stepErrors(model),
      chain: chainError(model),
      refuses: refuses(model),
      asked: asked(model),
    }),
  );
}
