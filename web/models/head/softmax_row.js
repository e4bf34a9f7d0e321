// How a query's weights follow from q and k: what is done to each score, its power of e, and their sum. No DOM here.

const HIGHEST = 20; // from about this exponent on a power of e is printed as a power of ten
const LOWEST = -9; // down to this exponent a power of e is printed with digits

/**
 * What is done to the score of a pair before softmax, one after another: divided, capped, and with what the mask adds.
 * All are −∞ for a hidden key.
 * @param {Pick<HeadFactors, "score" | "added" | "divisor" | "softcap">} factors
 * @param {number} query
 * @param {number} key
 */
export function scoreSteps({ score, added, divisor, softcap }, query, key) {
  const product = score(query, key);
  const scaled = product / divisor;
  const capped =
    softcap === null || product === Number.NEGATIVE_INFINITY ? scaled : softcap * Math.tanh(scaled / softcap);
  const more = product === Number.NEGATIVE_INFINITY ? 0 : added(query, key);
  return { product, scaled, capped, added: more, exponent: capped + more };
}

/**
 * The powers of e of a query's keys, whose shares of the sum are its weights; 0 for a hidden key. `sink`: of the head's
 * sink, 0 without one. Where the largest exponent is far from 0, this `shift` is subtracted from all of them.
 * @param {Pick<HeadFactors, "score" | "added" | "divisor" | "softcap" | "sink">} factors
 * @param {number} query
 * @param {number} m how many keys there are
 */
export function softmaxRow(factors, query, m) {
  const { sink } = factors;
  const exponents = Array.from({ length: m }, (_, key) => scoreSteps(factors, query, key).exponent);
  const most = exponents.reduce((one, other) => Math.max(one, other), sink ?? Number.NEGATIVE_INFINITY);
  const shift = Number.isFinite(most) && (most > HIGHEST || most < LOWEST) ? most : 0;
  const powers = exponents.map((exponent) => Math.exp(exponent - shift));
  const ofSink = sink === null ? 0 : Math.exp(sink - shift);
  const sum = powers.reduce((total, power) => total + power, ofSink);
  return { exponents, powers, sink: ofSink, shift, sum };
}

/** A pair's share of its row: the weight. @type {(row: { powers: number[]; sum: number }, key: number) => number} */
export const shareOf = ({ powers, sum }, key) => (sum ? powers[key] / sum : 0);

/**
 * Which powers of a long sum are written: all visible ones of a few keys, or else the largest and that of `key`, in the
 * order of keys; and how many others there are, and their sum.
 * @param {number[]} powers
 * @param {number} key
 * @param {number} most
 */
export function writtenTerms(powers, key, most) {
  const visible = [...powers.keys()].filter((at) => powers[at] > 0 || at === key);
  const largest = [...visible].sort((a, b) => powers[b] - powers[a]).slice(0, most - 1);
  const written =
    visible.length <= most ? visible : visible.filter((at) => at === key || largest.includes(at));
  const others = visible.filter((at) => !written.includes(at));
  return { written, count: others.length, rest: others.reduce((sum, at) => sum + powers[at], 0) };
}
