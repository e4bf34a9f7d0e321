// A model's answer as the page reads it. No DOM here.

import { numbered } from "./tokens/words.js";

/**
 * @param {{ header: any; arrays: Record<string, any> }} message
 * @returns {ModelRun}
 */
export function readRun({ header, arrays }) {
  const { sentences, arrays: _, ...rest } = header;
  return {
    ...rest,
    sentences: sentences.map((sentence, at) => ({
      ...sentence,
      ...of(arrays, `${at}.`),
      n: sentence.texts.length,
      names: numbered(sentence.texts),
    })),
    differences: arrays.differences ?? null,
    shiftKeys: arrays.shift_keys ?? null,
    shifts: arrays.shifts ?? null,
  };
}

/** The arrays whose names begin so, without that. */
const of = (arrays, prefix) =>
  Object.fromEntries(
    Object.entries(arrays)
      .filter(([name]) => name.startsWith(prefix))
      .map(([name, numbers]) => [name.slice(prefix.length), numbers]),
  );

/**
 * A head's map of levels.
 * @param {Looked} sentence
 * @param {number} head its flat number
 */
export const mapOf = ({ maps, side }, head) => maps.subarray(head * side * side, (head + 1) * side * side);

/**
 * What a head does: "unsure" where there are too few places of it, "none" where nothing stands out.
 * @param {Pick<Looked, "labels" | "unsure">} sentence
 * @param {number} head
 */
export const kindOf = ({ labels, unsure }, head) =>
  labels[head] === "none" && unsure[head] ? "unsure" : labels[head];

/**
 * A head's measures: each with what it would be by chance.
 * @param {ModelRun} run
 * @param {Looked} sentence
 * @param {number} head
 */
export const measuresOf = ({ measures }, { measured, chance, places }, head) =>
  measures.map((name, at) => ({
    name,
    number: measured[head * measures.length + at],
    chance: chance[head * measures.length + at],
    places: places[at],
  }));

const NO_SHARES = ["entropy", "distance"];
const LEAST_ABOVE = 0.005; // what is less shows as the same number

/**
 * The behaviour that is farthest above chance; undefined where none is.
 * @param {ModelRun} run
 * @param {Looked} sentence
 * @param {number} head
 */
export const aboveChance = (run, sentence, head) =>
  measuresOf(run, sentence, head)
    .filter(
      ({ name, number, chance }) =>
        ![...RESTS, ...NO_SHARES].includes(name) && number - chance >= LEAST_ABOVE,
    )
    .sort((one, other) => excess(other) - excess(one))[0];

/** 0 as chance has it, 1 for always. */
const excess = ({ number, chance }) => (number - chance) / (1 - chance);

/** What is no behaviour, but where weight goes that is left over. */
export const RESTS = ["first_token", "separators"];
const LEAST_REST = 0.1;
const MOSTLY = 0.5;

/**
 * On which tokens a head rests, and with how much of all its weight; null where that is not most of it.
 * @param {ModelRun} run
 * @param {Looked} sentence
 * @param {number} head
 */
export function restOf(run, sentence, head) {
  const resting = measuresOf(run, sentence, head).filter(
    ({ name, number }) => RESTS.includes(name) && number >= LEAST_REST,
  );
  const number = resting.reduce((sum, one) => sum + one.number, 0);
  if (number <= MOSTLY) return null;
  const { texts, special } = sentence;
  const separators = texts.filter((_, at) => at > 0 && special[at]);
  const tokens = resting.flatMap(({ name }) => (name === "first_token" ? [texts[0]] : separators));
  return { number, tokens: [...new Set(tokens)] };
}

/**
 * The head whose weights differ most between two sentences.
 * @param {ModelRun} run
 */
export const mostDifferent = ({ differences }) =>
  differences.reduce((best, number, at) => (number > differences[best] ? at : best), 0);

/**
 * The first token of the first sentence where another stands in the second; null where there is none.
 * @param {ModelRun} run
 */
