// Which answer to a question is right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { rightOf } from "../../web/walk/room/poll.js";

/** @type {(value: number) => any} */
const walk = (value) => ({ decimals: 4, matrices: { q: { perHead: false, values: [[value]] } } });
/** @type {any} */
const QUESTION = { question: 1, open: true, cell: { name: "q", head: null, row: 0, col: 0 } };
const CLOSED = { ...QUESTION, open: false };

test("a closed question keeps the right answer of the numbers that were asked about", () => {
  rightOf(walk(0.8943), QUESTION);
  const { is, label } = rightOf(walk(0.9966), CLOSED);
  assert.deepEqual([label, is("0.8943"), is("0.9966")], ["0.8943", true, false]);
});

test("the numbers of an open question and of the next one are those that are there", () => {
  rightOf(walk(0.25), QUESTION);
  assert.equal(rightOf(walk(0.5), QUESTION).label, "0.5000");
  assert.equal(rightOf(walk(0.75), { ...CLOSED, question: 2 }).label, "0.7500");
});
