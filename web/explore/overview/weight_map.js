// A head's weights as a map, where there are too many tokens for lines: a row for each query, a column for each key. Beside
// it the strongest lines of the query in focus, with their weights.

import { button, div, element, setAttribute, setText, span } from "../../kit/dom.js";
import { paintWeights } from "../../kit/maps.js";
import { format } from "../../kit/numbers.js";
import { svgElement } from "./row_bars.js";

const FAINT = 0.02; // of a weight that is not on the traced path
/** Up to so many tokens have their names beside a map. */
const MOST_NAMES = 24;
/** Up to so many names have room beside each other; of more every second is written. */
const MOST_WRITTEN = 16;
const MOST_ON_PHONE = 9; // names of keys beside each other
const MOST_LINES = 3; // of the query in focus
const LEAST = 0.1; // of a weight with a line, unless it is the largest
const WIDTH = 44; // px, of the room for lines
const THICKEST = 9; // px
const TALL = 13; // px, of a weight that is written beside its line

const SCALE = [0, 0.1, 0.25, 0.5, 1]; // weights whose shades are shown beside the maps

/** What the shades of all maps mean: they are those of `paintMap`. @param {Record<string, string>} words */
export const scaleOf = (words) =>
  div(
    "map-scale",
    span("", words.overview_scale),
    ...SCALE.map((weight) =>
      element(
        "span",
        {},
        element("i", { style: `--part: ${Math.sqrt(weight)}`, "aria-hidden": "true" }),
        `${weight}`,
      ),
    ),
  );

/** @typedef {import("./head_panels.js").Pair} Pair */
/** @typedef {import("./head_panels.js").PanelHost} PanelHost */

/**
 * The largest weights of a row, with their keys, the largest first.
 * @param {number[]} row
 */
export const strongest = (row) =>
  row
    .map((weight, key) => ({ key, weight }))
    .sort((one, other) => other.weight - one.weight)
    .slice(0, MOST_LINES)
    .filter(({ weight }, at) => weight >= LEAST || (at === 0 && weight > 0));

/**
 * A line between two rows, to their left; a circle where they are the same.
 * @param {number} from px, the middle of a row
 * @param {number} to
 */
export function bow(from, to) {
  const end = WIDTH - 4;
  if (from === to) return `M${end} ${from - 4}a5 4 0 1 0 0 8`;
  const out = Math.max(0, end - Math.min(WIDTH, 12 + Math.abs(to - from) / 2) * 1.3);
  return `M${end} ${from}C${out} ${from} ${out} ${to} ${end} ${to}`;
}

/**
 * Where texts are written: each where it belongs, or as near to that as those before it leave room.
 * @param {number[]} wanted
 * @param {number} least between two of them
 */
export function apart(wanted, least) {
  /** @type {number[]} */
  const placed = [];
  for (const at of wanted) {
    const isFree = (/** @type {number} */ place) => placed.every((other) => Math.abs(other - place) >= least);
    const places = [at, ...placed.flatMap((other) => [other - least, other + least])];
    placed.push(
      places.filter(isFree).reduce((one, other) => (Math.abs(other - at) < Math.abs(one - at) ? other : one)),
    );
  }
  return placed;
}

/**
 * The names along a side of a map, those of the queries as buttons where they choose one.
 * @param {string[]} tokens
 * @param {(index: number, name: HTMLElement) => HTMLElement} nodeOf
 */
function namesOf(tokens, nodeOf) {
  if (tokens.length > MOST_NAMES) return [];
  const isWritten = (/** @type {number} */ at) => tokens.length <= MOST_WRITTEN || at % 2 === 0;
  return tokens.map((token, at) => nodeOf(at, element("bdi", {}, isWritten(at) ? token : "")));
}

export class WeightMap {
  /** @type {SVGElement[]} */
  #lines = [];
  #drawn = ""; // what the lines show
  #row = 0; // the query in focus

