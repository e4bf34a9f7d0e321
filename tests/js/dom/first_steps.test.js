// The first steps: when they are shown, what leads from one to the next, and what ends them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload, press } from "./page.js";

async function visit(name = "first visit") {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const bubble = find(".start");
  const step = () => (bubble.hidden ? "" : bubble.getAttribute("aria-label"));
  const next = () => find(".start-next");
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const type = (/** @type {string} */ text) => {
    cell("x||0|0").focus();
    press(text, cell("x||0|0"));
    press("Enter", cell("x||0|0").querySelector("input"));
  };
  const tour = () => find(".tour");
  return { ...page, find, bubble, step, next, cell, type, tour };
}

/** A first visit whose steps have been asked for. */
async function begun(name = "first visit") {
  const page = await visit(name);
  page.tour().click();
  return page;
}

test("a first visit has one thing to begin with, the puzzle: the steps wait", async () => {
  const { step, tour } = await visit();
  assert.equal(step(), "");
  assert.ok(!tour().hidden);
  assert.equal(window.localStorage.getItem("mha.start"), null);
});

test("the steps begin beside the first number that the visitor touches, and speak of that one", async () => {
  const { step, cell, find, bubble, tour } = await visit();
  cell("x||1|2").focus();
  assert.equal(step(), "First steps: 1 of 3");
  assert.ok(!tour().hidden); // what is below it does not move
  press("7", cell("x||1|2"));
  press("Enter", find("td input"));
  assert.match(bubble.textContent, /Drag the number X\[2, 3\] again/);
});

test("the steps wait until the pointer that touches a number is released", async () => {
  const { step, cell } = await visit();
  window.dispatchEvent(new window.Event("pointerdown"));
  cell("x||1|2").focus();
  assert.equal(step(), "");
  window.dispatchEvent(new window.Event("pointerup"));
  assert.equal(step(), "First steps: 1 of 3");
});

test("a computed number that gets the focus does not begin the steps", async () => {
  const { step, cell } = await visit();
  cell("weights|0|0|0").focus();
  assert.equal(step(), "");
});

test("the first step leaves the focus where it is", async () => {
  const { step, bubble } = await begun();
  assert.equal(step(), "First steps: 1 of 3");
  assert.match(bubble.textContent, /^Drag this number left or right, or type a new one\./);
  assert.ok(!document.activeElement.closest(".start"));
  assert.equal(window.localStorage.getItem("mha.start"), "seen");
});

test("a link to something particular opens without them, and they are still to come", async () => {
  const { step, tour } = await visit("by a link");
  assert.equal(step(), "");
  assert.ok(tour().hidden);
  assert.equal(window.localStorage.getItem("mha.start"), null);
});

test("they are shown again when that is requested", async () => {
  const { step, answer } = await visit("by a link");
  answer(payload("requested"));
  assert.equal(step(), "First steps: 1 of 3");
});

test("each step waits until it is done: a number is changed twice, then a computed one is looked at", async () => {
  const { step, bubble, type, find, cell } = await begun();
  type("7");
  assert.equal(step(), "First steps: 2 of 3");
  assert.match(bubble.textContent, /Drag the number X\[1, 1\] again/);
  assert.ok(!find(".start-ring.also").hidden);
  type("5");
  assert.equal(step(), "First steps: 3 of 3");
  cell("weights|0|0|0").focus();
  await null; // the explanation is shown once for all that an event does
  assert.equal(step(), "");
});

test("the second step says again only where a number was changed in the first", async () => {
  const { bubble, next } = await begun();
  next().click();
  assert.match(bubble.textContent, /^Drag the number X\[1, 1\] and watch/);
});

test("a given number that is looked at does not end the last step", async () => {
  const { step, next, cell } = await begun();
  next().click();
  next().click();
  cell("x||1|1").focus();
  await null;
  assert.equal(step(), "First steps: 3 of 3");
});

test("Escape ends them for good, wherever the focus is", async () => {
  const { step, cell, answer } = await begun();
  cell("x||1|1").focus();
  press("Escape", cell("x||1|1"));
  assert.equal(step(), "");
  answer(payload("first visit"));
  assert.equal(step(), "");
});

test("a button leads through them, in Chinese too, and leaves the focus in the tables", async () => {
  const { step, next } = await begun("first visit in Chinese");
  for (const number of [1, 2]) {
    assert.equal(step(), `入门：第 ${number} 步，共 3 步`);
    assert.equal(next().textContent, "下一步");
    next().focus();
    next().click();
  }
  assert.equal(next().textContent, "完成");
  next().click();
  assert.equal(step(), "");
  assert.ok(document.activeElement.closest("td[data-key]"));
});
