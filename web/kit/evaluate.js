// The declared steps worked out in the browser, so that numbers follow an edit in the same frame. The server's numbers
// come after them and are the ones that stay. The rules for letters are those of graph.js.
//
// A step reads each operand at an offset that is linear in its letters: what a row of the result adds to it, what a
// column adds, and what each value of the summed letter adds. An operation sees only the numbers of one cell's terms.

import {
  axesOf,
  headOf,
  headsRead,
  innerSize,
  isClaim,
  isGiven,
  isPerHead,
  numberOf,
  ownLetter,
  requireRows,
  rowsOf,
  summedLetter,
  summedSize,
  withTable,
} from "./graph.js";

/**
 * One cell: `factors` has the numbers of each operand, over the summed letter; `biases` are terms of their own. `at` is
 * the value of the letter that no operand has (a key of softmax, a column of a pair), `constant` the layer's setting.
 * `shared` is what an operation keeps for the next cells of a row that have the same terms.
 * @typedef {{
 *   factors: Float64Array[]; biases: Float64Array; at: number; constant: number; shared: Float64Array | null;
 * }} Terms
 */

/**
 * The sum of products, with Neumaier's compensation: as exact as one rounding.
 * @param {Terms} terms
 */
function sumOfProducts({ factors, biases }) {
  let [sum, lost] = [0, 0];
  const size = factors.length ? factors[0].length : 0;
  for (let k = 0; k < size + biases.length; k++) {
    let term = k < size ? factors[0][k] : biases[k - size];
    if (k < size) for (let n = 1; n < factors.length; n++) term *= factors[n][k];
    const next = sum + term;
    lost += Math.abs(sum) >= Math.abs(term) ? sum - next + term : term - next + sum;
    sum = next;
  }
  return Number.isFinite(lost) ? sum + lost : sum;
}

/**
 * Softmax of a row; a row of −∞ alone becomes 0. A sink is one more score in the sum.
 * @param {Float64Array} scores
 * @param {Float64Array} sink
 */
function weights(scores, sink) {
  const top = [...scores, ...sink].reduce((most, score) => Math.max(most, score));
  if (top === -Infinity) return new Float64Array(scores.length);
  const powers = scores.map((score) => Math.exp(score - top));
  const extra = sink.reduce((total, score) => total + Math.exp(score - top), 0);
  const sum = powers.reduce((total, power) => total + power, extra);
  return powers.map((power) => power / sum);
}

/**
 * The sum of what is made of the k-th number of each factor.
 * @param {Terms} terms
 * @param {(...numbers: number[]) => number} ofTerm
 */
function summed({ factors }, ofTerm) {
  const terms = Float64Array.from(factors[0], (_, k) => ofTerm(...factors.map((factor) => factor[k])));
  return sumOfProducts({ factors: [terms], biases: NONE, at: 0, constant: 0, shared: null });
}

const NONE = new Float64Array(0);

/** @type {(a: number, by: number) => number} 0 where the divisor is 0. */
const quotient = (a, by) => (by === 0 ? 0 : a / by);

