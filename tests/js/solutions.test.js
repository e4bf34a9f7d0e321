import assert from "node:assert/strict";
import { test } from "node:test";
import { nextOrder, sorted } from "../../web/check/row_order.js";

const ROWS = [
  ["b 10", 3],
  ["a", null],
  ["b 9", 12],
];

test("rows are sorted by number or by text, what has nothing last, and stand as they came before", () => {
  assert.deepEqual(sorted(ROWS, null), [0, 1, 2]);
  assert.deepEqual(sorted(ROWS, { column: 0, falling: false }), [1, 2, 0]);
  assert.deepEqual(sorted(ROWS, { column: 1, falling: false }), [0, 2, 1]);
  assert.deepEqual(sorted(ROWS, { column: 1, falling: true }), [2, 0, 1]);
});

test("a column is sorted rising first, and falling where it is pressed again", () => {
  assert.deepEqual(nextOrder(null, 1), { column: 1, falling: false });
  assert.deepEqual(nextOrder({ column: 1, falling: false }, 1), { column: 1, falling: true });
  assert.deepEqual(nextOrder({ column: 1, falling: true }, 1), { column: 1, falling: false });
  assert.deepEqual(nextOrder({ column: 1, falling: true }, 0), { column: 0, falling: false });
});
