// What of a large table is shown, and which heads' tables are.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Choice, fitting, widest } from "../../web/explore/heads/head_choice.js";
import { Folds, folded, isUnfolded, UNASKED, UNFOLDED } from "../../web/kit/folding.js";

const kept = (...at) => ({ open: false, kept: new Set(at) });
/** Every index that is shown or in a gap, in order. */
const covered = (shown) =>
  shown.flatMap((at) =>
    typeof at === "number" ? [at] : Array.from({ length: at.count }, (_, n) => at.from + n),
  );

test("up to eight rows are shown as they are", () => {
  for (let count = 1; count <= 8; count++) assert.deepEqual(folded(count, UNASKED), [...Array(count).keys()]);
});

test("of more the first five and the last one are shown, and how many stand between", () => {
  assert.deepEqual(folded(9, UNASKED), [0, 1, 2, 3, 4, { from: 5, count: 3 }, 8]);
  assert.deepEqual(folded(64, UNASKED), [0, 1, 2, 3, 4, { from: 5, count: 58 }, 63]);
});

test("what is gone to stays in sight, between two gaps", () => {
  assert.deepEqual(folded(32, kept(20)), [
    ...[0, 1, 2, 3, 4],
    { from: 5, count: 15 },
    20,
    { from: 21, count: 10 },
    31,
  ]);
});

test("nothing is lost and nothing stands twice, and no gap hides a single row", () => {
  for (const count of [9, 10, 21, 64])
    for (let at = 0; at < count; at++)
      for (const other of [at, 0, 6, count - 2, count - 3]) {
        const shown = folded(count, kept(at, other));
        assert.deepEqual(covered(shown), [...Array(count).keys()]);
        assert.ok(shown.includes(at), `${count} ${at}`);
        for (const gap of shown) assert.ok(typeof gap === "number" || gap.count > 1);
      }
});

test("unfolded all are shown, and it can be folded again", () => {
  const open = { open: true, kept: new Set() };
  assert.deepEqual(folded(64, open), [...Array(64).keys()]);
  assert.ok(isUnfolded(64, open) && isUnfolded(64, kept(20)));
  assert.ok(!isUnfolded(64, UNASKED) && !isUnfolded(64, kept(3)) && !isUnfolded(8, open));
  assert.ok(!isUnfolded(64, UNFOLDED.row)); // of a table that never folds
});

test("folds are remembered by table, and forgotten by table", () => {
  const folds = new Folds();
  folds.keep([{ name: "weights", head: 1, row: 20, col: 9 }]);
  folds.at("x", null).row.open = true;
  assert.deepEqual([...folds.at("weights", 1).row.kept], [20]);
  assert.deepEqual([...folds.at("weights", 1).col.kept], [9]);
  assert.deepEqual([...folds.at("weights", 0).row.kept], []);
  folds.forget("weights", 1);
  assert.deepEqual([...folds.at("weights", 1).row.kept], []);
  assert.ok(folds.at("x", null).row.open);
});

test("as many heads fit as the width has room for, and at least one", () => {
  assert.equal(fitting(35, 26), 1);
  assert.equal(fitting(35, 85), 1);
  assert.equal(fitting(35, 86), 2); // 35 em each, and the room between them
  assert.equal(fitting(35, 124), 3);
  assert.equal(fitting(20.5, 87), 3);
});

test("where all heads fit all are shown; else the first ones, until others are chosen", () => {
  const choice = new Choice();
  assert.deepEqual(choice.shown(3, 4), [0, 1, 2]);
  assert.deepEqual(choice.shown(16, 3), [0, 1, 2]);
  choice.show(9, 16, 3);
  assert.deepEqual(choice.shown(16, 3), [1, 2, 9]);
  choice.show(0, 16, 3);
  assert.deepEqual(choice.shown(16, 3), [0, 2, 9]);
  assert.deepEqual(choice.shown(16, 16).length, 16);
});

test("a head that is shown is put away again, but never the last one", () => {
  const choice = new Choice();
  choice.toggle(0, 8, 2);
  assert.deepEqual(choice.shown(8, 2), [1]);
  choice.toggle(1, 8, 2);
  assert.deepEqual(choice.shown(8, 2), [1]);
  choice.toggle(5, 8, 2);
  assert.deepEqual(choice.shown(8, 2), [1, 5]);
});

test("heads that are gone are not shown", () => {
  const choice = new Choice();
  choice.show(7, 8, 2);
  assert.deepEqual(choice.shown(4, 2), [1]);
  choice.show(6, 8, 2);
  assert.deepEqual(choice.shown(4, 2), [0, 1]);
});

test("columns are only as narrow as it takes to show all heads, or three, or as many as can be", () => {
  const ways = (...fits) => fits.map((count, at) => ({ fits: count, at }));
  assert.equal(widest(ways(2, 2, 3), 2).at, 0);
  assert.equal(widest(ways(1, 2, 3), 3).at, 2);
  assert.equal(widest(ways(1, 3, 5), 12).at, 1); // three are enough to compare
  assert.equal(widest(ways(1, 1, 2), 3).at, 2);
  assert.equal(widest(ways(1, 1, 1), 3).at, 0);
});
