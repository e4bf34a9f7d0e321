// A model's answer, and what is read off it. No DOM here.

import { numbered } from "./tokens/words.js";

/** @typedef {Float32Array | Uint16Array | Uint8Array} Numbers */

/** The sign of a weight that is only bounded. */
export const BOUND = "≤ ";

/** The run that is shown before there is one. @type {ModelRun} */
export const NO_RUN = {
  model: "",
  layers: 0,
  heads: 0,
  d_model: 0,
  d_head: 0,
  causal: false,
  limit: 0,
  guesses: false,
  first: 1,
  labels: [],
  masks: [],
  measures: [],
  sentences: [],
  aligned: [],
  differences: null,
  shiftKeys: null,
  shifts: null,
};

/** @param {{ header: RunHeader; arrays: Record<string, Numbers> }} message @returns {ModelRun} */
export function readRun({ header, arrays }) {
  const { sentences, arrays: _, ...rest } = header;
  const read = sentences.map((sentence, at) => {
    const { texts, keyTexts = texts, side, width = side } = sentence;
    const [n, m] = [texts.length, keyTexts.length];
    const [names, keyNames] = [texts, keyTexts].map(numbered);
    return { ...sentence, ...withoutPrefix(arrays, `${at}.`), keyTexts, width, n, m, names, keyNames };
  });
  const { differences = null, shift_keys = null, shifts = null } = arrays;
  const ofTwo = { differences, shiftKeys: shift_keys, shifts };
  const { first = 1, labels = Array.from({ length: rest.layers }, (_, at) => String(at + first)) } = rest;
  const counted = { first, labels };
  return /** @type {ModelRun} */ ({ ...rest, ...counted, sentences: read, ...ofTwo }); // arrays are named and typed in the message
}

/** @param {{ header: object; arrays: Record<string, Numbers> }} message @returns {HeadNumbers} */
export function readNumbers({ header, arrays }) {
  const { n, d, divisor, root, softcap, sink, unexplained } = /** @type {HeadHeader} */ (header);
  const { weights, scores, q, k, added } = /** @type {Record<string, Float32Array>} */ (arrays);
  if (!scores) return { n, m: n, weights, exact: null, sign: "", factors: null, unexplained };
  /** @type {HeadFactors["score"]} */
  const score = (query, key) => scores[query * n + key];
  /** @type {HeadFactors["added"]} */
  const more = (query, key) => added?.[query * n + key] ?? 0;
  return {
    n,
    m: n,
    weights,
    exact: null,
    sign: "",
    factors: { d, divisor, root, softcap, sink, q, k, score, added: more },
    unexplained,
  };
}

/**
 * The arrays whose names begin with a prefix, named without it.
 * @param {Record<string, Numbers>} arrays
 * @param {string} prefix
 */
export const withoutPrefix = (arrays, prefix) =>
  Object.fromEntries(
    Object.entries(arrays)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, numbers]) => [name.slice(prefix.length), numbers]),
  );

/**
 * Whether two sentences were read and can be compared.
 * @param {ModelRun} run
 * @returns {run is PairRun}
 */
export const isOfTwo = (run) => Boolean(run.differences);

/**
 * A head's map of levels.
 * @param {Pick<SentenceWeights, "maps" | "side"> & { width?: number }} sentence
 * @param {number} head its flat number
 */
export const mapOf = ({ maps, side, width = side }, head) =>
  maps.subarray(head * side * width, (head + 1) * side * width);

/**
 * What a head does: "unsure" where there are too few places to tell, "none" where nothing stands out.
 * @param {Pick<SentenceWeights, "labels" | "unsure">} sentence
 * @param {number} head
 */
export const kindOf = ({ labels, unsure }, head) =>
  labels[head] === "none" && unsure[head] ? "unsure" : labels[head];

/**
 * A head's measures, each with what it would be by chance.
 * @param {ModelRun} run
 * @param {SentenceWeights} sentence
 * @param {number} head
 * @returns {HeadMeasure[]}
 */
export const measuresOf = ({ measures }, { measured, chance, places }, head) =>
  measures.map((name, at) => ({
    name,
    number: measured[head * measures.length + at],
    chance: chance[head * measures.length + at],
    places: places[at],
  }));

const NO_SHARES = ["entropy", "distance"];
const LEAST_ABOVE = 0.005; // a smaller excess is printed as the same number

/**
 * The behaviour that is farthest above chance; undefined where none is.
 * @param {ModelRun} run
 * @param {SentenceWeights} sentence
 * @param {number} head
 */
export const aboveChance = (run, sentence, head) =>
  measuresOf(run, sentence, head)
    .filter(
      ({ name, number, chance }) =>
        ![...RESTS, ...NO_SHARES].includes(name) && number - chance >= LEAST_ABOVE,
    )
    .sort((one, other) => excess(other) - excess(one))[0];

/** 0 for chance, 1 for always. @param {HeadMeasure} measure */
const excess = ({ number, chance }) => (number - chance) / (1 - chance);

/** Measures that are no behaviour: where weight goes that is left over. */
export const RESTS = ["first_token", "separators"];
const LEAST_REST = 0.1;
const MOSTLY = 0.5;

/**
 * The tokens on which a head rests, and how much of all its weight they have; null where that is not most of it.
 * @param {ModelRun} run
 * @param {SentenceWeights} sentence
 * @param {number} head
 */
