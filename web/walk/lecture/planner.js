// "My lecture": which steps are walked, in which order, with the lecturer's own notes, questions and minutes. It is
// beside the walk and not in it, so that nothing of it is rendered again while somebody types. A change is one edit.

import { Disclosure } from "../../kit/disclosure.js";
import {
  active,
  announcer,
  arrange,
  button,
  div,
  element,
  fill,
  p,
  setText,
  setValue,
  span,
} from "../../kit/dom.js";
import { sender } from "../../kit/sender.js";
import { MINUTES, shared } from "../place/lecture_route.js";
import {
  changed,
  choicesIn,
  entries,
  minutesIn,
  minutesOf,
  moved,
  movedTo,
  textIn,
  withChoice,
  written,
} from "./plan.js";

const MOST = { note: 1000, question: 200, choice: 40 }; // characters
const MOST_MINUTES = 600;
const LETTERS = "ABCD";

/**
 * What is shown of a step.
 * @typedef {{
 *   item: HTMLElement;
 *   show: HTMLInputElement;
 *   name: HTMLElement;
 *   number: HTMLElement;
 *   up: HTMLButtonElement;
 *   down: HTMLButtonElement;
 *   early: HTMLElement;
 *   note: HTMLTextAreaElement;
 *   question: HTMLInputElement;
 *   choices: HTMLInputElement[];
 *   minutes: HTMLInputElement;
 *   more: Disclosure;
 * }} Row
 */

export class Planner {
  root = element("section", { class: "planner", hidden: true });
  /** @type {LectureStep[]} */
  #steps = [];
  /** @type {number | undefined} */
  #minutes;
  /** @type {Map<string, Row>} */
  #rows = new Map();
  #draggedStep = "";
  #lang = "";
  #live = announcer();
  /** @type {Record<string, string>} */
  #words = {};
  /** @type {WalkStage[]} */
  #stages = [];
  /** @type {LecturePlan} */
  #lecture = { own: {}, usual: [], order: [], teaching: {} };
  #minutesField = element("input", {});
  #sum = element("p", {});
  #list = element("ol", {});

