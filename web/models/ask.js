// What is asked: which model, and which sentence, or two to be compared.

import { Disclosure } from "../kit/disclosure.js";
import { button, div, element, p, span } from "../kit/dom.js";

const PATIENCE = 500; // ms

export class Ask {
  #waiting = 0;
  /** Of each model those languages that it was made for. @type {Map<string, string[]>} */
  languages = new Map();

  /**
   * `asked({ model?, texts })`: to be run; `typed()`: a text is no longer what was asked for.
   * @param {{ asked: (what: Partial<ModelPlace>) => void; typed: () => void }} host
   * @param {Record<string, string>} words
   * @param {{ texts: string[]; language: string }[]} examples
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
    this.cards = element("fieldset", { class: "cards" }, element("legend", {}, words.model));
    this.chosen = span("model-chosen");
    const title = [`${words.model}: `, this.chosen];
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
    this.chips = examples.map(({ texts, language }) => this.#example(texts, language));
    this.root = element(
      "section",
      { class: "ask", "aria-label": words.ask },
      this.form,
      div("choices", models.root, div("examples", span("quiet-text", words.examples), ...this.chips)),
      this.reading,
    );
  }

  /**
   * Say that the model is at work, where that takes a while.
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
    const [legend] = this.cards.children;
    this.cards.replaceChildren(
      legend,
      ...cards.map(({ key, title, about }) => {
        const choice = element("input", { type: "radio", name: "model", value: key });
        choice.addEventListener("change", () => this.#ask({ model: key }));
        const text = span("card-told", element("strong", {}, title), span("card-about", about));
        return element("label", { class: "card" }, choice, text);
      }),
    );
  }

  /**
   * What the page shows now.
   * @param {ModelPlace} place
   */
  show({ model, texts: [first, second] }) {
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
      chip.hidden = languages.length > 0 && !languages.includes(chip.dataset.language);
  }

  /** @param {Partial<ModelPlace>} more */
  #ask(more) {
    const texts = [this.first, this.second]
      .filter(({ label }) => !label.hidden)
      .map(({ input }) => input.value.trim());
    this.host.asked({ texts: texts.filter((text, at) => text || at === 0), ...more });
  }

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

  #example(texts, language) {
    const onclick = () => {
      this.show({
        .../** @type {any} */ ({ texts }),
        model: /** @type {HTMLInputElement | null} */ (this.cards.querySelector(":checked"))?.value,
      });
      this.#ask({});
    };
    const parts = shortened(texts).map((text) => element("bdi", {}, text));
    return button(
      { class: "example", onclick, data: { language } },
      ...parts.flatMap((text, at) => (at ? [span("versus", "/"), text] : [text])),
    );
  }

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

  #unfold(open) {
    this.second.label.hidden = !open;
    this.more.hidden = open;
  }
}

/**
 * Two sentences in few words: how they begin, and where they part.
 * @param {string[]} texts
 */
function shortened([first, second]) {
  if (!second) return [first];
  const [ours, theirs] = [first, second].map((text) => text.split(" "));
  const same = theirs.findIndex((word, at) => word !== ours[at]);
  const parts = [ours, theirs].map((words) => words.slice(same).join(" "));
  return same > 2 ? [`${ours.slice(0, 2).join(" ")} … ${parts[0]}`, parts[1]] : [first, second];
}

/**
 * A sentence of the page that says what could not be done.
 * @returns {HTMLElement}
 */
export const fault = () => {
  const node = p("fault");
  node.setAttribute("role", "alert");
  return node;
};
