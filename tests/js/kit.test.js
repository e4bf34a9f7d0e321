// The kit's modules that need no page, against what Python derives of every cell (test_kit.py writes it down).

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { arithmetic, inBrief } from "../../web/kit/arithmetic.js";
import {
  fedBy,
  isHidden,
  key,
  pathOf,
  shownAs,
  symbolOf,
  termsOf,
  unkey,
  valueAt,
} from "../../web/kit/graph.js";
import { exact, fixed, parenthesised, readMask, scientific } from "../../web/kit/numbers.js";

const { examples, printed } = JSON.parse(readFileSync(process.env.MHA_EXAMPLES, "utf8"));

/** A piece as Python writes it: without the notes beside the numbers, and a power behind ^. */
function written(model, piece) {
  if (piece.quiet) return "";
  if (piece.text !== undefined) return piece.text.replace(" · ", "·");
  if (piece.place) {
    const { name, head, row, col } = piece.place;
    return `${symbolOf(model, name, head)}[${row + 1}, ${col + 1}]`;
  }
  if (piece.power !== undefined) return `^${/−/.test(piece.power) ? `(${piece.power})` : piece.power}`;
  return piece.strong ? parenthesised(piece.number) : piece.number;
}

const keys = (cells) => cells.map(key);

for (const { name, model, cells, feeds, hidden } of examples) {
  const title = `${name}, ${model.decimals} decimals`;

  test(`${title}: each cell has the terms that Python finds`, () => {
    for (const { cell, terms } of cells)
      assert.deepEqual(termsOf(model, cell).map(keys), terms.map(keys), key(cell));
  });

  test(`${title}: each cell feeds the cells that have it among their terms`, () => {
    for (const { cell, fed } of feeds)
      assert.deepEqual(keys(fedBy(model, cell)).sort(), keys(fed).sort(), key(cell));
  });

  test(`${title}: the whole path of a cell is all that it is made of and all that it goes into`, () => {
    const terms = new Map(cells.map(({ cell, terms }) => [key(cell), keys(terms.flat())]));
    const fed = new Map(feeds.map(({ cell, fed }) => [key(cell), keys(fed)]));
    const closed = (start, next) => {
      const found = new Set([start]);
      for (const one of found) for (const of of next.get(one) ?? []) found.add(of);
      return found;
    };
    for (const { cell } of [...cells, ...feeds]) {
      const whole = new Set([...closed(key(cell), terms), ...closed(key(cell), fed)]);
      assert.deepEqual(new Set(keys(pathOf(model, cell))), whole, key(cell));
    }
  });

  test(`${title}: each line of arithmetic says what Python's says`, () => {
    for (const { cell, line } of cells) {
      const pieces = arithmetic(model, cell, inBrief(model));
      const said = pieces.map((piece) => written(model, piece)).join("");
      assert.equal(said.trim(), line, key(cell));
    }
  });

  test(`${title}: each number of a table stands as Python prints it`, () => {
    for (const { cell, text } of cells)
      assert.equal(shownAs(model, cell.name, cell.head)(valueAt(model, cell)), text, key(cell));
  });

  test(`${title}: a number is read as the cell writes it`, () => {
    const numbers = feeds
      .map(({ cell }) => valueAt(model, cell))
      .filter((value) => typeof value !== "boolean");
    for (const value of numbers) assert.equal(readMask(exact(value)).value, value);
  });

  test(`${title}: the weights that a mask hides are those that Python finds`, () => {
    const marked = model.matrices.weights.values.map((rows, head) =>
      rows.map((cells, row) =>
        cells.map((weight, col) => isHidden(model, { name: "weights", head, row, col }, weight)),
      ),
    );
    assert.deepEqual(marked, hidden);
  });

  test(`${title}: a cell is found again by its key`, () => {
    for (const { cell } of cells) assert.deepEqual(unkey(key(cell)), cell);
  });
}

test("a number is printed digit for digit as Python prints it, ties and all", () => {
  for (const { number, decimals, f, e } of printed) {
    assert.equal(fixed(number, decimals), f, `${number} at ${decimals}`);
    const power = scientific(number, decimals).replace(/e(.)(\d)$/, "e$10$2"); // Python's has two digits
    assert.equal(power, e, `${number} at ${decimals}`);
  }
});
