// Controls that are unfolded over the page, by a button that says what they are about.

import { element } from "../mha.web/dom.js";

export class Fold {
  /**
   * @param {string} name
   * @param {string} label
   * @param {...Node} options
   */
  constructor(name, label, ...options) {
    this.root = element(
      "details",
      { class: "fold" },
      element("summary", { data: { focus: `fold ${name}` } }, label),
      element("div", { class: "folded-in", role: "group", "aria-label": label }, ...options),
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
    this.#watch = new AbortController();
    const outside = (event) => {
      if (!event.composedPath().includes(this.root)) this.root.open = false;
    };
    const { signal } = this.#watch;
    document.addEventListener("pointerdown", outside, { signal });
    document.addEventListener("focusin", outside, { signal });
    this.root.getRootNode().addEventListener("focusin", outside, { signal }); // which stays within the component
  }

  /** @type {AbortController | null} */
  #watch = null;
}
