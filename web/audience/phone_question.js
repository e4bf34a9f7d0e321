// The question of a lecture on a telephone that follows it: choices, or a number. The answer can be changed until the
// question is closed. Nobody is asked who he is.

import { button, element, fill, p, pressable, redrawn } from "../kit/dom.js";
import { sent } from "../walk/picture/answers.js";
import { questionNodes, rightOf } from "../walk/room/poll.js";
import { pause } from "../walk/room/stream.js";
import { choiceOf } from "../walk/room/tally.js";

const ATTEMPTS = 6;

/** @typedef {number | string} Answer the index of a choice, or a number as a text */
/** @typedef {{ question: number; answer: Answer }} SentAnswer */

/**
 * `isOneOfMany`: the projector hides other numbers with the one that is asked for.
 * @typedef {{ model: WalkModel; words: Record<string, string>; isOneOfMany: boolean }} QuestionContext
 */

export class PhoneQuestion {
  root = element("section", { class: "question", hidden: true });
  /** @type {Question | null} */
  #question = null;
  /** @type {QuestionContext | null} */
  #context = null;
  /** @type {Answer | null} */
  #answer = null;
  #field = ""; // what is typed
  #status = ""; // the name of a sentence
  #rendered = "";

  /** @param {(answer: SentAnswer) => Promise<Response>} send */
  constructor(send) {
    this.send = send;
  }

  /**
   * @param {Question | null} question
   * @param {QuestionContext} context
   */
  show(question, context) {
    if (question?.question !== this.#question?.question) {
      this.#answer = null;
      this.#field = this.#status = "";
    }
    this.#question = question;
    this.#context = context;
    if (question) rightOf(context.model, question); // by the numbers that are there while it is open
    this.#render();
  }

  #render() {
    const [question, context] = [this.#question, this.#context];
    const isShown = question !== null && (question.open || this.#answer !== null);
    this.root.hidden = !isShown;
    document.documentElement.toggleAttribute("data-asking", Boolean(question?.open && question.cell));
    if (!isShown || !context) return;
    const { model, words, isOneOfMany } = context;
    const state = [question, words.tag, this.#answer, this.#status, isOneOfMany, model.revision];
    const rendered = JSON.stringify(state);
    if (rendered === this.#rendered) return;
    this.#rendered = rendered;
    const heading = element("h2", {}, ...questionNodes(model, question, words));
    const parts = question.open ? this.#openParts(question, context) : this.#closedParts(question, context);
    redrawn(this.root, () => this.root.replaceChildren(heading, ...parts));
  }

  /** @type {(question: Question, context: QuestionContext) => Node[]} */
  #openParts(question, { words, isOneOfMany }) {
    return [
      ...(isOneOfMany ? [p("note", words.one_of_many)] : []),
      question.cell ? this.#numberForm(question, words) : this.#choices(question),
      element("p", { role: "status" }, words[this.#status] ?? ""),
    ];
  }

  /** @type {(question: Question, context: QuestionContext) => Node[]} */
  #closedParts(question, context) {
    const verdict = p("verdict", this.#verdict(question, context));
    return [verdict, this.#closeButton(context.words), element("p", { role: "status" })];
  }

  /** @param {Question} question */
  #choices(question) {
    return element(
      "div",
      { class: "ways", role: "group" },
      ...question.choices.map((_, index) =>
        pressable(
          this.#answer === index,
          { data: { focus: `choice ${index}` }, onclick: () => this.#give(question, index) },
          choiceOf(question, index),
        ),
      ),
    );
  }

  /** @type {(question: Question, words: Record<string, string>) => HTMLElement} */
  #numberForm(question, words) {
    const field = element("input", {
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": words.your_number,
      data: { focus: "number" },
    });
    field.value = this.#field;
    field.addEventListener("input", () => {
      this.#field = field.value;
    });
    const onsubmit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const number = sent(field.value);
      if (number) this.#give(question, number);
      else this.#setStatus("no_number");
    };
    return element("form", { class: "ways", onsubmit }, field, button({ type: "submit" }, words.send));
  }

  /** @param {Record<string, string>} words */
  #closeButton({ dismiss }) {
    const onclick = () => {
      this.#answer = null;
      this.#render();
    };
    return button({ class: "round", title: dismiss, "aria-label": dismiss, onclick }, "✕");
  }

  /**
   * What was answered, and what would have been right.
   * @type {(question: Question, context: QuestionContext) => string}
   */
  #verdict(question, { model, words }) {
    if (!question.cell) return fill(words.closed, { text: choiceOf(question, Number(this.#answer)) });
    const right = rightOf(model, question);
    const text = String(this.#answer).replaceAll("-", "−").replace("inf", "∞");
    const isRight = right?.is(String(this.#answer));
    return fill(isRight ? words.closed_right : words.closed_wrong, { text, number: right?.label });
  }

  /**
   * The last answer counts: an earlier one that is still on its way is not repeated.
   * @param {Pick<Question, "question">} question
   * @param {Answer} answer
   */
  async #give({ question }, answer) {
    this.#answer = answer;
    this.#setStatus("sending");
    const isLast = () => this.#answer === answer && this.#question?.question === question;
    for (let attempt = 0; attempt < ATTEMPTS && isLast(); attempt++) {
      const response = await this.send({ question, answer }).catch(() => null);
      if (!isLast()) return;
      if (response?.ok) return this.#setStatus("sent");
      // 403: the stream is not back yet
      if (response && response.status < 500 && ![403, 429].includes(response.status)) break;
      await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
    }
    if (isLast()) this.#setStatus("not_sent");
  }

  /** @param {string} name of a sentence */
  #setStatus(name) {
    this.#status = name;
    this.#render();
  }
}
