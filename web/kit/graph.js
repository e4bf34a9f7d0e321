// What a number is computed from and what it goes into, read from the declared steps that the server sends, as
// mha_core/compute/derive.py reads them: model.steps[name] = {index, operands: [[matrix, letters, head], …], …}.
//
// The letters are those of the result's cell, and one that is summed over. `head` is the letter of the heads where a
// matrix is read of every head. An axis of length "1" has no letter. Two letters in parentheses share an axis, the
// second inside the first: "(ij)" pairs of a query and a key, "(mr)" the two columns of pair m, "(rm)" the same with
// the first columns of all pairs before the second ones. Nothing here computes a value; evaluate.js does.

import { fill } from "./dom.js";
import { exact, format, givenIn, isWhole, kindOf } from "./numbers.js";

/** @param {Cell} cell */
export const key = (cell) => `${cell.name}|${cell.head ?? ""}|${cell.row}|${cell.col}`;

/**
 * Whether two cells are the same one; no cell is the same as none.
 * @type {(one: Cell | null | undefined, other: Cell | null | undefined) => boolean}
 */
export const isSame = (one, other) => Boolean(one && other && key(one) === key(other));

/** @type {(text: string) => Cell} */
export function unkey(text) {
  const [name, head, row, col] = text.split("|");
  return { name, head: head === "" ? null : Number(head), row: Number(row), col: Number(col) };
}

/** @type {(model: Model, name: string) => boolean} */
export const isPerHead = (model, name) => model.matrices[name].perHead;

/**
 * A head's own entry of a list over heads; undefined where there is no head.
 * @type {<T>(list: T[] | null | undefined, head: number | null | undefined) => T | undefined}
 */
export const ofHead = (list, head) => (list && typeof head === "number" ? list[head] : undefined);

/**
 * The rows of a head in a matrix's values, or in what they were before an edit.
 * @type {(perHead: boolean, values: Matrix["values"], head: number | null) => Rows | undefined}
 */
export function rowsIn(perHead, values, head) {
  if (!perHead) return /** @type {Rows} */ (values);
  return ofHead(/** @type {(Rows | null)[]} */ (values), head) ?? undefined;
}

/**
 * The rows of a matrix, or undefined where this head has none.
 * @type {OfMatrix<Rows | undefined>}
 */
export function rowsOf(model, name, head) {
  const matrix = model.matrices[name];
  return matrix ? rowsIn(matrix.perHead, matrix.values, head) : undefined;
}

/**
 * The rows of a matrix that this head must have.
 * @type {OfMatrix<Rows>}
 */
export function requireRows(model, name, head) {
  const rows = rowsOf(model, name, head);
  if (!rows) throw new Error(`no table ${name} of head ${head}`);
  return rows;
}

/**
 * A matrix with another table of this head; all others are the same.
 * @param {Matrix} matrix
 * @param {number | null} head
 * @param {(rows: Rows) => Rows} change
 * @returns {Matrix}
 */
export function withTable(matrix, head, change) {
  const rows = rowsIn(matrix.perHead, matrix.values, head);
  if (!rows) return matrix;
  if (!matrix.perHead) return { ...matrix, values: change(rows) };
  return { ...matrix, values: matrix.values.map((table, at) => (at === head ? change(rows) : table)) };
}

/** @type {OfMatrix<boolean>} */
export function isEditable(model, name, head) {
  const { edit } = model.matrices[name];
  return Array.isArray(edit) ? Boolean(ofHead(edit, head)) : edit;
}

/** Whether only numbers can be changed: no token and no head comes, goes or is renamed. @param {Model} model */
export const isFixed = ({ check, controls }) => Boolean(check || !controls || controls.fixed);

/**
 * Whether its numbers were typed, here or elsewhere.
 * @type {OfMatrix<boolean>}
 */
export const wasTyped = (model, name, head) =>
  Boolean(isEditable(model, name, head) || model.matrices[name].given);

/**
 * Whether its numbers are claims: somebody writes down what he has worked out, and the matrix is computed all the same.
 * @type {(model: Model, name: string) => boolean}
 */
export const isClaim = (model, name) => Boolean(model.matrices[name]?.claim);

/** @type {OfMatrix<boolean>} */
export const isGiven = (model, name, head) => isEditable(model, name, head) && !isClaim(model, name);

/** @param {Value} value */
export const numberOf = (value) => (value === "-inf" ? -Infinity : Number(value));

