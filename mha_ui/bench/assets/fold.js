// Controls that are unfolded over the page, by a button that says what they are about.

import { element } from "../mha.web/dom.js";

const EDGE = 8; // px that are left free below it

export class Fold {
  /**
   * @param {string} name
   * @param {string} label
   * @param {...Node} options
   */
  constructor(name, label, ...options) {
    this.#panel = element("div", { class: "folded-in", role: "group", "aria-label": label }, ...options);
    this.root = element(
      "details",
      { class: "fold" },
      element("summary", { data: { focus: `fold ${name}` } }, label),
      this.#panel,
    );
    this.root.addEventListener("keydown", (event) => this.#let(event));
    this.root.addEventListener("toggle", () => this.#opened());
  }

  /** Escape folds it, and the focus is where it was opened. */
  #let(event) {
    if (event.key !== "Escape" || event.defaultPrevented || !this.root.open) return;
    event.stopPropagation();
    this.root.open = false;
    this.root.querySelector("summary").focus();
  }

  /** While it is open, whatever else is pressed or gets the focus folds it. */
  #opened() {
    this.#watch?.abort();
    if (!this.root.open) return;
    this.#keepInSight();
    this.#watch = new AbortController();
    const outside = (event) => {
      if (!event.composedPath().includes(this.root)) this.root.open = false;
    };
    const { signal } = this.#watch;
    document.addEventListener("pointerdown", outside, { signal });
    document.addEventListener("focusin", outside, { signal });
    this.root.getRootNode().addEventListener("focusin", outside, { signal }); // which stays within the component
  }

  /**
   * What would end beyond the page's margin is moved to the left, and what would end below the window scrolls; on a
   * telephone it is a sheet as wide as the screen.
   */
  #keepInSight() {
    const { style } = this.#panel;
    style.translate = style.maxHeight = "";
    if (getComputedStyle(this.#panel).position === "fixed") return;
    style.maxHeight = `${window.innerHeight - this.#panel.getBoundingClientRect().top - EDGE}px`;
    const edge = this.root.parentElement.getBoundingClientRect().right;
    const beyond = this.#panel.getBoundingClientRect().right - edge;
    if (beyond > 0) style.translate = `${-beyond}px`;
  }

  /** @type {HTMLElement} */
  #panel;

  /** @type {AbortController | null} */
  #watch = null;
}
