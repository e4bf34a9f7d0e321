// A matrix as a map: a pixel a cell; a head's weights with a row for each query, a column for each key.

/**
 * The colour of a text, as the theme at hand has it.
 * @param {Element} node
 */
export function colourOf(node) {
  const { color } = getComputedStyle(node);
  const numbers = color.match(/[\d.]+/g).map(Number);
  return color.startsWith("color(") ? numbers.map((part) => 255 * part) : numbers; // what is mixed counts to 1
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
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  let at = 0;
  for (const row of rows)
    for (const weight of row) {
      image.data[at++] = red;
      image.data[at++] = green;
      image.data[at++] = blue;
      image.data[at++] = Math.round(255 * Math.sqrt(typeof weight === "number" ? weight : 0));
    }
  context.putImageData(image, 0, 0);
}

/**
 * A pixel for each number, in one colour above 0 and in another below, the denser the nearer to the largest; what a mask
 * hides stays empty.
 * @param {HTMLCanvasElement} canvas
 * @param {Value[][]} rows
 * @param {{ more: number[]; less: number[]; top: number }} how
 */
export function paintSigned(canvas, rows, { more, less, top }) {
  Object.assign(canvas, { height: rows.length, width: rows[0].length });
  const context = canvas.getContext("2d");
  const image = context.createImageData(canvas.width, canvas.height);
  for (const [at, value] of rows.flat().entries()) {
    const number = Number.isFinite(Number(value)) ? Number(value) : 0;
    image.data.set((number < 0 ? less : more).slice(0, 3), 4 * at);
    image.data[4 * at + 3] = Math.round(255 * Math.min(1, Math.abs(number) / (top || 1)));
  }
  context.putImageData(image, 0, 0);
}
