// What the last edit has done, in a sentence: from the number that was changed to the weight that it moved, and how many
// others. Where several were changed it begins with the weight. No DOM here.

import { movedAt, movedIn } from "../kit/changed_numbers.js";
import { fill } from "../kit/dom.js";
import { nameOf, numberOf, placedTokensOf, requireValue, shownAs, symbolOf, tokensOf } from "../kit/graph.js";
import { isolated } from "../kit/quoted.js";
import { causesOf, editedCell, factorsOf, wayFrom } from "./causes.js";

const MOST_LEARNED = 3; // numbers that are named after a step of the descent

/**
 * A piece of the sentence; `cell`: the number that it is about; `names`: the names in it that have subscripts.
 * @typedef {{ text: string; cell?: Cell; names?: string[] }} MovedPiece
 */

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
    place: nameOf(model, named),
    head: (named.head ?? 0) + 1,
    ...wentFrom(model, words, named),
  };
  const sentence = weights.most
    ? because(model, words, fill(own ? words.moved_weight : words.moved_weights, values), named)
    : { text: fill(words.moved_outputs, values), cell: named, names: [String(values.place)] };
  return [sentence, ...learnedPieces(model, words)];
}

/**
 * After a step of the descent, which moves more than one table of learned numbers: the number that moved most, in those
 * of the tables that moved most.
 * @type {(model: Model, words: Record<string, string>) => MovedPiece[]}
 */
function learnedPieces(model, words) {
  const moved = (model.learning?.learned ?? []).map((name) => movedIn(model, name));
  const cells = moved.sort((one, other) => other.by - one.by).flatMap(({ most }) => most ?? []);
  if (cells.length < 2) return [];
  const pieces = cells.slice(0, MOST_LEARNED).map((cell) => {
    const place = nameOf(model, cell);
    return {
      text: fill(words.moved_learned_one, { place, ...wentFrom(model, words, cell) }),
      cell,
      names: [place],
    };
  });
  const between = (/** @type {number} */ at) => ({
    text: at ? words.moved_learned_and : words.moved_learned,
  });
  return [...pieces.flatMap((piece, at) => [between(at), piece]), { text: words.why_end }];
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
  return told.flatMap((cell, at) => {
    const { factors, more } = factorsOf(model, cell, way[way.indexOf(cell) + 1]);
    const so = at && more ? words.why_so_among : words.why_so;
    return [
      ...(at ? [{ text: so }] : []),
      ...together(model, words, at ? factors : [cell], at, way.at(-1)),
      ...(at === told.length - 1 ? [{ text: words.why_end }] : []),
    ];
  });
}

/**
 * What several numbers did that were multiplied with each other; one of them is a link of its own.
 * @type {(model: Model, words: Record<string, string>, cells: Cell[], at: number, result?: Cell) => MovedPiece[]}
 */
function together(model, words, cells, at, result) {
  const links = cells.map((cell) => link(model, words, cell, at, result));
  const [{ values, isRow }, ...others] = links;
  const isBoth =
    others.length === 1 &&
    isRow &&
    others.every(
      (one) => one.isRow && one.values.went === values.went && one.values.column === values.column,
    );
  const joined = links.flatMap((one, index) => [
    ...(index ? [{ text: words.why_and }] : []),
    isBoth ? { ...one.piece, text: fill(words.why_part, one.values) } : one.piece,
  ]);
  return isBoth ? [...joined, { text: fill(words.why_both, values) }] : joined;
}

/**
 * Whether a number on the way is mentioned: it is printed differently than before, and the next one is not the same number
 * over again, scaled or copied.
 * @type {(model: Model, cell: Cell, next: Cell | undefined) => boolean}
 */
function isTold(model, cell, next) {
  if (!movedAt(model, cell)) return false;
  if (!next || next.name === "weights") return true;
  const [axes, nextAxes] = [cell, next].map(({ name }) => String(model.matrices[name].axes));
  return axes !== nextAxes && !(model.steps[cell.name]?.copies && next);
}

/**
 * What one number did: a piece, with the values of its words. `isRow`: it belongs to one token.
 * @typedef {{ piece: MovedPiece; values: Record<string, string | number>; isRow: boolean }} Link
 * @type {(model: Model, words: Record<string, string>, cell: Cell, at: number, result?: Cell) => Link}
 */
function link(model, words, cell, at, result) {
  const { name, head, row, col } = cell;
  const isUp = isRaised(model, cell);
  const values = {
    ...wentFrom(model, words, cell),
    done: isUp ? words.why_raised : words.why_lowered,
    place: nameOf(model, cell),
    symbol: symbolOf(model, name, head),
    head: (head ?? 0) + 1,
    column: col + 1,
  };
  const isScore = model.matrices[name].axes[1] === model.matrices.weights.axes[1];
  const isRow = Boolean(at) && !isScore && tokensOf(model, cell).length === 1;
  const score = result?.col === col && result.row === row ? words.why_score : words.why_rival;
  const number = isRow ? words.why_row : words.why_cell;
  const template = !at ? words.why_edited : name === "weights" ? words.why_weight : isScore ? score : number;
  const names = [template.includes("{place}") ? values.place : values.symbol];
  return { piece: { text: fill(template, values), cell, names }, values, isRow };
}

/** Whether a moved number is larger now. @type {(model: Model, cell: Cell) => boolean} */
const isRaised = (model, cell) =>
  numberOf(requireValue(model, cell)) > numberOf(movedAt(model, cell)?.before ?? 0);

/** A moved number before and now, as it is printed, which way it went, and its tokens. */
const wentFrom = (
  /** @type {Model} */ model,
  /** @type {Record<string, string>} */ words,
  /** @type {Cell} */ cell,
) => ({
  tokens: placedTokensOf(model, cell).map(isolated).join(" → "),
  went: isRaised(model, cell) ? words.why_rose : words.why_fell,
  before: movedAt(model, cell)?.was ?? "",
  now: shownAs(model, cell.name, cell.head)(requireValue(model, cell)),
});

/**
 * A sentence on a weight that has moved, with the scores that moved it: its own, another one of its row, or both.
 * @type {(model: Model, words: Record<string, string>, sentence: string, weight: Cell) => MovedPiece}
 */
function because(model, words, sentence, weight) {
  const causes = causesOf(model, weight);
  const [own, rival] = causes.map((cell) => cell && wentFrom(model, words, cell));
  const score = symbolOf(model, causes.find((cell) => cell)?.name ?? "weights", weight.head);
  const other = rival && {
    rival: rival.tokens,
    rival_went: rival.went,
    rival_before: rival.before,
    rival_now: rival.now,
  };
  const both = other ? words.moved_by_both : words.moved_because;
  const template = own ? both : other ? words.moved_by_rival : words.moved_alone;
  return { text: fill(template, { sentence, score, ...own, ...other }), cell: weight, names: [score] };
}
