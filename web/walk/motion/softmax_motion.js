// The motion of softmax: a row of bars becomes a row of shares.

import { key, requireRows, termsOf } from "../../kit/graph.js";
import { along, BEAT, firstRows, LONG, MOST, PART, resultAt, track } from "./tracks.js";

/** Which bar becomes which at each beat; the last where the walk has no exponentials. */
const BEATS = /** @type {const} */ ([
  ["score", "power"],
  ["power", "sum"],
  ["sum", "weight"],
  ["score", "weight"],
]);
const SUM = 1; // the beat at which the sum appears
const DIRECT = 3; // the beat without exponentials

/** @type {(input: MotionInput) => MotionParts} */
export function softmaxMotion(input) {
  const { place, cells, powers } = input;
  const isWholeRow = place.part === null || place.beat === null;
  const beats = !powers ? [DIRECT] : isWholeRow ? [0, 1, 2] : [Number(place.beat)];
  const pieces = beats[0] === 1 || beats[0] === 2 ? 1 : 2; // of each cell
  const moving = firstRows(cells, pieces * along(cells, "col").length).slice(0, MOST / 2);
  const movingRows = new Set(along(moving, "row"));
  const shares = moving.map((cell) => cellMotion(input, cell, beats));
  const still = cells.filter(({ row }) => !movingRows.has(row));
  const isResultShown = beats[beats.length - 1] >= 2;
  return {
    tracks: shares.flatMap(({ tracks }) => tracks),
    shows: [
      ...shares.flatMap(({ shows }) => shows),
      ...sinksOf(input, [...movingRows], beats),
      ...sumsOf(input, [...movingRows], beats),
      ...(isResultShown ? still.map((cell) => resultAt(input, cell, 0.9)) : []),
    ],
    stations: beats.map((_, index) => (index + 0.85) / beats.length),
    duration: beats.length > 1 ? LONG : powers ? BEAT : PART,
  };
}

/**
 * The sums of the rows that move, and when they appear.
 * @type {(input: MotionInput, rows: number[], beats: number[]) => MotionResult[]}
 */
function sumsOf({ powers, isShown }, rows, beats) {
  const index = beats.indexOf(SUM);
  if (index < 0 || !powers) return [];
  return rows
    .map((row) => ({
      on: `power|${row}|sum`,
      at: (index + 0.78) / beats.length,
      text: powers.text(row, "sum"),
    }))
    .filter(({ on }) => isShown(on));
}

/**
 * The exponential of the sink in the rows that move, and when it appears.
 * @type {(input: MotionInput, rows: number[], beats: number[]) => MotionResult[]}
 */
function sinksOf({ scene, powers, isShown }, rows, beats) {
  const index = beats.indexOf(0);
  const hasSink = Number(scene.step?.operands.length) > 1;
  if (index < 0 || !powers || !hasSink) return [];
  const col = powers.cols.length - 1;
  return rows
    .map((row) => ({
      on: `power|${row}|${col}`,
      at: (index + 0.7) / beats.length,
      text: powers.text(row, col),
    }))
    .filter(({ on }) => isShown(on));
}

/**
 * One cell of a row: a bar as long as its exponential, then as its piece of the sum, then as its share of one.
 * @type {(input: MotionInput, cell: Cell, beats: number[]) => Pick<Motion, "tracks" | "shows">}
 */
function cellMotion(input, cell, beats) {
  const { scene, isShown, powers } = input;
  const { model } = scene;
  const { row, col } = cell;
  const [score] = termsOf(model, cell)[col];
  const weights = requireRows(model, cell.name, cell.head)[row].map(Number);
  const before = weights.slice(0, col).reduce((sum, weight) => sum + weight, 0);
  const share = weights[col];
  const top = Math.max(...weights) || 1;
  const delay = 0.2 * (col / weights.length);
  const bars = {
    score: { on: key(score), from: 0, to: 0.12 * Math.min(1, share / top) },
    power: { on: `power|${row}|${col}`, from: 0, to: share / top },
    sum: { on: `power|${row}|sum`, from: before, to: Math.min(1, before + share) },
    weight: { on: key(cell), from: 0, to: share },
  };
  const moves = beats.map((beat, index) => ({
    beat,
    from: bars[BEATS[beat][0]],
    to: bars[BEATS[beat][1]],
    start: (index + 0.06 + delay) / beats.length,
    end: (index + 0.6 + delay) / beats.length,
  }));
  const [first, ...others] = moves
    .flatMap(({ from, to, start, end }) => [
      { ...from, at: start },
      { ...to, at: end },
    ])
    .filter(({ on }) => isShown(on));
  const last = others.at(-1);
  const tracks = last
    ? [track("bar", key(cell), "", first, ...others, { ...last, at: Math.min(0.95, last.at + 0.08) })]
    : [];
  const shows = [];
  for (const { beat, from, to, start, end } of moves) {
    if ((beat === 0 || beat === DIRECT) && isShown(from.on) && isShown(to.on)) {
      const text = input.print(score);
      tracks.push(
        track("number", key(score), text, { at: start, on: from.on }, { at: end, on: to.on, opacity: 0.4 }),
      );
    }
    if (beat === 0 && powers) shows.push({ on: to.on, at: end, text: powers.text(row, col) });
    if (beat >= 2) shows.push(resultAt(input, cell, end));
  }
  return { tracks, shows };
}
