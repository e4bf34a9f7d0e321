// Pieces of words, joined to words. No DOM here.

import { isolated } from "../../kit/quoted.js";

/**
 * The pieces of each word, in order; a special token stands alone.
 * @param {Pick<ModelTokens, "words">} tokens
 * @returns {number[][]}
 */
export function groups({ words }) {
  /** @type {number[][]} */
  const grouped = [];
  for (const [at, word] of words.entries()) {
    const last = grouped.at(-1);
    if (last && word !== null && words[at - 1] === word) last.push(at);
    else grouped.push([at]);
  }
  return grouped;
}

/**
 * Whether any word has several pieces.
 * @param {ModelTokens} tokens
 */
export const inPieces = (tokens) => groups(tokens).length < tokens.texts.length;

/**
 * Weights between words, row by row: to a word the sum over its pieces, from a word the mean of its pieces.
 * @param {Float32Array} weights n × m
 * @param {number} m
 * @param {number[][]} rows the pieces of each word of the queries
 * @param {number[][]} [cols] of the keys; by default the same
 * @returns {Float32Array} as many rows and columns as there are words
 */
export function merged(weights, m, rows, cols = rows) {
  if (rows.length * cols.length === weights.length) return weights; // each piece is a word
  const result = new Float32Array(rows.length * cols.length);
  for (const [row, queries] of rows.entries())
    for (const [col, keys] of cols.entries()) {
      let sum = 0;
      for (const query of queries) for (const key of keys) sum += weights[query * m + key];
      result[row * cols.length + col] = sum / queries.length;
    }
  return result;
}

/**
 * Texts, those that occur more than once with a number: the₁ cat saw the₂ dog.
 * @param {string[]} texts
 * @returns {string[]}
 */
export function numbered(texts) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const places = texts.map((text) => {
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count;
  });
  return texts.map((text, at) => isolated((counts.get(text) ?? 0) > 1 ? text + subscript(places[at]) : text));
}

/** A number in subscript digits. @param {number} number */
const subscript = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[Number(digit)]);

/**
 * The names of groups of pieces: one piece as it is, several as the word that they make. Repeated names are numbered.
 * @param {Pick<ModelTokens, "texts">} tokens
 * @param {number[][]} words
 */
export function joined({ texts }, words) {
  /** @param {number[]} pieces */
  const word = (pieces) => pieces.map((at) => texts[at].replace(/^##/, "")).join("");
  return numbered(words.map((pieces) => (pieces.length > 1 ? word(pieces) : texts[pieces[0]])));
}
