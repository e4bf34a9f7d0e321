// What a presenter asks a room, and hands out to it.

import { Disclosure } from "../../kit/disclosure.js";
import { div, element, fill, named, span, titled } from "../../kit/dom.js";
import { belowRoot } from "../../kit/root.js";
import { ownOf } from "../place/lecture_route.js";
import { walkButton } from "../room/buttons.js";
import { room } from "../room/room.js";
import { exerciseIn } from "./exercise_link.js";
import { choicesIn, textIn } from "./plan.js";

const CHOICES = [2, 3, 4];
const LETTERS = "ABCD";
const MOST_CHOICE = 40; // characters of a choice
const LINKED = "link"; // among the exercises: no step is called so

/**
 * `showCode`: how to get in; `predictHere`: ask for the number at this place; `refuseBusy`: a question is open already.
 * @typedef {{ showCode: () => void; predictHere: () => void; refuseBusy: () => void; changed: () => void }} RoomControlsHost
 */

export class RoomControls {
  root = div("room-desk");
  sentence = ""; // in which the number here is asked for
  #text = ""; // the words of the question to be asked
  /** @type {string[]} */
  #choices = []; // the texts of its letters
  #prefilledFor = ""; // the step, with its question, that was looked at last
  #filled = ""; // the one whose question was filled in
  #isFolded = false;
  #refused = ""; // what was pasted and is no exercise's link
  #isWordless = false; // choices were to be offered without a question
  #host;

  /** @param {RoomControlsHost} host */
  constructor(host) {
    this.#host = host;
  }

  /** What it shows of its own, which can be compared as JSON. */
  get state() {
    return [this.#filled, this.#refused, this.#isWordless];
  }

  /**
   * Fill in the lecturer's own question of a step; where there is none, what was typed stays.
   * @param {WalkModel} model
   * @param {string} step
   */
  prefill(model, step) {
    const own = ownOf(model, step);
    const question = textIn(own.question, model.lang);
    const choices = choicesIn(own, model.lang);
    const source = JSON.stringify([step, question, choices]);
    if (source === this.#prefilledFor) return;
    this.#prefilledFor = source;
    if (!question && !choices.length) return;
    this.#text = question;
    this.#choices = choices;
    this.#filled = source;
  }

  unfold() {
    this.#isFolded = false;
  }

  /** The focus goes to the field for a question. */
  focusQuestion() {
    named(this.root, "room question")?.focus();
  }

  /**
   * What can be asked and shown; folded it is a line.
   * @param {WalkModel} model
   * @param {RoomState} state
   */
  parts(model, state) {
    const { words } = model;
    const toggled = (/** @type {boolean} */ isOpen) => {
      this.#isFolded = !isOpen;
    };
    const title = [words.room, " ", state.code, " · ", span("followers")];
    return new Disclosure(
      { name: "room-fold", focus: "room desk", isOpen: !this.#isFolded, toggled },
      title,
      div(
        "asking",
        span("group", this.#codeButton(words, state), this.#predictButton(words)),
        span("group", this.#questionField(words), ...CHOICES.map((count) => this.#choicesButton(count))),
        span("group choices", ...[...LETTERS].map((letter, at) => this.#choiceField(words, letter, at))),
        this.#isWordless ? element("p", { role: "alert" }, words.question_wanted) : null,
        this.#refused ? element("p", { role: "alert" }, words.exercise_refused) : null,
        span("group", this.#exerciseSelect(model, state), this.#linkField(words)),
      ),
    ).root;
  }

  /**
   * How to get in, for the audience.
   * @type {(words: Record<string, string>, state: RoomState) => HTMLElement}
   */
  #codeButton(words, state) {
    const attributes = { "aria-pressed": String(state.card === "code") };
    return walkButton("room show code", () => this.#host.showCode(), attributes, words.room_show);
  }

  /** @param {Record<string, string>} words */
  #predictButton(words) {
    return walkButton("room predict cell", () => this.#askCell(), {}, words.question_predict);
  }

  /** @param {Record<string, string>} words */
  #questionField({ question_text: label }) {
    const field = element("input", {
      type: "text",
      maxlength: 200,
      oninput: () => {
        this.#text = field.value;
      },
      "aria-invalid": this.#isWordless ? "true" : null,
      placeholder: label,
      "aria-label": label,
      data: { focus: "room question" },
    });
    field.value = this.#text;
    return field;
  }

  /**
   * The text of a letter, where it is to have one.
   * @type {(words: Record<string, string>, letter: string, at: number) => HTMLElement}
   */
  #choiceField(words, letter, at) {
    const label = fill(words.choice_text, { letter });
    const field = element("input", {
      type: "text",
      maxlength: MOST_CHOICE,
      placeholder: letter,
      title: label,
      "aria-label": label,
      dir: "auto",
      data: { focus: `room choice ${at}` },
      oninput: () => {
        this.#choices[at] = field.value;
      },
    });
    field.value = this.#choices[at] ?? "";
    return field;
  }

  /** @param {number} count */
  #choicesButton(count) {
    const label = [...LETTERS].slice(0, count).join(" ");
    return walkButton(`room choices ${count}`, () => this.#askChoices(count), {}, label);
  }

  /** @type {(model: WalkModel, state: RoomState) => HTMLElement} */
  #exerciseSelect({ words, steps, matrices }, { link, exercise }) {
    const chosen = link ? LINKED : exercise;
    const option = (/** @type {string} */ value, /** @type {string} */ text) =>
      element("option", { value, selected: value === chosen }, text);
    const onchange = () => {
      if (select.value !== LINKED) this.#handOut({ exercise: select.value });
    };
    const select = element(
      "select",
      { "aria-label": words.exercise_of_the_day, onchange, data: { focus: "room exercise" } },
      option("", titled(words, words.exercise_of_the_day, words.exercise_none)),
      link ? option(LINKED, words.exercise_of_link) : null,
      ...Object.keys(steps).map((name) => option(name, matrices[name].word)),
    );
    return select;
  }

  /** The field into which the link of any exercise is pasted. @param {Record<string, string>} words */
  #linkField({ exercise_link: label }) {
    /** @type {HTMLInputElement} */
    const field = element("input", {
      type: "url",
      placeholder: label,
      "aria-label": label,
      data: { focus: "room link" },
      "aria-invalid": this.#refused ? "true" : null,
      onchange: () => this.#pasteLink(field.value),
    });
    field.value = this.#refused;
    return field;
  }

  /** @param {string} text */
  #pasteLink(text) {
    const link = exerciseIn(text, belowRoot("check"));
    if (link) return this.#handOut({ link });
    this.#refused = text;
    this.#host.changed();
  }

  /** @param {{ exercise?: string; link?: string }} offer */
  #handOut(offer) {
    this.#refused = "";
    room.handOut(offer);
  }

  /** Choices without texts need the words of a question first. @param {number} count */
  #askChoices(count) {
    this.#isWordless = !this.#text.trim();
    this.#host.changed();
    if (this.#isWordless) return this.focusQuestion();
    const choices = Array.from({ length: count }, (_, at) => (this.#choices[at] ?? "").trim());
    room.ask({ text: this.#text, choices });
    this.#text = "";
    this.#choices = [];
  }

  /** The number that is computed here is hidden, and asked for. */
  #askCell() {
    if (room.question?.open && !room.question.cell) return this.#host.refuseBusy();
    this.sentence = this.#text;
    this.#host.predictHere();
    this.sentence = this.#text = "";
  }
}
