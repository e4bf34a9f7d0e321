// A count in a sentence chooses the form of the word after it, as in tests/core/test_plurals.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fill, fillNodes } from "../../web/kit/dom.js";

test("one is singular and every other number is plural", () => {
  const told = (count) => fill("{what}: {count} {count:row is|rows are} missing", { what: "X", count });
  assert.deepEqual([0, 1, "1", 2].map(told), [
    "X: 0 rows are missing",
    "X: 1 row is missing",
    "X: 1 row is missing",
    "X: 2 rows are missing",
  ]);
});

test("so it is where the values are parts of a page", () => {
  const told = (count) =>
    fillNodes("{count} {count:number|numbers} in {table}", { count: [count], table: ["Q"] });
  assert.deepEqual([told("1").join(""), told("3").join("")], ["1 number in Q", "3 numbers in Q"]);
});
