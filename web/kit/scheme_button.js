// The button of a page without Streamlit that chooses its colours: as the system has them, light, or dark.

import { button, setAttribute } from "./dom.js";
import { ofBrowser } from "./storage.js";

const SCHEMES = ["light dark", "light", "dark"];
const SIGNS = "◐☀☾";

export class SchemeButton {
  #chosen;
  /** @type {Record<string, string>} */
  #words = {};

  /**
   * @param {string} name by which this browser stores the choice
   * @param {() => void} [changed]
   */
  constructor(name, changed = () => {}) {
    this.name = name;
    this.changed = changed;
    this.#chosen = Math.max(0, SCHEMES.indexOf(ofBrowser.text(name) ?? ""));
    this.root = button({ data: { focus: "theme" }, onclick: () => this.#next() });
    this.#show();
  }

  /** @param {Record<string, string>} words with what each choice is called: theme_0, theme_1, theme_2 */
  say(words) {
    this.#words = words;
    this.#show();
  }

  #next() {
    this.#chosen = (this.#chosen + 1) % SCHEMES.length;
    ofBrowser.setText(this.name, SCHEMES[this.#chosen]);
    this.#show();
    this.changed();
  }

  #show() {
    document.documentElement.style.colorScheme = SCHEMES[this.#chosen];
    this.root.textContent = SIGNS[this.#chosen];
    const label = this.#words[`theme_${this.#chosen}`] ?? null;
    for (const name of ["title", "aria-label"]) setAttribute(this.root, name, label);
  }
}
