// Who attends to whom in one head: lines from each query, at the left, to each key, at the right. Keys show their
// weight for the chosen query. Drawn on a canvas, because a node for each pair would be too many.

import { curve, lineAt, middle } from "../../kit/curves.js";
import { button, div, element, pressable, redrawn, span } from "../../kit/dom.js";
import { roving, stopAt } from "../tokens/roving_focus.js";
import { shown } from "../wording.js";

/** No lines are drawn for more tokens than this. */
export const MOST_LINES = 64;
const ROW = 24; // px
const THICKEST = 11;
const REACH = 6;
const LEAST = 0.005; // a lighter line could not be seen

/** @param {number} weight */
const widthOf = (weight) => 1 + weight * (THICKEST - 1);

export class AttentionLines {
  /** @type {Float32Array} */
  #weights = new Float32Array();
  /** @type {number[][]} */
  #rows = [];
  #texts = /** @type {string[]} */ ([]);
  #keyTexts = /** @type {string[]} */ ([]);
  #colour = "";
  /** @type {number | null} */
  #token = null;
  /** @type {Pair | null} */
  #pair = null;
  #watch = new ResizeObserver(() => this.#draw());

  /** @param {PictureHost} host @param {import("../theme_colours.js").Colours} colours */
  constructor(host, colours) {
    this.host = host;
    this.colours = colours;
    this.queries = div("line-queries");
    roving(this.queries);
    this.keys = div("line-keys");
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.root = div("lines", this.queries, div("line-canvas", this.canvas), this.keys);
    this.#watch.observe(this.canvas);
    this.canvas.addEventListener("pointermove", (event) => host.pointed(this.#pairAt(event)));
    this.canvas.addEventListener("pointerleave", () => host.pointed(null));
    this.canvas.addEventListener("click", (event) => {
      const pair = this.#pairAt(event);
      if (pair) host.picked(pair, true);
      else host.chosen(null);
    });
  }

  stop() {
    this.#watch.disconnect();
  }

  /**
   * @param {Float32Array} weights n × m
   * @param {{ texts: string[]; keyTexts: string[] }} names of the queries and the keys
   * @param {number | null} token
   * @param {Pair | null} pair
   * @param {string} colour
   */
  update(weights, { texts, keyTexts }, token, pair, colour) {
    const [n, m] = [texts.length, keyTexts.length];
    this.#texts = texts;
    this.#keyTexts = keyTexts;
    this.#colour = colour;
    this.#weights = weights;
    this.#rows = Array.from({ length: n }, (_, at) => Array.from(weights.subarray(at * m, (at + 1) * m)));
    this.#token = token;
    this.#pair = pair;
    this.root.style.setProperty("--height", `${this.#height}px`);
    this.#showQueries();
    this.#showKeys();
    this.#draw();
  }

  get #height() {
    return Math.max(this.#texts.length, this.#keyTexts.length) * ROW;
  }

  #showQueries() {
    const stop = [...this.queries.querySelectorAll("button")].findIndex(({ tabIndex }) => tabIndex === 0);
    const tokens = this.#texts.map((text, at) => {
      const onclick = () => this.host.chosen(at === this.#token ? null : at);
      const attributes = { class: "line-token", data: { focus: `query ${at}` }, title: text, onclick };
      return pressable(at === this.#token, attributes, element("bdi", {}, text));
    });
    stopAt(tokens, this.#token ?? (stop in tokens ? stop : 0));
    redrawn(this.queries, () => this.queries.replaceChildren(...tokens));
  }

  #showKeys() {
    const m = this.#keyTexts.length;
    const query = this.#pair?.query ?? this.#token;
    const row = query === null ? null : this.#weights.subarray(query * m, (query + 1) * m);
    this.keys.replaceChildren(
      ...this.#keyTexts.map((text, at) => {
        const name = element("bdi", {}, text);
        if (query === null || !row) return div("line-key", span("line-name", name));
        const bar = span("line-bar");
        bar.style.setProperty("--part", `${(100 * row[at]).toFixed(1)}%`);
        const node = button(
          { class: "line-key", tabindex: -1, title: String(row[at]) },
          span("line-name", name),
          bar,
          span("line-weight", shown(row[at])),
        );
        node.addEventListener("click", () => this.host.picked({ query, key: at }, true));
        return node;
      }),
    );
  }

  /** The pair whose line is at the pointer. @param {MouseEvent} event @returns {Pair | null} */
  #pairAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const rows =
      this.#token === null
        ? this.#rows
        : this.#rows.map((row, at) => (at === this.#token ? row : row.map(() => 0)));
    const pointer = { x, y: event.clientY - box.top, height: box.height, reach: REACH, widthOf };
    return x < 0 || x > 1 ? null : lineAt(rows, pointer);
  }

  #draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, this.#height];
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    if (!context) return;
    context.scale(scale, scale);
    context.lineCap = "butt";
    const colour = this.colours.of(this.#colour).join(", ");
    for (const [query, row] of this.#rows.entries())
      for (const [key, weight] of row.entries()) {
        if (weight < LEAST) continue;
        const isLit = this.#pair?.query === query && this.#pair.key === key;
        const isProminent = this.#token === null || this.#token === query || isLit;
        const shade = (0.14 + 0.76 * weight) * (isProminent ? 1 : 0.08);
        context.strokeStyle = `rgba(${colour}, ${isLit ? 1 : shade})`;
        context.lineWidth = widthOf(weight);
        const [from, to] = [
          middle(query, this.#texts.length, height),
          middle(key, this.#keyTexts.length, height),
        ];
        context.stroke(new Path2D(curve(from, to, width)));
      }
  }
}
