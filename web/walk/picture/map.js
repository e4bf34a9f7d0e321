// A large matrix as a small picture, a pixel a cell, in which what is shown of it is framed.

import { element } from "../../kit/dom.js";
import { colourOf, paintMap, paintSigned } from "../../kit/maps.js";
import { largest } from "../../kit/numbers.js";
import { frames, sizeOfMap } from "./shown_part.js";

/**
 * @param {string} label for who cannot see it
 * @param {Value[][]} rows as they stand in the table
 * @param {{ rows: import("./shown_part.js").Shown[]; cols: import("./shown_part.js").Shown[] }} shown
 * @param {string} scale of the matrix
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
  const paint = () => root.isConnected && painted(canvas, rows, samples.map(colourOf), scale);
  root.addEventListener("transitionend", paint); // the theme is another
  requestAnimationFrame(paint); // it has no colours before it stands on the page
  return root;
}

/** @type {(canvas: HTMLCanvasElement, rows: Value[][], colours: number[][], scale: string) => void} */
function painted(canvas, rows, [more, less], scale) {
  if (scale === "weights") paintMap(canvas, rows, more);
  else paintSigned(canvas, rows, { more, less, top: largest(rows) });
}

/** @type {(frame: Record<string, number>) => string} */
const inPercent = (frame) =>
  Object.entries(frame)
    .map(([name, share]) => `${name}: ${(100 * share).toFixed(2)}%`)
    .join("; ");

/**
 * Tables that stand side by side have their rows in line, whether there is a map above them or not.
 * @param {HTMLElement} picture
 */
export const makeRoomForMaps = (picture) =>
  picture.classList.toggle("mapped", picture.querySelector(".map") !== null);