export function restOf(run, sentence, head) {
  const rests = measuresOf(run, sentence, head).filter(
    ({ name, number }) => RESTS.includes(name) && number >= LEAST_REST,
  );
  const number = rests.reduce((sum, rest) => sum + rest.number, 0);
  if (number <= MOSTLY) return null;
  const { texts, special } = sentence;
  const separators = texts.filter((_, at) => at > 0 && special[at]);
  const tokens = rests.flatMap(({ name }) => (name === "first_token" ? [texts[0]] : separators));
  return { number, tokens: [...new Set(tokens)] };
}

/**
 * The head whose weights differ most between two sentences.
 * @param {Pick<PairRun, "differences">} run
 */
export const mostDifferent = ({ differences }) =>
  differences.reduce((best, number, at) => (number > differences[best] ? at : best), 0);

/**
 * The first token of the first sentence that is another one in the second; null where there is none.
 * @param {ModelRun} run
 */
export const firstDifferent = ({ sentences: [first, second], aligned }) =>
  aligned.find(([token, other]) => first.texts[token] !== second.texts[other])?.[0] ?? null;

/**
 * The last token of the first sentence that is a word; null where there is none.
 * @param {ModelRun} run
 */
export function lastWord({ sentences: [{ texts, special }] }) {
  const at = texts.findLastIndex((text, place) => !special[place] && /[\p{L}\p{N}]/u.test(text));
  return at < 0 ? null : at;
}

/**
 * A head's measure on the same words in other orders; NaN where that is not known.
 * @param {Shuffled | null} shuffled
 * @param {string} name
 * @param {number} head
 */
export function shuffledOf(shuffled, name, head) {
  const at = shuffled?.measures.indexOf(name) ?? -1;
  return !shuffled || at < 0 ? Number.NaN : shuffled.shuffled[head * shuffled.measures.length + at];
}

/**
 * The key with the largest weight for a query, and that weight.
 * @param {Pick<SentenceWeights, "keys" | "tops" | "n">} sentence
 * @param {number} head
 * @param {number} query
 */
export const topOf = ({ keys, tops, n }, head, query) => ({
  key: keys[head * n + query],
  weight: tops[head * n + query],
});

/**
 * The key whose weight changes most for a query of the first sentence, and by how much; NaN where the query has no
 * counterpart.
 * @param {PairRun} run
 * @param {number} head
 * @param {number} query
 */
export const shiftOf = ({ shiftKeys, shifts, sentences: [{ n }] }, head, query) => ({
  key: shiftKeys[head * n + query],
  by: shifts[head * n + query],
});

/**
 * The head in which a query of both sentences changes its weight for one key most.
 * @param {PairRun} run
 * @param {number} query
 */
export const mostShifted = ({ shifts, sentences: [{ n }], layers, heads }, query) => {
  const by = Array.from({ length: layers * heads }, (_, at) => Math.abs(shifts[at * n + query]));
  return by.indexOf(Math.max(...by));
};

/**
 * The token of the second sentence that corresponds to one of the first, or null.
 * @param {Pick<ModelRun, "aligned">} run
 * @param {number | null} token
 */
export const counterpart = ({ aligned }, token) => aligned.find(([first]) => first === token)?.[1] ?? null;

/**
 * The pairs of keys that correspond: those of tokens; keys that are other tokens are the same in both sentences.
 * @param {Pick<ModelRun, "aligned" | "sentences">} run
 * @returns {[number, number][]}
 */
export const alignedKeys = ({ aligned, sentences: [{ texts, keyTexts }] }) =>
  keyTexts === texts ? aligned : keyTexts.map((_, at) => [at, at]);

/**
 * How a row of weights differs, second − first, for the tokens that stand in both, the largest difference first.
 * @param {[number, number][]} aligned
 * @param {Float32Array} first
 * @param {Float32Array} second
 */
export const weightShifts = (aligned, first, second) =>
  aligned
    .map(([key, other]) => ({ key, first: first[key], second: second[other] }))
    .sort((a, b) => Math.abs(b.second - b.first) - Math.abs(a.second - a.first));

/**
 * The summed weight of a row on tokens without a counterpart, for each sentence that has such tokens.
 * @param {[number, number][]} aligned
 * @param {Float32Array} first
 * @param {Float32Array} second
 * @returns {{ first: number | null; second: number | null }[]}
 */
export function unmatchedWeight(aligned, first, second) {
  const [inFirst, inSecond] = [0, 1].map((side) => new Set(aligned.map((pair) => pair[side])));
  /** @type {(row: Float32Array, known: Set<number>) => number} */
  const rest = (row, known) => row.reduce((sum, weight, at) => (known.has(at) ? sum : sum + weight), 0);
  return [
    ...(first.length > inFirst.size ? [{ first: rest(first, inFirst), second: null }] : []),
    ...(second.length > inSecond.size ? [{ first: null, second: rest(second, inSecond) }] : []),
  ];
}

/**
 * What makes the score of a pair: q_i·k_i in each dimension, with its factors.
 * @param {Pick<HeadFactors, "q" | "k" | "d">} factors
 * @param {number} query
 * @param {number} key
 * @returns {ScoreTerm[]}
 */
export function products({ q, k, d }, query, key) {
  return Array.from({ length: d }, (_, at) => {
    const [ofQuery, ofKey] = [q[query * d + at], k[key * d + at]];
    return { q: ofQuery, k: ofKey, product: ofQuery * ofKey };
  });
}
