// Word pieces taken together as words. No DOM here.

/**
 * The pieces of each word, in order; a special token stands alone.
 * @param {ModelTokens} tokens
 * @returns {number[][]}
 */
export function groups({ words }) {
  /** @type {number[][]} */
  const found = [];
  for (const [at, word] of words.entries())
    if (word !== null && at > 0 && words[at - 1] === word) found.at(-1).push(at);
    else found.push([at]);
  return found;
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
  const found = new Float32Array(size * size);
  for (const [row, queries] of words.entries())
    for (const [col, keys] of words.entries()) {
      let sum = 0;
      for (const query of queries) for (const key of keys) sum += weights[query * n + key];
      found[row * size + col] = sum / queries.length;
    }
  return found;
}

/**
 * The texts of such groups of pieces: one piece as it is, several as the word that they make.
 * @param {ModelTokens} tokens
 * @param {number[][]} words
 */
export function joined({ texts }, words) {
  const text = (pieces) => pieces.map((at) => texts[at].replace(/^##/, "")).join("");
  return words.map((pieces) => (pieces.length > 1 ? text(pieces) : texts[pieces[0]]));
}
