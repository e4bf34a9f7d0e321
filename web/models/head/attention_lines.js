// Who attends to whom in one head: lines from each query, at the left, to each key, at the right. Keys show their
// weight for the chosen query. Drawn on a canvas, because a node for each pair would be too many.

import { curve, lineAt, middle } from "../../kit/curves.js";
import { button, div, element, pressable, redrawn, setAttribute, span, targetOf } from "../../kit/dom.js";
import { opacityOn } from "../paint.js";
import { roving, stopAt } from "../tokens/roving_focus.js";
import { shown } from "../wording.js";

/** Of more tokens than this not all lines are drawn (strongest_lines.js). */
export const MOST_LINES = 64;
const ROW = 24; // px
const THICKEST = 11;
const REACH = 6;
const LEAST = 0.005; // a lighter line could not be seen
const MOST_BEHIND = 16; // tokens: the lines of more would be a haze behind those of the chosen one

/** @param {number} weight */
const widthOf = (weight) => 1 + weight * (THICKEST - 1);

/** A weight; a hidden key's is exactly 0, and reads so. @param {number} weight */
const lineText = (weight) => (weight ? shown(weight) : "0");

export class AttentionLines {
  /** @type {LinesContent} */
  #content = { weights: new Float32Array(), colour: "", exact: null, sign: "", texts: [], keyTexts: [] };
  /** @type {number[][]} */
  #rows = [];
  /** The buttons of the queries. @type {HTMLButtonElement[]} */
  #tokens = [];
  /** @type {LinesPlace} */
  #place = { token: null, pair: null, hovered: null };
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
    this.queries.addEventListener("pointermove", (event) => {
      const token = event.pointerType === "touch" ? null : targetOf(event)?.closest("button");
      if (token) this.#hover(this.#tokens.indexOf(token));
    });
    this.queries.addEventListener("pointerleave", () => this.#hover(null));
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

  /** @param {LinesContent} content @param {LinesPlace} place */
  update(content, place) {
    const { weights, texts, keyTexts } = content;
    const [n, m] = [texts.length, keyTexts.length];
    this.#content = content;
    this.#place = place;
    this.#rows = Array.from({ length: n }, (_, at) => Array.from(weights.subarray(at * m, (at + 1) * m)));
    this.root.style.setProperty("--height", `${this.#height}px`);
    this.#showQueries();
    this.#showKeys();
    this.#draw();
  }

  /** @param {number | null} query */
  #hover(query) {
    if (query !== this.#place.hovered) this.host.hovered(query);
  }

  /** The query whose lines stand out: the one that is hovered over, or else the chosen one. */
  get #query() {
    return this.#place.hovered ?? this.#place.token;
  }

  get #height() {
    return Math.max(this.#content.texts.length, this.#content.keyTexts.length) * ROW;
  }

  /** The queries; new ones only for other texts, so that the one under the pointer stays. */
  #showQueries() {
    const { token } = this.#place;
    const { texts } = this.#content;
    if (this.#tokens.length !== texts.length || texts.some((text, at) => this.#tokens[at].title !== text)) {
      this.#tokens = texts.map((text, at) => {
        const onclick = () => this.host.chosen(at === this.#place.token ? null : at);
        const attributes = { class: "line-token", data: { focus: `query ${at}` }, title: text, onclick };
        return pressable(false, attributes, element("bdi", {}, text));
      });
      redrawn(this.queries, () => this.queries.replaceChildren(...this.#tokens));
    }
    const stop = this.#tokens.findIndex(({ tabIndex }) => tabIndex === 0);
    for (const [at, node] of this.#tokens.entries()) setAttribute(node, "aria-pressed", String(at === token));
    stopAt(this.#tokens, token ?? Math.max(0, stop));
  }

  #showKeys() {
    const { weights, keyTexts, exact, sign } = this.#content;
    const m = keyTexts.length;
    const { pair, hovered, token } = this.#place;
    const query = hovered ?? pair?.query ?? token;
    const row = query === null ? null : weights.subarray(query * m, (query + 1) * m);
    this.keys.replaceChildren(
      ...keyTexts.map((text, at) => {
        const name = element("bdi", {}, text);
        if (query === null || !row) return div("line-key", span("line-name", name));
        const bar = span("line-bar");
        bar.style.setProperty("--part", `${(100 * row[at]).toFixed(1)}%`);
        const node = button(
          { class: "line-key", tabindex: -1, title: String(row[at]) },
          span("line-name", name),
          bar,
          span("line-weight", exact?.[query * m + at] === 0 ? sign + shown(row[at]) : lineText(row[at])),
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
    const query = this.#query;
    const rows =
      query === null ? this.#rows : this.#rows.map((row, at) => (at === query ? row : row.map(() => 0)));
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
    const { texts, keyTexts } = this.#content;
    const { pair } = this.#place;
    const prominent = this.#query;
    const colour = this.colours.of(this.#content.colour).join(", ");
    const isDense = texts.length > MOST_BEHIND;
    const paper = this.colours.of("paper");
    for (const [query, row] of this.#rows.entries())
      for (const [key, weight] of row.entries()) {
        if (weight < LEAST || (isDense && prominent !== null && prominent !== query && pair?.query !== query))
          continue;
        const isLit = pair?.query === query && pair.key === key;
        const isProminent = prominent === null || prominent === query || isLit;
        const shade = opacityOn(0.14 + 0.76 * weight, paper) * (isProminent ? 1 : 0.08);
        context.strokeStyle = `rgba(${colour}, ${isLit ? 1 : shade})`;
        context.lineWidth = widthOf(weight);
        const [from, to] = [middle(query, texts.length, height), middle(key, keyTexts.length, height)];
        context.stroke(new Path2D(curve(from, to, width)));
      }
  }
}
