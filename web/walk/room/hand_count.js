// Answers that the room gives with its hands, where there are no telephones: the lecturer counts them before the number
// appears, and each answer has its bar. Both windows show the same.

import { button, div, element, fill, setValue, span } from "../../kit/dom.js";
import { valueAt } from "../../kit/graph.js";
import { withPoint } from "../../kit/numbers.js";
import { isRight } from "../picture/answers.js";
import { questionNodes } from "./poll.js";
import { ofHands } from "./tally.js";

const LETTERS = "ABCD";
const FEWEST = 2;
const MOST_HANDS = 9999;
const MOST_TEXT = 40; // characters of an answer

/** @typedef {HandCount["answers"][number]} Answer */
/** @typedef {{ row: HTMLElement; text: HTMLInputElement; count: HTMLInputElement; mark: HTMLElement }} Row */

const NO_HANDS = { text: "", count: 0 };

export class HandCounter {
  root = element("section", { class: "hands", hidden: true });
  /** @type {HandCount | null} */
  #state = null;
  /** @type {WalkModel | null} */
  #model = null;
  #hiding = false; // whether the number that is asked for is still hidden
  #rendered = "";
  /** @type {Row[]} */
  #rows = [];

  /** @param {() => void} changed something was changed here */
  constructor(changed) {
    this.changed = changed;
  }

  get state() {
    return this.#state;
  }

  /**
   * Ask the room; a second time ends it.
   * @param {string} text
   * @param {Cell | null} cell
   * @param {string[]} [texts] answers to begin with
   */
  ask(text, cell, texts = []) {
    const length = Math.max(FEWEST, texts.length);
    const answers = Array.from({ length }, (_, at) => ({ ...NO_HANDS, text: texts[at] ?? "" }));
    this.#become(this.#state ? null : { text, cell, answers });
  }

  /** Nothing is asked any more; the other window receives that with the next place. */
  end() {
    this.#state = null;
    this.#render();
  }

  /** Nothing is asked any more; whether something was. */
  close() {
    const wasOpen = this.#state !== null;
    if (wasOpen) this.#become(null);
    return wasOpen;
  }

  /**
   * What the other window shows.
   * @param {HandCount | null} state
   */
  receive(state) {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#render();
  }

  /**
   * New numbers, another language, or the number that was asked for is shown by now.
   * @param {WalkModel} model
   * @param {boolean} hiding
   */
  show(model, hiding) {
    this.#model = model;
    this.#hiding = hiding;
    this.#render();
  }

