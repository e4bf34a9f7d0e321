// A lesson says of its puzzle that this browser has solved it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { storeSolved } from "../../../web/kit/solved_puzzles.js";
import { mount, payload } from "./page.js";

test("a puzzle that was solved here has a check mark, and no other", async () => {
  const { root, answer } = await mount("lessons/solved.js", payload("book"));
  storeSolved("book", 1);
  answer(payload("book"));
  assert.equal(root.querySelector(".mha-solved").textContent, "✓ solved with 1 change");
  answer(payload("bank"));
  assert.equal(root.querySelector(".mha-solved").textContent, "");
});
