// A field for a sentence of one's own: it is split as it is typed, and its words become the tokens.

import { button, element, fill, p, span } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { Chips } from "./chips.js";
import { MOST_WORDS, taken } from "./segments.js";

const MOST_SIGNS = 12; // that are named

export class Sentence {
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
   * @param {BenchModel} model
   * @param {HTMLElement} opener what the focus goes back to
   */
  toggle(model, opener) {
    if (!this.root.hidden) return this.close();
    this.opener = opener;
    const { labels, matrices } = model;
    const forms = [this.#form("tokens", this.words.sentence, labels.n_q, model.lang)];
    if (matrices.context)
      forms.push(this.#form("context_tokens", this.words.sentence_context, labels.n_k, model.lang));
    this.root.replaceChildren(...forms);
    this.root.hidden = false;
    const first = this.root.querySelector("input");
    first.focus();
    first.select();
  }

  close() {
    this.root.hidden = true;
    this.opener?.focus();
  }

  #form(which, label, tokens, lang) {
    const input = element("input", {
      type: "text",
      autocomplete: "off",
      spellcheck: "false",
    });
    const rest = p("rest");
    const left = p("rest");
    const chips = new Chips((list) => {
      input.value = list.join(" ");
      left.textContent = "";
      updateForm(list);
    }, this.words);
    const updateForm = (list) => {
      const beyond = list.length - MOST_WORDS;
      rest.textContent =
        beyond > 0
          ? fill(this.words.sentence_rest, { most: MOST_WORDS, rest: beyond })
          : this.words.chip_hint;
      use.disabled = learned.disabled = !list.length;
    };
    /** @param {string[]} list @param {string[]} [signs] what of the text is no word */
    const show = (list, signs = []) => {
      chips.set(list.slice(0, MOST_WORDS));
      updateForm(list);
      const told = signs.slice(0, MOST_SIGNS).map(isolated).join(" ");
      const more = signs.length > MOST_SIGNS ? " …" : "";
      left.textContent = signs.length ? fill(this.words.sentence_signs, { signs: told + more }) : "";
    };
    const use = button({ class: "send", type: "submit" }, this.words.sentence_use);
    const learn = () => {
      this.send({ op: "learned_sentence", text: input.value });
      this.close();
    };
    const learned = button(
      { class: "send", data: { focus: "learned" }, onclick: learn },
      this.words.sentence_learned,
    );
    const isMain = which === "tokens";
    input.addEventListener("input", () => {
      const { words, signs } = taken(input.value, lang);
      show(words, signs);
    });
    const field = element("label", {}, span("label", label), input);
    const form = element(
      "form",
      {},
      field,
      p("tokens-told", chips.root),
      use,
      left,
      rest,
      p("rest", this.words.sentence_vectors),
      isMain ? p("rest", this.words.sentence_learned_about) : null,
      isMain ? learned : null,
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (!chips.list.length) return;
      this.send({ op: "sentence", which, tokens: chips.list.slice(0, MOST_WORDS) });
      this.close();
    });
    input.value = tokens.join(" ");
    show(tokens);
    return form;
  }
}
