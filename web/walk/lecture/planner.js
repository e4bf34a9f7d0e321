// "My lecture": which steps are walked, in which order, with the lecturer's own notes, questions and minutes. It stands
// beside the walk and not in it, so that nothing of it is drawn anew while somebody types; a change is one edit.

import { Disclosure } from "../../kit/disclosure.js";
import { announcer, arrange, button, div, element, fill, p, setText, setValue, span } from "../../kit/dom.js";
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

const MOST = { note: 1000, question: 200, choice: 40 };
const MOST_MINUTES = 600;
const LETTERS = "ABCD";

export class Planner {
  root = element("section", { class: "planner", hidden: true });
  /** @type {OwnStep[]} */
  #steps = [];
  /** @type {number | undefined} */
  #minutes;
  /** @type {Map<string, ReturnType<Planner["row"]>>} */
  #rows = new Map();
  #dragged = "";
  #lang = "";
  #live = announcer();
  /** @type {WalkModel} */
  #model = null;

  /** @param {() => void} toggled the panel is open, or not any more */
  constructor(toggled) {
    this.toggled = toggled;
    this.list = element("ol", {});
    this.root.addEventListener("keydown", (event) => this.#key(event));
  }

  get isOpen() {
    return !this.root.hidden;
  }

  open(isOpen) {
    this.root.hidden = !isOpen;
    this.toggled();
    if (!isOpen) return;
    this.root.scrollIntoView();
    this.list.querySelector("input")?.focus({ preventScroll: true });
  }

  /**
   * New numbers, or the answer to what was changed here; what is on its way to the server stands.
   * @param {WalkModel} model
   */
  update(model) {
    this.#model = model;
    const anew = this.#lang !== model.lang;
    this.#lang = model.lang;
    if (anew) this.#build();
    if (anew || !sender.pending.some(({ op }) => op === "lecture")) {
      this.#steps = entries(model.lecture);
      this.#minutes = model.lecture.own.minutes;
    }
    this.#show();
  }

  get #words() {
    return this.#model.words;
  }

