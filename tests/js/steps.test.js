// Which step of an exercise comes next, how far one is, and what a line of it has.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  inOneLine,
  nameOfTable,
  nextTable,
  progressOf,
  withPowers,
} from "../../web/explore/exercise/practice_steps.js";
import { operandsOf } from "../../web/kit/graph.js";

const table = (name, head, cells, right) => ({ name, head, label: name, cells, right, wrong: 0 });
const TABLES = [
  table("k", 0, 4, 4),
  table("k", 1, 4, 1),
  table("scores", 0, 6, 6),
  table("output", null, 2, 0),
];

test("the next step is the next one that is not done, then the first one that was left", () => {
  assert.equal(nextTable(TABLES, -1), TABLES[1]);
  assert.equal(nextTable(TABLES, 0), TABLES[1]);
  assert.equal(nextTable(TABLES, 1), TABLES[3]);
  assert.equal(nextTable(TABLES, 3), TABLES[1]);
  assert.equal(nextTable([TABLES[0]], -1), null);
});

test("how far one is: the open step, or as many as are done, and the right numbers in all", () => {
  assert.deepEqual(progressOf(TABLES, "scores 0"), { step: 3, steps: 4, right: 11, cells: 16 });
  assert.deepEqual(progressOf(TABLES, "output"), { step: 4, steps: 4, right: 11, cells: 16 });
  assert.equal(progressOf(TABLES, null).step, 3);
  assert.equal(progressOf([TABLES[0]], null).step, 1);
});

test("a table in one line", () => {
  assert.equal(nameOfTable({ name: "k", head: 1 }), "k 1");
  assert.equal(
    inOneLine([
      ["0.50", "−1"],
      ["2", "0"],
    ]),
    "0.50  −1  |  2  0",
  );
});

test("what is above the line is kept apart from what is on it", () => {
  assert.deepEqual(withPowers("e^(−2) ÷ (e^2 + e^(1.5 − 3)) = ?"), [
    "e",
    "(−2)",
    " ÷ (e",
    "2",
    " + e",
    "(1.5 − 3)",
    ") = ?",
  ]);
  assert.deepEqual(withPowers("e^(S/√d_k)[1, 2] + e^S_M[1, 1]"), [
    "e",
    "(S/√d_k)[1, 2]",
    " + e",
    "S_M[1, 1]",
    "",
  ]);
  assert.deepEqual(withPowers("1·0 + 2"), ["1·0 + 2"]);
});

test("a table is computed from its operands, each once: its own head's, its keys' head's, or every head's", () => {
  const perHead = (values, owners) => ({ perHead: true, values, owners, symbol: "" });
  const model = /** @type {any} */ ({
    dims: { h: 2 },
    matrices: {
      x: { perHead: false, values: [[1]] },
      q: perHead([[[1]], [[2]]]),
      k: perHead([[[1]], null], [0, 0]),
      b_q: perHead([null, [[1]]]),
      scores: perHead([[[1]], [[1]]]),
      head_outputs: perHead([[[1]], [[1]]]),
      concat: { perHead: false, values: [[1, 2]] },
    },
    steps: {
      scores: {
        operands: [
          ["q", "ik", ""],
          ["k", "jk", ""],
        ],
      },
      q: {
        operands: [
          ["x", "ik", ""],
          ["b_q", "j", ""],
        ],
      },
      concat: { operands: [["head_outputs", "ik", "g"]] },
    },
  });
  const named = (name, head) => operandsOf(model, name, head).map(nameOfTable);
  assert.deepEqual(named("scores", 1), ["q 1", "k 0"]);
  assert.deepEqual(named("q", 0), ["x"]);
  assert.deepEqual(named("q", 1), ["x", "b_q 1"]);
  assert.deepEqual(named("concat", null), ["head_outputs 0", "head_outputs 1"]);
});
