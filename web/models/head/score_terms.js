// What makes a score: the products q_i·k_i of a query and a key as bars, their sum, and the weight that follows.

import { div, element, fill, span } from "../../kit/dom.js";
import { format, largest } from "../../kit/numbers.js";
import { products } from "../runs.js";
import { weightText } from "../wording.js";
import { scoreSums } from "./score_sums.js";
import { shareOf, softmaxRow } from "./softmax_row.js";

const SVG = "http://www.w3.org/2000/svg";
const HIGH = 128; // the height of the products' part of the picture
const STRIP = 12;
const GAP = 4;
const WIDE = 10; // the width of one dimension

/**
 * An element of a drawing.
 * @param {"g" | "line" | "rect" | "svg"} tag
 * @param {Record<string, string | number>} attributes
 * @param {...Node} children
 */
function drawing(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

export class ScoreTerms {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.title = element("h3");
    this.line = div("sum");
    this.picture = div("products");
    this.term = element("p", { class: "one-product hint", "aria-live": "polite" });
    this.root = element("section", { class: "scores" }, this.title, this.line, this.picture, this.term);
  }

  /**
   * @param {HeadNumbers} numbers
   * @param {SentenceWeights} sentence
   * @param {Pair} pair
   * @param {number} first what dimensions are counted from
   */
  update({ weights, exact, sign, factors, unexplained }, sentence, { query, key }, first) {
    const { m, names, keyNames } = sentence;
    const at = query * m + key;
    const isExact = !exact || Boolean(exact[at]);
    const weight = isExact || !factors ? weights[at] : shareOf(softmaxRow(factors, query, m), key);
    const value = element(
      "span",
      { class: "pair-weight", title: String(weight) },
      weightText(weight, isExact || factors ? "" : sign),
    );
    const [from, to] = [names[query], keyNames[key]].map((name) => element("bdi", {}, name));
    this.title.replaceChildren(from, " → ", to, value);
    const isHidden = factors?.score(query, key) === Number.NEGATIVE_INFINITY;
    this.picture.hidden = this.term.hidden = isHidden || !factors;
    if (!factors || isHidden)
      return this.line.replaceChildren(factors ? this.words.score_hidden : unexplained);
    this.line.replaceChildren(scoreSums(this.words, factors, sentence, { query, key }));
    this.#draw(products(factors, query, key), first);
  }

  /**
   * Say why there is nothing to explain.
   * @param {string} text
   */
  say(text) {
    this.title.replaceChildren();
    this.line.textContent = text;
    this.picture.hidden = this.term.hidden = true;
  }

  /** @param {ScoreTerm[]} terms @param {number} first */
  #draw(terms, first) {
    const all = terms.map(({ product }) => product);
    const [highest, lowest] = [Math.max(0, ...all), Math.min(0, ...all)];
    const scale = HIGH / (highest - lowest || 1);
    const zero = highest * scale;
    const [mostOfQ, mostOfK] = [largest(terms.map(({ q }) => q)), largest(terms.map(({ k }) => k))];
    const bars = terms.map(({ q, k, product }, at) => {
      const high = Math.abs(product) * scale;
      const x = at * WIDE;
      const bar = drawing("rect", {
        class: product < 0 ? "less" : "more",
        x: x + 1,
        y: product < 0 ? zero : zero - high,
        width: WIDE - 2,
        height: Math.max(0.5, high),
      });
      /** @type {(number: number, most: number, y: number) => Element} */
      const factor = (number, most, y) =>
        drawing("rect", {
          class: `${number < 0 ? "less" : "more"} factor`,
          x: x + 0.5,
          y,
          width: WIDE - 1,
          height: STRIP,
          "fill-opacity": Math.sqrt(Math.abs(number) / most).toFixed(3),
        });
      const ground = drawing("rect", {
        class: "ground",
        x,
        y: 0,
        width: WIDE,
        height: HIGH + 2 * STRIP + 3 * GAP,
      });
      const column = drawing("g", { class: "dimension" }, ground, bar);
      column.append(factor(q, mostOfQ, HIGH + GAP), factor(k, mostOfK, HIGH + 2 * GAP + STRIP));
      column.addEventListener("pointerenter", () => this.#showTerm(terms[at], at + first));
      return column;
    });
    const width = terms.length * WIDE;
    const line = drawing("line", { class: "zero", x1: 0, x2: width, y1: zero, y2: zero });
    const size = { viewBox: `0 0 ${width} ${HIGH + 2 * STRIP + 3 * GAP}`, preserveAspectRatio: "none" };
    const svg = drawing(
      "svg",
      { ...size, role: "img", "aria-label": this.#altText(terms, first) },
      ...bars,
      line,
    );
    const names = div("product-names", span("of-products", "qᵢ·kᵢ"), span("of-q", "q"), span("of-k", "k"));
    this.picture.replaceChildren(names, svg);
    const largestAt = terms.reduce(
      (best, { product }, at) => (Math.abs(product) > Math.abs(terms[best].product) ? at : best),
      0,
    );
    this.#showTerm(terms[largestAt], largestAt + first);
  }

  /** @param {ScoreTerm} term @param {number} at its dimension, as it is counted on screen */
  #showTerm({ q, k, product }, at) {
    const values = { at, q: format(q, 3), k: format(k, 3), product: format(product, 3) };
    this.term.textContent = fill(this.words.one_product, values);
  }

  /** The largest products, for screen readers. @param {ScoreTerm[]} terms @param {number} first */
  #altText(terms, first) {
    const sorted = terms.map(({ product }, at) => ({ product, at: at + first }));
    sorted.sort((a, b) => Math.abs(b.product) - Math.abs(a.product));
    const most = sorted.slice(0, 5).map(({ product, at }) => `${at}: ${format(product, 3)}`);
    return fill(this.words.products_told, { count: terms.length, list: most.join(this.words.comma) });
  }
}