/** The operations of a goal and of the backward pass. @type {Record<string, (terms: Terms) => number>} */
const BACKWARD = {
  subtract: ({ factors: [a, b, given] }) => (given?.[0] === 0 ? 0 : a[0] - b[0]),
  squared_error: (terms) => summed(terms, (a, b, given = 1) => (given ? (a - b) ** 2 : 0)) / 2,
  cross_entropy: (terms) => 0 - summed(terms, (target, a) => (target ? target * Math.log(a) : 0)),
  cross_step: ({ factors: [target, a] }) => 0 - quotient(target[0], a[0]),
  total: sumOfProducts,
  row_sums: sumOfProducts,
  add_up: ({ factors }) => factors.reduce((sum, [number]) => sum + number, 0),
  block: ({ factors: [a] }) => a[0],
  pairs: ({ factors: [a] }) => a[0],
  softmax_step: ({ factors: [a, d, r] }) => a[0] * (d[0] - r[0]),
  unmask: ({ factors: [d, allow] }) => (allow[0] ? d[0] : 0),
  sink_softmax({ factors: [scores], biases: [sink] }) {
    const top = scores.reduce((most, score) => Math.max(most, score), sink);
    return Math.exp(sink - top) / scores.reduce((sum, s) => sum + Math.exp(s - top), Math.exp(sink - top));
  },
  sink_step: ({ factors: [a, r] }) => 0 - a[0] * r[0],
  tanh_step: ({ factors: [d, t] }) => d[0] * (1 - t[0] * t[0]),
  softcap_step: ({ factors: [d, a], constant }) => d[0] * (1 - (a[0] / constant) ** 2),
  norm_step: (terms) => 0 - summed(terms, (d, u, n) => quotient(d * u, n)),
  normalize_step: ({ factors: [d, n, dn, u] }) => (n[0] === 0 ? 0 : d[0] / n[0] + dn[0] * u[0]),
  rms_step: ({ factors: [d, g, r, dr, a], constant }) =>
    (d[0] * g[0]) / r[0] + (dr[0] * a[0]) / (constant * r[0]),
  gain_step: (terms) => summed(terms, (d, a, r) => (d * a) / r),
  rotate_back({ factors: [row, angles], at }) {
    const [cosine, sine] = [Math.cos(angles[0]), Math.sin(angles[0])];
    return at ? row[1] * cosine - row[0] * sine : row[0] * cosine + row[1] * sine;
  },
  turn_step: ({ factors: [row, d] }) => row[0] * d[1] - row[1] * d[0],
  sinusoid_step: ({ factors: [d, angles] }) => d[0] * Math.cos(angles[0]) - (d[1] ?? 0) * Math.sin(angles[0]),
  mean_step: ({ factors: [d, a, r], constant }) => (d[0] * a[0]) / (constant * r[0]),
  sign_sums: (terms) => 0 - summed(terms, (d, m, p, q) => d * m * Math.sign(p - q)),
  distance_sums: (terms) => 0 - summed(terms, (d, p, q) => d * Math.abs(p - q)),
};

/** @type {Record<string, (terms: Terms) => number>} */
const OPERATIONS = {
  ...BACKWARD,
  matmul: sumOfProducts,
  sum: sumOfProducts,
  multiply: ({ factors: [a, b] }) => a[0] * b[0],
  divide: ({ factors: [a], constant }) => a[0] / constant,
  masked_fill: ({ factors: [a, allow], constant }) => (allow[0] ? a[0] : constant),
  add: ({ factors: [a, b] }) => a[0] + b[0],
  copy: ({ factors: [a] }) => a[0],
  concat: ({ factors: [a] }) => a[0],
  tanh: ({ factors: [a] }) => Math.tanh(a[0]),
  norm: ({ factors: [a] }) => Math.hypot(...a),
  rms: ({ factors: [a], constant }) =>
    Math.sqrt(a.reduce((sum, number) => sum + number * number, 0) / a.length + constant),
  gain: ({ factors: [a, rms, gain] }) => (a[0] / rms[0]) * gain[0],
  normalize: ({ factors: [a, b] }) => (b[0] === 0 ? 0 : a[0] / b[0]),
  sinusoid: ({ factors: [a], at }) => (at ? Math.cos(a[0]) : Math.sin(a[0])),
  softcap: ({ factors: [a], constant }) => constant * Math.tanh(a[0] / constant),
  linear_bias: ({ factors: [slope, a, b] }) => 0 - slope[0] * Math.abs(a[0] - b[0]),
  rotate({ factors: [row, angles], at }) {
    const [cosine, sine] = [Math.cos(angles[0]), Math.sin(angles[0])];
    return at ? row[0] * sine + row[1] * cosine : row[0] * cosine - row[1] * sine;
  },
  softmax(terms) {
    terms.shared ??= weights(terms.factors[0], terms.biases);
    return terms.shared[terms.at];
  },
};

/** The operations that the browser can work out. */
export const KNOWN = Object.keys(OPERATIONS);

/**
 * Work out every table that follows from these and put it in the place of the model's, which stays as it is. Nothing
 * follows from a claim. Returns the names of all tables with new numbers, these among them; null, with nothing changed,
 * where a step has an operation that is not known here.
 * @param {Model} model
 * @param {Iterable<string>} changed names of matrices or of constants
 * @returns {Set<string> | null}
 */
export function evaluate(model, changed) {
  const names = new Set(changed);
  const following = inOrder(model).filter((name) => {
    const { operands, constant } = model.steps[name];
    const reads = operands.map(([operand]) => operand);
    const isKnown = ![name, ...reads].some((read) => isClaim(model, read));
    const follows = isKnown && (names.has(constant ?? "") || reads.some((read) => names.has(read)));
    if (follows) names.add(name);
    return follows;
  });
  if (following.some((name) => !OPERATIONS[model.steps[name].op])) return null;
  const numbers = new Numbers(model);
  for (const name of following) {
    for (const head of headsOf(model, name)) workOut(model, numbers, name, head);
    numbers.forget(name);
  }
  if (names.has("masked_scores")) markEmptyRows(model);
  chooseShifts(model, names);
  return new Set([...names].filter((name) => model.matrices[name]));
}

