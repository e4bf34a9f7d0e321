// A line above the tables: large ones are shortened, and one click shows all of them as a whole.

import { button, element, setText } from "../kit/dom.js";

export class LargeTables {
  #words;
  #text = element("span", {});
  #button;

  /**
   * @param {Record<string, string>} words
   * @param {() => void} toggle
   */
  constructor(words, toggle) {
    this.#words = words;
    this.#button = button({ class: "quiet", data: { focus: "large tables" }, onclick: toggle });
    this.root = element("p", { class: "tables-note", hidden: true }, this.#text, this.#button);
  }

  /**
   * @param {boolean} hasLarge
   * @param {boolean} areOpen whether they are shown as a whole
   */
  update(hasLarge, areOpen) {
    const words = this.#words;
    this.root.hidden = !hasLarge;
    setText(this.#text, areOpen ? words.tables_open : words.tables_shortened);
    setText(this.#button, areOpen ? words.shorten_tables : words.open_tables);
  }
}
