// Somebody's own numbers: what is said of them, and how they are filled in. The solutions of a class. The link to hand
// out.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { mount, payload, press } from "./page.js";

/** @param {string} name */
async function check(name) {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const edits = () => {
    window.dispatchEvent(new Event("blur")); // what waits for further edits is sent
    return page.sent.filter(([kind]) => kind === "edits").flatMap(([, { edits }]) => edits);
  };
  const focus = () => document.activeElement.closest("[data-focus]")?.dataset.focus;
  const marks = () => {
    const marked = [...page.root.querySelectorAll("td[data-mark]")];
    return Object.fromEntries(marked.map(({ dataset }) => [dataset.key, dataset.mark]));
  };
  /** As a keyboard does: the first character opens the cell, the others go into its field. */
  const type = (/** @type {string} */ key, /** @type {string} */ text, end = "Enter") => {
    cell(key).focus();
    if (!cell(key).querySelector("input")) press(text[0], cell(key));
    const field = cell(key).querySelector("input");
    field.value = text;
    press(end, field);
    return field;
  };
  const point = (/** @type {string} */ key) =>
    cell(key).dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
  const line = async () => {
    await null; // it is written once for all that an event does
    return find(".explain .line").textContent.trim();
  };
  const message = () => find(".message span").textContent;
  const answer = (/** @type {string} */ next) => page.answer(payload(next));
  return { ...page, find, cell, edits, focus, marks, type, point, line, message, answer };
}

test("before anything is filled in, the page says what to do", async () => {
  const { find, marks, line } = await check("blank");
  assert.match(find(".verdict").textContent, /Enter your own numbers/);
  assert.match(await line(), /^Fill in the blanks;/);
  assert.deepEqual(marks(), {});
});

test("a known mistake is named, and its solution is shown on request", async () => {
  const { find } = await check("not divided");
  assert.match(find(".verdict").textContent, /The scores are not divided by √dk\./);
  const solution = find(".verdict details");
  assert.ok(!solution.open);
  assert.equal(solution.querySelector("summary").textContent, "Show the solution");
  assert.match(solution.querySelector("dd.right").textContent, /÷/);
});

test("a mistake leads to its step in the walkthrough", async () => {
  const { find } = await check("not divided");
  const link = find(".verdict a");
  assert.equal(link.textContent, "Go to this step");
  const [page, query] = link.getAttribute("href").split("?");
  assert.equal(page, "walkthrough");
  assert.equal(new URLSearchParams(query).get("step"), "scaled_scores");
});

test("“Look here first” leads to the first wrong number", async () => {
  const { find, focus } = await check("not divided");
  const jump = find(".verdict-head button");
  assert.equal(jump.textContent, "Start here");
  jump.click();
  assert.equal(focus(), "scaled_scores|0|0|0");
});

test("the wheel moves no number that somebody wrote", async () => {
  const { cell, edits } = await check("not divided");
  const before = cell("scaled_scores|0|0|0").textContent;
  cell("scaled_scores|0|0|0").focus();
  cell("scaled_scores|0|0|0").dispatchEvent(new WheelEvent("wheel", { bubbles: true, deltaY: 100 }));
  assert.equal(cell("scaled_scores|0|0|0").textContent, before);
  press("ArrowDown", cell("scaled_scores|0|0|0"));
  assert.deepEqual(edits(), []);
});

test("right numbers are marked and counted", async () => {
  const { find, marks } = await check("all right");
  assert.deepEqual(new Set(Object.values(marks())), new Set(["right"]));
  assert.match(find(".verdict").textContent, /All 18 numbers are right\./);
});

test("what follows from a wrong number is not marked as wrong by itself, and the line says what is", async () => {
  const { find, marks, point, line } = await check("follows");
  assert.equal(marks()["weights|0|0|0"], "own");
  assert.equal(marks()["weights|0|0|1"], "right");
  const outputs = Object.entries(marks()).filter(([key]) => key.startsWith("head_outputs"));
  assert.deepEqual(new Set(outputs.map(([, mark]) => mark)), new Set(["follows", "right"]));
  assert.match(find(".verdict").textContent, /每一行之和都是 1/);
  point("weights|0|0|0");
  await line();
  assert.equal(find(".explain .verdict-mark").textContent.trim(), "错。");
});

test("a matrix that nothing explains is said to be so, with what cannot be", async () => {
  const { find } = await check("published");
  assert.match(find(".verdict").textContent, /No known mistake explains this\./);
  assert.match(find(".verdict").textContent, /the row sums to 0\.0442/);
});

