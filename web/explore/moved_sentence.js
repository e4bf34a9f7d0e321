// What the last edit has done, in a sentence: how many weights it has changed, one of them, and what moved that one. No DOM
// here.

import { movedAt, movedIn } from "../kit/changed_numbers.js";
import { fill } from "../kit/dom.js";
import {
  nameOf,
  numberOf,
  requireRows,
  requireValue,
  rowsIn,
  rowsOf,
  shownAs,
  symbolOf,
  tokensOf,
} from "../kit/graph.js";
import { isolated } from "../kit/quoted.js";

/**
 * What the last edit has done to the weights; where it has changed none, to the output. It names the weight that moved
 * most, or of the pairs that the reader looks at the first whose weight has moved.
 * @param {Model} model
 * @param {Record<string, string>} words
 * @param {Cell[]} [looked] numbers that the reader looks at, the most important one first
 */
export function movedSentence(model, words, looked = []) {
  const last = ["output", "concat"].find((name) => model.matrices[name]);
  const weights = movedIn(model, "weights");
  const tally = weights.most || !last ? weights : movedIn(model, last);
  const { all, changed } = tally;
  const own = looked.map((cell) => weightOf(model, cell)).find((cell) => cell && movedAt(model, cell));
  const named = own ?? tally.most;
  if (!named) return "";
  const values = {
    all,
    changed,
    place: nameOf(model, named).replaceAll("_", ""),
    head: (named.head ?? 0) + 1,
    ...wentFrom(model, named),
  };
  if (!weights.most) return fill(words.moved_outputs, values);
  return because(model, words, fill(own ? words.moved_weight : words.moved_weights, values), named);
}

/** The weight of the pair that a cell is about; null where it is about no pair of one head. @type {(model: Model, cell: Cell) => Cell | null} */
function weightOf({ matrices }, cell) {
  const isPair = String(matrices[cell.name]?.axes) === String(matrices.weights.axes);
  return isPair && cell.head !== null ? { ...cell, name: "weights" } : null;
}

/** A moved number before and now, as it is printed, and its tokens. @type {(model: Model, cell: Cell) => { tokens: string; before?: string; now: string }} */
const wentFrom = (model, cell) => ({
  tokens: tokensOf(model, cell).map(isolated).join(" → "),
  before: movedAt(model, cell)?.was,
  now: shownAs(model, cell.name, cell.head)(requireValue(model, cell)),
});

/**
 * A sentence on a weight that has moved, with the scores that moved it: its own, another one of its row, or both.
 * @type {(model: Model, words: Record<string, string>, sentence: string, weight: Cell) => string}
 */
function because(model, words, sentence, weight) {
  const name = model.steps.weights?.operands[0][0];
  if (!name || !model.before?.[name] || !rowsOf(model, name, weight.head)) return sentence;
  const [own, rival] = causesOf(model, { ...weight, name }, weight).map(
    (cell) => cell && wentFrom(model, cell),
  );
  const score = symbolOf(model, name, weight.head).replaceAll("_", "");
  const other = rival && { rival: rival.tokens, rival_before: rival.before, rival_now: rival.now };
  if (own && other) return fill(words.moved_by_both, { sentence, score, ...own, ...other });
  if (own) return fill(words.moved_because, { sentence, score, ...own });
  return other ? fill(words.moved_by_rival, { sentence, score, ...other }) : sentence;
}

const PART = 1 / 4; // of what moved a weight: what did less is not named

/**
 * The scores that moved a weight: its own, and the one of its row that did most; null for each that did not.
 *
 * The log-odds of a weight are its score minus the log of the sum of e^score over its rivals. So each of the two parts
 * of their change is compared with the whole.
 * @type {(model: Model, score: Cell, weight: Cell) => [Cell | null, Cell | null]}
 */
function causesOf(model, score, weight) {
  const { name, head, row, col } = score;
  const { perHead } = model.matrices[name];
  const was = (rowsIn(perHead, model.before?.[name] ?? [], head)?.[row] ?? []).map(numberOf);
  const now = requireRows(model, name, head)[row].map(numberOf);
  const way = Math.sign(
    numberOf(requireValue(model, weight)) - numberOf(movedAt(model, weight)?.before ?? 0),
  );
  const others = [...now.keys()].filter((at) => at !== col);
  const byOwn = way * step(was[col], now[col]);
  const byRivals = -way * step(logSum(others.map((at) => was[at])), logSum(others.map((at) => now[at])));
  const top = Math.max(...[...was, ...now].filter(Number.isFinite));
  const rival = foremost(
    others.filter((at) => way * step(was[at], now[at]) < 0),
    (at) => Math.abs(Math.exp(now[at] - top) - Math.exp(was[at] - top)),
  );
  /** @type {(at: number | null, isCause: boolean) => Cell | null} */
  const named = (at, isCause) =>
    isCause && at !== null && movedAt(model, { ...score, col: at }) ? { ...score, col: at } : null;
  return [named(col, isPart(byOwn, byRivals)), named(rival, isPart(byRivals, byOwn))];
}

/** Whether a cause did a good part of what both did. @type {(cause: number, other: number) => boolean} */
const isPart = (cause, other) =>
  cause > 0 && (cause === Infinity || cause >= PART * (cause + Math.max(other, 0)));

/** From one number to another, of which both may be −∞. @type {(was: number, now: number) => number} */
const step = (was, now) => (was === now ? 0 : now - was);

/** log Σ e^x, without an overflow. @param {number[]} numbers */
function logSum(numbers) {
  const top = Math.max(...numbers);
  if (!Number.isFinite(top)) return top;
  return top + Math.log(numbers.reduce((sum, number) => sum + Math.exp(number - top), 0));
}

/** The one for which a measure is largest; null of none. @type {(list: number[], measure: (at: number) => number) => number | null} */
const foremost = (list, measure) =>
  list.length ? list.reduce((best, at) => (measure(at) > measure(best) ? at : best)) : null;
