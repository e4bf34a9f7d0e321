// When a number that somebody filled in counts as right.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isRight, sent } from "../../web/walk/picture/answers.js";

test("a printed number may be off by one unit of its last digit, as rounding and cutting off leave it", () => {
  for (const text of ["0.67", "0.66", "0.6667", "1"]) assert.equal(isRight(text, 2 / 3), true, text);
  for (const text of ["0.65", "0.68", "0.6660", "2"]) assert.equal(isRight(text, 2 / 3), false, text);
});

test("a whole number is what rounding gives", () => {
  assert.equal(isRight("13", 13), true);
  assert.equal(isRight("12", 13), false);
  assert.equal(isRight("13", 12.6), true);
  assert.equal(isRight("12", 12.6), false);
  assert.equal(isRight("1", 0.0529), false);
});

test("what is no number is neither right nor wrong, and −∞ is only itself", () => {
  assert.equal(isRight("abc", 1), undefined);
  assert.equal(isRight("-inf", "-inf"), true);
  assert.equal(isRight("-1000", "-inf"), false);
});

test("a decimal comma is sent as a point, unless it may separate thousands", () => {
  for (const [text, number] of [
    ["0,9", "0.9"],
    ["−1,79", "-1.79"],
    [",5", ".5"],
    ["0,125", "0.125"],
    ["+2.50", "2.50"],
    ["1,000", ""],
    ["1,2,3", ""],
    ["abc", ""],
  ])
    assert.equal(sent(text), number, text);
});