test("the line shows the right calculation of a wrong number when its button is pressed", async () => {
  const { cell, find, point, line } = await check("published");
  point("k|0|1|0");
  assert.match(await line(), /Show the solution/);
  assert.doesNotMatch(await line(), /3·1 \+ 4·1 = 7/);
  cell("k|0|1|0").focus();
  await line();
  find('.explain [data-focus="solution"]').click();
  assert.match(await line(), /3·1 \+ 4·1 = 7/);
  cell("k|0|1|1").focus();
  assert.doesNotMatch(await line(), /right:/);
});

test("“?” in a wrong number shows its calculation too, and enters nothing", async () => {
  const { root, cell, line, edits } = await check("published");
  cell("k|0|1|1").focus();
  assert.doesNotMatch(await line(), /right:/);
  press("?", cell("k|0|1|1"));
  assert.match(await line(), /right:/);
  assert.equal(root.querySelectorAll("td input").length, 0);
  assert.deepEqual(edits(), []);
});

test("a text that is not a number is marked, counts as blank and stays when the cell is left", async () => {
  const { cell, type, message, edits } = await check("blank");
  type("v|0|0|0", "abc");
  assert.match(message(), /“abc” is not a number\. The cell counts as blank\.$/);
  assert.equal(cell("v|0|0|0").getAttribute("aria-invalid"), "true");
  cell("v|0|0|1").focus();
  assert.equal(cell("v|0|0|0").getAttribute("aria-invalid"), "true");
  assert.equal(cell("v|0|0|0").textContent, "abc");
  type("v|0|0|0", "2");
  assert.equal(cell("v|0|0|0").getAttribute("aria-invalid"), null);
  assert.deepEqual(edits().at(-1).values, [["2"]]);
});

test("a number that is too large counts as blank", async () => {
  const { type, message, edits } = await check("blank");
  type("v|0|0|0", "1e400");
  assert.match(message(), /The cell counts as blank\.$/);
  assert.deepEqual(edits(), []);
});

test("where a number was already filled in, it still counts, and Escape brings it back", async () => {
  const { cell, type, message, find } = await check("one wrong");
  const field = type("v|0|0|0", "abc");
  assert.match(message(), /“abc” is not a number\. The old value is kept\.$/);
  press("Escape", field);
  assert.equal(cell("v|0|0|0").textContent, "−12.3456");
  assert.ok(find(".message").hidden);
});

test("the line tells of a number just typed wrong, until the focus has moved on twice", async () => {
  const { cell, type, answer, line, focus } = await check("blank");
  type("v|0|0|0", "-12.3456");
  answer("one wrong");
  assert.equal(focus(), "v|0|1|0");
  assert.match(await line(), /^V\[1, 1\] of head 1 .* wrong\. /);
  press("ArrowDown", cell("v|0|1|0"));
  assert.match(await line(), /^V\[3, 1\] of head 1 /);
});

test("Delete makes a number blank", async () => {
  const { cell, edits } = await check("one wrong");
  cell("v|0|0|0").focus();
  press("Delete", cell("v|0|0|0"));
  assert.equal(cell("v|0|0|0").textContent, "");
  assert.deepEqual(edits().at(-1).values, [[""]]);
});

test("Tab leads from the last number of a table to the next table, and Shift+Tab back", async () => {
  const { root, cell, type, focus } = await check("blank");
  Object.defineProperty(root.querySelector(".tables"), "clientWidth", { value: 1600 });
  window.dispatchEvent(new Event("mha-hall-laid")); // there is space for both heads
  type("v|0|2|1", "1", "Tab");
  assert.equal(focus(), "q|1|0|0");
  press({ key: "Tab", shiftKey: true }, cell("q|1|0|0"));
  assert.equal(focus(), "v|0|2|1");
});

test("a text that is pasted goes to the server, which reads it", async () => {
  const { cell, edits } = await check("blank");
  cell("q|0|0|0").focus();
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", "\\begin{bmatrix}1 & 2\\end{bmatrix}");
  cell("q|0|0|0").dispatchEvent(new ClipboardEvent("paste", { bubbles: true, clipboardData }));
  const { op, matrix, head, text } = edits().at(-1);
  assert.deepEqual([op, matrix, head], ["claim_text", "q", 0]);
  assert.equal(text, "\\begin{bmatrix}1 & 2\\end{bmatrix}");
});

