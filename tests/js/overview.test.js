// Where the overview's lines run, what a pointer means, what an edit has moved, and how a sentence is split.

import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, MOST_WORDS, reordered, rewritten, taken } from "../../web/explore/overview/segments.js";
import { apart } from "../../web/explore/overview/weight_map.js";
import { movedAt, movedIn, remembered } from "../../web/kit/changed_numbers.js";
import { bars, heightAt, lineAt, middle } from "../../web/kit/curves.js";

test("a line starts at its query, ends at its key, and is half way in the middle", () => {
  for (const [from, to] of [
    [10, 50],
    [50, 10],
    [30, 30],
  ]) {
    assert.ok(Math.abs(heightAt(from, to, 0) - from) < 0.01);
    assert.ok(Math.abs(heightAt(from, to, 1) - to) < 0.01);
    assert.ok(Math.abs(heightAt(from, to, 0.5) - (from + to) / 2) < 0.01);
  }
});

test("two weights beside lines that end close to each other are written one below the other", () => {
  assert.deepEqual(apart([50, 200], 13), [50, 200]);
  assert.deepEqual(apart([50, 52, 49], 13), [50, 63, 37]);
});

test("a line is level at both ends and never turns back", () => {
  const heights = Array.from({ length: 101 }, (_, x) => heightAt(0, 100, x / 100));
  assert.ok(heights[1] < 1 && heights[99] > 99);
  for (let x = 1; x <= 100; x++) assert.ok(heights[x] >= heights[x - 1]);
});

const pointer = { height: 90, reach: 6, widthOf: (weight) => 1 + 11 * weight };
const WEIGHTS = [
  [0.9, 0.1, 0],
  [0.2, 0.3, 0.5],
  [0, 0, 1],
];

test("a pointer on a line means that line, wherever it is on it", () => {
  for (const [query, row] of WEIGHTS.entries())
    for (const [key, weight] of row.entries()) {
      if (!weight) continue;
      for (const x of [0.02, 0.98]) {
        const y = heightAt(middle(query, 3, 90), middle(key, 3, 90), x);
        const found = lineAt(WEIGHTS, { ...pointer, x, y });
        assert.ok(found, `${query} ${key} ${x}`);
        if (x < 0.5) assert.equal(found.query, query);
        else assert.equal(found.key, key);
      }
      const x = 0.37;
      const y = heightAt(middle(query, 3, 90), middle(key, 3, 90), x);
      assert.deepEqual(lineAt(WEIGHTS, { ...pointer, x, y }), { query, key });
    }
});

test("a pair without weight has no line, and between the lines there is none", () => {
  assert.equal(lineAt([[0]], { ...pointer, x: 0.5, y: 45 }), null);
  assert.equal(lineAt([[0, 1]], { ...pointer, x: 1, y: 22.5 }), null);
});

test("bars stand on the zero line, and hang from it below 0", () => {
  assert.deepEqual(bars([2, 0, 1], { height: 20, most: 2, signed: false }), [
    [0, 20],
    [20, 0],
    [10, 10],
  ]);
  assert.deepEqual(bars([2, -1], { height: 20, most: 2, signed: true }), [
    [0, 10],
    [10, 5],
  ]);
  assert.deepEqual(bars([0], { height: 20, most: 0, signed: false }), [[20, 0]]);
});

const wordsOf = (/** @type {[text: string, lang: string, segmenter?: null]} */ ...given) =>
  taken(...given).words;

test("a sentence is split into words, English or Chinese, with or without spaces", () => {
  assert.deepEqual(wordsOf("The cat sat on the mat.", "en"), ["The", "cat", "sat", "on", "the", "mat"]);
  assert.deepEqual(wordsOf("水 有 毒", "zh"), ["水", "有", "毒"]);
  assert.equal(wordsOf("我喜欢编程", "zh").join(""), "我喜欢编程");
  assert.ok(wordsOf("我喜欢编程", "zh").length < 5);
  assert.deepEqual(wordsOf("don't stop", "en"), ["don't", "stop"]);
  assert.deepEqual(wordsOf("I ❤️ cats 👩‍💻!", "en"), ["I", "❤️", "cats", "👩‍💻"]);
});

test("what a hand has spaced is cut no further, Chinese or not", () => {
  const spaced = "他 把 书 还给 了 图书馆，因为 它 太厚 了".split(/[ ，]/);
  assert.deepEqual(wordsOf("他 把 书 还给 了 图书馆，因为 它 太厚 了。", "zh"), spaced);
  assert.deepEqual(wordsOf("机器学习 很 有意思", "en"), ["机器学习", "很", "有意思"]);
  assert.deepEqual(wordsOf("我 用 Python 编程", "zh", null), ["我", "用", "Python", "编程"]);
});

