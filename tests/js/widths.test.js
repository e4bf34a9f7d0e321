// How much room a table keeps for its numbers, and how wide it is.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  decimalsWithin,
  digitsIn,
  isShortened,
  narrowFor,
  reserved,
  roomFor,
  widthOf,
} from "../../web/kit/column_widths.js";

const matrix = (values, more = {}) => ({
  symbol: "M",
  formula: "",
  axes: ["n_q", "d_k"],
  perHead: true,
  values: [values],
  edit: false,
  scale: "signed",
  ...more,
});
const columns = (count, number) => [Array(count).fill(number), Array(count).fill(number)];

/** @returns {any} */
const model = (matrices, divisor = 1) => ({
  decimals: 4,
  dims: { h: 1 },
  labels: { n_q: ["cats", "sleep"] },
  constants: { divisor },
  matrices,
  steps: {
    scaled: { operands: [["scores", "ij", "h"]], constant: "divisor" },
    weights: { operands: [["scaled", "ij", "h"]] },
    mixed: { operands: [["weights", "ij", "h"]] },
  },
});

test("room is kept for a sign that may come and for decimals, and none where there always is enough", () => {
  const whole = columns(2, 3);
  const all = {
    x: matrix(whole, { edit: true }),
    w: matrix(columns(2, 0.25), { edit: true }),
    scores: matrix(whole),
    scaled: matrix(whole),
    weights: matrix(columns(2, 0.5), { scale: "weights" }),
    mixed: matrix(whole),
  };
  const kept = (name, divisor) => reserved(model(all, divisor), name, 0);
  assert.equal(kept("x"), 0);
  assert.ok(digitsIn("−0.25") <= roomFor(kept("w")));
  assert.equal(kept("scores"), 0);
  assert.equal(kept("scaled"), 0); // nothing is divided
  assert.ok(digitsIn("−1.5000") <= roomFor(kept("scaled", 2))); // though all are whole by now
  assert.ok(digitsIn("0.5000") <= roomFor(kept("weights")));
  assert.ok(digitsIn("−1.5000") <= roomFor(kept("mixed"))); // what weights make of whole numbers
  const large = model({ m: matrix([[1, -123.25]]) });
  assert.ok(digitsIn("−123.2500") <= roomFor(reserved(large, "m", 0)));
});

test("a table is as wide as its columns, those folded away taken together, and as what stands above it", () => {
  const wide = (count) => widthOf(model({ m: matrix(columns(count, 0.5)) }), 0, 0.6);
  assert.ok(wide(3) - wide(2) > 3.5);
  const signed = (count) => widthOf(model({ m: matrix(columns(count, -0.1766)) }), 0, 0.6);
  const margin = 0.6;
  assert.ok(signed(3) - signed(2) - margin > 0.6 * digitsIn("−0.1766") + 0.1); // its minus is not on the border
  assert.ok(wide(8) > wide(32)); // of 32 there are six, and one that stands for the others
  assert.equal(wide(32), wide(64));
  const told = matrix(columns(1, 1), { formula: "softmax(a very long way to work out a number)" });
  assert.ok(widthOf(model({ m: told }), 0, 0.6) > wide(2));
});

test("a table to fill in is wider than one of numbers, and is below what it is computed from", () => {
  const wide = (more) => widthOf(model({ m: matrix(columns(4, ""), { edit: true, ...more }) }), 0, 0.6);
  assert.ok(wide({ claim: true }) - wide({}) >= 4); // the em that are kept for a mark in each column
  const formula = "softmax(a very long way to work out a number)";
  assert.ok(wide({ claim: true, formula }) > wide({ formula }) + 4);
});

test("in narrow columns a table has as many decimals as its longest number leaves room for, but no typed one loses any", () => {
  const all = {
    w: matrix([[-0.2512, 1.5]], { edit: true }),
    weights: matrix([[0.25, 0.75]], { scale: "weights" }),
    small: matrix([[-1.2345, 0.5]]),
    scores: matrix([[-12.3456, 0.5]]),
    large: matrix([[-12345.5, 0.5]]),
    whole: matrix([[-12, 3]]),
  };
  const given = model(all);
  const room = narrowFor(2); // −1.23
  const decimals = (name) => decimalsWithin(given, name, 0, room);
  assert.deepEqual(["weights", "small", "scores", "large"].map(decimals), [3, 2, 1, 0]);
  assert.equal(decimals("w"), 4);
  const shortened = Object.keys(all).filter((name) => isShortened(given, name, 0, room));
  assert.deepEqual(shortened, ["weights", "small", "scores", "large"]);
  for (const name of ["weights", "small", "scores"]) assert.equal(reserved(given, name, 0, room), room);
  assert.ok(digitsIn("−0.2512") <= reserved(given, "w", 0, room));
  assert.ok(digitsIn("−12346") <= reserved(given, "large", 0, room)); // never cut off
  assert.equal(decimalsWithin(given, "scores", 0), 4); // in wide columns, or where the reader has chosen them
  assert.ok(widthOf(given, 0, 0.6, room) < widthOf(given, 0, 0.6));
});

test("a step has as many decimals in every head as its longest number leaves room for", () => {
  const values = [columns(2, 0.25), columns(2, -12.25)];
  const two = { ...model({ m: matrix([], { values }) }), dims: { h: 2 } };
  const alone = decimalsWithin(model({ m: matrix(columns(2, 0.25)) }), "m", 0, 6);
  assert.equal(decimalsWithin(two, "m", 0, 6), decimalsWithin(two, "m", 1, 6));
  assert.ok(decimalsWithin(two, "m", 0, 6) < alone);
});
