// Every head changed alone: a map of attentions × heads in two colors. A sentence says the number of one cell.

import { element, fill } from "../kit/dom.js";
import { Heatmap } from "../models/head/heatmap.js";
import { signedText } from "../models/wording.js";

const DECIMALS = 4;

export class SweepMap {
  /** @type {Pair | null} */
  #pair = null;

  /**
   * @param {CellSweep} sweep
   * @param {Float32Array} numbers attentions × heads; NaN where an attention has no such head
   * @param {Record<string, string>} words
   * @param {import("../models/theme_colours.js").Colours} colours
   */
  constructor(sweep, numbers, words, colours) {
    this.sweep = sweep;
    this.numbers = numbers;
    this.words = words;
    const host = { pointed: () => {}, picked: (/** @type {Pair} */ pair) => this.#pick(pair) };
    const ofSweep = {
      ...words,
      map_keys: words.sweep_keys,
      map: words.sweep,
      legend_more: words.sweep_more,
      legend_less: words.sweep_less,
    };
    this.map = new Heatmap(host, ofSweep, colours);
    this.told = element("p", { class: "readout" }, words.sweep_hint);
    const about = element("p", { class: "hint" }, words.sweep_about);
    this.root = element(
      "section",
      { class: "sweep", "aria-label": words.sweep },
      element("h2", {}, words.sweep),
      about,
      this.map.root,
      this.told,
    );
  }

  update() {
    const { names, heads } = this.sweep;
    const keyTexts = Array.from({ length: heads }, (_, at) => String(at));
    this.map.update(
      { numbers: this.numbers, colour: "", exact: null, sign: "", texts: names, keyTexts },
      null,
      this.#pair,
    );
  }

  /** @param {Pair} pair */
  #pick({ query, key }) {
    const { words, numbers, sweep } = this;
    const number = numbers[query * sweep.heads + key];
    this.#pair = { query, key };
    const values = { name: sweep.names[query], head: key, number: signedText(number, DECIMALS) };
    this.told.textContent = fill(Number.isNaN(number) ? words.sweep_no_head : words.sweep_told, values);
    this.update();
  }
}
