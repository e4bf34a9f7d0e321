// One head in the overview: a line from each query to each key, or a map where tokens are many. What is told of it, and
// to whom the pointer is told, is the overview's.

import { curve, lineAt, middle } from "../../kit/curves.js";
import { div, element, setText, span } from "../../kit/dom.js";
import { colourOf, paintMap } from "../../kit/maps.js";
import { format } from "../../kit/numbers.js";
import { drawing } from "./row_bars.js";

const REACH = 6; // px beside a line at which it is still meant
const THICKEST = 16; // px
const FAINT = 0.02; // of a weight in a map that the path which is told does not go through
/** So many tokens have their names beside a map. */
const MOST_NAMES = 24;
/** So many of them have room beside each other; of more every second is written. */
const MOST_WRITTEN = 16;

const named = (tokens, attributes = {}) =>
  tokens.map((token) => element("span", { ...attributes, title: token }, element("bdi", {}, token)));

/** @param {string[]} tokens */
function spaced(tokens) {
  const names = named(tokens);
  if (tokens.length > MOST_WRITTEN)
    for (const [at, name] of names.entries()) if (at % 2) name.replaceChildren();
  return names;
}

export class Lines {
  /** @type {Map<SVGElement, string>} how thick and how dense a line is drawn */
  #drawn = new Map();

  /**
   * @param {import("./overview.js").Overview} overview
   * @param {number} head
   * @param {number} height px, of the rows
   */
  constructor(overview, head, height) {
    this.overview = overview;
    this.head = head;
    const { n_q, n_k } = overview.model.labels;
    this.most = Math.max(n_q.length, n_k.length);
    const [from, to] = [n_q, n_k].map((tokens) => tokens.map((_, at) => middle(at, tokens.length, height)));
    const each = (name) =>
      from.map((y) => to.map((end) => drawing("path", { class: name, d: curve(y, end, 100) })));
    this.ghosts = each("ghost"); // where the lines were before the last edit
    this.paths = each("thread");
    const ends = [
      ...from.map((y) => drawing("path", { class: "end query", d: `M0 ${y}h0` })),
      ...to.map((y) => drawing("path", { class: "end key", d: `M100 ${y}h0` })),
    ];
    const box = { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" };
    this.svg = drawing("svg", box, ...this.ghosts.flat(), ...this.paths.flat(), ...ends);
    this.tops = n_q.map(() => span("top"));
    const keys = named(n_k, { class: "key" });
    this.root = div("overview-lines", div("tops", ...this.tops), this.svg, div("keys", ...keys));
    this.#listen();
  }

  #listen() {
    const { overview, head, svg } = this;
    svg.addEventListener("pointermove", (event) => {
      const pair = this.#pairAt(event);
      overview.mean(pair && event.pointerType !== "touch" ? this.paths[pair.query][pair.key] : null);
      overview.point(head, pair);
    });
    svg.addEventListener("pointerleave", () => {
      overview.mean(null);
      overview.point(head, null);
    });
    svg.addEventListener("click", (event) => overview.follow(head, this.#pairAt(event)));
  }

  /** The pair whose line the pointer is at, among those that are told of. */
  #pairAt({ clientX, clientY }) {
    const { overview, svg } = this;
    const box = svg.getBoundingClientRect();
    const x = (clientX - box.left) / box.width;
    if (x < 0 || x > 1) return null;
    const widthOf = (weight) => this.#widthOf(weight);
    const focused = (row, query) => (overview.isInFocus(query) ? row : row.map(() => 0));
    const pointer = { x, y: clientY - box.top, height: box.height, reach: REACH, widthOf };
    return lineAt(overview.weights(this.head).map(focused), pointer);
  }

  #widthOf(weight) {
    const thickest = Math.min(THICKEST, (this.overview.height / this.most) * 0.42);
    return 1 + weight * (thickest - 1);
  }

