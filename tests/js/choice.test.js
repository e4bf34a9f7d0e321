// Which heads' tables are shown, where not all fit beside each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Choice } from "../../web/explore/heads/head_choice.js";

test("a head that comes is shown in place of the last one, and the first comes back with new tokens", () => {
  const choice = new Choice();
  choice.add(2, 3, 3); // there is room
  assert.deepEqual(choice.shown(3, 2), [0, 1]);
  choice.add(3, 4, 3);
  assert.deepEqual(choice.shown(4, 3), [0, 1, 3]);
  choice.renew();
  assert.deepEqual(choice.shown(4, 1), [0]);
  choice.add(4, 5, 1); // one has room: it is the one that has come
  assert.deepEqual(choice.shown(5, 1), [4]);
});

test("heads that are asked for stay when new tokens come, and not when other work does", () => {
  const choice = new Choice();
  choice.show(3, 4, 3);
  assert.deepEqual(choice.shown(4, 3), [1, 2, 3]);
  choice.toggle(1, 4, 3);
  choice.renew();
  assert.deepEqual(choice.shown(4, 3), [2, 3]);
  choice.forget();
  assert.deepEqual(choice.shown(4, 3), [0, 1, 2]);
});
