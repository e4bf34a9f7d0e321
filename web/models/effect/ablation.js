// What becomes of the model's own answer when heads are missing: the words that it guesses, before and after.

import { button, div, element, fill, setAttribute, setText, span } from "../../kit/dom.js";
import { Strip } from "../tokens/token_strip.js";
import { likely } from "../wording.js";

const ROW = 30; // px
const BETWEEN = 48;
const SVG = "http://www.w3.org/2000/svg";

export class Ablate {
  /** @type {ModelRun} */
  #run = null;
  /** @type {ModelPlace} */
  #place = null;
  /** @type {HTMLButtonElement[]} */
  #switches = [];
  #built = "";

  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void }} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.hint = element("p", { class: "hint" });
    this.places = new Strip(words.guess_place, (at) => this.host.go({ guess: at }));
    this.switches = element("div", { class: "switches", role: "group", "aria-label": words.switches });
    this.switches.addEventListener("keydown", (event) => this.#key(event));
    this.all = button(
      { class: "quiet", data: { focus: "all on" }, onclick: () => host.go({ off: [] }) },
      words.all_on,
    );
    this.answer = element("div", { class: "answer", "aria-live": "polite" });
    this.able = div(
      "able",
      this.places.root,
      div(
        "ablation",
        div("switching", element("p", { class: "switches-name" }, words.switches), this.switches, this.all),
        this.answer,
      ),
    );
    const title = element("h2", {}, words.ablate);
    this.root = element(
      "section",
      { class: "ablate", "aria-label": words.ablate },
      title,
      this.hint,
      this.able,
    );
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {(Guessed | null)[] | null} guessed of each sentence
   */
  update(run, place, guessed) {
    const { words } = this;
    this.#run = run;
    this.#place = place;
    this.root.hidden = !run.guesses;
    if (!run.guesses) return;
    setText(this.hint, words[run.causal ? "ablate_hint_causal" : "ablate_hint"]);
    const [sentence] = run.sentences;
    this.places.root.setAttribute("aria-label", words[run.causal ? "guess_place_causal" : "guess_place"]);
    this.places.update(sentence, place.guess, (at) => run.causal || !sentence.special[at]);
    this.#switch();
    this.all.hidden = !place.off.length;
    this.#answer(guessed);
  }

  // --- switches ------------------------------------------------------------------------------------------------------

  #switch() {
    const { layers, heads } = this.#run;
    if (this.#built !== `${layers} ${heads}`) this.#build();
    const off = new Set(this.#place.off.map(String));
    for (const node of this.#switches) {
      const { layer, head } = node.dataset;
      const of =
        head === undefined
          ? Array.from({ length: heads }, (_, at) => `${layer},${at}`)
          : [`${layer},${head}`];
      setAttribute(node, "aria-pressed", String(of.every((one) => off.has(one))));
    }
  }

  #build() {
    const { words } = this;
    const { layers, heads } = this.#run;
    this.#built = `${layers} ${heads}`;
    const rows = Array.from({ length: layers }, (_, layer) => {
      const name = fill(words.switch_layer, { layer: layer + 1 });
      const whole = this.#one({ class: "whole", "aria-label": name, data: { layer } }, name);
      const own = Array.from({ length: heads }, (_, head) => {
        const label = fill(words.switch, { layer: layer + 1, head: head + 1 });
        return this.#one(
          { class: "head-switch", "aria-label": label, title: label, data: { layer, head } },
          String(head + 1),
        );
      });
      return div("switch-row", whole, ...own);
    });
    this.switches.style.setProperty("--heads", String(heads));
    this.switches.replaceChildren(...rows);
    this.#switches = [...this.switches.querySelectorAll("button")];
    this.#switches[0].tabIndex = 0;
  }

  #one(attributes, text) {
    const node = button({ tabindex: -1, "aria-pressed": "false", ...attributes }, text);
    node.addEventListener("click", () => this.#toggle(node));
    return node;
  }

  /** @param {HTMLButtonElement} node */
  #toggle({ dataset: { layer, head }, ariaPressed }) {
    const own = Number(layer);
    const of = head === undefined ? Array.from({ length: this.#run.heads }, (_, at) => at) : [Number(head)];
    const kept = this.#place.off.filter(([there, at]) => there !== own || !of.includes(at));
    /** @type {[number, number][]} */
    const added = ariaPressed === "true" ? [] : of.map((at) => [own, at]);
    this.host.go({ off: [...kept, ...added] });
  }

  #key(event) {
    const at = this.#switches.indexOf(event.target);
    const across = this.#run.heads + 1;
    const by = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across }[event.key];
    const to = this.#switches[at + by];
    if (!by || !to) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  // --- the answer ----------------------------------------------------------------------------------------------------

  #answer(guessed) {
    const { words } = this;
    const { guess, off } = this.#place;
    if (guess === null) return this.answer.replaceChildren(element("p", { class: "hint" }, words.guess_none));
    if (!guessed) return this.answer.setAttribute("aria-busy", "true");
    this.answer.removeAttribute("aria-busy");
    const sides = guessed.map((one, at) => {
      const name = words[at ? "shows_second" : "shows_first"];
      const nodes = one ? this.#side(one) : [element("p", { class: "hint" }, words.compared_none)];
      return div(
        "answer-side",
        ...(guessed.length > 1 ? [element("h3", {}, name)] : []),
        div("answered", ...nodes),
      );
    });
    const hint = off.length ? [] : [element("p", { class: "hint" }, words.guess_same)];
    this.answer.replaceChildren(...sides, ...hint);
  }

  /** @param {Guessed} guessed */
  #side(guessed) {
    const { words } = this;
    const { layers, heads } = this.#run;
    const { off } = this.#place;
    const { word } = guessed;
    const [before, after] = [guessed.before, guessed.after].map((guesses, at) =>
      withWord(guesses, word && { text: word.text, ...(at ? word.after : word.before) }),
    );
    const rows = Math.max(before.length, after.length);
    const list = (name, of, kind) => this.#list(name, of, kind, { own: word?.text, rows });
    const first = list(words.before, before, "before");
    if (!off.length) return [first];
    const without = fill(words.after, { count: off.length, all: layers * heads });
    return [first, threads(before, after), list(without, after, "after")];
  }

  #list(name, guesses, kind, { own, rows: count }) {
    const rows = guesses.map(({ text, probability, rank }) => {
      const attributes = {
        class: `${text === own ? "own" : ""}${rank ? " beyond" : ""}`,
        style: `--part: ${(100 * probability).toFixed(1)}%`,
      };
      const word = element("bdi", { class: "guess-word" }, text);
      const place = rank ? [span("guess-rank", `${rank}.`)] : [];
      return element("li", attributes, ...place, word, span("guess-number", likely(probability)));
    });
    const style = `min-height: ${count * ROW}px`;
    const list = element("ol", { "aria-label": name, style }, ...rows);
    return div(`guesses ${kind}`, element("p", { class: "guesses-name" }, name), list);
  }
}

