// What an edit has moved, as it is said.

import assert from "node:assert/strict";
import { test } from "node:test";
import { movedSentence } from "../../web/explore/moved_sentence.js";

const words = {
  moved_weights: "{changed} of {all} weights changed. Most: head {head}, {tokens}, from {before} to {now}",
  moved_weight: "{changed} of {all} weights changed. Head {head}, {tokens}, from {before} to {now}",
  moved_alone: "{sentence}.",
  moved_because: "{sentence}, because its {score} {went} from {before} to {now}.",
  moved_by_rival: "{sentence}, because {rival} {rival_went} from {rival_before} to {rival_now} in {score}.",
  moved_by_both:
    "{sentence}, because its {score} {went} from {before} to {now}, that of {rival}" +
    " {rival_went} from {rival_before} to {rival_now}.",
  why_rose: "rose",
  why_fell: "fell",
  moved_learned: " Most of the learned: ",
  moved_learned_one: "{place} from {before} to {now}",
  moved_learned_and: ", ",
  why_end: ". ",
};

/** @type {(model: any, words: any, looked?: any[]) => string} */
const sentence = (...given) =>
  movedSentence(...given)
    .map(({ text }) => text)
    .join("");

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
    sentence(model, words),
    "1 of 2 weights changed. Most: head 1, ⁨אני⁩ → ⁨לתכנת⁩, from 0.50 to 0.75.",
  );
});

test("a token that repeats has its position", () => {
  const repeated = { ...model, labels: { n_q: ["s"], n_k: ["k", "k"] } };
  assert.match(sentence(repeated, words), /head 1, s → k \(2\), from/);
});

test("a weight that has moved is described with its score", () => {
  const scores = { symbol: "S", axes: ["n_q", "n_k"], perHead: true, edit: false, values: [[[1, 4]]] };
  const whole = {
    ...model,
    matrices: { ...model.matrices, scores },
    steps: { weights: { operands: [["scores", "ij", ""]] } },
    before: { ...model.before, scores: [[[1, 2]]] },
  };
  assert.match(sentence(whole, words), /from 0\.50 to 0\.75, because its S rose from 2 to 4\.$/);
});

/** @param {number[]} scores */
const softmax = (scores) => {
  const powers = scores.map(Math.exp);
  return powers.map((power) => power / powers.reduce((sum, one) => sum + one));
};

/** One head, one query, three keys: with these scores before and now. @type {(before: any[], now: any[]) => any} */
function moved(before, now) {
  const table = { axes: ["n_q", "n_k"], perHead: true, edit: false };
  const numbers = (/** @type {any[]} */ row) => row.map((score) => (score === "-inf" ? -Infinity : score));
  return {
    ...model,
    labels: { n_q: ["it"], n_k: ["Tom", "book", "fell"] },
    matrices: {
      weights: { ...table, symbol: "A", values: [[softmax(numbers(now))]] },
      scores: { ...table, symbol: "S", values: [[now]] },
    },
    steps: { weights: { operands: [["scores", "ij", ""]] } },
    before: { weights: [[softmax(numbers(before))]], scores: [[before]] },
  };
}

const BOOK = { name: "weights", head: 0, row: 0, col: 1 };
/** @type {(before: any[], now: any[], looked?: any[]) => string} */
const said = (before, now, looked = [BOOK]) =>
  sentence(moved(before, now), words, looked).replaceAll(/[\u2066-\u2069]/g, "");

test("the weight that the reader looks at is named, even where another one has moved more", () => {
  assert.match(said([3, 0, 0], [0, 0, 0], []), /Most: head 1, it → Tom/);
  assert.match(said([3, 0, 0], [0, 0, 0]), /changed\. Head 1, it → book, from 0\.05 to 0\.33/);
});

test("a pinned score stands for the weight of its pair", () => {
  assert.match(said([3, 0, 0], [0, 0, 0], [{ ...BOOK, name: "scores" }]), /Head 1, it → book/);
});

test("of several numbers looked at, the first that has moved is named", () => {
  const looked = [{ name: "x", head: null, row: 0, col: 0 }, { ...BOOK, col: 2 }, BOOK];
  assert.match(said([3, 0, 0], [0, 0, 0], looked), /Head 1, it → fell/);
});

test("a weight whose own score is as before has moved because of another score in its row", () => {
  assert.match(said([3, 0, 0], [0, 0, 0]), /because it → Tom fell from 3 to 0 in S\.$/);
});

