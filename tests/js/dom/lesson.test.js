// The tables of a lesson: each number says how it is computed, and they follow the reader's controls in place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload, press } from "./page.js";

/** A scene, and what can be read off it. @param {string} name of its payload */
async function scene(name) {
  const { root, answer } = await mount("lessons/scene.js", payload(name));
  const one = (/** @type {string} */ selector) => root.querySelector(selector);
  return {
    one,
    all: (/** @type {string} */ selector) => [...root.querySelectorAll(selector)],
    update: answer,
    line: () => one(".why").textContent,
    point: (/** @type {string} */ selector) =>
      one(selector).dispatchEvent(new PointerEvent("pointerover", { bubbles: true })),
  };
}

test("every number of the block is shown, and the row that is followed is marked in each table", async () => {
  const { all } = await scene("block");
  const numbers = payload("block").groups.flatMap((/** @type {any} */ { tables }) =>
    tables.flatMap((/** @type {any} */ { cells }) => cells.flat().map((/** @type {any} */ { text }) => text)),
  );
  assert.deepEqual(
    all("td[data-key]").map(({ textContent }) => textContent),
    numbers,
  );
  for (const row of all("tr.marked th")) assert.equal(row.textContent, "programming");
});

test("neighbors of one card are framed together, in the order of the computation", async () => {
  const { all, one } = await scene("block");
  const areas = (/** @type {any} */ node) =>
    [...node.children].map(({ dataset }) => dataset.area ?? dataset.card);
  assert.deepEqual(areas(one(".groups")), ["in", "attention", "plus1", "mid", "mlp", "plus2", "end"]);
  assert.deepEqual(all(".card").map(areas), [
    ["norm1", "head1", "head2", "out"],
    ["norm2", "mlp"],
  ]);
});

test("a number that is pointed at says how it is computed, with powers set as such", async () => {
  const { point, line, one } = await scene("block");
  point('[data-area="mid"] tr.marked td[data-key]');
  assert.equal(line(), "X′[programming, 1] = 0 + (−1.37) ≈ (−1.37)");
  point('[data-area="head1"] .hue-weight td[data-key]');
  assert.equal(line(), "A[I, I] = e1.06 ÷ (e1.06 + e−1.06 + e−0.61) ≈ 0.76");
  assert.equal(one(".why sup").textContent, "1.06");
  point('[data-area="in"] tr.marked td:last-child');
  assert.equal(line(), "X[programming, 3] = 2, a given number");
});

test("arrows lead through a table and stop at its edge, and Tab comes back to the last number", async () => {
  const { one, all, line } = await scene("block");
  const table = '[data-area="end"] td[data-key]';
  one(table).focus();
  press("ArrowRight", one(table));
  press("ArrowDown", all(table)[1]);
  press("ArrowDown", all(table)[4]);
  press("ArrowDown", all(table)[7]);
  assert.match(line(), /^Y\[programming, 2\] = /);
  assert.deepEqual(
    all(`${table}[tabindex="0"]`).map(({ dataset }) => dataset.key),
    [all(table)[7].dataset.key],
  );
});

test("after a change the same cells have the new numbers, and the line follows the one in focus", async () => {
  const { one, update, line } = await scene("block");
  const cell = one('[data-area="mid"] tr.marked td[data-key]');
  cell.focus();
  update(payload("without attention"));
  assert.equal(one('[data-area="mid"] tr.marked td[data-key]'), cell);
  assert.equal(cell.textContent, "0");
  assert.equal(line(), "X′[programming, 1] = 0 + 0 = 0");
});

test("a table of another size is built again", async () => {
  const { all, update } = await scene("cache");
  const rows = () => all(".hue-k tbody tr").length;
  assert.equal(rows(), 3);
  update(payload("cache of two"));
  assert.equal(rows(), 2);
});

test("a head's attention is drawn as a line for each pair, the followed query's in full", async () => {
  const { all, one } = await scene("block");
  assert.equal(all('[data-area="head1"] path').length, 9);
  assert.equal(all('[data-area="head1"] path.other').length, 6);
  assert.match(one('[data-area="head1"] svg').getAttribute("aria-label"), /programming looks most at love/);
});
