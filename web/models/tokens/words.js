// Word pieces taken together as words. No DOM here.

import { isolated } from "../../kit/quoted.js";

/**
 * The pieces of each word, in order; a special token stands alone.
 * @param {ModelTokens} tokens
 * @returns {number[][]}
 */
export function groups({ words }) {
  /** @type {number[][]} */
  const grouped = [];
  for (const [at, word] of words.entries())
    if (word !== null && at > 0 && words[at - 1] === word) grouped.at(-1).push(at);
    else grouped.push([at]);
  return grouped;
}

/**
 * Whether any word is in several pieces.
 * @param {ModelTokens} tokens
 */
export const inPieces = (tokens) => groups(tokens).length < tokens.texts.length;

/**
 * Weights between words, row by row: to a word the sum over its pieces, from a word the mean of its pieces'.
 * @param {Float32Array} weights n × n
 * @param {number} n
 * @param {number[][]} words
 * @returns {Float32Array} as many rows and columns as there are words
 */
export function merged(weights, n, words) {
  const size = words.length;
  const result = new Float32Array(size * size);
  for (const [row, queries] of words.entries())
    for (const [col, keys] of words.entries()) {
      let sum = 0;
      for (const query of queries) for (const key of keys) sum += weights[query * n + key];
      result[row * size + col] = sum / queries.length;
    }
  return result;
}

/**
 * Texts with a number to each that stands there more than once: the₁ cat saw the₂ dog.
 * @param {string[]} texts
 * @returns {string[]}
 */
export function numbered(texts) {
  const counted = new Map();
  const places = texts.map((text) => {
    counted.set(text, (counted.get(text) ?? 0) + 1);
    return counted.get(text);
  });
  return texts.map((text, at) => isolated(counted.get(text) > 1 ? text + lowered(places[at]) : text));
}

/** A number in subscript digits. */
const lowered = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);

/**
 * The names of such groups of pieces: one piece as it is, several as the word that they make, what is repeated numbered.
 * @param {ModelTokens} tokens
 * @param {number[][]} words
 */
export function joined({ texts }, words) {
  const text = (pieces) => pieces.map((at) => texts[at].replace(/^##/, "")).join("");
  return numbered(words.map((pieces) => (pieces.length > 1 ? text(pieces) : texts[pieces[0]])));
}
