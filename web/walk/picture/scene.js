// What is told at a place of a stage: which cells stand there before, which now, which later, and of which matrices. A
// scene is {model, stage, step, head}: `step` null where nothing is computed. No DOM here.

import { isPerHead, key, labelsOf, rowsOf, shownAs, termsOf, valueAt } from "../../kit/graph.js";
import { format, LARGE } from "../../kit/numbers.js";

/** @typedef {{ model: WalkModel; stage: WalkStage; step: WalkStep | null; head: number | null }} Scene */

/** @type {(scene: Scene) => boolean} */
export const isProduct = ({ step }) => step.layout === "product";

/**
 * The head that a matrix belongs to which a scene reads: as its cells' own terms say.
 * @param {Scene} scene
 * @param {string} name
 * @param {number | null} [head]
 */
export function ownerOf({ model, step, head: own }, name, head = own) {
  if (!isPerHead(model, name)) return null;
  if (!step || name === step.name || step.layout === "concat") return head;
  const first = { name: step.name, head: isPerHead(model, step.name) ? own : null, row: 0, col: 0 };
  const read = termsOf(model, first).flat();
  return read.find((cell) => cell.name === name)?.head ?? head;
}

/**
 * Whether a stage may tell the numbers of a step: its own, those that are made of it, and what closes the walk.
 * @type {(model: WalkModel, stage: WalkStage, name: string) => boolean}
 */
export function mayShow(model, { kind, steps }, name) {
  const order = Object.keys(model.steps);
  const later = (step) => order.indexOf(step.name) >= order.indexOf(name);
  return kind === "closing" || steps.some(later);
}

/**
 * Whether a part is one cell.
 * @param {Scene} scene
 * @param {Pick<Place, "part">} place
 */
export function isCell({ stage }, { part }) {
  const [, , top, bottom, left, right] = stage.parts[part];
  return bottom - top === 1 && right - left === 1;
}

/**
 * Whether the beats of a part lead to one result, as terms to their sum: not to a cell each.
 * @param {Scene} scene
 * @param {Pick<Place, "part">} place
 */
export const isOneResult = (scene, place) =>
  scene.step.layout === "softmax" || (scene.step.layout !== "concat" && isCell(scene, place));

/**
 * Whether a whole matrix is shown at once: a step, or one of a further head's.
 * @type {(scene: Scene, place: Place) => boolean}
 */
export const isWhole = ({ stage }, { part }) => part === null || stage.kind === "head";

/** @type {(cell: Cell, part: WalkPart) => boolean} */
const holds = ({ name, row, col }, [matrix, , top, bottom, left, right]) =>
  matrix === name && row >= top && row < bottom && col >= left && col < right;

/**
 * cell → "before", "now" or "later", at this place; `asked`: a result is asked for before what leads to it.
 * @param {Scene} scene
 * @param {Place} place
 * @param {boolean} [asked]
 * @returns {(cell: Cell) => "before" | "now" | "later"}
 */
export function stateAt(scene, place, asked = false) {
  if (isWhole(scene, place)) return () => "now";
  const { parts } = scene.stage;
  return (cell) => {
    if (!holds(cell, parts[place.part]))
      return parts.findIndex((part) => holds(cell, part)) < place.part ? "before" : "later";
    return asked && isOneResult(scene, place) ? "now" : beatState(scene, cell, place);
  };
}

/** @type {(scene: Scene, cell: Cell, place: Place) => "before" | "now" | "later"} */
function beatState(scene, cell, { part, beat }) {
  if (beat === null || !scene.step) return "now";
  const [, , top, , left, , beats] = scene.stage.parts[part];
  const concat = scene.step.layout === "concat";
  if (isOneResult(scene, { part })) return beat === beats - 1 ? "now" : "later";
  const at = concat ? cell.row - top : cell.col - left;
  return at < beat ? "before" : at === beat ? "now" : "later";
}

