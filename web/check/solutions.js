// A class's solutions: a row for each, sorted by any column, and opened where it is pressed.

import { button, div, element, fill, redrawn, rich, setAttribute } from "../kit/dom.js";
import { table } from "../kit/layout.js";
import { mounting } from "../kit/mount.js";
import { pressed, sorted } from "./row_order.js";

class Solutions {
  /** @type {{ column: number; falling: boolean } | null} */
  #by = null;

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = div("solutions");
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  update({ data, setTriggerValue }) {
    this.data = data;
    this.open = (place) => setTriggerValue("open", place);
    setAttribute(this.root, "role", "group");
    setAttribute(this.root, "aria-label", data.words.solutions);
    this.root.tabIndex = 0; // what is wider than the page is scrolled by keyboard too
    this.#draw();
  }

  #draw() {
    const { columns, rows } = this.data;
    const heads = columns.map((name, column) => this.#head(name, column));
    const lines = sorted(rows, this.#by).map((place) => this.#row(rows[place], place));
    redrawn(this.root, () => this.root.replaceChildren(table({}, heads, lines)));
  }

  #head(name, column) {
    const by = this.#by?.column === column ? this.#by : null;
    const onclick = () => {
      this.#by = pressed(this.#by, column);
      this.#draw();
    };
    const sort = by ? (by.falling ? "descending" : "ascending") : "none";
    return element(
      "th",
      { scope: "col", "aria-sort": sort },
      button({ data: { focus: `column ${column}` }, onclick }, name),
    );
  }

  #row([file, ...cells], place) {
    const label = fill(this.data.words.open, { file });
    const name = button({ "aria-label": label, title: label, data: { focus: `row ${place}` } }, file);
    const onclick = () => getSelection()?.toString() || this.open(place); // who marks a text does not mean the row
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
