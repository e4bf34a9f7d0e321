// Who attends to whom in one head, as lines from each query, at the left, to each key, at the right; of a chosen query
// each key with its weight. Drawn on a canvas: a line for each pair would be too many nodes.

import { curve, lineAt, middle } from "../../kit/curves.js";
import { button, div, element, pressable, redrawn, span } from "../../kit/dom.js";
import { roving, stopAt } from "../tokens/roving_focus.js";
import { shown } from "../wording.js";

/** Of more tokens no lines are drawn. */
export const MOST_LINES = 64;
const ROW = 24; // px
const THICKEST = 11;
const REACH = 6;
const LEAST = 0.005; // a lighter line would not be seen

const widthOf = (weight) => 1 + weight * (THICKEST - 1);

export class Lines {
  /** @type {Float32Array} */
  #weights = new Float32Array();
  #rows = [];
  #texts = /** @type {string[]} */ ([]);
  #colour = "";
  #token = null;
  #pair = null;
  #watch = new ResizeObserver(() => this.#draw());

  /**
   * `chosen(query)`: a token is chosen, or none; `pointed(pair)`: a line is pointed at, or none; `held(pair)`: it is to
   * be explained, and what explains it brought into view.
   * @param {{ chosen: (query: number | null) => void; pointed: (pair: Pair | null) => void;
   *   held: (pair: Pair, brings: boolean) => void }} host
   * @param {import("../theme_colours.js").Colours} colours
   */
  constructor(host, colours) {
    this.host = host;
    this.colours = colours;
    this.queries = div("line-queries");
    roving(this.queries);
    this.keys = div("line-keys");
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.root = div("lines", this.queries, div("line-canvas", this.canvas), this.keys);
    this.#watch.observe(this.canvas);
    this.canvas.addEventListener("pointermove", (event) => host.pointed(this.#at(event)));
    this.canvas.addEventListener("pointerleave", () => host.pointed(null));
    this.canvas.addEventListener("click", (event) => {
      const pair = this.#at(event);
      if (pair) host.held(pair, true);
      else host.chosen(null);
    });
  }

  stop() {
    this.#watch.disconnect();
  }

  /**
   * @param {Float32Array} weights n × n
   * @param {string[]} texts
   * @param {number | null} token
   * @param {Pair | null} pair
   * @param {string} colour
   */
  update(weights, texts, token, pair, colour) {
    const n = texts.length;
    this.#texts = texts;
    this.#colour = colour;
    this.#weights = weights;
    this.#rows = Array.from({ length: n }, (_, at) => Array.from(weights.subarray(at * n, (at + 1) * n)));
    this.#token = token;
    this.#pair = pair;
    this.root.style.setProperty("--height", `${n * ROW}px`);
    this.#names();
    this.#draw();
  }

  #names() {
    const n = this.#texts.length;
    const query = this.#pair?.query ?? this.#token;
    const row = query === null ? null : this.#weights.subarray(query * n, (query + 1) * n);
    const stop = [...this.queries.querySelectorAll("button")].findIndex(({ tabIndex }) => tabIndex === 0);
    const tokens = this.#texts.map((text, at) => {
      const chosen = () => this.host.chosen(at === this.#token ? null : at);
      const attributes = {
        class: "line-token",
        data: { focus: `query ${at}` },
        title: text,
        onclick: chosen,
      };
      return pressable(at === this.#token, attributes, element("bdi", {}, text));
    });
    stopAt(tokens, this.#token ?? (stop in tokens ? stop : 0));
    redrawn(this.queries, () => this.queries.replaceChildren(...tokens));
    this.keys.replaceChildren(
      ...this.#texts.map((text, at) => {
        const name = element("bdi", {}, text);
        if (!row) return div("line-key", span("line-name", name));
        const bar = span("line-bar");
        bar.style.setProperty("--part", `${(100 * row[at]).toFixed(1)}%`);
        const node = button(
          { class: "line-key", tabindex: -1, title: String(row[at]) },
          span("line-name", name),
          bar,
          span("line-weight", shown(row[at])),
        );
        node.addEventListener("click", () => this.host.held({ query, key: at }, true));
        return node;
      }),
    );
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const own =
      this.#token === null
        ? this.#rows
        : this.#rows.map((row, at) => (at === this.#token ? row : row.map(() => 0)));
    const pointer = { x, y: event.clientY - box.top, height: box.height, reach: REACH, widthOf };
    return x < 0 || x > 1 ? null : lineAt(own, pointer);
  }

  #draw() {
    const { canvas } = this;
    const [width, height] = [canvas.clientWidth, this.#texts.length * ROW];
    if (!width || !height) return;
    const scale = window.devicePixelRatio || 1;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    context.lineCap = "butt";
    const colour = this.colours.of(this.#colour).join(", ");
    for (const [query, row] of this.#rows.entries())
      for (const [key, weight] of row.entries()) {
        if (weight < LEAST) continue;
        const lit = this.#pair?.query === query && this.#pair.key === key;
        const prominent = this.#token === null || this.#token === query || lit;
        const shade = (0.14 + 0.76 * weight) * (prominent ? 1 : 0.08);
        context.strokeStyle = `rgba(${colour}, ${lit ? 1 : shade})`;
        context.lineWidth = widthOf(weight);
        const [from, to] = [
          middle(query, this.#texts.length, height),
          middle(key, this.#texts.length, height),
        ];
        context.stroke(new Path2D(curve(from, to, width)));
      }
  }
}