test("a table is filled in from a text, and one that is refused changes nothing", async () => {
  const { find, root, edits, answer, message, cell } = await check("one number");
  find('[data-focus="menu q 0"]').click();
  const items = [...root.querySelectorAll('[role="menuitem"]')];
  items.find(({ textContent }) => textContent.startsWith("Paste as text")).click();
  find('[data-focus="claim text"]').value = "1 2\n3 x";
  find('[data-focus="claim text send"]').click();
  assert.deepEqual([edits().at(-1).op, edits().at(-1).text], ["claim_text", "1 2\n3 x"]);
  answer("refused");
  assert.match(message(), /row 2, column 2: “x” is not a number/);
  assert.equal(cell("q|0|0|0").textContent, "1.00");
  assert.equal(cell("q|0|1|0").textContent, "");
});

// --- the solutions of a class ----------------------------------------------------------------------------------------

async function solutions() {
  const page = await mount("check/solutions.js", payload("solutions"));
  const names = () => [...page.root.querySelectorAll("tbody th")].map(({ textContent }) => textContent);
  const column = (/** @type {string} */ name) =>
    [...page.root.querySelectorAll("thead th")].find(({ textContent }) => textContent === name);
  return { ...page, names, column };
}

const [BROKEN, WRONG_10, RIGHT, WRONG_9] = [
  "<b>broken.mha.json",
  "wrong 10.mha.json",
  "right.mha.json",
  "wrong 9.mha.json",
];

test("a row tells what came of a file; one that cannot be read has its error", async () => {
  const { root, names } = await solutions();
  assert.deepEqual(names(), [BROKEN, WRONG_10, RIGHT, WRONG_9]);
  const outcomes = [...root.querySelectorAll("tbody td:last-of-type")].map((td) => td.textContent);
  assert.equal(outcomes[0], "no JSON");
  assert.match(outcomes[2], /All 18 numbers are right/);
});

test("a press on a column sorts by it, rising and then falling, with unread files last", async () => {
  const { names, column } = await solutions();
  column("wrong").querySelector("button").click();
  assert.deepEqual(names(), [RIGHT, WRONG_9, WRONG_10, BROKEN]);
  assert.equal(column("wrong").getAttribute("aria-sort"), "ascending");
  column("wrong").querySelector("button").click();
  assert.deepEqual(names(), [WRONG_10, WRONG_9, RIGHT, BROKEN]);
  assert.equal(column("wrong").getAttribute("aria-sort"), "descending");
});

test("the column that was pressed keeps the focus, though the table is drawn again", async () => {
  const { column } = await solutions();
  const button = column("wrong").querySelector("button");
  button.focus();
  button.click();
  assert.ok(document.activeElement === column("wrong").querySelector("button"));
});

test("a press on a row opens its file, wherever the row is by then", async () => {
  const { root, sent, column } = await solutions();
  column("wrong").querySelector("button").click();
  root.querySelector('[aria-label="Open wrong 9.mha.json on this page"]').click();
  assert.deepEqual(sent, [["open", 3]]);
});

// --- the file to hand in ---------------------------------------------------------------------------------------------

test("the file is saved once, when it comes with the answer to the name that was sent", async () => {
  const files = [];
  mock.method(
    URL,
    "createObjectURL",
    (/** @type {Blob} */ content) => files.push(content.text()) && "blob:x",
  );
  const words = { student: "Your name", save: "Save", saved: "Saved as {name}." };
  const data = { words, student: "", saved: 0, file: "", name: "water.mha.json" };
  const { root, sent, answer } = await mount("check/hand_in.js", data);
  root.querySelector("input").value = "Ada";
  root.querySelector("button").click();
  assert.deepEqual(sent, [["save", { student: "Ada" }]]);
  assert.equal(root.querySelector('[role="status"]').textContent, "");
  answer({ ...data, saved: 1, file: "{1}", name: "water-Ada.mha.json" });
  assert.equal(root.querySelector('[role="status"]').textContent, "✓ Saved as water-Ada.mha.json.");
  answer({ ...data, saved: 1, file: "{1}" });
  answer({ ...data, saved: 1 });
  answer({ ...data, saved: 2, file: "{2}" });
  assert.deepEqual(await Promise.all(files), ["{1}", "{2}"]);
  assert.equal(root.querySelector("input").value, "Ada");
});

// --- the link to hand out --------------------------------------------------------------------------------------------

const WORDS = { link: "Link for students", copy: "Copy the link", copied: "Copied." };

test("the link is copied, which is said until there is another one", async () => {
  const { root, answer } = await mount("check/class_link.js", { words: WORDS, link: "http://localhost/1" });
  root.querySelector("button").click();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(await navigator.clipboard.readText(), "http://localhost/1");
  assert.equal(root.querySelector('[role="status"]').textContent, "✓ Copied.");
  answer({ words: WORDS, link: "http://localhost/2" });
  assert.equal(root.querySelector("input").value, "http://localhost/2");
  assert.equal(root.querySelector('[role="status"]').textContent, "");
});