/**
 * The likeliest words, and after them the text's own where it is none of them.
 * @param {Guess[]} guesses
 * @param {Guess | null} own
 */
const withWord = (guesses, own) => (own && own.rank > guesses.length ? [...guesses, own] : guesses);

/** A line from each word to the same word on the other side: which rose and which fell. */
function threads(before, after) {
  const height = ROW * Math.max(before.length, after.length);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("class", "threads-between");
  svg.setAttribute("viewBox", `0 0 ${BETWEEN} ${height}`);
  svg.setAttribute("width", String(BETWEEN));
  svg.setAttribute("height", String(height));
  svg.setAttribute("aria-hidden", "true");
  for (const [at, { text, rank = at + 1 }] of before.entries()) {
    const to = after.findIndex((guess) => guess.text === text);
    if (to < 0) continue;
    const path = document.createElementNS(SVG, "path");
    const [from, end] = [(at + 0.5) * ROW, (to + 0.5) * ROW];
    path.setAttribute("d", `M0 ${from}C${BETWEEN / 2} ${from} ${BETWEEN / 2} ${end} ${BETWEEN} ${end}`);
    const now = after[to].rank ?? to + 1;
    path.setAttribute("class", now < rank ? "rose" : now > rank ? "fell" : "stayed");
    svg.append(path);
  }
  return svg;
}
