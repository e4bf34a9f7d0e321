// From q and k to a pair's weight, as sums and a fraction, every number of them the run's.

import { some } from "../../kit/arithmetic.js";
import { element, fill, rich, span } from "../../kit/dom.js";
import { brief, isRounded, parenthesised } from "../../kit/numbers.js";
import { products } from "../runs.js";
import { scoreSteps, shareOf, softmaxRow, writtenTerms } from "./softmax_row.js";

const DECIMALS = 4;
const MOST_PRODUCTS = 6;
const MOST_POWERS = 6;

/** @param {number} number */
const shown = (number) => brief(number, DECIMALS);
/** @param {number} number */
const operand = (number) => parenthesised(shown(number));
/** @param {string} text */
const quiet = (text) => span("quiet-text", text);

/** The result of a line, after = or ≈. @type {(number: number) => (Node | string)[]} */
const result = (number) => [
  isRounded(number, DECIMALS) ? " ≈ " : " = ",
  element("strong", { title: String(number) }, shown(number)),
];

/**
 * A power of e, of which no part stands alone at the end of a line.
 * @param {number} exponent
 * @param {number} shift
 * @param {Record<string, string>} [attributes]
 */
const power = (exponent, shift, attributes = {}) =>
  element(
    "span",
    { class: "power", ...attributes },
    "e",
    element("sup", {}, shift ? `${shown(exponent)} − ${operand(shift)}` : shown(exponent)),
  );

/**
 * What is computed, line by line: a name, and the arithmetic with its result.
 * @param {Record<string, string>} words
 * @param {HeadFactors} factors
 * @param {SentenceWeights} sentence
 * @param {Pair} pair of which the key is visible
 */
export function scoreSums(words, factors, { m, keyNames }, { query, key }) {
  const { divisor, root, softcap } = factors;
  const { product, scaled, capped, added, exponent } = scoreSteps(factors, query, key);
  /** @type {(name: string, ...formula: (Node | string)[]) => Node[]} */
  const line = (name, ...formula) => [element("dt", {}, ...rich(words[name])), element("dd", {}, ...formula)];
  return element(
    "dl",
    { class: "sums" },
    ...line("score_product", ...productSum(words, factors, query, key), ...result(product)),
    ...(root || divisor !== 1
      ? line(
          root ? "score_root" : "score_divided",
          `${shown(product)} ÷ ${operand(divisor)}`,
          ...result(scaled),
        )
      : []),
    ...(softcap === null
      ? []
      : line(
          "score_capped",
          `${shown(softcap)} · tanh(${shown(scaled)} ÷ ${shown(softcap)})`,
          ...result(capped),
        )),
    ...(added ? line("score_added", `${shown(capped)} + ${operand(added)}`, ...result(exponent)) : []),
    ...line("score_softmax", ...fraction(words, factors, keyNames, { query, key }, m)),
  );
}

/**
 * q·k with its products, the middle ones of many left out.
 * @param {Record<string, string>} words
 * @param {HeadFactors} factors
 * @param {number} query
 * @param {number} key
 * @returns {(Node | string)[]}
 */
function productSum(words, factors, query, key) {
  const terms = products(factors, query, key).map(({ q, k }) => [
    span("of-q", operand(q)),
    " · ",
    span("of-k", operand(k)),
  ]);
  const written = some(terms, MOST_PRODUCTS, [quiet("…")]);
  const count = terms.length > MOST_PRODUCTS ? [quiet(fill(words.score_products, { d: terms.length }))] : [];
  return ["q·k = ", ...written.flatMap((term, at) => (at ? [" + ", ...term] : term)), ...count];
}

/**
 * e^score ÷ the sum of the powers of all keys, with the sum's value.
 * @type {(words: Record<string, string>, factors: HeadFactors, names: string[], pair: Pair, m: number) => (Node | string)[]}
 */
function fraction(words, factors, names, { query, key }, m) {
  const row = softmaxRow(factors, query, m);
  const { exponents, powers, shift, sum } = row;
  const { written, count, rest } = writtenTerms(powers, key, MOST_POWERS);
  const terms = [
    ...written.map((at) => [
      power(exponents[at], shift, { title: names[at], class: at === key ? "power own" : "power" }),
    ]),
    ...(count ? [[shown(rest), quiet(` (${fill(words.score_others, { count })})`)]] : []),
    ...(factors.sink === null ? [] : [[power(factors.sink, shift), quiet(` (${words.score_sink})`)]]),
  ];
  const hidden = exponents.filter((one) => one === Number.NEGATIVE_INFINITY).length;
  const notes = [
    hidden ? fill(words.score_masked, { count: hidden }) : "",
    shift ? words.score_shifted : "",
  ].filter(Boolean);
  return [
    power(exponents[key], shift, { class: "power own" }),
    " ÷ (",
    ...terms.flatMap((term, at) => (at ? [" + ", ...term] : term)),
    `) ≈ ${shown(powers[key])} ÷ ${shown(sum)}`,
    ...result(shareOf(row, key)),
    ...notes.map((note) => span("quiet-text sum-note", ...rich(note))),
  ];
}
