// What an edit has moved, as it is said.

import assert from "node:assert/strict";
import { test } from "node:test";
import { movedSentence } from "../../web/kit/changed_numbers.js";

const words = {
  moved_weights: "{changed} of {all} weights changed, most of all head {head}, {tokens}: {before} → {now}",
  moved_because: "{sentence}, because its {score} went from {before} to {now}",
};

/** @type {any} */
const model = {
  decimals: 2,
  labels: { n_q: ["אני"], n_k: ["אני", "לתכנת"] },
  matrices: {
    weights: { symbol: "A", axes: ["n_q", "n_k"], perHead: true, edit: false, values: [[[0.25, 0.75]]] },
  },
  words: { place_of_head: "{place} of head {head}" },
  before: { weights: [[[0.25, 0.5]]] },
  steps: {},
};

test("tokens from right to left do not turn the arrow of the most moved weight round", () => {
  assert.equal(
    movedSentence(model, words),
    "1 of 2 weights changed, most of all head 1, ⁨אני⁩ → ⁨לתכנת⁩: 0.50 → 0.75",
  );
});

test("a weight that has moved is told with what its score did", () => {
  const scores = { symbol: "S", axes: ["n_q", "n_k"], perHead: true, edit: false, values: [[[1, 4]]] };
  const whole = {
    ...model,
    matrices: { ...model.matrices, scores },
    steps: { weights: { operands: [["scores", "ij", ""]] } },
    before: { ...model.before, scores: [[[1, 2]]] },
  };
  assert.match(movedSentence(whole, words), /: 0\.50 → 0\.75, because its S went from 2 to 4$/);
});
