// What the heads do, at a glance: the tokens with their rows of X, a line from each query to each key as thick as its
// weight, and what each token takes along. It shows the numbers of the tables, and keeps none of its own.

import { accent, button, div, element, fill, p, rich, setAttribute, setText } from "../../kit/dom.js";
import { key as keyOf, rowsOf } from "../../kit/graph.js";
import { format } from "../../kit/numbers.js";
import { isolated } from "../../kit/quoted.js";
import { Lines, WeightMap } from "./head_panels.js";
import { Bars } from "./row_bars.js";
import { Sentence } from "./sentence.js";
import { Slim } from "./slim.js";

/** Of more tokens the weights are shown as a map, a pixel for each pair. */
export const MOST_LINES = 12;
const MAP_HEIGHT = { whole: 176, slim: 72 };
/** px that a token's row takes: as many as `room` gives each, within bounds. */
const ROWS = { whole: { room: 168, least: 17, most: 40 }, slim: { room: 108, least: 13, most: 22 } };
const STILL = 120; // ms without scrolling, after which a swipe has ended

/** How high so many rows are in either form. */
function heightsOf(count) {
  const height = ({ room, least, most }) => Math.round(count * Math.min(most, Math.max(least, room / count)));
  return { whole: height(ROWS.whole), slim: height(ROWS.slim) };
}

const isNumber = (value) => typeof value === "number";

export class Overview {
  #structure = "";
  /** @type {BenchModel} */
  #model = null;
  #query = null; // the query whose story alone is told
  #alone = null; // the head that is shown alone
  #lit = null; // the cell that the bench explains
  /** @type {HTMLElement[]} */
  #rows = []; // what belongs to one query, and steps back while another's story is told
  #panels = [];
  /** @type {Bars} */
  #bars;
  /** @type {Set<string> | null} */
  #path = null; // keys of the cells that alone are told of
  /** @type {Element | null} */
  #meant = null; // the line that is pointed at
  #swiped = 0;
  #heights = MAP_HEIGHT; // of the rows, in either form
  #foremost = 0; // the head that stands foremost, where they are swiped through
  #frame = 0; // in which the newest numbers will be drawn

