// How the output of a model changed when heads were switched off or replaced: the entries of its last row that changed
// most, before and after.

import { element, fill } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { signedText } from "../models/wording.js";

const DECIMALS = 3;

export class ChangeTable {
  /** @param {CellChange} change @param {Record<string, string>} words */
  constructor(change, words) {
    this.change = change;
    this.words = words;
    this.root = element("section", { class: "change ablate", "aria-label": words.change });
  }

  /** @param {number} sample */
  update(sample) {
    const { words, change } = this;
    const row = change.rows.find((one) => one.sample === sample);
    const title = element("h2", {}, words.change);
    const values = { number: change.largest, shape: change.shape };
    const all = element(
      "p",
      { class: "hint" },
      fill(change.largest ? words.change_largest : words.change_none, values),
    );
    if (!row?.entries.length) return this.root.replaceChildren(title, all);
    const heads = [row.place ? fill(words.change_place, { token: row.place }) : words.change_last]
      .concat(words.change_before, words.change_after, words.change_by)
      .map((text) => element("th", { scope: "col" }, text));
    const lines = row.entries.map(({ name, before, after }) => {
      const by = after - before;
      const numbers = [before, after].map((number) => element("td", {}, format(number, DECIMALS)));
      const tone = by < 0 ? "falls" : "rises";
      return element(
        "tr",
        {},
        element("th", { scope: "row" }, name),
        ...numbers,
        element("td", { class: tone }, signedText(by, DECIMALS)),
      );
    });
    const table = element(
      "table",
      {},
      element("thead", {}, element("tr", {}, ...heads)),
      element("tbody", {}, ...lines),
    );
    const first =
      row.first &&
      fill(words[row.first[0] === row.first[1] ? "change_stays" : "change_first"], {
        before: row.first[0],
        after: row.first[1],
      });
    this.root.replaceChildren(title, all, table, ...(first ? [element("p", { class: "hint" }, first)] : []));
  }
}
