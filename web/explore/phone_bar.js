// The bar at the foot of a small screen: undo, the overview, and from one stage of the computation to the next.

import { button, div, element, rich } from "../kit/dom.js";
import { gently, inSight, lookedAt } from "./viewport.js";

export class Bar {
  #current = 0;
  #waiting = false;

  /**
   * `overview`: what may be put away to make room.
   * @param {{ send: (edit: Edit) => void; tables: HTMLElement; overview: { root: HTMLElement }; explain: { root: HTMLElement } }} host
   * @param {Record<string, string>} words
   * @param {AbortSignal} gone
   */
  constructor(host, words, gone) {
    this.host = host;
    const press = (label, sign, onclick, focus) =>
      button({ "aria-label": label, title: label, data: { focus: `bar ${focus}` }, onclick }, sign);
    this.undo = press(words.undo, "↶", () => host.send({ op: "undo" }), "undo");
    this.before = press(words.stage_before, "‹", () => this.#go(-1), "before");
    this.next = press(words.stage_next, "›", () => this.#go(+1), "next");
    this.stage = element("span", { class: "at-hand-stage", "aria-live": "polite" });
    this.shown = button(
      { "aria-pressed": "true", data: { focus: "bar overview" }, onclick: () => this.#toggle() },
      words.show_overview,
    );
    this.root = div("at-hand", this.undo, this.before, this.stage, this.next, this.shown);
    this.root.setAttribute("role", "toolbar");
    this.root.setAttribute("aria-label", words.at_hand);
    const scrolled = () => this.#later();
    document.addEventListener("scroll", scrolled, { signal: gone, capture: true, passive: true });
  }

  /** @param {BenchModel} model */
  update(model) {
    this.undo.disabled = !model.controls.undo;
    this.shown.hidden = this.host.overview.root.hidden;
    this.#later();
  }

  /** @returns {Element[]} */
  get #stages() {
    return [...this.host.tables.querySelectorAll("section.stage")];
  }

  /** What is scrolled to is read once a frame. */
  #later() {
    if (this.#waiting || !this.root.offsetParent) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      this.#look();
    });
  }

  /** Which stage is looked at. */
  #look() {
    const stages = this.#stages;
    const tops = stages.map((stage) => stage.getBoundingClientRect().top);
    this.#current = lookedAt(tops, inSight(this.host));
    this.before.disabled = this.#current === 0;
    this.next.disabled = this.#current === stages.length - 1;
    const title = stages[this.#current]?.ariaLabel ?? "";
    if (this.stage.dataset.title === title) return;
    this.stage.dataset.title = title;
    this.stage.replaceChildren(...rich(title));
  }

  #go(by) {
    const stage = this.#stages[this.#current + by];
    stage?.scrollIntoView({ block: "start", behavior: gently() });
  }

  #toggle() {
    const away = this.host.overview.root.classList.toggle("away");
    this.shown.setAttribute("aria-pressed", String(!away));
  }
}
