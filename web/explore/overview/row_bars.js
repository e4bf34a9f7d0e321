// Rows of matrices as small bars in the overview, each matrix on one scale.

import { bars } from "../../kit/curves.js";
import { accent } from "../../kit/dom.js";
import { key, rowsOf } from "../../kit/graph.js";

/** Of more columns no bars are drawn, but how long each row is. */
const MOST_BARS = 8;
const MOST_BESIDE = 20; // bars in a row, over all heads
const HEIGHT = 0.72; // of a row
const [STEP, WIDTH] = [9, 7]; // px from bar to bar, and of one

const SVG = "http://www.w3.org/2000/svg";

/** @returns {any} */
export function drawing(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const length = (row) => Math.hypot(...row);

export class Bars {
  /** @type {{ name: string; head: number | null; query: number; cols: number; rects: any[]; draw: () => void }[]} */
  #rows = [];
  #scales = new Map(); // by matrix, what its bars are measured by
  /** @type {Model} */
  #model = null;
  #host;

  /** @param {{ pointed: (cell: Cell | null) => void; chosen: (cell: Cell) => void }} host told of a bar as of its cell */
  constructor(host) {
    this.#host = host;
  }

  /**
   * Begin anew, for tables of other sizes.
   * @param {Model} model
   */
  clear(model) {
    this.#model = model;
    this.#rows = [];
  }

  /**
   * A row of a matrix as bars; of many columns its length alone. `room`: the height that a row has.
   * @param {string} name
   * @param {number | null} head
   * @param {number} query
   * @param {number} room
   */
  row(name, head, query, room) {
    const cols = rowsOf(this.#model, name, head)?.[query]?.length ?? 0;
    const beside = head === null ? 1 : this.#model.dims.h;
    const count = cols > MOST_BARS || cols * beside > MOST_BESIDE ? 1 : cols;
    const [tall, width] = [Math.round(room * HEIGHT), count * STEP];
    const rects = Array.from({ length: count }, (_, at) =>
      drawing("rect", { class: "bar", x: at * STEP, width: WIDTH }),
    );
    const size = { viewBox: `0 0 ${width} ${tall}`, preserveAspectRatio: "none" };
    const zero = drawing("line", { class: "zero", x1: -1, x2: width });
    const node = drawing("svg", { class: "bars", ...size, "aria-hidden": "true" }, zero, ...rects);
    node.setAttribute("style", `--bars: ${count}; ${head === null ? "" : accent(head)}`);
    const draw = this.#drawn({ name, head, query, cols, tall }, zero, rects);
    this.#rows.push({ name, head, query, cols, rects, draw });
    if (count === cols) this.#listen(node, (col) => ({ name, head, row: query, col }), count);
    return node;
  }

  /** A bar, its room above and below included, stands for its number: that is told of, and gone to. */
  #listen(node, cellOf, count) {
    const cellAt = ({ clientX }) => {
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

  /** What draws a row's bars; what stands as it did is left alone. */
  #drawn({ name, head, query, cols, tall }, zero, rects) {
    const drawn = rects.map(() => "");
    let levelled = "";
    return () => {
      const row = /** @type {number[]} */ (rowsOf(this.#model, name, head)?.[query] ?? []);
      const scale = { height: tall, ...this.#scale(name, rects.length < cols) };
      const level = String(scale.signed ? tall / 2 : tall);
      if (level !== levelled) for (const end of ["y1", "y2"]) zero.setAttribute(end, level);
      levelled = level;
      for (const [at, bar] of bars(rects.length === cols ? row : [length(row)], scale).entries()) {
        const [y, long] = bar.map((size) => size.toFixed(1));
        if (drawn[at] === `${y} ${long}`) continue;
        drawn[at] = `${y} ${long}`;
        rects[at]?.setAttribute("y", y);
        rects[at]?.setAttribute("height", long);
      }
    };
  }

  /** The largest number of a matrix, over all heads, and whether any is below 0; or the longest row of it. */
  #scale(name, byLength) {
    if (!this.#scales.has(name)) {
      const { perHead, values } = this.#model.matrices[name];
      const rows = (perHead ? values.filter(Boolean).flat() : values).map((row) =>
        byLength ? [length(row)] : row,
      );
      const every = rows.flat();
      const most = every.reduce((sofar, number) => Math.max(sofar, Math.abs(number)), 0);
      this.#scales.set(name, { most, signed: every.some((number) => number < 0) });
    }
    return this.#scales.get(name);
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
      const isLit = (col) => Boolean(path?.has(key({ name, head, row: query, col })));
      const lit = [...Array(cols).keys()].map(isLit);
      for (const [at, rect] of rects.entries())
        rect.classList.toggle("path", rects.length === cols ? lit[at] : lit.some(Boolean));
    }
  }
}
