// The line of arithmetic of a place, as nodes: a sum as far as it is reached, softmax as it is computed.

import { arithmetic, ELLIPSIS, exponents, inBrief, joined, some } from "../../kit/arithmetic.js";
import { span, symbol } from "../../kit/dom.js";
import { rowsOf, symbolOf, termsOf } from "../../kit/graph.js";
import { pieceOf } from "../../kit/line.js";
import { namesOf } from "./cell_name.js";
import { focusOf, isCell, isProduct } from "./scene.js";
import { around } from "./shown_indices.js";

/** @typedef {import("./scene.js").Scene} Scene */

const MOST_CELLS = 6; // cells of a softmax row that the line of arithmetic tells

/**
 * Terms not yet reached keep their room, unseen; what is asked for is not told at all. Of more than `most` terms some
 * are left out.
 * @param {Scene} scene
 * @param {Place} place
 * @param {{ hiding: boolean; most?: number }} how
 * @returns {HTMLElement[]}
 */
export function lineOf(scene, place, { hiding, most = Infinity }) {
  const { model, stage, step } = scene;
  const { words } = model;
  const cell = focusOf(scene, place);
  if (!cell || (hiding && place.part === null)) return [];
  const stepwise = isProduct(scene) && place.beat !== null && isCell(scene, place);
  const reached = stepwise ? place.beat : Infinity;
  const how = inBrief(model, stepwise ? Infinity : Math.min(most, place.part === null ? 10 : Infinity));
  const terms = termsOf(model, cell).length;
  const sign = symbolOf(model, cell.name, scene.head);
  const softmax = step.layout === "softmax" && place.part !== null && stage.powers;
  const [row, col] = namesOf(model, cell);
  const where = `[${row}, ${softmax ? "…" : col}]`;
  if (hiding) return [span("place", symbol(sign), `${where} = ?`)];
  const leading = softmax && ["", `${words.sum} ${row} = `][place.beat]; // up to the weights themselves
  const nodes = [span("place", ...(typeof leading === "string" ? [leading] : [symbol(sign), `${where} = `]))];
  let group = 0;
  const pieces = piecesOf(scene, cell, how, place);
  const left = new Map(); // of a sum that is told term by term: which terms are left out, and where
  if (stepwise)
    for (const one of around(terms, most, reached))
      if (typeof one === "object") for (let k = 0; k < one.count; k++) left.set(one.from + k, !k);
  pieces.forEach((piece, index) => {
    if (piece.text === " + ") group += 1;
    const last = index >= pieces.length - 2 && pieces.at(-1).strong;
    const unseen = last ? reached < terms - 1 : group > reached;
    if (left.has(group) && !last) {
      if (left.get(group) && piece.text === " + ")
        nodes.push(span(unseen ? "quiet unseen" : "quiet", " + …"));
      return;
    }
    nodes.push(laid(model, piece, { unseen, fresh: group === reached && !last && piece.text !== " + " }));
  });
  return nodes;
}

/**
 * Softmax is told as it is computed, for the whole row: powers, their sum, the divisions.
 * @type {(scene: Scene, cell: Cell, how: Manner, place: Place) => Piece[]}
 */
function piecesOf({ model, stage, step }, cell, how, place) {
  const powers = step.layout === "softmax" && place.part !== null && stage.powers?.[cell.row];
  if (!powers?.total) return arithmetic(model, cell, how);
  const numberPiece = (number) => ({ number: how.show(number), cell });
  const equals = (number) => ({ text: how.rounds(number) ? " ≈ " : " = " });
  const most = Math.min(how.most, MOST_CELLS);
  const each = powers.powers
    .slice(0, most)
    .map((power, col) =>
      weightOf(model, { ...cell, col }, power, powers, place.beat, how, { numberPiece, equals }),
    );
  if (place.beat === 1) {
    /** @type {Piece[][]} */
    const terms = powers.powers.map((power) => [numberPiece(power)]);
    return [
      ...joined(some(terms, how.most, ELLIPSIS), " + "),
      equals(powers.total),
      { ...numberPiece(powers.total), strong: true },
    ];
  }
  const more = powers.powers.length > most ? [{ text: ", …", quiet: true }] : [];
  return [...joined(each, ", "), ...more];
}

/** One cell of a softmax row: its power, or its division. */
function weightOf(model, cell, power, powers, beat, { show }, { numberPiece, equals }) {
  const value = rowsOf(model, cell.name, cell.head)[cell.row][cell.col];
  if (beat !== 0)
    return [
      numberPiece(power),
      { text: ` ÷ ${show(powers.total)}` },
      equals(value),
      { ...numberPiece(value), strong: true },
    ];
  return [
    { text: "e" },
    { power: exponents(model, cell, show)[cell.col], cell },
    equals(power),
    numberPiece(power),
  ];
}

/** @type {(model: WalkModel, piece: Piece, how: { unseen: boolean; fresh: boolean }) => HTMLElement} */
function laid(model, piece, { unseen, fresh }) {
  const also = [unseen ? "unseen" : "", fresh ? "fresh" : ""].join(" ").trim();
  const placed = (cell) => {
    const at = namesOf(model, cell).join(", ");
    return [symbol(symbolOf(model, cell.name, cell.head)), `[${at}]`];
  };
  return pieceOf(model, piece, placed, { quiet: "quiet", also });
}
