// Where there are no telephones: answers that the room gives with its hands, counted by the lecturer before the number
// appears, each with its bar. Both windows show the same.

import { button, div, element, elementsOf, fill, requireElement, setValue, span } from "../../kit/dom.js";
import { valueAt } from "../../kit/graph.js";
import { usual } from "../../kit/numbers.js";
import { isRight } from "../picture/answers.js";
import { asked } from "./poll.js";
import { ofHands } from "./tally.js";

const LETTERS = "ABCD";
const FEWEST = 2;
const MOST_HANDS = 9999;
const MOST_TEXT = 40; // characters of an answer

/**
 * What is asked, of which cell if of one, and the answers with their hands.
 * @typedef {{ text: string; cell: Cell | null; answers: { text: string; count: number }[] }} Asked
 */

const NONE = { text: "", count: 0 };

export class Hands {
  root = element("section", { class: "hands", hidden: true });
  /** @type {Asked | null} */
  #state = null;
  /** @type {WalkModel} */
  #model = null;
  #hiding = false;
  #drawn = "";

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
   * @param {string[]} [texts] of answers that stand there already
   */
  ask(text, cell, texts = []) {
    const length = Math.max(FEWEST, texts.length);
    const answers = Array.from({ length }, (_, at) => ({ ...NONE, text: texts[at] ?? "" }));
    this.#become(this.#state ? null : { text, cell, answers });
  }

  /** No longer, and the other window is told with the place. */
  end() {
    this.#state = null;
    this.#draw();
  }

  /** No longer; whether something was asked. */
  close() {
    const wasOpen = this.#state !== null;
    if (wasOpen) this.#become(null);
    return wasOpen;
  }

  /**
   * What the other window shows.
   * @param {Asked | null} state
   */
  take(state) {
    if (JSON.stringify(state) === JSON.stringify(this.#state)) return;
    this.#state = state;
    this.#draw();
  }

  /** New numbers, another language, or what was asked for is shown by now. */
  show(model, hiding) {
    this.#model = model;
    this.#hiding = hiding;
    this.#draw();
  }

  #become(state) {
    this.#state = state;
    this.#draw();
    this.changed();
  }

  #change(at, fields) {
    const answers = this.#state.answers.map((one, index) => (index === at ? { ...one, ...fields } : one));
    this.#become({ ...this.#state, answers });
  }

  /** The fields are drawn where there are others than before: who types in one keeps it. */
  #draw() {
    const state = this.#state;
    this.root.hidden = !state;
    if (!state || !this.#model) return;
    const { words, lang, revision } = this.#model;
    const drawn = JSON.stringify([state.text, state.cell, state.answers.length, lang, revision]);
    if (drawn !== this.#drawn) this.#build(words);
    this.#drawn = drawn;
    const rows = elementsOf(this.root, ".answer-row");
    ofHands(state.answers, this.#right()).forEach(({ share, right }, at) => {
      const [row, { text, count }] = [rows[at], state.answers[at]];
      setValue(row.querySelector(`[data-focus="hands answer ${at}"]`), text);
      setValue(row.querySelector(`[data-focus="hands count ${at}"]`), String(count));
      row.style.setProperty("--share", share.toFixed(4));
      row.classList.toggle("right", right);
      requireElement(row, ".mark").hidden = !right;
    });
  }

  /** Whether an answer is the number that was asked for, once that may be known: of several near it the nearest. */
  #right() {
    const { cell, answers } = this.#state;
    const value = cell && !this.#hiding ? valueAt(this.#model, cell) : undefined;
    if (value === undefined) return null;
    const off = (text) =>
      isRight(text, value) ? Math.abs(Number(usual(text)) - Number(value)) || 0 : Infinity;
    const least = Math.min(...answers.map(({ text }) => off(text)));
    return (text) => off(text) === least && least < Infinity;
  }

  #build(words) {
    const { answers } = this.#state;
    const named = { title: words.dismiss, "aria-label": words.dismiss };
    this.root.setAttribute("aria-label", words.hands);
    this.root.replaceChildren(
      element("h3", {}, ...asked(this.#model, this.#state, { ...words, question_open: words.hands_unasked })),
      element("ol", { class: "counting" }, ...answers.map((_, at) => this.#row(at, words))),
      span(
        "group",
        this.#more(words.hands_more, "+", answers.length + 1, answers.length < LETTERS.length),
        this.#more(words.hands_fewer, "−", answers.length - 1, answers.length > FEWEST),
      ),
      button(
        { ...named, class: "round close", data: { focus: "hands close" }, onclick: () => this.close() },
        "✕",
      ),
    );
  }

  /** One answer more, or one fewer. */
  #more(label, sign, count, can) {
    const onclick = () => {
      const { answers } = this.#state;
      this.#become({ ...this.#state, answers: [...answers, NONE].slice(0, count) });
    };
    const attributes = { class: "round", title: label, "aria-label": label, disabled: !can };
    return button({ ...attributes, data: { focus: `hands ${sign}` }, onclick }, sign);
  }

  #row(at, words) {
    const letter = LETTERS[at];
    const text = element("input", {
      type: "text",
      maxlength: MOST_TEXT,
      dir: "auto",
      placeholder: fill(words.hands_answer, { letter }),
      "aria-label": fill(words.hands_answer, { letter }),
      data: { focus: `hands answer ${at}` },
      oninput: () => this.#change(at, { text: text.value }),
    });
    const count = element("input", {
      type: "number",
      min: 0,
      max: MOST_HANDS,
      "aria-label": fill(words.hands_count, { letter }),
      data: { focus: `hands count ${at}` },
      oninput: () => this.#change(at, { count: bounded(Number(count.value)) }),
      onchange: () => {
        count.value = String(bounded(Number(count.value)));
      },
    });
    const one = fill(words.hands_one, { letter });
    const onclick = () => this.#change(at, { count: bounded(this.#state.answers[at].count + 1) });
    const more = {
      class: "round",
      title: one,
      "aria-label": one,
      data: { focus: `hands one ${at}` },
      onclick,
    };
    const mark = element(
      "span",
      { class: "mark", role: "img", "aria-label": words.right, hidden: true },
      "✓",
    );
    const parts = [element("strong", {}, letter), text, count, button(more, "+1"), div("column"), mark];
    return element("li", { class: "answer-row" }, ...parts);
  }
}

const bounded = (count) => Math.min(MOST_HANDS, Math.max(0, Math.floor(count) || 0));
