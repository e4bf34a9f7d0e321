// What the heads do, at a glance: the tokens with their rows of X, a line from each query to each key as thick as its
// weight, and each query's head outputs and output. It shows the numbers of the tables and has none of its own.

import {
  accent,
  button,
  div,
  element,
  fill,
  naming,
  p,
  prose,
  rich,
  setAttribute,
  setText,
  titled,
} from "../../kit/dom.js";
import { isFixed, key as keyOf, rowsOf } from "../../kit/graph.js";
import { format } from "../../kit/numbers.js";
import { isolated } from "../../kit/quoted.js";
import { isOfTables } from "../ways_on.js";
import { HeadLines } from "./head_panels.js";
import { Slim } from "./low_overview.js";
import { Bars } from "./row_bars.js";
import { Sentence } from "./sentence.js";
import { scaleOf, WeightMap } from "./weight_map.js";

/** With more tokens the weights are shown as a map. */
const MOST_LINES = 7;
const MOST_WITH_OUTPUTS = 2; // maps that leave room for the outputs
const MOST_LISTED = 12; // rows that a screen reader reads out
/** So many heads fit beside each other on a phone, without the names of the keys where these are the queries' own. */
const MOST_BESIDE = 4;
/** The height of a map: of its rows within bounds, with many tokens of the whole. */
const MAPS = { row: 18, least: 176, most: 240, slim: 72 };
/** The height of a token's row in px: `room` divided by the number of tokens, within bounds. */
const ROWS = {
  whole: { room: 168, least: 17, most: 40 },
  puzzle: { room: 120, least: 17, most: 30 }, // the numbers to be changed are to fit below
  slim: { room: 108, least: 13, most: 22 },
};
const STILL = 120; // ms without scrolling until a swipe has ended

/**
 * The height of so many rows in either form.
 * @param {number} count
 * @param {"whole" | "puzzle"} form
 */
function heightsOf(count, form) {
  const height = (/** @type {typeof ROWS.whole} */ { room, least, most }) =>
    Math.round(count * Math.min(most, Math.max(least, room / count)));
  return { whole: height(ROWS[form]), slim: height(ROWS.slim) };
}

/** @param {number} count */
function mapHeightsOf(count) {
  const { row, least, most, slim } = MAPS;
  return { whole: Math.min(most, Math.max(least, count * row)), slim };
}

/** @typedef {import("./head_panels.js").Pair} Pair */

/**
 * A head, and what is said of it.
 * @typedef {{
 *   head: number; root: HTMLElement; title: HTMLElement; look: HTMLElement;
 *   pane: import("./head_panels.js").HeadPanel;
 * }} Panel
 */

/**
 * `chosen`: a weight is clicked; `pointed`: one is pointed at, or none; `swiped`: a head has been swiped to, or is shown alone.
 * @typedef {{
 *   chosen: (cell: Cell) => void; pointed: (cell: Cell | null) => void; swiped: (head: number) => void;
 *   send: (edit: Edit) => void;
 * }} OverviewHost
 */

export class Overview {
  #structure = "";
  #model;
  /** @type {number | null} */
  #query = null; // the query whose lines alone stand out
  /** @type {number | null} */
  #alone = null; // the head that is shown alone
  /** @type {Cell | null} */
  #explained = null; // the cell that the line explains
  /** @type {HTMLElement[]} */
  #rows = []; // what belongs to one query, and fades while another stands out
  /** @type {Panel[]} */
  #panels = [];
  /** @type {Bars} */
  #bars;
  /** @type {Set<string> | null} */
  #path = null; // keys of the cells of the traced path
  /** @type {Element | null} */
  #highlighted = null; // the line that is pointed at
  #swipe = 0; // the timer that ends a swipe
  #heights = mapHeightsOf(0); // of the rows, in either form
  /** @type {number | null} */
  #focused = null; // the query whose name in a map has the focus
  #foremost = 0; // the head in front, where they are swiped through
  #frame = 0; // in which the newest numbers will be drawn
  #heads = div("overview-heads");

