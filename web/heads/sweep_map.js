// Every head changed alone: a map of attentions × heads in two colors. A sentence says the number of one cell.

import { div, element, fill, prose } from "../kit/dom.js";
import { Heatmap } from "../models/head/heatmap.js";
import { signedText } from "../models/wording.js";
import { PythonLine } from "./python_line.js";

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
    this.python = new PythonLine(words);
    this.python.root.hidden = true;
    const { measure, done } = sweep;
    const measured = measure ? fill(words.sweep_measured, { measure }) : words.sweep_largest;
    const about = element("p", { class: "hint" }, prose(...done, words.sweep_about));
    this.root = element(
      "section",
      { class: "sweep", "aria-label": words.sweep },
      element("h2", {}, words.sweep),
      element("p", { class: "sweep-measured" }, measured),
      about,
      div(
        "sweep-parts",
        this.map.root,
        div("sweep-told", this.told, this.python.root, ...(sweep.others.length ? [this.#sum()] : [])),
      ),
    );
  }

  /** What the numbers of the map are a part of. */
  #sum() {
    const { words, sweep } = this;
    const heads = [words.others_part, words.others_number].map((text) =>
      element("th", { scope: "col" }, text),
    );
    const rows = sweep.others.map(([name, number]) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, element("bdi", {}, name)),
        element("td", {}, signedText(number, DECIMALS)),
      ),
    );
    const table = element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...rows),
    );
    return element("div", { class: "change" }, element("h3", {}, words.others), table);
  }

  update() {
    const { labels, heads } = this.sweep;
    const keyTexts = Array.from({ length: heads }, (_, at) => String(at));
    this.map.update(
      { numbers: this.numbers, colour: "", exact: null, sign: "", texts: labels, keyTexts },
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
    const isThere = !Number.isNaN(number);
    this.told.textContent = fill(isThere ? words.sweep_told : words.sweep_no_head, values);
    this.python.root.hidden = !isThere;
    this.python.update(
      `found[${JSON.stringify(sweep.names[query])}].example(heads=[${key}], cut=True)`,
      words.sweep_python,
    );
    this.update();
  }
}
