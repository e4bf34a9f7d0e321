// A number typed into a table: what stands there at once, and what goes to the server.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload, press } from "./page.js";

async function tables() {
  const page = await mount("explore/explore.js", payload("explore"));
  const cell = (/** @type {string} */ key) => page.root.querySelector(`td[data-key="${key}"]`);
  const edits = () => page.sent.filter(([name]) => name === "edits").flatMap(([, value]) => value.edits);
  /** As a keyboard does: the first character opens the cell, the others go into its field. */
  const type = (/** @type {string} */ key, /** @type {string} */ text) => {
    cell(key).focus();
    press(text[0], cell(key));
    const field = cell(key).querySelector("input");
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    return field;
  };
  const focus = () => document.activeElement.closest("td")?.dataset.key;
  return { ...page, cell, edits, type, focus };
}

test("Enter keeps what was typed, and it stands there before any answer", async () => {
  const { cell, type } = await tables();
  press("Enter", type("x||0|0", "7"));
  assert.equal(cell("x||0|0").textContent, "7");
});

test("all numbers follow what was typed before any answer, and are the server's", async () => {
  const { root, type, answer } = await tables();
  const texts = () =>
    [...root.querySelectorAll("td[data-key]")].map((td) => `${td.dataset.key} ${td.textContent}`);
  const before = texts();
  press("Enter", type("x||0|0", "7"));
  const followed = texts();
  assert.notDeepEqual(followed, before);
  answer(payload("edited"));
  assert.deepEqual(texts(), followed);
});

test("Escape brings back what stood there", async () => {
  const { cell, type } = await tables();
  press("Escape", type("x||0|0", "7"));
  assert.equal(cell("x||0|0").textContent, "1");
});

test("a text that is not a number stays, is marked, and is not sent", async () => {
  const { cell, type, edits } = await tables();
  const field = type("x||0|0", "seven");
  press("Enter", field);
  assert.equal(cell("x||0|0").querySelector("input").value, "seven");
  assert.equal(field.getAttribute("aria-invalid"), "true");
  assert.deepEqual(edits(), []);
});

test("a number that is emptied is kept, and the page says so", async () => {
  const { root, cell, type, edits } = await tables();
  const field = type("x||0|0", "7");
  field.value = "";
  press("Enter", field);
  assert.deepEqual([cell("x||0|0").textContent, edits()], ["1", []]);
  assert.match(root.textContent, /X\[\S+, 1\]: a number cannot be empty\. The old value is kept\./);
});

test("Enter goes to the cell below, Tab to the next one", async () => {
  const { type, focus } = await tables();
  press("Enter", type("x||0|0", "7"));
  assert.equal(focus(), "x||1|0");
  press("Tab", type("x||1|0", "8"));
  assert.equal(focus(), "x||1|1");
});

test("arrows lead from number to number and stop at the edge", async () => {
  const { cell, focus } = await tables();
  cell("x||0|0").focus();
  press("ArrowDown", cell("x||0|0"));
  assert.equal(focus(), "x||1|0");
  press("ArrowLeft", cell("x||1|0"));
  assert.equal(focus(), "x||1|0");
});

test("a computed number opens no field", async () => {
  const { root, cell } = await tables();
  cell("q|0|0|0").focus();
  press("7", cell("q|0|0|0"));
  assert.equal(root.querySelectorAll("td input").length, 0);
});

test("a stage's title opens the terms of its tables", async () => {
  const { root } = await tables();
  const opener = [...root.querySelectorAll(".terms-opener")].find((node) => node.textContent === "Scores");
  const terms = root.querySelector(`#${opener.getAttribute("popovertarget")}`);
  assert.equal(terms.getAttribute("popover"), "auto");
  assert.equal(terms.querySelector("dt").textContent, "attention score");
  assert.equal(terms.querySelectorAll("dt").length, terms.querySelectorAll("dd").length);
});

/** Hold Alt and press an arrow so many times: the number is dragged by the keys. */
function dragBy(td, steps) {
  td.focus();
  for (let n = 0; n < steps; n++) press({ key: "ArrowUp", altKey: true, shiftKey: true }, td);
}
const scaleOf = (td) => td.closest(".stage").querySelector(".colour-scale").textContent;
const toneOf = (td) => td.style.getPropertyValue("--tone");

test("while a number is dragged the colours of the others stay, though it grows beyond their scale", async () => {
  const { cell } = await tables();
  const [dragged, other] = [cell("x||0|0"), cell("x||1|1")];
  const [tone, scale] = [toneOf(other), scaleOf(other)];
  dragBy(dragged, 9);
  assert.ok(Number(dragged.textContent) > 5);
  assert.deepEqual([toneOf(other), scaleOf(other)], [tone, scale]);
  assert.equal(toneOf(dragged), "1");
});

test("once it is released the scale has room for it, and its ends say so", async () => {
  const { cell } = await tables();
  const [dragged, other] = [cell("x||0|0"), cell("x||1|1")];
  const before = Number(toneOf(other));
  dragBy(dragged, 9);
  press("Enter", dragged);
  assert.equal(scaleOf(other), "−100100");
  assert.ok(Number(toneOf(other)) < before);
});

/** The field for a sentence, open. */
async function sentence() {
  const page = await tables();
  page.root.querySelector('[data-focus="sentence"]').click();
  const popup = page.root.querySelector(".sentence");
  const field = popup.querySelector("input[type=text]");
  const use = () => {
    field.value = "a cat";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    popup.querySelector("form").requestSubmit();
    return page.edits().at(-1);
  };
  return { popup, use };
}

test("a sentence has the numbers that a model has learned, unless others are chosen", async () => {
  const { use } = await sentence();
  const { op, text } = use();
  assert.deepEqual({ op, text }, { op: "learned_sentence", text: "a cat" });
});

test("a sentence may have made-up numbers", async () => {
  const { popup, use } = await sentence();
  popup.querySelector('[data-focus="made_up"]').click();
  const { op, tokens } = use();
  assert.deepEqual({ op, tokens }, { op: "sentence", tokens: ["a", "cat"] });
});
