// The words that the model guesses with all heads, and without those that are switched off.

import { button, div, element, fill, setAttribute, setText, span } from "../../kit/dom.js";
import { NO_RUN } from "../runs.js";
import { TokenStrip } from "../tokens/token_strip.js";
import { START } from "../view_address.js";
import { likely } from "../wording.js";

const ROW = 30; // px
const BETWEEN = 48;
const SVG = "http://www.w3.org/2000/svg";

export class Ablation {
  #run = NO_RUN;
  #place = START;
  /** @type {HTMLButtonElement[]} */
  #switches = [];
  /** The layers and heads that there are switches for. */
  #builtFor = "";

  /** @param {Pick<ModelsHost, "go">} host @param {Record<string, string>} words */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.hint = element("p", { class: "hint" });
    this.places = new TokenStrip(words.guess_place, (at) => this.host.go({ guess: at }));
    this.switches = element("div", { class: "switches", role: "group", "aria-label": words.switches });
    this.switches.addEventListener("keydown", (event) => this.#onKey(event));
    this.all = button(
      { class: "quiet", data: { focus: "all on" }, onclick: () => host.go({ off: [] }) },
      words.all_on,
    );
    this.answer = element("div", { class: "answer", "aria-live": "polite" });
    const switching = div(
      "switching",
      element("p", { class: "switches-name" }, words.switches),
      this.switches,
      this.all,
    );
    this.root = element(
      "section",
      { class: "ablate", "aria-label": words.ablate },
      element("h2", {}, words.ablate),
      this.hint,
      div("able", this.places.root, div("ablation", switching, this.answer)),
    );
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {(Guessed | null)[] | null} guesses for each sentence
   */
  update(run, place, guesses) {
    const { words } = this;
    this.#run = run;
    this.#place = place;
    this.root.hidden = !run.guesses;
    if (!run.guesses) return;
    setText(this.hint, words[run.causal ? "ablate_hint_causal" : "ablate_hint"]);
    const [sentence] = run.sentences;
    this.places.root.setAttribute("aria-label", words[run.causal ? "guess_place_causal" : "guess_place"]);
    this.places.update(sentence, place.guess, (at) => run.causal || !sentence.special[at]);
    this.#markSwitches();
    this.all.hidden = !place.off.length;
    this.#showGuesses(guesses);
  }

  // --- switches ------------------------------------------------------------------------------------------------------

  #markSwitches() {
    const { layers, heads } = this.#run;
    if (this.#builtFor !== `${layers} ${heads}`) this.#buildSwitches();
    const off = new Set(this.#place.off.map(String));
    for (const node of this.#switches) {
      const isOff = this.#headsOf(node).every((head) => off.has(String(head)));
      setAttribute(node, "aria-pressed", String(isOff));
    }
  }

  #buildSwitches() {
    const { words } = this;
    const { layers, heads } = this.#run;
    this.#builtFor = `${layers} ${heads}`;
    const rows = Array.from({ length: layers }, (_, layer) => {
      const name = fill(words.switch_layer, { layer: layer + 1 });
      const whole = this.#switch({ class: "whole", "aria-label": name, data: { layer } }, name);
      const single = Array.from({ length: heads }, (_, head) => {
        const label = fill(words.switch, { layer: layer + 1, head: head + 1 });
        return this.#switch(
          { class: "head-switch", "aria-label": label, title: label, data: { layer, head } },
          String(head + 1),
        );
      });
      return div("switch-row", whole, ...single);
    });
    this.switches.style.setProperty("--heads", String(heads));
    this.switches.replaceChildren(...rows);
    this.#switches = [...this.switches.querySelectorAll("button")];
    this.#switches[0].tabIndex = 0;
  }

  /**
   * @param {{ class: string; "aria-label": string; title?: string; data: Record<string, number> }} attributes
   * @param {string} text
   */
  #switch(attributes, text) {
    const node = button({ tabindex: -1, "aria-pressed": "false", ...attributes }, text);
    node.addEventListener("click", () => this.#toggle(node));
    return node;
  }

