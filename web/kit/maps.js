// A matrix as a map: a pixel a cell; a head's weights with a row for each query, a column for each key.

import { isHidden, rowsOf } from "./graph.js";

/**
 * The colour of an element's text, or another of its colours, in the current theme: red, green, blue, 0 to 255.
 * @param {Element} node
 * @param {"color" | "borderTopColor"} [property]
 */
export function colourOf(node, property = "color") {
  const color = getComputedStyle(node)[property];
  const numbers = (color.match(/[\d.]+/g) ?? []).map(Number);
  return color.startsWith("color(") ? numbers.map((part) => 255 * part) : numbers; // color() counts to 1
}

/**
 * Set the pixels of a canvas.
 * @param {HTMLCanvasElement} canvas
 * @param {(data: Uint8ClampedArray) => void} fill red, green, blue and opacity of each pixel, row by row
 */
function paint(canvas, fill) {
  const context = canvas.getContext("2d");
  if (!context) return;
  const image = context.createImageData(canvas.width, canvas.height);
  fill(image.data);
  context.putImageData(image, 0, 0);
}

/**
 * A pixel for each pair of a query and a key, the denser the larger its weight. `behind`: what is hidden is left out, so
 * that what is behind the map shows there, and all else is on paper.
 * @param {HTMLCanvasElement} canvas
 * @param {Value[][]} rows
 * @param {number[]} colour
 * @param {{ paper: number[]; isHidden: (row: number, col: number) => boolean }} [behind]
 */
export function paintMap(canvas, rows, colour, behind) {
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  if (!height || !width) return;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  paint(canvas, (data) => {
    let at = 0;
    for (const [query, row] of rows.entries())
      for (const [key, weight] of row.entries()) {
        const part = Math.sqrt(typeof weight === "number" ? weight : 0);
        const opacity = behind ? Number(!behind.isHidden(query, key)) : part;
        for (let n = 0; n < 3; n++)
          data[at++] = behind ? colour[n] * part + behind.paper[n] * (1 - part) : colour[n];
        data[at++] = Math.round(255 * opacity);
      }
  });
}

/**
 * A head's weights, in the colour of the canvas on that of its border; pairs that the mask hides show what is behind it.
 * @param {HTMLCanvasElement} canvas
 * @param {Model} model
 * @param {number} head
 * @param {number[][]} [rows] in place of the weights
 */
export function paintWeights(canvas, model, head, rows) {
  const weights = rowsOf(model, "weights", head) ?? [];
  paintMap(canvas, rows ?? weights, colourOf(canvas), {
    paper: colourOf(canvas, "borderTopColor"),
    isHidden: (row, col) => isHidden(model, { name: "weights", head, row, col }, weights[row][col]),
  });
}

/**
 * A pixel for each number, in one colour above 0 and in another below, the denser the nearer to the largest; what a
 * mask hides stays empty.
 * @param {HTMLCanvasElement} canvas
 * @param {Value[][]} rows
 * @param {{ more: number[]; less: number[]; top: number }} how
 */
export function paintSigned(canvas, rows, { more, less, top }) {
  Object.assign(canvas, { height: rows.length, width: rows[0].length });
  paint(canvas, (data) => {
    for (const [at, value] of rows.flat().entries()) {
      const number = Number.isFinite(Number(value)) ? Number(value) : 0;
      data.set((number < 0 ? less : more).slice(0, 3), 4 * at);
      data[4 * at + 3] = Math.round(255 * Math.min(1, Math.abs(number) / (top || 1)));
    }
  });
}
