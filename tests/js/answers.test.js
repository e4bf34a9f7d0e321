// An answer that has what is new since one before is put together with that one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Answers } from "../../web/kit/answers.js";

const words = {};
/** @type {any} */
const first = {
  session: "s",
  answer: 1,
  ack: 0,
  about: "before",
  matrices: {
    x: { perHead: false, symbol: "X", values: [[1, 2], [3, 4]] }, // biome-ignore format: rows
    q: { perHead: true, symbol: "Q", values: [[[1, 2], [3, 4]], null] }, // biome-ignore format: rows
    mask: { perHead: false, values: [[true, false]] },
  },
  words,
};
const floats = (/** @type {number[]} */ ...numbers) =>
  btoa(String.fromCharCode(...new Uint8Array(new Float64Array(numbers).buffer)));
/** @type {any} */
const next = {
  ...{ session: "s", answer: 2, base: 1, ack: 5, words },
  new: {
    parts: { about: "after" },
    matrices: { q: { symbol: "Q̂" } },
    numbers: [
      ["x", null, [1, 2], null],
      ["q", 0, [3, 1], null],
      ["mask", null, [1, 1], [true]],
    ],
    floats: floats(7, 8, 9),
  },
};

test("new parts replace the old ones, and the rest is unchanged", () => {
  const answers = new Answers();
  answers.whole(first);
  const { about, ack, matrices } = answers.whole(next);
  assert.deepEqual([about, ack], ["after", 5]);
  assert.deepEqual(matrices.x.values, [[1, 7], [8, 4]]); // biome-ignore format: rows
  assert.deepEqual(matrices.q, { perHead: true, symbol: "Q̂", values: [[[1, 2], [3, 9]], null] }); // biome-ignore format: rows
  assert.deepEqual(matrices.mask.values, [[true, true]]);
});

test("the answer before stays as it is, for others that build upon it", () => {
  const answers = new Answers();
  const before = structuredClone(first);
  answers.whole(first);
  answers.whole(next);
  assert.deepEqual(first, before);
  assert.deepEqual(answers.whole({ ...next, answer: 3 }).matrices.x.values, [[1, 7], [8, 4]]); // biome-ignore format: rows
});

test("an answer that builds upon one that is not here is no answer", () => {
  const answers = new Answers();
  assert.equal(answers.whole(next), null);
  answers.whole(first);
  assert.equal(answers.whole({ ...next, session: "another" }), null);
});

test("only the latest answers are kept", () => {
  const answers = new Answers();
  answers.whole(first);
  answers.whole({ ...next, answer: 8 });
  assert.equal(answers.last, 8);
  assert.ok(answers.whole({ ...next, answer: 9 }));
  assert.equal(answers.whole({ ...next, answer: 10 }), null);
});
