// Sentences and numbers about a head.

import { fill, prose } from "../kit/dom.js";
import { brief, format } from "../kit/numbers.js";
import { isolated } from "../kit/quoted.js";
import { measureOf } from "./overview/head_order.js";
import { aboveChance, counterpart, isOfTwo, measuresOf, RESTS, restOf, shiftOf, topOf } from "./runs.js";

const MOST_PAIRS = 12;

/**
 * "Layer 2 · Head 3", "h.1.attn, head 2" of one's own model, or "Head 3" within a layer.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {number} at
 * @param {boolean} [within]
 */
export function headName(words, { heads, first, labels, names = labels }, at, within = false) {
  const values = { layer: names[Math.floor(at / heads)], head: (at % heads) + first };
  return fill(within ? words.head_n : words.layer_head, values);
}

/**
 * The same in two parts, of which only the first may be cut: the layer, by what is different in its name, and the head.
 * @param {Record<string, string>} words
 * @param {Pick<ModelRun, "heads" | "first" | "labels">} run
 * @param {number} at
 * @param {boolean} within
 * @returns {[string, string]}
 */
export function headNameParts(words, { heads, first, labels }, at, within) {
  const head = (at % heads) + first;
  if (within) return ["", fill(words.head_n, { head })];
  const [before, after] = words.layer_head.split("{layer}");
  return [before + labels[Math.floor(at / heads)], fill(after, { head })];
}

/**
 * A weight, or a measure that is not a share.
 * @param {number} number
 */
export const shown = (number) => format(number, 2);

/**
 * A share as a percentage, in whole percent. What is neither nothing nor all does not read as 0% or 100%.
 * @param {number} share
 */
export function percent(share) {
  if (share > 0 && share <= 0.005) return "<1%";
  if (share < 1 && share >= 0.995) return ">99%";
  return `${format(100 * share, 0)}%`;
}

/** The units of the measures that are not shares. @type {Record<string, string>} */
export const UNITS = { entropy: "unit_entropy", distance: "unit_distance" };

/**
 * A measure of a head: a percentage where it is a share of the weight.
 * @param {string} name
 * @param {number} number
 */
export const measureText = (name, number) =>
  name === "difference" || name in UNITS ? shown(number) : percent(number);

const DECIMALS = 3; // of a probability

/**
 * How probable a model finds a word.
 * @param {number} probability
 * @param {number} [decimals]
 */
export function likely(probability, decimals = DECIMALS) {
  const least = 10 ** -decimals;
  const isLess = probability > 0 && probability < least / 2;
  return isLess ? `< ${format(least, decimals)}` : format(probability, decimals);
}

const LEAST_WEIGHT = 0.0001;

/**
 * One weight to four decimals; `sign`: of one that is not exact.
 * @param {number} weight
 * @param {string} [sign]
 */
export const weightText = (weight, sign = "") =>
  weight > 0 && weight < LEAST_WEIGHT ? `< ${LEAST_WEIGHT}` : `${sign}${brief(weight, 4)}`;

/**
 * A difference, with its sign.
 * @param {number} by
 * @param {number} decimals
 */
export const signedText = (by, decimals) =>
  `${by >= 0.5 * 10 ** -decimals ? "+" : ""}${format(by, decimals)}`;

/**
 * The word and the number below a head's picture: the measure that heads are sorted or chosen by, where the chosen token looks,
 * how far the head differs between two sentences, or what it does.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "token" | "by" | "only">} place
 * @param {number} at
 * @param {PictureOf} picture
 * @returns {[string, string]}
 */
export function captionOf(words, run, { token, by, only }, at, picture) {
  if (by === "difference" && isOfTwo(run)) return ["", differenceText(run, at)];
  const name = by.replace("-", "") || (token === null && run.measures.includes(only) ? only : "");
  if (name) {
    const number = measureOf(run, name, at);
    return ["", number === null ? "–" : measureText(name, number)];
  }
  if (token !== null) {
    const { to, value } = lookOf(run, at, token, picture) ?? { to: "", value: "–" };
    return [to, value];
  }
  if (picture === "difference" && isOfTwo(run))
    return [run.change ? "" : words.kind_difference, differenceText(run, at)];
  const label = run.sentences[picture === "second" ? 1 : 0].labels[at];
  return [label === "none" ? "" : words[`kind_${label}`], ""];
}

/**
 * How far a head differs: between two sentences its weights on average, after a change the one that changed most.
 * @type {(run: PairRun, at: number) => string}
 */
const differenceText = ({ change, differences }, at) =>
  change ? weightText(differences[at]) : shown(differences[at]);

/**
 * Where a token of the first sentence looks most, or where its weight changes most; null where the picture does not
 * have the token.
 * @param {ModelRun} run
 * @param {number} at
 * @param {number} query
 * @param {PictureOf} picture
 */
