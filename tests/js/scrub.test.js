// What a drag makes of a number.

import assert from "node:assert/strict";
import { test } from "node:test";
import { decimalsOfStep, moved } from "../../web/kit/numbers.js";

test("a step fits the number: 1 for whole ones, else its last digit, as far as that is seen to change", () => {
  const cases = [
    [0, 0],
    [7, 0],
    [-120, 0],
    [1e12, 0],
    [0.5, 1],
    [-0.25, 2],
    [12.75, 2],
    [1234.5, 0],
    [0.1234567, 4],
    [5e-7, 7],
    [1e-300, 15],
  ];
  for (const [number, decimals] of cases) assert.equal(decimalsOfStep(number), decimals, String(number));
});

test("steps add up in decimals, and stop at the limits", () => {
  assert.equal(moved(0.1, 2, 100), 0.3);
  assert.equal(moved(-0.25, 25, 100), 0);
  assert.equal(Object.is(moved(-1, 1, 100), 0), true);
  assert.equal(moved(99, 5, 100), 100);
  assert.equal(moved(-99, -5, 100), -100);
  for (let steps = -50; steps <= 50; steps++)
    assert.equal(String(moved(1.05, steps, 1e6)).length <= 5, true, `${steps}`);
});

test("a number that was computed moves by the step of its table, to numbers that are easy to read", () => {
  assert.equal(moved(3.5355339, 1, 100, 0), 5);
  assert.equal(moved(3.5355339, -2, 100, 1), 3.3);
});

test("what is kept as it was typed moves by its last digit, and keeps its decimals", () => {
  const cases = [
    ["0.50", 3, "0.53"],
    ["0.50", -51, "-0.01"],
    ["0.02", -2, "0.00"],
    ["7", 5, "12"],
    ["-1.5", 15, "0.0"],
    ["2e-3", 1, "0.003"],
    ["+4", -5, "-1"],
    [".5", 1, "0.6"],
    ["1e300", 0, "1e300"],
    ["1.50", 0, "1.50"],
  ];
  for (const [text, steps, expected] of cases) assert.equal(moved(text, steps, 1), expected, text);
});
