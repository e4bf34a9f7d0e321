// Where what is shown of a large matrix lies in the whole of it. No DOM here.

const HIGHEST = 2.6; // of a map, in the type around it
const WIDEST = 5;
const LEAST = 0.6;

/** @typedef {number | { from: number; count: number }} Shown a row or column, or those that are left out there */

/**
 * Neighbours among what is shown: the first of them, and how many there are.
 * @param {Shown[]} shown
 * @returns {{ from: number; count: number }[]}
 */
export function runs(shown) {
  const entries = [];
  for (const at of shown) {
    const last = entries.at(-1);
    if (typeof at === "object") continue;
    if (last && last.from + last.count === at) last.count += 1;
    else entries.push({ from: at, count: 1 });
  }
  return entries;
}

/**
 * The blocks of cells that are shown, as shares of the whole.
 * @param {Shown[]} rows
 * @param {Shown[]} cols
 * @param {[number, number]} shape
 */
export const frames = (rows, cols, [height, width]) =>
  runs(rows).flatMap((down) =>
    runs(cols).map((across) => ({
      top: down.from / height,
      height: down.count / height,
      left: across.from / width,
      width: across.count / width,
    })),
  );

/**
 * How high and wide a map of so many rows and columns is, in the type around it: every cell a square, unless that would
 * leave nothing to see.
 * @param {[number, number]} shape
 */
export function sizeOfMap([rows, cols]) {
  const cell = Math.min(HIGHEST / rows, WIDEST / cols);
  return { height: Math.max(LEAST, rows * cell), width: Math.max(LEAST, cols * cell) };
}

/** Whether anything is left out. @param {Shown[][]} shown */
export const isFolded = (...shown) => shown.flat().some((at) => typeof at === "object");
