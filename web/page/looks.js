// Where each head looks, in a few words, worked out from the weights as mha_core/walk/summary.py does. No DOM here.

import { fill } from "../kit/dom.js";
import { isHidden, requireRows } from "../kit/graph.js";
import { format } from "../kit/numbers.js";
import { isolated } from "../kit/quoted.js";

const CLEAR = 2; // a weight is clearly above the others of its row from so many times their mean on
const NEAR = 1e-9; // weights that differ by less are equal
const LISTED = 3; // most queries that are listed one by one, and of more the most that are named

/**
 * A head's weights. `tops`: for each query the keys that share its largest weight, none where it has no weight;
 * `visible`: the weights that no mask hides; `attending`: the queries with weights; `choosing`: those that may attend to
 * two keys or more.
 * @typedef {{ rows: number[][]; tops: number[][]; visible: number[][]; attending: number[]; choosing: number[] }} Weights
 */

/**
 * A finding about each head, without naming it.
 * @param {Model} model
 * @param {PageTokens} tokens
 * @returns {string[]}
 */
export function looksOf(model, tokens) {
  const heads = Array.from({ length: model.dims.h }, (_, head) => weightsOf(model, head));
  return heads.map((weights, head) => {
    const others = heads.filter((_, other) => other !== head);
    const { kind, pairs, isWeighed } = named(kindOf(weights, tokens.same), weights, others);
    return sentence(model.words, kind, weights, tokens, { pairs, isWeighed });
  });
}

/** @type {(model: Model, head: number) => Weights} */
function weightsOf(model, head) {
  const rows = requireRows(model, "weights", head).map((row) => row.map(Number));
  const tops = rows.map((row) => {
    const most = Math.max(...row);
    return most > 0 ? [...row.keys()].filter((key) => row[key] >= most - NEAR) : [];
  });
  const isSeen = (/** @type {number} */ row, /** @type {number} */ col) =>
    !isHidden(model, { name: "weights", head, row, col }, rows[row][col]);
  const visible = rows.map((row, at) => row.filter((_, col) => isSeen(at, col)));
  const attending = [...rows.keys()].filter((at) => tops[at].length);
  return { rows, tops, visible, attending, choosing: attending.filter((at) => visible[at].length > 1) };
}

/** The first finding that is true. @type {(weights: Weights, same: boolean) => string} */
function kindOf({ tops, visible, attending, choosing }, same) {
  if (!choosing.length) return attending.length ? "no choice" : "nothing";
  const seen = choosing.map((at) => ({ least: Math.min(...visible[at]), most: Math.max(...visible[at]) }));
  if (seen.every(({ least, most }) => most - least <= NEAR)) return "even";
  if (seen.every(({ least, most }) => most > 0 && most <= 2 * least)) return "nearly even";
  const isSingle = choosing.length > 1 && attending.every((at) => tops[at].length === 1);
  const pattern = isSingle ? patternOf(tops, attending, same) : null;
  return pattern ?? (choosing.length <= LISTED ? "each" : "many");
}

/** @type {(tops: number[][], attending: number[], same: boolean) => string | null} */
function patternOf(tops, attending, same) {
  const lookAt = (/** @type {number} */ by, /** @type {number[]} */ queries) =>
    queries.every((at) => tops[at][0] === at + by);
  if (new Set(attending.map((at) => tops[at][0])).size === 1) return "one key";
  if (!same) return null;
  if (lookAt(0, attending)) return "itself";
  const count = tops.length;
  if (attending.length < count) return null;
  if (count > 2 && lookAt(-1, attending.slice(1))) return "back";
  return count > 3 && lookAt(1, attending.slice(1, -1)) ? "forward" : null;
}

/** @typedef {{ query: number; tops: number[]; weight: number }} Pair a query that is named, with its largest weight */

/**
 * Whether a weight is clearly above the others that its query has. With the mean of all, no weight of two would be.
 * @type {(weight: number, visible: number[]) => boolean}
 */
function isClear(weight, visible) {
  const sum = visible.reduce((all, one) => all + one, 0);
  return weight * (visible.length - 1) >= CLEAR * (sum - weight);
}

/**
 * The pairs that a finding names: all of a few queries, or those of many in which the head differs most from the others.
 * @type {(kind: string, weights: Weights, others: Weights[]) => { kind: string; pairs: Pair[]; isWeighed: boolean }}
 */
