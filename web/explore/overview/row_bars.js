// Rows of matrices as small bars in the overview, each matrix on one scale.

import { bars } from "../../kit/curves.js";
import { accent } from "../../kit/dom.js";
import { key, rowsOf } from "../../kit/graph.js";

/** A row of more columns has a single bar, as long as the row's norm. */
const MOST_BARS = 8;
const MOST_BESIDE = 20; // bars in a row, over all heads
const HEIGHT = 0.72; // of a row
const [STEP, WIDTH] = [9, 7]; // px from bar to bar, and of one

const SVG = "http://www.w3.org/2000/svg";

/**
 * An SVG element.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} [attributes]
 * @param {...Node} children
 * @returns {SVGElementTagNameMap[Tag]}
 */
export function svgElement(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

/** @param {number[]} row */
const norm = (row) => Math.hypot(...row);

/**
 * A row of a matrix, and its bars: one for each of its columns, or a single one.
 * @typedef {{ name: string; head: number | null; query: number; cols: number; rects: SVGRectElement[] }} BarRow
 */

/** What the bars of a matrix are measured by. @typedef {{ most: number; signed: boolean }} Scale */

export class Bars {
  /** @type {(BarRow & { draw: () => void })[]} */
  #rows = [];
  /** @type {Map<string, Scale>} */
  #scales = new Map(); // by matrix
  #model;
  #host;

  /**
   * @param {{ pointed: (cell: Cell | null) => void; chosen: (cell: Cell) => void }} host
   * @param {Model} model
   */
  constructor(host, model) {
    this.#host = host;
    this.#model = model;
  }

  /**
   * Remove all rows: the tables have other sizes.
   * @param {Model} model
   */
  clear(model) {
    this.#model = model;
    this.#rows = [];
  }

  /**
   * A row of a matrix as bars; of many columns its norm alone.
   * @param {string} name
   * @param {number | null} head
   * @param {number} query
   * @param {number} room the height of a row, px
   */
  row(name, head, query, room) {
    const cols = rowsOf(this.#model, name, head)?.[query]?.length ?? 0;
    const heads = head === null ? 1 : this.#model.dims.h;
    const count = cols > MOST_BARS || cols * heads > MOST_BESIDE ? 1 : cols;
    const [height, width] = [Math.round(room * HEIGHT), count * STEP];
    const rects = Array.from({ length: count }, (_, at) =>
      svgElement("rect", { class: "bar", x: at * STEP, width: WIDTH }),
    );
    const size = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none" };
    const zero = svgElement("line", { class: "zero", x1: -1, x2: width });
    const node = svgElement("svg", { class: "bars", ...size, "aria-hidden": "true" }, zero, ...rects);
    node.setAttribute("style", `--bars: ${count}; ${head === null ? "" : accent(head)}`);
    const row = { name, head, query, cols, rects };
    this.#rows.push({ ...row, draw: this.#drawer(row, zero, height) });
    if (count === cols) this.#listen(node, (col) => ({ name, head, row: query, col }), count);
    return node;
  }

  /**
   * A bar, with the space above and below it, stands for its cell.
   * @param {SVGElement} node
   * @param {(col: number) => Cell} cellOf
   * @param {number} count
   */
  #listen(node, cellOf, count) {
    const cellAt = (/** @type {MouseEvent} */ { clientX }) => {
      const { left, width } = node.getBoundingClientRect();
      const at = Math.floor(((clientX - left) / width) * count);
      return cellOf(Math.min(count - 1, Math.max(0, at)));
    };
    node.classList.add("reach");
    node.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") this.#host.pointed(cellAt(event));
    });
    node.addEventListener("pointerleave", () => this.#host.pointed(null));
    node.addEventListener("click", (event) => this.#host.chosen(cellAt(event)));
  }

  /**
   * A function that draws a row's bars, and leaves those alone that have not changed.
   * @param {BarRow} row
   * @param {SVGLineElement} zero
   * @param {number} height
   */
  #drawer({ name, head, query, cols, rects }, zero, height) {
    const drawn = rects.map(() => "");
    let drawnLevel = "";
    return () => {
      const numbers = this.#numbers(name, head)[query] ?? [];
      const scale = { height, ...this.#scaleOf(name, rects.length < cols) };
      const level = String(scale.signed ? height / 2 : height);
      if (level !== drawnLevel) for (const end of ["y1", "y2"]) zero.setAttribute(end, level);
      drawnLevel = level;
      const values = rects.length === cols ? numbers : [norm(numbers)];
      for (const [at, bar] of bars(values, scale).entries()) {
        const [y, length] = bar.map((size) => size.toFixed(1));
        if (drawn[at] === `${y} ${length}`) continue;
        drawn[at] = `${y} ${length}`;
        rects[at]?.setAttribute("y", y);
        rects[at]?.setAttribute("height", length);
      }
    };
  }

  /**
   * Rows of a matrix. Those with bars hold nothing but numbers.
   * @param {string} name
   * @param {number | null} head
   */
  #numbers(name, head) {
    return /** @type {number[][]} */ (rowsOf(this.#model, name, head) ?? []);
  }

  /**
   * The largest number of a matrix, over all heads, and whether any is below 0; or the largest norm of its rows.
   * @param {string} name
   * @param {boolean} byNorm
   */
  #scaleOf(name, byNorm) {
    const stored = this.#scales.get(name);
    if (stored) return stored;
    const { perHead } = this.#model.matrices[name];
    const heads = perHead ? [...Array(this.#model.dims.h).keys()] : [null];
    const rows = heads.flatMap((head) => this.#numbers(name, head));
    const numbers = rows.flatMap((row) => (byNorm ? [norm(row)] : row));
    const most = numbers.reduce((largest, number) => Math.max(largest, Math.abs(number)), 0);
    const scale = { most, signed: numbers.some((number) => number < 0) };
    this.#scales.set(name, scale);
    return scale;
  }

  /**
   * Draw the numbers of a model.
   * @param {Model} model
   */
  draw(model) {
    this.#model = model;
    this.#scales.clear();
    for (const { draw } of this.#rows) draw();
  }

  /**
   * Light the bars of these cells.
   * @param {Set<string> | null} path their keys
   */
  trace(path) {
    for (const { name, head, query, cols, rects } of this.#rows) {
      const isLit = (/** @type {number} */ col) => Boolean(path?.has(key({ name, head, row: query, col })));
      const lit = [...Array(cols).keys()].map(isLit);
      for (const [at, rect] of rects.entries())
        rect.classList.toggle("path", rects.length === cols ? lit[at] : lit.some(Boolean));
    }
  }
}