function lookOf(run, at, query, picture) {
  const [first, second] = run.sentences;
  const from = first.names[query];
  if (picture === "difference" && isOfTwo(run)) {
    const { key, by } = shiftOf(run, at, query);
    return Number.isNaN(by) ? null : { from, to: first.keyNames[key], value: signedText(by, 2) };
  }
  if (picture === "second") {
    const inSecond = counterpart(run, query);
    if (inSecond === null) return null;
    const { key, weight } = topOf(second, at, inSecond);
    return { from: second.names[inSecond], to: second.keyNames[key], value: shown(weight) };
  }
  const { key, weight } = topOf(first, at, query);
  return { from, to: first.keyNames[key], value: shown(weight) };
}

const LEAST_LEFT = 0.005; // of all weight; a smaller rest is printed as none

/**
 * What a head does in this text, and what it was trained to do.
 * @type {(words: Record<string, string>, run: ModelRun, at: number) => string}
 */
export function behaviour(words, run, at) {
  const [label, job] = Object.entries(run.jobs ?? {}).find(([, { at: head }]) => head === at) ?? [""];
  const trained = job && fill(words[`told_${label}`], { number: percent(job.found), texts: job.texts });
  return prose(run.sentences[0].labels[at] !== label && measured(words, run, at), trained);
}

/**
 * What a head does in this text, by the measures.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {number} at
 */
function measured(words, run, at) {
  const [sentence] = run.sentences;
  const label = sentence.labels[at];
  const measure = measuresOf(run, sentence, at).find(({ name }) => name === label);
  const text = measure
    ? fill(words[`told_${label}`], { number: percent(measure.number), chance: percent(measure.chance) })
    : unsureSentence(words, run, sentence, at);
  const rest = RESTS.includes(label) ? null : restOf(run, sentence, at);
  if (!rest) return text;
  const where = rest.tokens.map(isolated).join(words.and);
  const isAll = 1 - rest.number < LEAST_LEFT || RESTS.includes(sentence.unsure[at]);
  return fill(words[isAll ? "told_rests_alone" : "told_rests"], {
    where,
    number: percent(rest.number),
    told: text,
  });
}

/** Measures that depend on positions alone, and those that depend on words, which other orders have too. */
const BY_PLACES = ["previous", "next"];
const BY_WORDS = ["itself", "same_word", "punctuation"];

/**
 * What other orders of the words show, and for which measures. They say nothing certain about the other measures.
 * @param {Record<string, string>} words
 * @param {Shuffled} shuffled
 */
export function shuffledSentences(words, { measures }) {
  const sentences = Object.entries({ shuffle_places: BY_PLACES, shuffle_words: BY_WORDS }).map(
    ([sentence, dependent]) => {
      const names = dependent
        .filter((measure) => measures.includes(measure))
        .map((measure) => words[`kind_${measure}`]);
      return names.length ? fill(words[sentence], { names: names.join(" · ") }) : "";
    },
  );
  return [words.shuffle_about, ...sentences].filter(Boolean);
}

/**
 * What is said of a head without a label: the measure that has too few places, or else the one farthest above chance.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {SentenceWeights} sentence
 * @param {number} at
 */
function unsureSentence(words, run, sentence, at) {
  const unsure = sentence.unsure[at];
  const measure = unsure
    ? measuresOf(run, sentence, at).find(({ name }) => name === unsure)
    : aboveChance(run, sentence, at);
  if (!run.measures.length) return words.told_unmeasured;
  if (!measure) return words.told_none;
  return fill(words[unsure ? "told_unsure" : "told_little"], {
    kind: words[`kind_${measure.name}`],
    number: percent(measure.number),
    chance: percent(measure.chance),
    places: measure.places,
  });
}

/**
 * Where a token looks most, "love → I 0.62", or where its weight changes most, "love → I −0.12".
 * @param {ModelRun} run
 * @param {number} at
 * @param {number} query
 * @param {PictureOf} picture
 */
export function pairText(run, at, query, picture) {
  const look = lookOf(run, at, query, picture);
  return look ? `${look.from} → ${look.to} ${look.value}` : "";
}

/**
 * What was done to a head while the model ran, in a sentence; "" where nothing was.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "off">} place
 * @param {number} at
 */
export function markOf(words, run, { off }, at) {
  /** @param {HeadIndex} head */
  const isThis = ([layer, head]) => layer * run.heads + head === at;
  if (off.some(isThis)) return words.is_off;
  return run.patched?.some(isThis) ? words.is_patched : "";
}

/**
 * The head for screen readers: its name, what it does, and where each token looks: "love → I 0.62".
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "token" | "off">} place
 * @param {number} at
 * @param {PictureOf} picture
 */
export function headText(words, run, { token, off }, at, picture) {
  const [{ special, n }] = run.sentences;
  const queries = Array.from({ length: n }, (_, query) => query).filter((query) => !special[query]);
  const described = token === null ? queries.slice(0, MOST_PAIRS) : [token];
  const mark = markOf(words, run, { off }, at);
  const pairs = described.map((query) => pairText(run, at, query, picture)).filter(Boolean);
  return fill(words.head_told, {
    head: headName(words, run, at),
    does: mark || behaviour(words, run, at),
    pairs: pairs.join(words.comma),
  });
}