/** @type {OfCell<Value | undefined>} */
export const valueAt = (model, cell) => rowsOf(model, cell.name, cell.head)?.[cell.row]?.[cell.col];

/** @type {OfCell<boolean>} */
export const exists = (model, cell) => valueAt(model, cell) !== undefined;

/**
 * The number of a cell that must exist.
 * @type {OfCell<Value>}
 */
export function requireValue(model, cell) {
  const value = valueAt(model, cell);
  if (value === undefined) throw new Error(`no number at ${key(cell)}`);
  return value;
}

/**
 * The head that holds a matrix for this head: heads may share keys and values.
 * @type {OfMatrix<number | null>}
 */
export function headOf(model, name, head) {
  const { perHead, owners } = model.matrices[name];
  return perHead ? (ofHead(owners, head) ?? head) : null;
}

/**
 * The letters along rows and along columns.
 * @type {(model: Model, name: string, index: string) => string[]}
 */
export function axesOf(model, name, index) {
  const letters = index.match(/\(\w\w\)|\w/g) ?? [];
  return model.matrices[name].axes.map((axis) =>
    axis === "1" ? "" : (letters.shift() ?? "").replace(/[()]/g, ""),
  );
}

/** @type {(model: Model, axis: string) => number} */
export function innerSize({ dims }, axis) {
  /** @type {Record<string, number | undefined>} */
  const sizes = { ij: dims.n_k, gk: dims.d_v, km: dims.d_freq, rm: dims.d_freq };
  return sizes[axis] ?? 2;
}

/**
 * The value of each letter in a cell.
 * @type {(model: Model, name: string, index: string, cell: Cell) => Record<string, number>}
 */
function lettersAt(model, name, index, { row, col }) {
  /** @type {Record<string, number>} */
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
 * The places along an axis where the letters have these values: all of `size` where the axis has other letters.
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
 * A cell's value of the letter that no operand has (softmax's key, a column of a pair); 0 where there is none.
 * @type {OfCell<number>}
 */
export function placeAlong(model, cell) {
  const { index, operands } = model.steps[cell.name];
  const own = ownLetter(index, operands);
  return own ? lettersAt(model, cell.name, index, cell)[own] : 0;
}

/**
 * The letter of a result that none of its operands has; "" where there is none.
 * @param {string} index of the result
 * @param {Operand[]} operands
 */
export function ownLetter(index, operands) {
  const read = operands.map(lettersOf).join("");
  return index.match(/\w/g)?.find((letter) => !read.includes(letter)) ?? "";
}

/**
 * The letter that is summed over: operands have it and the result has not; "" where there is none.
 * @param {{ index: string; ownHead?: string }} result
 * @param {Operand[]} operands
 */
export const summedLetter = ({ index, ownHead = "" }, operands) =>
  [...operands.map(lettersOf).join("")].find((letter) => !`${index}${ownHead}()`.includes(letter)) ?? "";

/**
 * The heads whose table a step reads that reads those of several heads: all that have it; for the table of one head,
 * those that share it.
 * @param {Model} model
 * @param {string} operand
 * @param {string} name of the step
 * @param {number | null} head of the step
 */
export const headsRead = (model, operand, name, head) =>
  [...Array(model.dims.h).keys()].filter(
    (own) => rowsOf(model, operand, own) && (head === null || headOf(model, name, own) === head),
  );

/**
 * The terms of a computed cell: a list of lists of cells; empty for an input.
 * @type {OfCell<Cell[][]>}
 */
export function termsOf(model, cell) {
  const step = model.steps[cell.name];
  if (!step || isGiven(model, cell.name, cell.head)) return [];
  /** @param {string} name */
  const ownerOf = (name) => headOf(model, name, cell.head);
  const operands = step.operands.filter(([name, , head]) => head || rowsOf(model, name, ownerOf(name)));
  const summed = summedLetter(step, operands);
  const at = lettersAt(model, cell.name, step.index, cell);
  if (step.ownHead) at[step.ownHead] = cell.head ?? 0;
  /** @param {string} name */
  const headsOf = (name) => headsRead(model, name, cell.name, cell.head);
  /** @type {(operand: Operand, k: number) => Cell} */
  const place = ([name, index, head], k) => {
    const letters = { ...at, [summed]: k };
    const [row, col] = axesOf(model, name, index).map((axis) => {
      const [outer, inner] = [...axis].map((letter) => letters[letter]);
      return inner === undefined ? (outer ?? 0) : outer * innerSize(model, axis) + inner;
    });
    return { name, head: head ? headsOf(name)[letters[head]] : ownerOf(name), row, col };
  };
  /** @param {Operand} operand */
  const has = (operand) => lettersOf(operand).includes(summed);
  const hasNot = (/** @type {Operand} */ operand) => !has(operand);
  const parts = step.adds ? [operands.filter(has), operands.filter(hasNot)] : [operands]; // a bias is a term of its own
  return parts
    .filter((part) => part.length)
    .flatMap((part) =>
      Array.from({ length: summedSize(model, part, summed, ownerOf, headsOf) }, (_, k) =>
        part.map((operand) => place(operand, k)),
      ),
    );
}

