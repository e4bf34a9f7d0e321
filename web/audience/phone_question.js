// The question of a lecture on a telephone that follows it: a choice, or a number, which can be changed until the
// question is closed. Nobody is asked who he is.

import { button, element, fill, p, pressable, redrawn } from "../kit/dom.js";
import { sent } from "../walk/picture/answers.js";
import { asked, rightOf } from "../walk/room/poll.js";
import { pause } from "../walk/room/stream.js";
import { choiceOf } from "../walk/room/tally.js";

const ATTEMPTS = 6;

export class Asked {
  root = element("section", { class: "question", hidden: true });
  /** @type {Question | null} */
  #question = null;
  /** @type {WalkModel} */
  #model = null;
  /** @type {Record<string, string>} */
  #words = {};
  #given = null; // the answer as it is sent, null before there is one
  #field = "";
  #status = ""; // the name of a sentence
  #isOneOfMany = false;
  #drawn = "";

  /** @param {(answer: any) => Promise<Response>} send */
  constructor(send) {
    this.send = send;
  }

  /**
   * @param {Question | null} question
   * @param {WalkModel} model
   * @param {Record<string, string>} words
   * @param {boolean} isOneOfMany the wall hides other numbers with the one that is asked for
   */
  show(question, model, words, isOneOfMany) {
    if (question?.question !== this.#question?.question) {
      this.#given = null;
      this.#field = this.#status = "";
    }
    this.#question = question;
    this.#model = model;
    this.#words = words;
    this.#isOneOfMany = isOneOfMany;
    if (question) rightOf(model, question);
    this.#draw();
  }

  #draw() {
    const question = this.#question;
    this.root.hidden = !question || !(question.open || this.#given !== null);
    document.documentElement.toggleAttribute("data-asking", Boolean(question?.open && question.cell));
    if (this.root.hidden) return;
    const { revision } = this.#model;
    const drawn = JSON.stringify([
      question,
      this.#words.tag,
      this.#given,
      this.#status,
      this.#isOneOfMany,
      revision,
    ]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const parts = [
      element("h2", {}, ...asked(this.#model, question, this.#words)),
      question.open && this.#isOneOfMany ? p("note", this.#words.one_of_many) : "",
      ...(question.open ? this.#ways() : [p("verdict", this.#verdict()), this.#close()]),
      element("p", { role: "status" }, question.open ? (this.#words[this.#status] ?? "") : ""),
    ];
    redrawn(this.root, () => this.root.replaceChildren(...parts));
  }

  /** What can be answered. */
  #ways() {
    const question = this.#question;
    if (question.cell) return [this.#form()];
    return [
      element(
        "div",
        { class: "ways", role: "group" },
        ...question.choices.map((_, index) =>
          pressable(
            this.#given === index,
            { data: { focus: `choice ${index}` }, onclick: () => this.#give(index) },
            choiceOf(question, index),
          ),
        ),
      ),
    ];
  }

  #form() {
    const words = this.#words;
    const field = element("input", {
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": words.your_number,
      data: { focus: "number" },
    });
    field.value = this.#field;
    field.addEventListener("input", () => (this.#field = field.value));
    const onsubmit = (event) => {
      event.preventDefault();
      const number = sent(field.value);
      if (number) this.#give(number);
      else this.#say("no_number");
    };
    return element("form", { class: "ways", onsubmit }, field, button({ type: "submit" }, words.send));
  }

  #close() {
    const { dismiss } = this.#words;
    const onclick = () => {
      this.#given = null;
      this.#draw();
    };
    return button({ class: "round", title: dismiss, "aria-label": dismiss, onclick }, "✕");
  }

  /** What was answered, and what would have been right. */
  #verdict() {
    const words = this.#words;
    const question = this.#question;
    if (!question.cell) return fill(words.closed, { text: choiceOf(question, this.#given) });
    const right = rightOf(this.#model, question);
    const text = String(this.#given).replaceAll("-", "−").replace("inf", "∞");
    const isRight = right?.is(String(this.#given));
    return fill(isRight ? words.closed_right : words.closed_wrong, { text, number: right?.label });
  }

  /** The last answer counts: an earlier one that is still on its way is not repeated. */
  async #give(answer) {
    this.#given = answer;
    this.#say("sending");
    const { question } = this.#question;
    const isLast = () => this.#given === answer && this.#question?.question === question;
    for (let attempt = 0; attempt < ATTEMPTS && isLast(); attempt++) {
      const got = await this.send({ question, answer }).catch(() => null);
      if (!isLast()) return;
      if (got?.ok) return this.#say("sent");
      if (got && got.status < 500 && ![403, 429].includes(got.status)) break; // 403: the stream is not back yet
      await new Promise((resolve) => setTimeout(resolve, pause(attempt)));
    }
    if (isLast()) this.#say("not_sent");
  }

  #say(name) {
    this.#status = name;
    this.#draw();
  }
}
