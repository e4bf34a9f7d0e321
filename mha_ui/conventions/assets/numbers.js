// A matrix of the example as a table's cells, and the arithmetic of one of its numbers in either convention.

import { element, fill, symbol } from "../mha.bench/dom.js";
import { arithmetic, headOf, isEditable, key, rowsOf, termsOf, valueOf } from "../mha.bench/graph.js";
import { brief, exact, format, isRounded } from "../mha.bench/numbers.js";
import { largest, tint } from "./sheet.js";

const MOST = 10; // terms of a sum that the line tells

/** Labels along one axis of a matrix. */
export const labelsOf = (model, axis, count) =>
  axis === "1" ? [""] : Array.from({ length: count }, (_, i) => model.labels[axis]?.[i] ?? String(i + 1));

/** {rows, head, cell(row, col)}: a matrix of a head with its cells as a table wants them. */
export function matrixOf(model, name, head) {
  const of = headOf(model, name, head);
  const rows = rowsOf(model, name, of);
  const editable = isEditable(model, name, of);
  const whole = rows.every((row) =>
    row.every((value) => typeof value !== "number" || Number.isInteger(value)),
  );
  const scale = model.matrices[name].scale;
  const top = scale === "weights" ? 1 : largest(rows);
  const cell = (row, col) => {
    const value = rows[row][col];
    const place = { name, head: of, row, col };
    const text = editable ? exact(value) : format(value, whole ? 0 : model.decimals);
    return { key: key(place), text, ...tint(value, top), info: { cell: place } };
  };
  return { rows, head: of, cell, scale, hue: model.matrices[name].hue };
}

/** A query that may attend to nothing is marked where its weights and its output stand. */
export function marked(model, name, head, labels) {
  if (!["weights", "head_outputs"].includes(name)) return labels;
  return labels.map((text, index) => (model.dead?.[head]?.[index] ? `${text} ∅` : text));
}

/** "Q Head 2 [思考, 1]" */
export function placeOf(model, { name, head, row, col }, sign, { turned = false } = {}) {
  const [down, across] = model.matrices[name].axes;
  const one = labelsOf(model, down, row + 1)[row];
  const other = labelsOf(model, across, col + 1)[col];
  const labels = (turned ? [other, one] : [one, other]).filter((text) => text !== "");
  const named = head === null || sign.includes("head_") ? "" : ` ${model.words.head} ${head + 1} `;
  const inside = labels.flatMap((text, i) => [i ? ", " : "", element("bdi", {}, text)]);
  return element("span", { class: "place" }, symbol(sign), named, "[", ...inside, "]");
}

/** What a number is computed as, in pieces of text; `turned`: with the factors in the other order; `placed`: a place. */
export function told(model, cell, turned, placed) {
  const terms = termsOf(model, cell);
  const how = {
    show: (number) => brief(number, model.decimals),
    rounds: (number) => isRounded(number, model.decimals),
    most: MOST,
  };
  if (!terms.length) return [element("strong", {}, exact(valueOf(model, cell)))];
  const swaps = turned && ["matmul", "multiply"].includes(model.steps[cell.name].op);
  return (swaps ? swapped(model, cell, terms, how) : arithmetic(model, cell, how)).map((piece) =>
    pieceOf(model, piece, placed),
  );
}

/** Products with their factors in the other order; a bias stays last. */
function swapped(model, cell, terms, how) {
  const number = (of) => ({ number: bracketed(how.show(valueOf(model, of))), cell: of });
  const products = terms.map((term) =>
    [...term].reverse().flatMap((of, i) => [...(i ? [{ text: " · " }] : []), number(of)]),
  );
  const some =
    products.length <= MOST
      ? products
      : [...products.slice(0, MOST - 2), [{ text: "…", quiet: true }], ...products.slice(-2)];
  const value = valueOf(model, cell);
  const sum = some.flatMap((product, i) => [...(i ? [{ text: " + " }] : []), ...product]);
  return [
    ...sum,
    { text: how.rounds(value) ? " ≈ " : " = " },
    { number: how.show(value), cell, strong: true },
  ];
}

const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);

function pieceOf(model, piece, placed) {
  if (piece.text !== undefined)
    return element("span", { class: piece.quiet ? "quiet-text" : null }, piece.text);
  if (piece.place) return placed(piece.place);
  const hue = `hue-${model.matrices[piece.cell.name].hue || "none"}`;
  const tag = piece.power !== undefined ? "sup" : piece.strong ? "strong" : "span";
  return element(tag, { class: `number ${hue}` }, piece.power ?? piece.number);
}

/** "Head 2", or "Heads 1–2" of heads that share. */
export function headsLabel(words, heads) {
  if (heads.length === 1) return fill(words.head_n, { head: heads[0] + 1 });
  return fill(words.heads_n, { first: heads[0] + 1, last: heads.at(-1) + 1 });
}
