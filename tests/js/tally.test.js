// Answers as bars: choices in their order, numbers the commonest first, and what few have said together.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bars, choiceOf, MOST, ofHands } from "../../web/walk/room/tally.js";

/** @type {any} */
const ABC = { choices: ["Q", "", "V"] };
/** @type {any} */
const NUMBER = { choices: [] };

test("choices are in their order, also those that nobody took", () => {
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

const labels = (found) => found.map(({ label, count, right }) => [label, count, right]);
/** @type {any} */
const HALF = { is: (text) => Number(text) === 0.5, label: "0.5" };

test("the number that was given most often stands first, and the others share the last bar", () => {
  const answers = { "-1": 1, 10: 2, 0.5: 6, "-inf": 1, 7: 2 };
  assert.deepEqual(labels(bars(NUMBER, { answers, others: 3 }, null, 3)), [
    ["0.5", 6, false],
    ["7", 2, false],
    ["10", 2, false],
    [null, 5, false],
  ]);
});

test("once it may be known the right number has a bar among the first, though few or none gave it", () => {
  const answers = { 0: 225, 3: 9, 4: 8, 0.5: 1 };
  assert.deepEqual(labels(bars(NUMBER, { answers, others: 57 }, HALF, 3)), [
    ["0", 225, false],
    ["3", 9, false],
    ["0.5", 1, true],
    [null, 65, false],
  ]);
  assert.deepEqual(labels(bars(NUMBER, { answers: { 0: 225 }, others: 0 }, HALF)), [
    ["0", 225, false],
    ["0.5", 0, true],
  ]);
});

test("one number written in several ways is one bar, and so are all texts that are right", () => {
  const near = { is: (text) => text.startsWith("0.89"), label: "0.8943" };
  const answers = { 0.89: 3, 0.8943: 4, 0.894: 1, 1: 2, "1.0": 3 };
  assert.deepEqual(labels(bars(NUMBER, { answers, others: 0 }, near)), [
    ["0.8943", 8, true],
    ["1.0", 5, false],
  ]);
});

test("of 300 answers with a long tail none is lost, and what hardly anybody gave is one bar", () => {
  const answers = Object.fromEntries(Array.from({ length: 75 }, (_, n) => [`${n / 100 + 1}`, 1]));
  const found = bars(NUMBER, { answers: { ...answers, 0: 225 }, others: 0 }, HALF);
  assert.deepEqual(labels(found), [
    ["0", 225, false],
    ["0.5", 0, true],
    [null, 75, false],
  ]);
  assert.ok(Math.abs(found.reduce((sum, { share }) => sum + share, 0) - 1) < 1e-12);
});

test("of many numbers that are all given often as many have a bar as there is space for", () => {
  const answers = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n + 1}`, 10]));
  assert.equal(bars(NUMBER, { answers, others: 0 }, null).length, MOST + 1);
  assert.equal(bars(NUMBER, { answers, others: 0 }, HALF, 3).length, 4);
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