  /** The heads that a switch is for: one, or a whole layer. @param {HTMLButtonElement} node @returns {HeadIndex[]} */
  #headsOf({ dataset }) {
    const layer = Number(dataset.layer);
    if (dataset.head !== undefined) return [[layer, Number(dataset.head)]];
    return Array.from({ length: this.#run.heads }, (_, head) => [layer, head]);
  }

  /** @param {HTMLButtonElement} node */
  #toggle(node) {
    const heads = this.#headsOf(node);
    const names = heads.map(String);
    const others = this.#place.off.filter((head) => !names.includes(String(head)));
    this.host.go({ off: node.ariaPressed === "true" ? others : [...others, ...heads] });
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const at = this.#switches.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const across = this.#run.heads + 1;
    /** @type {Record<string, number>} */
    const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across };
    const step = steps[event.key];
    const to = this.#switches[at + step];
    if (!step || !to) return;
    event.preventDefault();
    this.#switches[at].tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  // --- guesses -------------------------------------------------------------------------------------------------------

  /** @param {(Guessed | null)[] | null} guesses */
  #showGuesses(guesses) {
    const { words } = this;
    const { guess, off } = this.#place;
    if (guess === null) return this.answer.replaceChildren(element("p", { class: "hint" }, words.guess_none));
    if (!guesses) return this.answer.setAttribute("aria-busy", "true");
    this.answer.removeAttribute("aria-busy");
    const sides = guesses.map((guessed, at) => {
      const name = words[at ? "shows_second" : "shows_first"];
      const nodes = guessed ? this.#side(guessed) : [element("p", { class: "hint" }, words.compared_none)];
      return div(
        "answer-side",
        ...(guesses.length > 1 ? [element("h3", {}, name)] : []),
        div("answered", ...nodes),
      );
    });
    const hint = off.length ? [] : [element("p", { class: "hint" }, words.guess_same)];
    this.answer.replaceChildren(...sides, ...hint);
  }

  /** One sentence's guesses: with all heads, and without some beside them. @param {Guessed} guessed */
  #side({ before, after, word }) {
    const { words } = this;
    const { layers, heads } = this.#run;
    const { off } = this.#place;
    const text = word?.text;
    const first = word ? withWord(before, { text: word.text, ...word.before }) : before;
    const second = word ? withWord(after, { text: word.text, ...word.after }) : after;
    const rows = Math.max(first.length, second.length);
    const list = this.#list(words.before, first, "before", text, rows);
    if (!off.length) return [list];
    const without = fill(words.after, { count: off.length, all: layers * heads });
    return [list, threads(first, second), this.#list(without, second, "after", text, rows)];
  }

  /**
   * @param {string} name
   * @param {Guess[]} guesses
   * @param {string} kind
   * @param {string | undefined} word the one that the text has
   * @param {number} rows for which room is kept
   */
  #list(name, guesses, kind, word, rows) {
    const items = guesses.map(({ text, probability, rank }) => {
      const attributes = {
        class: `${text === word ? "own" : ""}${rank ? " beyond" : ""}`,
        style: `--part: ${(100 * probability).toFixed(1)}%`,
      };
      const place = rank ? [span("guess-rank", `${rank}.`)] : [];
      const guess = element("bdi", { class: "guess-word" }, text);
      return element("li", attributes, ...place, guess, span("guess-number", likely(probability)));
    });
    const style = `min-height: ${rows * ROW}px`;
    const list = element("ol", { "aria-label": name, style }, ...items);
    return div(`guesses ${kind}`, element("p", { class: "guesses-name" }, name), list);
  }
}

/**
 * The likeliest words, and after them the text's word if it is not among them.
 * @param {Guess[]} guesses
 * @param {Guess & WordRank} word
 */
const withWord = (guesses, word) => (word.rank > guesses.length ? [...guesses, word] : guesses);

/**
 * A line from each word to the same word on the other side: which rose and which fell.
 * @param {Guess[]} before
 * @param {Guess[]} after
 */
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
