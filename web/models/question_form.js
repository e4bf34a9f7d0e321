// The form: which model reads which sentence, or two to be compared.

import { Disclosure } from "../kit/disclosure.js";
import { button, div, element, fill, p, span, titled } from "../kit/dom.js";

const PATIENCE = 500; // ms

/**
 * What the visitor asks for: a model, or texts, or both.
 * @typedef {Partial<Pick<ModelPlace, "model" | "texts" | "head" | "guess" | "token">>} Question
 */

/**
 * What a sentence that is offered opens with; nothing in particular where it names nothing.
 * @param {OfferedTexts} offered
 */
export const openingOf = ({ head, guess }) =>
  head && guess !== undefined ? { head, guess, token: guess } : {};

export class QuestionForm {
  #waiting = 0;
  /** For each model the languages that it was made for. @type {Map<string, string[]>} */
  languages = new Map();

  /**
   * @param {{ ask: (question: Question) => void; typed: () => void }} host `typed`: a text was changed, and is not yet
   *   asked for
   * @param {Record<string, string>} words
   * @param {OfferedTexts[]} examples
   */
  constructor(host, words, examples) {
    this.host = host;
    this.words = words;
    this.first = this.#field(words.sentence, "sentence");
    this.second = this.#field(words.second, "second");
    const remove = { class: "quiet", "aria-label": words.second_remove, title: words.second_remove };
    this.second.label.append(button({ ...remove, onclick: () => this.#compare(false) }, "✕"));
    this.more = button({ class: "quiet more", onclick: () => this.#compare(true) }, `+ ${words.compare}`);
    this.reading = element("p", { class: "reading", role: "status" });
    this.legend = element("legend", {}, words.model);
    this.cards = element("fieldset", { class: "cards" }, this.legend);
    this.chosen = span("model-chosen");
    const title = [titled(words, words.model, ""), this.chosen];
    const models = new Disclosure({ name: "offered", focus: "models" }, title, this.cards);
    this.form = element(
      "form",
      { class: "asking" },
      this.first.label,
      this.second.label,
      button({ class: "run", type: "submit" }, words.run),
      this.more,
    );
    this.form.addEventListener("input", () => host.typed());
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask({});
    });
    this.chips = examples.map((offered) => this.#example(offered));
    this.root = element(
      "section",
      { class: "ask", "aria-label": words.ask },
      this.form,
      div("choices", models.root, div("examples", span("quiet-text", words.examples), ...this.chips)),
      this.reading,
    );
  }

  /**
   * Say that the model is at work, if that takes a while.
   * @param {boolean} busy
   */
  wait(busy) {
    clearTimeout(this.#waiting);
    this.reading.textContent = "";
    if (busy) this.#waiting = setTimeout(() => this.#say(), PATIENCE);
  }

  #say() {
    this.reading.textContent = this.words.waiting;
  }

  /** @param {ModelCard[]} cards */
  offer(cards) {
    this.languages = new Map(cards.map(({ key, languages }) => [key, languages]));
    this.cards.replaceChildren(
      this.legend,
      ...cards.map(({ key, title, about }) => {
        const choice = element("input", { type: "radio", name: "model", value: key });
        choice.addEventListener("change", () => this.#ask({ model: key }));
        const text = span("card-told", element("strong", {}, title), span("card-about", about));
        return element("label", { class: "card" }, choice, text);
      }),
    );
  }

  /**
   * Fill in what the page shows now.
   * @param {Question} question
   */
  show({ model = "", texts = [] }) {
    const [first, second] = texts;
    this.first.input.value = first ?? "";
    this.second.input.value = second ?? "";
    this.#unfold(Boolean(second));
    this.mark(model);
  }

  /** @param {string} model the one that answers */
  mark(model) {
    for (const choice of this.cards.querySelectorAll("input")) choice.checked = choice.value === model;
    this.chosen.textContent = this.cards.querySelector(":has(> :checked) strong")?.textContent ?? "";
    const languages = this.languages.get(model) ?? [];
    for (const chip of this.chips)
      chip.hidden = languages.length > 0 && !languages.includes(chip.dataset.language ?? "");
  }

  /** @param {Question} more */
  #ask(more) {
    const texts = [this.first, this.second]
      .filter(({ label }) => !label.hidden)
      .map(({ input }) => input.value.trim());
    this.host.ask({ texts: texts.filter((text, at) => text || at === 0), ...more });
  }

  /** @param {string} name @param {string} focus */
  #field(name, focus) {
    const input = element("textarea", { rows: 1, spellcheck: "false", autocomplete: "off", data: { focus } });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.form.requestSubmit();
    });
    return {
      input,
      label: element("label", { class: `field field-${focus}` }, span("field-name", name), input),
    };
  }

  /** @param {OfferedTexts} offered */
  #example(offered) {
    const { texts, language } = offered;
    const onclick = () => {
      const chosen = [...this.cards.querySelectorAll("input")].find(({ checked }) => checked);
      this.show({ texts, model: chosen?.value });
      this.#ask(openingOf(offered));
    };
    const parts = abbreviated(texts).map((text) => element("bdi", {}, text));
    return button(
      { class: "example", onclick, data: { language } },
      ...parts.flatMap((text, at) => (at ? [span("versus", "/"), text] : [text])),
    );
  }

  /** @param {boolean} open */
  #compare(open) {
    this.#unfold(open);
    if (open) {
      this.second.input.value ||= this.first.input.value;
      this.second.input.focus();
      this.second.input.select();
    } else {
      this.second.input.value = "";
      this.first.input.focus();
      this.#ask({});
    }
  }

  /** @param {boolean} open */
  #unfold(open) {
    this.second.label.hidden = !open;
    this.more.hidden = open;
  }
}

/**
 * One or two sentences in few words: how they begin, and where they part.
 * @param {string[]} texts
 */
function abbreviated([first, second]) {
  if (!second) return [first];
  const [ours, theirs] = [first, second].map((text) => text.split(" "));
  const same = theirs.findIndex((word, at) => word !== ours[at]);
  const parts = [ours, theirs].map((words) => words.slice(same).join(" "));
  return same > 2 ? [`${ours.slice(0, 2).join(" ")} … ${parts[0]}`, parts[1]] : [first, second];
}

/** A paragraph that says what could not be done. */
export const fault = () => {
  const node = p("fault");
  node.setAttribute("role", "alert");
  return node;
};

/** The offer to cut a text that is too long for the model to as much as it can read. */
export class CutOffer {
  #texts = /** @type {string[]} */ ([]);
  #fits = 0;

  /**
   * @param {Record<string, string>} words
   * @param {(texts: string[]) => void} accepted these are to be read
   */
  constructor(words, accepted) {
    this.words = words;
    const onclick = () => accepted(cut(this.#texts, this.#fits));
    this.root = button({ class: "cut", hidden: true, onclick }, "");
  }

  get isOffered() {
    return !this.root.hidden;
  }

  /**
   * @param {string[]} texts
   * @param {number} [fits] how many characters of the longest can be read; 0: not known, so nothing is offered
   */
  offer(texts, fits = 0) {
    this.#texts = texts;
    this.#fits = fits;
    this.root.hidden = !fits;
    this.root.textContent = fill(this.words.cut, { count: fits });
  }
}

/**
 * Some texts, the longest of them cut to so many characters.
 * @param {string[]} texts
 * @param {number} count
 */
function cut(texts, count) {
  const most = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => (text.length === most ? [...text].slice(0, count).join("") : text));
}
