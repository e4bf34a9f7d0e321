// A matrix of the example as a table's cells, and the arithmetic of one of its numbers in either convention.

import { arithmetic, inBrief } from "../kit/arithmetic.js";
import { element, fill, span, symbol } from "../kit/dom.js";
import { headOf, key, labelsOf, rowsOf, shownAs, termsOf, valueAt } from "../kit/graph.js";
import { pieceOf } from "../kit/line.js";
import { exact, kindOf, largest, toneOf } from "../kit/numbers.js";

const MOST = 10; // terms of a sum that the line tells

/** {rows, head, cell(row, col)}: a matrix, the head that holds it, and its cells as a table wants them. */
export function matrixOf(model, name, head) {
  const of = headOf(model, name, head);
  const rows = rowsOf(model, name, of);
  const text = shownAs(model, name, of);
  const top = model.matrices[name].scale === "weights" ? 1 : largest(rows);
  const cell = (row, col) => {
    const value = rows[row][col];
    const place = { name, head: of, row, col };
    const tint = { kind: kindOf(value), tone: toneOf(value, top) };
    return { key: key(place), text: text(value), ...tint, info: { cell: place } };
  };
  return { rows, head: of, cell };
}

/** "Q Head 2 [思考, 1]" */
export function placeOf(model, { name, head, row, col }, sign, { turned = false } = {}) {
  const [down, across] = model.matrices[name].axes;
  const one = labelsOf(model, down, row + 1)[row];
  const other = labelsOf(model, across, col + 1)[col];
  const labels = (turned ? [other, one] : [one, other]).filter((text) => text !== "");
  const named = head === null || sign.includes("head_") ? "" : ` ${model.words.head} ${head + 1} `;
  const inside = labels.flatMap((text, i) => [i ? ", " : "", element("bdi", {}, text)]);
  return span("place", symbol(sign), named, "[", ...inside, "]");
}

/** What a number is computed as, in nodes; `turned`: with the factors in the other order; `placed`: a place. */
export function arithmeticOf(model, cell, turned, placed) {
  if (!termsOf(model, cell).length) return [element("strong", {}, exact(valueAt(model, cell)))];
  const pieces = arithmetic(model, cell, { ...inBrief(model, MOST), turned });
  return pieces.map((piece) => pieceOf(model, piece, (of) => [placed(of)]));
}

/** "Head 2", or "Heads 1–2" of heads that share. */
export function headsLabel(words, heads) {
  if (heads.length === 1) return fill(words.head_n, { head: heads[0] + 1 });
  return fill(words.heads_n, { first: heads[0] + 1, last: heads.at(-1) + 1 });
}
