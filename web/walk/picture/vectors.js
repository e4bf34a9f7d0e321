// Rows of values with two dimensions as arrows: each as long as its weight makes it, one at the end of the other, and the
// arrow of their sum. No DOM here.

import { key, requireRows, requireValue, rowsOf, termsOf } from "../../kit/graph.js";
import { hasStep, isProduct, ownerOf } from "./scene.js";

/** Whether a scene mixes rows of two numbers each. @param {Scene} scene */
export function hasPlane(scene) {
  if (!hasStep(scene) || !isProduct(scene)) return false;
  const { model, step } = scene;
  const [[left], [right]] = step.operands;
  const rows = rowsOf(model, right, ownerOf(scene, right));
  return model.matrices[left].scale === "weights" && rows?.[0].length === 2;
}

/**
 * The arrows of a cell's row, the sum last.
 * @param {WalkModel} model
 * @param {Cell} cell
 * @returns {VectorArrow[]}
 */
export function arrowsOf(model, cell) {
  /** @param {Cell} at */
  const number = (at) => Number(requireValue(model, at));
  /** @type {(at: Cell) => [number, number]} */
  const vectorOf = (at) => [number(at), number({ ...at, col: 1 })];
  const first = { ...cell, col: 0 };
  let [x, y] = [0, 0];
  /** @type {VectorArrow[]} */
  const arrows = [];
  for (const [weight, value] of termsOf(model, first)) {
    const vector = vectorOf(value);
    const share = number(weight);
    arrows.push({ key: key(value), vector, share, from: [x, y], isSum: false });
    x += share * vector[0];
    y += share * vector[1];
  }
  return [...arrows, { key: key(first), vector: vectorOf(first), share: 1, from: [0, 0], isSum: true }];
}

/** What the arrows cover, the origin included: [left, right, bottom, top]. @param {VectorArrow[]} arrows */
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
 * How the arrows move: each whole at the origin, then as long as its weight makes it, then to the end of the one before;
 * in the end their sum appears.
 * @param {WalkModel} model
 * @param {Cell} cell
 * @returns {ArrowTrack[]}
 */
export function arrowTracks(model, cell) {
  const [, value] = termsOf(model, { ...cell, col: 0 })[0];
  if (requireRows(model, value.name, value.head)[0].length !== 2) return [];
  return arrowsOf(model, cell).map(({ key, share, from: [x, y], isSum }) => {
    /** @type {(time: number, x: number, y: number, scale: number, opacity: number) => ArrowFrame} */
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
    return { key, frames };
  });
}
