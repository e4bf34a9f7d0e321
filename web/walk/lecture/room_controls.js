// What a presenter asks a room, and hands out to it.

import { Disclosure } from "../../kit/disclosure.js";
import { button, div, element, fill, named, span } from "../../kit/dom.js";
import { belowRoot } from "../../kit/root.js";
import { ownOf } from "../place/lecture_route.js";
import { room } from "../room/room.js";
import { exerciseIn } from "./exercise_link.js";
import { choicesIn, textIn } from "./plan.js";

const CHOICES = [2, 3, 4];
const LETTERS = "ABCD";
const MOST_CHOICE = 40; // characters of a choice
const LINKED = "link"; // among the exercises: no step is called so

/** A button of the room, which leaves the keys to the walk. */
export function pressed(focus, act, attributes, ...parts) {
  const onclick = (event) => {
    if (event.detail > 0) event.currentTarget.blur(); // the keys walk on
    act();
  };
  return button({ ...attributes, data: { focus: `room ${focus}` }, onclick }, ...parts);
}

export class Desk {
  root = div("room-desk");
  sentence = ""; // in which the number here is asked for
  #text = ""; // the words of the question to be asked
  /** @type {string[]} */
  #choices = []; // what its letters stand for
  #stage = ""; // whose question was looked for last
  #filled = ""; // whose was filled in
  #folded = false;
  #refused = ""; // what was pasted and is no exercise's link
  #isWordless = false; // a choice was to be offered, and it does not say of what
  #lecturer;

  /** @param {import("./lecturer.js").Lecturer} lecturer */
  constructor(lecturer) {
    this.#lecturer = lecturer;
  }

  /** What it shows of its own, as text that can be compared. */
  get state() {
    return [this.#filled, this.#refused, this.#isWordless];
  }

  /** The lecturer's own question of a step stands ready to be asked; what was typed stays where there is none. */
  prefill(model, stage) {
    const own = ownOf(model, stage);
    const question = textIn(own.question, model.lang);
    const choices = choicesIn(own, model.lang);
    const stands = JSON.stringify([stage, question, choices]);
    if (stands === this.#stage) return;
    this.#stage = stands;
    if (!question && !choices.length) return;
    this.#text = question;
    this.#choices = choices;
    this.#filled = this.#stage;
  }

  unfold() {
    this.#folded = false;
  }

  /** The words of a question are typed from now on. */
  begin() {
    named(this.root, "room question").focus();
  }

  /** What he asks, and shows; folded away it is a line. */
  parts(at) {
    const { words } = this.#lecturer;
    const toggled = (isOpen) => (this.#folded = !isOpen);
    const title = [words.room, " ", at.code, " · ", span("followers")];
    return new Disclosure(
      { name: "room-fold", focus: "room desk", isOpen: !this.#folded, toggled },
      title,
      div(
        "asking",
        span("group", this.#code(at), this.#predict()),
        span("group", this.#question(), ...CHOICES.map((count) => this.#choose(count))),
        span("group choices", ...[...LETTERS].map((letter, at) => this.#choice(letter, at))),
        this.#isWordless ? element("p", { role: "alert" }, words.question_wanted) : null,
        this.#refused ? element("p", { role: "alert" }, words.exercise_refused) : null,
        span("group", this.#exercises(at), this.#linking()),
      ),
    ).root;
  }

  /** How to get in, for the audience. */
  #code(at) {
    const isShown = { "aria-pressed": String(at.card === "code") };
    return pressed("show code", () => this.#lecturer.turn("code"), isShown, this.#lecturer.words.room_show);
  }

  #question() {
    const { question_text: label } = this.#lecturer.words;
    const oninput = ({ target }) => (this.#text = target.value);
    const named = { placeholder: label, "aria-label": label, data: { focus: "room question" } };
    const invalid = this.#isWordless ? "true" : null;
    const field = element("input", {
      type: "text",
      maxlength: 200,
      oninput,
      "aria-invalid": invalid,
      ...named,
    });
    field.value = this.#text;
    return field;
  }

  /** What a letter stands for, where it is to say anything. */
  #choice(letter, at) {
    const label = fill(this.#lecturer.words.choice_text, { letter });
    const field = element("input", {
      type: "text",
      maxlength: MOST_CHOICE,
      placeholder: letter,
      title: label,
      "aria-label": label,
      dir: "auto",
      data: { focus: `room choice ${at}` },
      oninput: () => (this.#choices[at] = field.value),
    });
    field.value = this.#choices[at] ?? "";
    return field;
  }

  #choose(count) {
    const label = [...LETTERS].slice(0, count).join(" ");
    return pressed(`choices ${count}`, () => this.#askChoices(count), {}, label);
  }

  #predict() {
    return pressed("predict cell", () => this.#askCell(), {}, this.#lecturer.words.question_predict);
  }

  #exercises(at) {
    const { words, steps, matrices } = this.#lecturer.walk.model;
    const chosen = at.link ? LINKED : at.exercise;
    const option = (value, text) => element("option", { value, selected: value === chosen }, text);
    const onchange = ({ target }) => this.#handOut({ exercise: target.value });
    return element(
      "select",
      { "aria-label": words.exercise_of_the_day, onchange, data: { focus: "room exercise" } },
      option("", `${words.exercise_of_the_day}: ${words.exercise_none}`),
      at.link ? option(LINKED, words.exercise_of_link) : null,
      ...Object.keys(steps).map((name) => option(name, matrices[name].word)),
    );
  }

  /** Where the link of any exercise is pasted. */
  #linking() {
    const { exercise_link: label } = this.#lecturer.words;
    const named = { placeholder: label, "aria-label": label, data: { focus: "room link" } };
    const field = element("input", {
      type: "url",
      ...named,
      "aria-invalid": this.#refused ? "true" : null,
      onchange: () => this.#paste(field.value),
    });
    field.value = this.#refused;
    return field;
  }

  /** @param {string} text */
  #paste(text) {
    const link = exerciseIn(text, belowRoot("check"));
    if (link) return this.#handOut({ link });
    this.#refused = text;
    this.#lecturer.show();
  }

  #handOut(of) {
    if (of.exercise === LINKED) return;
    this.#refused = "";
    room.handOut(of);
  }

  /** A choice that does not say of what is asked for its words first. */
  #askChoices(count) {
    this.#isWordless = !this.#text.trim();
    this.#lecturer.show();
    if (this.#isWordless) return this.begin();
    const choices = Array.from({ length: count }, (_, at) => (this.#choices[at] ?? "").trim());
    room.ask({ text: this.#text, choices });
    this.#text = "";
    this.#choices = [];
  }

  /** The number that is worked out here is hidden, and asked for. */
  #askCell() {
    if (room.question?.open && !room.question.cell) return this.#lecturer.refuse();
    this.sentence = this.#text;
    this.#lecturer.walk.setPredicting(true, { once: true });
    this.sentence = this.#text = "";
  }
}
