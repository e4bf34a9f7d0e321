// A field for the visitor's own sentence. It is split as it is typed, and its words become the tokens.

import { button, element, fill, p, span } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { MOST_WORDS, taken } from "./segments.js";
import { WordChips } from "./word_chips.js";

const MOST_SIGNS = 12; // that are listed as left out

export class Sentence {
  /** @type {HTMLElement | null} */
  #opener = null; // what the focus goes back to

  /**
   * @param {(edit: Edit) => void} send
   * @param {Record<string, string>} words
   */
  constructor(send, words) {
    this.send = send;
    this.words = words;
    this.root = element("div", {
      class: "sentence popup",
      role: "dialog",
      "aria-label": words.sentence,
      hidden: true,
    });
    this.root.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      this.close();
    });
    this.root.addEventListener("focusout", ({ relatedTarget }) => {
      if (relatedTarget && !this.root.contains(/** @type {Node} */ (relatedTarget))) this.root.hidden = true;
    });
  }

  /**
   * @param {ExploreModel} model
   * @param {HTMLElement} opener
   */
  toggle(model, opener) {
    if (!this.root.hidden) return this.close();
    this.#opener = opener;
    const { labels, matrices } = model;
    const forms = [this.#form("tokens", this.words.sentence, labels.n_q, model.lang)];
    if (matrices.context)
      forms.push(this.#form("context_tokens", this.words.sentence_context, labels.n_k, model.lang));
    this.root.replaceChildren(...forms);
    this.root.hidden = false;
    const first = this.root.querySelector("input");
    first?.focus();
    first?.select();
  }

  close() {
    this.root.hidden = true;
    this.#opener?.focus();
  }

  /**
   * @param {"tokens" | "context_tokens"} which
   * @param {string} label
   * @param {string[]} tokens
   * @param {string} lang
   */
  #form(which, label, tokens, lang) {
    const { words } = this;
    const input = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    const leftOut = p("rest");
    const hint = p("rest");
    const use = button({ class: "send", type: "submit" }, words.sentence_use);
    const learned = this.#learned(input);
    const updateForm = (/** @type {string[]} */ list) => {
      const beyond = list.length - MOST_WORDS;
      hint.textContent =
        beyond > 0 ? fill(words.sentence_rest, { most: MOST_WORDS, rest: beyond }) : words.chip_hint;
      use.disabled = learned.disabled = !list.length;
    };
    const chips = new WordChips((list) => {
      input.value = list.join(" ");
      leftOut.textContent = "";
      updateForm(list);
    }, words);
    /** @param {string[]} list @param {string[]} signs of the text that are no words */
    const show = (list, signs) => {
      chips.set(list.slice(0, MOST_WORDS));
      updateForm(list);
      leftOut.textContent = this.#leftOut(signs);
    };
    input.addEventListener("input", () => {
      const split = taken(input.value, lang);
      show(split.words, split.signs);
    });
    const form = element(
      "form",
      {},
      element("label", {}, span("label", label), input),
      p("tokens-told", chips.root),
      use,
      leftOut,
      hint,
      p("rest", words.sentence_vectors),
      ...(which === "tokens" ? [p("rest", words.sentence_learned_about), learned] : []),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!chips.list.length) return;
      this.send({ op: "sentence", which, tokens: chips.list.slice(0, MOST_WORDS) });
      this.close();
    });
    input.value = tokens.join(" ");
    show(tokens, []);
    return form;
  }

  /**
   * The button that asks for vectors learned from the text.
   * @param {HTMLInputElement} input
   */
  #learned(input) {
    const onclick = () => {
      this.send({ op: "learned_sentence", text: input.value });
      this.close();
    };
    return button({ class: "send", data: { focus: "learned" }, onclick }, this.words.sentence_learned);
  }

  /** @param {string[]} signs */
  #leftOut(signs) {
    if (!signs.length) return "";
    const list = signs.slice(0, MOST_SIGNS).map(isolated).join(" ");
    return fill(this.words.sentence_signs, { signs: list + (signs.length > MOST_SIGNS ? " …" : "") });
  }
}
