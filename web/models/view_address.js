// Where a visitor stands, to an address and back. On screen and in addresses heads and tokens count from 1. No DOM here.

import { OF_MODELS } from "../kit/address.js";
import { firstDifferent, kindOf, lastWord, mostDifferent, RESTS } from "./runs.js";

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
};
/** Which of two sentences pictures are of, where they are not of the difference. */
const SHOWS = ["first", "second"];
const SPECIAL = "special"; // what is hidden

/**
 * What an address asks for; null where it says nothing of models.
 * @param {URLSearchParams} query
 * @returns {ModelPlace | null}
 */
export function read(query) {
  const text = (name) => query.get(name) ?? "";
  if (!OF_MODELS.some(text)) return null;
  const named = (name) => (NAME.test(text(name)) ? text(name) : "");
  return {
    model: text("model"),
    texts: [text("text"), text("second")].filter(Boolean),
    head: headIn(text("head")),
    token: numberIn(text("token")),
    off: text("off").split("_").map(headIn).filter(Boolean),
    guess: numberIn(text("guess")),
    by: named("by"),
    only: named("only"),
    drawn: text("drawn") === "map" ? "map" : "",
    pair: pairIn(text("pair")),
    shows: /** @type {Pictured} */ (SHOWS.find((which) => which === text("shows")) ?? "difference"),
    hides: text("hides") === SPECIAL,
  };
}

/**
 * What of an address can be no head, order, kind or list of heads, as it stands there; "" where it can be, or is not given.
 * @param {URLSearchParams} query
 */
export function unread(query) {
  const strange = (name, can) => {
    const text = query.get(name) ?? "";
    return can(text) ? "" : text;
  };
  const isName = (text) => NAME.test(text);
  const off = (text) => text.split("_").every((one) => !one || headIn(one));
  return {
    head: strange("head", headIn),
    by: strange("by", isName),
    only: strange("only", isName),
    off: strange("off", off),
  };
}

/**
 * What was wanted and is not there in a model's answer, by its name in an address: the head, the order, what heads are
 * to do, or heads to be switched off; "" where it is there.
 * @param {Pick<ModelPlace, "head" | "by" | "only" | "off">} wanted
 * @param {Pick<ModelPlace, "head" | "by" | "only">} actual
 * @param {Pick<ModelRun, "layers" | "heads">} run
 */
export const missing = (wanted, actual, run) => ({
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
export function written({ model, texts, head, token, off, guess, by, only, drawn, pair, shows, hides }) {
  const [text, second] = texts;
  const number = (at) => (at === null ? "" : String(at + 1));
  const fields = {
    model,
    text,
    second,
    head: head && headName(head),
    token: number(token),
    off: off.map(headName).join("_"),
    guess: number(guess),
    by,
    only,
    drawn,
    pair: pair && headName([pair.query, pair.key]),
    shows: second && shows !== START.shows ? shows : "",
    hides: hides ? SPECIAL : "",
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/**
 * The same place where all that it names exists in what the model answered.
 * @param {ModelPlace} place
 * @param {ModelRun} run
 * @returns {ModelPlace}
 */
export function fitted(place, run) {
  const token = (at) => (at !== null && at < run.sentences[0].n ? at : null);
  const isThere = place.pair && [place.pair.query, place.pair.key].every((at) => token(at) !== null);
  const measure = place.by.replace("-", "");
  const sorts = run.measures.includes(measure) || (measure === "difference" && run.differences);
  return {
    ...place,
    model: run.model,
    head: place.head && exists(run, place.head) ? place.head : startingHead(run),
    token: token(place.token) ?? (place.head || !run.differences ? null : firstDifferent(run)),
    off: run.guesses ? place.off.filter((head) => exists(run, head)) : [],
    guess: run.guesses ? (token(place.guess) ?? run.masks[0][0] ?? lastWord(run)) : null,
    by: sorts ? place.by : "",
    only: does(run, place.only) ? place.only : "",
    pair: isThere ? place.pair : null,
    hides: place.hides && run.sentences.some(({ special }) => special.includes(true)),
  };
}

/**
 * A head to begin with: of two sentences the one that differs most; of one the first that does something among words,
 * if any does.
 * @param {ModelRun} run
 * @returns {[number, number]}
 */
function startingHead(run) {
  const { heads, differences } = run;
  const [{ labels }] = run.sentences;
  const at = differences
    ? mostDifferent(run)
    : labels.findIndex((label) => label !== "none" && !RESTS.includes(label));
  return at < 0 ? [0, 0] : [Math.floor(at / heads), at % heads];
}

/** Whether any head does this. @type {(run: ModelRun, kind: string) => boolean} */
const does = ({ sentences }, kind) =>
  sentences.some((sentence) => sentence.labels.some((_, at) => kindOf(sentence, at) === kind));

/** @type {(run: Pick<ModelRun, "layers" | "heads">, head: [number, number]) => boolean} */
const exists = ({ layers, heads }, [layer, head]) => layer < layers && head < heads;

/** @type {(head: [number, number]) => string} */
const headName = ([layer, head]) => `${layer + 1}.${head + 1}`;

/** @returns {[number, number] | null} */
function headIn(text) {
  const [, layer, head] = PAIR.exec(text) ?? [];
  return layer ? [Number(layer) - 1, Number(head) - 1] : null;
}

/** @returns {Pair | null} */
function pairIn(text) {
  const [query, key] = headIn(text) ?? [];
  return query === undefined ? null : { query, key };
}

const numberIn = (text) => (/^[1-9]\d{0,5}$/.test(text) ? Number(text) - 1 : null);
