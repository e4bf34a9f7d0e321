// What a place of a step shows: which cells are shown before it, at it and after it, and of which matrices. No DOM here.

import {
  isPerHead,
  key,
  labelsOf,
  requireRows,
  requireValue,
  shownAs,
  symbolOf,
  termsOf,
} from "../../kit/graph.js";
import { format, LARGE } from "../../kit/numbers.js";

/**
 * @param {Scene} scene
 * @returns {scene is StepScene}
 */
export const hasStep = (scene) => scene.step !== null;

/** @type {(scene: Scene) => boolean} */
export const isProduct = ({ step }) => step?.layout === "product";

/**
 * The head whose matrix a scene reads. Heads may share keys and values, so the terms of a cell say which it is.
 * @param {Scene} scene
 * @param {string} name
 * @param {number | null} [head]
 */
export function ownerOf({ model, step, head: ofScene }, name, head = ofScene) {
  if (!isPerHead(model, name)) return null;
  if (!step || name === step.name || step.layout === "concat") return head;
  const first = { name: step.name, head: isPerHead(model, step.name) ? ofScene : null, row: 0, col: 0 };
  const operands = termsOf(model, first).flat();
  return operands.find((cell) => cell.name === name)?.head ?? head;
}

/**
 * Whether a stage may show the numbers of a step: its own stage, one that is computed from it, or the closing one.
 * @type {(model: WalkModel, stage: WalkStage, name: string) => boolean}
 */
export function mayShow(model, { kind, steps }, name) {
  const order = Object.keys(model.steps);
  return kind === "closing" || steps.some((step) => order.indexOf(step.name) >= order.indexOf(name));
}

/**
 * Whether the part of a place is one cell.
 * @param {Scene} scene
 * @param {Pick<Place, "part">} place
 */
export function isCell({ stage }, { part }) {
  if (part === null) return false;
  const [, , top, bottom, left, right] = stage.parts[part];
  return bottom - top === 1 && right - left === 1;
}

/**
 * Whether the beats of a part lead to one result, as terms to their sum, and not each to a cell.
 * @param {Scene} scene
 * @param {Pick<Place, "part">} place
 */
export const isOneResult = (scene, place) =>
  scene.step?.layout === "softmax" || (scene.step?.layout !== "concat" && isCell(scene, place));

/**
 * Whether a whole matrix is shown at once: a step, or one step of a further head.
 * @type {(scene: Scene, place: Place) => boolean}
 */
export const isWhole = ({ stage }, { part }) => part === null || stage.kind === "head";

/**
 * The part that is shown at a place. Null where a whole matrix is.
 * @type {(scene: Scene, place: Place) => WalkPart | null}
 */
const partAt = (scene, place) =>
  isWhole(scene, place) || place.part === null ? null : scene.stage.parts[place.part];

/** @type {(cell: Cell, part: WalkPart) => boolean} */
const isInPart = ({ name, row, col }, [matrix, , top, bottom, left, right]) =>
  matrix === name && row >= top && row < bottom && col >= left && col < right;

/**
 * How far each cell is shown at a place. `asked`: the result is predicted, so it comes before what leads to it.
 * @param {Scene} scene
 * @param {Place} place
 * @param {boolean} [asked]
 * @returns {(cell: Cell) => CellState}
 */
export function stateAt(scene, place, asked = false) {
  const part = partAt(scene, place);
  if (!part) return () => "now";
  const { parts } = scene.stage;
  const index = parts.indexOf(part);
  return (cell) => {
    if (!isInPart(cell, part))
      return parts.findIndex((other) => isInPart(cell, other)) < index ? "before" : "later";
    return asked && isOneResult(scene, place) ? "now" : stateAtBeat(scene, cell, place, part);
  };
}

/** @type {(scene: Scene, cell: Cell, place: Place, part: WalkPart) => CellState} */
function stateAtBeat(scene, cell, place, [, , top, , left, , beats]) {
  const { beat } = place;
  if (beat === null || !scene.step) return "now";
  if (isOneResult(scene, place)) return beat === beats - 1 ? "now" : "later";
  const at = scene.step.layout === "concat" ? cell.row - top : cell.col - left;
  return at < beat ? "before" : at === beat ? "now" : "later";
}

