// What can be done with the pinned number: mask its pair, and make a puzzle of it.

import { button } from "../kit/dom.js";
import { isEditable, isFixed, pairOf, rowsOf } from "../kit/graph.js";

/**
 * @param {ExploreModel} model
 * @param {Cell} cell
 * @param {(edit: Edit) => void} send
 * @returns {Child[]}
 */
export const pinnedActs = (model, cell, send) => [
  masking(model, cell, send),
  makingPuzzle(model, cell, send),
];

/**
 * A button that hides the pair that the number is about, in every head, or lets it attend again. Where there is no mask,
 * one is made for this pair alone.
 * @type {(model: ExploreModel, cell: Cell, send: (edit: Edit) => void) => Child}
 */
function masking(model, cell, send) {
  const { words } = model;
  const pair = pairOf(model, cell);
  if (!pair || !canMask(model)) return null;
  const { name, head, row, col } = pair.cell;
  const hides = !pair.hidden;
  const isAdded = model.matrices[name] && typeof rowsOf(model, name, head)?.[row]?.[col] !== "boolean";
  const value = isAdded ? (hides ? "-inf" : 0) : !hides;
  const onclick = () => send({ op: "set", matrix: name, head, row, col, values: [[value]] });
  const [hide, show] =
    head === null ? [words.mask_this, words.unmask] : [words.mask_this_head, words.unmask_head];
  return button({ data: { focus: "mask pair" }, onclick }, hides ? hide : show);
}

/** Whether a pair may be hidden: anywhere, or where nothing but numbers can be changed, in a mask of numbers. @param {ExploreModel} model */
const canMask = ({ check, controls, matrices }) =>
  !check && (!controls.fixed || controls.fixed.includes("mask") || Boolean(matrices.mask?.edit));

/**
 * A button that makes a puzzle of what has been changed: this number is to be reached.
 * @type {(model: ExploreModel, cell: Cell, send: (edit: Edit) => void) => Child}
 */
function makingPuzzle(model, cell, send) {
  if (isFixed(model) || !model.controls.changed || isEditable(model, cell.name, cell.head)) return null;
  const onclick = () => send({ op: "make_puzzle", cell });
  return button({ data: { focus: "make puzzle" }, onclick }, model.words.puzzle_make);
}