/** @param {Operand} operand */
const lettersOf = ([, index, head]) => head + index;

/**
 * The tables that a table is computed from, each once and in the order of its formula.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @returns {TableId[]}
 */
export function operandsOf(model, name, head) {
  const heads = [...Array(model.dims.h).keys()];
  const operands = model.steps[name].operands.flatMap(([operand, , every]) => {
    if (!model.matrices[operand]) return [];
    if (!isPerHead(model, operand)) return [{ name: operand, head: null }];
    return (every ? heads : [head]).map((own) => ({ name: operand, head: headOf(model, operand, own) }));
  });
  const present = operands.filter((table) => rowsOf(model, table.name, table.head));
  return [...new Map(present.map((table) => [`${table.name} ${table.head}`, table])).values()];
}

/**
 * The symbols of the given tables that a table is computed from, in the order of the page.
 * @type {OfMatrix<string[]>}
 */
export function sourcesOf(model, name, head) {
  const seen = new Set();
  const symbols = new Map();
  /** @param {TableId} table */
  const visit = (table) => {
    const id = `${table.name} ${table.head}`;
    if (seen.has(id)) return;
    seen.add(id);
    if (isGiven(model, table.name, table.head))
      symbols.set(table.name, symbolOf(model, table.name, table.head));
    else if (model.steps[table.name]) operandsOf(model, table.name, table.head).forEach(visit);
  };
  visit({ name, head });
  return Object.keys(model.matrices).flatMap((matrix) => symbols.get(matrix) ?? []);
}

/**
 * How many values the summed letter has in these operands; 1 where they lack it.
 * @param {Model} model
 * @param {Operand[]} operands
 * @param {string} summed
 * @param {(name: string) => number | null} ownerOf
 * @param {(name: string) => number[]} headsOf
 */
