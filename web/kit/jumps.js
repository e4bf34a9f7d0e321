// Buttons to the tables that a whole path leads through: the path is longer than the window is high.

import { lossOf } from "./descent.js";
import { button, element, fillNodes, symbol } from "./dom.js";
import { LOSS, symbolOf } from "./graph.js";
import { significant } from "./numbers.js";

/**
 * One cell of every other table that a number's path goes through, in the order of the page: those above the number,
 * and those below it. The cell is of the number's own head, else of a head whose tables are shown.
 * @param {Cell[]} path
 * @param {Cell} cell the one whose path it is
 * @param {{ order: string[]; heads: number[] }} shown the page's tables from top to bottom, and the heads shown
 * @returns {[Cell[], Cell[]]}
 */
export function stopsOf(path, cell, { order, heads }) {
  const at = order.indexOf(cell.name);
  /** @param {string} name */
  const first = (name) => {
    const cells = path.filter((stop) => stop.name === name);
    return (
      cells.find(({ head }) => head === cell.head) ??
      cells.find(({ head }) => head !== null && heads.includes(head)) ??
      cells[0]
    );
  };
  /** @param {string[]} names */
  const stops = (names) => names.map(first).filter((stop) => stop !== undefined);
  return [stops(order.slice(0, at)), stops(order.slice(at + 1))];
}

/**
 * Buttons that lead to them.
 * @param {Model} model
 * @param {[Cell[], Cell[]]} stops
 * @param {Record<string, string>} words
 * @param {(cell: Cell) => void} go
 */
export function jumps(model, stops, words, go) {
  /** @param {Cell} cell */
  const to = (cell) => {
    const attributes = {
      class: "quiet crumb",
      data: { focus: `jump ${cell.name}` },
      onclick: () => go(cell),
    };
    const value = cell.name === LOSS.name ? ` = ${significant(lossOf(model), 4)}` : "";
    return button(attributes, ...symbol(symbolOf(model, cell.name, cell.head)).childNodes, value);
  };
  const parts = [words.path_above, words.path_below].flatMap((text, n) =>
    stops[n].length ? [element("span", {}, ...fillNodes(text, { list: stops[n].map(to) }))] : [],
  );
  return element("nav", { class: "jumps", "aria-label": words.whole_path }, ...parts);
}
