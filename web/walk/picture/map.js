// A large matrix as a small map, a pixel a cell, with frames around the cells that its table shows.

import { element } from "../../kit/dom.js";
import { colourOf, paintMap, paintSigned } from "../../kit/maps.js";
import { largest } from "../../kit/numbers.js";
import { runs } from "./shown_indices.js";

const HIGHEST = 2.6; // of a map, in the type around it
const WIDEST = 5;
const LEAST = 0.6;

/**
 * @param {string} label for a screen reader
 * @param {Value[][]} rows as the table shows them
 * @param {{ rows: IndexOrGap[]; cols: IndexOrGap[] }} shown
 * @param {string} scale of the matrix
 * @returns {HTMLElement}
 */
export function mapOf(label, rows, shown, scale) {
  /** @type {[number, number]} */
  const shape = [rows.length, rows[0].length];
  const canvas = element("canvas", {});
  const samples = ["high", "low"].map((name) => element("i", { class: name }));
  const framed = frames(shown.rows, shown.cols, shape).map((frame) =>
    element("i", { class: "frame", style: inPercent(frame) }),
  );
  const { height, width } = sizeOfMap(shape);
  const style = `height: ${height.toFixed(2)}em; width: ${width.toFixed(2)}em`;
  const root = element("span", { class: `map scale-${scale}`, role: "img", "aria-label": label, style });
  root.append(canvas, ...samples, ...framed);
  const repaint = () =>
    root.isConnected &&
    paint(
      canvas,
      rows,
      samples.map((node) => colourOf(node)),
      scale,
    );
  root.addEventListener("transitionend", repaint); // the theme has changed
  requestAnimationFrame(repaint); // it has no colours until it is on the page
  return root;
}

/** @type {(canvas: HTMLCanvasElement, rows: Value[][], colours: number[][], scale: string) => void} */
function paint(canvas, rows, [more, less], scale) {
  if (scale === "weights") paintMap(canvas, rows, more);
  else paintSigned(canvas, rows, { more, less, top: largest(rows) });
}

/** @type {(frame: Record<string, number>) => string} */
const inPercent = (frame) =>
  Object.entries(frame)
    .map(([name, share]) => `${name}: ${(100 * share).toFixed(2)}%`)
    .join("; ");

/**
 * The blocks of cells that are shown, as shares of the whole matrix.
 * @param {IndexOrGap[]} rows
 * @param {IndexOrGap[]} cols
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
 * The height and width of a map, in the type around it. Every cell is a square, unless nothing could be seen of it then.
 * @param {[number, number]} shape
 */
export function sizeOfMap([rows, cols]) {
  const cell = Math.min(HIGHEST / rows, WIDEST / cols);
  return { height: Math.max(LEAST, rows * cell), width: Math.max(LEAST, cols * cell) };
}

/**
 * Where one table has a map above it, the tables beside it leave room for one, so that their rows are in line.
 * @param {HTMLElement} picture
 */
export const makeRoomForMaps = (picture) =>
  picture.classList.toggle("mapped", picture.querySelector(".map") !== null);