  /** @param {() => void} toggled the panel is open, or not any more */
  constructor(toggled) {
    this.toggled = toggled;
    this.root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** @param {boolean} isOpen */
  open(isOpen) {
    this.root.hidden = !isOpen;
    this.toggled();
    if (!isOpen) return;
    this.root.scrollIntoView();
    this.#list.querySelector("input")?.focus({ preventScroll: true });
  }

  /**
   * New numbers, or the answer to a change that was made here; a change on its way to the server stays.
   * @param {WalkModel} model
   */
  update(model) {
    if (!model.lecture) throw new Error("the walk of a lecturer has a lecture");
    this.#words = model.words;
    this.#stages = model.stages;
    this.#lecture = model.lecture;
    const isOtherLanguage = this.#lang !== model.lang;
    this.#lang = model.lang;
    if (isOtherLanguage) this.#build();
    if (isOtherLanguage || !sender.pending.some(({ op }) => op === "lecture")) {
      this.#steps = entries(model.lecture);
      this.#minutes = model.lecture.own.minutes ?? undefined;
    }
    this.#show();
  }

  #build() {
    const words = this.#words;
    this.#rows.clear();
    this.#minutesField = this.#numberField("own minutes", words.own_minutes, (minutes) => {
      this.#minutes = minutes;
      this.#send();
    });
    this.#sum = element("p", { class: "sum", role: "status" });
    const usual = button({ data: { focus: "own usual" }, onclick: () => this.#clear() }, words.own_usual);
    const named = { class: "round", title: words.dismiss, "aria-label": words.dismiss };
    const close = button({ ...named, data: { focus: "own close" }, onclick: () => this.open(false) }, "✕");
    this.root.setAttribute("aria-label", words.own_lecture);
    this.root.lang = words.lang;
    this.#list.replaceChildren();
    this.root.replaceChildren(
      div("head", element("h3", {}, words.own_lecture), close),
      p("about", words.own_about),
      div("all", this.#starts(), usual),
      div("all", element("label", {}, words.own_minutes, " ", this.#minutesField)),
      this.#sum,
      this.#list,
      this.#live,
    );
  }

  /** Lectures of so many minutes to begin with. */
  #starts() {
    const words = this.#words;
    const starts = MINUTES.map((minutes) =>
      button(
        { data: { focus: `own start ${minutes}` }, onclick: () => this.#start(minutes) },
        `${minutes} ${words.minutes_sign}`,
      ),
    );
    return element(
      "span",
      { class: "starts", role: "group", "aria-label": words.own_start },
      words.own_start,
      ...starts,
    );
  }

  #show() {
    const titles = new Map(this.#lecture.order.map(({ step, title, needs }) => [step, { title, needs }]));
    const shown = this.#steps.flatMap((own) => {
      const { title, needs } = titles.get(own.step) ?? {};
      return title ? [{ own, needs, title, row: this.#rowOf(own.step, title) }] : [];
    });
    arrangeMoved(
      this.#list,
      shown.map(({ row }) => row.item),
    );
    for (const [at, { row, own, title, needs = "" }] of shown.entries()) {
      setText(row.number, `${at + 1}`);
      setText(row.name, title);
      row.up.setAttribute("aria-disabled", String(at === 0)); // it keeps the focus
      row.down.setAttribute("aria-disabled", String(at === shown.length - 1));
      row.early.hidden = !needs;
      setText(row.early, fill(this.#words.step_early, { steps: needs }));
      this.#fillOwn(row, own);
    }
    setMinutes(this.#minutesField, this.#minutes);
    const planned = minutesOf(shown.map(({ own }) => own));
    this.#sum.hidden = !(planned && this.#minutes);
    setText(this.#sum, fill(this.#words.own_planned, { planned, minutes: this.#minutes ?? "" }));
    this.#sum.classList.toggle("over", this.#minutes !== undefined && planned > this.#minutes);
  }

  /**
   * What the lecturer has written to a step, except for a field in which somebody is typing.
   * @type {(row: Row, own: LectureStep) => void}
   */
  #fillOwn({ item, show, note, question, choices, minutes, more }, own) {
    item.classList.toggle("hidden-step", Boolean(own.hidden));
    show.checked = !own.hidden;
    setValue(note, textIn(own.note, this.#lang));
    setValue(question, textIn(own.question, this.#lang));
    const offered = choicesIn(own, this.#lang);
    for (const [at, choice] of choices.entries()) setValue(choice, offered[at] ?? "");
    setMinutes(minutes, own.minutes);
    if (!item.dataset.known) more.show(Boolean(own.note || own.question || own.choices));
    item.dataset.known = "1";
  }

  /** The row of a step, made where there is none. @type {(step: string, title: string) => Row} */
  #rowOf(step, title) {
    const row = this.#rows.get(step) ?? this.#makeRow(step, title);
    this.#rows.set(step, row);
    return row;
  }

  /** @type {(step: string, title: string) => Row} */
  #makeRow(step, title) {
    const words = this.#words;
    const labelled = (/** @type {string} */ label) => fill(words.step_field, { label, step: title });
    const show = this.#showSwitch(step, title);
    const handle = element(
      "span",
      { class: "handle", draggable: "true", title: words.step_drag, "aria-hidden": "true" },
      "⠿",
    );
    const name = span("name");
    const number = span("number");
    const up = this.#mover(step, title, "step_up", "↑", -1);
    const down = this.#mover(step, title, "step_down", "↓", 1);
    const minutes = this.#numberField(`own minutes ${step}`, title, (minutes) =>
      this.#change(step, { minutes }),
    );
    minutes.setAttribute("aria-label", labelled(words.step_minutes));
    /** @type {HTMLTextAreaElement} */
    const note = element("textarea", {
      ...this.#textAttributes(step, title, "note"),
      onchange: () => this.#change(step, { note: note.value.trim() }),
    });
    /** @type {HTMLInputElement} */
    const question = element("input", {
      ...this.#textAttributes(step, title, "question"),
      onchange: () => this.#change(step, { question: question.value.trim() }),
    });
    const choices = [...LETTERS].map((letter, at) => {
      const label = fill(words.choice_text, { letter });
      /** @type {HTMLInputElement} */
      const choice = element("input", {
        type: "text",
        maxlength: MOST.choice,
        placeholder: letter,
        title: label,
        "aria-label": labelled(label),
        dir: "auto",
        data: { focus: `own choice ${at} ${step}` },
        onchange: () => this.#changeChoice(step, at, choice.value.trim()),
      });
      return choice;
    });
    const early = p("early");
    const more = new Disclosure(
      { name: "own-words", focus: `own more ${step}` },
      [words.step_own],
      note,
      question,
      div("choices", ...choices),
    );
    const minutesSign = element("span", { "aria-hidden": "true" }, words.minutes_sign);
    const item = element(
      "li",
      { data: { step } },
      div(
        "line-of-step",
        handle,
        element("label", {}, show, " ", number, " ", name),
        span("ends", minutes, minutesSign, up, down),
      ),
      early,
      more.root,
    );
    this.#makeDraggable(item, handle, step);
    return { item, show, name, number, up, down, early, note, question, choices, minutes, more };
  }

  /** @type {(step: string, title: string) => HTMLInputElement} */
  #showSwitch(step, title) {
    /** @type {HTMLInputElement} */
    const show = element("input", {
      type: "checkbox",
      "aria-label": fill(this.#words.step_show, { step: title }),
      data: { focus: `own show ${step}` },
      onchange: () => this.#hide(step, !show.checked),
    });
    return show;
  }

  /**
   * The button that moves a step.
   * @type {(step: string, title: string, name: string, sign: string, by: number) => HTMLButtonElement}
   */
  #mover(step, title, name, sign, by) {
    const label = fill(this.#words[name], { step: title });
    const data = { focus: `own ${name} ${step}` };
    const onclick = () => this.#move(step, by);
    return button({ class: "round", title: label, "aria-label": label, data, onclick }, sign);
  }

  /**
   * @param {string} step
   * @param {string} title
   * @param {"note" | "question"} field
   */
  #textAttributes(step, title, field) {
    const label = this.#words[`step_${field}`];
    return {
      maxlength: MOST[field],
      placeholder: label,
      "aria-label": fill(this.#words.step_field, { label, step: title }),
      dir: "auto",
      data: { focus: `own ${field} ${step}` },
    };
  }

  /**
   * A row is dragged by its handle, and put before the one that it is dropped on.
   * @type {(item: HTMLElement, handle: HTMLElement, step: string) => void}
   */
  #makeDraggable(item, handle, step) {
    handle.addEventListener("dragstart", ({ dataTransfer }) => {
      this.#draggedStep = step;
      if (!dataTransfer) return;
      dataTransfer.effectAllowed = "move";
      dataTransfer.setData("text/plain", step);
      dataTransfer.setDragImage(item, 0, 0);
    });
    handle.addEventListener("dragend", () => {
      this.#draggedStep = "";
    });
    item.addEventListener("dragover", (event) => {
      if (!this.#draggedStep) return;
      event.preventDefault();
      item.classList.add("target");
    });
    item.addEventListener("dragleave", () => item.classList.remove("target"));
    item.addEventListener("drop", (event) => {
      event.preventDefault();
      item.classList.remove("target");
      if (!this.#draggedStep) return;
      const isDown = this.#indexOf(this.#draggedStep) < this.#indexOf(step);
      const before = isDown ? (this.#steps[this.#indexOf(step) + 1]?.step ?? null) : step;
      this.#become(movedTo(this.#steps, this.#draggedStep, before));
    });
  }

  /** @param {string} step */
  #indexOf(step) {
    return this.#steps.findIndex((own) => own.step === step);
  }

  /**
   * A field for minutes, with a point or a comma. A text that is no number stays to be mended, and a sentence below
   * names its step.
   * @type {(focus: string, label: string, take: (minutes: number | undefined) => void) => HTMLInputElement}
   */
  #numberField(focus, label, take) {
    const refused = element("p", { class: "refused", role: "alert" });
    const field = element("input", {
      class: "minutes",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      data: { focus },
      onchange: () => {
        const minutes = minutesIn(field.value);
        const isTaken = minutes >= 0 && minutes <= MOST_MINUTES;
        field.setAttribute("aria-invalid", String(!isTaken));
        if (isTaken) {
          refused.remove();
          take(minutes || undefined);
          return;
        }
        refused.textContent = fill(this.#words.minutes_refused, { label, most: MOST_MINUTES });
        field.closest("li, .all")?.append(refused);
      },
    });
    return field;
  }

  /** Alt and an arrow move the step whose row has the focus; Escape closes. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.open(false);
      return;
    }
    const by = event.key === "ArrowUp" ? -1 : event.key === "ArrowDown" ? 1 : 0;
    const { step } = (event.target instanceof Element && event.target.closest("li")?.dataset) || {};
    if (!event.altKey || !by || step === undefined) return;
    event.preventDefault();
    this.#move(step, by);
  }

  // --- changes -----------------------------------------------------------------------------------------------------

  /** @type {(step: string, fields: Partial<LectureStep>) => void} */
  #change(step, fields) {
    this.#become(changed(this.#steps, step, fields, this.#lang));
  }

  /** The text of a letter, of a question with choices. @type {(step: string, at: number, text: string) => void} */
  #changeChoice(step, at, text) {
    const { choices } = this.#steps[this.#indexOf(step)];
    this.#change(step, { choices: withChoice(choices, at, text, this.#lang) });
  }

  /** One step at least is shown. @type {(step: string, hidden: boolean) => void} */
  #hide(step, hidden) {
    const shown = this.#steps.filter((own) => !own.hidden && this.#isInExample(own.step));
    if (hidden && shown.length === 1) return this.#show();
    this.#change(step, { hidden: hidden || undefined });
  }

  /** @type {(step: string, by: number) => void} */
  #move(step, by) {
    this.#become(moved(this.#steps, step, by, (name) => this.#isInExample(name)));
    const row = this.#rows.get(step);
    if (row) setText(this.#live, `${row.number.textContent} ${row.name.textContent}`);
  }

  /** @param {string} step */
  #isInExample(step) {
    return this.#lecture.usual.includes(step);
  }

  #clear() {
    this.#minutes = undefined;
    this.#become(this.#lecture.usual.map((step) => ({ step })));
  }

  /** Its minutes are shared among the steps that are shown; what was written to them stays. @param {number} minutes */
  #start(minutes) {
    const shares = shared(this.#stages, minutes);
    this.#minutes = minutes;
    this.#become(
      this.#steps.reduce(
        (steps, { step }) => changed(steps, step, { minutes: shares.get(step) }, this.#lang),
        this.#steps,
      ),
    );
  }

  /** @param {LectureStep[]} steps */
  #become(steps) {
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#show();
    this.#send();
  }

  #send() {
    const lecture = written(this.#steps, this.#minutes, this.#lecture.usual);
    sender.send({ op: "lecture", lecture });
  }
}

/**
 * The minutes in a field; a text that was refused there stays until it is mended.
 * @type {(field: HTMLInputElement, minutes: number | null | undefined) => void}
 */
function setMinutes(field, minutes) {
  if (field.getAttribute("aria-invalid") !== "true") setValue(field, minutes ?? "");
}

/**
 * Arrange these children in this order; the one with the focus keeps it.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
function arrangeMoved(parent, children) {
  const focused = active(parent);
  arrange(parent, children);
  if (focused instanceof HTMLElement && parent.contains(focused)) focused.focus();
}
