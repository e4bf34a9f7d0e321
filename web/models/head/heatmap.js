// One head's weights as a large map with its tokens on both axes. Of a long sentence a part is shown, to be chosen by
// the buttons, by Ctrl and the wheel, or by dragging; the arrows move from pair to pair.

import { announcer, button, div, element, fill, span } from "../../kit/dom.js";
import { Legend } from "../difference_legend.js";
import { inCss, laid, levelOf, levelsOf, mostOf, readable, shaded, signed } from "../paint.js";
import { shown, signedText, weightText } from "../wording.js";
import { revealing, shifted, whole, zoomed } from "./map_window.js";

const LEAST_NAMED = 11; // px of a cell, below which tokens have no names
const LEAST_WITH_NUMBER = 20; // px of a cell, from which its number stands in it
const LEAST_NUMBER = 0.005; // what is less shows as 0, and stands back
const LEAST_TYPE = 7; // px
const MOST_TYPE = 13;
const PART = 0.84; // of a cell, for its number
const STEP = 0.6;
const ABOVE = 3; // px between a cell and what is told of it
const DRAG = 4; // px after which a press moves the map

export class Heatmap {
  /** @type {MapShown} */
  #shown = null;
  /** @type {import("./map_window.js").Window} */
  #window = whole(0);
  /** The largest difference that is shown. */
  #most = 0;
  #picture = document.createElement("canvas");
  #token = null;
  #pair = null;
  /** @type {{ x: number; y: number; window: import("./map_window.js").Window; moved: boolean } | null} */
  #held = null;
  #watch = new ResizeObserver(() => this.#draw());

  /**
   * @param {{ pointed: (pair: Pair | null) => void; held: (pair: Pair, brings: boolean) => void }} host
   *   `held(pair, brings)`: it is to be explained, and the explanation brought into view
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
    const square = div("map-square", this.keys, this.queries, this.canvas, this.tip);
    this.legend = new Legend(words);
    this.root = div("heatmap", this.zooms, square, this.legend.root, this.live);
    this.#watch.observe(this.canvas);
    this.#listen();
  }

  stop() {
    this.#watch.disconnect();
  }

  /**
   * @param {MapShown} shown
   * @param {number | null} token
   * @param {Pair | null} pair
   */
  update(shown, token, pair) {
    if (shown.texts.length !== this.#shown?.texts.length) this.#window = whole(shown.texts.length);
    this.#shown = shown;
    this.#token = token;
    this.#pair = pair;
    this.#paint();
    this.#draw();
  }

  get #n() {
    return this.#shown?.texts.length ?? 0;
  }

  #paint() {
    const { numbers, colour } = this.#shown;
    const n = this.#n;
    const both = { more: this.colours.of("more"), less: this.colours.of("less") };
    this.#most = mostOf(numbers, n, null) || 1; // all rows are seen
    const pixels = colour
      ? shaded(levelsOf(numbers), n, this.colours.of(colour), null)
      : signed(numbers, n, both, null, this.#most);
    this.legend.root.hidden = Boolean(colour);
    if (!colour) this.legend.update(mostOf(numbers, n, null));
    this.#picture.width = this.#picture.height = n;
    if (n)
      this.#picture.getContext("2d").putImageData(new ImageData(/** @type {any} */ (pixels), n, n), 0, 0);
  }

