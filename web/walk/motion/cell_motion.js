// Motions cell by cell: what a number is made of travels to its place, and heads slide together.

import { arithmetic, inBrief, isException } from "../../kit/arithmetic.js";
import { key, termsOf } from "../../kit/graph.js";
import { along, BEAT, firstRows, inView, MOST, numberTrack, PART, shown, track } from "./tracks.js";

/** @typedef {import("./tracks.js").MotionInput} MotionInput */
/** @typedef {import("./tracks.js").Made} Made */
/** @typedef {import("./tracks.js").Track} Track */

/** The heads' blocks slide together. @type {(input: MotionInput) => Made} */
export function slid(input) {
  const { scene, cells } = input;
  const origin = (cell) => termsOf(scene.model, cell)[0][0];
  const moving = firstRows(cells, along(cells, "col").length).slice(0, MOST);
  const heads = [...new Set(moving.map((cell) => origin(cell).head))];
  const lag = (cell) => (0.15 * Math.max(0, heads.indexOf(origin(cell).head))) / heads.length;
  return {
    tracks: moving.flatMap((cell) => {
      const from = origin(cell);
      if (!input.isShown(key(from))) return [];
      const stops = [
        { at: 0.05 + lag(cell), on: key(from) },
        { at: 0.72 + lag(cell), on: key(cell) },
      ];
      return [numberTrack(input, from, ...stops, { ...stops[1], at: 0.78 + lag(cell) })];
    }),
    shows: cells.map((cell) => shown(input, cell, 0.74 + lag(cell))),
    stations: [0.4, 0.9],
  };
}

/** @type {(input: MotionInput) => Made} */
export function carried(input) {
  const { scene, place, cells } = input;
  const single = cells.length === 1;
  const operands = (cell) => inView(input, termsOf(scene.model, cell).flat());
  let pieces = 0;
  const moving = cells.filter((cell) => {
    pieces += operands(cell).length;
    return pieces <= MOST;
  });
  const arrives = single ? 0.45 : 0.7;
  const stands = single ? 0.86 : arrives + 0.04;
  return {
    tracks: moving.flatMap((cell) => [
      ...ways(input, cell, operands(cell), { start: 0.04, end: arrives }), // all at once: none runs into another
      ...(single ? sentence(input, cell, arrives) : []),
    ]),
    shows: cells.map((cell) => shown(input, cell, stands)),
    stations: [arrives, stands],
    duration: place.beat !== null ? BEAT + 200 : PART,
  };
}

/**
 * Operands on their way to a cell, beside each other; of a copy only the one that it is a copy of, while what a mask
 * hides falls away.
 * @type {(input: MotionInput, cell: Cell, operands: Cell[], span: { start: number; end: number }) => Track[]}
 */
function ways(input, cell, operands, { start, end }) {
  const { model } = input.scene;
  const { copies, exception } = model.steps[cell.name];
  const to = key(cell);
  const hides = copies && isException(model, cell);
  const at = hides ? exception.at : 0;
  return operands.flatMap((operand, index) => {
    const on = key(operand);
    if (copies && index !== at)
      return hides
        ? [numberTrack(input, operand, { at: start, on }, { at: end, on, opacity: 0.1, scale: 0.4 })]
        : [];
    const scale = copies ? 1 : 1 / operands.length; // side by side in the cell
    const dx = copies ? 0 : scale * (index - (operands.length - 1) / 2);
    return [numberTrack(input, operand, { at: start, on }, { at: end, on: to, dx, scale })];
  });
}

/** The arithmetic of a cell, which stands there before its result does. */
function sentence(input, cell, at) {
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