export function summedSize(model, operands, summed, ownerOf, headsOf) {
  for (const [name, index, head] of summed ? operands : []) {
    if (head === summed) return headsOf(name).length;
    const axes = axesOf(model, name, index);
    const at = axes.findIndex((axis) => axis.includes(summed));
    if (at < 0) continue;
    const rows = requireRows(model, name, ownerOf(name));
    const size = at ? rows[0].length : rows.length;
    if (axes[at].length < 2) return size;
    const inner = innerSize(model, axes[at]);
    return axes[at].endsWith(summed) ? inner : size / inner;
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
    for (const [operand, index, ofHeads] of step.operands) {
      if (operand !== cell.name) continue;
      /** @param {Cell} to */
      const add = (to) => fed.set(key(to), to);
      const letters = lettersAt(model, operand, index, cell);
      if (ofHeads && cell.head !== null) letters[ofHeads] = cell.head;
      const [down, across] = axesOf(model, name, step.index);
      const own = step.ownHead ? [letters[step.ownHead]] : ofHeads ? [headOf(model, name, cell.head)] : heads;
      for (const head of isPerHead(model, name) ? own : [null]) {
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
 * What every sentence calls a cell: X[1, 2], or A[1, 3] of head 2. The server's places.py says the same.
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
 * The tokens that a cell is about: its row's, its column's, or both.
 * @type {OfCell<string[]>}
 */
export const tokensOf = (model, { name, row, col }) =>
  [row, col]
    .map((at, n) => model.labels[model.matrices[name].axes[n]]?.[at])
    .filter((token) => token !== undefined);

/**
 * The same; one that its axis has more than once with its position: "s (9)".
 * @type {OfCell<string[]>}
 */
export const placedTokensOf = (model, { name, row, col }) =>
  [row, col].flatMap((at, n) => {
    const labels = model.labels[model.matrices[name].axes[n]];
    const token = labels?.[at];
    if (token === undefined) return [];
    return [labels.indexOf(token) === labels.lastIndexOf(token) ? token : `${token} (${at + 1})`];
  });

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
  Boolean(model.matrices[name]?.emptyRows && ofHead(model.dead, head)?.[row]);

/**
 * A row's label; a query that may attend to nothing is marked.
 * @type {(text: string, dead: boolean) => string}
 */
export const marked = (text, dead) => (dead ? `${text} ∅` : text);

/**
 * The pair of the mask that a computed cell is about, and whether it is hidden; null where a cell is about none.
 * @type {OfCell<{ cell: Cell; hidden: boolean } | null>}
 */
export function pairOf(model, { name, head, row, col }) {
  const { axes } = model.matrices[name];
  if (axes[0] !== "n_q" || axes[1] !== "n_k" || isEditable(model, name, head)) return null;
  const own = model.matrices.head_mask && head !== null ? headOf(model, "head_mask", head) : null;
  const cell = { name: own === null ? "mask" : "head_mask", head: own, row, col };
  const value = valueAt(model, cell);
  return { cell, hidden: value === false || value === "-inf" };
}

/**
 * Whether a weight is 0 because the mask hides its pair, as the trace's `hidden` has it.
 * @type {(model: Model, cell: Cell, value: Value) => boolean}
 */
export const isHidden = (model, cell, value) =>
  value === 0 && Boolean(model.matrices[cell.name].emptyRows && pairOf(model, cell)?.hidden);

/**
 * How a cell is coloured: by its number; a hidden weight like the mask's hidden pair.
 * @type {(model: Model, cell: Cell, value: Value) => string}
 */
export const kindAt = (model, cell, value) => (isHidden(model, cell, value) ? "hidden" : kindOf(value));

/**
 * How many decimals the numbers of a matrix are shown with: none where all are whole.
 * @type {OfMatrix<number>}
 */
export const decimalsOf = (model, name, head) =>
  isWhole(requireRows(model, name, head)) ? 0 : model.decimals;

/**
 * Number → text as the tables show it: a given one as it was typed, unless it has more decimals than are shown.
 * @type {OfMatrix<(value: Value) => string>}
 */
export const shownAs = (model, name, head) => shownIn(model, name, head, rowsOf(model, name, head) ?? []);

/**
 * The same for other rows of the matrix, such as those before an edit.
 * @type {(model: Model, name: string, head: number | null, rows: Rows) => (value: Value) => string}
 */
export function shownIn(model, name, head, rows) {
  if (isClaim(model, name)) return exact;
  if (wasTyped(model, name, head)) return givenIn(rows, model.decimals);
  const decimals = isWhole(rows) ? 0 : model.decimals;
  return (number) => format(number, decimals);
}

/** With more numbers no whole path is offered: finding it would take too long, and it would lead nearly everywhere. */
const MOST_FOLLOWED = 20_000;

/** @type {(model: Model) => boolean} */
export const canFollow = ({ matrices }) =>
  Object.values(matrices).reduce((sum, { values }) => sum + values.flat(2).length, 0) <= MOST_FOLLOWED;

/** The loss of a model with a goal, of which every backward table has the derivatives. @type {Cell} */
export const LOSS = { name: "loss", head: null, row: 0, col: 0 };

/**
 * Every cell that a cell is computed from, and every one that it goes into, directly or not; itself among them. The path
 * of a derivative has the loss, too.
 * @type {OfCell<Cell[]>}
 */
export function pathOf(model, cell) {
  const origins = reached(cell, (result) => termsOf(model, result).flat());
  const results = reached(cell, (operand) => fedBy(model, operand));
  const isBackward = model.learning?.stages.some(({ matrices }) => matrices.includes(cell.name));
  if (isBackward) origins.set(key(LOSS), LOSS);
  return [...new Map([...origins, ...results]).values()];
}

/**
 * All cells that can be reached from one, by their keys; itself among them.
 * @param {Cell} start
 * @param {(cell: Cell) => Cell[]} next
 */
function reached(start, next) {
  const cells = new Map([[key(start), start]]);
  for (const cell of cells.values()) // those that are added meanwhile, too
    for (const other of next(cell)) if (!cells.has(key(other))) cells.set(key(other), other);
  return cells;
}