  /**
   * @param {PanelHost} host
   * @param {number} head
   * @param {number} height px, of the rows
   */
  constructor(host, head, height) {
    this.host = host;
    this.head = head;
    this.height = height;
    const { n_q, n_k } = host.model.labels;
    const names = { query: n_q, key: n_k };
    this.canvas = element("canvas", { width: n_k.length, height: n_q.length });
    this.band = div("map-band");
    this.queries = namesOf(n_q, (query, name) => this.#queryName(query, names.query[query], name));
    this.keys = namesOf(n_k, (key, name) => element("span", { title: names.key[key] }, name));
    this.tops = Array.from({ length: MOST_LINES }, () => span("map-top"));
    this.#lines = this.tops.map(() => svgElement("path"));
    const box = { class: "map-lines", viewBox: `0 0 ${WIDTH} ${height}`, "aria-hidden": "true" };
    this.said = div("map-said");
    setAttribute(this.said, "aria-hidden", "true"); // a screen reader reads the rows
    const isCrowded = n_k.length > MOST_ON_PHONE;
    this.root = div(
      `overview-map ${isCrowded ? "crowded" : ""}`,
      div("map-tops", ...this.tops),
      svgElement("svg", box, ...this.#lines),
      div("map-queries", ...this.queries),
      div("map-cells", this.canvas, this.band),
      div("map-keys", ...this.keys),
      this.said,
    );
    const cells = this.canvas;
    cells.addEventListener("pointermove", (event) => host.point(head, this.#pairAt(event)));
    cells.addEventListener("pointerleave", () => host.point(head, null));
    cells.addEventListener("click", (event) => host.follow(head, this.#pairAt(event)));
  }

  /**
   * A query's name. That of the first head is a button: pressed, or with the focus, it has its lines shown in all heads.
   * @param {number} query
   * @param {string} title
   * @param {HTMLElement} name
   */
  #queryName(query, title, name) {
    const { host } = this;
    const attributes = { class: "map-query", title };
    if (this.head > 0) return element("span", attributes, name);
    const node = button(
      { ...attributes, "aria-label": title, data: { focus: `overview ${query}`, query } },
      name,
    );
    node.addEventListener("click", () => host.choose(query));
    node.addEventListener("focus", () => host.focusRow(query));
    node.addEventListener("blur", () => host.focusRow(null));
    return node;
  }

  /**
   * @param {MouseEvent} event
   * @returns {Pair | null}
   */
  #pairAt({ clientX, clientY }) {
    const { n_q, n_k } = this.host.model.labels;
    const box = this.canvas.getBoundingClientRect();
    const query = Math.floor(((clientY - box.top) / box.height) * n_q.length);
    const key = Math.floor(((clientX - box.left) / box.width) * n_k.length);
    return n_q[query] !== undefined && n_k[key] !== undefined ? { query, key } : null;
  }

  patch() {
    const { host, head } = this;
    const faded = (/** @type {number[]} */ row, /** @type {number} */ query) =>
      row.map((weight, key) => (host.isOnPath(head, query, key) ? weight : FAINT * weight));
    const weights = host.weights(head);
    paintWeights(this.canvas, host.model, head, host.isTracing ? weights.map(faded) : weights);
    this.#drawLines();
  }

  /** The strongest lines of the query in focus. */
  #drawLines() {
    const { host, head, height } = this;
    const row = host.weights(head)[this.#row] ?? [];
    const tops = strongest(row);
    const shown = `${this.#row} ${tops.map(({ key, weight }) => `${key} ${weight.toFixed(3)}`)}`;
    if (shown === this.#drawn) return;
    this.#drawn = shown;
    const count = host.model.labels.n_q.length;
    const middle = (/** @type {number} */ at) => ((at + 0.5) * height) / count;
    const isBow = host.isSame; // the keys are the queries, so a line leads from row to row
    const heights = apart(
      tops.map(({ key }) => middle(key)),
      TALL,
    );
    for (const [at, line] of this.#lines.entries()) {
      const { key, weight } = tops[at] ?? { key: 0, weight: 0 };
      line.setAttribute("d", weight && isBow ? bow(middle(this.#row), middle(key)) : "");
      line.setAttribute("stroke-width", Math.max(1.5, weight * THICKEST).toFixed(1));
      setText(this.tops[at], weight && isBow ? format(weight, 2) : "");
      this.tops[at].style.top = `${(100 * (heights[at] ?? 0)) / height}%`;
    }
    this.band.style.top = `${(100 * this.#row) / count}%`;
    this.band.style.height = `${100 / count}%`;
    const isTop = (/** @type {number} */ key) => tops.some((top) => top.key === key);
    for (const [query, name] of this.queries.entries()) {
      name.classList.toggle("in-row", query === this.#row);
      name.classList.toggle("top", isBow && isTop(query));
    }
    for (const [key, name] of this.keys.entries()) name.classList.toggle("top", isTop(key));
    this.#say(tops);
  }

  /**
   * The query in focus and the keys of its strongest lines, in words: in its low form a map has no room for all names.
   * @param {{ key: number; weight: number }[]} tops
   */
  #say(tops) {
    const { n_q, n_k } = this.host.model.labels;
    this.said.replaceChildren(
      element("strong", {}, element("bdi", {}, n_q[this.#row])),
      ...tops.map(({ key, weight }) => span("", "→ ", element("bdi", {}, n_k[key]), ` ${format(weight, 2)}`)),
    );
  }

  compare() {}

  outline() {
    this.#row = this.host.row;
    this.#drawLines();
    for (const [query, name] of this.queries.entries())
      if (name instanceof HTMLButtonElement)
        name.setAttribute("aria-pressed", String(this.host.isChosen(query)));
  }

  /** The path is part of what is painted. */
  trace() {
    this.host.drawSoon();
  }
}
