// The lines of the overview: from each query, at the left, to each key, at the right, in a panel of width 1. No DOM
// here.

/**
 * The middle of row `at` of so many that share a height.
 * @type {(at: number, count: number, height: number) => number}
 */
export const middle = (at, count, height) => ((at + 0.5) * height) / count;

/**
 * A line from (0, from) to (`width`, to), level at both ends, as an SVG path.
 * @type {(from: number, to: number, width: number) => string}
 */
export const curve = (from, to, width) => `M0 ${from}C${width / 2} ${from} ${width / 2} ${to} ${width} ${to}`;

/** How high a line runs at x, from 0 to 1. @type {(from: number, to: number, x: number) => number} */
export function heightAt(from, to, x) {
  const t = alongAt(x);
  return from + (to - from) * t * t * (3 - 2 * t);
}

/** The t at which a line is at x = 1.5 t (1 − t) + t³, which grows with t: found by bisection. @param {number} x */
function alongAt(x) {
  let [low, high] = [0, 1];
  for (let step = 0; step < 20; step++) {
    const t = (low + high) / 2;
    if (1.5 * t * (1 - t) + t ** 3 < x) low = t;
    else high = t;
  }
  return (low + high) / 2;
}

/**
 * The line under a pointer at (x, y): the nearest one within its own half width and `reach`, or null. Of lines that are
 * equally near, the heavier one.
 * @param {number[][]} weights
 * @param {{ x: number; y: number; height: number; reach: number; widthOf: (weight: number) => number }} pointer
 */
export function lineAt(weights, { x, y, height, reach, widthOf }) {
  let nearest = null;
  for (const [query, row] of weights.entries())
    for (const [key, weight] of row.entries()) {
      if (!(weight > 0)) continue;
      const from = middle(query, weights.length, height);
      const away = Math.abs(heightAt(from, middle(key, row.length, height), x) - y);
      const far = Math.max(0, away - widthOf(weight) / 2) - weight; // in pixels; a weight is at most one
      if (away <= widthOf(weight) / 2 + reach && (!nearest || far < nearest.far))
        nearest = { query, key, far };
    }
  return nearest && { query: nearest.query, key: nearest.key };
}

/**
 * Numbers as bars on a common scale up to `most`: [top, height] of each in a space of `height`. `signed`: some may be
 * below 0, so the zero line is in the middle.
 * @param {number[]} numbers
 * @param {{ height: number; most: number; signed: boolean }} scale
 */
export function bars(numbers, { height, most, signed }) {
  const zero = signed ? height / 2 : height;
  return numbers.map((number) => {
    const long = most ? (Math.abs(number) / most) * zero : 0;
    const drawn = number ? Math.max(1, long) : 0;
    return [number < 0 ? zero : zero - drawn, drawn];
  });
}
