// All heads at a glance: a small picture of each, in the model's order or sorted by what they do.

import {
  div,
  element,
  fill,
  pressable,
  prose,
  setAttribute,
  setText,
  span,
  targetOf,
} from "../../kit/dom.js";
import { quoted } from "../../kit/quoted.js";
import { segments } from "../../kit/segments.js";
import { DifferenceLegend } from "../difference_legend.js";
import { differences, mostOf, putPixels, shaded, signed, weightsOf } from "../paint.js";
import { alignedKeys, counterpart, isOfTwo, mapOf, NO_RUN } from "../runs.js";
import { colourName, hueStyle } from "../theme_colours.js";
import { START } from "../view_address.js";
import { behaviour, captionOf, headName, headNameParts, headText, pairText } from "../wording.js";
import { isNameless, kinds, ordered } from "./head_order.js";

const LEAST_WITH_CAPTION = 70; // px, the width of a tile from which it has a caption
const DRAG = 4; // px after which a press is a drag
const REST = 350; // ms after which a pointer rests

/**
 * @typedef {{ root: HTMLElement; canvas: HTMLCanvasElement; of: HTMLElement; head: HTMLElement;
 *   what: HTMLElement; number: HTMLElement }} Tile
 */

export class HeadsOverview {
  /** @type {Tile[]} */
  #tiles = [];
  #run = NO_RUN;
  /** @type {FittedPlace} */
  #place = { ...START, head: [0, 0] };
  /** The heads that are shown, in order. @type {number[]} */
  #order = [];
  /** The first head that the numbers of heads by kind count. */
  #countedFrom = 0;
  /** The layout that the tiles have now. */
  #arranged = "";
  /** Small tiles have room for a name only. */
  #watch = new ResizeObserver(() => {
    const { width } = this.#tiles[this.#order[0]]?.root.getBoundingClientRect() ?? { width: 0 };
    this.tiles.classList.toggle("small", width < LEAST_WITH_CAPTION);
  });
  #resting = 0;

  /**
   * @param {Pick<ModelsHost, "go" | "reveal">} host
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
    this.shows = div("shows");
    const sorting = element("label", { class: "select" }, span("select-name", words.sort), this.by);
    this.tiles = element("div", { class: "tiles", role: "listbox", "aria-label": words.heads, tabindex: -1 });
    this.tip = element("div", { class: "tip", role: "tooltip", hidden: true });
    this.title = element("h2");
    this.legend = new DifferenceLegend(words);
    this.missing = element("p", { class: "hint missing", role: "status" });
    this.root = element(
      "section",
      { class: "glance", "aria-label": words.heads },
      div("glance-head", this.title, div("glance-tools", this.shows, sorting)),
      this.missing,
      explanation(words),
      this.kinds,
      this.legend.root,
      this.tiles,
      this.tip,
    );
    this.#watch.observe(this.tiles);
    this.#listen();
  }

  #listen() {
    const { tiles } = this;
    let pressed = { x: 0, y: 0 };
    tiles.addEventListener("pointerdown", ({ clientX, clientY }) => (pressed = { x: clientX, y: clientY }));
    tiles.addEventListener("keydown", (event) => this.#onKey(event));
    tiles.addEventListener("click", (event) => {
      const tile = tileAt(event);
      if (!tile) return;
      const hasMoved = Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) > DRAG;
      this.#choose(tile, !hasMoved);
    });
    tiles.addEventListener("pointerover", (event) => {
      const tile = tileAt(event);
      const from = event.relatedTarget;
      if (tile && from instanceof Node && tile.contains(from)) return; // its tip stays, or is on its way
      this.#hideTip();
      if (tile && event.pointerType !== "touch") this.#scheduleTip(tile, REST);
    });
    tiles.addEventListener("focusin", (event) => {
      this.#hideTip();
      const tile = tileAt(event);
      if (tile?.matches(":focus-visible")) this.#scheduleTip(tile, 0);
    });
    for (const leaving of ["pointerleave", "focusout"])
      tiles.addEventListener(leaving, () => this.#hideTip());
  }

  /**
   * @param {ModelRun} run
   * @param {FittedPlace} place
   * @param {MissingParts} missing what was wanted and does not exist
   */
  update(run, place, missing) {
    const isNew = run !== this.#run;
    this.#run = run;
    this.#place = place;
    if (this.#tiles.length !== run.layers * run.heads) this.#buildTiles();
    if (isNew) this.#buildOrders();
    this.#buildKinds(isNew);
    this.by.value = place.by;
    for (const kind of this.kinds.querySelectorAll("button"))
      setAttribute(kind, "aria-pressed", String(kind.dataset.kind === place.only));
    setText(this.missing, missingText(this.words, run, place, missing));
    this.#showPictures();
    this.#arrange();
    this.#paint();
    this.#label();
  }

  stop() {
    this.#watch.disconnect();
  }

  // --- building ----------------------------------------------------------------------------------------------------

  #buildTiles() {
    this.#arranged = "";
    this.#tiles = Array.from({ length: this.#run.layers * this.#run.heads }, (_, at) => {
      const canvas = element("canvas", { "aria-hidden": "true" });
      const [what, number] = [span("tile-what"), span("tile-number")];
      const [of, head] = [span("tile-of"), span("tile-head")];
      const [name, caption] = [span("tile-name", of, head), span("tile-caption", what, number)];
      const attributes = { class: "tile", role: "option", tabindex: -1, data: { at } };
      return { root: element("div", attributes, canvas, name, caption), canvas, of, head, what, number };
    });
  }

  /** What heads can be sorted by. */
  #buildOrders() {
    const { words } = this;
    const names = [...(isOfTwo(this.#run) ? ["difference"] : []), ...this.#run.measures];
    const options = ["", ...names.flatMap((name) => (hasReverse(name) ? [name, `-${name}`] : [name]))];
    this.by.replaceChildren(...options.map((by) => element("option", { value: by }, words[orderWord(by)])));
  }

  /** What the heads that are shown do. @param {boolean} isNew whether these are another run's */
  #buildKinds(isNew) {
    const { words } = this;
    const from = this.#firstLayer * this.#run.heads;
    if (!isNew && from === this.#countedFrom) return;
    this.#countedFrom = from;
    const of = kinds(this.#run, from).filter(([kind, count]) => count || kind === this.#place.only);
    const isWhole = of.reduce((sum, [, count]) => sum + count, from) === this.#tiles.length;
    this.kinds.replaceChildren(
      ...of.map(([kind, count], at, all) => {
        const onclick = () => this.#filter(this.#place.only === kind ? "" : kind);
        const attributes = { class: "kind", style: hueStyle(kind), data: { kind }, onclick };
        const name = words[`kind_${kind}`];
        const isRest =
          isWhole && at > 0 && isNameless(kind) && all.filter(([other]) => isNameless(other)).length === 1;
        const text = isRest ? fill(words.kind_others, { count, kind: name }) : `${name} · ${count}`;
        return pressable(false, attributes, span("kind-name", span("dot"), text));
      }),
    );
  }

  /** Show the heads that do one thing; one that is alone in it is chosen too. @param {string} only "": all heads */
  #filter(only) {
    const { heads } = this.#run;
    const start = this.#firstLayer * heads;
    const [first, ...others] = only ? ordered(this.#run, { by: "", only }).filter((at) => at >= start) : [];
    const isAlone = first !== undefined && !others.length;
    this.host.go(isAlone ? { only, head: [Math.floor(first / heads), first % heads] } : { only });
    if (isAlone) this.host.reveal();
  }

  /** The choice of what the pictures show of two sentences. */
  #showPictures() {
    const { words } = this;
    this.shows.hidden = !isOfTwo(this.#run);
    if (this.shows.hidden) return;
    /** @type {PictureOf[]} */
    const pictures = this.canDiffer ? ["first", "second", "difference"] : ["first", "second"];
    const options = pictures.map((which) => ({ value: which, text: words[`shows_${which}`], focus: which }));
    this.shows.replaceChildren(
      segments(words.shows, options, this.picture, (shows) => this.host.go({ shows })),
    );
  }

  /** Pictures of long sentences have less than a pixel for each pair: they have no difference. */
  get canDiffer() {
    return isOfTwo(this.#run) && this.#run.sentences.every(({ block }) => block === 1);
  }

  /** @returns {PictureOf} */
  get picture() {
    if (!isOfTwo(this.#run)) return "first";
    const { shows } = this.#place;
    return shows === "difference" && !this.canDiffer ? "first" : shows;
  }

  /** Of the differences that a change makes, the first layer that has any, or a changed head. */
  get #firstLayer() {
    const { change, differences, patched = [], heads } = this.#run;
    const { off } = this.#place;
    if (!change || this.picture !== "difference") return 0;
    const first = differences?.findIndex((number) => number > 0) ?? -1;
    const layers = [...off, ...patched].map(([layer]) => layer);
    return Math.min(...layers, first < 0 ? (layers[0] ?? 0) : Math.floor(first / heads));
  }

  /** Put the tiles in order; in the model's order with a line for each layer. */
  #arrange() {
    const { layers, heads } = this.#run;
    const { by, only, head } = this.#place;
    const start = this.#firstLayer;
    this.#order = ordered(this.#run, this.#place).filter((at) => at >= start * heads);
    const isSorted = Boolean(by || only);
    this.tiles.classList.toggle("sorted", isSorted);
    this.tiles.style.setProperty("--heads", String(heads));
    const roots = this.#order.map((at) => this.#tiles[at].root);
    const arranged = `${isSorted} ${this.#run.labels} ${this.#order}`; // tiles that are put again would lose the focus
    if (arranged !== this.#arranged && isSorted) this.tiles.replaceChildren(...roots);
    else if (arranged !== this.#arranged)
      this.tiles.replaceChildren(
        ...Array.from({ length: layers - start }, (_, row) => {
          const layer = row + start;
          const name = fill(this.words.layer_n, { layer: this.#run.labels[layer] });
          const title = element("div", { class: "layer-name", "aria-hidden": "true" }, name);
          const tiles = div("layer-heads", ...roots.slice(row * heads, (row + 1) * heads));
          return element("div", { class: "layer-row", role: "group", "aria-label": name }, title, tiles);
        }),
      );
    this.#arranged = arranged;
    const chosen = head[0] * heads + head[1];
    const stop = this.#order.includes(chosen) ? chosen : this.#order[0];
    const [off, patched] = [this.#place.off, this.#run.patched ?? []].map(
      (all) => new Set(all.map(([layer, index]) => layer * heads + index)),
    );
    for (const [at, { root }] of this.#tiles.entries()) {
      setAttribute(root, "aria-selected", String(at === chosen));
      root.tabIndex = at === stop ? 0 : -1;
      root.classList.toggle("off", off.has(at));
      root.classList.toggle("patched", patched.has(at));
    }
  }

  // --- painting and labelling --------------------------------------------------------------------------------------

  #paint() {
    const { sentences } = this.#run;
    const { token } = this.#place;
    const { picture } = this;
    const sentence = sentences[picture === "second" ? 1 : 0];
    const chosen = picture === "second" ? counterpart(this.#run, token) : token;
    const row = chosen === null ? null : Math.floor(chosen / sentence.block);
    for (const at of this.#order) this.#tiles[at].root.setAttribute("style", hueStyle(sentence.labels[at]));
    this.legend.root.hidden = picture !== "difference";
    if (picture === "difference") return this.#paintDifferences();
    const ground = this.colours.of("paper");
    for (const at of this.#order) {
      const colours = { colour: this.colours.of(colourName(sentence.labels[at])), ground };
      const pixels = shaded(mapOf(sentence, at), sentence.width, colours, row);
      putPixels(this.#tiles[at].canvas, pixels, sentence.width);
    }
  }

  /** All heads on one scale, so that they can be compared. */
  #paintDifferences() {
    const { sentences, aligned } = this.#run;
    const place = aligned.findIndex(([query]) => query === this.#place.token);
    const keys = alignedKeys(this.#run);
    const [row, size] = [place < 0 ? null : place, keys.length];
    const byHead = this.#order.map((at) => {
      const [first, second] = sentences.map((sentence) => weightsOf(mapOf(sentence, at)));
      return differences(first, second, sentences[0].width, sentences[1].width, aligned, keys);
    });
    const most = Math.max(0, ...byHead.map((numbers) => mostOf(numbers, size, row)));
    const both = {
      more: this.colours.of("more"),
      less: this.colours.of("less"),
      ground: this.colours.of("paper"),
    };
    for (const [index, at] of this.#order.entries())
      putPixels(this.#tiles[at].canvas, signed(byHead[index], size, both, row, most || 1), size);
    this.legend.update(most);
  }

  #label() {
    const { words, picture } = this;
    const run = this.#run;
    for (const at of this.#order) {
      const tile = this.#tiles[at];
      const [of, number] = headNameParts(words, run, at, !this.tiles.classList.contains("sorted"));
      setText(tile.of, of);
      setText(tile.head, number);
      const [what, measure] = captionOf(words, run, this.#place, at, picture);
      setText(tile.what, what);
      setText(tile.number, measure);
      setAttribute(tile.root, "aria-label", headText(words, run, this.#place, at, picture));
    }
    const all = run.layers * run.heads;
    const values = { shown: this.#order.length, count: all, layers: run.layers, heads: run.heads };
    const start = this.#firstLayer;
    const isPart = this.#order.length < all - start * run.heads;
    const title = isPart ? words.heads_some : start ? words.heads_changed : words.heads_all;
    setText(this.title, fill(title, { ...values, name: run.labels[start] }));
  }

  // --- the tip -----------------------------------------------------------------------------------------------------

  /**
   * Describe a head once the pointer rests on it.
   * @param {HTMLElement} tile
   * @param {number} rest
   */
  #scheduleTip(tile, rest) {
    this.#resting = setTimeout(() => this.#showTip(tile), rest);
  }

  #hideTip() {
    clearTimeout(this.#resting);
    this.tip.hidden = true;
  }

  /** @param {HTMLElement} tile */
  #showTip(tile) {
    const at = Number(tile.dataset.at);
    const name = element("strong", {}, headName(this.words, this.#run, at));
    const { token } = this.#place;
    const looks = token === null ? "" : pairText(this.#run, at, token, this.picture);
    this.tip.replaceChildren(
      name,
      ...(looks ? [element("p", { class: "looks-at" }, looks)] : []),
      element("p", {}, behaviour(this.words, this.#run, at)),
    );
    this.tip.hidden = false;
    const [box, tip, root] = [tile, this.tip, this.root].map((node) => node.getBoundingClientRect());
    const left = Math.min(box.left, root.right - tip.width) - root.left;
    const hasRoomBelow = box.bottom + tip.height + 12 < window.innerHeight;
    const top = hasRoomBelow ? box.bottom - root.top + 6 : box.top - root.top - tip.height - 6;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${top}px`;
  }

  // --- choosing ----------------------------------------------------------------------------------------------------

  /** @param {HTMLElement} tile @param {boolean} reveals whether the head is brought into sight */
  #choose(tile, reveals) {
    const at = Number(tile.dataset.at);
    const { heads } = this.#run;
    this.#hideTip();
    this.host.go({ head: [Math.floor(at / heads), at % heads] });
    if (reveals) this.host.reveal();
  }

  /** Arrows move between tiles, Enter chooses. @param {KeyboardEvent} event */
  #onKey(event) {
    const tile = tileAt(event);
    if (!tile) return;
    if (event.key === "Escape") this.#hideTip();
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.#choose(tile, true);
    }
    const to = this.#towards(tile, event.key);
    if (!to) return;
    event.preventDefault();
    tile.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  /**
   * The tile that an arrow leads to: the next in order, or the nearest in the row above or below.
   * @param {HTMLElement} tile
   * @param {string} key
   * @returns {HTMLElement | undefined}
   */
  #towards(tile, key) {
    const roots = this.#order.map((at) => this.#tiles[at].root);
    const at = roots.indexOf(tile);
    if (key === "ArrowLeft") return roots[at - 1];
    if (key === "ArrowRight") return roots[at + 1];
    if (key === "Home") return roots[0];
    if (key === "End") return roots.at(-1);
    if (key !== "ArrowUp" && key !== "ArrowDown") return undefined;
    const step = key === "ArrowUp" ? -1 : 1;
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

/** The tile that an event happened on. @param {Event} event @returns {HTMLElement | null} */
const tileAt = (event) => targetOf(event)?.closest(".tile") ?? null;

/** What the tiles are, to unfold. @param {Record<string, string>} words */
function explanation(words) {
  const lines = ["head", "layer", "cls", "sep", "first", "map"].map((name) =>
    element("li", {}, words[`what_${name}`]),
  );
  return element(
    "details",
    { class: "what" },
    element("summary", {}, words.what),
    element("ul", {}, ...lines),
  );
}

/**
 * What was wanted and does not exist: by its name, or as the address has it.
 * @param {Record<string, string>} words
 * @param {ModelRun} run
 * @param {FittedPlace} place
 * @param {MissingParts} missing
 */
function missingText(words, run, place, { head, by, only, off }) {
  const [layer, index] = place.head;
  const shown = headName(words, run, layer * run.heads + index);
  const parts = [
    head && fill(words.head_missing, { head: quoted(words, head), shown }),
    by && fill(words.order_missing, { order: quoted(words, words[orderWord(by)] ?? by) }),
    only && fill(words.only_missing, { kind: quoted(words, words[`kind_${only}`] ?? only) }),
    off && fill(words.off_missing, { head: quoted(words, off), layers: run.layers, heads: run.heads }),
  ];
  return prose(...parts);
}

/** The key of an order's name among the words. @param {string} by */
const orderWord = (by) => (by ? `by_${by.replace("-", "least_")}` : "by_model");

/** Whether heads can be sorted by a measure with the smallest first. @param {string} name */
const hasReverse = (name) => name === "entropy" || name === "distance";
