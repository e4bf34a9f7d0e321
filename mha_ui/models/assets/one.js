// One head: lines or a map, the numbers behind a pair, what it does, and the way to the bench.

import { div, element, fill, pressable, setText, span } from "../mha.web/dom.js";
import { hue, look } from "./colours.js";
import { Compared } from "./compared.js";
import { Heatmap } from "./heatmap.js";
import { Lines, MOST_LINES } from "./lines.js";
import { Measures } from "./measures.js";
import { differences } from "./paint.js";
import { groups, inPieces, joined, merged } from "./pieces.js";
import { counterpart } from "./runs.js";
import { Scores } from "./scores.js";
import { Taking } from "./taking.js";
import { headName, weightTold } from "./telling.js";

export class One {
  /** @type {ModelRun} */
  #run = null;
  /** @type {ModelPlace} */
  #place = null;
  /** @type {HeadNumbers[] | null} */
  #numbers = null;
  #asWords = false;
  #hides = false;
  /** @type {Pair | null} */
  #pointed = null;

  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void; open: (heads: number[], start: string) => void; shuffle: () => void }} host
   * @param {Record<string, string>} words
   * @param {import("./colours.js").Colours} colours
   * @param {{ heads: number; tokens: number; excess: number; chance: number }} limits of the bench, and of labels
   */
  constructor(host, words, colours, limits) {
    this.host = host;
    this.words = words;
    const at = (which) => ({
      chosen: (query) => this.#choose(query, which),
      pointed: (pair) => this.#point(pair, which),
      held: (pair, brings) => this.#hold(pair, which, brings),
    });
    this.lines = [new Lines(at(0), colours), new Lines(at(1), colours)];
    this.map = new Heatmap(at(0), words, colours);
    this.scores = new Scores(words);
    this.compared = new Compared(host, words);
    this.measures = new Measures(words);
    this.taking = new Taking(host, words, limits);
    const shuffle = { class: "shuffle", data: { focus: "shuffle" }, onclick: () => host.shuffle() };
    this.shuffle = pressable(false, shuffle, words.shuffle);
    this.shuffled = element("p", { class: "hint" }, words.shuffle_about);
    this.title = element("h2");
    this.off = pressable(false, { class: "switch", onclick: () => this.#switch() }, "");
    this.views = div("views");
    this.readout = element("p", { class: "readout" });
    this.note = element("p", { class: "hint view-note" });
    this.drawn = div("drawn");
    this.root = element(
      "section",
      { class: "one", "aria-label": words.one_head },
      div("one-head", this.title, this.off),
      this.compared.root,
      this.views,
      this.note,
      this.drawn,
      this.readout,
      this.scores.root,
      div("measures-head", element("h3", {}, words.measures), this.shuffle),
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
    this.shuffle.ariaPressed = String(Boolean(shuffled));
    this.shuffled.hidden = !shuffled;
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
    if (!hides) this.#hides = false;
    this.#offer(merges, hides);
    this.root.setAttribute("aria-busy", String(!this.#numbers));
    if (!this.#numbers) return;
    const sides = run.sentences.map((tokens, at) => this.#side(tokens, this.#numbers[at].weights));
    if (this.#isMap) this.#drawMap(sides, look(kind));
    else this.#drawLines(sides, look(kind));
    this.#explain(sides[0]);
    this.compared.update(run, this.#place, this.#numbers);
  }

  /** Tokens and weights as they are drawn: of pieces, or of words. */
  #side(tokens, weights) {
    const drawn = this.#drawn(tokens);
    return { texts: joined(tokens, drawn), weights: merged(weights, tokens.n, drawn) };
  }

  /** The tokens that are drawn, as pieces or as words: each by its pieces. */
  #drawn(tokens) {
    const all = this.#asWords ? groups(tokens) : tokens.texts.map((_, at) => [at]);
    return this.#hides ? all.filter(([at]) => !tokens.special[at]) : all;
  }

  /** Where a token of a sentence is drawn; −1 where it is hidden. */
  #drawnAt(tokens, at) {
    return this.#drawn(tokens).findIndex((pieces) => pieces.includes(at));
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
      this.#hides,
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
      this.#hides ? words.hide_special_about : "",
      long ? fill(words.no_lines, { most: MOST_LINES }) : "",
    ];
    this.note.textContent = notes.filter(Boolean).join(" ");
    this.note.hidden = !this.note.textContent;
  }

  #drawLines(sides, colour) {
    const tokens = [this.#row(0), this.#row(1)];
    const panes = sides.map(({ texts, weights }, at) => {
      this.lines[at].update(weights, texts, tokens[at], at === 0 ? this.#seen : null, colour);
      return sides.length > 1
        ? div(
            "line-side",
            span("side-name", this.words[at ? "shows_second" : "shows_first"]),
            this.lines[at].root,
          )
        : this.lines[at].root;
    });
    this.#put(panes);
  }

  #drawMap(sides, colour) {
    const shows = sides.length > 1 ? this.#place.shows : "first";
    const token = this.#row(shows === "second" ? 1 : 0);
    if (shows === "difference" && !this.#asWords) {
      const [one, other] = this.#run.sentences;
      const aligned = this.#run.aligned
        .map(
          ([at, there]) =>
            /** @type {[number, number]} */ ([this.#drawnAt(one, at), this.#drawnAt(other, there)]),
        )
        .filter(([at, there]) => at >= 0 && there >= 0);
      const [first, second] = sides;
      const name = ([one, other]) =>
        first.texts[one] === second.texts[other]
          ? first.texts[one]
          : `${first.texts[one]} / ${second.texts[other]}`;
      const texts = aligned.map(name);
      const numbers = differences(
        first.weights,
        second.weights,
        first.texts.length,
        second.texts.length,
        aligned,
      );
      const at = aligned.findIndex(([one]) => one === token);
      this.map.update({ numbers, colour: "", texts, keyTexts: texts }, at < 0 ? null : at, null);
    } else {
      const { texts, weights } = sides[shows === "second" ? 1 : 0];
      const seen = shows === "second" ? null : this.#seen;
      this.map.update({ numbers: weights, colour, texts, keyTexts: texts }, token, seen);
    }
    this.#put([this.map.root]);
  }

  /** What is there already is not put anew: it would lose the focus. */
  #put(nodes) {
    const same =
      nodes.length === this.drawn.children.length &&
      nodes.every((node, at) => node === this.drawn.children[at]);
    if (!same) this.drawn.replaceChildren(...nodes);
  }

  /** The row of the chosen token in a sentence, as it is drawn. */
  #row(which) {
    const { token } = this.#place;
    const at = which ? counterpart(this.#run, token) : token;
    const tokens = this.#run.sentences[which];
    if (at === null || !tokens) return null;
    const row = this.#drawnAt(tokens, at);
    return row < 0 ? null : row;
  }

  /** Of more tokens no lines are drawn. */
  get #isLong() {
    return this.#drawn(this.#run.sentences[0]).length > MOST_LINES;
  }

  get #isMap() {
    return this.#place.drawn === "map" || this.#isLong;
  }

  /** Where the pair that is explained is drawn; null where there is none, or it is hidden. @returns {Pair | null} */
  get #held() {
    const { pair } = this.#place;
    if (!pair) return null;
    const [sentence] = this.#run.sentences;
    const [query, key] = [pair.query, pair.key].map((at) => this.#drawnAt(sentence, at));
    return query < 0 || key < 0 ? null : { query, key };
  }

  get #seen() {
    return this.#pointed ?? this.#held;
  }

  #explain({ texts, weights }) {
    const { words } = this;
    const pair = this.#seen;
    const told = pair && {
      query: texts[pair.query],
      key: texts[pair.key],
      weight: weightTold(weights[pair.query * texts.length + pair.key]),
    };
    this.readout.title = pair ? String(weights[pair.query * texts.length + pair.key]) : "";
    this.readout.hidden = this.#isDifference; // there the map alone tells
    setText(this.readout, told ? fill(words.pair_line, told) : words.pair_hint);
    this.scores.root.hidden = !this.#held;
    if (!this.#held) return;
    if (this.#asWords) this.scores.say(words.score_words);
    else {
      const [sentence] = this.#run.sentences;
      this.scores.update(this.#numbers[0], sentence, this.#place.pair);
    }
  }

  // --- the hand ------------------------------------------------------------------------------------------------------

  #merge() {
    this.#asWords = !this.#asWords;
    this.#pointed = null;
    this.#draw();
  }

  #hide() {
    this.#hides = !this.#hides;
    this.#pointed = null;
    this.#draw();
  }

  #switch() {
    const { head, off } = this.#place;
    const others = off.filter((one) => one.join() !== head.join());
    this.host.go({ off: this.#isOff ? others : [...off, head] });
  }

  /** A token as it is drawn; of a word its first piece is chosen. */
  #choose(query, which) {
    if (query === null) return this.host.go({ token: null });
    const tokens = this.#run.sentences[which];
    const [at] = this.#drawn(tokens)[query];
    const token = which ? this.#run.aligned.find((pair) => pair[1] === at)?.[0] : at;
    if (token !== undefined) this.host.go({ token });
  }

  #point(pair, which) {
    if (which || this.#isDifference) return;
    if (pair?.query === this.#pointed?.query && pair?.key === this.#pointed?.key) return;
    this.#pointed = pair;
    this.#draw();
  }

  #hold(pair, which, brings) {
    if (which || this.#isDifference) return;
    const drawn = this.#drawn(this.#run.sentences[0]);
    const [[query], [key]] = [drawn[pair.query], drawn[pair.key]];
    this.#pointed = null;
    this.host.go({ pair: { query, key } });
    if (brings) this.scores.root.scrollIntoView({ block: "nearest" });
  }

  /** A map of differences has no weights of one sentence to explain. */
  get #isDifference() {
    return this.#isMap && this.#run.sentences.length > 1 && this.#place.shows !== "first";
  }
}
