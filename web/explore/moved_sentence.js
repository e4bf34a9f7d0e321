// What the last edit has done, in a sentence: from the number that was changed to the weight that it moved, and how many
// others. Where several were changed it begins with the weight. No DOM here.

import { movedAt, movedIn } from "../kit/changed_numbers.js";
import { fill } from "../kit/dom.js";
import { nameOf, numberOf, requireValue, shownAs, symbolOf, tokensOf } from "../kit/graph.js";
import { isolated } from "../kit/quoted.js";
import { causesOf, editedCell, wayFrom } from "./causes.js";

/** A piece of the sentence; `cell`: the number that it is about. @typedef {{ text: string; cell?: Cell }} MovedPiece */

/**
 * What the last edit has done to the weights; where it has changed none, to the output. It names the weight that moved
 * most, or of the pairs that the reader looks at the first whose weight has moved.
 * @param {Model} model
 * @param {Record<string, string>} words
 * @param {Cell[]} [looked] numbers that the reader looks at, the most important one first
 * @returns {MovedPiece[]}
 */
export function movedSentence(model, words, looked = []) {
  const last = ["output", "concat"].find((name) => model.matrices[name]);
  const weights = movedIn(model, "weights");
  const tally = weights.most || !last ? weights : movedIn(model, last);
  const { all, changed } = tally;
  const own = looked.map((cell) => weightOf(model, cell)).find((cell) => cell && movedAt(model, cell));
  const named = own ?? tally.most;
  if (!named) return [];
  const edited = editedCell(model);
  const way = edited && wayFrom(model, edited, named);
  const count = !weights.most ? words.tally_outputs : own ? words.tally : words.tally_most;
  if (way) return [...chain(model, words, way), { text: fill(count, { all, changed }) }];
  const values = {
    all,
    changed,
    place: nameOf(model, named).replaceAll("_", ""),
    head: (named.head ?? 0) + 1,
    ...wentFrom(model, named),
  };
  if (!weights.most) return [{ text: fill(words.moved_outputs, values), cell: named }];
  const sentence = fill(own ? words.moved_weight : words.moved_weights, values);
  return [{ text: because(model, words, sentence, named), cell: named }];
}

/** The weight of the pair that a cell is about; null where it is about no pair of one head. @type {(model: Model, cell: Cell) => Cell | null} */
function weightOf({ matrices }, cell) {
  const isPair = String(matrices[cell.name]?.axes) === String(matrices.weights.axes);
  return isPair && cell.head !== null ? { ...cell, name: "weights" } : null;
}

/**
 * Each number on the way with what it did, from the one that was changed on.
 * @type {(model: Model, words: Record<string, string>, way: Cell[]) => MovedPiece[]}
 */
function chain(model, words, way) {
  const told = way.filter((cell, at) => isTold(model, cell, way[at + 1]));
  return told.flatMap((cell, at) => [
    ...(at ? [{ text: words.why_so }] : []),
    { text: link(model, words, cell, at, way.at(-1)), cell },
    ...(at === told.length - 1 ? [{ text: words.why_end }] : []),
  ]);
}

/**
 * Whether a number on the way is told of: it is printed differently than before, and the next one is not the same number
 * over again, scaled or copied.
 * @type {(model: Model, cell: Cell, next: Cell | undefined) => boolean}
 */
function isTold(model, cell, next) {
  if (!movedAt(model, cell)) return false;
  if (!next || next.name === "weights") return true;
  const [axes, nextAxes] = [cell, next].map(({ name }) => String(model.matrices[name].axes));
  return axes !== nextAxes && !(model.steps[cell.name]?.copies && next);
}

/** @type {(model: Model, words: Record<string, string>, cell: Cell, at: number, result: Cell | undefined) => string} */
function link(model, words, cell, at, result) {
  const { name, head, row, col } = cell;
  const [, columns] = model.matrices[name].axes;
  const isUp = numberOf(requireValue(model, cell)) > numberOf(movedAt(model, cell)?.before ?? 0);
  const values = {
    ...wentFrom(model, cell),
    done: isUp ? words.why_raised : words.why_lowered,
    went: isUp ? words.why_rose : words.why_fell,
    place: nameOf(model, cell).replaceAll("_", ""),
    symbol: symbolOf(model, name, head).replaceAll("_", ""),
    head: (head ?? 0) + 1,
    column: col + 1,
  };
  if (!at) return fill(words.why_edited, values);
  if (name === "weights") return fill(words.why_weight, values);
  if (columns === model.matrices.weights.axes[1])
    return fill(result?.col === col && result.row === row ? words.why_score : words.why_rival, values);
  return fill(tokensOf(model, cell).length === 1 ? words.why_row : words.why_cell, values);
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
  const causes = causesOf(model, weight);
  const [own, rival] = causes.map((cell) => cell && wentFrom(model, cell));
  const name = causes.find((cell) => cell)?.name ?? "weights";
  const score = symbolOf(model, name, weight.head).replaceAll("_", "");
  const other = rival && { rival: rival.tokens, rival_before: rival.before, rival_now: rival.now };
  if (own && other) return fill(words.moved_by_both, { sentence, score, ...own, ...other });
  if (own) return fill(words.moved_because, { sentence, score, ...own });
  return other ? fill(words.moved_by_rival, { sentence, score, ...other }) : sentence;
}
