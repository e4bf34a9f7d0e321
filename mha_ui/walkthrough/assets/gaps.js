// What stands in a table for rows and columns that are left out.

import { element, fill } from "../mha.web/dom.js";
import { gap, headOfColumn, headOfRow } from "./sizes.js";

export class Gaps {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
  }

  /** The labels of the rows that are shown, and of the gaps between them. */
  wide(shown, labels) {
    return shown.map((at) => (typeof at === "object" ? this.more(at) : labels[at]));
  }

  /** The same of columns. */
  high(shown, labels) {
    return shown.map((at) => (typeof at === "object" ? `… ${at.count}` : labels[at]));
  }

  /** @param {{ count: number }} left */
  more({ count }) {
    return fill(this.words.more_rows, { count });
  }

  /** A row that stands for those left out. */
  row(left, shownCols) {
    const th = headOfRow(this.more(left));
    th.classList.add("gap");
    return element("tr", {}, th, ...shownCols.map(gap));
  }

  /** The head of a column that does. */
  head(left) {
    return headOfColumn(`… ${left.count}`, { class: "gap", title: this.more(left) });
  }
}
