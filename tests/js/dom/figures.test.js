// Pictures whose points are cells of tables: with other numbers in the browser they are the server's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload } from "./page.js";

const { isOfCells, withNumbersOf } = await import("../../../web/kit/figure_numbers.js");

/** Numbers of two executors may differ in their last digits; the texts may not. */
const rounded = (figure) =>
  JSON.parse(JSON.stringify(figure), (_, value) =>
    typeof value === "number" ? Number(value.toPrecision(11)) : value,
  );

test("other numbers in a picture give the server's picture, in every built-in example", () => {
  const seen = { same: 0, rescaled: 0, other: 0 };
  for (const [example, { before, after, model }] of Object.entries(payload("examples")))
    for (const [name, figure] of Object.entries(before)) {
      const shown = withNumbersOf(figure, model);
      const isScaled = JSON.stringify(figure.layout) !== JSON.stringify(after[name].layout);
      if (!isOfCells(figure)) assert.equal(shown, null, `${example}: ${name}`);
      else if (shown && !isScaled)
        assert.deepEqual(rounded(shown.data), rounded(after[name].data), `${example}: ${name}`);
      else assert.ok(isScaled, `${example}: ${name}`);
      seen[isOfCells(figure) ? (isScaled ? "rescaled" : "same") : "other"] += 1;
    }
  assert.ok(seen.same >= 40 && seen.other >= 10, JSON.stringify(seen));
});

test("with another mask the server draws the weights", () => {
  const { before, model } = payload("masked");
  assert.equal(withNumbersOf(before.weights, model), null);
  assert.equal(withNumbersOf(before.bars, model), null);
});

test("numbers beyond the scale of colours are the server's to draw", () => {
  const { before, model } = payload("large");
  assert.equal(withNumbersOf(before.scores, model), null);
  assert.notEqual(withNumbersOf(before.weights, model), null);
});