  #thick(path, width, shade) {
    if (this.#drawn.get(path) === `${width} ${shade}`) return;
    this.#drawn.set(path, `${width} ${shade}`);
    path.style.strokeWidth = width;
    if (shade) path.style.strokeOpacity = shade;
  }

  /** @param {(path: SVGElement, query: number, key: number) => void} act */
  #each(act) {
    for (const [query, row] of this.paths.entries())
      for (const [key, path] of row.entries()) act(path, query, key);
  }

  patch() {
    const weights = this.overview.weights(this.head);
    for (const [query, row] of weights.entries()) {
      for (const [key, weight] of row.entries()) {
        const size =
          weight > 0 ? [this.#widthOf(weight).toFixed(1), (0.14 + 0.76 * weight).toFixed(2)] : ["0", "0"];
        this.#thick(this.paths[query][key], ...size);
      }
      const top = Math.max(...row);
      setText(this.tops[query], top > 0 ? format(top, 2) : "∅");
      this.tops[query].title = top > 0 ? "" : this.overview.words.dead_row;
    }
  }

  compare() {
    const { before } = this.overview.model;
    for (const [query, row] of this.overview.weights(this.head).entries())
      for (const [key, weight] of row.entries()) {
        const was = before?.weights?.[this.head]?.[query]?.[key];
        const ghost = this.ghosts[query][key];
        const isCut = weight === 0; // a wide band would read as a line that is still there
        ghost.classList.toggle("cut", isCut);
        this.#thick(ghost, was - weight > 0.01 ? (isCut ? 1 : this.#widthOf(was)).toFixed(1) : "0", "");
      }
  }

  outline() {
    const { overview } = this;
    const at = overview.at(this.head);
    for (const [query, top] of this.tops.entries()) top.classList.toggle("quiet", !overview.isInFocus(query));
    this.#each((path, query, key) => {
      path.classList.toggle("lit", at !== null && at.row === query && at.col === key);
      path.classList.toggle("quiet", !overview.isInFocus(query));
    });
  }

  trace() {
    this.#each((path, query, key) =>
      path.classList.toggle("path", this.overview.isOnPath(this.head, query, key)),
    );
  }
}

/** A head's weights as a map: a row for each query, a column for each key. */
export class WeightMap {
  /**
   * @param {import("./overview.js").Overview} overview
   * @param {number} head
   */
  constructor(overview, head) {
    this.overview = overview;
    this.head = head;
    const { n_q, n_k } = overview.model.labels;
    this.canvas = element("canvas", { width: n_k.length, height: n_q.length });
    const beside = (tokens) => (tokens.length <= MOST_NAMES ? spaced(tokens) : []);
    const queries = div("map-queries", ...beside(n_q));
    this.root = div("overview-map", queries, this.canvas, div("map-keys", ...beside(n_k)));
    this.canvas.addEventListener("pointermove", (event) => overview.point(head, this.#pairAt(event)));
    this.canvas.addEventListener("pointerleave", () => overview.point(head, null));
    this.canvas.addEventListener("click", (event) => overview.follow(head, this.#pairAt(event)));
  }

  #pairAt({ clientX, clientY }) {
    const { n_q, n_k } = this.overview.model.labels;
    const box = this.canvas.getBoundingClientRect();
    const query = Math.floor(((clientY - box.top) / box.height) * n_q.length);
    const key = Math.floor(((clientX - box.left) / box.width) * n_k.length);
    return n_q[query] !== undefined && n_k[key] !== undefined ? { query, key } : null;
  }

  patch() {
    const { overview, head } = this;
    const faded = (row, query) =>
      row.map((weight, key) => (overview.isOnPath(head, query, key) ? weight : FAINT * weight));
    const weights = overview.weights(head);
    const shown = overview.isTracing ? weights.map(faded) : weights;
    paintMap(this.canvas, shown, colourOf(this.root.parentElement.querySelector(".overview-name")));
  }

  compare() {}

  outline() {}

  trace() {
    this.overview.patch(this.overview.model);
  }
}