test("a noun keeps the sign that it ends with", () => {
  const found = (text) => wordsOf(text, "zh");
  assert.deepEqual(found("他把书还给了图书馆"), ["他", "把", "书", "还给", "了", "图书馆"]);
  for (const noun of ["博物馆", "电影院", "服务员", "计算机", "办公室", "动物园"])
    assert.ok(found(`他去${noun}了`).includes(noun), noun);
  assert.ok(!found("这个店很大").includes("这个店"));
});

test("signs that are left out are named, each once", () => {
  assert.deepEqual(taken("Salt & pepper, salt, & more!", "en"), {
    words: ["Salt", "pepper", "salt", "more"],
    signs: ["&", ",", "!"],
  });
  assert.deepEqual(taken("你好，世界。", "zh").signs, ["，", "。"]);
  assert.deepEqual(taken("? !", "en").signs, []);
});

test("where the browser has no dictionary, by spaces and Chinese sign by sign", () => {
  assert.deepEqual(wordsOf("The cat, 水有毒!", "en", null), ["The", "cat", "水", "有", "毒"]);
});

test("signs alone are words too, and nothing is none", () => {
  assert.deepEqual(wordsOf("? !", "en"), ["?", "!"]);
  for (const text of ["", "   ", "\n"])
    for (const by of [undefined, null]) assert.deepEqual(wordsOf(text, "en", by), []);
  assert.ok(MOST_WORDS <= 64);
});

/** A model of one head: weights, and what W_V gives. */
const model = (weights) => ({
  decimals: 2,
  matrices: {
    x: { perHead: false, edit: true, values: [[1, 2]] },
    weights: { perHead: true, edit: false, values: [weights] },
  },
});

test("what has moved is what is printed otherwise", () => {
  const shown = model([[0.5, 0.5]]);
  shown.before = structuredClone(remembered(shown));
  shown.matrices.weights.values[0][0] = [0.5004, 0.25];
  const at = (col) => movedAt(shown, { name: "weights", head: 0, row: 0, col });
  assert.equal(at(0), null);
  assert.deepEqual(at(1), { before: 0.5, was: "0.50", sign: "down" });
  assert.deepEqual(movedIn(shown, "weights"), {
    all: 2,
    changed: 1,
    most: { name: "weights", head: 0, row: 0, col: 1 },
    by: 0.25,
  });
  assert.equal(movedIn(shown, "x").most, null);
});

test("a given number has moved with any digit, and −∞ is no size", () => {
  const shown = model([["-inf", 1]]);
  shown.before = structuredClone(remembered(shown));
  shown.matrices.x.values[0][1] = 2.0001;
  shown.matrices.weights.values[0][0][0] = 0.25;
  assert.deepEqual(movedAt(shown, { name: "x", head: null, row: 0, col: 1 }), {
    before: 2,
    was: "2",
    sign: "up",
  });
  assert.equal(movedAt(shown, { name: "weights", head: 0, row: 0, col: 0 }).sign, "new");
});

test("where the new numbers are whole, the old ones are told and compared with their decimals all the same", () => {
  const shown = model([
    [0.1636, 0.8364],
    [0, 1],
  ]);
  shown.before = structuredClone(remembered(shown));
  shown.matrices.weights.values[0] = [
    [0, 1],
    [0, 1],
  ];
  const at = (col) => movedAt(shown, { name: "weights", head: 0, row: 0, col });
  assert.deepEqual(at(1), { before: 0.8364, was: "0.84", sign: "up" });
  assert.deepEqual(at(0), { before: 0.1636, was: "0.16", sign: "down" });
  assert.equal(movedIn(shown, "weights").changed, 2);
});

test("before the first edit nothing has moved", () => {
  assert.equal(movedIn(model([[1]]), "weights").changed, 0);
});

test("a word stands where it is moved to, and all others keep their order", () => {
  const words = ["a", "b", "c", "d"];
  for (let from = 0; from < 4; from++)
    for (let to = 0; to < 4; to++) {
      const moved = reordered(words, from, to);
      assert.equal(moved[to], words[from]);
      assert.deepEqual(
        moved.filter((word) => word !== words[from]),
        words.filter((word) => word !== words[from]),
      );
    }
});

test("a word is joined to the one before it, Chinese signs without a space", () => {
  assert.deepEqual(joined(["in", "New", "York"], 2), ["in", "New York"]);
  assert.deepEqual(joined(["人工", "智能"], 1), ["人工智能"]);
  const words = ["a", "b"];
  assert.equal(joined(words, 0), words); // there is none before it
  assert.equal(joined(words, 2), words);
});

test("a rewritten word is split by spaces, goes when nothing is left of it, and keeps a space that it had", () => {
  assert.deepEqual(rewritten(["a", "b"], 0, " x  y "), ["x", "y", "b"]);
  assert.deepEqual(rewritten(["a", "b"], 0, "  "), ["b"]);
  const words = ["New York", "b"];
  assert.equal(rewritten(words, 0, "New York"), words);
});
