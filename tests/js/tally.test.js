// Answers as bars: choices in their order, numbers by their size, and what few have said together.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, choiceOf, ofHands } from "../../mha_ui/walkthrough/assets/tally.js";

/** @type {any} */
const ABC = { choices: ["Q", "", "V"] };
/** @type {any} */
const NUMBER = { choices: [] };

test("choices stand in their order, those that nobody took too", () => {
  const found = bars(ABC, { answers: { 2: 3, 0: 1 }, others: 0 }, null);
  assert.deepEqual(
    found.map(({ label, count, share }) => [label, count, share]),
    [
      ["A · Q", 1, 0.25],
      ["B", 0, 0],
      ["C · V", 3, 0.75],
    ],
  );
  assert.equal(choiceOf(ABC, 2), "C · V");
});

test("numbers stand by their size, and those that are right are marked once it may be known", () => {
  const answers = { 0.5: 6, "-1": 1, 10: 2, "-inf": 1 };
  const right = (text) => text === "0.5";
  const found = bars(NUMBER, { answers, others: 0 }, right);
  assert.deepEqual(
    found.map(({ label }) => label),
    ["−∞", "−1", "0.5", "10"],
  );
  assert.deepEqual(
    found.map((bar) => bar.right),
    [false, false, true, false],
  );
  assert.ok(bars(NUMBER, { answers, others: 0 }, null).every((bar) => !bar.right));
});

test("numbers that few have said share a bar, and no answer is lost", () => {
  const answers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [String(n), 30 - n]));
  const found = bars(NUMBER, { answers, others: 5 }, null);
  assert.equal(found.length, 11);
  assert.equal(found.at(-1).label, null);
  assert.equal(
    found.reduce((sum, { count }) => sum + count, 0),
    465 + 5,
  );
  assert.ok(Math.abs(found.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-12);
});

test("before anybody has answered no bar is long", () => {
  assert.ok(bars(ABC, { answers: {}, others: 0 }, null).every(({ share }) => share === 0));
  assert.deepEqual(bars(NUMBER, { answers: {}, others: 0 }, null), []);
});

test("hands have a bar for each answer, and those that give the number are marked once it is known", () => {
  const answers = [
    { text: "1/2", count: 1 },
    { text: "0.50", count: 12 },
    { text: "", count: 3 },
  ];
  assert.deepEqual(
    ofHands(answers, null).map(({ label, count, share, right }) => [label, count, share, right]),
    [
      ["A · 1/2", 1, 1 / 16, false],
      ["B · 0.50", 12, 12 / 16, false],
      ["C", 3, 3 / 16, false],
    ],
  );
  const right = (text) => text === "0.50";
  assert.deepEqual(
    ofHands(answers, right).map((bar) => bar.right),
    [false, true, false],
  );
});
