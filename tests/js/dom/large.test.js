// Large tables fold to what matters, and what leads to something that is folded away shows it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { mount, payload, press } from "./page.js";

const ALL = [...Array(24).keys()];
const ROWS = [0, 1, 2, 3, 4, 23];
const COLUMNS = [0, 1, 2, 3, 4, 11];

async function large(name = "large") {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const focus = () => document.activeElement.closest("[data-focus]")?.dataset.focus;
  const shown = (/** @type {2 | 3} */ axis) => {
    const keys = [...page.root.querySelectorAll('td[data-key^="x|"]')].map(({ dataset }) => dataset.key);
    return [...new Set(keys.map((key) => Number(key.split("|")[axis])))].sort((a, b) => a - b);
  };
  const more = () => find('table[data-matrix="x"] [data-do="unfold"][data-axis="row"]');
  return { ...page, find, cell, focus, rows: () => shown(2), columns: () => shown(3), more };
}

test("a large table shows its first rows and columns and the last, and says how many there are", async () => {
  const { find, rows, columns, more } = await large();
  assert.deepEqual([rows(), columns()], [ROWS, COLUMNS]);
  const table = find('table[data-matrix="x"]');
  assert.deepEqual([table.getAttribute("aria-rowcount"), table.getAttribute("aria-colcount")], ["25", "13"]);
  assert.match(more().textContent + more().getAttribute("aria-label"), /Show 18 more rows/);
});

test("a button shows the rows that are folded away, and the first of them gets the focus", async () => {
  const { rows, columns, more, focus } = await large();
  more().focus();
  more().click();
  assert.deepEqual([rows(), columns()], [ALL, COLUMNS]);
  assert.equal(focus(), "x||5|0");
});

test("answers leave a table unfolded, also where the tables are built again", async () => {
  const { rows, more, answer } = await large();
  more().click();
  answer(payload("edited"));
  assert.deepEqual(rows(), ALL);
  answer(payload("with a copied head"));
  assert.deepEqual(rows(), ALL);
});

test("an unfolded table can be folded again", async () => {
  const { rows, more, find } = await large();
  more().click();
  find('[data-focus="fold x null"]').click();
  assert.deepEqual(rows(), ROWS);
});

test("one click shows all rows and columns of every table, and one shortens them again", async () => {
  const { root, rows, columns, find, focus } = await large();
  const both = () => find('[data-focus="large tables"]');
  assert.match(both().parentElement.textContent, /Large tables are shortened\..*Show all rows and columns/);
  both().focus();
  both().click();
  assert.deepEqual([rows(), columns()], [ALL, [...Array(12).keys()]]);
  assert.equal(root.querySelectorAll('[data-do="unfold"]').length, 0);
  assert.equal(focus(), "large tables");
  both().click();
  assert.deepEqual([rows(), columns()], [ROWS, COLUMNS]);
});

test("where all tables are shown as a whole, one of them can be folded", async () => {
  const { rows, find, cell } = await large();
  find('[data-focus="large tables"]').click();
  find('[data-focus="fold x null"]').click();
  assert.deepEqual(rows(), ROWS);
  assert.ok(cell("q|0|10|0"));
});

test("small tables need no line about large ones", async () => {
  const { find } = await large("small");
  assert.ok(find('[data-focus="large tables"]').parentElement.hidden);
});

test("an arrow leads to the next row, though it was folded away", async () => {
  const { rows, cell, focus } = await large();
  cell("x||4|0").focus();
  press("ArrowDown", cell("x||4|0"));
  assert.equal(focus(), "x||5|0");
  assert.deepEqual(rows(), [0, 1, 2, 3, 4, 5, 23]);
});

test("what is pasted into rows that are folded away is shown", async () => {
  const { cell } = await large();
  cell("x||4|0").focus();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", "7\n8\n9");
  cell("x||4|0").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
  assert.deepEqual(
    [cell("x||4|0"), cell("x||5|0"), cell("x||6|0")].map((td) => td.textContent),
    ["7", "8", "9"],
  );
});

test("a term of the line leads to its number, though it was folded away", async () => {
  const { cell, find, focus } = await large();
  cell("q|0|2|1").click();
  await null; // the line is written once for all that an event does
  find('.explain .term[title="X[3, 8]"]').click();
  assert.equal(focus(), "x||2|7");
});

test("a link to a number shows its head, with the number unfolded and pinned", async () => {
  const { root, cell } = await large("at a cell");
  const heads = [...root.querySelectorAll('table[data-matrix="weights"]')].map(({ dataset }) => dataset.head);
  assert.deepEqual(heads, ["3"]);
  await null;
  assert.ok(cell("weights|3|20|9").classList.contains("pinned"));
});