  #draw() {
    const side = this.canvas.clientWidth;
    if (!side || !this.#n) return;
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = this.canvas.height = Math.round(side * scale);
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.imageSmoothingEnabled = false;
    const { row, col, size } = this.#window;
    const cell = side / size;
    context.drawImage(this.#picture, col, row, size, size, 0, 0, side, side);
    const [ink, paper] = ["ink", "paper"].map((name) => inCss(this.colours.of(name)));
    if (cell >= LEAST_NAMED) this.#lattice(context, side, cell, paper);
    if (cell >= LEAST_WITH_NUMBER) this.#numbers(context, cell);
    context.strokeStyle = ink;
    if (this.#token !== null) context.strokeRect(1, (this.#token - row) * cell + 0.5, side - 2, cell - 1);
    if (this.#pair) {
      context.lineWidth = 2;
      const { query, key } = this.#pair;
      context.strokeRect((key - col) * cell + 1, (query - row) * cell + 1, cell - 2, cell - 2);
    }
    this.#names(cell);
  }

  #lattice(context, side, cell, paper) {
    context.fillStyle = paper;
    for (let at = 1; at < this.#window.size; at++) {
      context.fillRect(at * cell - 0.5, 0, 1, side);
      context.fillRect(0, at * cell - 0.5, side, 1);
    }
  }

  /** Numbers in the cells, as large as the widest of them lets them be, where that can be read. */
  #numbers(context, cell) {
    const { row, col, size } = this.#window;
    const entries = Array.from({ length: size * size }, (_, at) => {
      const [down, across] = [Math.floor(at / size), at % size];
      return { down, across, number: this.#shown.numbers[(row + down) * this.#n + col + across] };
    }).filter(({ number }) => number !== 0);
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

  /** Which of ink and paper is the better to be read on the colour of a number. */
  #inkOn(number) {
    const { colour } = this.#shown;
    if (Math.abs(number) < LEAST_NUMBER) return this.colours.of("muted");
    const own = this.colours.of(colour || (number < 0 ? "less" : "more"));
    const [ink, paper] = ["ink", "paper"].map((name) => this.colours.of(name));
    return readable(laid(own, paper, levelOf(number, colour ? 1 : this.#most) / 255), [ink, paper]);
  }

  #names(cell) {
    const { row, col, size } = this.#window;
    const named = cell >= LEAST_NAMED;
    const name = (text) => element("span", { title: text }, element("bdi", {}, text));
    const { texts, keyTexts } = this.#shown;
    this.queries.replaceChildren(...(named ? texts.slice(row, row + size).map(name) : []));
    this.keys.replaceChildren(...(named ? keyTexts.slice(col, col + size).map(name) : []));
    const n = this.#n;
    this.nearer.disabled = size <= 8;
    this.further.disabled = size === n;
    this.zooms.hidden = n <= 8;
    const values = { first: row + 1, last: row + size, from: col + 1, to: col + size };
    this.note.textContent = size < n ? fill(this.words.zoomed, values) : named ? "" : this.words.zoom_hint;
  }

  // --- the hand ------------------------------------------------------------------------------------------------------

  #listen() {
    const { canvas, host } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#held = { x: event.clientX, y: event.clientY, window: this.#window, moved: false };
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.#held) this.#drag(event);
      else host.pointed(this.#at(event));
      this.#showTip(event);
    });
    canvas.addEventListener("pointerleave", () => {
      host.pointed(null);
      this.tip.hidden = true;
    });
    canvas.addEventListener("pointercancel", () => (this.#held = null));
    canvas.addEventListener("pointerup", (event) => {
      const pair = this.#at(event);
      if (this.#held && !this.#held.moved && pair) host.held(pair, true);
      this.#held = null;
    });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = canvas.getBoundingClientRect();
      const point = { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
      this.#zoom(event.deltaY < 0 ? STEP : 1 / STEP, point);
    });
    canvas.addEventListener("keydown", (event) => this.#key(event));
  }

  /** The pair under the pointer, and its number, above it. */
  #showTip(event) {
    const pair = this.#held?.moved ? null : this.#at(event);
    this.tip.hidden = !pair || event.pointerType === "touch";
    if (this.tip.hidden) return;
    const { texts, keyTexts, numbers, colour } = this.#shown;
    const number = numbers[pair.query * this.#n + pair.key];
    const name = (text) => element("bdi", {}, text);
    const value = element("strong", {}, colour ? weightText(number) : signedText(number, 4));
    this.tip.replaceChildren(name(texts[pair.query]), " → ", name(keyTexts[pair.key]), " ", value);
    const { row, col, size } = this.#window;
    const cell = this.canvas.clientWidth / size;
    const left = this.canvas.offsetLeft + (pair.key - col + 0.5) * cell - this.tip.offsetWidth / 2;
    const most = this.tip.parentElement.clientWidth - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(most, left))}px`;
    this.tip.style.top = `${this.canvas.offsetTop + (pair.query - row) * cell - this.tip.offsetHeight - ABOVE}px`;
  }

  #drag(event) {
    const { x, y, window: before } = this.#held;
    const [right, down] = [event.clientX - x, event.clientY - y];
    if (!this.#held.moved && Math.hypot(right, down) < DRAG) return;
    this.#held.moved = true;
    if (before.size === this.#n) return;
    this.canvas.setPointerCapture(event.pointerId);
    const cell = this.canvas.clientWidth / before.size;
    this.#window = shifted(before, -down / cell, -right / cell, this.#n);
    this.#draw();
  }

  #zoom(factor, point = { x: 0.5, y: 0.5 }) {
    this.#window = zoomed(this.#window, factor, point, this.#n);
    this.#draw();
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    const { row, col, size } = this.#window;
    const part = (at, start, length) => Math.floor(((at - start) / length) * size);
    const [down, across] = [
      part(event.clientY, box.top, box.height),
      part(event.clientX, box.left, box.width),
    ];
    const inside = [down, across].every((at) => at >= 0 && at < size);
    return inside ? { query: row + down, key: col + across } : null;
  }

  #key(event) {
    if (event.key === "+" || event.key === "-") {
      event.preventDefault();
      return this.#zoom(event.key === "+" ? STEP : 1 / STEP, this.#centre());
    }
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const from = this.#pair ?? { query: this.#token ?? 0, key: 0 };
    const next = { query: from.query + step[0], key: from.key + step[1] };
    const pair = this.#pair ? next : from;
    if ([pair.query, pair.key].some((at) => at < 0 || at >= this.#n)) return;
    this.#window = revealing(this.#window, pair, this.#n);
    this.host.held(pair, false);
    const { texts, keyTexts, numbers } = this.#shown;
    this.live.textContent = `${texts[pair.query]} → ${keyTexts[pair.key]} ${shown(numbers[pair.query * this.#n + pair.key])}`;
  }

  #centre() {
    const { row, col, size } = this.#window;
    if (!this.#pair) return { x: 0.5, y: 0.5 };
    return { x: (this.#pair.key - col) / size, y: (this.#pair.query - row) / size };
  }
}
