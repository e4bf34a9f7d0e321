// One head: lines or a map, the numbers behind a pair, what it does, and the way to the bench.

import { div, element, fill, pressable, setText, span } from "../../kit/dom.js";
import { Measures } from "../glance/measures.js";
import { differences } from "../paint.js";
import { hue, look } from "../theme_colours.js";
import { Drawn } from "../tokens/shown_tokens.js";
import { inPieces } from "../tokens/words.js";
import { headName, shuffledSentences } from "../wording.js";
import { Lines, MOST_LINES } from "./attention_lines.js";
import { Heatmap } from "./heatmap.js";
import { Taking } from "./open_in_explore.js";
import { Explained } from "./pair_numbers.js";
import { Compared } from "./two_sentences.js";

export class One {
  /** @type {ModelRun} */
  #run = null;
  /** @type {ModelPlace} */
  #place = null;
  /** @type {HeadNumbers[] | null} */
  #numbers = null;
  #asWords = false;
  /** The pair that is pointed at, by tokens of the first sentence. @type {Pair | null} */
  #pointed = null;
  /** @type {Drawn} */
  #drawn = null;

  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void; open: (heads: number[], start: string) => void; shuffle: () => void }} host
   * @param {Record<string, string>} words
   * @param {import("../theme_colours.js").Colours} colours
   * @param {{ heads: number; tokens: number; excess: number; chance: number }} limits of the bench, and of labels
   */
  constructor(host, words, colours, limits) {
    this.host = host;
    this.words = words;
    /** @param {() => Pictured} picture */
    const at = (picture) => ({
      chosen: (query) => this.#choose(query, picture()),
      pointed: (pair) => this.#point(pair, picture()),
      held: (pair, brings) => this.#hold(pair, picture(), brings),
    });
    this.lines = [
      new Lines(
        at(() => "first"),
        colours,
      ),
      new Lines(
        at(() => "second"),
        colours,
      ),
    ];
    this.map = new Heatmap(
      at(() => this.#mapped),
      words,
      colours,
    );
    this.explained = new Explained(words);
    this.compared = new Compared(host, words);
    this.measures = new Measures(words);
    this.measured = element("h3");
    this.taking = new Taking(host, words, limits);
    const shuffle = { class: "shuffle", data: { focus: "shuffle" }, onclick: () => host.shuffle() };
    this.shuffle = pressable(false, shuffle, words.shuffle);
    this.shuffled = div("shuffled-told");
    this.title = element("h2");
    this.off = pressable(false, { class: "switch", onclick: () => this.#switch() }, "");
    this.views = div("views");
    this.note = element("p", { class: "hint view-note" });
    this.drawn = div("drawn");
    const numbers = div("one-numbers", this.drawn, this.explained.root);
    this.root = element(
      "section",
      { class: "one", "aria-label": words.one_head },
      div("one-head", this.title, this.off),
      this.compared.root,
      this.views,
      this.note,
      numbers,
      div("measures-head", this.measured, this.shuffle),
      this.measures.root,
      this.shuffled,
      element("p", { class: "hint" }, words.measures_note),
      element("p", { class: "hint" }, fill(words.label_needs, limits)),
      this.taking.root,
    );
  }

  stop() {
    for (const lines of this.lines) lines.stop();
    this.map.stop();
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {HeadNumbers[] | null} numbers of the head in each sentence; null while they are on their way
   * @param {Shuffled | null} shuffled
   * @param {string} refused why the bench could not be opened
   */
  update(run, place, numbers, shuffled, refused) {
    if (run !== this.#run || place.head.join() !== this.#place?.head.join()) this.#pointed = null;
    this.#run = run;
    this.#place = place;
    this.#numbers = numbers;
    this.#draw();
    this.measures.update(run, this.#at, shuffled);
    setText(this.measured, this.words[run.sentences.length > 1 ? "measures_first" : "measures"]);
    this.shuffle.ariaPressed = String(Boolean(shuffled));
    const sentences = shuffled ? shuffledSentences(this.words, shuffled) : [];
    this.shuffled.replaceChildren(...sentences.map((text) => element("p", { class: "hint" }, text)));
    this.taking.update(run, place, refused);
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
    const [sentence] = run.sentences;
    const kind = sentence.labels[this.#at];
    this.root.setAttribute("style", hue(kind));
    setText(this.title, headName(words, run, this.#at));
    this.off.hidden = !run.guesses;
    setText(this.off, this.#isOff ? words.on : words.off);
    this.off.setAttribute("aria-pressed", String(this.#isOff));
    const merges = run.sentences.some(inPieces);
    if (!merges) this.#asWords = false;
    const hides = run.sentences.some(({ special }) => special.includes(true));
    this.#drawn = new Drawn(run, { asWords: this.#asWords, hides: this.#place.hides });
    this.#offer(merges, hides);
    this.root.setAttribute("aria-busy", String(!this.#numbers));
    if (!this.#numbers) return;
    const weights = this.#numbers.map((of, at) => this.#drawn.weights(at, of.weights));
    if (this.#isMap) this.#drawMap(weights, look(kind));
    else this.#drawLines(weights, look(kind));
    const { pair } = this.#place;
    this.explained.update(this.#drawn, weights, this.#numbers, this.#pointed ?? pair, pair, this.#asWords);
    this.compared.update(run, this.#place, this.#numbers);
  }

  #offer(merges, hides) {
    const { words } = this;
    const long = this.#isLong;
    const view = (which, drawn) => {
      const onclick = () => this.host.go({ drawn });
      const attributes = { data: { focus: which }, disabled: which === "lines" && long, onclick };
      return pressable(this.#isMap === (drawn === "map"), attributes, words[which]);
    };
    const merge = pressable(
      this.#asWords,
      {
        class: "merge",
        title: words.as_words_about,
        data: { focus: "as words" },
        onclick: () => this.#merge(),
      },
      words.as_words,
    );
    const hide = pressable(
      this.#place.hides,
      {
        class: "merge",
        title: words.hide_special_about,
        data: { focus: "hide special" },
        onclick: () => this.#hide(),
      },
      words.hide_special,
    );
    const group = element(
      "span",
      { role: "group", class: "segments", "aria-label": words.views },
      view("lines", ""),
      view("map", "map"),
    );
    const focused = /** @type {any} */ (this.views.getRootNode()).activeElement?.dataset?.focus;
    this.views.replaceChildren(group, ...(merges ? [merge] : []), ...(hides ? [hide] : []));
    /** @type {HTMLElement | null} */ (
      focused && this.views.querySelector(`[data-focus="${focused}"]`)
    )?.focus();
    const notes = [
      this.#asWords ? words.as_words_about : "",
      this.#place.hides ? words.hide_special_about : "",
      long ? fill(words.no_lines, { most: MOST_LINES }) : "",
    ];
    this.note.textContent = notes.filter(Boolean).join(" ");
    this.note.hidden = !this.note.textContent;
  }

  #drawLines(weights, colour) {
    const panes = weights.map((of, at) => {
      const picture = at ? "second" : "first";
      const [token, pair] = this.#seenIn(picture);
      this.lines[at].update(of, this.#drawn.names[at], token, pair, colour);
      return weights.length > 1
        ? div("line-side", span("side-name", this.words[`shows_${picture}`]), this.lines[at].root)
        : this.lines[at].root;
    });
    this.#put(panes);
  }

  #drawMap(weights, colour) {
    const picture = this.#mapped;
    const [token, pair] = this.#seenIn(picture);
    const { names, common, commonNames } = this.#drawn;
    const [first, second] = names.map(({ length }) => length);
    const which = picture === "second" ? 1 : 0;
    const shown =
      picture === "difference"
        ? {
            numbers: differences(weights[0], weights[1], first, second, common),
            colour: "",
            texts: commonNames,
          }
        : { numbers: weights[which], colour, texts: names[which] };
    this.map.update({ ...shown, keyTexts: shown.texts }, token, pair);
    this.#put([this.map.root]);
  }

  /**
   * Where a picture has the chosen token, and the pair that is pointed at or held.
   * @param {Pictured} picture
   * @returns {[number | null, Pair | null]}
   */
  #seenIn(picture) {
    const { token, pair } = this.#place;
    return [this.#drawn.place(picture, token), this.#drawn.pairIn(picture, this.#pointed ?? pair)];
  }

  /** What is there already is not put anew: it would lose the focus. */
  #put(nodes) {
    const same =
      nodes.length === this.drawn.children.length &&
      nodes.every((node, at) => node === this.drawn.children[at]);
    if (!same) this.drawn.replaceChildren(...nodes);
  }

  /** Of more tokens no lines are drawn. */
  get #isLong() {
    return this.#drawn.names[0].length > MOST_LINES;
  }

  get #isMap() {
    return this.#place.drawn === "map" || this.#isLong;
  }

  /** What the map is of: words have no differences, since two sentences need not have the same. @returns {Pictured} */
  get #mapped() {
    const { shows } = this.#place;
    if (this.#run.sentences.length < 2 || (shows === "difference" && this.#asWords)) return "first";
    return shows;
  }

  // --- the hand ------------------------------------------------------------------------------------------------------

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
    const others = off.filter((one) => one.join() !== head.join());
    this.host.go({ off: this.#isOff ? others : [...off, head] });
  }

  /**
   * A token as it is drawn; of a word its first piece is chosen.
   * @param {number | null} query
   * @param {Pictured} picture
   */
  #choose(query, picture) {
    const token = query === null ? null : this.#drawn.token(picture, query);
    if (query === null || token !== null) this.host.go({ token });
  }

  /**
   * @param {Pair | null} drawn
   * @param {Pictured} picture
   */
  #point(drawn, picture) {
    const pair = this.#drawn.pairFrom(picture, drawn);
    if (pair?.query === this.#pointed?.query && pair?.key === this.#pointed?.key) return;
    this.#pointed = pair;
    this.#draw();
  }

  /**
   * @param {Pair} drawn
   * @param {Pictured} picture
   * @param {boolean} brings
   */
  #hold(drawn, picture, brings) {
    const pair = this.#drawn.pairFrom(picture, drawn);
    if (!pair) return;
    this.#pointed = null;
    this.host.go({ pair });
    if (brings) this.explained.root.scrollIntoView({ block: "nearest" });
  }
}
