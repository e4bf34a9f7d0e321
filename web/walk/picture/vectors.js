// Two dimensions as arrows: the rows of values that a row of weights mixes, each as long as its weight makes it, one
// behind the other, and the arrow that they add up to. No DOM here.

import { key, rowsOf, termsOf, valueAt } from "../../kit/graph.js";
import { isProduct, ownerOf } from "./scene.js";

/**
 * An arrow from a point, as a piece of its vector; `of`: the row of values, or the result's.
 * @typedef {{ of: string; vector: number[]; share: number; from: number[]; isSum: boolean }} Arrow
 */
/** Times as a motion has them; `x`, `y`: where the arrow begins.
 * @typedef {{ of: string; frames: { at: number; x: number; y: number; scale: number; opacity: number }[] }} ArrowTrack
 */

/** @typedef {import("./scene.js").Scene} Scene */

/**
 * Whether a scene mixes rows of two numbers each.
 * @param {Scene} scene
 */
export function hasPlane(scene) {
  const { model, step } = scene;
  if (!step || !isProduct(scene)) return false;
  const [[left], [right]] = step.operands;
  const rows = rowsOf(model, right, ownerOf(scene, right));
  return model.matrices[left].scale === "weights" && rows?.[0].length === 2;
}

/**
 * The arrows of a cell's row, the sum last.
 * @param {WalkModel} model
 * @param {Cell} cell
 * @returns {Arrow[]}
 */
export function arrowsOf(model, cell) {
  const first = { ...cell, col: 0 };
  const number = (of) => Number(valueAt(model, of));
  const from = [0, 0];
  const arrows = termsOf(model, first).map(([weight, value]) => {
    const vector = [number(value), number({ ...value, col: 1 })];
    const share = number(weight);
    const arrow = { of: key(value), vector, share, from: [...from], isSum: false };
    vector.forEach((size, axis) => {
      from[axis] += share * size;
    });
    return arrow;
  });
  const sum = [number(first), number({ ...first, col: 1 })];
  return [...arrows, { of: key(first), vector: sum, share: 1, from: [0, 0], isSum: true }];
}

/**
 * What the arrows reach, the origin among it: [left, right, bottom, top].
 * @param {Arrow[]} arrows
 */
export function reachOf(arrows) {
  const points = arrows.flatMap(({ vector, share, from }) => [
    [0, 0],
    vector,
    vector.map((size, axis) => from[axis] + share * size),
  ]);
  const [xs, ys] = [0, 1].map((axis) => points.map((point) => point[axis]));
  return [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
}

/**
 * Every arrow whole at the origin, then as long as its weight makes it, then behind the one before; then their sum.
 * @param {WalkModel} model
 * @param {Cell} cell
 * @returns {ArrowTrack[]}
 */
export function arrowTracks(model, cell) {
  const terms = termsOf(model, { ...cell, col: 0 });
  if (rowsOf(model, terms[0][1].name, terms[0][1].head)[0].length !== 2) return [];
  return arrowsOf(model, cell).map(({ of, share, from: [x, y], isSum }) => {
    const at = (time, x, y, scale, opacity) => ({ at: time, x, y, scale, opacity });
    const frames = isSum
      ? [at(0, 0, 0, 1, 0), at(0.8, 0, 0, 0, 0), at(0.94, 0, 0, 1, 1), at(1, 0, 0, 1, 1)]
      : [
          at(0, 0, 0, 1, 1),
          at(0.15, 0, 0, 1, 1),
          at(0.42, 0, 0, share, 1),
          at(0.78, x, y, share, 1),
          at(1, x, y, share, 1),
        ];
    return { of, frames };
  });
}