function named(kind, { rows, tops, visible, choosing }, others) {
  const pairOf = (/** @type {number} */ query) => ({
    query,
    tops: tops[query],
    weight: Math.max(...rows[query]),
  });
  if (kind !== "many") {
    const isAlike = others.some((other) =>
      choosing.every((at) => String(other.tops[at]) === String(tops[at])),
    );
    return { kind, pairs: choosing.map(pairOf), isWeighed: isAlike };
  }
  const single = choosing.filter((at) => tops[at].length === 1);
  const apart = others.length
    ? single.filter(
        (at) =>
          isClear(rows[at][tops[at][0]], visible[at]) &&
          others.every((other) => !other.tops[at].includes(tops[at][0])),
      )
    : [];
  const ahead = (/** @type {number} */ at) => {
    const beside = apart.length ? others.map((other) => other.rows[at][tops[at][0]]) : [];
    const away = rows[at][tops[at][0]] - (beside.length ? Math.max(...beside) : 0);
    return Math.round(1e6 * away); // rounded, so that noise decides nothing
  };
  const [query, key] = strongest(rows, choosing);
  const list = apart.length ? apart : single;
  const most = list
    .toSorted((one, other) => ahead(other) - ahead(one))
    .slice(0, others.length < LISTED ? LISTED : 1);
  const pairs = most.sort((one, other) => one - other).map(pairOf);
  const fallback = [{ query, tops: [key], weight: rows[query][key] }];
  return { kind: apart.length ? "apart" : "many", pairs: pairs.length ? pairs : fallback, isWeighed: true };
}

/** @type {(words: Record<string, string>, kind: string, weights: Weights, tokens: PageTokens, said: { pairs: Pair[]; isWeighed: boolean }) => string} */
function sentence(words, kind, { rows, visible, attending, choosing }, { queries, keys }, said) {
  const say = (/** @type {string} */ name, /** @type {Record<string, string>} */ values) =>
    fill(words[`look ${name}`], values);
  const tied = (/** @type {number[]} */ top) => {
    const names = top.map((key) => isolated(keys[key]));
    return names.length > 1 ? say("tied", { keys: joined(say, "and", names) }) : names[0];
  };
  const pairs = said.pairs.map(({ query, tops, weight }) => {
    const pair = `${isolated(queries[query])} → ${tied(tops)}`;
    return said.isWeighed ? `${pair} ${format(weight, 2)}` : pair;
  });
  const [, key] = strongest(rows, choosing);
  const isMasked = attending.some((at) => visible[at].length < rows[at].length);
  const found = say(isMasked && words[`look among ${kind}`] ? `among ${kind}` : kind, {
    pairs: joined(say, "list", pairs),
    key: isolated(keys[key]),
  });
  const range = rangeOf(kind, rows, choosing)?.map((weight) => format(weight, 2));
  const stated = range
    ? say(range[0] === range[1] ? "one" : "range", { finding: found, least: range[0], most: range[1] })
    : found;
  const isBlind = attending.length < rows.length && choosing.length > 0;
  return isBlind ? say("blind", { finding: stated }) : stated;
}

/**
 * The smallest and the largest of the largest weights of the queries that a finding is about; null if it states none.
 * @type {(kind: string, rows: number[][], choosing: number[]) => number[] | null}
 */
function rangeOf(kind, rows, choosing) {
  if (!["one key", "itself", "back", "forward"].includes(kind)) return null;
  const isNamed = (/** @type {number} */ at) =>
    kind === "back" ? at > 0 : kind !== "forward" || (at > 0 && at < rows.length - 1);
  const weights = choosing.filter(isNamed).map((at) => Math.max(...rows[at]));
  const [least, most] = [Math.min(...weights), Math.max(...weights)];
  return least > 0 && least < 1 + NEAR ? [least, most] : null;
}

/** @type {(say: (name: string, values: Record<string, string>) => string, name: string, texts: string[]) => string} */
const joined = (say, name, texts) =>
  texts.length ? texts.reduce((one, next) => say(name, { one, next })) : "";

/** The query, of these, and the key of the largest weight; the first of several. @type {(rows: number[][], choosing: number[]) => number[]} */
function strongest(rows, choosing) {
  let [query, key] = [choosing[0], 0];
  for (const at of choosing)
    for (const [col, weight] of rows[at].entries()) if (weight > rows[query][key]) [query, key] = [at, col];
  return [query, key];
}
