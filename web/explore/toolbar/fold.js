// Controls that are unfolded over the page, by a button that says what they are about.

import { Disclosure } from "../../kit/disclosure.js";

const EDGE = 8; // px that are left free below it

export class Fold {
  /**
   * @param {string} name
   * @param {string} label
   * @param {...Node} options
   */
  constructor(name, label, ...options) {
    const toggled = () => this.#toggled();
    this.#menu = new Disclosure({ name: "fold", focus: `fold ${name}`, toggled }, [label], ...options);
    this.root = this.#menu.root;
    // A press on a word gives the focus to the panel; else it would go to the page around, which folds the menu.
    const attributes = { class: "folded-in", role: "group", "aria-label": label, tabindex: "-1" };
    for (const [name, value] of Object.entries(attributes)) this.#menu.panel.setAttribute(name, value);
    this.root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Escape folds it, and the focus is where it was opened. */
  #onKey(event) {
    if (event.key !== "Escape" || event.defaultPrevented || !this.#menu.isOpen) return;
    event.stopPropagation();
    this.#menu.toggle();
    this.#menu.opener.focus();
  }

  /** While it is open, whatever else is pressed or gets the focus folds it. */
  #toggled() {
    this.#watch?.abort();
    if (!this.#menu.isOpen) return;
    this.#keepInSight();
    this.#watch = new AbortController();
    const outside = (event) => {
      if (!event.composedPath().includes(this.root)) this.#menu.toggle();
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
    const { panel } = this.#menu;
    const { style } = panel;
    style.translate = style.maxHeight = "";
    if (getComputedStyle(panel).position === "fixed") return;
    style.maxHeight = `${window.innerHeight - panel.getBoundingClientRect().top - EDGE}px`;
    const edge = this.root.parentElement.getBoundingClientRect().right;
    const beyond = panel.getBoundingClientRect().right - edge;
    if (beyond > 0) style.translate = `${-beyond}px`;
  }

  /** @type {Disclosure} */
  #menu;

  /** @type {AbortController | null} */
  #watch = null;
}