export const firstDifferent = ({ sentences: [first, second], aligned }) =>
  aligned.find(([one, other]) => first.texts[one] !== second.texts[other])?.[0] ?? null;

/**
 * The last token of the first sentence that is no sign: a word to guess that says something; null where there is none.
 * @param {ModelRun} run
 */
export function lastWord({ sentences: [{ texts, special }] }) {
  const at = texts.findLastIndex((text, place) => !special[place] && /[\p{L}\p{N}]/u.test(text));
  return at < 0 ? null : at;
}

/**
 * What a head's measure is where the words stand in other orders; NaN where that is not known.
 * @param {Shuffled | null} shuffled
 * @param {string} name
 * @param {number} head
 */
export function shuffledOf(shuffled, name, head) {
  const at = shuffled ? shuffled.measures.indexOf(name) : -1;
  return at < 0 ? Number.NaN : shuffled.shuffled[head * shuffled.measures.length + at];
}

/**
 * The key that a query looks at most of all, and with which weight.
 * @param {Looked} sentence
 * @param {number} head
 * @param {number} query
 */
export const topOf = ({ keys, tops, n }, head, query) => ({
  key: keys[head * n + query],
  weight: tops[head * n + query],
});

/**
 * The key to which a query of the first sentence gives most more, or less, weight in the second, and by how much; NaN
 * where the query stands in one of them alone.
 * @param {ModelRun} run
 * @param {number} head
 * @param {number} query
 */
export const shiftOf = ({ shiftKeys, shifts, sentences: [{ n }] }, head, query) => ({
  key: shiftKeys[head * n + query],
  by: shifts[head * n + query],
});

/**
 * The head in which a query of both sentences changes its weight to one key most.
 * @param {ModelRun} run
 * @param {number} query
 */
export const mostShifted = ({ shifts, sentences: [{ n }], layers, heads }, query) => {
  const by = Array.from({ length: layers * heads }, (_, at) => Math.abs(shifts[at * n + query]));
  return by.indexOf(Math.max(...by));
};

/**
 * The token of the other sentence that stands where this one does, or null.
 * @param {ModelRun} run
 * @param {number | null} token
 */
export const counterpart = ({ aligned }, token) => aligned.find(([first]) => first === token)?.[1] ?? null;

/**
 * How a row of weights differs, second − first, over the tokens that stand in both, the largest difference first.
 * @param {[number, number][]} aligned
 * @param {Float32Array} first
 * @param {Float32Array} second
 */
export const shifts = (aligned, first, second) =>
  aligned
    .map(([key, other]) => ({ key, first: first[key], second: second[other] }))
    .sort((a, b) => Math.abs(b.second - b.first) - Math.abs(a.second - a.first));

/**
 * The weight of a row on tokens that stand in one of two sentences alone: of each sentence that has such tokens their sum.
 * @param {[number, number][]} aligned
 * @param {Float32Array} first
 * @param {Float32Array} second
 * @returns {{ first: number | null; second: number | null }[]}
 */
export function alone(aligned, first, second) {
  const [ours, theirs] = [0, 1].map((side) => new Set(aligned.map((pair) => pair[side])));
  const sum = (row, known) => row.reduce((whole, weight, at) => (known.has(at) ? whole : whole + weight), 0);
  return [
    ...(first.length > ours.size ? [{ first: sum(first, ours), second: null }] : []),
    ...(second.length > theirs.size ? [{ first: null, second: sum(second, theirs) }] : []),
  ];
}

/**
 * What makes the score of a pair: q_i·k_i in each dimension, and the two factors.
 * @param {HeadNumbers} numbers
 * @param {number} query
 * @param {number} key
 */
export function products({ q, k, d }, query, key) {
  return Array.from({ length: d }, (_, at) => {
    const [one, other] = [q[query * d + at], k[key * d + at]];
    return { q: one, k: other, product: one * other };
  });
}