  #build() {
    const words = this.#words;
    this.#rows.clear();
    this.minutes = this.#number("own minutes", words.own_minutes, (minutes) => {
      this.#minutes = minutes;
      this.#send();
    });
    this.sum = element("p", { class: "sum", role: "status" });
    const usual = button({ data: { focus: "own usual" }, onclick: () => this.#clear() }, words.own_usual);
    const named = { class: "round", title: words.dismiss, "aria-label": words.dismiss };
    const close = button({ ...named, data: { focus: "own close" }, onclick: () => this.open(false) }, "✕");
    this.root.setAttribute("aria-label", words.own_lecture);
    this.root.lang = words.lang;
    this.list.replaceChildren();
    this.root.replaceChildren(
      div("head", element("h3", {}, words.own_lecture), close),
      p("about", words.own_about),
      div("all", this.#starts(), usual),
      div("all", element("label", {}, words.own_minutes, " ", this.minutes)),
      this.sum,
      this.list,
      this.#live,
    );
  }

  /** A lecture of so many minutes to begin with. */
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
    const { lecture, words } = this.#model;
    const byStep = new Map(lecture.order.map((one) => [one.step, one]));
    const there = this.#steps.filter(({ step }) => byStep.get(step)?.title);
    for (const { step } of there)
      if (!this.#rows.has(step)) this.#rows.set(step, this.row(step, byStep.get(step).title));
    arrangeMoved(
      this.list,
      there.map(({ step }) => this.#rows.get(step).item),
    );
    for (const [at, one] of there.entries()) this.#fill(one, byStep.get(one.step), at, there.length);
    setMinutes(this.minutes, this.#minutes);
    const planned = minutesOf(there);
    this.sum.hidden = !(planned && this.#minutes);
    setText(this.sum, fill(words.own_planned, { planned, minutes: this.#minutes ?? "" }));
    this.sum.classList.toggle("over", planned > this.#minutes);
  }

  /** What stands in a step's row, but for what somebody is typing. */
  #fill(one, { title, needs }, at, count) {
    const { item, show, name, number, up, down, early, note, question, choices, minutes, more } =
      this.#rows.get(one.step);
    item.classList.toggle("hidden-step", Boolean(one.hidden));
    show.checked = !one.hidden;
    setText(number, `${at + 1}`);
    setText(name, title);
    up.setAttribute("aria-disabled", String(at === 0)); // it keeps the focus
    down.setAttribute("aria-disabled", String(at === count - 1));
    early.hidden = !needs;
    setText(early, fill(this.#words.step_early, { steps: needs }));
    setValue(note, textIn(one.note, this.#lang));
    setValue(question, textIn(one.question, this.#lang));
    const offered = choicesIn(one, this.#lang);
    choices.forEach((choice, at) => void setValue(choice, offered[at] ?? ""));
    setMinutes(minutes, one.minutes);
    if (!item.dataset.known) more.show(Boolean(one.note || one.question || one.choices));
    item.dataset.known = "1";
  }

  /** One step: to be shown or not, moved, and written to. */
  row(step, title) {
    const words = this.#words;
    const of = (label) => fill(words.step_field, { label, step: title });
    const text = (tag, field) => {
      const label = words[`step_${field}`];
      const node = element(tag, {
        maxlength: MOST[field],
        placeholder: label,
        "aria-label": of(label),
        dir: "auto",
        data: { focus: `own ${field} ${step}` },
        onchange: () => this.#change(step, { [field]: node.value.trim() }),
      });
      return node;
    };
    const button_ = (name, sign, by) =>
      button(
        {
          class: "round",
          title: fill(words[name], { step: title }),
          "aria-label": fill(words[name], { step: title }),
          data: { focus: `own ${name} ${step}` },
          onclick: () => this.#move(step, by),
        },
        sign,
      );
    const show = element("input", {
      type: "checkbox",
      "aria-label": fill(words.step_show, { step: title }),
      data: { focus: `own show ${step}` },
      onchange: () => this.#hide(step, !show.checked),
    });
    const handle = element(
      "span",
      { class: "handle", draggable: "true", title: words.step_drag, "aria-hidden": "true" },
      "⠿",
    );
    const name = span("name");
    const number = span("number");
    const up = button_("step_up", "↑", -1);
    const down = button_("step_down", "↓", 1);
    const minutes = this.#number(`own minutes ${step}`, title, (value) =>
      this.#change(step, { minutes: value }),
    );
    minutes.setAttribute("aria-label", of(words.step_minutes));
    const note = text("textarea", "note");
    const question = text("input", "question");
    const choices = [...LETTERS].map((letter, at) => {
      const label = fill(words.choice_text, { letter });
      const node = element("input", {
        type: "text",
        maxlength: MOST.choice,
        placeholder: letter,
        title: label,
        "aria-label": of(label),
        dir: "auto",
        data: { focus: `own choice ${at} ${step}` },
        onchange: () => this.#offer(step, at, node.value.trim()),
      });
      return node;
    });
    const early = p("early");
    const more = new Disclosure(
      { name: "own-words", focus: `own more ${step}` },
      [words.step_own],
      note,
      question,
      div("choices", ...choices),
    );
    const item = element(
      "li",
      { data: { step } },
      div(
        "line-of-step",
        handle,
        element("label", {}, show, " ", number, " ", name),
        span("ends", minutes, element("span", { "aria-hidden": "true" }, words.minutes_sign), up, down),
      ),
      early,
      more.root,
    );
    this.#drags(item, handle, step);
    return { item, show, name, number, up, down, early, note, question, choices, minutes, more };
  }

  /** A row is dragged by its handle, and laid before the one that it is dropped on. */
  #drags(item, handle, step) {
    handle.addEventListener("dragstart", (event) => {
      this.#dragged = step;
      event.dataTransfer.effectAllowed = "move";
      event.dataTransfer.setData("text/plain", step);
      event.dataTransfer.setDragImage(item, 0, 0);
    });
    handle.addEventListener("dragend", () => {
      this.#dragged = "";
    });
    item.addEventListener("dragover", (event) => {
      if (!this.#dragged) return;
      event.preventDefault();
      item.classList.add("target");
    });
    item.addEventListener("dragleave", () => item.classList.remove("target"));
    item.addEventListener("drop", (event) => {
      event.preventDefault();
      item.classList.remove("target");
      if (!this.#dragged) return;
      const down = this.#indexOf(this.#dragged) < this.#indexOf(step);
      const before = down ? (this.#steps[this.#indexOf(step) + 1]?.step ?? null) : step;
      this.#become(movedTo(this.#steps, this.#dragged, before));
    });
  }

  #indexOf(step) {
    return this.#steps.findIndex((one) => one.step === step);
  }

  /** A field for minutes, with a point or a comma; what is none stays to be mended, and below it is said of which. */
  #number(focus, label, take) {
    const refused = element("p", { class: "refused", role: "alert" });
    const node = element("input", {
      class: "minutes",
      type: "text",
      inputmode: "decimal",
      autocomplete: "off",
      data: { focus },
      onchange: () => {
        const minutes = minutesIn(node.value);
        const isTaken = minutes >= 0 && minutes <= MOST_MINUTES;
        node.setAttribute("aria-invalid", String(!isTaken));
        if (isTaken) {
          refused.remove();
          take(minutes || undefined);
          return;
        }
        refused.textContent = fill(this.#words.minutes_refused, { label, most: MOST_MINUTES });
        node.closest("li, .all").append(refused);
      },
    });
    return node;
  }

  /** Alt and an arrow move the step whose row has the focus; Escape closes. */
  #key(event) {
    if (event.key === "Escape") {
      event.stopPropagation();
      this.open(false);
      return;
    }
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const item = event.target.closest("li");
    if (!event.altKey || !by || !item) return;
    event.preventDefault();
    this.#move(item.dataset.step, by);
  }

  // --- changes -----------------------------------------------------------------------------------------------------

  #change(step, fields) {
    this.#become(changed(this.#steps, step, fields, this.#lang));
  }

  /** What a letter stands for where the question offers choices. */
  #offer(step, at, text) {
    const { choices } = this.#steps[this.#indexOf(step)];
    this.#change(step, { choices: withChoice(choices, at, text, this.#lang) });
  }

  /** One step at least is shown. */
  #hide(step, hidden) {
    const shown = this.#steps.filter((one) => !one.hidden && this.#has(one.step));
    if (hidden && shown.length === 1) return this.#show();
    this.#change(step, { hidden: hidden || undefined });
  }

  #move(step, by) {
    this.#become(moved(this.#steps, step, by, (one) => this.#has(one)));
    const { name, number } = this.#rows.get(step);
    setText(this.#live, `${number.textContent} ${name.textContent}`);
  }

  #has(step) {
    return this.#model.lecture.usual.includes(step);
  }

  #clear() {
    this.#minutes = undefined;
    this.#become(this.#model.lecture.usual.map((step) => ({ step })));
  }

  /** Its minutes are shared among the steps that are shown; what was written to them stays. */
  #start(minutes) {
    const of = shared(this.#model.stages, minutes);
    this.#minutes = minutes;
    const begun = (steps, { step }) => changed(steps, step, { minutes: of.get(step) }, this.#lang);
    this.#become(this.#steps.reduce(begun, this.#steps));
  }

  #become(steps) {
    if (steps === this.#steps) return;
    this.#steps = steps;
    this.#show();
    this.#send();
  }

  #send() {
    const lecture = written(this.#steps, this.#minutes, this.#model.lecture.usual);
    sender.send({ op: "lecture", lecture });
  }
}

/** What a field says; what was refused in it stays until it is mended. */
function setMinutes(field, minutes) {
  if (field.getAttribute("aria-invalid") !== "true") setValue(field, minutes ?? "");
}

/**
 * Have these children in this order; the one with the focus keeps it.
 * @param {HTMLElement} parent
 * @param {HTMLElement[]} children
 */
function arrangeMoved(parent, children) {
  const focused = /** @type {ShadowRoot} */ (parent.getRootNode()).activeElement;
  arrange(parent, children);
  if (focused instanceof HTMLElement && parent.contains(focused)) focused.focus();
}
