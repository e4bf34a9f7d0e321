// One head: lines or a map, the numbers behind a pair, what it does, and the way to an example of it.

import { active, div, element, fill, named, pressable, prose, setText, span } from "../../kit/dom.js";
import { segments } from "../../kit/segments.js";
import { Measures } from "../overview/measures.js";
import { differences } from "../paint.js";
import { BOUND, NO_RUN } from "../runs.js";
import { colourName, hueStyle } from "../theme_colours.js";
import { ShownTokens } from "../tokens/shown_tokens.js";
import { inPieces } from "../tokens/words.js";
import { START } from "../view_address.js";
import { headName, markOf, percent, shuffledSentences } from "../wording.js";
import { AttentionLines, MOST_LINES } from "./attention_lines.js";
import { Heatmap } from "./heatmap.js";
import { PairNumbers } from "./pair_numbers.js";
import { StrongestLines } from "./strongest_lines.js";
import { TwoSentences } from "./two_sentences.js";

const FIRST_AS_LINES = 32; // tokens: of more, lines are a tangle

/** The maps of a change, what changed first. @type {PictureOf[]} */
const PICTURES = ["difference", "first", "second"];

export class HeadView {
  #run = NO_RUN;
  /** @type {FittedPlace} */
  #place = { ...START, head: [0, 0] };
  /** @type {HeadNumbers[] | null} */
  #numbers = null;
  #asWords = false;
  /** The pair that is pointed at, by tokens of the first sentence. @type {Pair | null} */
  #pointed = null;
  /** The token that is hovered over, of the first sentence. @type {number | null} */
  #hovered = null;
  #tokens = new ShownTokens(NO_RUN, { asWords: false, hides: false });

