// How the output of a model changed when heads were switched off or replaced: the entries of its last row that changed
// most, before and after.

import { element, fill, prose } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { likely, signedText } from "../models/wording.js";

const DECIMALS = 3;
const MOST_DECIMALS = 6; // where fewer would print two numbers alike

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
    const done = change.done.map((sentence) => element("li", {}, sentence));
    this.root.replaceChildren(
      element("h2", {}, words.change_done),
      element("ul", { class: "change-done" }, ...done),
      element("h2", {}, words.change),
      element("p", { class: "hint" }, prose(row && this.#first(row), fill(largest, values))),
      ...(row ? [this.#table(row)] : []),
    );
  }

  /** @param {CellRow} row */
  #table({ place, entries }) {
    const { words } = this;
    const where = place ? fill(words.change_place, { token: place }) : words.change_last;
    const ofLogits = entries[0]?.probabilities ? [words.change_logit] : [];
    const before = words[ofLogits.length ? "change_probability" : "change_before"];
    const numbers = [before, words.change_after, words.change_by, ...ofLogits];
    const heads = [where, ...numbers].map((text) => element("th", { scope: "col" }, text));
    const decimals = decimalsOf(entries);
    const body = element("tbody", {}, ...entries.map((entry) => lineOf(entry, decimals)));
    return element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  }

  /** Which entry is the largest, before and after. @param {CellRow} row */
  #first({ first: [before, after] }) {
    return fill(this.words[before === after ? "change_stays" : "change_first"], { before, after });
  }
}

/**
 * The two numbers of a line as they are printed: probabilities where the entries are logits.
 * @type {(entry: CellEntry, decimals: number) => string[]}
 */
const comparedText = ({ before, after, probabilities }, decimals) =>
  probabilities?.map((number) => likely(number, decimals)) ??
  [before, after].map((number) => format(number, decimals));

/** The fewest decimals that tell before from after in every line. @param {CellEntry[]} entries */
function decimalsOf(entries) {
  /** @param {CellEntry} entry */
  const isAlike = (entry) => new Set(comparedText(entry, decimals)).size === 1;
  let decimals = DECIMALS;
  while (decimals < MOST_DECIMALS && entries.some(isAlike)) decimals += 1;
  return decimals;
}

/** @param {CellEntry} entry @param {number} decimals */
function lineOf(entry, decimals) {
  const numbers = comparedText(entry, decimals).map((text) => element("td", {}, text));
  const [before, after] = entry.probabilities ?? [entry.before, entry.after];
  const changes = [changeOf(after - before, decimals)];
  if (entry.probabilities) changes.push(changeOf(entry.after - entry.before, DECIMALS));
  const name = element("th", { scope: "row" }, element("bdi", {}, entry.name));
  return element("tr", {}, name, ...numbers, ...changes);
}

/** @param {number} by @param {number} decimals */
const changeOf = (by, decimals) =>
  element("td", { class: by < 0 ? "falls" : "rises" }, signedText(by, decimals));
