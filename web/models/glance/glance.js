// All heads at a glance: a small picture of each, in the model's order or sorted by what they do.

import {
  childrenOf,
  div,
  element,
  fill,
  pressable,
  setAttribute,
  setText,
  span,
  targetOf,
} from "../../kit/dom.js";
import { quoted } from "../../kit/quoted.js";
import { Legend } from "../difference_legend.js";
import { differences, mostOf, shaded, signed, weightsOf } from "../paint.js";
import { counterpart, mapOf } from "../runs.js";
import { hue, look } from "../theme_colours.js";
import { captionOf, headName, headText, pairText } from "../wording.js";
import { kinds, ordered } from "./head_order.js";
import { Measures } from "./measures.js";

const LEAST_WITH_CAPTION = 70; // px of a tile, from which it has a caption
const REST = 350; // ms after which a pointer rests

/** @typedef {{ root: HTMLElement; canvas: HTMLCanvasElement; name: HTMLElement; caption: HTMLElement }} Tile */

export class Glance {
  /** @type {Tile[]} */
  #tiles = [];
  /** @type {ModelRun} */
  #run = null;
  /** @type {ModelPlace} */
  #place = null;
  #order = [];
  /** How the tiles are laid out. */
  #laid = "";
  /** Small tiles have room for a name alone. */
  #watch = new ResizeObserver(() => {
    const { width } = this.#tiles[this.#order[0]]?.root.getBoundingClientRect() ?? { width: 0 };
    this.tiles.classList.toggle("small", width < LEAST_WITH_CAPTION);
  });
  /** @type {Shuffled | null} */
  #shuffled = null;
  #resting = 0;

  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void; reveal: () => void }} host
   * @param {Record<string, string>} words
   * @param {import("../theme_colours.js").Colours} colours
   */
  constructor(host, words, colours) {
    this.host = host;
    this.words = words;
    this.colours = colours;
    this.kinds = element("div", { class: "kinds", role: "group", "aria-label": words.only });
    this.by = element("select", { data: { focus: "by" } });
    this.by.addEventListener("change", () => host.go({ by: this.by.value }));
    this.shows = element("div", { class: "shows", role: "group", "aria-label": words.shows });
    const sorting = element("label", { class: "select" }, span("select-name", words.sort), this.by);
    this.tiles = element("div", { class: "tiles", role: "listbox", "aria-label": words.heads, tabindex: -1 });
    this.tip = element("div", { class: "tip", role: "tooltip", hidden: true });
    this.title = element("h2");
    this.legend = new Legend(words);
    this.missing = element("p", { class: "hint missing", role: "status" });
    const lines = ["head", "layer", "cls", "sep", "first", "map"].map((name) =>
      element("li", {}, words[`what_${name}`]),
    );
    this.what = element(
      "details",
      { class: "what" },
      element("summary", {}, words.what),
      element("ul", {}, ...lines),
    );
    this.root = element(
      "section",
      { class: "glance", "aria-label": words.heads },
      div("glance-head", this.title, this.shows, sorting),
      this.missing,
      this.what,
      this.kinds,
      this.legend.root,
      this.tiles,
      this.tip,
    );
    this.#watch.observe(this.tiles);
    this.tiles.addEventListener("keydown", (event) => this.#key(event));
    this.tiles.addEventListener("click", (event) => {
      const tile = targetOf(event)?.closest(".tile");
      this.#choose(tile);
      if (tile && /** @type {PointerEvent} */ (event).pointerType === "touch") host.reveal();
    });
    this.tiles.addEventListener("pointerover", (event) => this.#scheduleTip(event, REST));
    this.tiles.addEventListener("focusin", (event) => this.#scheduleTip(event, 0));
    for (const go of ["pointerleave", "focusout"]) this.tiles.addEventListener(go, () => this.#hideTip());
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {Shuffled | null} shuffled
   * @param {{ head: string; by: string; only: string; off: string }} missing what was wanted and is not there
   */
  update(run, place, shuffled, missing) {
    this.#shuffled = shuffled;
    const other = run !== this.#run;
    this.#run = run;
    this.#place = place;
    if (this.#tiles.length !== run.layers * run.heads) this.#build();
    if (other) this.#offer();
    this.by.value = place.by;
    for (const kind of childrenOf(this.kinds))
      setAttribute(kind, "aria-pressed", String(kind.dataset.kind === place.only));
    setText(this.missing, missingText(this.words, run, place, missing));
    this.#showing();
    this.#arrange();
    this.#paint();
    this.#say();
  }

  stop() {
    this.#watch.disconnect();
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    this.#laid = "";
    this.#tiles = Array.from({ length: this.#run.layers * this.#run.heads }, (_, at) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const [name, caption] = [
        span("tile-name"),
        span("tile-caption", span("tile-what"), span("tile-number")),
      ];
      const attributes = { class: "tile", role: "option", tabindex: -1, data: { at } };
      return { root: element("div", attributes, canvas, name, caption), canvas, name, caption };
    });
  }

  /** What heads can be sorted by, and what those of this sentence do. */
  #offer() {
    const { words } = this;
    const { measures, differences } = this.#run;
    const names = [...(differences ? ["difference"] : []), ...measures];
    const options = ["", ...names.flatMap((name) => (falls(name) ? [name, `-${name}`] : [name]))];
    this.by.replaceChildren(...options.map((by) => element("option", { value: by }, words[orderName(by)])));
    this.kinds.replaceChildren(
      ...kinds(this.#run).map(([kind, count]) => {
        const onclick = () => this.host.go({ only: this.#place.only === kind ? "" : kind });
        const attributes = { class: "kind", style: hue(kind), data: { kind }, onclick };
        return pressable(
          false,
          attributes,
          span("kind-name", span("dot"), `${words[`kind_${kind}`]} · ${count}`),
        );
      }),
    );
  }

  #showing() {
    const { words } = this;
    this.shows.hidden = !this.#run.differences;
    if (this.shows.hidden) return;
    /** @type {Pictured[]} */
    const options = this.canDiffer ? ["first", "second", "difference"] : ["first", "second"];
    this.shows.replaceChildren(
      ...options.map((which) =>
        pressable(
          which === this.picture,
          { data: { focus: which }, onclick: () => this.host.go({ shows: which }) },
          words[`shows_${which}`],
        ),
      ),
    );
  }

  /** Pictures of long sentences have no pixel for each pair: they cannot be laid over each other. */
  get canDiffer() {
    return this.#run.differences && this.#run.sentences.every(({ block }) => block === 1);
  }

  /** @returns {Pictured} */
  get picture() {
    if (!this.#run.differences) return "first";
    const { shows } = this.#place;
    return shows === "difference" && !this.canDiffer ? "first" : shows;
  }

  /** The tiles in their order; in the model's, with a line for each layer. */
  #arrange() {
    const { layers, heads } = this.#run;
    const { by, only, head } = this.#place;
    this.#order = ordered(this.#run, this.#place);
    const sorted = Boolean(by || only);
    this.tiles.classList.toggle("sorted", sorted);
    this.tiles.style.setProperty("--heads", String(heads));
    const roots = this.#order.map((at) => this.#tiles[at].root);
    const laid = `${sorted} ${this.#order}`; // what is laid out anew loses the focus
    if (laid !== this.#laid && sorted) this.tiles.replaceChildren(...roots);
    else if (laid !== this.#laid)
      this.tiles.replaceChildren(
        ...Array.from({ length: layers }, (_, layer) => {
          const name = fill(this.words.layer_n, { layer: layer + 1 });
          const title = element("div", { class: "layer-name", "aria-hidden": "true" }, name);
          const row = div("layer-heads", ...roots.slice(layer * heads, (layer + 1) * heads));
          return element("div", { class: "layer-row", role: "group", "aria-label": name }, title, row);
        }),
      );
    this.#laid = laid;
    const chosen = head[0] * heads + head[1];
    const stop = this.#order.includes(chosen) ? chosen : this.#order[0];
    for (const [at, { root }] of this.#tiles.entries()) {
      setAttribute(root, "aria-selected", String(at === chosen));
      root.tabIndex = at === stop ? 0 : -1;
    }
    const off = new Set(this.#place.off.map(([layer, of]) => layer * heads + of));
    for (const [at, { root }] of this.#tiles.entries()) root.classList.toggle("off", off.has(at));
  }

  // --- painting and telling ----------------------------------------------------------------------------------------

  #paint() {
    if (!this.#run) return;
    const { sentences } = this.#run;
    const { token } = this.#place;
    const picture = this.picture;
    const of = sentences[picture === "second" ? 1 : 0];
    const chosen = picture === "second" ? counterpart(this.#run, token) : token;
    const row = chosen === null ? null : Math.floor(chosen / of.block);
    for (const at of this.#order) this.#tiles[at].root.setAttribute("style", hue(of.labels[at]));
    this.legend.root.hidden = picture !== "difference";
    if (picture === "difference") return this.#paintDifferences();
    for (const at of this.#order) {
      const colour = this.colours.of(look(of.labels[at]));
      put(this.#tiles[at].canvas, shaded(mapOf(of, at), of.side, colour, row), of.side);
    }
  }

  /** All heads in the same measure, so that they can be compared. */
  #paintDifferences() {
    const { sentences, aligned } = this.#run;
    const place = aligned.findIndex(([query]) => query === this.#place.token);
    const [row, size] = [place < 0 ? null : place, aligned.length];
    const byHead = this.#order.map((at) => {
      const [first, second] = sentences.map((one) => weightsOf(mapOf(one, at)));
      return differences(first, second, sentences[0].n, sentences[1].n, aligned);
    });
    const most = Math.max(0, ...byHead.map((numbers) => mostOf(numbers, size, row)));
    const both = { more: this.colours.of("more"), less: this.colours.of("less") };
    for (const [index, at] of this.#order.entries())
      put(this.#tiles[at].canvas, signed(byHead[index], size, both, row, most || 1), size);
    this.legend.update(most);
  }

  #say() {
    const { words } = this;
    const run = this.#run;
    for (const at of this.#order) {
      const { root, name, caption } = this.#tiles[at];
      setText(name, headName(words, run, at, !this.tiles.classList.contains("sorted")));
      const [what, number] = captionOf(words, run, this.#place, at, this.picture);
      setText(caption.firstChild, what);
      setText(caption.lastChild, number);
      setAttribute(root, "aria-label", headText(words, run, this.#place, at, this.picture));
    }
    const all = run.layers * run.heads;
    const values = { shown: this.#order.length, count: all, layers: run.layers, heads: run.heads };
    setText(this.title, fill(this.#order.length < all ? words.heads_some : words.heads_all, values));
  }

  /**
   * Tell of the head under the pointer, once it rests there.
   * @param {PointerEvent | FocusEvent} event
   * @param {number} rest milliseconds
   */
  #scheduleTip(event, rest) {
    const tile = targetOf(event)?.closest(".tile");
    this.#hideTip();
    const isTouch = event instanceof PointerEvent && event.pointerType === "touch";
    if (!tile || isTouch || (event.type === "focusin" && !tile.matches(":focus-visible"))) return;
    this.#resting = setTimeout(() => this.#show(tile), rest);
  }

  #hideTip() {
    clearTimeout(this.#resting);
    this.tip.hidden = true;
  }

  #show(tile) {
    const at = Number(tile.dataset.at);
    const measures = new Measures(this.words);
    measures.update(this.#run, at, this.#shuffled);
    const name = element("strong", {}, headName(this.words, this.#run, at));
    const { token } = this.#place;
    const looks = token === null ? "" : pairText(this.#run, at, token, this.picture);
    this.tip.replaceChildren(
      name,
      ...(looks ? [element("p", { class: "looks-at" }, looks)] : []),
      measures.root,
    );
    this.tip.hidden = false;
    const [box, own, host] = [tile, this.tip, this.root].map((node) => node.getBoundingClientRect());
    const left = Math.min(box.left, host.right - own.width) - host.left;
    const below = box.bottom + own.height + 12 < window.innerHeight;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${below ? box.bottom - host.top + 6 : box.top - host.top - own.height - 6}px`;
  }

  // --- choosing ----------------------------------------------------------------------------------------------------

  #choose(tile) {
    if (!tile) return;
    const at = Number(tile.dataset.at);
    const { heads } = this.#run;
    this.#hideTip();
    this.host.go({ head: [Math.floor(at / heads), at % heads] });
  }

  /** Arrows move as the tiles stand, Enter chooses. */
  #key(event) {
    const tile = event.target.closest(".tile");
    if (!tile) return;
    if (event.key === "Escape") this.#hideTip();
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#choose(tile);
    }
    const to = this.#towards(tile, event.key);
    if (!to) return;
    event.preventDefault();
    tile.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  /** The tile that an arrow leads to: the next in order, or the nearest of the row above or below. */
  #towards(tile, key) {
    const roots = this.#order.map((at) => this.#tiles[at].root);
    const at = roots.indexOf(tile);
    const by = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: roots.length - 1 }[key];
    if (by !== undefined) return roots[by];
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (!step) return null;
    const { left, top } = tile.getBoundingClientRect();
    const rows = roots
      .map((root) => ({ root, box: root.getBoundingClientRect() }))
      .filter(({ box }) => step * (box.top - top) > 1)
      .sort(
        (a, b) => step * (a.box.top - b.box.top) || Math.abs(a.box.left - left) - Math.abs(b.box.left - left),
      );
    return rows[0]?.root;
  }
}

/** What was wanted and is not there: by its name, or, where it has none, as the address had it. */
function missingText(words, run, place, { head, by, only, off }) {
  const [layer, of] = place.head;
  const shown = headName(words, run, layer * run.heads + of);
  const parts = [
    head && fill(words.head_missing, { head: quoted(words, head), shown }),
    by && fill(words.order_missing, { order: quoted(words, words[orderName(by)] ?? by) }),
    only && fill(words.only_missing, { kind: quoted(words, words[`kind_${only}`] ?? only) }),
    off && fill(words.off_missing, { head: quoted(words, off), layers: run.layers, heads: run.heads }),
  ];
  return parts.filter(Boolean).join(" ");
}

/** The name of the words for an order. */
const orderName = (by) => (by ? `by_${by.replace("-", "least_")}` : "by_model");

/** Measures whose smallest numbers are as telling as the largest. */
const falls = (name) => name === "entropy" || name === "distance";

/**
 * @param {HTMLCanvasElement} canvas
 * @param {Uint8ClampedArray} pixels
 * @param {number} side
 */
export function put(canvas, pixels, side) {
  if (canvas.width !== side) canvas.width = canvas.height = side;
  if (side)
    canvas.getContext("2d").putImageData(new ImageData(/** @type {any} */ (pixels), side, side), 0, 0);
}
