// What motions are made of: tracks and frames, and which cells move. No DOM here.

import { key } from "../../kit/graph.js";

/** @typedef {import("../picture/scene.js").Scene} Scene */

/**
 * Where a track is at a time, 0 to 1 of the motion: on a cell by its key, or on an exponential, "power|row|col". `dx`,
 * `dy`: beside it, in widths and heights of it; `from`, `to`: the piece of its width that a bar takes.
 * @typedef {{ at: number; on: string; dx?: number; dy?: number; opacity?: number; scale?: number; from?: number; to?: number }} Frame
 */
/**
 * What moves: the number of a cell, a term of its arithmetic, a bar; a cover lies over a result until it stands. `of`:
 * the cell whose colours it has.
 * @typedef {{ look: "number" | "term" | "bar" | "cover"; of: string; text: string; frames: Frame[] }} Track
 */
/**
 * `duration` in milliseconds; `stations`: the times at which something stands; `shows`: when which number of the picture
 * stands, and what it reads; `arrows`: of the plane, where there are two dimensions.
 * @typedef {{
 *   kind: string; duration: number; stations: number[]; tracks: Track[];
 *   shows: { on: string; at: number; text: string }[];
 *   arrows: import("../picture/vectors.js").ArrowTrack[];
 * }} Motion
 */
/**
 * What a motion is made of: the place, its cells in view that appear there, and what is in view at all.
 * @typedef {{ scene: Scene; place: Place; cells: Cell[]; isShown: (on: string) => boolean;
 *   print: (cell: Cell) => string; powers: any }} MotionInput
 */
/** @typedef {Pick<Motion, "tracks" | "shows" | "stations"> & Partial<Motion>} Made */

export const MOST = 60; // numbers, terms and bars that move at once
export const BEAT = 900;
export const PART = 1300;
export const LONG = 1600; // milliseconds
export const FADE = 0.05; // of a motion

/**
 * A track that is seen from its first stop to a moment after its last.
 * @type {(look: Track["look"], of: string, text: string, ...stops: Frame[]) => Track}
 */
export function track(look, of, text, ...stops) {
  const [first, last] = [stops[0], stops.at(-1)];
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

/** @type {(input: MotionInput, cell: Cell, ...stops: Frame[]) => Track} */
export const numberTrack = ({ print }, cell, ...stops) => track("number", key(cell), print(cell), ...stops);

/** @type {(input: MotionInput, cell: Cell, at: number) => Motion["shows"][number]} */
export const shown = ({ print }, cell, at) => ({ on: key(cell), at, text: print(cell) });

/** @type {(cells: Cell[]) => Cell[]} */
export const distinct = (cells) => [...new Map(cells.map((cell) => [key(cell), cell])).values()];

/** @type {(cells: Cell[], axis: "row" | "col") => number[]} */
export const along = (cells, axis) => [...new Set(cells.map((cell) => cell[axis]))];

/** @type {(input: MotionInput, cells: Cell[]) => Cell[]} */
export const inView = ({ isShown }, cells) => distinct(cells).filter((cell) => isShown(key(cell)));

/**
 * The first rows of the cells, as many as may move where each row is `cost` pieces; at least one.
 * @type {(cells: Cell[], cost: number) => Cell[]}
 */
export function firstRows(cells, cost) {
  const rows = new Set(along(cells, "row").slice(0, Math.max(1, Math.floor(MOST / Math.max(1, cost)))));
  return cells.filter(({ row }) => rows.has(row));
}