  /** @param {HandCount | null} state */
  #become(state) {
    this.#state = state;
    this.#render();
    this.changed();
  }

  /** @param {(answers: Answer[]) => Answer[]} change */
  #edit(change) {
    if (this.#state) this.#become({ ...this.#state, answers: change(this.#state.answers) });
  }

  /**
   * @param {number} at
   * @param {(answer: Answer) => Answer} change
   */
  #editAnswer(at, change) {
    this.#edit((answers) => answers.map((answer, index) => (index === at ? change(answer) : answer)));
  }

  /** The fields are built again only where there are others than before: who types in one keeps it. */
  #render() {
    const state = this.#state;
    this.root.hidden = !state;
    if (!state || !this.#model) return;
    const { lang, revision } = this.#model;
    const rendered = JSON.stringify([state.text, state.cell, state.answers.length, lang, revision]);
    if (rendered !== this.#rendered) this.#build(this.#model, state);
    this.#rendered = rendered;
    ofHands(state.answers, this.#rightIn(this.#model, state)).forEach(({ share, right }, at) => {
      const { row, text, count, mark } = this.#rows[at];
      setValue(text, state.answers[at].text);
      setValue(count, String(state.answers[at].count));
      row.style.setProperty("--share", share.toFixed(4));
      row.classList.toggle("right", right);
      mark.hidden = !right;
    });
  }

  /**
   * Whether an answer is the number that was asked for, once that may be known: of several near it the nearest.
   * @param {WalkModel} model
   * @param {HandCount} state
   */
  #rightIn(model, { cell, answers }) {
    const value = cell && !this.#hiding ? valueAt(model, cell) : undefined;
    if (value === undefined) return null;
    const distance = (/** @type {string} */ text) =>
      isRight(text, value) ? Math.abs(Number(withPoint(text)) - Number(value)) || 0 : Infinity;
    const least = Math.min(...answers.map(({ text }) => distance(text)));
    return (/** @type {string} */ text) => distance(text) === least && least < Infinity;
  }

  /**
   * @param {WalkModel} model
   * @param {HandCount} state
   */
  #build(model, { text, cell, answers }) {
    const { words } = model;
    const named = { title: words.dismiss, "aria-label": words.dismiss };
    const count = answers.length;
    this.#rows = answers.map((_, at) => this.#row(at, words));
    this.root.setAttribute("aria-label", words.hands);
    this.root.replaceChildren(
      element(
        "h3",
        {},
        ...questionNodes(model, { text, cell }, { ...words, question_open: words.hands_unasked }),
      ),
      element("ol", { class: "counting" }, ...this.#rows.map(({ row }) => row)),
      span(
        "group",
        this.#resize(words.hands_more, "+", count + 1, count < LETTERS.length),
        this.#resize(words.hands_fewer, "−", count - 1, count > FEWEST),
      ),
      button(
        { ...named, class: "round close", data: { focus: "hands close" }, onclick: () => this.close() },
        "✕",
      ),
    );
  }

  /**
   * The button for one answer more, or one fewer.
   * @param {string} label
   * @param {string} sign
   * @param {number} count answers then
   * @param {boolean} isEnabled
   */
  #resize(label, sign, count, isEnabled) {
    const onclick = () => this.#edit((answers) => [...answers, NO_HANDS].slice(0, count));
    const attributes = { class: "round", title: label, "aria-label": label, disabled: !isEnabled };
    return button({ ...attributes, data: { focus: `hands ${sign}` }, onclick }, sign);
  }

  /**
   * @param {number} at
   * @param {Record<string, string>} words
   * @returns {Row}
   */
  #row(at, words) {
    const letter = LETTERS[at];
    const label = fill(words.hands_answer, { letter });
    /** @type {HTMLInputElement} */
    const text = element("input", {
      type: "text",
      maxlength: MOST_TEXT,
      dir: "auto",
      placeholder: label,
      "aria-label": label,
      data: { focus: `hands answer ${at}` },
      oninput: () => this.#editAnswer(at, (answer) => ({ ...answer, text: text.value })),
    });
    /** @type {HTMLInputElement} */
    const count = element("input", {
      type: "number",
      min: 0,
      max: MOST_HANDS,
      "aria-label": fill(words.hands_count, { letter }),
      data: { focus: `hands count ${at}` },
      oninput: () => this.#editAnswer(at, (answer) => ({ ...answer, count: bounded(Number(count.value)) })),
      onchange: () => {
        count.value = String(bounded(Number(count.value)));
      },
    });
    const title = fill(words.hands_one, { letter });
    const onclick = () => this.#editAnswer(at, (answer) => ({ ...answer, count: bounded(answer.count + 1) }));
    const more = { class: "round", title, "aria-label": title, data: { focus: `hands one ${at}` }, onclick };
    const mark = element(
      "span",
      { class: "mark", role: "img", "aria-label": words.right, hidden: true },
      "✓",
    );
    const parts = [element("strong", {}, letter), text, count, button(more, "+1"), div("column"), mark];
    return { row: element("li", { class: "answer-row" }, ...parts), text, count, mark };
  }
}

/** @param {number} count */
const bounded = (count) => Math.min(MOST_HANDS, Math.max(0, Math.floor(count) || 0));
