// A notebook cell: the heads of a run, how its output changed, or the map of a sweep.

import { div, element, p } from "../kit/dom.js";
import { Colours } from "../models/theme_colours.js";
import { ChangeTable } from "./change_table.js";
import { HeadsOfRun } from "./heads_of_run.js";
import { SweepMap } from "./sweep_map.js";

/** @typedef {import("../kit/binary.js").Numbers} Numbers */

export class Cell {
  /** @param {HTMLElement} root @param {CellData} data @param {Record<string, Numbers>} arrays */
  constructor(root, { tag, words, limits, heads, change, sweep, skipped }, arrays) {
    const colours = new Colours(() => this.#show());
    this.change = change && new ChangeTable(change, words);
    const numbers = /** @type {Float32Array} */ (arrays.sweep);
    this.sweep = sweep && new SweepMap(sweep, numbers, words, colours);
    const parts = { colours, limits, shown: (/** @type {number} */ sample) => this.change?.update(sample) };
    this.heads = heads && new HeadsOfRun(heads, arrays, words, parts);
    const head = div("cell-head", ...(this.heads ? [this.heads.choices] : []));
    const all = [this.change, this.heads, this.sweep].flatMap((part) => (part ? [part.root] : []));
    document.documentElement.lang = tag;
    const sentences = skipped.map((sentence) => element("li", {}, sentence));
    const missing = skipped.length
      ? div("skipped", p("", words.skipped), element("ul", {}, ...sentences))
      : null;
    root.replaceChildren(div("bench models", ...(missing ? [missing] : []), head, ...all, colours.root));
    this.heads?.start();
    this.#show();
  }

  #show() {
    this.heads?.show();
    this.sweep?.update();
  }
}
