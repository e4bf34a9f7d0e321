// A line of Python to run in a cell, to copy.

import { button, div, element } from "../kit/dom.js";

const COLUMNS = 36; // of the narrowest pane

export class PythonLine {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.line = element("textarea", {
      class: "python-line",
      readonly: true,
      "aria-label": words.python_line,
    });
    this.line.addEventListener("focus", () => this.line.select());
    this.copy = button({ class: "run", data: { focus: "copy" }, onclick: () => this.#copy() }, words.copy);
    this.about = element("p", { class: "hint" });
    this.root = element(
      "section",
      { class: "taking", "aria-label": words.python },
      element("h3", {}, words.python),
      this.about,
      div("python", this.line, this.copy),
    );
  }

  /** @param {string} line @param {string} about what it does */
  update(line, about) {
    if (line !== this.line.value) this.copy.textContent = this.words.copy;
    this.line.value = line;
    this.line.rows = Math.ceil(line.length / COLUMNS);
    this.about.textContent = about;
  }

  /** A frame in a sandbox may not use the clipboard, but a selection can be copied. */
  #copy() {
    this.line.select();
    if (document.execCommand("copy")) this.copy.textContent = this.words.copied;
  }
}