  /**
   * @param {ModelsHost} host
   * @param {Record<string, string>} words
   * @param {import("../theme_colours.js").Colours} colours
   * @param {Pick<ModelsLimits, "excess" | "chance">} limits
   * @param {HeadOpening} opening how the head is opened as an example
   */
  constructor(host, words, colours, limits, opening) {
    this.host = host;
    this.words = words;
    const [first, second] = [this.#picture(() => "first"), this.#picture(() => "second")];
    this.lines = [new AttentionLines(first, colours), new AttentionLines(second, colours)];
    this.strongest = [first, second].map((picture) => new StrongestLines(picture, words, colours));
    const map = (/** @type {PictureOf} */ picture) =>
      new Heatmap(
        this.#picture(() => picture),
        words,
        colours,
      );
    this.maps = { first: map("first"), second: map("second"), difference: map("difference") };
    this.sides = PICTURES.map((picture) =>
      div("map-side", span("side-name", words[`shows_${picture}`]), this.maps[picture].root),
    );
    this.pairNumbers = new PairNumbers(words);
    this.twoSentences = new TwoSentences(host, words);
    this.measures = new Measures(words);
    this.measuresTitle = element("h3");
    this.opening = opening;
    const shuffle = { class: "shuffle", data: { focus: "shuffle" }, onclick: () => host.shuffle?.() };
    this.shuffle = pressable(false, shuffle, words.shuffle);
    this.shuffle.hidden = !host.shuffle;
    this.shuffled = div("shuffled-told");
    this.title = element("h2");
    this.name = span("quiet-text one-name"); // of the attention in somebody's own model, or as Python counts
    this.mark = span("one-mark");
    this.off = pressable(false, { class: "switch", onclick: () => this.#switch() }, "");
    this.views = div("views");
    this.note = element("p", { class: "hint view-note" });
    this.picture = div("drawn");
    const { excess, chance } = limits;
    const needed = { excess: percent(excess), times: Math.round(1 / chance), chance };
    this.root = element(
      "section",
      { class: "one", "aria-label": words.one_head },
      div("one-head", this.title, this.name, this.mark, this.off),
      this.twoSentences.root,
      this.views,
      this.note,
      div("one-numbers", this.picture, this.pairNumbers.root),
      div("measures-head", this.measuresTitle, this.shuffle),
      this.measures.root,
      this.shuffled,
      element(
        "details",
        { class: "what" },
        element("summary", {}, words.measures_how),
        element("p", { class: "hint" }, words.measures_note),
        element("p", { class: "hint" }, fill(words.label_needs, needed)),
      ),
      opening.root,
    );
  }

  /** What a picture reports. It counts its own rows. @param {() => PictureOf} picture @returns {PictureHost} */
  #picture(picture) {
    return {
      chosen: (query) => this.#choose(query, picture()),
      hovered: (query) => this.#hover(query, picture()),
      pointed: (pair) => this.#point(pair, picture()),
      picked: (pair, scrolls) => this.#pick(pair, picture(), scrolls),
    };
  }

  stop() {
    for (const lines of [...this.lines, ...this.strongest]) lines.stop();
    for (const map of Object.values(this.maps)) map.stop();
  }

  /**
   * @param {ModelRun} run
   * @param {FittedPlace} place
   * @param {HeadNumbers[] | null} numbers of the head in each sentence; null until they come
   * @param {Shuffled | null} shuffled
   * @param {string} refused why Explore could not open the heads
   */
  update(run, place, numbers, shuffled, refused) {
    if (run !== this.#run || place.head.join() !== this.#place.head.join())
      this.#pointed = this.#hovered = null;
    this.#run = run;
    this.#place = place;
    this.#numbers = numbers;
    this.#draw();
    this.measures.update(run, this.#at, shuffled);
    setText(this.measuresTitle, this.words[run.sentences.length > 1 ? "measures_first" : "measures"]);
    this.shuffle.ariaPressed = String(Boolean(shuffled));
    const sentences = shuffled ? shuffledSentences(this.words, shuffled) : [];
    this.shuffled.replaceChildren(...sentences.map((text) => element("p", { class: "hint" }, text)));
    this.opening.update(run, place, refused);
  }

  /** The flat number of the head. */
  get #at() {
    const [layer, head] = this.#place.head;
    return layer * this.#run.heads + head;
  }

  get #isOff() {
    return this.#place.off.some((head) => head.join() === this.#place.head.join());
  }

  // --- drawing -------------------------------------------------------------------------------------------------------

  #draw() {
    const { words } = this;
    const run = this.#run;
    const kind = run.sentences[0].labels[this.#at];
    this.root.setAttribute("style", hueStyle(kind));
    const name = headName(words, run, this.#at);
    if (name !== this.title.textContent)
      this.title.replaceChildren(...name.split(/(?<=\.)/).flatMap((part) => [part, element("wbr")]));
    const [layer, head] = this.#place.head;
    setText(this.name, run.names ? "" : fill(words.in_python, { layer, head }));
    setText(this.mark, run.guesses ? "" : markOf(words, run, this.#place, this.#at));
    this.off.hidden = !run.guesses;
    setText(this.off, this.#isOff ? words.on : words.off);
    this.root.classList.toggle("off", this.#isOff);
    this.off.setAttribute("aria-pressed", String(this.#isOff));
    const isExact = !this.#numbers?.some(({ exact }) => exact);
    const canMerge = isExact && run.sentences.some(inPieces); // words have no bounds
    if (!canMerge) this.#asWords = false;
    const canHide = run.sentences.some(({ special }) => special.includes(true));
    const how = { asWords: this.#asWords, hides: this.#place.hides };
    if (!this.#tokens.isOf(run, how)) this.#tokens = new ShownTokens(run, how);
    this.#showViews(canMerge, canHide);
    this.root.setAttribute("aria-busy", String(!this.#numbers));
    if (!this.#numbers) return;
    const weights = this.#numbers.map((numbers, at) => this.#tokens.weights(at, numbers.weights));
    if (this.#isMap) this.#drawMap(weights, colourName(kind));
    else this.#drawLines(weights, colourName(kind));
    const { pair } = this.#place;
    const shownPair = this.#pointed ?? pair;
    const shownNumbers = weights.map((numbers, at) => ({ numbers, ...this.#exactness(at) }));
    this.pairNumbers.update(this.#tokens, shownNumbers, this.#numbers, shownPair, pair, this.#asWords);
    this.twoSentences.update(run, this.#place, this.#numbers);
  }

  /**
   * The choices of how the head is drawn.
   * @param {boolean} canMerge whether any word has several pieces
   * @param {boolean} canHide whether there are special tokens
   */
  #showViews(canMerge, canHide) {
    const { words } = this;
    const views = ["lines", "map"].map((which) => ({ value: which, text: words[which], focus: which }));
    const group = segments(words.views, views, this.#isMap ? "map" : "lines", (which) =>
      this.host.go({ drawn: which === "map" || this.#isMapFirst ? which : "" }),
    );
    /** @type {(pressed: boolean, focus: string, word: string, act: () => void) => HTMLElement} */
    const option = (pressed, focus, word, onclick) =>
      pressable(
        pressed,
        { class: "merge", title: words[`${word}_about`], data: { focus }, onclick },
        words[word],
      );
    const merge = option(this.#asWords, "as words", "as_words", () => this.#merge());
    const hide = option(this.#place.hides, "hide special", "hide_special", () => this.#hide());
    const focus = active(this.views)?.dataset?.focus;
    this.views.replaceChildren(group, ...(canMerge ? [merge] : []), ...(canHide ? [hide] : []));
    if (focus) named(this.views, focus)?.focus();
    const notes = [
      this.#asWords ? words.as_words_about : "",
      this.#place.hides ? words.hide_special_about : "",
    ];
    this.note.textContent = prose(...notes);
    this.note.hidden = !this.note.textContent;
  }

  /** @param {Float32Array[]} weights @param {string} colour */
  #drawLines(weights, colour) {
    const panes = weights.map((numbers, at) => {
      const picture = at ? "second" : "first";
      const [token, pair] = this.#placeIn(picture);
      const names = { texts: this.#tokens.names[at], keyTexts: this.#tokens.keyNames[at] };
      const lines = (this.#isLong ? this.strongest : this.lines)[at];
      const hovered = this.#tokens.place(picture, this.#hovered);
      lines.update({ weights: numbers, colour, ...this.#exactness(at), ...names }, { token, pair, hovered });
      return weights.length > 1
        ? div("line-side", span("side-name", this.words[`shows_${picture}`]), lines.root)
        : lines.root;
    });
    this.#put(panes);
  }

  /**
   * One map, or the difference that a change makes, which merged words do not have, and those before and after it. If
   * the head's weights did not change, they are shown once.
   * @param {Float32Array[]} weights
   * @param {string} colour
   */
  #drawMap(weights, colour) {
    const isSame = this.#run.differences?.[this.#at] === 0;
    const first = isSame ? PICTURES.length - 1 : this.#asWords ? 1 : 0;
    const shown = this.#run.change ? PICTURES.slice(first) : [this.#mapped];
    for (const picture of shown) {
      const content =
        picture === "difference" ? this.#difference(weights) : this.#side(picture, weights, colour);
      this.maps[picture].update(content, ...this.#placeIn(picture));
    }
    this.#put(this.#run.change ? this.sides.slice(-shown.length) : [this.maps[shown[0]].root]);
  }

  /** @param {PictureOf} picture @param {Float32Array[]} weights @param {string} colour @returns {MapContent} */
  #side(picture, weights, colour) {
    const at = picture === "second" ? 1 : 0;
    const names = { texts: this.#tokens.names[at], keyTexts: this.#tokens.keyNames[at] };
    return { numbers: weights[at], colour, ...this.#exactness(at), ...names };
  }

  /**
   * The difference of two sentences, in two colors; none where a weight is only bounded.
   * @param {Float32Array[]} weights
   * @returns {MapContent}
   */
  #difference(weights) {
    const { common, commonKeys, commonNames, keyNames } = this.#tokens;
    const [before, after] = weights.map((numbers, at) => {
      const { exact, sign } = this.#exactness(at);
      return exact && sign === BOUND
        ? numbers.map((one, place) => (exact[place] ? one : Number.NaN))
        : numbers;
    });
    const [m, mOfSecond] = keyNames.map(({ length }) => length);
    const numbers = differences(before, after, m, mOfSecond, common, commonKeys);
    return { numbers, colour: "", exact: null, sign: "", ...commonNames };
  }

  /** Which weights between the shown tokens are exact. @param {number} at @returns {Pick<HeadNumbers, "exact" | "sign">} */
  #exactness(at) {
    const { exact = null, sign = "" } = this.#numbers?.[at] ?? {};
    if (!exact || !this.#place.hides) return { exact, sign };
    return { exact: Uint8Array.from(this.#tokens.weights(at, Float32Array.from(exact))), sign };
  }

  /**
   * The rows of a picture for the chosen token, and for the pair that is pointed at or picked.
   * @param {PictureOf} picture
   * @returns {[number | null, Pair | null]}
   */
  #placeIn(picture) {
    const { token, pair } = this.#place;
    return [this.#tokens.place(picture, token), this.#tokens.pairIn(picture, this.#pointed ?? pair)];
  }

  /** Show these pictures. Those that are shown already stay, to keep the focus. @param {HTMLElement[]} nodes */
  #put(nodes) {
    const isSame =
      nodes.length === this.picture.children.length &&
      nodes.every((node, at) => node === this.picture.children[at]);
    if (!isSame) this.picture.replaceChildren(...nodes);
  }

  /** Whether there are too many tokens for all lines. */
  get #isLong() {
    return this.#size > MOST_LINES;
  }

  get #size() {
    const { names, keyNames } = this.#tokens;
    return Math.max(names[0].length, keyNames[0].length);
  }

  /** Whether a map is shown until lines are chosen. */
  get #isMapFirst() {
    return this.#size > FIRST_AS_LINES;
  }

  get #isMap() {
    const { drawn } = this.#place;
    return drawn ? drawn === "map" : this.#isMapFirst;
  }

  /** What the map shows. Whole words have no difference: sentences may have other words. @returns {PictureOf} */
  get #mapped() {
    const { shows } = this.#place;
    if (this.#run.sentences.length < 2 || (shows === "difference" && this.#asWords)) return "first";
    return shows;
  }

  // --- choosing ------------------------------------------------------------------------------------------------------

  #merge() {
    this.#asWords = !this.#asWords;
    this.#pointed = null;
    this.#draw();
  }

  #hide() {
    this.#pointed = null;
    this.host.go({ hides: !this.#place.hides });
  }

  #switch() {
    const { head, off } = this.#place;
    const others = off.filter((other) => other.join() !== head.join());
    this.host.go({ off: this.#isOff ? others : [...off, head] });
  }

  /**
   * A row of a picture is chosen. The first piece of a word stands for it.
   * @param {number | null} query
   * @param {PictureOf} picture
   */
  #choose(query, picture) {
    const token = query === null ? null : this.#tokens.token(picture, query);
    this.#hovered = null;
    if (query === null || token !== null) this.host.go({ token });
  }

  /** @param {number | null} query @param {PictureOf} picture */
  #hover(query, picture) {
    this.#hovered = query === null ? null : this.#tokens.token(picture, query);
    this.#draw();
  }

  /** @param {Pair | null} rows @param {PictureOf} picture */
  #point(rows, picture) {
    const pair = this.#tokens.pairFrom(picture, rows);
    if (pair?.query === this.#pointed?.query && pair?.key === this.#pointed?.key) return;
    this.#pointed = pair;
    this.#draw();
  }

  /** @param {Pair} rows @param {PictureOf} picture @param {boolean} scrolls */
  #pick(rows, picture, scrolls) {
    const pair = this.#tokens.pairFrom(picture, rows);
    if (!pair) return;
    this.#pointed = null;
    this.host.go({ pair });
    if (scrolls) this.pairNumbers.root.scrollIntoView({ block: "nearest" });
  }
}
