// Where keys lead in the walkthrough, and what stands there.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload, press } from "./page.js";

/** @param {string} [name] */
async function walk(name = "walk") {
  const page = await mount("walk/mount_walk.js", payload(name));
  const element = () => page.root.querySelector(".walk");
  return { ...page, at: () => element().dataset.at, element };
}

test("arrows lead from stage to stage and back", async () => {
  const { at } = await walk();
  const first = at();
  press("ArrowRight");
  const second = at();
  assert.notEqual(second, first);
  press("ArrowLeft");
  assert.equal(at(), first);
});

test("End leads to the last stage and Home to the first", async () => {
  const { at } = await walk();
  const first = at();
  press("End");
  assert.equal(at(), "closing");
  press("Home");
  assert.equal(at(), first);
});

test("two heads that share keys are shown side by side", async () => {
  const { root, at } = await walk("walk with shared keys");
  const stages = payload("walk with shared keys").stages.map((/** @type {{ id: string }} */ { id }) => id);
  press(String(stages.indexOf("k") + 1));
  assert.equal(at(), "k");
  const choice = root.querySelector('select[data-focus="compare first"]');
  choice.value = "0";
  choice.dispatchEvent(new Event("change", { bubbles: true }));
  assert.equal(root.querySelectorAll(".picture.pair table").length, 2);
});
