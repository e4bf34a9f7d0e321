// What a cell is called on the page, on the projector and on phones: by the names of its row and its column.

import { element, fillNodes, symbol } from "../../kit/dom.js";
import { labelsOf, requireRows, symbolOf, tokensOf } from "../../kit/graph.js";

const MOST_NAMED = 12; // characters of a name

/**
 * The row and the column of a cell by their labels, where these are short and no two are the same; else by number.
 * @type {(model: WalkModel, cell: Cell) => (string | number)[]}
 */
export function namesOf(model, { name, head, row, col }) {
  const rows = requireRows(model, name, head);
  return [rows.length, rows[0].length].map((count, axis) => {
    const at = axis ? col : row;
    const labels = labelsOf(model, model.matrices[name].axes[axis], count);
    const isPlain = labels[at] && labels[at].length <= MOST_NAMED && new Set(labels).size === count;
    return isPlain ? labels[at] : at + 1;
  });
}

/**
 * "S[I, am] of head 1"
 * @type {(model: WalkModel, cell: Cell) => Child[]}
 */
export function nameNodes(model, cell) {
  const { name, head } = cell;
  const place = [symbol(symbolOf(model, name, head)), `[${namesOf(model, cell).join(", ")}]`];
  if (head === null || model.matrices[name].symbol.includes("{h}")) return place; // the symbol names the head
  return fillNodes(model.words.place_of_head, { place, head: [String(head + 1)] });
}

/** The same as plain text. @type {(model: WalkModel, cell: Cell) => string} */
export const nameText = (model, cell) => element("span", {}, ...nameNodes(model, cell)).textContent;

/**
 * The tokens that a cell is about and that its name does not say.
 * @type {(model: WalkModel, cell: Cell) => string[]}
 */
export function unnamedOf(model, cell) {
  const names = namesOf(model, cell);
  return tokensOf(model, cell).filter((token) => !names.includes(token));
}
