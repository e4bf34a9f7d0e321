// A visitor's text in a sentence: quoted, cut short, fenced off.

import assert from "node:assert/strict";
import { test } from "node:test";
import { isolated, quoted } from "../../web/kit/quoted.js";

const words = {
  quoted_digits: "{start} ({count} digits)",
  quoted_characters: "{start} ({count} characters)",
};

test("what is short is quoted whole, what is long by its beginning and how long it was", () => {
  for (const [text, told] of [
    ["abc", "“abc”"],
    ["9".repeat(40), `“${"9".repeat(40)}”`],
    ["9".repeat(5000), `“${"9".repeat(20)}…” (5,000 digits)`],
    ["-".repeat(41), `“${"-".repeat(20)}…” (41 characters)`],
    ["🙂".repeat(41), `“${"🙂".repeat(20)}…” (41 characters)`],
  ])
    assert.equal(quoted(words, text), told);
  const sentence = "The cat sat on the mat because it was tired.";
  assert.equal(quoted(words, sentence, 200), `“${sentence}”`);
});

test("what runs from right to left is fenced off, and nothing in it reaches beyond the fence", () => {
  assert.equal(isolated("love"), "love");
  assert.equal(isolated("אני"), "\u2068אני\u2069");
  assert.equal(isolated("سلام"), "\u2068سلام\u2069");
  assert.equal(isolated("\u2069אני\u202e"), "\u2068אני\u2069");
  assert.equal(isolated(isolated("אני")), "\u2068אני\u2069");
  assert.equal(isolated("a\u202eb"), "ab");
  assert.equal(quoted(words, "אני"), "“\u2068אני\u2069”");
});
