// One head's weights as a large map with its tokens on both axes. A long sentence is shown in part: buttons, Ctrl with
// the wheel, and dragging choose which. Arrows move from pair to pair.

import { announcer, button, div, element, fill, span } from "../../kit/dom.js";
import { DifferenceLegend } from "../difference_legend.js";
import {
  blended,
  inCss,
  levelOf,
  levelsOf,
  mostOf,
  opacityOn,
  putPixels,
  readable,
  shaded,
  signed,
} from "../paint.js";
import { shown, signedText, weightText } from "../wording.js";
import { revealing, shifted, whole, zoomed } from "./map_window.js";

const MOST_NAMED = 64; // columns; of a map with more no token has a name
const LEAST_NAMED = 11; // px of a cell, from which tokens have names
const LEAST_WITH_NUMBER = 20; // px of a cell, from which it has its number
const LEAST_NUMBER = 0.005; // a smaller number is printed as 0, in a muted colour
const LEAST_TYPE = 12; // px, as everywhere
const MOST_TYPE = 13;
const PART = 0.94; // of a cell's width, for its number
const STEP = 0.6; // the factor of one zoom
const ABOVE = 3; // px between a cell and its tip
const DRAG = 4; // px after which a press moves the map

/** @type {Record<string, [number, number]>} */
const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** @typedef {import("./map_window.js").Window} Window */

/**
 * Where the pointer was pressed, what the map showed then, and whether it has been dragged since.
 * @typedef {{ x: number; y: number; window: Window; hasMoved: boolean }} Press
 */

export class Heatmap {
  /** @type {MapContent} */
  #content = { numbers: new Float32Array(), colour: "", exact: null, sign: "", texts: [], keyTexts: [] };
  #window = whole(0);
  /** The largest difference of the map. */
  #most = 0;
  /** The map with one pixel for each pair. */
  #pixels = document.createElement("canvas");
  /** @type {number | null} */
  #token = null;
  /** @type {Pair | null} */
  #pair = null;
  #isNamed = false;
  #room = ""; // for which this was decided
  /** @type {Press | null} */
  #press = null;
  #watch = new ResizeObserver(() => this.#draw());

  /**
   * @param {Pick<PictureHost, "pointed" | "picked">} host
   * @param {Record<string, string>} words
   * @param {import("../theme_colours.js").Colours} colours
   */
  constructor(host, words, colours) {
    this.host = host;
    this.words = words;
    this.colours = colours;
    this.queries = div("map-rows");
    this.keys = div("map-cols");
    this.canvas = element("canvas", {
      class: "big-map",
      tabindex: 0,
      role: "application",
      "aria-label": words.map_keys,
      "aria-roledescription": words.map,
      data: { focus: "pairs" },
    });
    this.live = announcer();
    /** @type {(by: number, sign: string, label: string) => HTMLButtonElement} */
    const zoom = (by, sign, label) =>
      button(
        { "aria-label": label, title: label, data: { focus: label }, onclick: () => this.#zoom(by) },
        sign,
      );
    this.nearer = zoom(STEP, "+", words.zoom_in);
    this.further = zoom(1 / STEP, "−", words.zoom_out);
    this.note = span("quiet-text");
    this.zooms = div("zooms", this.nearer, this.further, this.note);
    this.tip = element("div", { class: "map-tip", "aria-hidden": "true", hidden: true });
    this.square = div("map-square", this.keys, this.queries, this.canvas, this.tip);
    this.legend = new DifferenceLegend(words);
    this.root = div("heatmap", this.zooms, this.square, this.legend.root, this.live);
    this.#watch.observe(this.canvas);
    this.#listen();
  }

  stop() {
    this.#watch.disconnect();
  }

  /** @param {MapContent} content @param {number | null} token @param {Pair | null} pair */
  update(content, token, pair) {
    const [n, m] = [content.texts.length, content.keyTexts.length];
    if (n !== this.#n || m !== this.#m) this.#window = whole(Math.max(n, m));
    this.#content = content;
    this.#token = token;
    this.#pair = pair;
    this.#paint();
    this.#draw();
  }

  get #n() {
    return this.#content.texts.length;
  }

  get #m() {
    return this.#content.keyTexts.length;
  }

  /** How many rows and columns are shown. */
  get #rows() {
    return Math.min(this.#window.size, this.#n);
  }

  get #cols() {
    return Math.min(this.#window.size, this.#m);
  }