test("the other score that is named is the one that did most, in the direction of the weight", () => {
  assert.match(said([3, 0, 1], [0, 0, 0]), /because it → Tom fell from 3 to 0/);
  assert.match(said([1, 0, 3], [0, 0, 0]), /because it → fell fell from 3 to 0/);
  assert.match(said([3, 0, 0], [0, 0, 1]), /because it → Tom fell from 3 to 0/);
});

test("a weight that its own score and another one have moved is explained by both", () => {
  assert.match(
    said([2, 0, 0], [0, 2, 0]),
    /because its S rose from 0 to 2, that of it → Tom fell from 2 to 0\.$/,
  );
});

test("a score that went against the weight is not given as the reason", () => {
  assert.match(said([3, 1, 0], [0, 0.5, 0]), /because it → Tom fell from 3(\.00)? to 0(\.00)? in S\.$/);
});

test("a cause that did less than a quarter is not named", () => {
  assert.match(said([0.2, 0, 0], [0, 4, 0]), /because its S rose from 0(\.00)? to 4(\.00)?\.$/);
});

test("a pair that was hidden takes its share from the others", () => {
  assert.match(said(["-inf", 0, 0], [1, 0, 0]), /because it → Tom rose from −∞ to 1/);
  assert.match(said([0, "-inf", 0], [0, 1, 0]), /because its S rose from −∞ to 1/);
});

/** "it" has raised one number of W_Q: with the numbers before and now. Two tokens, one head, d_k = 2. */
function edited() {
  const table = (/** @type {string} */ symbol, /** @type {string[]} */ axes, edit = false) => ({
    symbol,
    axes,
    perHead: true,
    edit,
  });
  const before = {
    w_q: [[[0, 1]]],
    q: [[[0, 1]]],
    k: [
      [
        [1, 0],
        [2, 0],
      ],
    ],
    scores: [[[0, 0]]],
    weights: [[[0.5, 0.5]]],
  };
  const now = { w_q: [[[4, 1]]], q: [[[4, 1]]], k: before.k, scores: [[[4, 8]]], weights: [[[0.02, 0.98]]] };
  return {
    decimals: 2,
    dims: { h: 1, d_model: 1, d_k: 2 },
    labels: { n_q: ["it"], n_k: ["Tom", "book"] },
    words: { place_of_head: "{place} of head {head}" },
    before: { x: [[1]], ...before },
    matrices: {
      x: { symbol: "X", axes: ["n_q", "d_model"], perHead: false, edit: true, values: [[1]] },
      w_q: { ...table("W_Q", ["d_model", "d_k"], true), values: now.w_q },
      q: { ...table("Q", ["n_q", "d_k"]), values: now.q },
      k: { ...table("K", ["n_k", "d_k"]), values: now.k },
      scores: { ...table("S", ["n_q", "n_k"]), values: now.scores },
      weights: { ...table("A", ["n_q", "n_k"]), values: now.weights },
    },
    steps: {
      q: {
        index: "ij",
        operands: [
          ["x", "il", ""],
          ["w_q", "lj", ""],
        ],
      },
      scores: {
        index: "ij",
        operands: [
          ["q", "il", ""],
          ["k", "jl", ""],
        ],
      },
      weights: { index: "ij", operands: [["scores", "ij", ""]] },
    },
  };
}

const CHAIN = {
  why_edited: "You {done} {place} from {before} to {now}",
  why_so: ", so ",
  why_so_among: ", so, among others, ",
  why_and: " and ",
  why_part: "{symbol} of “{tokens}” (from {before} to {now})",
  why_both: " both {went} in column {column}",
  why_row: "{symbol} of “{tokens}” {went} in column {column} from {before} to {now}",
  why_score: "the score {tokens} {went} from {before} to {now}",
  why_rival: "the rival {tokens} {went} from {before} to {now}",
  why_weight: "the weight {tokens} {went} from {before} to {now}",
  why_end: ". ",
  why_raised: "raised",
  why_lowered: "lowered",
  why_rose: "rose",
  why_fell: "fell",
  tally: "{changed} of {all} changed.",
  tally_most: "{changed} of {all} changed, this one most.",
};

test("where one number was changed, the sentence begins with it and names each number up to the weight", () => {
  const text = sentence(edited(), CHAIN, [BOOK]).replaceAll(/[\u2066-\u2069]/g, "");
  assert.equal(
    text,
    "You raised W_Q[1, 1] of head 1 from 0 to 4, so Q of “it” rose in column 1 from 0 to 4, " +
      "so the score it → book rose from 0 to 8, so the weight it → book rose from 0.50 to 0.98. 2 of 2 changed.",
  );
});

