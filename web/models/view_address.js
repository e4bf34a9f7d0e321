// Where a visitor is, to an address and back. On screen and in addresses heads and tokens count from 1. No DOM here.

import { MODEL_KEYS } from "../kit/query_names.js";
import { firstDifferent, isOfTwo, kindOf, lastWord, mostDifferent, RESTS } from "./runs.js";

const PAIR = /^([1-9]\d{0,3})\.([1-9]\d{0,3})$/;
const NAME = /^-?[a-z_]{1,40}$/;

/** @type {ModelPlace} */
export const START = {
  model: "",
  texts: [],
  head: null,
  token: null,
  off: [],
  guess: null,
  by: "",
  only: "",
  drawn: "",
  pair: null,
  shows: "difference",
  hides: false,
  steps: 0,
};

/** @type {MissingParts} */
export const NONE_MISSING = { head: "", by: "", only: "", off: "" };

const MOST_STEPS = 256; // that the server takes
const SPECIAL = "special"; // the only tokens that an address can hide

/**
 * What an address asks for; null where it says nothing of models.
 * @param {URLSearchParams} query
 * @returns {ModelPlace | null}
 */
export function placeIn(query) {
  /** @param {string} name */
  const text = (name) => query.get(name) ?? "";
  if (!MODEL_KEYS.some(text)) return null;
  /** @param {string} name */
  const named = (name) => (NAME.test(text(name)) ? text(name) : "");
  return {
    model: text("model"),
    texts: [text("text"), text("second")].filter(Boolean),
    head: headIn(text("head")),
    token: numberIn(text("token")),
    off: headsIn(text("off")),
    guess: numberIn(text("guess")),
    by: named("by"),
    only: named("only"),
    drawn: ["map", "lines"].includes(text("drawn")) ? text("drawn") : "",
    pair: pairIn(text("pair")),
    shows: pictureIn(text("shows")),
    hides: text("hides") === SPECIAL,
    steps: Math.min(MOST_STEPS, (numberIn(text("next")) ?? -1) + 1),
  };
}

/**
 * Texts in an address that cannot be a head, an order, a kind or a list of heads, as they stand there; "" where they
 * can be, or are not given.
 * @param {URLSearchParams} query
 * @returns {MissingParts}
 */
export function unreadableIn(query) {
  /** @type {(name: string, isGood: (text: string) => unknown) => string} */
  const bad = (name, isGood) => {
    const text = query.get(name) ?? "";
    return isGood(text) ? "" : text;
  };
  /** @param {string} text */
  const isName = (text) => NAME.test(text);
  /** @param {string} text */
  const isHeads = (text) => text.split("_").every((head) => !head || headIn(head));
  return {
    head: bad("head", headIn),
    by: bad("by", isName),
    only: bad("only", isName),
    off: bad("off", isHeads),
  };
}

/**
 * What was wanted and is missing in a model's answer: the head, the order, what heads are to do, or heads to be
 * switched off.
 * @param {Pick<ModelPlace, "head" | "by" | "only" | "off">} wanted
 * @param {Pick<FittedPlace, "head" | "by" | "only">} actual
 * @param {Pick<ModelRun, "layers" | "heads">} run
 * @returns {MissingParts}
 */
export const missingFrom = (wanted, actual, run) => ({
  head: !wanted.head || wanted.head.join() === actual.head.join() ? "" : headName(wanted.head),
  by: wanted.by === actual.by ? "" : wanted.by,
  only: wanted.only === actual.only ? "" : wanted.only,
  off: wanted.off
    .filter((head) => !exists(run, head))
    .map(headName)
    .join(", "),
});

/**
 * The query parameters that lead here again.
 * @param {ModelPlace} place
 * @returns {Record<string, string>}
 */
export function queryOf({
  model,
  texts,
  head,
  token,
  off,
  guess,
  by,
  only,
  drawn,
  pair,
  shows,
  hides,
  steps,
}) {
  const [text, second] = texts;
  const fields = {
    model,
    text,
    second,
    head: head ? headName(head) : "",
    token: numberText(token),
    off: off.map(headName).join("_"),
    guess: numberText(guess),
    by,
    only,
    drawn,
    pair: pair ? headName([pair.query, pair.key]) : "",
    shows: second && shows !== START.shows ? shows : "",
    hides: hides ? SPECIAL : "",
    next: steps ? String(steps) : "",
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/**
 * The same place, with only what exists in the model's answer.
 * @param {ModelPlace} place
 * @param {ModelRun} run
 * @returns {FittedPlace}
 */
export function fitted(place, run) {
  /** @param {number | null} at */
  const token = (at) => (at !== null && at < run.sentences[0].n ? at : null);
  const { pair } = place;
  const hasPair = pair && token(pair.query) !== null && pair.key < run.sentences[0].m;
  const measure = place.by.replace("-", "");
  const sorts = run.measures.includes(measure) || (measure === "difference" && isOfTwo(run));
  return {
    ...place,
    model: run.model,
    head: place.head && exists(run, place.head) ? place.head : startingHead(run),
    token: token(place.token) ?? (place.head || !isOfTwo(run) ? null : firstDifferent(run)),
    off: run.guesses ? place.off.filter((head) => exists(run, head)) : [],
    guess: run.guesses ? (token(place.guess) ?? run.masks[0][0] ?? lastWord(run)) : null,
    by: sorts ? place.by : "",
    only: isDone(run, place.only) ? place.only : "",
    pair: hasPair ? pair : null,
    steps: run.step?.count ?? 0,
    hides: place.hides && run.sentences.some(({ special }) => special.includes(true)),
  };
}

/**
 * A head to begin with: of two sentences the one that differs most; of one the first that does something among words,
 * if any does.
 * @param {ModelRun} run
 * @returns {HeadIndex}
 */
function startingHead(run) {
  const { heads } = run;
  const [{ labels }] = run.sentences;
  const at = isOfTwo(run)
    ? mostDifferent(run)
    : labels.findIndex((label) => label !== "none" && !RESTS.includes(label));
  return at < 0 ? [0, 0] : [Math.floor(at / heads), at % heads];
}

/** Whether any head does this. @type {(run: ModelRun, kind: string) => boolean} */
const isDone = ({ sentences }, kind) =>
  sentences.some((sentence) => sentence.labels.some((_, at) => kindOf(sentence, at) === kind));

/** @type {(run: Pick<ModelRun, "layers" | "heads">, head: HeadIndex) => boolean} */
const exists = ({ layers, heads }, [layer, head]) => layer < layers && head < heads;

/** @type {(head: HeadIndex) => string} */
const headName = ([layer, head]) => `${layer + 1}.${head + 1}`;

/** @param {string} text @returns {HeadIndex | null} */
function headIn(text) {
  const [, layer, head] = PAIR.exec(text) ?? [];
  return layer ? [Number(layer) - 1, Number(head) - 1] : null;
}

/** @param {string} text */
const headsIn = (text) =>
  text
    .split("_")
    .map(headIn)
    .filter((head) => head !== null);

/** @param {string} text @returns {Pair | null} */
function pairIn(text) {
  const [query, key] = headIn(text) ?? [];
  return query === undefined || key === undefined ? null : { query, key };
}

/** @param {string} text @returns {PictureOf} */
const pictureIn = (text) => (text === "first" || text === "second" ? text : "difference");

/** @param {string} text */
const numberIn = (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) - 1 : null);

/** @param {number | null} at */
const numberText = (at) => (at === null ? "" : String(at + 1));
