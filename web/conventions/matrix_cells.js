// A matrix of the example as a table's cells, and the arithmetic of one of its numbers in either convention.

import { arithmetic, inBrief } from "../kit/arithmetic.js";
import { element, fill, span, symbol } from "../kit/dom.js";
import { headOf, key, labelsOf, requireRows, requireValue, shownAs, termsOf } from "../kit/graph.js";
import { pieceOf } from "../kit/line.js";
import { exact, kindOf, largest, toneOf } from "../kit/numbers.js";

const MOST = 10; // terms of a sum that the line prints

/**
 * A matrix's rows, the head that owns it, and its cells for a table.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 */
export function matrixOf(model, name, head) {
  const owner = headOf(model, name, head);
  const rows = requireRows(model, name, owner);
  const text = shownAs(model, name, owner);
  const top = model.matrices[name].scale === "weights" ? 1 : largest(rows);
  /** @param {number} row @param {number} col */
  const cell = (row, col) => {
    const value = rows[row][col];
    const place = { name, head: owner, row, col };
    const tint = { kind: kindOf(value), tone: toneOf(value, top) };
    return { key: key(place), text: text(value), ...tint, info: { cell: place } };
  };
  return { rows, owner, cell };
}

/**
 * "Q Head 2 [思考, 1]"
 * @param {Model} model
 * @param {Cell} cell
 * @param {string} sign
 * @param {{ turned?: boolean }} [convention] `turned`: rows are columns
 */
export function placeOf(model, { name, head, row, col }, sign, { turned = false } = {}) {
  const [down, across] = model.matrices[name].axes;
  const rowLabel = labelsOf(model, down, row + 1)[row];
  const colLabel = labelsOf(model, across, col + 1)[col];
  const labels = (turned ? [colLabel, rowLabel] : [rowLabel, colLabel]).filter((text) => text !== "");
  const headText = head === null || sign.includes("head_") ? "" : ` ${model.words.head} ${head + 1} `;
  const inside = labels.flatMap((text, i) => [i ? ", " : "", element("bdi", {}, text)]);
  return span("place", symbol(sign), headText, "[", ...inside, "]");
}

/**
 * How a number is computed, as nodes.
 * @param {Model} model
 * @param {Cell} cell
 * @param {boolean} turned with the factors in the other order
 * @param {(cell: Cell) => Node} placed prints a place
 * @returns {Node[]}
 */
export function arithmeticOf(model, cell, turned, placed) {
  if (!termsOf(model, cell).length) return [element("strong", {}, exact(requireValue(model, cell)))];
  const pieces = arithmetic(model, cell, { ...inBrief(model, MOST), turned });
  return pieces.map((piece) => pieceOf(model, piece, (place) => [placed(place)]));
}

/**
 * "Head 2", or "Heads 1–2" for heads that share a matrix.
 * @param {Record<string, string>} words
 * @param {number[]} heads
 */
export function headsLabel(words, heads) {
  const [first, last] = [heads[0], heads[heads.length - 1]];
  if (heads.length === 1) return fill(words.head_n, { head: first + 1 });
  return fill(words.heads_n, { first: first + 1, last: last + 1 });
}
