// Where a number comes from and where it goes, read off the declared computation that the server sends:
// model.steps[name] = {op, index, operands: [[matrix, index], …]}, each index in the letters of the result's cell
// and k (summed). An axis of length "1" has no letter; two letters in parentheses run one inside the other along one
// axis: "(ij)" pairs of a query and a key, "(mr)" the two columns of pair m. Nothing here computes a value; every
// number shown is the server's.

import { fill } from "./dom.js";
import { exact, format, isWhole } from "./numbers.js";

/** @param {Cell} cell */
export const key = (cell) => `${cell.name}|${cell.head ?? ""}|${cell.row}|${cell.col}`;

/** @type {(text: string) => Cell} */
export function unkey(text) {
  const [name, head, row, col] = text.split("|");
  return { name, head: head === "" ? null : Number(head), row: Number(row), col: Number(col) };
}

/** @type {(model: Model, name: string) => boolean} */
export const isPerHead = (model, name) => model.matrices[name].perHead;

/**
 * The rows of a matrix, or undefined where this head has none.
 * @type {OfMatrix<Value[][] | undefined>}
 */
export function rowsOf(model, name, head) {
  const matrix = model.matrices[name];
  if (!matrix) return undefined;
  return (matrix.perHead ? matrix.values[head] : matrix.values) ?? undefined;
}

/** @type {OfMatrix<boolean>} */
export function isEditable(model, name, head) {
  const { edit } = model.matrices[name];
  return Array.isArray(edit) ? edit[head] : edit;
}

/**
 * Whether somebody writes down here what he has worked out: editable, but computed all the same.
 * @type {(model: Model, name: string) => boolean}
 */
export const isClaim = (model, name) => Boolean(model.matrices[name].claim);

/** @type {OfMatrix<boolean>} */
const isGiven = (model, name, head) => isEditable(model, name, head) && !isClaim(model, name);

/** @type {OfCell<Value | undefined>} */
export const valueAt = (model, cell) => rowsOf(model, cell.name, cell.head)?.[cell.row]?.[cell.col];

/** @type {OfCell<boolean>} */
export function exists(model, cell) {
  return valueAt(model, cell) !== undefined;
}

/**
 * The head that holds a matrix for this head: heads may share keys and values.
 * @type {OfMatrix<number | null>}
 */
export function headOf(model, name, head) {
  const { perHead, owners } = model.matrices[name];
  return perHead ? (owners?.[head] ?? head) : null;
}

/**
 * The letters along rows and along columns.
 * @type {(model: Model, name: string, index: string) => string[]}
 */
function axesOf(model, name, index) {
  const letters = index.match(/\(\w\w\)|\w/g) ?? [];
  return model.matrices[name].axes.map((axis) => (axis === "1" ? "" : letters.shift().replace(/[()]/g, "")));
}

/** @type {(model: Model, axis: string) => number} */
const innerSize = (model, axis) => (axis === "ij" ? model.dims.n_k : 2);

/**
 * Where each letter stands in a cell.
 * @type {(model: Model, name: string, index: string, cell: Cell) => Record<string, number>}
 */
function lettersAt(model, name, index, { row, col }) {
  const letters = {};
  axesOf(model, name, index).forEach((axis, n) => {
    const at = n ? col : row;
    const inner = innerSize(model, axis);
    if (axis.length === 2)
      Object.assign(letters, { [axis[0]]: Math.floor(at / inner), [axis[1]]: at % inner });
    else if (axis) letters[axis] = at;
  });
  return letters;
}

/**
 * The places along an axis that have these letters: all of `size` where none is its own.
 * @type {(model: Model, axis: string, letters: Record<string, number>, size: number) => number[]}
 */
function places(model, axis, letters, size) {
  if (axis.length < 2) return axis in letters ? [letters[axis]] : [...Array(size).keys()];
  const inner = innerSize(model, axis);
  const outer = places(model, axis[0], letters, Math.ceil(size / inner));
  return outer
    .flatMap((o) => places(model, axis[1], letters, inner).map((n) => o * inner + n))
    .filter((at) => at < size);
}

/**
 * The terms of a computed cell: a list of lists of cells; empty for an input.
 * @type {OfCell<Cell[][]>}
 */
