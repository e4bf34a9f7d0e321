// The presenter's page: what to say here, what comes next, and a clock.

import { button, element, p, rich, span } from "../mha.web/dom.js";

// Of the type around it: what is said takes the largest with which all of it is in sight.
const SIZES = [0.9, 0.84, 0.78];

export class Notes {
  #begun = Date.now();
  #timer = 0;

  constructor(words) {
    this.words = words;
    this.note = p("note");
    this.told = element("div", {});
    this.next = p("next");
    this.time = span("time");
    this.elapsed = span("elapsed");
    const { restart: title } = words;
    const onclick = () => this.#restart();
    const data = { focus: "restart" };
    const restart = button({ class: "round", title, "aria-label": title, data, onclick }, "⟲");
    this.root = element(
      "aside",
      { class: "notes", "aria-label": words.notes },
      element("h3", {}, words.clock),
      p("clock", this.time, element("span", {}, this.elapsed, ` ${words.elapsed} `, restart)),
      this.told,
      element("h3", {}, words.notes),
      this.note,
      element("h3", {}, words.next_step),
      this.next,
    );
    this.#timer = setInterval(() => this.#tick(), 1000);
    this.#tick();
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** What the walk says of the step stands here, and leaves the picture its room. */
  tell(text) {
    this.told.replaceChildren(text);
  }

  show(model, place, next, told) {
    this.note.replaceChildren(...rich(told.note));
    if (!next) {
      this.next.textContent = this.words.last;
      return;
    }
    const stage = model.stages[next.stage];
    const step = stage.kind === "head" && next.part !== null ? stage.steps[next.part] : stage;
    const count =
      next.part === null ? "" : ` ${next.part + 1}${next.beat === null ? "" : `.${next.beat + 1}`}`;
    this.next.replaceChildren(
      element("strong", {}, `${next.stage + 1} · ${step.title}${count}`),
      next.stage === place.stage ? "" : element("span", {}, " ", ...rich(step.what)),
    );
  }

  fit() {
    SIZES.some((size) => {
      this.root.style.fontSize = `${size}em`;
      return this.root.scrollHeight <= this.root.clientHeight;
    });
  }

  #restart() {
    this.#begun = Date.now();
    this.#tick();
  }

  #tick() {
    const two = (number) => String(number).padStart(2, "0");
    const now = new Date();
    const seconds = Math.floor((now.getTime() - this.#begun) / 1000);
    this.time.textContent = `${two(now.getHours())}:${two(now.getMinutes())}`;
    this.elapsed.textContent = `${Math.floor(seconds / 60)}:${two(seconds % 60)}`;
  }
}
