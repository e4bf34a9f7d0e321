// Controls behind a button: they open over the page.

import { Disclosure } from "../../kit/disclosure.js";

const EDGE = 8; // px between the open panel and the foot of the window

export class Fold {
  /** @type {Disclosure} */
  #menu;
  /** @type {AbortController | null} */
  #watch = null;

  /**
   * @param {string} name
   * @param {string} label
   * @param {...Node} options
   */
  constructor(name, label, ...options) {
    const toggled = () => this.#toggled();
    this.#menu = new Disclosure({ name: "fold", focus: `fold ${name}`, toggled }, [label], ...options);
    this.root = this.#menu.root;
    // Without a tabindex a press on a word would give the focus to the page behind, which closes the panel.
    const attributes = { class: "folded-in", role: "group", "aria-label": label, tabindex: "-1" };
    for (const [name, value] of Object.entries(attributes)) this.#menu.panel.setAttribute(name, value);
    this.root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Escape closes it and gives the focus back to the button. @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.key !== "Escape" || event.defaultPrevented || !this.#menu.isOpen) return;
    event.stopPropagation();
    this.#menu.toggle();
    this.#menu.opener.focus();
  }

  /** While it is open, a press or a focus elsewhere closes it. */
  #toggled() {
    this.#watch?.abort();
    if (!this.#menu.isOpen) return;
    this.#keepInSight();
    this.#watch = new AbortController();
    const outside = (/** @type {Event} */ event) => {
      if (!event.composedPath().includes(this.root)) this.#menu.toggle();
    };
    const { signal } = this.#watch;
    document.addEventListener("pointerdown", outside, { signal });
    document.addEventListener("focusin", outside, { signal });
    this.root.getRootNode().addEventListener("focusin", outside, { signal }); // focus within the component stays there
  }

  /**
   * Move the panel to the left where it would leave the page, and have it scroll where it would end below the window.
   * On a phone it is a sheet as wide as the screen.
   */
  #keepInSight() {
    const { panel } = this.#menu;
    const { style } = panel;
    style.translate = style.maxHeight = "";
    if (getComputedStyle(panel).position === "fixed") return;
    style.maxHeight = `${window.innerHeight - panel.getBoundingClientRect().top - EDGE}px`;
    const edge = (this.root.parentElement ?? this.root).getBoundingClientRect().right;
    const beyond = panel.getBoundingClientRect().right - edge;
    if (beyond > 0) style.translate = `${-beyond}px`;
  }
}
