// A matrix as a map: a pixel a cell; a head's weights with a row for each query, a column for each key.

/**
 * The colour of an element's text in the current theme: red, green, blue, 0 to 255.
 * @param {Element} node
 */
export function colourOf(node) {
  const { color } = getComputedStyle(node);
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
 * A pixel for each pair of a query and a key, the denser the larger its weight.
 * @param {HTMLCanvasElement} canvas
 * @param {Value[][]} rows
 * @param {number[]} colour
 */
export function paintMap(canvas, rows, [red, green, blue]) {
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  if (!height || !width) return;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  paint(canvas, (data) => {
    let at = 0;
    for (const row of rows)
      for (const weight of row) {
        data[at++] = red;
        data[at++] = green;
        data[at++] = blue;
        data[at++] = Math.round(255 * Math.sqrt(typeof weight === "number" ? weight : 0));
      }
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
