// Which tokens of a sentence, or of two, are drawn, and where: as pieces or as words, special tokens hidden or not. What
// is chosen and held is a token of the first sentence; a picture has its own rows. No DOM here.

import { counterpart } from "../runs.js";
import { groups, joined, merged } from "./words.js";

export class Drawn {
  /**
   * @param {ModelRun} run
   * @param {{ asWords: boolean; hides: boolean }} how
   */
  constructor(run, { asWords, hides }) {
    this.run = run;
    /** Of each sentence what is drawn, each by its pieces. */
    this.groups = run.sentences.map((tokens) => {
      const all = asWords ? groups(tokens) : tokens.texts.map((_, at) => [at]);
      return hides ? all.filter(([at]) => !tokens.special[at]) : all;
    });
    this.names = run.sentences.map((tokens, at) => joined(tokens, this.groups[at]));
    /** What stands in both sentences: where it is drawn in each. */
    this.common = run.aligned
      .map(([one, other]) => /** @type {[number, number]} */ ([this.#in(0, one), this.#in(1, other)]))
      .filter(([one, other]) => one >= 0 && other >= 0);
  }

  /**
   * A sentence's weights as they are drawn.
   * @param {number} which
   * @param {Float32Array} weights
   */
  weights(which, weights) {
    return merged(weights, this.run.sentences[which].n, this.groups[which]);
  }

  /** Where a token of a sentence is drawn; −1 where it is hidden. */
  #in(which, token) {
    return this.groups[which].findIndex((pieces) => pieces.includes(token));
  }

  /**
   * Where a picture has a token of the first sentence; null where it has none.
   * @param {Pictured} picture
   * @param {number | null} token
   */
  place(picture, token) {
    const second = picture === "second";
    const index = second ? counterpart(this.run, token) : token;
    if (index === null) return null;
    const own = this.#in(second ? 1 : 0, index);
    const at = picture === "difference" ? this.common.findIndex(([one]) => one === own) : own;
    return at < 0 ? null : at;
  }

  /**
   * Which token of the first sentence stands at a place of a picture; null where none does.
   * @param {Pictured} picture
   * @param {number} at
   */
  token(picture, at) {
    if (picture === "difference") return this.groups[0][this.common[at][0]][0];
    if (picture === "first") return this.groups[0][at][0];
    const [there] = this.groups[1][at];
    return this.run.aligned.find(([, other]) => other === there)?.[0] ?? null;
  }

  /**
   * A pair in a picture, and back; null where either is not there.
   * @param {Pictured} picture
   * @param {Pair | null} pair
   */
  pairIn(picture, pair) {
    return pairOf(pair, (token) => this.place(picture, token));
  }

  /**
   * @param {Pictured} picture
   * @param {Pair | null} pair
   */
  pairFrom(picture, pair) {
    return pairOf(pair, (at) => this.token(picture, at));
  }

  /** The names of what stands in both sentences. */
  get commonNames() {
    const [first, second] = this.names;
    return this.common.map(([one, other]) => either(first[one], second[other]));
  }
}

/**
 * One name, or both where they are not the same.
 * @param {string} one
 * @param {string} other
 */
export const either = (one, other) => (one === other ? one : `${one} / ${other}`);

/** @returns {Pair | null} */
function pairOf(pair, to) {
  if (!pair) return null;
  const [query, key] = [to(pair.query), to(pair.key)];
  return query === null || key === null ? null : { query, key };
}