  /**
   * `chosen(cell)`: a weight is chosen, and to be gone to; `pointed(cell)`: one is pointed at, or null; `swiped(head)`:
   * a head has been swiped to.
   * @param {{ chosen: (cell: Cell) => void; pointed: (cell: Cell | null) => void; swiped: (head: number) => void;
   *   send: (edit: Edit) => void }} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.#bars = new Bars(host);
    this.sentence = new Sentence((edit) => host.send(edit), words);
    this.moved = element("p", { class: "moved" });
    this.root = element("section", { class: "overview", "aria-label": words.overview });
    this.root.addEventListener("keydown", (event) => this.#let(event));
    this.slim = new Slim(this.root, () => this.#draw());
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.slim.stop();
  }

  /** @param {BenchModel} model */
  update(model) {
    this.#model = model;
    this.root.hidden = Boolean(model.check) || !model.matrices.weights;
    if (this.root.hidden) return;
    const { labels, dims, lang } = model;
    const structure = JSON.stringify([
      labels.n_q,
      labels.n_k,
      dims.h,
      dims.d_model,
      dims.d_v,
      dims.d_out,
      lang,
      Object.keys(model.matrices),
    ]);
    if (structure !== this.#structure) this.#build();
    this.#structure = structure;
    this.patch(model);
  }

  /**
   * What the last edit has moved, in a sentence; "": nothing has been edited.
   * @param {string} text
   */
  say(text) {
    const isMap = this.root.classList.contains("maps");
    setText(this.moved, text || (isMap ? this.words.overview_hint_map : this.words.overview_hint));
    if (this.moved.classList.contains("hint") === !text) return;
    this.moved.classList.toggle("hint", !text);
    this.slim.measure(); // a hint alone has no line in the slim form
  }

  /**
   * Whether a hand moves the numbers: then nothing moves by itself.
   * @param {boolean} hand
   */
  byHand(hand) {
    this.root.classList.toggle("by-hand", hand);
  }

  /**
   * Numbers alone have changed: what they come to is drawn with the next frame, however many come before it.
   * @param {BenchModel} model
   */
  patch(model) {
    this.#model = model;
    if (!this.root.hidden) this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    if (this.root.hidden) return;
    for (const { pane } of this.#panels) pane.patch();
    this.#bars.draw(this.#model);
  }

  /**
   * The numbers are at rest: what is said of each head, and where its lines were before the last edit.
   * @param {BenchModel} model
   */
  compare(model) {
    this.#model = model;
    if (this.root.hidden) return;
    for (const { root, head, look, pane } of this.#panels) {
      pane.compare();
      setText(look, model.looks[head]);
      setAttribute(look, "title", model.looks[head]);
      setAttribute(root, "aria-label", this.#altText(head));
    }
  }

  /**
   * Light what a cell of the bench is about: a pair of a query and a key, or a token.
   * @param {Cell | null} cell
   */
  outline(cell) {
    this.#lit = cell;
    for (const { pane } of this.#panels) pane.outline();
    const { axes } = (cell && this.#model?.matrices[cell.name]) ?? { axes: [] };
    const query = axes[0] === "n_q" ? cell.row : null;
    for (const row of this.#rows) row.classList.toggle("lit", Number(row.dataset.query) === query);
    this.#held();
  }

  /**
   * Tell of these cells alone, all else steps back; null: of all.
   * @param {Cell[] | null} path
   */
  trace(path) {
    if (!path && !this.#path) return;
    this.#path = path && new Set(path.map(keyOf));
    this.#traced();
  }

  #traced() {
    this.root.classList.toggle("tracing", this.#path !== null);
    this.#bars.trace(this.#path);
    for (const { pane } of this.#panels) pane.trace();
  }

  /** The number of X that is under the hand. */
  #held() {
    for (const bar of this.root.querySelectorAll(".bar.held")) bar.classList.remove("held");
    if (this.#lit?.name !== "x") return;
    const row = this.root.querySelector(`.overview-tokens [data-query="${this.#lit.row}"]`);
    row?.querySelectorAll(".bar")[this.#lit.col]?.classList.add("held");
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    const { labels, dims, matrices } = this.#model;
    const asMap = Math.max(labels.n_q.length, labels.n_k.length) > MOST_LINES;
    if (this.#query >= labels.n_q.length) this.#query = null;
    if (this.#alone >= dims.h) this.#alone = null;
    this.#rows = [];
    this.mean(null);
    this.#bars.clear(this.#model);
    const most = Math.max(labels.n_q.length, labels.n_k.length);
    this.#heights = asMap ? MAP_HEIGHT : heightsOf(most);
    const { whole: height, slim } = this.#heights;
    this.root.style.setProperty("--whole", `${height}px`);
    this.root.style.setProperty("--slim", `${slim}px`);
    this.root.classList.toggle("maps", asMap);
    this.#panels = Array.from({ length: dims.h }, (_, head) => this.#panel(head, asMap, height));
    const heads = div("overview-heads", ...this.#panels.map(({ root }) => root));
    heads.addEventListener("scroll", () => this.#swiping(heads), { passive: true });
    this.heads = heads;
    this.#foremost = 0;
    const columns = asMap
      ? [this.#column("overview-tokens", this.words.overview_maps, this.#typing(), []), heads]
      : [this.#tokens(height), heads, matrices.head_outputs ? this.#taken(height) : null];
    this.root.replaceChildren(...columns.filter(Boolean), this.sentence.root, this.moved);
    this.#markChosen();
    this.#traced();
  }

  /** Queries, each with its row of X. */
  #tokens(height) {
    const { labels, matrices } = this.#model;
    const rows = labels.n_q.map((token, query) => {
      const onclick = () => this.#choose(this.#query === query ? null : query);
      const name = button(
        { class: "overview-token", data: { focus: `overview ${query}` }, title: token, onclick },
        element("bdi", {}, token),
      );
      const row = this.#row(
        query,
        name,
        matrices.x ? this.#bars.row("x", null, query, height / labels.n_q.length) : null,
      );
      return row;
    });
    return this.#column("overview-tokens", this.words.overview_tokens, this.#typing(), rows);
  }

  /** What opens the field for a sentence of one's own. */
  #typing() {
    const { matrices } = this.#model;
    if (!matrices.x) return p("");
    const attributes = { class: "quiet typing", data: { focus: "sentence" }, "aria-haspopup": "dialog" };
    const node = button(
      { ...attributes, onclick: () => this.sentence.toggle(this.#model, node) },
      `✎ ${this.words.sentence}`,
    );
    return node;
  }

  /** What each query takes along: the head outputs side by side, and the output that is made of them. */
  #taken(height) {
    const { labels, dims, matrices } = this.#model;
    const room = height / labels.n_q.length;
    const rows = labels.n_q.map((_, query) => {
      const heads = Array.from({ length: dims.h }, (_, head) =>
        this.#bars.row("head_outputs", head, query, room),
      );
      const output = matrices.output ? this.#bars.row("output", null, query, room) : null;
      if (output) output.classList.add("whole");
      return this.#row(query, ...heads, output);
    });
    const hint = matrices.output ? this.words.overview_output : this.words.overview_concat;
    return this.#column("overview-taken", this.words.overview_taken, p("hint", ...rich(hint)), rows);
  }

  #column(name, title, hint, rows) {
    return div(name, element("h3", {}, title), hint, div("overview-rows", ...rows));
  }

  #row(query, ...children) {
    const row = element("div", { class: "overview-row", data: { query } }, ...children);
    this.#rows.push(row);
    return row;
  }

  /** A head's lines, or its map. */
  #panel(head, asMap, height) {
    const pane = asMap ? new WeightMap(this, head) : new Lines(this, head, height);
    return { ...this.#head(head, pane.root), pane };
  }

  #head(head, pane) {
    const onclick = () => this.#show(this.#alone === head ? null : head);
    const title = button(
      { class: "overview-name", data: { focus: `overview head ${head}` }, onclick },
      `${this.words.head} ${head + 1}`,
    );
    const attributes = { class: "overview-head", style: accent(head), role: "group", data: { head } };
    const look = element("p", { class: "look" });
    return { head, look, title, root: element("div", attributes, title, look, pane) };
  }

  // --- what the panels of the heads ask and tell -----------------------------------------------------------------------

  get model() {
    return this.#model;
  }

  /** How high the rows are now. */
  get height() {
    return this.#heights[this.slim.isSlim ? "slim" : "whole"];
  }

  /** @param {number} head */
  weights(head) {
    const rows = rowsOf(this.#model, "weights", head) ?? [];
    return rows.map((row) => row.map((weight) => (isNumber(weight) ? weight : 0)));
  }

  /**
   * The weight of this head that the bench explains, as a cell; null where it explains another kind of number.
   * @param {number} head
   */
  at(head) {
    const cell = this.#lit;
    if (!cell || cell.head !== head) return null;
    const { axes } = this.#model.matrices[cell.name] ?? { axes: [] };
    return axes[0] === "n_q" && axes[1] === "n_k" ? cell : null;
  }

  /**
   * Whether a query's story is told: all are, or it alone.
   * @param {number} query
   */
  isInFocus(query) {
    return this.#query === null || this.#query === query;
  }

  /** Whether one path alone is told. */
  get isTracing() {
    return this.#path !== null;
  }

  /** Whether the path that is told goes through a weight. */
  isOnPath(head, row, col) {
    return Boolean(this.#path?.has(keyOf({ name: "weights", head, row, col })));
  }

  /** @param {{ query: number; key: number } | null} pair that is pointed at */
  point(head, pair) {
    this.host.pointed(pair && { name: "weights", head, row: pair.query, col: pair.key });
  }

  /** Only the line that is pointed at stands out; null: none is. A finger points at nothing. */
  mean(path) {
    if (path === this.#meant) return;
    this.#meant?.classList.remove("meant");
    path?.classList.add("meant");
    this.#meant = path;
    this.root.classList.toggle("pointing", path !== null);
  }

  /** @param {{ query: number; key: number } | null} pair that is pressed */
  follow(head, pair) {
    if (pair) this.host.chosen({ name: "weights", head, row: pair.query, col: pair.key });
    else this.#choose(null);
  }

  // --- what is told ----------------------------------------------------------------------------------------------

  /** Who attends to whom, for who cannot see it: the key with each query's largest weight. */
  #altText(head) {
    const { labels } = this.#model;
    const pairs = this.weights(head).map((row, query) => {
      const top = Math.max(...row);
      const key = row.indexOf(top);
      return top > 0
        ? fill(this.words.overview_pair, {
            query: isolated(labels.n_q[query]),
            key: isolated(labels.n_k[key]),
            weight: format(top, 2),
          })
        : fill(this.words.overview_none, { query: isolated(labels.n_q[query]) });
    });
    return `${this.words.head} ${head + 1}: ${pairs.slice(0, MOST_LINES).join(this.words.overview_and)}`;
  }

  // --- one head at a time --------------------------------------------------------------------------------------

  /** Heads that do not fit are swiped through; which one it has come to is told once it stands still. */
  #swiping(heads) {
    clearTimeout(this.#swiped);
    this.#swiped = setTimeout(() => {
      const left = heads.getBoundingClientRect().left;
      const away = this.#panels.map(({ root }) => Math.abs(root.getBoundingClientRect().left - left));
      const isAtEnd = heads.scrollLeft + heads.clientWidth >= heads.scrollWidth - 1;
      const head = isAtEnd ? this.#panels.length - 1 : away.indexOf(Math.min(...away));
      if (head !== this.#foremost) this.host.swiped(head);
      this.#foremost = head;
    }, STILL);
  }

  /**
   * Bring a head's lines into view, where not all of them are.
   * @param {number} head
   */
  bring(head) {
    const panel = this.#panels[head]?.root;
    if (!panel || this.heads.scrollWidth <= this.heads.clientWidth + 1) return;
    this.#foremost = head;
    this.heads.scrollTo({ left: panel.offsetLeft - this.heads.offsetLeft });
  }

  // --- choosing --------------------------------------------------------------------------------------------------

  /** Tell one query's story alone; null: all of them. */
  #choose(query) {
    this.#query = query;
    this.#markChosen();
  }

  /** Show one head alone; null: all of them. */
  #show(head) {
    this.#alone = head;
    this.#markChosen();
  }

  #markChosen() {
    for (const row of this.#rows) {
      row.classList.toggle("quiet", !this.isInFocus(Number(row.dataset.query)));
      const token = row.querySelector("button");
      token?.setAttribute("aria-pressed", String(this.#query === Number(row.dataset.query)));
    }
    for (const { root, head, pane } of this.#panels) {
      root.classList.toggle("folded", this.#alone !== null && this.#alone !== head);
      root.querySelector("button").setAttribute("aria-pressed", String(this.#alone === head));
      pane.outline();
    }
    this.root.classList.toggle("alone", this.#alone !== null);
  }

  /** Escape: all stories again. */
  #let(event) {
    if (event.key !== "Escape" || (this.#query === null && this.#alone === null)) return;
    event.stopPropagation();
    this.#query = this.#alone = null;
    this.#markChosen();
  }
}