  /**
   * @param {OverviewHost} host
   * @param {ExploreModel} model
   */
  constructor(host, model) {
    this.host = host;
    this.#model = model;
    this.words = model.words;
    this.#bars = new Bars(host, model);
    this.sentence = new Sentence((edit) => host.send(edit), this.words);
    this.moved = element("p", { class: "moved" });
    this.whole = button(
      { class: "quiet moved-whole", hidden: true, onclick: () => this.#showWhole(!this.#isWhole) },
      "…",
    );
    setAttribute(this.whole, "aria-label", this.words.moved_whole);
    this.root = element("section", { class: "overview", "aria-label": this.words.overview });
    this.root.addEventListener("keydown", (event) => this.#onEscape(event));
    this.slim = new Slim(this.root, () => this.#draw(), isOfTables(model));
  }

  stop() {
    cancelAnimationFrame(this.#frame);
    this.slim.stop();
  }

  /** @param {ExploreModel} model */
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
      Boolean(model.puzzle),
      Object.keys(model.matrices),
    ]);
    if (structure !== this.#structure) this.#build();
    this.#structure = structure;
    this.patch(model);
  }

  /**
   * Say what the last edit has moved. What is said of a number leads to it.
   * @param {import("../moved_sentence.js").MovedPiece[]} pieces none: nothing has been edited
   */
  say(pieces) {
    const isMap = this.root.classList.contains("maps");
    const { words } = this;
    const hatched = this.#model?.matrices.masked_scores ? words.overview_hatched : "";
    const hint = isMap ? prose(words.overview_hint_map, hatched) : words.overview_hint;
    const said = element("p", {}, ...this.#saying(pieces, hint));
    if (this.moved.textContent !== said.textContent) this.moved.replaceChildren(...said.childNodes);
    this.#showWhole(false);
    if (this.moved.classList.contains("hint") === !pieces.length) return;
    this.moved.classList.toggle("hint", !pieces.length);
    this.slim.measure(); // the slim form has no line for a hint alone
  }

  get #isWhole() {
    return this.moved.classList.contains("whole");
  }

  /**
   * A sentence that is longer than its place is cut there. A button shows all of it, over what is below: nothing moves.
   * @param {boolean} isWhole
   */
  #showWhole(isWhole) {
    this.moved.classList.remove("whole", "cut");
    const { clientHeight, scrollHeight } = this.moved;
    this.moved.classList.toggle("whole", isWhole);
    if (isWhole) this.moved.style.setProperty("--over", `${this.moved.offsetHeight - clientHeight}px`);
    this.whole.hidden = !isWhole && scrollHeight <= clientHeight + 2;
    this.moved.classList.toggle("cut", !this.whole.hidden && !isWhole);
    this.whole.textContent = isWhole ? "×" : "…";
    this.whole.ariaExpanded = String(isWhole);
  }

  /** @type {(pieces: import("../moved_sentence.js").MovedPiece[], hint: string) => (Node | string)[]} */
  #saying(pieces, hint) {
    if (!pieces.length) return [hint];
    return pieces.map(({ text, cell, names }, at) => {
      if (!cell) return text;
      const onclick = () => this.host.chosen(cell);
      const onkeydown = (/** @type {KeyboardEvent} */ { key }) => key === "Enter" && onclick();
      // no button: a long text is to go on in the next line
      return element(
        "span",
        { class: "step", role: "link", tabindex: 0, data: { focus: `moved ${at}` }, onclick, onkeydown },
        ...naming(text, names ?? []),
      );
    });
  }

  /** @param {boolean} isDragging a number is being dragged: then nothing moves by itself */
  setDragging(isDragging) {
    this.root.classList.toggle("by-hand", isDragging);
  }

  /**
   * Only numbers have changed. They are drawn with the next frame, however many changes come before it.
   * @param {ExploreModel} model
   */
  patch(model) {
    this.#model = model;
    this.#drawSoon();
  }