/**
 * The cell whose arithmetic is shown at a place: the one that somebody asks about, that of the place's part, that of the
 * token that is followed, or the first that appears now.
 * @param {Scene} scene
 * @param {Place} place
 * @returns {Cell | null}
 */
export function focusOf(scene, place) {
  const { stage, step, about, followed } = scene;
  if (about) return about;
  if (!step || stage.kind === "closing") return null;
  const { name, layout } = step;
  const head = ownerOf(scene, name);
  const part = partAt(scene, place);
  if (!part) return followed ?? { name, head, row: 0, col: 0 };
  const [, , row, , left, right] = part;
  if (layout === "concat") return { name, head, row: row + (place.beat ?? 0), col: left };
  const col = right - left === 1 || layout === "softmax" ? left : left + (place.beat ?? 0);
  return { name, head, row, col };
}

/**
 * The cells of a place's part, or of the whole result, row by row.
 * @param {StepScene} scene
 * @param {Place} place
 * @returns {Cell[]}
 */
export function cellsOf(scene, place) {
  const { model, step } = scene;
  const head = ownerOf(scene, step.name);
  const rows = requireRows(model, step.name, head);
  const [, , top, bottom, left, right] = partAt(scene, place) ?? [
    step.name,
    head,
    0,
    rows.length,
    0,
    rows[0].length,
  ];
  const cells = [];
  for (let row = top; row < bottom; row++)
    for (let col = left; col < right; col++) cells.push({ name: step.name, head, row, col });
  return cells;
}

/** Whether a place asks for more than one number. @type {(scene: Scene, place: Place) => boolean} */
export function asksForMany(scene, place) {
  if (!hasStep(scene)) return false;
  const state = stateAt(scene, place, true);
  return cellsOf(scene, place).filter((cell) => state(cell) === "now").length > 1;
}

/**
 * The terms of a cell that a place shows: all of them, or one where a sum is shown term by term.
 * @param {Scene} scene
 * @param {Place} place
 * @param {Cell} cell
 */
export function termsAt(scene, place, cell) {
  const terms = termsOf(scene.model, cell);
  const { beat } = place;
  const isStepwise = beat !== null && isProduct(scene) && isCell(scene, place);
  return isStepwise ? terms.slice(beat, beat + 1) : terms;
}

/**
 * How the tables of the walk print a matrix: a given number as it was typed, unless it is very large.
 * @type {(model: WalkModel, name: string, head: number | null) => (value: Value) => string}
 */
export function printed(model, name, head) {
  const print = shownAs(model, name, head);
  return (value) => (isLarge(value) ? format(value, model.decimals) : print(value));
}

/** @type {(value: Value) => boolean} */
export const isLarge = (value) => typeof value === "number" && Math.abs(value) >= LARGE;

/**
 * How the tables of a scene print each cell.
 * @param {WalkModel} model
 * @returns {(cell: Cell) => string}
 */
export function printer(model) {
  /** @type {Map<string, (value: Value) => string>} */
  const byMatrix = new Map();
  return (cell) => {
    const matrix = key({ ...cell, row: 0, col: 0 });
    const print = byMatrix.get(matrix) ?? printed(model, cell.name, cell.head);
    byMatrix.set(matrix, print);
    return print(requireValue(model, cell));
  };
}

/**
 * The exponentials of softmax as they are printed, and the labels of their rows and columns. Null where the walk has
 * none.
 * @param {StepScene} scene
 */
export function powersOf({ model, stage: { powers }, step, head }) {
  if (!powers) return null;
  const numbers = powers.flatMap((row) => [...row.powers, row.total]);
  const decimals = numbers.every(Number.isInteger) ? 0 : model.decimals;
  const [rows, cols] = model.matrices[step.name].axes;
  /** @param {number} value */
  const print = (value) => format(value, decimals);
  const sinks = step.operands.slice(1).map(([name]) => symbolOf(model, name, head).replace("_0", "₀"));
  return {
    rows: labelsOf(model, rows, powers.length),
    cols: [...labelsOf(model, cols, powers[0].powers.length - sinks.length), ...sinks],
    texts: numbers.map(print),
    isShifted: powers.some((row) => row.shift),
    /** @type {(row: number, col: number | "sum") => string} `col` "sum": the sum of the row */
    text: (row, col) => print(col === "sum" ? powers[row].total : powers[row].powers[col]),
  };
}
