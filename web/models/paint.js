// Maps as pixels. A weight is a colour whose opacity is the square root of the weight, so that small weights can be
// seen. The server sends such levels, round(255·√weight). No DOM here.

/**
 * How a colour shows on a ground. `power` of an opacity: faint colours are lost on a dark ground, so they are raised
 * there. `back`: what is left of other rows while one is chosen.
 */
const ON_LIGHT = { power: 1, back: 0.25 };
const ON_DARK = { power: 0.6, back: 0.45 };
const LEAST_LIGHT = 0.2; // the luminance of a ground from which it is light
const STEPS_LESS = 0.6; // the same for differences, most of which are small

const THIN = 1 / 16; // of a picture's height: a chosen row that is lower is drawn over its neighbours

/**
 * A map in which a low row that is chosen has the rows beside it too, and where it begins and ends.
 * @template {Uint8Array | Float32Array} Numbers
 * @param {Numbers} numbers
 * @param {number} width
 * @param {number | null} row
 * @returns {{ numbers: Numbers; from: number; to: number }}
 */
export function withChosenRow(numbers, width, row) {
  const rows = numbers.length / width;
  if (row === null) return { numbers, from: 0, to: rows };
  const beside = Math.floor((rows * THIN) / 2);
  const [from, to] = [Math.max(0, row - beside), Math.min(rows, row + beside + 1)];
  const drawn = /** @type {Numbers} */ (numbers.slice());
  const own = numbers.subarray(row * width, (row + 1) * width);
  for (let at = from; at < to; at++) drawn.set(own, at * width);
  return { numbers: drawn, from, to };
}

/**
 * How a colour shows on a ground.
 * @param {number[]} ground
 */
const lookOn = (ground) => (luminance(ground) < LEAST_LIGHT ? ON_DARK : ON_LIGHT);

/**
 * The opacity on a ground, from 0 to 1, of what has this opacity on a light one.
 * @param {number} opacity
 * @param {number[]} ground
 */
export const opacityOn = (opacity, ground) => opacity ** lookOn(ground).power;

/**
 * The pixels of a map of levels.
 * @param {Uint8Array | Float32Array} all
 * @param {number} width
 * @param {{ colour: number[]; ground: number[] }} colours
 * @param {number | null} row the one that stands out, if any
 */
export function shaded(all, width, { colour: [red, green, blue], ground }, row) {
  const { numbers: levels, from, to } = withChosenRow(all, width, row);
  const { back } = lookOn(ground);
  const pixels = new Uint8ClampedArray(4 * levels.length);
  for (let at = 0; at < levels.length; at++) {
    const isFull = at >= from * width && at < to * width;
    pixels[4 * at] = red;
    pixels[4 * at + 1] = green;
    pixels[4 * at + 2] = blue;
    const opacity = 255 * opacityOn(levels[at] / 255, ground);
    pixels[4 * at + 3] = isFull ? opacity : opacity * back;
  }
  return pixels;
}

/**
 * The pixels of numbers, in one colour above 0 and another below, the fuller the nearer to `most`.
 * @param {Float32Array} all
 * @param {number} width
 * @param {{ more: number[]; less: number[]; ground: number[] }} colours
 * @param {number | null} row
 * @param {number} most
 */
export function signed(all, width, { more, less, ground }, row, most) {
  const { numbers, from, to } = withChosenRow(all, width, row);
  const pixels = new Uint8ClampedArray(4 * numbers.length);
  for (let at = 0; at < numbers.length; at++) {
    const isFull = at >= from * width && at < to * width;
    const level = 255 * opacityOn(levelOf(numbers[at], most) / 255, ground);
    pixels.set(numbers[at] < 0 ? less : more, 4 * at);
    pixels[4 * at + 3] = isFull ? level : level * STEPS_LESS;
  }
  return pixels;
}

/**
 * Paint rows of pixels on a canvas of their size.
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8ClampedArray<ArrayBuffer>} pixels
 * @param {number} width
 */
export function putPixels(canvas, pixels, width) {
  const height = width && pixels.length / 4 / width;
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  if (width) canvas.getContext("2d")?.putImageData(new ImageData(pixels, width, height), 0, 0);
}

/**
 * The level of a number, 255 where it is as large as `most`.
 * @param {number} number
 * @param {number} most
 */
export const levelOf = (number, most) => 255 * Math.sqrt(Math.min(1, Math.abs(number) / most));

/** @param {number[]} colour */
export const inCss = (colour) => `rgb(${colour.join(", ")})`;

/**
 * A colour laid over another.
 * @param {number[]} colour
 * @param {number[]} ground
 * @param {number} opacity
 */
export const blended = (colour, ground, opacity) =>
  colour.map((part, at) => opacity * part + (1 - opacity) * ground[at]);

/**
 * Of some colours the one with the most contrast to a ground.
 * @param {number[]} ground
 * @param {number[][]} colours
 */
export const readable = (ground, colours) =>
  colours.reduce((best, colour) => (contrast(colour, ground) > contrast(best, ground) ? colour : best));

/**
 * The contrast of two colours as WCAG defines it, from 1 to 21.
 * @param {number[]} one
 * @param {number[]} other
 */
export function contrast(one, other) {
  const [dark, light] = [one, other].map(luminance).sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const WEIGHTS = [0.2126, 0.7152, 0.0722];

/** @param {number[]} colour */
const luminance = (colour) =>
  colour
    .map((part) => part / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
    .reduce((sum, part, at) => sum + WEIGHTS[at] * part, 0);

/**
 * The largest difference of a map, or of one row of it.
 * @param {Float32Array} numbers
 * @param {number} width
 * @param {number | null} row
 */
export const mostOf = (numbers, width, row) =>
  (row === null ? numbers : numbers.subarray(row * width, (row + 1) * width)).reduce(
    (most, number) => Math.max(most, Math.abs(number) || 0),
    0,
  );

/** @param {Float32Array} weights */
export const levelsOf = (weights) => weights.map((weight) => 255 * Math.sqrt(weight));

/**
 * The weights of levels, as exactly as levels have them.
 * @param {ArrayLike<number>} levels
 */
export const weightsOf = (levels) => Float32Array.from(levels, (level) => (level / 255) ** 2);

/**
 * How weights differ, second − first, for the tokens that stand in both.
 * @param {Float32Array} first
 * @param {Float32Array} second
 * @param {number} m how many keys the first has
 * @param {number} mOfSecond
 * @param {[number, number][]} queries that correspond
 * @param {[number, number][]} [keys] by default the same
 */
export function differences(first, second, m, mOfSecond, queries, keys = queries) {
  const result = new Float32Array(queries.length * keys.length);
  for (const [row, [query, queryOfSecond]] of queries.entries())
    for (const [col, [key, keyOfSecond]] of keys.entries())
      result[row * keys.length + col] =
        second[queryOfSecond * mOfSecond + keyOfSecond] - first[query * m + key];
  return result;
}
