// The numbers of heads that a cell contains, as the page Models gets them from its server. No DOM here.

import { fill } from "../kit/dom.js";
import { weightsOf } from "../models/paint.js";
import { BOUND, readRun, withoutPrefix } from "../models/runs.js";

/** @typedef {import("../kit/binary.js").Numbers} Numbers */

export class Embedded {
  /**
   * @param {CellView} view
   * @param {Record<string, Numbers>} arrays of all views
   * @param {number} at the view's number
   * @param {Record<string, string>} words
   * @param {CellView["real"]} real what is shown without padding; null: everything
   */
  constructor(view, arrays, at, words, real) {
    this.view = view;
    this.arrays = withoutPrefix(arrays, `${at}/`);
    this.words = words;
    this.real = real;
    /** Everything, with padding. */
    this.whole = readRun({ header: view.run, arrays: this.arrays });
    /** What is shown. */
    this.run = real ? readRun({ header: real.run, arrays: withoutPrefix(this.arrays, "real/") }) : this.whole;
  }

  /**
   * A head's numbers: as many as the cell has.
   * @param {Pick<FittedPlace, "head">} place
   * @returns {Promise<HeadNumbers[]>}
   */
  async numbers({ head }) {
    return this.whole.sentences.map(({ n, m }, at) => {
      const factors = this.#factors(at, head);
      const unexplained = factors ? "" : this.#unexplained(at, head[0]);
      const numbers = { n, m, ...this.#weights(at, head), factors, unexplained };
      return this.real ? between(numbers, this.real) : numbers;
    });
  }

  /** The numbers of a sentence with this name. @type {(at: number, name: string) => Numbers | undefined} */
  #array(at, name) {
    return this.arrays[`${at}.${name}`];
  }

  /**
   * All weights of a head; without them the largest of each query, and the others from their levels, or as bounds.
   * @param {number} of the sentence
   * @param {HeadIndex} head
   * @returns {Pick<HeadNumbers, "weights" | "exact" | "sign">}
   */
  #weights(of, [layer, head]) {
    const { n, m } = this.whole.sentences[of];
    const all = /** @type {Float32Array | undefined} */ (this.#array(of, `weights.${layer}`));
    if (all) return { weights: all.subarray(head * n * m, (head + 1) * n * m), exact: null, sign: "" };
    const { keys, values, count } = this.#largest(of, layer, head);
    const levels = this.#array(of, `levels.${layer}`)?.subarray(head * n * m, (head + 1) * n * m);
    const weights = levels ? weightsOf(levels) : this.#bounds(of, layer, head, values, count);
    const exact = new Uint8Array(n * m);
    for (let query = 0; query < n; query++) {
      if (this.whole.causal) exact.fill(1, query * m + query + 1, (query + 1) * m); // these weights are 0
      for (let at = query * count; at < (query + 1) * count; at++) {
        weights[query * m + keys[at]] = values[at];
        exact[query * m + keys[at]] = 1;
      }
    }
    return { weights, exact, sign: levels ? "≈ " : BOUND };
  }

