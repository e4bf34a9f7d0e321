// What a drag makes of a number, and what the live channel lays over the tables.

import assert from "node:assert/strict";
import { test } from "node:test";
import { layOver, laySeen } from "../../web/kit/live.js";
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

test("what a lens shows is laid over the tables that there are", () => {
  const model = {
    lens: null,
    dead: null,
    matrices: { x: { values: [[1]], lens: [[9]] }, q: { values: [[[1]]] } },
  };
  laySeen(model, {
    lens: { kind: "change", summary: "" },
    matrices: { x: { lens: [[2]], was: [[-1]] }, gone: { lens: [[1]] } },
  });
  assert.deepEqual(model, {
    lens: { kind: "change", summary: "" },
    dead: null,
    matrices: { x: { values: [[1]], lens: [[2]], was: [[-1]] }, q: { values: [[[1]]] } },
  });
});

test("numbers are laid where they belong, and what the tables lack is passed over", () => {
  const model = {
    matrices: {
      x: {
        perHead: false,
        values: [
          [1, 2],
          [3, 4],
        ],
      },
      q: {
        perHead: true,
        values: [
          [
            [1, 2],
            [3, 4],
          ],
          null,
        ],
      },
      masked_scores: { perHead: true, values: [[[0, "-inf"]]] },
      mask: { perHead: false, values: [[true, false]] },
    },
  };
  const blocks = [
    ["q", 0, 1, 1, 2],
    ["q", 1, 0, 1, 2],
    ["x", null, 0, 1, 3],
    ["gone", null, 0, 1, 1],
    ["masked_scores", 0, 0, 1, 2],
    ["mask", null, 0, 1, 2],
  ];
  const numbers = new Float64Array([5, 6, 7, 7, 8, 8, 8, 9, -Infinity, 0.5, 0, 1]);
  assert.deepEqual([...layOver(model, blocks, numbers)], ["q", "masked_scores", "mask"]);
  assert.deepEqual(model.matrices.q.values, [
    [
      [1, 2],
      [5, 6],
    ],
    null,
  ]);
  assert.deepEqual(model.matrices.x.values, [
    [1, 2],
    [3, 4],
  ]);
  assert.deepEqual(model.matrices.masked_scores.values, [[["-inf", 0.5]]]);
  assert.deepEqual(model.matrices.mask.values, [[false, true]]);
});
