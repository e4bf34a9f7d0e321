// Opening a head as an example from a cell, which has no Python: the line to run.

import { PythonLine } from "./python_line.js";

export class OpenInPython {
  /** @param {Record<string, string>} words @param {() => CellView} view the one that is shown */
  constructor(words, view) {
    this.words = words;
    this.view = view;
    this.line = new PythonLine(words);
    this.root = this.line.root;
  }

  /** @param {ModelRun} _run @param {FittedPlace} place */
  update(_run, { head: [layer, head] }) {
    const { code, cut } = /** @type {CellLayer[]} */ (this.view().layers.at(-1))[layer];
    const line = `${code}.example(heads=[${head}]${cut ? ", cut=True" : ""})`;
    this.line.update(line, this.words[cut ? "python_cut" : "python_about"]);
  }
}
