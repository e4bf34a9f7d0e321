// The section "Backward": the goal in words, the tables of the backward pass, a step, a run, and what they say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { pointsOf } from "../../../web/explore/learning/loss_curve.js";
import { listed } from "../../../web/explore/learning/ways.js";
import { View } from "../../../web/kit/tables.js";
import { mount, payload, press } from "./page.js";

const WORDS = { head: "Head" };
const POINTER = globalThis.matchMedia;

/** @param {string} [name] */
async function page(name = "no goal") {
  globalThis.matchMedia = POINTER;
  const mounted = await mount("explore/explore.js", payload(name));
  const { root } = mounted;
  const find = (/** @type {string} */ selector) => root.querySelector(selector);
  const control = (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`);
  const click = (/** @type {string} */ focus) => control(focus).click();
  const text = (/** @type {string} */ selector) => find(selector)?.textContent;
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const edits = () => mounted.sent.filter(([kind]) => kind === "edits").flatMap(([, sent]) => sent.edits);
  const last = () => edits().at(-1);
  const choose = (/** @type {string} */ focus, /** @type {string} */ value) => {
    control(focus).value = value;
    control(focus).dispatchEvent(new Event("change", { bubbles: true }));
  };
  const answer = (/** @type {string} */ next) => mounted.answer({ ...payload(next), ack: last()?.seq ?? 0 });
  const pin = async (/** @type {string} */ key) => {
    cell(key).click();
    await new Promise((resolve) => setTimeout(resolve));
  };
  const isOpen = () => control("backward").getAttribute("aria-expanded") === "true";
  const rest = () => window.dispatchEvent(new Event("blur")); // what waits is sent
  return { ...mounted, find, control, click, text, cell, edits, last, choose, answer, pin, isOpen, rest };
}

const loss = (/** @type {string} */ name) => payload(name).matrices.loss.values[0][0];

test("the whole path of a backward number leads through the loss, with its value, between A and the derivatives", async () => {
  const { pin, click, root, find } = await page("look");
  await pin("d_w_q|0|0|0");
  click("whole path");
  const jumps = [...root.querySelectorAll(".jumps .crumb")];
  const names = jumps.map(({ dataset }) => dataset.focus?.replace("jump ", ""));
  assert.ok(names.indexOf("weights") < names.indexOf("loss"));
  assert.ok(names.indexOf("loss") < names.indexOf("d_scaled_scores"));
  assert.equal(find('[data-focus="jump loss"]').textContent, `L = ${loss("look").toPrecision(4)}`);
});

// --- the goal --------------------------------------------------------------------------------------------------------

test("without a goal the section is folded, and no table of it is sent", async () => {
  const { isOpen, find } = await page();
  assert.equal(isOpen(), false);
  assert.equal(find(".backward-tables td"), null);
  assert.ok(find(".learning-way").hidden);
});

test("a goal that a link brings opens the section", async () => {
  const { isOpen, cell } = await page("output");
  assert.ok(isOpen());
  assert.ok(cell("d_w_q|0|0|0"));
});

test("a token is to look at another, in the head that is chosen", async () => {
  const { click, choose, find, last } = await page();
  click("backward");
  for (const [field, value] of [
    ["head", "1"],
    ["query", "2"],
    ["key", "1"],
  ])
    choose(`goal ${field}`, value);
  find(".goal-form").dispatchEvent(new Event("submit", { cancelable: true }));
  assert.deepEqual(last().learning, { step: "weights", rate: 0.1, targets: [null, [null, null, 1]] });
});

test("a token's output is to become the numbers that are typed, in place of what it is", async () => {
  const { click, choose, control, find, last } = await page();
  click("backward");
  choose("goal about", "output");
  choose("goal query", "1");
  const field = control("goal numbers");
  const now = payload("row").map((/** @type {number} */ number) => String(Number(number.toFixed(2))));
  assert.equal(field.value, now.join(" "));
  field.value = "(2.5, −1)";
  field.dispatchEvent(new Event("input"));
  find(".goal-form").dispatchEvent(new Event("submit", { cancelable: true }));
  assert.deepEqual(last().learning, { step: "output", rate: 0.1, targets: [null, [2.5, -1], null] });
});

for (const [typed, said] of [
  ["2", /This row has 2 numbers, and you gave 1\./],
  ["2 x", /Numbers: “?x”? is not a number\./],
])
  test(`“${typed}” is no row of numbers: it is said why, and nothing is sent`, async () => {
    const { click, choose, control, find, edits, root } = await page();
    click("backward");
    choose("goal about", "output");
    control("goal numbers").value = typed;
    control("goal numbers").dispatchEvent(new Event("input"));
    find(".goal-form").dispatchEvent(new Event("submit", { cancelable: true }));
    assert.match(root.textContent, /** @type {RegExp} */ (said));
    assert.deepEqual(edits(), []);
    assert.equal(control("goal numbers").value, typed);
  });

test("once a goal is set in the form, the bar with Step and Play is scrolled to", async () => {
  const { click, find, answer } = await page();
  click("backward");
  const way = find(".learning-way");
  let scrolled = 0;
  way.scrollIntoView = () => (scrolled += 1);
  find(".goal-form").dispatchEvent(new Event("submit", { cancelable: true }));
  answer("output");
  await new Promise((resolve) => requestAnimationFrame(resolve));
  assert.equal(scrolled, 1);
  answer("one step");
  await new Promise((resolve) => requestAnimationFrame(resolve));
  assert.equal(scrolled, 1);
});

test("the goal is said in words, and its last target removed removes it", async () => {
  const { text, click, last } = await page("look");
  assert.match(text(".goals li"), /^In head 1, .*cats.* should look at .*fish.*\./);
  click("goal remove 0 0");
  assert.equal(last().learning, null);
});

test("a second target joins the first; another kind replaces it", async () => {
  const { choose, find, last, text } = await page("output");
  assert.equal(text('[data-focus="goal set"]'), "Replace the goal");
  choose("goal about", "output");
  assert.equal(text('[data-focus="goal set"]'), "Add to the goal");
  choose("goal query", "2");
  find(".goal-form").dispatchEvent(new Event("submit", { cancelable: true }));
  const { targets, rate } = last().learning;
  assert.deepEqual([targets[0], targets[1], rate], [[2, 0], null, 0.05]);
  assert.equal(targets[2].length, 2);
});

test("a pinned weight is made the goal", async () => {
  const { pin, click, last, isOpen } = await page();
  await pin("weights|0|0|2");
  click("make goal");
  assert.deepEqual(last().learning.targets, [[2, null, null], null]);
  assert.ok(isOpen());
});

test("“Make this the goal” brings the section into view at once, and then what can be done with the goal", async () => {
  const { pin, click, control, find, answer } = await page();
  await pin("weights|0|0|2");
  /** @type {string[]} */
  const brought = [];
  const way = find(".learning-way");
  control("backward").scrollIntoView = () => brought.push("section");
  way.scrollIntoView = () => brought.push("way");
  click("make goal");
  assert.deepEqual(brought, ["section"]);
  answer("look");
  await new Promise((resolve) => requestAnimationFrame(resolve));
  assert.deepEqual(brought, ["section", "way"]);
});

test("in long tables the row and the column of the goal are shown", async () => {
  const { cell, answer } = await page("long");
  answer("long, a goal in the middle");
  for (const key of ["weights_target|0|6|7", "head_row_losses|0|6|0", "d_weights|0|6|7", "d_k|0|7|0"])
    assert.ok(cell(key), key);
  assert.equal(cell("d_weights|0|8|6"), null);
  answer("long, another goal");
  assert.ok(cell("d_weights|0|8|6"));
});

test("a head without a target takes no room among the backward tables", async () => {
  const { text } = await page("look");
  assert.match(text(".learning-notes"), /No target, so no backward tables: head 2\./);
  const words = new Proxy({}, { get: () => "" }); // the words do not matter here
  const view = new View({ ...payload("look"), words });
  const columns = [view.root, view.backward].map((stages) => stages.style.getPropertyValue("--heads").trim());
  assert.deepEqual(columns, ["2", "1"]);
});

test("a pinned output begins a goal for its row, to be typed over", async () => {
  const { pin, click, control } = await page();
  await pin("output||1|0");
  click("make goal");
  assert.equal(control("goal query").value, "1");
  assert.equal(document.activeElement, control("goal numbers"));
});

for (const name of ["no goal", "output"])
  test(`a number that is no goal offers none (${name})`, async () => {
    const { pin, control } = await page(name);
    await pin("scores|0|0|0");
    assert.equal(control("make goal"), null);
  });

test("a puzzle and an exercise have no such section", async () => {
  const { find } = await page("puzzle");
  assert.ok(find(".learning").hidden);
});

test("a target on a masked key is refused, and it is said why", async () => {
  const { text, find, control } = await page("hidden");
  assert.match(text(".learning-notes"), /so the loss is infinite/);
  assert.equal(find(".backward-tables td"), null);
  assert.ok(control("learn step").disabled && control("learn play").disabled);
});

test("where a derivative is not defined, the page says where and what is used", async () => {
  const { text } = await page("corner");
  assert.match(text(".learning-notes"), /‖Q‖\[1, 1\].* is 0: the length of a row of zeros has no derivative/);
});

// --- the tables ------------------------------------------------------------------------------------------------------

test("a cell of dW_Q has its line of arithmetic, its terms lit, and what a step does with its weight", async () => {
  const { pin, text, cell } = await page("output");
  await pin("d_w_q|0|0|1");
  const line = text(".explain .line");
  assert.match(line, /^dWQ\[1, 2\] of head 1 = Xᵀ·dQ = /);
  assert.match(line, /A step: WQ\[1, 2\] of head 1 → .* − 0\.05 · .* [=≈] /);
  for (const row of [0, 1, 2]) assert.ok(cell(`d_q|0|${row}|1`).classList.contains("operand"));
  assert.ok(cell("x||0|0").classList.contains("operand"));
});

test("the backward tables follow a number that is typed, and are the server's", async () => {
  const { cell, answer, root } = await page("output");
  const texts = () =>
    [...root.querySelectorAll(".learning td[data-key]")].map(({ textContent }) => textContent);
  const before = texts();
  cell("x||0|0").focus();
  press("3", cell("x||0|0"));
  press("Enter", cell("x||0|0").querySelector("input"));
  const followed = texts();
  assert.notDeepEqual(followed, before);
  answer("moved");
  assert.deepEqual(texts(), followed);
});

test("a target can be typed over in its table, and a row without one only with the server's answer", async () => {
  const { cell, text } = await page("output");
  const lossNow = () => cell("loss||0|0").textContent;
  const before = lossNow();
  for (const [key, isChanged] of /** @type {const} */ ([
    ["output_target||1|0", false],
    ["output_target||0|0", true],
  ])) {
    cell(key).focus();
    press("5", cell(key));
    press("Enter", cell(key).querySelector("input"));
    assert.equal(lossNow() !== before, isChanged, key);
  }
  assert.match(text(".loss"), /^Loss L = /);
});

test("other lenses leave the backward tables as they are", async () => {
  const { cell } = await page("lens");
  assert.match(cell("d_w_q|0|0|0").textContent, /\d/);
});

// --- steps -----------------------------------------------------------------------------------------------------------

test("a step changes every weight at once, and says the loss before and after; undo takes it back", async () => {
  const { click, cell, text, last, answer, rest } = await page("output");
  click("learn step");
  const shown = [cell("w_o||0|0").textContent, cell("loss||0|0").textContent, text(".loss")];
  assert.match(shown[2], /^Loss L: 6\.782 → 0\.1131 after 1 step$/);
  rest();
  assert.deepEqual([last().op, last().steps], ["learn", 1]);
  answer("one step");
  assert.deepEqual([cell("w_o||0|0").textContent, cell("loss||0|0").textContent, text(".loss")], shown);
  click("undo");
  answer("undone");
  assert.equal(text(".loss"), "Loss L = 6.782");
});

test("back to the start undoes every step", async () => {
  const { click, control, edits, text, answer, rest } = await page("output");
  assert.ok(control("learn back").hidden);
  for (const after of ["one step", "two steps"]) {
    click("learn step");
    rest();
    answer(after);
  }
  const { length } = edits();
  click("learn back");
  rest();
  const undone = edits().slice(length);
  assert.deepEqual(new Set(undone.map(({ op }) => op)), new Set(["undo"]));
  assert.equal(new Set(undone.map(({ seq }) => seq)).size, 2);
  answer("output");
  assert.deepEqual([text(".loss"), control("learn back").hidden], ["Loss L = 6.782", true]);
});

test("the first loss is found again after one that is far larger", async () => {
  const { click, text, answer, rest } = await page("exploding");
  click("learn step");
  rest();
  answer("exploded");
  assert.match(text(".loss"), /after 1 step$/);
  click("learn back");
  rest();
  answer("exploding");
  assert.match(text(".loss"), /^Loss L = /);
});

test("with reduced motion a run is taken at once, as one edit, until the loss is flat", async () => {
  const { click, edits, text, rest, find } = await page("output");
  globalThis.matchMedia = () => ({ matches: true });
  click("learn play");
  rest();
  const learned = edits().filter(({ op }) => op === "learn");
  assert.equal(new Set(learned.map(({ seq }) => seq)).size, 1);
  const { steps } = learned[0];
  assert.ok(steps > 5 && steps <= 200, String(steps));
  assert.match(text(".loss"), new RegExp(`after ${steps} steps$`));
  assert.match(find(".loss-curve svg").getAttribute("aria-label"), /^The loss goes from 6\.782 to /);
});

test("a run that ends by itself says why, and a click that comes too late for Pause starts no other", async () => {
  const { click, edits, text, rest, answer } = await page("output");
  globalThis.matchMedia = () => ({ matches: true });
  click("learn play");
  rest();
  const { length } = edits();
  const ended = '.learning-way [role="status"]';
  assert.match(text(ended), /^Stopped after \d+ steps: the loss no longer falls\.$/);
  click("learn play");
  await new Promise((resolve) => setTimeout(resolve));
  rest();
  assert.equal(edits().length, length);
  answer("undone");
  assert.equal(text(ended), "");
});

test("while a run goes on, nothing is said of the edit before", async () => {
  const { click, find, text, rest, answer } = await page("output");
  click("learn step");
  rest();
  answer("one step");
  await new Promise((resolve) => setTimeout(resolve, 200)); // until the picture says what has moved
  assert.equal(find(".message").hidden, false);
  const told = text(".moved");
  click("learn play");
  assert.ok(find(".message").hidden);
  assert.notEqual(text(".moved"), told);
  click("learn play");
});

test("a run is paused, and its steps so far are the edit that the server takes too", async () => {
  const { click, text, last, rest, cell, answer } = await page("output");
  click("learn play");
  assert.match(text('[data-focus="learn play"]'), /Pause/);
  await new Promise((resolve) => setTimeout(resolve, 5));
  click("learn play");
  rest();
  assert.equal(last().op, "learn");
  assert.ok(last().steps >= 1);
  assert.match(text('[data-focus="learn play"]'), /Play/);
  const after = last().steps === 1 ? "one step" : null;
  if (after) {
    const shown = cell("d_w_q|0|0|0").textContent;
    answer(after);
    assert.equal(cell("d_w_q|0|0|0").textContent, shown);
  }
});

test("an edit while it plays comes after the steps so far", async () => {
  const { click, edits, rest, cell } = await page("output");
  click("learn play");
  await new Promise((resolve) => setTimeout(resolve, 5));
  cell("x||0|0").focus();
  press("3", cell("x||0|0"));
  press("Enter", cell("x||0|0").querySelector("input"));
  rest();
  const ops = edits().map(({ op }) => op);
  assert.ok(ops.indexOf("learn") >= 0 && ops.indexOf("learn") < ops.indexOf("set"), ops.join());
});

test("too large a rate stops the run, and the server says why", async () => {
  const { click, choose, answer, root, last, rest } = await page("output");
  globalThis.matchMedia = () => ({ matches: true });
  choose("rate", "1");
  rest();
  assert.equal(last().learning.rate, 1);
  answer("too far");
  assert.match(root.textContent, /η = 1 is too large: /);
  click("learn play");
  rest();
  assert.equal(last().op, "learn");
});

test("ten steps in the browser are torch's", async () => {
  const { descended, lossOf } = await import("../../../web/kit/descent.js");
  const { model } = descended(payload("output"), 10);
  assert.ok(Math.abs(lossOf(model) - loss("ten steps")) < 1e-9 * loss("output"));
  assert.equal(lossOf(payload("output")), loss("output"), "the model that it begins with stays as it is");
});

test("another η counts for the next step before any answer", async () => {
  const { choose, click, text, pin } = await page("output");
  choose("rate", "0.01");
  click("learn step");
  assert.match(text(".loss"), /^Loss L: 6\.782 → [34]\.\d+ after 1 step$/); // with 0.05 it is 0.1131
  await pin("d_w_o||0|0");
  assert.match(text(".explain .line"), /A step: WO\[1, 1\] → .* − 0\.01 · /);
});

// --- other ways on ---------------------------------------------------------------------------------------------------

test("every backward table is listed with its formula and its labels, for CSV and Markdown", () => {
  const model = payload("output");
  const tables = listed(model, WORDS);
  const names = model.learning.stages.flatMap((/** @type {Stage} */ stage) => stage.matrices);
  assert.ok(tables.length > names.length); // some of both heads
  const { title, down, across, rows } =
    tables.find(({ title }) => title.startsWith("Head 2: dA")) ?? tables[0];
  assert.deepEqual([title, down, across], ["Head 2: dA = dhead·Vᵀ", model.labels.n_q, model.labels.n_k]);
  assert.deepEqual(rows, model.matrices.d_weights.values[1]);
});

test("without a goal there is nothing to check or to download", async () => {
  const { find } = await page();
  assert.ok(find(".learning-ways").hidden);
});

test("a weight of 0 cannot be made the goal", async () => {
  const { pin, control } = await page("hidden");
  await pin("weights|0|0|4");
  assert.equal(control("make goal"), null);
});

test("η is a number above 0", async () => {
  const { choose, edits, root, control } = await page("output");
  choose("rate", "0");
  assert.match(root.textContent, /0.? cannot be a learning rate/);
  assert.deepEqual([edits(), control("rate").value], [[], "0.05"]);
});

test("the curve begins at the left and ends at the right, the largest loss at its top", () => {
  const points = pointsOf([4, 2, 1]);
  assert.ok(points[0][0] < points[1][0] && points[1][0] < points[2][0]);
  assert.ok(points[0][1] < points[1][1] && points[1][1] < points[2][1]);
  assert.ok(pointsOf([0, 0]).flat().every(Number.isFinite));
});

test("in Chinese the goal, the tables and the buttons have Chinese words", async () => {
  const { text } = await page("chinese");
  assert.match(text('[data-focus="backward"]'), /^反向传播/);
  assert.match(text(".goals li"), /的输出应变为/);
  assert.match(text(".backward-tables .stage-title h3, .backward-tables"), /反向/);
});
