// What is shown of many: the one that is spoken of, the first ones and the last.

import assert from "node:assert/strict";
import { test } from "node:test";
import { around } from "../../web/walk/picture/shown_indices.js";

test("few are all shown", () => {
  assert.deepEqual(around(3, 3, 1), [0, 1, 2]);
  assert.deepEqual(around(1, Infinity, 0), [0]);
});

test("of many the first, the one spoken of and the last, and how many are left out between them", () => {
  assert.deepEqual(around(32, 3, 0), [0, 1, { from: 2, count: 29 }, 31]);
  assert.deepEqual(around(32, 3, 9), [0, { from: 1, count: 8 }, 9, { from: 10, count: 21 }, 31]);
  assert.deepEqual(around(32, 2, 31), [0, { from: 1, count: 30 }, 31]);
});

test("every index is shown or counted once, the one spoken of is shown, and no more than were asked for", () => {
  for (const count of [1, 2, 5, 7, 11, 31])
    for (const most of [2, 3, 5, 8])
      for (let at = 0; at < count; at++) {
        const found = around(count, most, at);
        const all = found.flatMap((one) =>
          typeof one === "number" ? [one] : Array.from({ length: one.count }, (_, k) => one.from + k),
        );
        assert.deepEqual(all, [...Array(count).keys()]);
        assert.ok(found.includes(at));
        assert.ok(found.filter((one) => typeof one === "number").length <= most);
      }
});