/** "love" alone: X[1, 1] goes from 0 to 2, and with it row 1 of Q and of K. @param {number[]} wQ @param {number[]} wK */
function ownPair(wQ, wK) {
  const times = (/** @type {number[]} */ row, /** @type {number} */ x) =>
    row.map((weight, at) => 2 * Number(!at) + weight * x);
  const at = (/** @type {number} */ x) => {
    const [q, k] = [times(wQ, x), times(wK, x)];
    const score = q.reduce((sum, number, col) => sum + number * k[col], 0);
    return { x: [[x]], w_q: [[wQ]], w_k: [[wK]], q: [[q]], k: [[k]], scores: [[[score]]] };
  };
  const model = edited();
  const [before, now] = [at(0), at(2)];
  const weights = [[[0.1]], [[0.9]]];
  model.labels = { n_q: ["love"], n_k: ["love"] };
  model.before = { ...before, weights: [weights[0]] };
  Object.assign(model.matrices, { w_k: { ...model.matrices.w_q, symbol: "W_K" } });
  for (const [name, values] of Object.entries({ ...now, weights: [weights[1]] }))
    model.matrices[name].values = values;
  model.steps.k = {
    index: "ij",
    operands: [
      ["x", "il", ""],
      ["w_k", "lj", ""],
    ],
  };
  return model;
}

test("where both factors of a product have moved, both are named, and the score is their product", () => {
  assert.match(
    sentence(ownPair([1, 0], [1, 0]), CHAIN),
    /^You raised X\[1, 1\] from 0 to 2, so Q of “love” \(from 2 to 4\) and K of “love” \(from 2 to 4\) both rose .* rose from 4 to 16, so/,
  );
});

test("factors that went different ways are told one after the other", () => {
  assert.match(
    sentence(ownPair([2, 0], [-0.5, 0]), CHAIN),
    /so Q of “love” rose in column 1 from 2 to 6 and K of “love” fell in column 1 from 2 to 1, so/,
  );
});

test("where other columns have moved as well, the sentence says that it names some of the numbers", () => {
  assert.match(sentence(ownPair([2, 1], [1, 1]), CHAIN), /, so, among others, Q of “love”/);
});

test("each number of the sentence leads to its cell", () => {
  const cells = movedSentence(/** @type {any} */ (edited()), CHAIN, [BOOK]).flatMap(({ cell }) => cell ?? []);
  assert.deepEqual(
    cells.map(({ name, row, col }) => [name, row, col]),
    [
      ["w_q", 0, 0],
      ["q", 0, 0],
      ["scores", 0, 1],
      ["weights", 0, 1],
    ],
  );
});

test("a weight that another score of its row took from is led to by that score", () => {
  const text = sentence(edited(), CHAIN, [{ ...BOOK, col: 0 }]);
  assert.match(text, /, so the rival .* rose from 0 to 8, so the weight .* fell from 0\.50 to 0\.02\. /);
});

test("where several numbers were changed, the sentence begins with the weight", () => {
  const two = edited();
  two.matrices.w_q.values = [[[4, 2]]];
  assert.match(sentence(two, { ...words, ...CHAIN }, [BOOK]), /^2 of 2 weights changed\. Head 1/);
});

test("after a step of the descent the learned numbers that moved most are named, the most moved one first", () => {
  const table = (/** @type {string} */ symbol, /** @type {number[][]} */ values) => ({
    symbol,
    axes: ["a", "b"],
    perHead: false,
    edit: true,
    values,
  });
  const learned = ["w_q", "w_k", "w_v"];
  const matrices = {
    ...model.matrices,
    w_q: table("W_Q", [[1, 2.5]]),
    w_k: table("W_K", [[0.5, 0.75]]),
    w_v: table("W_V", [[7, 8]]),
  };
  const before = { ...model.before, w_q: [[1.25, 2.25]], w_k: [[0.5, 1.5]], w_v: [[7, 8]] };
  const stepped = { ...model, matrices, before, learning: { learned } };
  assert.equal(
    sentence(stepped, words).split(" Most of the learned: ")[1],
    "W_K[1, 2] from 1.5 to 0.75, W_Q[1, 1] from 1.25 to 1.0. ",
  );
  const typed = { ...stepped, before: { ...before, w_q: [[1, 2.5]] } };
  assert.ok(!sentence(typed, words).includes("learned"), "somebody typed into one table");
});
