// The line of arithmetic of a place, as nodes: a sum as far as its terms are reached, softmax as it is computed.

import { arithmetic, ELLIPSIS, exponents, inBrief, joined, some } from "../../kit/arithmetic.js";
import { element, fill, span, symbol } from "../../kit/dom.js";
import { isGiven, requireValue, shownAs, symbolOf, termsOf, valueAt } from "../../kit/graph.js";
import { pieceOf } from "../../kit/line.js";
import { namesOf } from "./cell_name.js";
import { focusOf, hasStep, isCell, isProduct } from "./scene.js";
import { around } from "./shown_indices.js";

const MOST_CELLS = 6; // of a softmax row
const MOST_TERMS = 10; // where a whole matrix is shown

/**
 * Terms that are not reached keep their room and are invisible. Of what is asked for the line shows only the place.
 * @param {Scene} scene
 * @param {Place} place
 * @param {{ hiding: boolean; most?: number }} how `most`: so many terms are shown, the others are left out
 * @returns {HTMLElement[]}
 */
export function lineOf(scene, place, { hiding, most = Infinity }) {
  const { model, stage, about } = scene;
  const { words } = model;
  if (about) return explanation(model, about, inBrief(model, most));
  const cell = focusOf(scene, place);
  if (!cell || !hasStep(scene) || (hiding && place.part === null)) return [];
  const { beat } = place;
  const isStepwise = beat !== null && isProduct(scene) && isCell(scene, place);
  const reached = isStepwise ? beat : Infinity;
  const shownTerms = isStepwise ? Infinity : Math.min(most, place.part === null ? MOST_TERMS : Infinity);
  const terms = termsOf(model, cell).length;
  const sign = symbolOf(model, cell.name, scene.head);
  const isSoftmaxRow = scene.step.layout === "softmax" && place.part !== null && stage.powers !== undefined;
  const [row, col] = namesOf(model, cell);
  const where = `[${row}, ${isSoftmaxRow ? "…" : col}]`;
  if (hiding) return [span("place", symbol(sign), `${where} = ?`)];
  const leading =
    isSoftmaxRow && beat !== null ? ["", `${fill(words.row_sum, { row })} = `][beat] : undefined;
  const nodes = [span("place", ...(leading === undefined ? [symbol(sign), `${where} = `] : [leading]))];
  const pieces = piecesOf(scene, cell, inBrief(model, shownTerms), place);
  /** @type {Map<number, boolean>} of a sum that is shown term by term, those left out: whether a gap begins there */
  const omitted = new Map();
  if (isStepwise)
    for (const gap of around(terms, most, reached))
      if (typeof gap === "object") for (let k = 0; k < gap.count; k++) omitted.set(gap.from + k, k === 0);
  let term = 0;
  for (const [index, piece] of pieces.entries()) {
    const isPlus = piece.text === " + ";
    if (isPlus) term += 1;
    const isResult = index >= pieces.length - 2 && Boolean(pieces.at(-1)?.strong);
    const isUnseen = isResult ? reached < terms - 1 : term > reached;
    if (isResult || !omitted.has(term)) {
      const isFresh = term === reached && !isResult && !isPlus;
      nodes.push(pieceNode(model, piece, [isUnseen ? "unseen" : "", isFresh ? "fresh" : ""]));
    } else if (isPlus && omitted.get(term)) nodes.push(span(isUnseen ? "quiet unseen" : "quiet", " + …"));
  }
  return nodes;
}

/**
 * The name of a cell and its arithmetic, wherever the walk is.
 * @type {(model: WalkModel, cell: Cell, manner: Manner) => HTMLElement[]}
 */
function explanation(model, cell, manner) {
  const place = span("place", ...placed(model, cell), " = ");
  if (!isComputed(model, cell)) {
    const number = element("strong", {}, shownAs(model, cell.name, cell.head)(requireValue(model, cell)));
    return [place, number, span("remark", model.words.given)];
  }
  return [place, ...arithmetic(model, cell, manner).map((piece) => pieceNode(model, piece, []))];
}

/** Whether a number is computed here, and not given. @type {(model: WalkModel, cell: Cell) => boolean} */
const isComputed = (model, { name, head }) => name in model.steps && !isGiven(model, name, head);

/**
 * The arithmetic of a cell. That of softmax is shown for the whole row as it is computed: exponentials, sum, divisions.
 * @type {(scene: StepScene, cell: Cell, manner: Manner, place: Place) => Piece[]}
 */
function piecesOf({ model, stage, step }, cell, manner, place) {
  const isRow = step.layout === "softmax" && place.part !== null;
  const row = isRow ? stage.powers?.[cell.row] : undefined;
  if (!row?.total) return arithmetic(model, cell, manner);
  const { powers, total } = row;
  /** @type {(number: Value) => Piece} */
  const numberPiece = (number) => ({ number: manner.show(number), cell });
  /** @type {(number: Value) => Piece} */
  const equals = (number) => ({ text: manner.rounds(number) ? " ≈ " : " = " });
  if (place.beat === 1) {
    const terms = powers.map((power) => [numberPiece(power)]);
    return [
      ...joined(some(terms, manner.most, ELLIPSIS), " + "),
      equals(total),
      { ...numberPiece(total), strong: true },
    ];
  }
  const above = exponents(model, cell, manner.show);
  /** @type {(power: number, col: number) => Piece[]} */
  const exponential = (power, col) => [
    { text: "e" },
    { power: above[col], cell: termsOf(model, cell)[col][0] },
    equals(power),
    numberPiece(power),
  ];
  /** @type {(power: number, col: number) => Piece[]} what a sink takes has no cell */
  const division = (power, col) => {
    const weight = valueAt(model, { ...cell, col }) ?? power / total;
    return [
      numberPiece(power),
      { text: ` ÷ ${manner.show(total)}` },
      equals(weight),
      { ...numberPiece(weight), strong: true },
    ];
  };
  const most = Math.min(manner.most, MOST_CELLS);
  const cells = powers.slice(0, most).map(place.beat === 0 ? exponential : division);
  const more = powers.length > most ? [{ text: ", …", quiet: true }] : [];
  return [...joined(cells, ", "), ...more];
}

/** @type {(model: WalkModel, piece: Piece, classes: string[]) => HTMLElement} */
const pieceNode = (model, piece, classes) =>
  pieceOf(model, piece, (cell) => placed(model, cell), { quiet: "quiet", also: classes.join(" ").trim() });

/** The name of a cell. @type {(model: WalkModel, cell: Cell) => Child[]} */
const placed = (model, cell) => [
  symbol(symbolOf(model, cell.name, cell.head)),
  `[${namesOf(model, cell).join(", ")}]`,
];
