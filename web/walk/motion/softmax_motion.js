// The motion of softmax: a row of bars becomes a row of shares.

import { key, rowsOf, termsOf } from "../../kit/graph.js";
import { along, BEAT, firstRows, LONG, MOST, PART, shown, track } from "./tracks.js";

/** @typedef {import("./tracks.js").MotionInput} MotionInput */
/** @typedef {import("./tracks.js").Made} Made */
/** @typedef {import("./tracks.js").Motion} Motion */

/** @type {(input: MotionInput) => Made} */
export function shared(input) {
  const { scene, place, cells } = input;
  const { stage } = scene;
  const beats = !stage.powers ? [3] : place.part === null || place.beat === null ? [0, 1, 2] : [place.beat];
  const moving = firstRows(
    cells,
    (beats[0] === 1 || beats[0] === 2 ? 1 : 2) * along(cells, "col").length,
  ).slice(0, MOST / 2);
  const rows = new Set(along(moving, "row"));
  const made = moving.map((cell) => shareOf(input, cell, beats));
  const still = cells.filter(({ row }) => !rows.has(row));
  const stands = beats.at(-1) >= 2;
  const each = 1 / beats.length;
  return {
    tracks: made.flatMap(({ tracks }) => tracks),
    shows: [
      ...made.flatMap(({ shows }) => shows),
      ...sumsOf(input, [...rows], beats),
      ...(stands ? still.map((cell) => shown(input, cell, 0.9)) : []),
    ],
    stations: beats.map((_, index) => (index + 0.85) * each),
    duration: beats.length > 1 ? LONG : stage.powers ? BEAT : PART,
  };
}

/** The sums of the rows that move, where they appear. */
function sumsOf({ powers, isShown }, rows, beats) {
  const phase = beats.indexOf(1);
  if (phase < 0) return [];
  return rows
    .map((row) => ({
      on: `power|${row}|sum`,
      at: (phase + 0.78) / beats.length,
      text: powers.text(row, "sum"),
    }))
    .filter(({ on }) => isShown(on));
}

/**
 * One score on its way: a bar as long as its exponential, its piece of the sum, its share of one.
 * @type {(input: MotionInput, cell: Cell, beats: number[]) => Pick<Motion, "tracks" | "shows">}
 */
function shareOf(input, cell, beats) {
  const { scene, isShown } = input;
  const { model } = scene;
  const { row, col } = cell;
  const [score] = termsOf(model, cell)[col];
  const weights = rowsOf(model, cell.name, cell.head)[row].map(Number);
  const before = weights.slice(0, col).reduce((sum, weight) => sum + weight, 0);
  const share = weights[col];
  const top = Math.max(...weights) || 1;
  const late = 0.2 * (col / weights.length);
  const power = `power|${row}|${col}`;
  const stops = {
    score: { on: key(score), from: 0, to: 0.12 * Math.min(1, share / top) },
    power: { on: power, from: 0, to: share / top },
    sum: { on: `power|${row}|sum`, from: before, to: Math.min(1, before + share) },
    weight: { on: key(cell), from: 0, to: share },
  };
  const ways = [
    ["score", "power"],
    ["power", "sum"],
    ["sum", "weight"],
    ["score", "weight"],
  ];
  const at = (index, part) => (index + part) / beats.length;
  const frames = beats
    .flatMap((beat, index) => {
      const [from, to] = ways[beat].map((name) => stops[name]);
      return [
        { ...from, at: at(index, 0.06 + late) },
        { ...to, at: at(index, 0.6 + late) },
      ];
    })
    .filter(({ on }) => isShown(on));
  const tracks =
    frames.length > 1
      ? [
          track("bar", key(cell), "", ...frames, {
            ...frames.at(-1),
            at: Math.min(0.95, frames.at(-1).at + 0.08),
          }),
        ]
      : [];
  const shows = [];
  beats.forEach((beat, index) => {
    const [from, to] = ways[beat].map((name) => stops[name].on);
    const [start, end] = [at(index, 0.06 + late), at(index, 0.6 + late)];
    if (beat === 0 || beat === 3) {
      const text = input.print(score);
      if (isShown(from) && isShown(to))
        tracks.push(
          track("number", key(score), text, { at: start, on: from }, { at: end, on: to, opacity: 0.4 }),
        );
    }
    if (beat === 0) shows.push({ on: power, at: end, text: input.powers.text(row, col) });
    if (beat >= 2) shows.push(shown(input, cell, end));
  });
  return { tracks, shows };
}
