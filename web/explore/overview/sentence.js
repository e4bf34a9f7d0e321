// A field for the visitor's own sentence: its words as tokens, with numbers that our small model has learned, or with made-up
// ones in the example that is shown.

import { button, div, element, fill, p, span } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { MOST_WORDS, taken } from "./segments.js";
import { WordChips } from "./word_chips.js";

const MOST_SIGNS = 12; // that are listed as left out
const ENDS = /^\[(CLS|SEP)\]$/; // tokens that our model adds to a text

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
    const hasLearned = !matrices.context; // the model reads one text
    const own = labels.n_q.filter((token) => !ENDS.test(token));
    const forms = [this.#form("tokens", this.words.sentence, own, model.lang, hasLearned)];
    if (matrices.context)
      forms.push(this.#form("context_tokens", this.words.sentence_context, labels.n_k, model.lang, false));
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
   * @param {boolean} hasLearned whether the numbers can be learned ones
   */
  #form(which, label, tokens, lang, hasLearned) {
    const { words } = this;
    const input = element("input", { type: "text", autocomplete: "off", spellcheck: "false" });
    const leftOut = p("rest");
    const hint = p("rest");
    const use = button({ class: "send", type: "submit" }, words.sentence_use);
    const source = hasLearned ? this.#source() : null;
    const updateForm = (/** @type {string[]} */ list) => {
      const beyond = list.length - MOST_WORDS;
      hint.textContent =
        beyond > 0 ? fill(words.sentence_rest, { most: MOST_WORDS, rest: beyond }) : words.chip_hint;
      use.disabled = !list.length;
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
      element("label", { class: "text" }, span("label", label), input),
      p("tokens-told", chips.root),
      use,
      div("made-up-only", leftOut, hint),
      source?.root ?? p("rest", words.sentence_made_up_about),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!chips.list.length) return;
      this.send(
        source?.isLearned()
          ? { op: "learned_sentence", text: input.value }
          : { op: "sentence", which, tokens: chips.list.slice(0, MOST_WORDS) },
      );
      this.close();
    });
    input.value = tokens.join(" ");
    show(tokens, []);
    return form;
  }

  /** Where the numbers come from: what a model has learned, unless the visitor chooses otherwise. */
  #source() {
    const { words } = this;
    /** @param {"learned" | "made_up"} name @param {boolean} checked */
    const choice = (name, checked) => {
      const box = element("input", { type: "radio", name: "source", data: { focus: name }, checked });
      const about = span("rest", words[`sentence_${name}_about`]);
      return { box, root: element("label", {}, box, span("", words[`sentence_${name}`], about)) };
    };
    const [learned, madeUp] = [choice("learned", true), choice("made_up", false)];
    const legend = element("legend", {}, words.sentence_source);
    return {
      root: element("fieldset", {}, legend, learned.root, madeUp.root),
      isLearned: () => learned.box.checked,
    };
  }

  /** @param {string[]} signs */
  #leftOut(signs) {
    if (!signs.length) return "";
    const list = signs.slice(0, MOST_SIGNS).map(isolated).join(" ");
    return fill(this.words.sentence_signs, { signs: list + (signs.length > MOST_SIGNS ? " …" : "") });
  }
}