/**
 * The cell whose arithmetic is told at a place: the part's own, or the first of what appears now.
 * @param {Scene} scene
 * @param {Place} place
 * @returns {Cell | null}
 */
export function focusOf(scene, place) {
  const { stage, step } = scene;
  if (!step || stage.kind === "closing") return null;
  const { name, layout } = step;
  const head = ownerOf(scene, name);
  if (isWhole(scene, place)) return { name, head, row: 0, col: 0 };
  const [, , row, , left, right] = stage.parts[place.part];
  if (layout === "concat") return { name, head, row: row + (place.beat ?? 0), col: left };
  const col = right - left === 1 || layout === "softmax" ? left : left + (place.beat ?? 0);
  return { name, head, row, col };
}

/**
 * The cells of a place's part, or of the whole result, row by row.
 * @param {Scene} scene
 * @param {Place} place
 * @returns {Cell[]}
 */
export function cellsOf(scene, place) {
  const { model, stage, step } = scene;
  const head = ownerOf(scene, step.name);
  const rows = rowsOf(model, step.name, head);
  const [, , top, bottom, left, right] = isWhole(scene, place)
    ? [step.name, head, 0, rows.length, 0, rows[0].length]
    : stage.parts[place.part];
  const cells = [];
  for (let row = top; row < bottom; row++)
    for (let col = left; col < right; col++) cells.push({ name: step.name, head, row, col });
  return cells;
}

/**
 * Whether a place asks for more than one number.
 * @type {(scene: Scene, place: Place) => boolean}
 */
export function asksForMany(scene, place) {
  if (!scene.step) return false;
  const state = stateAt(scene, place, true);
  return cellsOf(scene, place).filter((cell) => state(cell) === "now").length > 1;
}

/**
 * The terms of a cell that a place tells: all of them, or that of its beat where a sum is told term by term.
 * @param {Scene} scene
 * @param {Place} place
 * @param {Cell} cell
 */
export function termsAt(scene, place, cell) {
  const terms = termsOf(scene.model, cell);
  const stepwise = isProduct(scene) && place.beat !== null && place.part !== null && isCell(scene, place);
  return stepwise ? terms.slice(place.beat, place.beat + 1) : terms;
}

/**
 * What the tables of the walk print of a matrix: a given number as it was typed, but a very large one as computed ones are.
 * @type {(model: WalkModel, name: string, head: number | null) => (value: Value) => string}
 */
export function printed(model, name, head) {
  const shown = shownAs(model, name, head);
  return (value) => (isLarge(value) ? format(value, model.decimals) : shown(value));
}

/** @type {(value: Value) => boolean} */
export const isLarge = (value) => typeof value === "number" && Math.abs(value) >= LARGE;

/**
 * What the tables of a scene print, cell by cell.
 * @param {WalkModel} model
 * @returns {(cell: Cell) => string}
 */
export function printer(model) {
  const shown = new Map();
  return (cell) => {
    const of = key({ ...cell, row: 0, col: 0 });
    if (!shown.has(of)) shown.set(of, printed(model, cell.name, cell.head));
    return shown.get(of)(valueAt(model, cell));
  };
}

/**
 * The exponentials of softmax as they are printed, and the labels of their rows and columns; `col` "sum": the row's sum.
 * @param {Scene} scene
 */
export function powersOf({ model, stage, step }) {
  const { powers } = stage;
  const flat = powers.flatMap((row) => [...row.powers, row.total]);
  const whole = flat.every(Number.isInteger);
  const show = (value) => format(value, whole ? 0 : model.decimals);
  const [rows, cols] = model.matrices[step.name].axes;
  return {
    rows: labelsOf(model, rows, powers.length),
    cols: labelsOf(model, cols, powers[0].powers.length),
    texts: flat.map(show),
    isShifted: powers.some((row) => row.shift),
    /** @type {(row: number, col: number | "sum") => string} */
    text: (row, col) => show(col === "sum" ? powers[row].total : powers[row].powers[col]),
  };
}
