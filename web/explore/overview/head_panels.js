// One head in the overview: a line from each query to each key. Where there are many tokens there is a map (weight_map.js).

import { curve, lineAt, middle } from "../../kit/curves.js";
import { div, element, setText, span } from "../../kit/dom.js";
import { format } from "../../kit/numbers.js";
import { svgElement } from "./row_bars.js";

const REACH = 6; // px beside a line at which the pointer still points at it
const THICKEST = 16; // px

/** @typedef {{ query: number; key: number }} Pair */

/**
 * What a panel is given by the overview. `height`: of the rows, px; `pairExplained`: the cell of this head's weights
 * that is explained; `isInFocus`: whether a query's lines stand out; `isOnPath`: whether the traced path goes through a
 * weight.
 * `point` and `follow`: a pair is pointed at, or clicked; `highlight`: a line is pointed at. Of a map: `row`: the query
 * whose strongest lines are drawn; `isSame`: whether the keys are the queries; `isChosen` and `choose`: the query whose
 * lines alone stand out; `focusRow`: a query's name has the focus.
 * @typedef {{
 *   readonly model: ExploreModel;
 *   readonly words: Record<string, string>;
 *   readonly height: number;
 *   readonly isTracing: boolean;
 *   readonly row: number;
 *   readonly isSame: boolean;
 *   weights: (head: number) => number[][];
 *   pairExplained: (head: number) => Cell | null;
 *   isInFocus: (query: number) => boolean;
 *   isOnPath: (head: number, query: number, key: number) => boolean;
 *   point: (head: number, pair: Pair | null) => void;
 *   follow: (head: number, pair: Pair | null) => void;
 *   highlight: (line: SVGElement | null) => void;
 *   drawSoon: () => void;
 *   isChosen: (query: number) => boolean;
 *   choose: (query: number) => void;
 *   focusRow: (query: number | null) => void;
 * }} PanelHost
 */

/**
 * A head's panel. `patch`: the numbers have changed; `compare`: show where the lines were before the last edit;
 * `outline`: other cells are in focus; `trace`: another path is traced.
 * @typedef {{ root: HTMLElement; patch(): void; compare(): void; outline(): void; trace(): void }} HeadPanel
 */

/**
 * @param {string[]} tokens
 * @param {Attributes} [attributes]
 */
const namesOf = (tokens, attributes = {}) =>
  tokens.map((token) => element("span", { ...attributes, title: token }, element("bdi", {}, token)));

/** A head's weights as lines from each query to each key. */
export class HeadLines {
  /** @type {Map<SVGElement, string>} */
  #drawn = new Map(); // how thick and how opaque each line is drawn

