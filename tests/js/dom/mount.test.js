// What Streamlit's calls of a component make of its part, while a module is loaded and while a page is left.

import assert from "node:assert/strict";
import { test } from "node:test";
import "./page.js";

const { isLeaving, mounting } = await import("../../../web/kit/mount.js");

/** A component whose part notes what it shows and what it can set. */
function component() {
  /** @type {any[]} */
  const shown = [];
  /** @type {any[]} */
  const sent = [];
  let part = /** @type {any} */ (null);
  const call = mounting(() => ({
    update(/** @type {any} */ answer) {
      part = answer;
      shown.push(answer.data);
    },
    unmount: () => shown.push("gone"),
  }));
  const parentElement = document.createElement("div");
  document.body.append(parentElement);
  const setStateValue = (/** @type {any[]} */ ...values) => sent.push(values);
  const setTriggerValue = setStateValue;
  const answer = (/** @type {any} */ data) =>
    call(/** @type {any} */ ({ parentElement, data, setStateValue, setTriggerValue }));
  return { answer, parentElement, shown, sent, part: () => part };
}

/** A link to another page, clicked. */
function leave() {
  const link = document.createElement("a");
  link.dataset.testid = "stPageLink-NavLink";
  link.href = "/other";
  document.body.append(link);
  link.addEventListener("click", (event) => event.preventDefault());
  link.click();
}

const aTask = () => new Promise((resolve) => setTimeout(resolve));

test("an answer that a newer one has overtaken is taken back", () => {
  const { answer, shown } = component();
  answer("new");
  answer("old")?.(); // Streamlit cleans up at once after an answer that it need not have shown
  assert.deepEqual(shown, ["new", "old", "new"]);
});

test("the answer before the next one stays until that comes", async () => {
  const { answer, shown } = component();
  answer("first");
  const cleanUp = answer("second");
  await aTask();
  cleanUp?.();
  answer("third");
  assert.deepEqual(shown, ["first", "second", "third"]);
});

test("a part whose element has left the page is gone", () => {
  const { answer, parentElement, shown } = component();
  const cleanUp = answer("first");
  parentElement.remove();
  cleanUp?.();
  assert.deepEqual(shown, ["first", "gone"]);
});

test("once another page is requested nothing is sent until one of its parts is here", () => {
  const { answer, part, sent } = component();
  answer("first");
  leave();
  part().setStateValue("edits", 1);
  part().setTriggerValue("left", 2);
  assert.deepEqual([isLeaving(), sent], [true, []]);
  let arrived = 0;
  window.addEventListener("mha-arrived", () => (arrived += 1));
  const next = component();
  next.answer("next page");
  next.part().setTriggerValue("left", 2);
  assert.deepEqual([isLeaving(), arrived, next.sent], [false, 1, [["left", 2]]]);
});
