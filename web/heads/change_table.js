// How the output of a model changed when heads were switched off or replaced: the entries of its last row that changed
// most, before and after.

import { element, fill, prose } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { likely, signedText } from "../models/wording.js";

const DECIMALS = 3;

export class ChangeTable {
  /** @param {CellChange} change @param {Record<string, string>} words */
  constructor(change, words) {
    this.change = change;
    this.words = words;
    this.root = element("section", { class: "change", "aria-label": words.change });
  }

  /** @param {number} sample */
  update(sample) {
    const { words, change } = this;
    const row = change.rows.find((one) => one.sample === sample);
    const largest = change.largest ? words.change_largest : words.change_none;
    const values = { number: change.largest, shape: change.shape };
    this.root.replaceChildren(
      element("h2", {}, words.change),
      element("p", { class: "hint" }, prose(row && this.#first(row), fill(largest, values))),
      ...(row ? [this.#table(row)] : []),
    );
  }

  /** @param {CellRow} row */
  #table({ place, entries }) {
    const { words } = this;
    const where = place ? fill(words.change_place, { token: place }) : words.change_last;
    const numbers = entries[0]?.probabilities
      ? [words.change_probability, words.change_after, words.change_logit]
      : [words.change_before, words.change_after, words.change_by];
    const heads = [where, ...numbers].map((text) => element("th", { scope: "col" }, text));
    const body = element("tbody", {}, ...entries.map(lineOf));
    return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  }

  /** Which entry is the largest, before and after. @param {CellRow} row */
  #first({ first: [before, after] }) {
    return fill(this.words[before === after ? "change_stays" : "change_first"], { before, after });
  }
}

/** @param {CellEntry} entry */
function lineOf({ name, before, after, probabilities }) {
  const by = after - before;
  const texts = probabilities?.map(likely) ?? [before, after].map((number) => format(number, DECIMALS));
  const numbers = texts.map((text) => element("td", {}, text));
  const change = element("td", { class: by < 0 ? "falls" : "rises" }, signedText(by, DECIMALS));
  return element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, name)), ...numbers, change);
}
