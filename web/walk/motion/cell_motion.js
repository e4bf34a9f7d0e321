// Motions cell by cell: what a number is computed from moves to its cell, and heads slide together.

import { arithmetic, inBrief, isException } from "../../kit/arithmetic.js";
import { key, termsOf } from "../../kit/graph.js";
import { along, BEAT, firstRows, inView, MOST, numberTrack, PART, resultAt, track } from "./tracks.js";

/** The blocks of the heads slide together. @type {(input: MotionInput) => MotionParts} */
export function concatMotion(input) {
  const { scene, cells } = input;
  /** @param {Cell} cell */
  const originOf = (cell) => termsOf(scene.model, cell)[0][0];
  const moving = firstRows(cells, along(cells, "col").length).slice(0, MOST);
  const heads = [...new Set(moving.map((cell) => originOf(cell).head))];
  /** @param {Cell} cell */
  const delay = (cell) => (0.15 * Math.max(0, heads.indexOf(originOf(cell).head))) / heads.length;
  return {
    tracks: moving.flatMap((cell) => {
      const origin = originOf(cell);
      if (!input.isShown(key(origin))) return [];
      const from = { at: 0.05 + delay(cell), on: key(origin) };
      const to = { at: 0.72 + delay(cell), on: key(cell) };
      return [numberTrack(input, origin, from, to, { ...to, at: 0.78 + delay(cell) })];
    }),
    shows: cells.map((cell) => resultAt(input, cell, 0.74 + delay(cell))),
    stations: [0.4, 0.9],
  };
}

/** The operands of each cell move to it. @type {(input: MotionInput) => MotionParts} */
export function besideMotion(input) {
  const { scene, place, cells } = input;
  const isSingle = cells.length === 1;
  /** @param {Cell} cell */
  const operandsOf = (cell) => inView(input, termsOf(scene.model, cell).flat());
  let pieces = 0;
  const moving = cells.filter((cell) => {
    pieces += operandsOf(cell).length;
    return pieces <= MOST;
  });
  const arrives = isSingle ? 0.45 : 0.7;
  const appears = isSingle ? 0.86 : arrives + 0.04;
  return {
    tracks: moving.flatMap((cell) => [
      ...operandTracks(input, cell, operandsOf(cell), { start: 0.04, end: arrives }), // all at once: none overlap
      ...(isSingle ? arithmeticTracks(input, cell, arrives) : []),
    ]),
    shows: cells.map((cell) => resultAt(input, cell, appears)),
    stations: [arrives, appears],
    duration: place.beat !== null ? BEAT + 200 : PART,
  };
}

/**
 * Operands on their way to a cell, side by side. Of a copy only the one that is copied moves, and what a mask hides falls
 * away.
 * @type {(input: MotionInput, cell: Cell, operands: Cell[], span: { start: number; end: number }) => MotionTrack[]}
 */
function operandTracks(input, cell, operands, { start, end }) {
  const { model } = input.scene;
  const { copies, exception } = model.steps[cell.name];
  const to = key(cell);
  const isHiding = Boolean(copies && isException(model, cell));
  const copied = isHiding && exception ? exception.at : 0;
  return operands.flatMap((operand, index) => {
    const on = key(operand);
    if (copies && index !== copied)
      return isHiding
        ? [numberTrack(input, operand, { at: start, on }, { at: end, on, opacity: 0.1, scale: 0.4 })]
        : [];
    const scale = copies ? 1 : 1 / operands.length; // side by side in the cell
    const dx = copies ? 0 : scale * (index - (operands.length - 1) / 2);
    return [numberTrack(input, operand, { at: start, on }, { at: end, on: to, dx, scale })];
  });
}

/**
 * The arithmetic of a cell, which is visible there before its result.
 * @type {(input: MotionInput, cell: Cell, at: number) => MotionTrack[]}
 */
function arithmeticTracks(input, cell, at) {
  const { model } = input.scene;
  if (model.steps[cell.name].copies) return [];
  const pieces = arithmetic(model, cell, inBrief(model, 4));
  const end = pieces.findIndex(({ strong }) => strong);
  const text = pieces
    .slice(0, Math.max(0, end - 1))
    .map((piece) => piece.text ?? piece.number ?? piece.power)
    .join("");
  const on = key(cell);
  return text ? [track("term", on, text, { at, on }, { at: 0.82, on })] : [];
}
