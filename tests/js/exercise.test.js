// Which links are those of an exercise of this server's.

import assert from "node:assert/strict";
import { test } from "node:test";
import { exerciseIn } from "../../web/walk/lecture/exercise_link.js";

const page = new URL("https://school.example/attention/check");

test("an exercise's link is taken with what it says of the exercise alone", () => {
  const link = `${page}?ask=weights&example=first&seed=own&lang=zh&tally=1~0`;
  assert.equal(exerciseIn(` ${link}\n`, page), "example=first&ask=weights&seed=own");
  assert.equal(exerciseIn(`${page}/?s=1eJy-_&ask=q.k`, page), "s=1eJy-_&ask=q.k");
});

test("nothing else is", () => {
  const others = [
    "",
    "weights",
    `${page}`,
    `${page}?example=first`,
    `${page}?ask=weights`,
    `${page}?ask=weights&example=first&s=1eJy`,
    `${page}?ask=weights&s=${"x".repeat(4001)}`,
    "https://school.example/attention/bench?ask=weights&example=first",
    "https://school.example/check?ask=weights&example=first",
    "http://school.example/attention/check?ask=weights&example=first",
    "https://other.example/attention/check?ask=weights&example=first",
    "javascript:alert(1)//check?ask=weights&example=first",
  ];
  for (const text of others) assert.equal(exerciseIn(text, page), null, text);
});