export function termsOf(model, cell) {
  const step = model.steps[cell.name];
  if (!step || isGiven(model, cell.name, cell.head)) return [];
  if (step.op === "concat") {
    const width = model.dims.d_v;
    const head = Math.floor(cell.col / width);
    return [[{ name: step.operands[0][0], head, row: cell.row, col: cell.col % width }]];
  }
  if (step.op === "sum") {
    const [[name], ...biases] = step.operands;
    const ofHeads = [...Array(model.dims.h).keys()].map((head) => [
      { name, head, row: cell.row, col: cell.col },
    ]);
    return [...ofHeads, ...biases.map(([bias]) => [{ name: bias, head: null, row: 0, col: cell.col }])];
  }
  const operands = step.operands.filter(([name]) => rowsOf(model, name, headOf(model, name, cell.head)));
  const at = lettersAt(model, cell.name, step.index, cell);
  const place = ([name, index], k) => {
    const head = headOf(model, name, cell.head);
    const letters = { ...at, k };
    const [row, col] = axesOf(model, name, index).map((axis) =>
      axis.length === 2
        ? letters[axis[0]] * innerSize(model, axis) + letters[axis[1]]
        : axis
          ? letters[axis]
          : 0,
    );
    return { name, head, row, col };
  };
  const summed = ([, index]) => index.includes("k");
  const biased = step.op === "matmul"; // a bias is a term of its own
  const parts = biased
    ? [operands.filter(summed), operands.filter((operand) => !summed(operand))]
    : [operands];
  return parts.flatMap((part) =>
    part.length
      ? [...Array(summedSize(model, part, cell.head)).keys()].map((k) =>
          part.map((operand) => place(operand, k)),
        )
      : [],
  );
}

/**
 * How far k runs: along the columns of the first operand that has it; 1 where none has.
 * @type {(model: Model, operands: [string, string][], head: number | null) => number}
 */
function summedSize(model, operands, head) {
  for (const [name, index] of operands) {
    const columns = axesOf(model, name, index)[1];
    if (columns === "k") return rowsOf(model, name, headOf(model, name, head))[0].length;
    if (columns.includes("k")) return innerSize(model, columns);
  }
  return 1;
}

/**
 * The cells that are computed directly from this one, each once.
 * @type {OfCell<Cell[]>}
 */
export function fedBy(model, cell) {
  const fed = new Map();
  const heads = [...Array(model.dims.h).keys()].filter(
    (head) => cell.head === null || headOf(model, cell.name, head) === cell.head,
  );
  for (const [name, step] of Object.entries(model.steps)) {
    for (const [operand, index] of step.operands) {
      if (operand !== cell.name) continue;
      const add = (to) => fed.set(key(to), to);
      if (step.op === "concat") {
        add({ name, head: null, row: cell.row, col: cell.head * model.dims.d_v + cell.col });
        continue;
      }
      const letters = lettersAt(model, operand, index, cell);
      const [down, across] = axesOf(model, name, step.index);
      for (const head of isPerHead(model, name) ? heads : [null]) {
        const rows = rowsOf(model, name, head);
        if (!rows || isGiven(model, name, head)) continue;
        for (const row of places(model, down, letters, rows.length))
          for (const col of places(model, across, letters, rows[0].length)) add({ name, head, row, col });
      }
    }
  }
  return [...fed.values()];
}

/**
 * A matrix's letter; head outputs are named after their head.
 * @type {OfMatrix<string>}
 */
export const symbolOf = (model, name, head) => fill(model.matrices[name].symbol, { h: (head ?? 0) + 1 });

/**
 * What a cell is called, in every sentence: X[1, 2], or A[1, 3] of head 2. The server's places.py says the same.
 * @type {OfCell<string>}
 */
export function nameOf(model, { name, head, row, col }) {
  const place = `${symbolOf(model, name, head)}[${row + 1}, ${col + 1}]`;
  const named = head === null || model.matrices[name].symbol.includes("{h}");
  return named ? place : fill(model.words.place_of_head, { place, head: head + 1 });
}

/**
 * A row's or a column's label: its token, or its number from 1.
 * @type {(model: Model, axis: string, index: number) => string}
 */
export const labelOf = (model, axis, index) => model.labels[axis]?.[index] ?? String(index + 1);

/**
 * The labels along an axis of a matrix; a single row or column needs none.
 * @type {(model: Model, axis: string, count: number) => string[]}
 */
export const labelsOf = (model, axis, count) =>
  axis === "1" ? [""] : Array.from({ length: count }, (_, index) => labelOf(model, axis, index));

/**
 * Whether a row is that of a query that may attend to nothing, where that is marked.
 * @param {Model} model
 * @param {string} name
 * @param {number | null | undefined} head
 * @param {number} row
 */
export const isDead = (model, name, head, row) =>
  ["weights", "head_outputs"].includes(name) && Boolean(model.dead?.[head]?.[row]);

/**
 * A row's label; a query that may attend to nothing is marked.
 * @type {(text: string, dead: boolean) => string}
 */
export const marked = (text, dead) => (dead ? `${text} ∅` : text);

/**
 * How many decimals the numbers of a matrix are shown with: none where all are whole.
 * @type {OfMatrix<number>}
 */
export const decimalsOf = (model, name, head) => (isWhole(rowsOf(model, name, head)) ? 0 : model.decimals);

/**
 * Number → text as the tables show it: as it was typed where it is given.
 * @type {OfMatrix<(value: Value) => string>}
 */
export function shownAs(model, name, head) {
  if (isEditable(model, name, head)) return exact;
  const decimals = decimalsOf(model, name, head);
  return (number) => format(number, decimals);
}