  /** @param {Pair} pair */
  #numberAt({ query, key }) {
    return this.#content.numbers[query * this.#m + key];
  }

  /** A pair's number in words. @type {(pair: Pair, text: (weight: number, sign: string) => string, decimals: number) => string} */
  #textAt(pair, text, decimals) {
    const { colour, exact, sign } = this.#content;
    const number = this.#numberAt(pair);
    if (Number.isNaN(number)) return "–";
    if (!colour) return signedText(number, decimals);
    return text(number, exact?.[pair.query * this.#m + pair.key] === 0 ? sign : "");
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #paint() {
    const { numbers, colour } = this.#content;
    const m = this.#m;
    const ground = this.colours.of("paper");
    const both = { more: this.colours.of("more"), less: this.colours.of("less"), ground };
    const most = mostOf(numbers, m, null);
    this.#most = most || 1;
    const pixels = colour
      ? shaded(levelsOf(numbers), m, { colour: this.colours.of(colour), ground }, null)
      : signed(numbers, m, both, null, this.#most);
    this.legend.root.hidden = Boolean(colour);
    if (!colour) this.legend.update(most);
    putPixels(this.#pixels, pixels, m);
  }

  #draw() {
    const [rows, cols] = [this.#rows, this.#cols];
    this.square.style.setProperty("--cols", String(cols));
    this.square.style.setProperty("--aspect", `${cols} / ${rows}`);
    this.#makeRoom(cols);
    const width = this.canvas.clientWidth;
    const context = this.canvas.getContext("2d");
    if (!width || !rows || !context) return;
    const cell = width / cols;
    const height = rows * cell;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(height * scale);
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    const { row, col } = this.#window;
    context.drawImage(this.#pixels, col, row, cols, rows, 0, 0, width, height);
    const [ink, paper] = ["ink", "paper"].map((name) => inCss(this.colours.of(name)));
    if (cell >= LEAST_NAMED) this.#drawGrid(context, cell, paper);
    if (cell >= LEAST_WITH_NUMBER) this.#drawNumbers(context, cell);
    context.strokeStyle = ink;
    if (this.#token !== null) context.strokeRect(1, (this.#token - row) * cell + 0.5, width - 2, cell - 1);
    if (this.#pair) {
      context.lineWidth = 2;
      const { query, key } = this.#pair;
      context.strokeRect((key - col) * cell + 1, (query - row) * cell + 1, cell - 2, cell - 2);
    }
    this.#showNames();
  }

  /** Leave room for names where the columns beside them would be wide enough for any. @param {number} cols */
  #makeRoom(cols) {
    const { classList, clientWidth } = this.square;
    const room = `${cols} ${clientWidth}`;
    if (room === this.#room) return;
    this.#room = room;
    classList.remove("unnamed");
    const isNarrow = this.canvas.clientWidth < cols * LEAST_NAMED;
    this.#isNamed = cols <= MOST_NAMED && !isNarrow;
    classList.toggle("unnamed", !this.#isNamed);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {number} cell
   * @param {string} paper
   */
  #drawGrid(context, cell, paper) {
    const [rows, cols] = [this.#rows, this.#cols];
    context.fillStyle = paper;
    for (let at = 1; at < cols; at++) context.fillRect(at * cell - 0.5, 0, 1, rows * cell);
    for (let at = 1; at < rows; at++) context.fillRect(0, at * cell - 0.5, cols * cell, 1);
  }

  /**
   * Numbers in the cells, all as large as the widest allows; none where that would be too small to read.
   * @param {CanvasRenderingContext2D} context
   * @param {number} cell
   */
  #drawNumbers(context, cell) {
    const { row, col } = this.#window;
    const { exact } = this.#content;
    const cols = this.#cols;
    const entries = Array.from({ length: this.#rows * cols }, (_, at) => {
      const [down, across] = [Math.floor(at / cols), at % cols];
      const place = (row + down) * this.#m + col + across;
      return { down, across, number: exact?.[place] === 0 ? 0 : this.#content.numbers[place] };
    }).filter(({ number }) => number);
    if (entries.every(({ number }) => Math.abs(number) < LEAST_NUMBER)) return; // all would read 0
    const { fontFamily } = getComputedStyle(this.canvas);
    context.font = `${MOST_TYPE}px ${fontFamily}`;
    const widest = Math.max(0, ...entries.map(({ number }) => context.measureText(shown(number)).width));
    const type = MOST_TYPE * Math.min(1, (PART * cell) / widest);
    if (type < LEAST_TYPE) return;
    context.font = `${type}px ${fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (const { down, across, number } of entries) {
      context.fillStyle = inCss(this.#inkOn(number));
      context.fillText(shown(number), (across + 0.5) * cell, (down + 0.5) * cell);
    }
  }

  /** The colour of a number's digits: ink or paper, whichever has more contrast to the cell. @param {number} number */
  #inkOn(number) {
    const { colour } = this.#content;
    if (Math.abs(number) < LEAST_NUMBER) return this.colours.of("muted");
    const full = this.colours.of(colour || (number < 0 ? "less" : "more"));
    const [ink, paper] = ["ink", "paper"].map((name) => this.colours.of(name));
    const opacity = opacityOn(levelOf(number, colour ? 1 : this.#most) / 255, paper);
    return readable(blended(full, paper, opacity), [ink, paper]);
  }

  #showNames() {
    const { row, col, size } = this.#window;
    const isNamed = this.#isNamed;
    /** @param {string} text */
    const name = (text) => element("span", { title: text }, element("bdi", {}, text));
    const { texts, keyTexts } = this.#content;
    const [rows, cols] = [this.#rows, this.#cols];
    this.queries.replaceChildren(...(isNamed ? texts.slice(row, row + rows).map(name) : []));
    this.keys.replaceChildren(...(isNamed ? keyTexts.slice(col, col + cols).map(name) : []));
    const most = Math.max(this.#n, this.#m);
    this.nearer.disabled = size <= 8;
    this.further.disabled = size === most;
    this.zooms.hidden = most <= 8;
    const values = { first: row + 1, last: row + rows, from: col + 1, to: col + cols };
    this.note.textContent =
      size < most ? fill(this.words.zoomed, values) : isNamed ? "" : this.words.zoom_hint;
  }

  // --- the pointer and keys ------------------------------------------------------------------------------------------

  #listen() {
    const { canvas, host } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#press = { x: event.clientX, y: event.clientY, window: this.#window, hasMoved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.#press) this.#drag(event, this.#press);
      else host.pointed(this.#pairAt(event));
      this.#showTip(event);
    });
    canvas.addEventListener("pointerleave", () => {
      host.pointed(null);
      this.tip.hidden = true;
    });
    canvas.addEventListener("pointercancel", () => (this.#press = null));
    canvas.addEventListener("pointerup", (event) => {
      const pair = this.#pairAt(event);
      if (this.#press && !this.#press.hasMoved && pair) host.picked(pair, true);
      this.#press = null;
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const point = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
      this.#zoom(event.deltaY < 0 ? STEP : 1 / STEP, point);
    });
    canvas.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** The pair under the pointer with its number, above its cell. @param {PointerEvent} event */
  #showTip(event) {
    const pair = this.#press?.hasMoved ? null : this.#pairAt(event);
    this.tip.hidden = !pair || event.pointerType === "touch";
    if (!pair || this.tip.hidden) return;
    const { texts, keyTexts } = this.#content;
    /** @param {string} text */
    const name = (text) => element("bdi", {}, text);
    const value = element("strong", {}, this.#textAt(pair, weightText, 4));
    this.tip.replaceChildren(name(texts[pair.query]), " → ", name(keyTexts[pair.key]), " ", value);
    const { row, col } = this.#window;
    const cell = this.canvas.clientWidth / this.#cols;
    const left = this.canvas.offsetLeft + (pair.key - col + 0.5) * cell - this.tip.offsetWidth / 2;
    const most = this.square.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(most, left))}px`;
    this.tip.style.top = `${this.canvas.offsetTop + (pair.query - row) * cell - this.tip.offsetHeight - ABOVE}px`;
  }

  /** @param {PointerEvent} event @param {Press} press */
  #drag(event, press) {
    const { x, y, window: before } = press;
    const [right, down] = [event.clientX - x, event.clientY - y];
    if (!press.hasMoved && Math.hypot(right, down) < DRAG) return;
    press.hasMoved = true;
    if (before.size === Math.max(this.#n, this.#m)) return;
    this.canvas.setPointerCapture(event.pointerId);
    const cell = this.canvas.clientWidth / this.#cols;
    this.#window = shifted(before, -down / cell, -right / cell, this.#n, this.#m);
    this.#draw();
  }

  /** @param {number} factor @param {{ x: number; y: number }} [point] */
  #zoom(factor, point = { x: 0.5, y: 0.5 }) {
    this.#window = zoomed(this.#window, factor, point, this.#n, this.#m);
    this.#draw();
  }

  /** The pair under the pointer. @param {MouseEvent} event @returns {Pair | null} */
  #pairAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { row, col } = this.#window;
    const [rows, cols] = [this.#rows, this.#cols];
    const down = Math.floor(((event.clientY - box.top) / box.height) * rows);
    const across = Math.floor(((event.clientX - box.left) / box.width) * cols);
    const isInside = down >= 0 && down < rows && across >= 0 && across < cols;
    return isInside ? { query: row + down, key: col + across } : null;
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "+" || event.key === "-") {
      event.preventDefault();
      return this.#zoom(event.key === "+" ? STEP : 1 / STEP, this.#centre());
    }
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const from = this.#pair ?? { query: this.#token ?? 0, key: 0 };
    const next = { query: from.query + step[0], key: from.key + step[1] };
    const pair = this.#pair ? next : from;
    if (pair.query < 0 || pair.query >= this.#n || pair.key < 0 || pair.key >= this.#m) return;
    this.#window = revealing(this.#window, pair, this.#n, this.#m);
    this.host.picked(pair, false);
    const { texts, keyTexts } = this.#content;
    this.live.textContent = `${texts[pair.query]} → ${keyTexts[pair.key]} ${this.#textAt(pair, (weight, sign) => `${sign}${shown(weight)}`, 2)}`;
  }

  /** The picked pair's place in the window, which zooming keeps. */
  #centre() {
    const { row, col } = this.#window;
    if (!this.#pair) return { x: 0.5, y: 0.5 };
    return { x: (this.#pair.key - col) / this.#cols, y: (this.#pair.query - row) / this.#rows };
  }
}
