// What is said of a head, in words and numbers.

import { fill } from "../mha.web/dom.js";
import { brief, format } from "../mha.web/numbers.js";
import { measureOf } from "./order.js";
import { aboveChance, measuresOf, RESTS, restOf, topOf } from "./runs.js";

const MOST_PAIRS = 12;

/**
 * "Layer 2 · Head 3"; within its layer "Head 3".
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {number} at
 * @param {boolean} [within]
 */
export function headName(words, { heads }, at, within = false) {
  const values = { layer: Math.floor(at / heads) + 1, head: (at % heads) + 1 };
  return fill(within ? words.head_n : words.layer_head, values);
}

/**
 * A weight, a share or another measure.
 * @param {number} number
 */
export const shown = (number) => format(number, 2);

const LEAST_WEIGHT = 0.0001;

/**
 * One weight as exactly as it says anything.
 * @param {number} weight
 */
export const weightTold = (weight) =>
  weight > 0 && weight < LEAST_WEIGHT ? `< ${LEAST_WEIGHT}` : brief(weight, 4);

/**
 * What stands below a head's picture, a word and a number: where the chosen token looks, the measure that heads are
 * sorted by, or what it does.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {ModelPlace} place
 * @param {number} at
 * @returns {[string, string]}
 */
export function captionOf(words, run, { token, by }, at) {
  const [sentence] = run.sentences;
  if (token !== null) {
    const { key, weight } = topOf(sentence, at, token);
    return [sentence.texts[key], shown(weight)];
  }
  if (by) {
    const number = measureOf(run, by.replace("-", ""), at);
    return ["", number === null ? "–" : shown(number)];
  }
  const label = sentence.labels[at];
  return [label === "none" ? "" : words[`kind_${label}`], ""];
}

/**
 * What a head does, in a sentence.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {number} at
 */
export function behaviour(words, run, at) {
  const [sentence] = run.sentences;
  const label = sentence.labels[at];
  const found = measuresOf(run, sentence, at).find(({ name }) => name === label);
  const told = found
    ? fill(words[`told_${label}`], { number: shown(found.number), chance: shown(found.chance) })
    : unsureTold(words, run, sentence, at);
  const rest = RESTS.includes(label) ? null : restOf(run, sentence, at);
  if (!rest) return told;
  const where = rest.tokens.join(words.and);
  return fill(words.told_rests, { where, number: shown(rest.number), told });
}

/** What nothing says for certain: what there are too few places of, else what is farthest above chance. */
function unsureTold(words, run, sentence, at) {
  const unsure = sentence.unsure[at];
  const found = unsure
    ? measuresOf(run, sentence, at).find(({ name }) => name === unsure)
    : aboveChance(run, sentence, at);
  if (!found) return words.told_none;
  return fill(words[unsure ? "told_unsure" : "told_little"], {
    kind: words[`kind_${found.name}`],
    number: shown(found.number),
    chance: shown(found.chance),
    places: found.places,
  });
}

/**
 * What a token looks at most of all: "love → I 0.62".
 * @param {ModelRun} run
 * @param {number} at
 * @param {number} query
 */
export function pairTold({ sentences: [sentence] }, at, query) {
  const { key, weight } = topOf(sentence, at, query);
  return `${sentence.texts[query]} → ${sentence.texts[key]} ${shown(weight)}`;
}

/**
 * The head for who cannot see it: its name, what it does, and where each token looks: "love → I 0.62".
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {ModelPlace} place
 * @param {number} at
 */
export function headTold(words, run, { token, off }, at) {
  const [sentence] = run.sentences;
  const { special, n } = sentence;
  const queries = Array.from({ length: n }, (_, query) => query).filter((query) => !special[query]);
  const told = token === null ? queries.slice(0, MOST_PAIRS) : [token];
  const isOff = off.some(([layer, head]) => layer * run.heads + head === at);
  return fill(words.head_told, {
    head: headName(words, run, at),
    does: isOff ? words.is_off : behaviour(words, run, at),
    pairs: told.map((query) => pairTold(run, at, query)).join("; "),
  });
}
