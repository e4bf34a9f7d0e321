// Which tokens of a sentence, or of two, are shown, and where: as pieces or as words, with special tokens or without.
// The page's place names tokens of the first sentence; a picture has rows of its own. No DOM here.

import { counterpart } from "../runs.js";
import { groups, joined, merged } from "./words.js";

export class ShownTokens {
  /** @param {ModelRun} run @param {{ asWords: boolean; hides: boolean }} how */
  constructor(run, { asWords, hides }) {
    this.run = run;
    this.how = { asWords, hides };
    /** For each sentence its rows, each the tokens that it stands for. */
    this.groups = run.sentences.map((tokens) => {
      const all = asWords ? groups(tokens) : tokens.texts.map((_, at) => [at]);
      return hides ? all.filter(([at]) => !tokens.special[at]) : all;
    });
    /** The same of the keys, which are other tokens in cross-attention. */
    this.keyGroups = run.sentences.map(({ texts, keyTexts }, at) =>
      keyTexts === texts ? this.groups[at] : keyTexts.map((_, key) => [key]),
    );
    this.names = run.sentences.map((tokens, at) => joined(tokens, this.groups[at]));
    this.keyNames = run.sentences.map(({ keyTexts }, at) => joined({ texts: keyTexts }, this.keyGroups[at]));
    /** Rows of both sentences that correspond. @type {[number, number][]} */
    this.common = [];
    for (const [token, other] of run.aligned) {
      const [row, otherRow] = [this.#row(0, token), this.#row(1, other)];
      if (row >= 0 && otherRow >= 0) this.common.push([row, otherRow]);
    }
    /** The same of keys. @type {[number, number][]} */
    this.commonKeys = this.#hasOtherKeys ? this.keyGroups[0].map((_, key) => [key, key]) : this.common;
  }

  /** Whether these are a run's tokens, shown so. @param {ModelRun} run @param {{ asWords: boolean; hides: boolean }} how */
  isOf(run, { asWords, hides }) {
    return run === this.run && asWords === this.how.asWords && hides === this.how.hides;
  }

  /**
   * A sentence's weights between its rows.
   * @param {number} which
   * @param {Float32Array} weights
   */
  weights(which, weights) {
    return merged(weights, this.run.sentences[which].m, this.groups[which], this.keyGroups[which]);
  }

  /** The row of a token in a sentence; −1 where it is hidden. @type {(which: number, token: number) => number} */
  #row(which, token) {
    return this.groups[which].findIndex((pieces) => pieces.includes(token));
  }

  /**
   * The row of a picture for a token of the first sentence; null where it has none.
   * @param {PictureOf} picture
   * @param {number | null} token
   */
  place(picture, token) {
    const isSecond = picture === "second";
    const index = isSecond ? counterpart(this.run, token) : token;
    if (index === null) return null;
    const row = this.#row(isSecond ? 1 : 0, index);
    const at = picture === "difference" ? this.common.findIndex(([first]) => first === row) : row;
    return at < 0 ? null : at;
  }

  /**
   * The token of the first sentence in a row of a picture; null where there is none.
   * @param {PictureOf} picture
   * @param {number} at
   */
  token(picture, at) {
    if (picture === "difference") return this.groups[0][this.common[at][0]][0];
    if (picture === "first") return this.groups[0][at][0];
    const [inSecond] = this.groups[1][at];
    return this.run.aligned.find(([, other]) => other === inSecond)?.[0] ?? null;
  }

  /**
   * A pair of tokens as rows of a picture; null where either is missing.
   * @param {PictureOf} picture
   * @param {Pair | null} pair
   */
  pairIn(picture, pair) {
    return mapPair(
      pair,
      (token) => this.place(picture, token),
      (key) => this.#keyPlace(picture, key),
    );
  }

  /** The column of a key; where keys are the queries, as the row of a query. @type {(picture: PictureOf, key: number) => number | null} */
  #keyPlace(picture, key) {
    return this.#hasOtherKeys ? key : this.place(picture, key);
  }

  get #hasOtherKeys() {
    return this.keyGroups[0] !== this.groups[0];
  }

  /**
   * Rows of a picture as a pair of tokens; null where either is missing.
   * @param {PictureOf} picture
   * @param {Pair | null} pair
   */
  pairFrom(picture, pair) {
    return mapPair(
      pair,
      (at) => this.token(picture, at),
      (at) => (this.#hasOtherKeys ? at : this.token(picture, at)),
    );
  }

  /** The names of the rows and columns that correspond. @returns {{ texts: string[]; keyTexts: string[] }} */
  get commonNames() {
    /** @type {(names: string[][], pairs: [number, number][]) => string[]} */
    const named = ([first, second], pairs) => pairs.map(([row, other]) => either(first[row], second[other]));
    return { texts: named(this.names, this.common), keyTexts: named(this.keyNames, this.commonKeys) };
  }
}

/**
 * One name, or both where they differ.
 * @param {string} one
 * @param {string} other
 */
export const either = (one, other) => (one === other ? one : `${one} / ${other}`);

/** @typedef {(at: number) => number | null} Map */

/** @type {(pair: Pair | null, ofQuery: Map, ofKey: Map) => Pair | null} */
function mapPair(pair, ofQuery, ofKey) {
  if (!pair) return null;
  const [query, key] = [ofQuery(pair.query), ofKey(pair.key)];
  return query === null || key === null ? null : { query, key };
}
