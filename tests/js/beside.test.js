// Where a bubble stands beside what it speaks of.

import assert from "node:assert/strict";
import { test } from "node:test";
import { beside } from "../../web/explore/first_steps/bubble_position.js";

const box = (left, top, width, height) => ({ left, top, right: left + width, bottom: top + height });
const SIZE = { width: 300, height: 100 };
const ROOM = box(0, 200, 1000, 500);

/** @returns {number} the area that two boxes share */
const shared = (one, other) =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));

test("a bubble stands to the right where there is room, else below, above or to the left", () => {
  const stands = (anchor) => beside(anchor, SIZE, ROOM, [anchor]);
  assert.deepEqual(stands(box(100, 300, 150, 90)), { left: 258, top: 300 });
  assert.deepEqual(stands(box(600, 300, 350, 90)), { left: 600, top: 398 });
  assert.deepEqual(stands(box(600, 560, 350, 90)), { left: 600, top: 452 });
  assert.deepEqual(stands(box(600, 200, 400, 500)), { left: 292, top: 200 });
});

test("a bubble covers nothing that is to stay clear, wherever there is any room for it", () => {
  for (let x = 0; x <= 800; x += 40)
    for (let y = 200; y <= 600; y += 40) {
      const anchor = box(x, y, 180, 90);
      const at = beside(anchor, SIZE, ROOM, [anchor]);
      const bubble = box(at.left, at.top, SIZE.width, SIZE.height);
      assert.equal(shared(bubble, anchor), 0);
      assert.equal(shared(bubble, ROOM), SIZE.width * SIZE.height);
    }
});

test("it goes round what else is to stay clear", () => {
  const [lines, number] = [box(0, 0, 1000, 190), box(100, 250, 300, 120)];
  const at = beside(lines, SIZE, ROOM, [lines, number]);
  assert.equal(shared(box(at.left, at.top, SIZE.width, SIZE.height), number), 0);
});

test("where something must be covered it is what matters least, and as near as can be", () => {
  const room = box(0, 0, 390, 600);
  const [must, should, spared] = [box(0, 0, 390, 250), box(10, 260, 370, 150), box(0, 500, 390, 100)];
  const at = beside(should, SIZE, room, [must], [should], [spared]);
  const bubble = box(at.left, at.top, SIZE.width, SIZE.height);
  assert.equal(shared(bubble, must), 0);
  assert.equal(shared(bubble, should), 0);
  assert.equal(at.top, 418); // which covers 18 px of what is spared, and none more
});
