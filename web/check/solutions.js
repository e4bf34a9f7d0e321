// A class's results: one row a file, sorted by any column. Where a file can be opened, a click on its row opens it.

import { button, div, element, fill, redrawn, rich, setAttribute } from "../kit/dom.js";
import { table } from "../kit/layout.js";
import { mounting } from "../kit/mount.js";
import { nextOrder, sorted } from "./row_order.js";

/** @typedef {import("./row_order.js").Entry} Entry */

/**
 * The first entry of a row is the name of the file.
 * @typedef {{ columns: string[]; rows: [string, ...Entry[]][]; words: Record<string, string> }} SolutionsData
 */

class Solutions {
  /** @type {import("./row_order.js").Order | null} */
  #order = null;
  /** @type {SolutionsData} */
  #data = { columns: [], rows: [], words: {} };
  /** @type {(row: number) => void} */
  #open = () => {};

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = div("solutions");
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  /** @param {{ data: SolutionsData; setTriggerValue: Component["setTriggerValue"] }} component */
  update({ data, setTriggerValue }) {
    this.#data = data;
    this.#open = (row) => setTriggerValue("open", row);
    setAttribute(this.root, "role", "group");
    setAttribute(this.root, "aria-label", data.words.solutions);
    this.root.tabIndex = 0; // a table wider than the page can be scrolled by keyboard
    this.#draw();
  }

  #draw() {
    const { columns, rows } = this.#data;
    const heads = columns.map((name, column) => this.#head(name, column));
    const lines = sorted(rows, this.#order).map((at) => this.#row(rows[at], at));
    redrawn(this.root, () => this.root.replaceChildren(table({}, heads, lines)));
  }

  /**
   * @param {string} name
   * @param {number} column
   */
  #head(name, column) {
    const order = this.#order?.column === column ? this.#order : null;
    const onclick = () => {
      this.#order = nextOrder(this.#order, column);
      this.#draw();
    };
    const sort = order ? (order.falling ? "descending" : "ascending") : "none";
    return element(
      "th",
      { scope: "col", "aria-sort": sort },
      button({ data: { focus: `column ${column}` }, onclick }, name),
    );
  }

  /**
   * @param {[string, ...Entry[]]} row
   * @param {number} at
   */
  #row([file, ...cells], at) {
    const { open } = this.#data.words;
    const label = fill(open, { file });
    const name = open
      ? button({ "aria-label": label, title: label, data: { focus: `row ${at}` } }, file)
      : file;
    const onclick = () => {
      const isSelectingText = Boolean(getSelection()?.toString());
      if (open && !isSelectingText) this.#open(at);
    };
    const texts = cells.map((cell) =>
      element(
        "td",
        { class: typeof cell === "string" ? null : "number", dir: "auto" },
        ...rich(String(cell ?? "")),
      ),
    );
    return element("tr", { onclick }, element("th", { scope: "row", dir: "auto" }, name), ...texts);
  }
}

export default mounting(({ parentElement }) => new Solutions(parentElement));
