// The numbers of a walk as one phone changes them: a copy that nobody else sees. What a step reads may be set, whether it
// was given or computed; what follows from it is worked out here, and what comes before it stays. No DOM here.

import { evaluate, KNOWN } from "../kit/evaluate.js";
import { requireRows, valueAt, withTable } from "../kit/graph.js";
import { withNumbers } from "../kit/local_edits.js";
import { isWhole, largest, topOf } from "../kit/numbers.js";
import { tellAgain, toldAgain } from "../walk/told_again.js";

const NEAR = 1e-9; // numbers that differ by less are the same

/** Whether every step can be worked out here. @param {Model} model */
export const isPlayable = ({ steps }) => Object.values(steps).every(({ op }) => KNOWN.includes(op));

/**
 * The matrices whose numbers may be changed at a place: what its step reads, or what its stage gives.
 * @param {WalkStage} stage
 * @param {WalkStep | null} step
 * @returns {string[]}
 */
export function playable(stage, step) {
  if (stage.kind === "closing") return [];
  if (!step) return stage.parts.map(([name]) => name);
  return step.operands.map(([name]) => name).filter((name) => name !== step.name);
}

/**
 * A walk with numbers of its own: at first those of `numbers`, which stay as they are.
 * @type {(walk: WalkModel, numbers?: WalkModel) => WalkModel}
 */
export const copied = (walk, numbers = walk) => toldAgain(withNumbers(walk, numbers));

/**
 * Set a number, and work out all that follows from it.
 * @type {(model: WalkModel, cell: Cell, value: Value) => void}
 */
export function set(model, { name, head, row, col }, value) {
  model.matrices[name] = withTable(model.matrices[name], head, (rows) =>
    rows.map((cells, at) => (at === row ? cells.with(col, value) : cells)),
  );
  evaluate(model, [name]);
  tellAgain(model);
}

/** Whether a number differs from that of another walk. @type {(model: WalkModel, other: WalkModel, cell: Cell) => boolean} */
export function differs(model, other, cell) {
  const [mine, theirs] = [valueAt(model, cell), valueAt(other, cell)];
  if (typeof mine !== "number" || typeof theirs !== "number") return mine !== theirs;
  return Math.abs(mine - theirs) > NEAR * Math.max(1, Math.abs(theirs));
}

/**
 * How a matrix's numbers are moved: the decimals of a step, and the least and the largest number of a slider.
 * @type {(model: WalkModel, table: TableId) => { places: number; least: number; most: number }}
 */
export function scaleOf(model, { name, head }) {
  const rows = requireRows(model, name, head);
  const size = largest(rows);
  const places = isWhole(rows) ? 0 : Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(size))));
  const most = Math.max(topOf(rows), 5 * 10 ** -places);
  return { places, most, least: model.matrices[name].scale === "weights" ? 0 : -most };
}