  /**
   * @param {PanelHost} host
   * @param {number} head
   * @param {number} height px, of the rows
   */
  constructor(host, head, height) {
    this.host = host;
    this.head = head;
    const { n_q, n_k } = host.model.labels;
    this.most = Math.max(n_q.length, n_k.length);
    const [from, to] = [n_q, n_k].map((tokens) => tokens.map((_, at) => middle(at, tokens.length, height)));
    const lines = (/** @type {string} */ name) =>
      from.map((y) => to.map((end) => svgElement("path", { class: name, d: curve(y, end, 100) })));
    this.ghosts = lines("ghost"); // where the lines were before the last edit
    this.lines = lines("thread");
    // Lines are stretched to the width that there is; the dots at their ends are not.
    const box = { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none" };
    const stretched = svgElement("svg", box, ...this.ghosts.flat(), ...this.lines.flat());
    const dot = (/** @type {string} */ name, /** @type {string} */ cx, /** @type {number} */ y) =>
      svgElement("circle", { class: `end ${name}`, cx, cy: `${(100 * y) / height}%`, r: 4 });
    const ends = [...from.map((y) => dot("query", "0", y)), ...to.map((y) => dot("key", "100%", y))];
    this.svg = svgElement("svg", { "aria-hidden": "true" }, stretched, ...ends);
    this.tops = n_q.map((_, query) => this.#topOf(query));
    const keys = namesOf(n_k, { class: "key" });
    this.root = div("overview-lines", div("tops", ...this.tops), this.svg, div("keys", ...keys));
    this.#listen();
  }

  /** A query's largest weight, which leads to its number. @param {number} query */
  #topOf(query) {
    const top = span("top");
    top.addEventListener("click", () => {
      const row = this.host.weights(this.head)[query];
      this.host.follow(this.head, { query, key: row.indexOf(Math.max(...row)) });
    });
    return top;
  }

  #listen() {
    const { host, head, svg } = this;
    svg.addEventListener("pointermove", (event) => {
      const pair = this.#pairAt(event);
      host.highlight(pair && event.pointerType !== "touch" ? this.lines[pair.query][pair.key] : null);
      host.point(head, pair);
    });
    svg.addEventListener("pointerleave", () => {
      host.highlight(null);
      host.point(head, null);
    });
    svg.addEventListener("click", (event) => host.follow(head, this.#pairAt(event)));
  }

  /**
   * The pair whose line the pointer is at, among the queries in focus.
   * @param {MouseEvent} event
   * @returns {Pair | null}
   */
  #pairAt({ clientX, clientY }) {
    const { host, svg } = this;
    const box = svg.getBoundingClientRect();
    const x = (clientX - box.left) / box.width;
    if (x < 0 || x > 1) return null;
    const inFocus = host
      .weights(this.head)
      .map((row, query) => (host.isInFocus(query) ? row : row.map(() => 0)));
    const widthOf = (/** @type {number} */ weight) => this.#widthOf(weight);
    return lineAt(inFocus, { x, y: clientY - box.top, height: box.height, reach: REACH, widthOf });
  }

  /** @param {number} weight */
  #widthOf(weight) {
    const thickest = Math.min(THICKEST, (this.host.height / this.most) * 0.42);
    return 1 + weight * (thickest - 1);
  }

  /**
   * @param {SVGElement} line
   * @param {string} width
   * @param {string} opacity "": as its stylesheet says
   */
  #stroke(line, width, opacity) {
    if (this.#drawn.get(line) === `${width} ${opacity}`) return;
    this.#drawn.set(line, `${width} ${opacity}`);
    line.style.strokeWidth = width;
    if (opacity) line.style.strokeOpacity = opacity;
  }

  patch() {
    for (const [query, row] of this.host.weights(this.head).entries()) {
      for (const [key, weight] of row.entries()) {
        const line = this.lines[query][key];
        if (weight > 0)
          this.#stroke(line, this.#widthOf(weight).toFixed(1), (0.14 + 0.76 * weight).toFixed(2));
        else this.#stroke(line, "0", "0");
      }
      const top = Math.max(...row);
      setText(this.tops[query], top > 0 ? format(top, 2) : "∅");
      this.tops[query].title = top > 0 ? this.host.words.largest_weight : this.host.words.dead_row;
    }
  }

  compare() {
    const before = this.#weightsBefore;
    for (const [query, row] of this.host.weights(this.head).entries())
      for (const [key, weight] of row.entries()) {
        const was = Number(before?.[query]?.[key]);
        const ghost = this.ghosts[query][key];
        const isCut = weight === 0; // a wide ghost would look like a line that is still there
        ghost.classList.toggle("cut", isCut);
        this.#stroke(ghost, was - weight > 0.01 ? (isCut ? 1 : this.#widthOf(was)).toFixed(1) : "0", "");
      }
  }

  /** @returns {Value[][] | null | undefined} */
  get #weightsBefore() {
    return /** @type {(Value[][] | null)[] | undefined} */ (this.host.model.before?.weights)?.[this.head];
  }

  outline() {
    const { host } = this;
    const explained = host.pairExplained(this.head);
    for (const [query, top] of this.tops.entries()) top.classList.toggle("quiet", !host.isInFocus(query));
    this.#eachLine((line, query, key) => {
      line.classList.toggle("lit", explained?.row === query && explained.col === key);
      line.classList.toggle("quiet", !host.isInFocus(query));
    });
  }

  trace() {
    this.#eachLine((line, query, key) =>
      line.classList.toggle("path", this.host.isOnPath(this.head, query, key)),
    );
  }

  /** @param {(line: SVGElement, query: number, key: number) => void} act */
  #eachLine(act) {
    for (const [query, row] of this.lines.entries())
      for (const [key, line] of row.entries()) act(line, query, key);
  }
}