/**
 * The steps, each after those that it reads. Heads that start further on may have put one before its operands.
 * @param {Model} model
 */
function inOrder({ steps }) {
  /** @type {Set<string>} */
  const ordered = new Set();
  const visit = (/** @type {string} */ name) => {
    if (!steps[name] || ordered.has(name)) return;
    for (const [operand] of steps[name].operands) visit(operand);
    ordered.add(name);
  };
  Object.keys(steps).forEach(visit);
  return [...ordered];
}

/** The heads that compute a table of their own; [null] for the layer's. @type {(model: Model, name: string) => (number | null)[]} */
function headsOf(model, name) {
  if (!model.matrices[name]) return [];
  if (!isPerHead(model, name)) return [null];
  const heads = [...Array(model.dims.h).keys()];
  return heads.filter(
    (head) => headOf(model, name, head) === head && rowsOf(model, name, head) && !isGiven(model, name, head),
  );
}

/** A query that may attend to nothing has only −∞ among its masked scores. @param {Model} model */
function markEmptyRows(model) {
  if (!model.dead) return;
  model.dead = model.dead.map((before, head) => {
    const rows = rowsOf(model, "masked_scores", head);
    return rows ? rows.map((row) => row.every((score) => score === "-inf")) : before;
  });
}

const LEAST_POWER = -2; // as mha_core/compute/trace.py has them
const MOST_POWER = 9;

/**
 * What softmax takes from the scores of each row, where these or the sinks are among the names.
 * @type {(model: Model, names: Set<string>) => void}
 */
function chooseShifts(model, names) {
  const softmax = Object.values(model.steps).find(({ op }) => op === "softmax");
  const [scores, sink] = softmax?.operands.map(([name]) => name) ?? [];
  if (!(scores && [scores, sink].some((name) => names.has(name))) || isClaim(model, scores)) return;
  model.shifts = model.shifts.map((before, head) => {
    const rows = rowsOf(model, scores, head);
    return rows ? shiftsOf(rows, sink ? (rowsOf(model, sink, head)?.flat() ?? []) : []) : before;
  });
}

/**
 * Nothing where the powers of all rows are easy to read, else the largest score of each row, or the sink above it.
 * @type {(rows: Rows, sink: Value[]) => number[]}
 */
function shiftsOf(rows, sink) {
  const tops = rows.map((row) => Math.max(...[...row, ...sink].map(numberOf)));
  const isReadable = (/** @type {number} */ top) =>
    top === -Infinity || (top >= LEAST_POWER && top <= MOST_POWER);
  if (tops.every(isReadable)) return tops.map(() => 0);
  return tops.map((top) => (top === -Infinity ? 0 : top));
}

/** The numbers of tables, row after row; those of all heads one after the other where they are read of every head. */
class Numbers {
  /** @type {Map<string, Float64Array>} */
  #flat = new Map();

  /** @param {Model} model */
  constructor(model) {
    this.model = model;
  }

  /**
   * @param {string} name
   * @param {(number | null)[]} heads
   */
  of(name, heads) {
    const id = `${name}|${heads}`;
    const known = this.#flat.get(id);
    if (known) return known;
    const tables = heads.map((head) => requireRows(this.model, name, head));
    const flat = new Float64Array(tables.length * tables[0].length * tables[0][0].length);
    let at = 0;
    for (const rows of tables)
      for (const row of rows)
        for (const value of row) flat[at++] = typeof value === "number" ? value : numberOf(value);
    this.#flat.set(id, flat);
    return flat;
  }

