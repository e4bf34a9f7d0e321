// The presenter's notes: what to say here, how the time goes, and a picture of what comes next.

import { button, div, element, fill, fillNodes, p, rich, span } from "../../kit/dom.js";
import { Picture } from "../picture/picture.js";
import { ownOf } from "../place/lecture_route.js";
import { choiceOf } from "../room/tally.js";
import { Clock, minutesAndSeconds } from "./clock.js";
import { choicesIn, textIn } from "./plan.js";

const SIZES = [1.15, 1.05, 0.95, 0.9, 0.84]; // of type, in em: the largest is taken with which all is visible
const FEW = { rows: 4, cols: 4 }; // of the next picture
const LEGIBLE = 0.8; // of the smallest type: a picture that would be smaller is not shown
const MOST_ZOOM = 1.2;

export class Notes {
  #clock = new Clock();
  #timer = 0;
  #rendering = 0; // the timer of the next picture
  #rendered = "";
  /** @type {HTMLElement[]} */
  #pictures = []; // of what comes next: all of it, and its result alone
  #step = "";
  /** @type {LectureTimes | null} */
  #planned = null;

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.say = p("say");
    this.note = p("note");
    this.wrong = p("wrong");
    this.own = p("own");
    this.next = p("next");
    this.time = span("time");
    this.elapsed = span("elapsed");
    this.spent = span("spent");
    this.still = element("div", { class: "still", "aria-hidden": "true", inert: true });
    const { restart: title, restart_short: label } = words;
    const onclick = () => this.#restart();
    const data = { focus: "restart" };
    const restart = button({ title, data, onclick }, `⟲ ${label}`);
    const clock = [
      this.time,
      element("span", {}, `${words.time_all} `, this.elapsed),
      element("span", {}, `${words.time_step} `, this.spent),
      restart,
    ];
    this.texts = div("told", this.own, this.say, this.note, this.wrong);
    const coming = div("coming", this.next, this.still);
    const named = { class: "notes", "aria-label": words.notes };
    this.root = element("aside", named, p("clock", ...clock), this.texts, coming);
    this.#timer = setInterval(() => this.#tick(), 1000);
  }

  /**
   * Add the lecturer's further parts.
   * @param {HTMLElement} above what is to say
   * @param {...HTMLElement} below
   */
  add(above, ...below) {
    this.texts.before(above);
    this.root.append(...below);
  }

  stop() {
    clearInterval(this.#timer);
    clearTimeout(this.#rendering);
  }

  /**
   * @param {WalkModel} model
   * @param {{ note: string }} shown the stage, or the step of a further head
   * @param {Place} place
   * @param {Place | null} next
   * @param {LectureTimes | null} planned
   */
  show(model, shown, place, next, planned) {
    const { words } = this;
    const stage = model.stages[place.stage];
    const { teaching = {}, order = [] } = model.lecture ?? {};
    const { say, wrong } = teaching[stage.id];
    const own = ownOf(model, stage.id);
    const early = order.find(({ step }) => step === stage.id)?.needs;
    const notes = [
      textIn(own.note, model.lang),
      textIn(own.question, model.lang),
      choicesIn(own, model.lang)
        .map((_, at, choices) => choiceOf({ choices }, at))
        .join("\n"),
      early && fill(words.step_early, { steps: early }),
    ];
    const shownNotes = notes.filter((text) => text);
    this.own.replaceChildren(...shownNotes.map((text) => element("span", { dir: "auto" }, text)));
    this.own.hidden = !this.own.firstChild;
    this.say.replaceChildren(...rich(fill(words.say, { text: say })));
    this.note.replaceChildren(...rich(shown.note));
    this.wrong.replaceChildren(...rich(fill(words.often_wrong, { text: wrong })));
    this.#step = stage.id;
    this.#planned = planned;
    this.#clock.enter(stage.id);
    this.#tick();
    this.#showNext(model, place, next);
  }

  /** @type {(model: WalkModel, place: Place, next: Place | null) => void} */
  #showNext(model, place, next) {
    clearTimeout(this.#rendering);
    if (!next) {
      this.next.textContent = this.words.last;
      this.#pictures = [];
      this.#rendered = "";
      this.fit();
      return;
    }
    const stage = model.stages[next.stage];
    const step = stage.kind === "head" && next.part !== null ? stage.steps[next.part] : stage;
    const count =
      next.part === null ? "" : ` ${next.part + 1}${next.beat === null ? "" : `.${next.beat + 1}`}`;
    const title = element("strong", {}, `${next.stage + 1} · ${step.title}${count}`);
    this.next.replaceChildren(
      ...fillNodes(this.words.coming, { step: [title] }).flatMap((child) => child ?? []),
      next.stage === place.stage ? "" : element("span", {}, " ", ...rich(step.what)),
    );
    this.#rendering = setTimeout(() => this.#render(model, stage, next)); // no key press waits for it
  }

  /**
   * The next place, small: to be looked at, not to be pressed or read aloud.
   * @type {(model: WalkModel, stage: WalkStage, next: Place) => void}
   */
  #render(model, stage, next) {
    const rendered = JSON.stringify([model.revision, model.lang, stage.id, next]);
    if (rendered === this.#rendered) return;
    this.#rendered = rendered;
    const inHead = stage.kind === "head";
    const step = inHead ? stage.steps[next.part ?? stage.steps.length - 1] : (stage.steps[0] ?? null);
    const picture = new Picture(model, stage, step, { inShort: inHead && next.part === null });
    picture.layOut(next, FEW);
    picture.show(next, { hiding: false, revealed: false, answers: new Map(), onAnswer() {} });
    for (const node of picture.root.querySelectorAll("[data-key]"))
      node.setAttribute("data-key", `next ${node.getAttribute("data-key")}`);
    const results = [...picture.root.querySelectorAll(".matrix")].slice(-1);
    this.#pictures = [picture.root, ...results.map((table) => div("picture", table.cloneNode(true)))];
    this.fit();
  }

  /** Everything in the largest type in which it fits; the next picture has the room that is left. */
  fit() {
    const fits = (/** @type {number} */ size, /** @type {string} */ height) => {
      this.root.style.fontSize = `max(var(--least), ${size}em)`;
      this.still.style.height = height;
      return this.root.scrollHeight <= this.root.clientHeight;
    };
    this.root.classList.add("pictured"); // then a picture, and no sentence, says what is next
    const isLegible = (/** @type {number} */ size, /** @type {HTMLElement} */ picture) => {
      this.still.replaceChildren(picture);
      const { offsetHeight, offsetWidth } = picture;
      return this.still.clientWidth >= LEGIBLE * offsetWidth && fits(size, `${LEGIBLE * offsetHeight}px`);
    };
    const size = SIZES.find((size) => this.#pictures.some((picture) => isLegible(size, picture)));
    this.root.classList.toggle("pictured", Boolean(size));
    if (!size) {
      this.still.replaceChildren();
      SIZES.some((size) => fits(size, "0"));
      return;
    }
    const picture = /** @type {HTMLElement} */ (this.still.firstElementChild);
    const wide = this.still.clientWidth / picture.offsetWidth;
    const zoom = Math.min(MOST_ZOOM, this.#heightLeft() / picture.offsetHeight, wide);
    picture.style.scale = String(zoom);
    this.still.style.height = `${Math.floor(zoom * picture.offsetHeight)}px`;
  }

  /** Pixels below the texts. */
  #heightLeft() {
    const { paddingBottom } = getComputedStyle(this.root);
    const bottom = this.root.getBoundingClientRect().bottom - Number.parseFloat(paddingBottom);
    return Math.floor(bottom - this.still.getBoundingClientRect().top);
  }

  #restart() {
    this.#clock.restart();
    this.#tick();
  }

  #tick() {
    const twoDigits = (/** @type {number} */ number) => String(number).padStart(2, "0");
    const now = new Date();
    this.time.textContent = `${twoDigits(now.getHours())}:${twoDigits(now.getMinutes())}`;
    this.#showTime(this.elapsed, this.#clock.used, this.#planned?.all);
    this.#showTime(this.spent, this.#clock.usedBy(this.#step), this.#planned?.times.get(this.#step));
  }

  /**
   * The time used, of what was planned if anything was.
   * @type {(node: HTMLElement, used: number, planned: number | undefined) => void}
   */
  #showTime(node, used, planned) {
    const text = planned
      ? fill(this.words.time_of, { used: minutesAndSeconds(used), planned: minutesAndSeconds(planned) })
      : minutesAndSeconds(used);
    node.textContent = planned && used > planned ? `${text} ⚠` : text;
    node.classList.toggle("over", Boolean(planned && used > planned));
  }
}
