// A button, and below it the panel that it shows and hides.

import { button, div } from "./dom.js";

/**
 * This is no <details>: where a press on a word closes one before the browser begins to select text there, Chromium 156
 * crashes (`<details open>x</details><script>onmousedown = () => void (document.querySelector("details").open =
 * false)`).
 */
export class Disclosure {
  /**
   * `name`: the class of the whole; `focus`: the button's `data-focus`.
   * @param {{ name: string; focus: string; isOpen?: boolean; toggled?: (isOpen: boolean) => void }} options
   * @param {Child[]} label
   * @param {...Child} content
   */
  constructor({ name, focus, isOpen = false, toggled = () => {} }, label, ...content) {
    this.toggled = toggled;
    const onclick = () => this.toggle();
    this.opener = button({ class: "discloser", data: { focus }, onclick }, ...label);
    this.panel = div("disclosed", ...content);
    this.root = div(name, this.opener, this.panel);
    this.show(isOpen);
  }

  get isOpen() {
    return !this.panel.hidden;
  }

  /** @param {boolean} isOpen */
  show(isOpen) {
    this.panel.hidden = !isOpen;
    this.opener.setAttribute("aria-expanded", String(isOpen));
  }

  /** Show the panel or hide it, and report that. */
  toggle() {
    this.show(!this.isOpen);
    this.toggled(this.isOpen);
  }
}
