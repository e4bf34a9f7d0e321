// Opening a head as an example from a cell, which has no Python: the line to run, to copy.

import { button, div, element } from "../kit/dom.js";

export class OpenInPython {
  /** @param {Record<string, string>} words @param {() => CellView} view the one that is shown */
  constructor(words, view) {
    this.words = words;
    this.view = view;
    this.line = element("input", { class: "python-line", readonly: true, "aria-label": words.python_line });
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

  /** @param {ModelRun} _run @param {FittedPlace} place */
  update(_run, { head: [layer, head] }) {
    const { code, cut } = /** @type {CellLayer[]} */ (this.view().layers.at(-1))[layer];
    const line = `${code}.example(heads=[${head}]${cut ? ", cut=True" : ""})`;
    if (line !== this.line.value) this.copy.textContent = this.words.copy;
    this.line.value = line;
    this.line.size = line.length;
    this.about.textContent = this.words[cut ? "python_cut" : "python_about"];
  }

  /** A frame in a sandbox may not use the clipboard, but a selection can be copied. */
  #copy() {
    this.line.select();
    if (document.execCommand("copy")) this.copy.textContent = this.words.copied;
  }
}