  /**
   * Bounds of a head's weights: none is larger than the smallest exact one of its query, or than the largest of its
   * block of the small map.
   * @param {number} of the sentence
   * @param {number} layer
   * @param {number} head
   * @param {Numbers} largest
   * @param {number} count of the largest ones of each query
   */
  #bounds(of, layer, head, largest, count) {
    const { n, m, block, side, width, maps } = this.whole.sentences[of];
    const bounds = new Float32Array(n * m);
    const first = (layer * this.whole.heads + head) * side * width;
    for (let query = 0; query < n; query++) {
      const least = largest[query * count + count - 1];
      const row = first + Math.floor(query / block) * width;
      const end = this.whole.causal ? query + 1 : m;
      for (let key = 0; key < end; key++) {
        const level = maps[row + Math.floor(key / block)] + 0.5; // it was rounded
        bounds[query * m + key] = Math.min(least, (level / 255) ** 2);
      }
    }
    return bounds;
  }

  /**
   * The largest weights of each query of a head, and their keys; at least the one that the small map comes with.
   * @param {number} of the sentence
   * @param {number} layer
   * @param {number} head
   */
  #largest(of, layer, head) {
    const { n, m, keys, tops } = this.whole.sentences[of];
    const at = (layer * this.whole.heads + head) * n;
    const [values, ofLayer] = ["largest", "largest_keys"].map((name) => this.#array(of, `${name}.${layer}`));
    if (!values || !ofLayer)
      return { keys: keys.subarray(at, at + n), values: tops.subarray(at, at + n), count: 1 };
    const count = Math.min(this.view.largest, m);
    const [start, stop] = [head * n * count, (head + 1) * n * count];
    return { keys: ofLayer.subarray(start, stop), values: values.subarray(start, stop), count };
  }

  /** @param {number} of @param {HeadIndex} head @returns {HeadFactors | null} */
  #factors(of, [layer, head]) {
    const { n, m } = this.whole.sentences[of];
    const { heads, patched = [], change } = this.whole;
    const isPatched = patched.some((other) => other.join() === `${layer},${head}`);
    const [allQ, allK] = ["q", "k"].map(
      (name) => /** @type {Float32Array} */ (this.#array(of, `${name}.${layer}`)),
    );
    if (!allQ || (isPatched && (of || !change))) return null;
    const d = allQ.length / heads / n;
    const group = Math.floor(head / (heads / (allK.length / d / m)));
    const [q, k] = [
      allQ.subarray(head * n * d, (head + 1) * n * d),
      allK.subarray(group * m * d, (group + 1) * m * d),
    ];
    const { divisor, root, softcap, sinks, causal } = this.view.layers[of][layer];
    const mask = this.#mask(of, layer, head, n * m);
    const hides = mask instanceof Uint8Array;
    /** @type {HeadFactors["score"]} */
    const score = (query, key) => {
      const isHidden = (causal && key > query) || (hides && !mask[query * m + key]);
      if (isHidden || (mask && !hides && mask[query * m + key] === Number.NEGATIVE_INFINITY))
        return Number.NEGATIVE_INFINITY;
      let sum = 0;
      for (let at = 0; at < d; at++) sum += q[query * d + at] * k[key * d + at];
      return sum;
    };
    /** @type {HeadFactors["added"]} */
    const added = (query, key) => (mask && !hides ? mask[query * m + key] : 0);
    return { d, divisor, root, softcap, sink: sinks[head], q, k, score, added };
  }

  /** The part of a layer's mask that is one head's. @type {(of: number, layer: number, head: number, size: number) => Numbers | null} */
  #mask(of, layer, head, size) {
    const mask = this.#array(of, `mask.${layer}`);
    if (!mask) return null;
    return mask.length > size ? mask.subarray(head * size, (head + 1) * size) : mask;
  }

  /** Why there is no arithmetic. @param {number} of @param {number} layer */
  #unexplained(of, layer) {
    const { words, view } = this;
    if (!view.factor_bytes || view.factors) return words.score_unknown;
    const { code } = view.layers[of][layer];
    return fill(words[view.alone ? "score_alone" : "score_absent"], { code });
  }
}

/**
 * Of a head's numbers those of some queries and keys.
 * @param {HeadNumbers} numbers
 * @param {{ rows: number[]; keys: number[] }} places
 * @returns {HeadNumbers}
 */
function between({ m, weights, exact, factors, ...rest }, { rows, keys }) {
  const places = rows.flatMap((query) => keys.map((key) => query * m + key));
  return {
    ...rest,
    n: rows.length,
    m: keys.length,
    weights: Float32Array.from(places, (place) => weights[place]),
    exact: exact && Uint8Array.from(places, (place) => exact[place]),
    factors: factors && {
      ...factors,
      q: rowsOf(factors.q, rows, factors.d),
      k: rowsOf(factors.k, keys, factors.d),
      score: (query, key) => factors.score(rows[query], keys[key]),
      added: (query, key) => factors.added(rows[query], keys[key]),
    },
  };
}

/** @type {(matrix: Float32Array, rows: number[], d: number) => Float32Array} */
const rowsOf = (matrix, rows, d) =>
  Float32Array.from({ length: rows.length * d }, (_, at) => matrix[rows[Math.floor(at / d)] * d + (at % d)]);
