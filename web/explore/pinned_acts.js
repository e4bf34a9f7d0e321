// What can be done with the pinned number: mask its pair, make a puzzle of it, and make it the goal. Of a derivative it is
// said what a step does with it.

import { stepAt } from "../kit/descent.js";
import { button, element, fillNodes, symbol } from "../kit/dom.js";
import { isEditable, isFixed, nameOf, pairOf, requireValue, rowsOf } from "../kit/graph.js";
import { brief, isRounded, parenthesised } from "../kit/numbers.js";
import { stepsOf } from "./learning/goals.js";

/**
 * @param {ExploreModel} model
 * @param {Cell} cell
 * @param {{ send: (edit: Edit) => void; aimAt: (cell: Cell) => void }} host
 * @returns {Child[]}
 */
export const pinnedActs = (model, cell, { send, aimAt }) => [
  stepping(model, cell),
  masking(model, cell, send),
  makingGoal(model, cell, aimAt),
  makingPuzzle(model, cell, send),
];

/** W − η·dW with its numbers. @type {(model: ExploreModel, cell: Cell) => Child} */
function stepping(model, cell) {
  const step = stepAt(model, cell);
  if (!step) return null;
  const show = (/** @type {number} */ number) => brief(number, model.decimals);
  const sum = [show(step.before), " − ", show(step.rate), " · ", parenthesised(show(step.slope))];
  const after = step.before - step.rate * step.slope;
  const result = element("strong", {}, show(after));
  const place = [symbol(nameOf(model, step.by))];
  return element(
    "span",
    { class: "of-step" },
    ...fillNodes(model.words.step_of_cell, {
      place,
      sum: [...sum, isRounded(after, model.decimals) ? " ≈ " : " = ", result],
    }),
  );
}

/**
 * A button that makes the goal of a weight that its query should look there, and of an output that its row should become
 * other numbers.
 * @type {(model: ExploreModel, cell: Cell, aimAt: (cell: Cell) => void) => Child}
 */
function makingGoal(model, cell, aimAt) {
  if (isFixed(model) || !model.asks || !stepsOf(model).some((step) => step === cell.name)) return null;
  if (isEditable(model, cell.name, cell.head) || model.controls.lens === null) return null;
  if (cell.name === "weights" && !requireValue(model, cell)) return null; // its loss would be infinite
  return button({ data: { focus: "make goal" }, onclick: () => aimAt(cell) }, model.words.goal_make);
}

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
  if (model.learning?.stages.some(({ matrices }) => matrices.includes(cell.name))) return null;
  const onclick = () => send({ op: "make_puzzle", cell });
  return button({ data: { focus: "make puzzle" }, onclick }, model.words.puzzle_make);
}
