// What motions are made of: tracks and their frames, which cells move, and where a track is in pixels. No DOM here.

import { key } from "../../kit/graph.js";

export const MOST = 60; // numbers, terms and bars that move at once
export const BEAT = 900; // milliseconds, as the next two
export const PART = 1300;
export const LONG = 1600;
export const FADE = 0.05; // of a motion

/** How a frame leads to the next, the same in all tracks. */
export const EASE = [0.45, 0.05, 0.2, 1];
export const BAR = 100; // pixels of a bar before it is stretched
export const BAR_HEIGHT = 0.18; // of a cell: a bar is below its number
const BAR_MIDDLE = 0.91;

/**
 * A track that is visible from its first stop to a moment after its last.
 * @type {(look: MotionTrack["look"], of: string, text: string, ...stops: [MotionFrame, ...MotionFrame[]]) => MotionTrack}
 */
export function track(look, of, text, ...stops) {
  const first = stops[0];
  const last = stops.at(-1) ?? first;
  const end = Math.min(1, last.at + FADE);
  const frames = [
    { ...first, at: 0, opacity: 0 },
    { ...first, opacity: 0 },
    ...stops.map((stop) => ({ opacity: 1, ...stop })),
    { ...last, at: end, opacity: 0 },
    { ...last, at: 1, opacity: 0 },
  ];
  return { look, of, text, frames };
}

/** @type {(input: MotionInput, cell: Cell, ...stops: [MotionFrame, ...MotionFrame[]]) => MotionTrack} */
export const numberTrack = ({ print }, cell, ...stops) => track("number", key(cell), print(cell), ...stops);

/** @type {(input: MotionInput, cell: Cell, at: number) => MotionResult} */
export const resultAt = ({ print }, cell, at) => ({ on: key(cell), at, text: print(cell) });

/** The rows or the columns of the cells, each once. @type {(cells: Cell[], axis: "row" | "col") => number[]} */
export const along = (cells, axis) => [...new Set(cells.map((cell) => cell[axis]))];

/** Those of the cells that are in view, each once. @type {(input: MotionInput, cells: Cell[]) => Cell[]} */
export const inView = ({ isShown }, cells) =>
  [...new Map(cells.map((cell) => [key(cell), cell])).values()].filter((cell) => isShown(key(cell)));

/**
 * The cells of the first rows, as many as may move where a row takes `cost` pieces; at least one row.
 * @type {(cells: Cell[], cost: number) => Cell[]}
 */
export function firstRows(cells, cost) {
  const rows = new Set(along(cells, "row").slice(0, Math.max(1, Math.floor(MOST / Math.max(1, cost)))));
  return cells.filter(({ row }) => rows.has(row));
}

/**
 * A track in pixels: the size of its piece, and its frames.
 * @param {MotionTrack} track
 * @param {(on: string) => Box} boxOf
 * @returns {{ width: number; height: number; steps: PixelFrame[] }}
 */
export function placed({ look, frames }, boxOf) {
  const { width, height } = boxOf(frames[0].on);
  const steps = frames.map(({ at, on, dx = 0, dy = 0, opacity = 1, scale = 1, from = 0, to = 0 }) => {
    const box = boxOf(on);
    const y = box.y + ((look === "bar" ? BAR_MIDDLE : 0.5) + dy) * box.height;
    if (look === "bar")
      return { at, opacity, scale, x: box.x + from * box.width, y, stretch: ((to - from) * box.width) / BAR };
    return { at, opacity, scale, x: box.x + (0.5 + dx) * box.width, y, stretch: 1 };
  });
  return look === "bar" ? { width: BAR, height: BAR_HEIGHT * height, steps } : { width, height, steps };
}