  #drawSoon() {
    if (!this.root.hidden) this.#frame ||= requestAnimationFrame(() => this.#draw());
  }

  #draw() {
    this.#frame = 0;
    if (this.root.hidden) return;
    for (const { pane } of this.#panels) pane.patch();
    this.#bars.draw(this.#model);
  }

  /**
   * The numbers are at rest: say what each head does, and show where its lines were before the last edit.
   * @param {ExploreModel} model
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
   * Light what the explained cell is about: a pair of a query and a key, or a token.
   * @param {Cell | null} cell
   */
  outline(cell) {
    this.#explained = cell;
    for (const { pane } of this.#panels) pane.outline();
    const isOfQuery = cell !== null && this.#model.matrices[cell.name]?.axes[0] === "n_q";
    const query = isOfQuery ? cell.row : null;
    for (const row of this.#rows) row.classList.toggle("lit", Number(row.dataset.query) === query);
    this.#outlineBar();
  }

  /** The query of a map whose strongest lines are drawn: in focus, explained or chosen; else the last one. */
  get #rowInFocus() {
    const { labels, matrices } = this.#model;
    const cell = this.#explained;
    const explained = cell && matrices[cell.name]?.axes[0] === "n_q" ? cell.row : null;
    const row = this.#focused ?? explained ?? this.#query ?? Infinity;
    return Math.min(row, labels.n_q.length - 1);
  }

  /** @param {number | null} query whose name has the focus */
  #focusRow(query) {
    this.#focused = query;
    for (const { pane } of this.#panels) pane.outline();
  }

  /** Outline the bar of the explained number of X. */
  #outlineBar() {
    for (const bar of this.root.querySelectorAll(".bar.held")) bar.classList.remove("held");
    const cell = this.#explained;
    if (cell?.name !== "x") return;
    const row = this.root.querySelector(`.overview-tokens [data-query="${cell.row}"]`);
    row?.querySelectorAll(".bar")[cell.col]?.classList.add("held");
  }

  /**
   * Show these cells alone, and fade all others.
   * @param {Cell[] | null} path null: show all
   */
  trace(path) {
    if (!path && !this.#path) return;
    this.#path = path && new Set(path.map(keyOf));
    this.#showPath();
  }

  #showPath() {
    this.root.classList.toggle("tracing", this.#path !== null);
    this.#bars.trace(this.#path);
    for (const { pane } of this.#panels) pane.trace();
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    const { labels, dims } = this.#model;
    const most = Math.max(labels.n_q.length, labels.n_k.length);
    const isMap = most > MOST_LINES;
    if (this.#query !== null && this.#query >= labels.n_q.length) this.#query = null;
    if (this.#alone !== null && this.#alone >= dims.h) this.#alone = null;
    this.#rows = [];
    this.#highlight(null);
    this.#bars.clear(this.#model);
    this.#focused = null;
    this.#heights = isMap
      ? mapHeightsOf(labels.n_q.length)
      : heightsOf(most, this.#model.puzzle ? "puzzle" : "whole");
    const { whole, slim } = this.#heights;
    this.root.style.setProperty("--whole", `${whole}px`);
    this.root.style.setProperty("--slim", `${slim}px`);
    this.root.style.setProperty("--heads", String(dims.h));
    this.root.classList.toggle("maps", isMap);
    this.root.classList.toggle("many", dims.h > MOST_BESIDE);
    this.root.classList.toggle("beside", !isMap && this.#isSame && dims.h <= MOST_BESIDE);
    this.#panels = Array.from({ length: dims.h }, (_, head) => this.#panel(head, isMap, whole));
    const heads = div("overview-heads", ...this.#panels.map(({ root }) => root));
    heads.addEventListener("scroll", () => this.#onSwipe(heads), { passive: true });
    this.#heads = heads;
    this.#foremost = 0;
    this.root.replaceChildren(...this.#columns(heads, isMap), this.sentence.root, this.moved, this.whole);
    this.#markChosen();
    this.#showPath();
  }

  /** Whether the keys are the queries. */
  get #isSame() {
    const { n_q, n_k } = this.#model.labels;
    return String(n_q) === String(n_k);
  }

  /**
   * @param {HTMLElement} heads
   * @param {boolean} isMap
   */
  #columns(heads, isMap) {
    const { words } = this;
    const { dims, matrices } = this.#model;
    const tokens = isMap
      ? column("overview-tokens", words.overview_maps, this.#sentenceButton(), [], scaleOf(words))
      : this.#tokens();
    const hasRoom = !isMap || dims.h <= MOST_WITH_OUTPUTS;
    return matrices.head_outputs && hasRoom ? [tokens, heads, this.#outputs()] : [tokens, heads];
  }

  /** The height of a row, px. */
  get #room() {
    return this.#heights.whole / this.#model.labels.n_q.length;
  }

  /** The queries, each with its row of X. */
  #tokens() {
    const { labels, matrices } = this.#model;
    const rows = labels.n_q.map((token, query) => {
      const onclick = () => this.#choose(this.#query === query ? null : query);
      const name = button(
        { class: "overview-token", data: { focus: `overview ${query}` }, title: token, onclick },
        element("bdi", {}, token),
      );
      return this.#row(query, name, matrices.x ? this.#bars.row("x", null, query, this.#room) : null);
    });
    return column("overview-tokens", this.words.overview_tokens, this.#sentenceButton(), rows);
  }

  /** The button that opens the field for the visitor's own sentence. */
  #sentenceButton() {
    if (!this.#model.matrices.x || isFixed(this.#model)) return p("");
    const node = button(
      { class: "quiet typing", data: { focus: "sentence" }, "aria-haspopup": "dialog" },
      `✎ ${this.words.sentence}`,
    );
    node.addEventListener("click", () => this.sentence.toggle(this.#model, node));
    return node;
  }

  /** Each query's head outputs side by side, and the output that is made of them. */
  #outputs() {
    const { labels, dims, matrices } = this.#model;
    const rows = labels.n_q.map((_, query) => {
      const heads = Array.from({ length: dims.h }, (_, head) =>
        this.#bars.row("head_outputs", head, query, this.#room),
      );
      const output = matrices.output ? this.#bars.row("output", null, query, this.#room) : null;
      output?.classList.add("whole");
      return this.#row(query, ...heads, output);
    });
    const hint = matrices.output ? this.words.overview_output : this.words.overview_concat;
    return column("overview-taken", this.words.overview_taken, p("hint", ...rich(hint)), rows);
  }

  /**
   * @param {number} query
   * @param {...Child} children
   */
  #row(query, ...children) {
    const row = element("div", { class: "overview-row", data: { query } }, ...children);
    this.#rows.push(row);
    return row;
  }

  /**
   * A head's lines, or its map.
   * @param {number} head
   * @param {boolean} isMap
   * @param {number} height
   * @returns {Panel}
   */
  #panel(head, isMap, height) {
    const host = this.#panelHost;
    const pane = isMap ? new WeightMap(host, head, height) : new HeadLines(host, head, height);
    const onclick = () => this.#showAlone(this.#alone === head ? null : head);
    const title = button(
      { class: "overview-name", data: { focus: `overview head ${head}` }, onclick },
      `${this.words.head} ${head + 1}`,
    );
    const look = element("p", { class: "look" });
    const attributes = { class: "overview-head", style: accent(head), role: "group", data: { head } };
    return { head, look, title, pane, root: element("div", attributes, title, look, pane.root) };
  }

  /** @returns {import("./head_panels.js").PanelHost} */
  get #panelHost() {
    const overview = this;
    return {
      get model() {
        return overview.#model;
      },
      get height() {
        return overview.#heights[overview.slim.isSlim ? "slim" : "whole"];
      },
      get isTracing() {
        return overview.#path !== null;
      },
      get row() {
        return overview.#rowInFocus;
      },
      get isSame() {
        return overview.#isSame;
      },
      words: this.words,
      isChosen: (query) => this.#query === query,
      choose: (query) => this.#choose(this.#query === query ? null : query),
      focusRow: (query) => this.#focusRow(query),
      weights: (head) => this.#weights(head),
      pairExplained: (head) => this.#pairExplained(head),
      isInFocus: (query) => this.#isInFocus(query),
      isOnPath: (head, row, col) => Boolean(this.#path?.has(keyOf({ name: "weights", head, row, col }))),
      point: (head, pair) => this.host.pointed(pair && weightAt(head, pair)),
      follow: (head, pair) => (pair ? this.host.chosen(weightAt(head, pair)) : this.#choose(null)),
      highlight: (line) => this.#highlight(line),
      drawSoon: () => this.#drawSoon(),
    };
  }

  // --- what the panels of the heads request ------------------------------------------------------------------------

  /** @param {number} head */
  #weights(head) {
    const rows = rowsOf(this.#model, "weights", head) ?? [];
    return rows.map((row) => row.map((weight) => (typeof weight === "number" ? weight : 0)));
  }

  /**
   * The explained cell, where it is about a pair of this head's.
   * @param {number} head
   */
  #pairExplained(head) {
    const cell = this.#explained;
    if (!cell || cell.head !== head) return null;
    const axes = this.#model.matrices[cell.name]?.axes;
    return axes?.[0] === "n_q" && axes[1] === "n_k" ? cell : null;
  }

  /**
   * Whether a query's lines stand out: those of all queries do, or its alone.
   * @param {number} query
   */
  #isInFocus(query) {
    return this.#query === null || this.#query === query;
  }

  /** Have one line stand out, which a mouse points at. @param {SVGElement | null} line */
  #highlight(line) {
    if (line === this.#highlighted) return;
    this.#highlighted?.classList.remove("meant");
    line?.classList.add("meant");
    this.#highlighted = line;
    this.root.classList.toggle("pointing", line !== null);
  }

  /**
   * Which key each query attends to most, for a screen reader.
   * @param {number} head
   */
  #altText(head) {
    const { labels } = this.#model;
    const pairs = this.#weights(head).map((row, query) => {
      const top = Math.max(...row);
      const keys = row.flatMap((weight, key) => (weight === top ? isolated(labels.n_k[key]) : []));
      return top > 0
        ? fill(this.words.overview_pair, {
            query: isolated(labels.n_q[query]),
            key: keys.join(this.words.comma),
            weight: format(top, 2),
          })
        : fill(this.words.overview_none, { query: isolated(labels.n_q[query]) });
    });
    const list = pairs.slice(0, MOST_LISTED).join(this.words.overview_and);
    return titled(this.words, `${this.words.head} ${head + 1}`, list);
  }

  // --- one head at a time --------------------------------------------------------------------------------------

  /**
   * Heads that do not fit are swiped through. Once they stand still, the host learns which one is in front.
   * @param {HTMLElement} heads
   */
  #onSwipe(heads) {
    clearTimeout(this.#swipe);
    this.#swipe = setTimeout(() => {
      const left = heads.getBoundingClientRect().left;
      const away = this.#panels.map(({ root }) => Math.abs(root.getBoundingClientRect().left - left));
      const isAtEnd = heads.scrollLeft + heads.clientWidth >= heads.scrollWidth - 1;
      const head = isAtEnd ? this.#panels.length - 1 : away.indexOf(Math.min(...away));
      if (head !== this.#foremost) this.host.swiped(head);
      this.#foremost = head;
    }, STILL);
  }

  /**
   * Bring a head's lines into view, where not all heads are.
   * @param {number} head
   */
  bring(head) {
    if (this.#alone !== null && this.#alone !== head) this.#showAlone(head);
    const panel = this.#panels[head]?.root;
    const heads = this.#heads;
    if (!panel || heads.scrollWidth <= heads.clientWidth + 1) return;
    this.#foremost = head;
    heads.scrollTo({ left: panel.offsetLeft - heads.offsetLeft });
  }

  // --- choosing --------------------------------------------------------------------------------------------------

  /** @param {number | null} query whose lines alone stand out; null: all */
  #choose(query) {
    this.#query = query;
    this.#markChosen();
  }

  /** @param {number | null} head that is shown alone; null: all */
  #showAlone(head) {
    this.#alone = head;
    this.#markChosen();
    if (head !== null) this.host.swiped(head);
  }

  #markChosen() {
    for (const row of this.#rows) {
      row.classList.toggle("quiet", !this.#isInFocus(Number(row.dataset.query)));
      const token = row.querySelector("button");
      token?.setAttribute("aria-pressed", String(this.#query === Number(row.dataset.query)));
    }
    for (const { root, head, title, pane } of this.#panels) {
      root.classList.toggle("folded", this.#alone !== null && this.#alone !== head);
      title.setAttribute("aria-pressed", String(this.#alone === head));
      pane.outline();
    }
    this.root.classList.toggle("alone", this.#alone !== null);
  }

  /** Escape shows all queries and heads again. @param {KeyboardEvent} event */
  #onEscape(event) {
    if (event.key !== "Escape" || (this.#query === null && this.#alone === null)) return;
    event.stopPropagation();
    this.#query = this.#alone = null;
    this.#markChosen();
  }
}

/**
 * @param {string} name
 * @param {string} title
 * @param {HTMLElement} hint
 * @param {HTMLElement[]} rows
 * @param {...HTMLElement} more
 */
const column = (name, title, hint, rows, ...more) =>
  div(name, element("h3", {}, title), hint, div("overview-rows", ...rows), ...more);

/** @type {(head: number, pair: Pair) => Cell} */
const weightAt = (head, { query, key }) => ({ name: "weights", head, row: query, col: key });
