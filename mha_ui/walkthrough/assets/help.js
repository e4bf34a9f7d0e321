// The keys, told to whoever asks for them by "?": on the page those that walk it, before an audience those of a lecturer.

import { active, element } from "../mha.web/dom.js";

export class Help {
  /** @type {HTMLElement | null} */
  #before = null; // what had the focus

  /**
   * @param {Record<string, string>} words
   * @param {HTMLElement} walk
   * @param {{ isBefore: boolean; isShown: boolean }} how `isBefore`: an audience; `isShown`: already
   */
  constructor(words, walk, { isBefore, isShown }) {
    this.walk = walk;
    const lines = `${words.walk_keys}\n${isBefore ? words.stage_keys : words.page_keys}`.split("\n");
    const rows = lines.map((line) => {
      const [keys, does] = line.split(/: |：/);
      return element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, does));
    });
    const named = { class: "help", role: "dialog", "aria-label": words.help, tabindex: -1, hidden: !isShown };
    const onclick = () => this.close();
    this.root = element("div", { ...named, onclick }, element("table", {}, element("tbody", {}, ...rows)));
  }

  get isShown() {
    return !this.root.hidden;
  }

  show() {
    this.#before = active(this.walk);
    this.root.hidden = false;
    this.root.focus();
  }

  /** No longer; whether it was shown. */
  close() {
    if (!this.isShown) return false;
    this.root.hidden = true;
    this.#before?.focus({ preventScroll: true });
    return true;
  }
}
