// What stands in a table for rows and columns that are left out.

import { element, fill } from "../../kit/dom.js";
import { gap, headOfColumn, headOfRow } from "./table_sizes.js";

/** @param {{ count: number }} left */
const labelOf = ({ count }) => `… ${count}`;

export class Gaps {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
  }

  /** The labels of the rows or columns that are shown, and of the gaps between them. */
  labels(shown, labels) {
    return shown.map((at) => (typeof at === "object" ? labelOf(at) : labels[at]));
  }

  /** @param {{ count: number }} left */
  more({ count }) {
    return fill(this.words.more_rows, { count });
  }

  /** A row that stands for those left out. */
  row(left, shownCols) {
    const th = headOfRow(labelOf(left), { class: "gap", title: this.more(left) });
    return element("tr", {}, th, ...shownCols.map(gap));
  }

  /** The head of a column that does. */
  head(left) {
    return headOfColumn(labelOf(left), { class: "gap", title: this.more(left) });
  }
}