  /** @param {string} name of a table that has new numbers */
  forget(name) {
    for (const id of this.#flat.keys()) if (id.startsWith(`${name}|`)) this.#flat.delete(id);
  }
}

/**
 * How far apart the numbers of an operand are that differ by one in a letter.
 * @type {(model: Model, operand: Operand, rows: Rows) => Record<string, number>}
 */
function stridesOf(model, [name, index, head], rows) {
  const cols = rows[0].length;
  /** @type {Record<string, number>} */
  const strides = head ? { [head]: rows.length * cols } : {};
  axesOf(model, name, index).forEach((axis, n) => {
    const unit = n ? 1 : cols;
    if (axis.length === 2) strides[axis[0]] = unit * innerSize(model, axis);
    if (axis) strides[axis.slice(-1)] = unit;
  });
  return strides;
}

/**
 * What each place along an axis of the result adds to an offset with these strides.
 * @type {(model: Model, axis: string, size: number, strides: Record<string, number>) => Int32Array}
 */
function offsetsAlong(model, axis, size, strides) {
  const inner = axis.length === 2 ? innerSize(model, axis) : 1;
  const [outer, within] = axis.length === 2 ? [...axis] : [axis, ""];
  return Int32Array.from(
    { length: size },
    (_, at) => Math.floor(at / inner) * (strides[outer] ?? 0) + (at % inner) * (strides[within] ?? 0),
  );
}

/**
 * How a table reads an operand: its numbers, and what each row, each column and each value of the summed letter adds to
 * the offset. `isFactor`: it is multiplied with the others; else it is a term of its own.
 * @typedef {{ flat: Float64Array; rows: Int32Array; cols: Int32Array; step: number; isFactor: boolean }} Reading
 */

/**
 * Work out one table of a step.
 * @param {Model} model
 * @param {Numbers} numbers
 * @param {string} name
 * @param {number | null} head
 */
function workOut(model, numbers, name, head) {
  const { op, index, ownHead, adds, operands: declared, constant } = model.steps[name];
  const before = requireRows(model, name, head);
  const [height, width] = [before.length, before[0].length];
  const [down, across] = axesOf(model, name, index);
  const ownerOf = (/** @type {string} */ operand) => headOf(model, operand, head);
  const operands = declared.filter(([operand, , every]) => every || rowsOf(model, operand, ownerOf(operand)));
  const summed = summedLetter(model.steps[name], operands);
  const everyHead = (/** @type {string} */ operand) => headsRead(model, operand, name, head);
  const along = (/** @type {Record<string, number>} */ strides) => ({
    rows: offsetsAlong(model, down, height, strides),
    cols: offsetsAlong(model, across, width, strides),
  });
  /** @type {(operand: Operand) => Reading} */
  const reading = (operand) => {
    const [of, , every] = operand;
    const heads = every ? everyHead(of) : [ownerOf(of)];
    const strides = stridesOf(model, operand, requireRows(model, of, heads[0]));
    const isFactor = !adds || summed in strides;
    const { rows, cols } = along(strides);
    const start = (head ?? 0) * (strides[ownHead ?? ""] ?? 0); // the columns of one head
    const flat = numbers.of(of, heads);
    return { rows: rows.map((row) => row + start), cols, flat, step: strides[summed] ?? 0, isFactor };
  };
  const readings = operands.map(reading);
  const at = along({ [ownLetter(index, operands)]: 1 });
  const isRepeated = [...at.cols.keys()].map(
    (col) => col > 0 && readings.every(({ cols }) => cols[col] === cols[col - 1]),
  );
  const size = summedSize(model, operands, summed, ownerOf, everyHead);
  const cells = new Cells(readings, size, numberOf(model.constants[constant ?? ""] ?? Number.NaN));
  /** @type {Value[][]} */
  const rows = [];
  for (let row = 0; row < height; row++) {
    rows.push([]);
    for (let col = 0; col < width; col++) {
      if (!isRepeated[col]) cells.read(row, col);
      cells.terms.at = at.rows[row] + at.cols[col];
      const value = OPERATIONS[op](cells.terms);
      rows[row].push(value === -Infinity ? "-inf" : value);
    }
  }
  model.matrices[name] = withTable(model.matrices[name], head, () => rows);
}

/** The terms of one cell after the other. */
class Cells {
  #factors;
  #biases;

  /**
   * @param {Reading[]} readings
   * @param {number} size of the summed letter
   * @param {number} constant
   */
  constructor(readings, size, constant) {
    this.#factors = readings.filter(({ isFactor }) => isFactor);
    this.#biases = readings.filter(({ isFactor }) => !isFactor);
    /** @type {Terms} */
    this.terms = {
      factors: this.#factors.map(() => new Float64Array(size)),
      biases: new Float64Array(this.#biases.length),
      at: 0,
      constant,
      shared: null,
    };
  }

  /**
   * @param {number} row
   * @param {number} col
   */
  read(row, col) {
    const { terms } = this;
    for (let n = 0; n < this.#factors.length; n++) {
      const { flat, rows, cols, step } = this.#factors[n];
      const into = terms.factors[n];
      for (let k = 0, at = rows[row] + cols[col]; k < into.length; k++, at += step) into[k] = flat[at];
    }
    for (let n = 0; n < this.#biases.length; n++) {
      const { flat, rows, cols } = this.#biases[n];
      terms.biases[n] = flat[rows[row] + cols[col]];
    }
    terms.shared = null;
  }
}
