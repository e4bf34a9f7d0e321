// An exercise: its steps, its hints, how far the learner is, and its end.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { ofBrowser } from "../../../web/kit/storage.js";
import { freshly, mount, payload, press } from "./page.js";

/** @param {string} [name] */
async function practice(name = "begun") {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const button = (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`);
  const cell = (/** @type {string} */ key) => find(`td[data-key="${key}"]`);
  const focus = () => document.activeElement.closest("[data-focus]")?.dataset.focus;
  const answer = (/** @type {string} */ next) => page.answer(payload(next));
  const edits = () => page.sent.filter(([kind]) => kind === "edits").flatMap(([, { edits }]) => edits);
  const tables = () => [...page.root.querySelectorAll("table")].map(({ dataset }) => dataset.matrix);
  const marks = () => [...page.root.querySelectorAll(".step-mark")].map(({ textContent }) => textContent);
  return { ...page, find, button, cell, focus, answer, edits, tables, marks };
}

const FIRST = { name: "head_outputs", head: 0, row: 0, col: 0 };

test("one step is open, with the tables that it is computed from and no others", async () => {
  const { root, tables } = await practice();
  assert.equal(root.querySelectorAll(".practice-step").length, 3);
  assert.deepEqual(tables(), ["weights", "v", "head_outputs"]);
});

test("progress says which step is open and how many numbers are right", async () => {
  const { find, answer } = await practice();
  const bar = find('[role="progressbar"]');
  assert.match(find(".practice-summary").textContent, /^Work out the blank numbers/);
  assert.equal(bar.getAttribute("aria-valuetext"), "Step 1 of 3, 0 of 24 numbers right");
  answer("first step done");
  assert.equal(bar.getAttribute("aria-valuenow"), "6");
});

test("an exercise is where this browser leads back to, with how far it is, and not one of the works", async () => {
  const { answer } = await practice();
  answer("wrong");
  answer("first step done");
  window.dispatchEvent(new Event("beforeunload"));
  const { lastPlaces } = await freshly("kit/last_work.js");
  const { lang, ...query } = payload("first step done").address;
  assert.deepEqual(
    lastPlaces().map((place) => [place.kind, place.page, place.what, place.query]),
    [
      [
        "exercise",
        "check",
        "head outputs · concatenation · 6 of 24 numbers right",
        String(new URLSearchParams(query)),
      ],
    ],
  );
  assert.equal(ofBrowser.get("mha.works"), null);
});

test("an exercise that is set here begins at its first blank number, one of a link does not move the focus", async () => {
  const { focus } = await practice("set here");
  assert.equal(focus(), "head_outputs|0|0|0");
  const { focus: focusOfLink } = await practice("begun");
  assert.equal(focusOfLink(), undefined);
});

test("an exercise that is set here does not scroll the page's title away where its first number is in view", async () => {
  const scrolled = mock.method(Element.prototype, "scrollIntoView", () => undefined);
  await practice("set here");
  scrolled.mock.restore();
  assert.deepEqual(
    scrolled.mock.calls.map(({ arguments: [how] }) => how.block),
    ["nearest"],
  );
});

test("each hint says more of the same number, and its button says what comes next", async () => {
  const { find, button, answer, edits } = await practice();
  for (const [count, text, next] of [
    [1, "Idea: Each weight of a row is multiplied", "Hint: formula"],
    [2, "Formula: head1[1, 1] = A[1, 1]·V[1, 1]", "Hint: formula with numbers"],
    [3, "= ?", "Show the answer"],
  ]) {
    button("hint").click();
    assert.deepEqual(edits().at(-1).cell, FIRST);
    answer(`hint ${count}`);
    assert.ok(find(".practice-hint").textContent.replaceAll("_", "").includes(text));
    assert.equal(button("hint").textContent, next);
    assert.ok(find('td[data-key="head_outputs|0|0|0"]').classList.contains("hinted"));
  }
});

test("after the last hint the button keeps the focus and requests nothing", async () => {
  const { button, answer, edits, focus } = await practice("hint 3");
  button("hint").focus();
  answer("hint 4");
  assert.equal(button("hint").getAttribute("aria-disabled"), "true");
  assert.equal(focus(), "hint");
  button("hint").click();
  assert.deepEqual(edits(), []);
});

test("while the hint's button has the focus, the line explains the number that the hint is about", async () => {
  const { cell, button, find } = await practice("hint 1");
  cell("weights|0|1|0").focus();
  button("hint").focus();
  await null;
  assert.match(find(".explain .line").textContent, /^head1\[1, 1\]/);
});

test("a wrong number is marked, and so is its step, which stays open", async () => {
  const { root, cell, find, answer, marks } = await practice();
  assert.deepEqual(marks(), ["1", "2", "3"]);
  answer("wrong");
  const marked = [...root.querySelectorAll("td[data-mark]")].map(({ dataset }) => [
    dataset.key,
    dataset.mark,
  ]);
  assert.deepEqual(marked, [["head_outputs|0|0|0", "own"]]);
  assert.equal(cell("head_outputs|0|0|0").getAttribute("aria-description"), "wrong");
  assert.deepEqual(marks(), ["✗", "2", "3"]);
  assert.ok(find(".practice-step").classList.contains("open"));
});

test("a hint is for the number that was just typed wrong, though the next one has the focus", async () => {
  const { cell, button, answer, edits, focus, find } = await practice();
  cell("head_outputs|0|0|0").focus();
  press("9", cell("head_outputs|0|0|0"));
  press("Enter", cell("head_outputs|0|0|0").querySelector("input"));
  assert.equal(focus(), "head_outputs|0|1|0");
  answer("wrong");
  button("hint").click();
  assert.deepEqual(edits().at(-1).cell, FIRST);
  answer("hint for the wrong number");
  assert.match(find(".practice-hint").textContent, /^Idea/);
  assert.equal(button("hint").textContent, "Hint: formula");
});

test("the address holds what was missed and which hints were given", async () => {
  const { answer } = await practice();
  answer("hint for the wrong number");
  await new Promise((resolve) => setTimeout(resolve, 1));
  assert.equal(new URLSearchParams(location.search).get("tally"), "0~0.1");
});

test("when a step is done, the focus goes from the hint's button to the next step's", async () => {
  const { button, answer, focus } = await practice();
  button("hint").focus();
  answer("first step done");
  assert.equal(focus(), "next step");
});

test("the next step opens at its first number, and the one before shows its numbers in one line", async () => {
  const { find, button, answer, focus, marks, tables } = await practice();
  answer("first step done");
  button("next step").click();
  assert.equal(focus(), "head_outputs|1|0|0");
  assert.deepEqual(tables(), ["weights", "v", "head_outputs"]);
  assert.deepEqual(marks(), ["✓", "2", "3"]);
  assert.equal(find(".practice-step.done .step-line").textContent.split("  |  ").length, 3);
});

test("the steps stay as they are when another number of heads has room", async () => {
  const { find, answer, marks } = await practice();
  answer("wrong");
  const steps = find(".practice-steps");
  Object.defineProperty(find(".tables"), "clientWidth", { value: 300 });
  window.dispatchEvent(new Event("mha-hall-laid"));
  assert.ok(find(".practice-steps") === steps);
  assert.deepEqual(marks(), ["✗", "2", "3"]);
});

test("the end has the focus, says how it went and shows the weights of every head", async () => {
  const { find, cell, answer } = await practice("wrong");
  const end = find(".practice-end");
  assert.ok(end.hidden);
  cell("head_outputs|0|0|0").focus();
  answer("finished");
  assert.ok(!end.hidden);
  assert.ok(document.activeElement === end);
  assert.match(end.textContent, /23 of 24 right on the first try\. 1 hint\./);
  assert.equal(end.querySelectorAll('[role="img"]').length, 2);
});

test("another exercise is requested at the end, and begins at its first step", async () => {
  const { find, button, answer, edits, marks } = await practice("finished");
  button("another").click();
  assert.equal(edits().at(-1).op, "another_exercise");
  answer("another");
  assert.ok(find(".practice-end").hidden);
  assert.ok(find(".practice-step").classList.contains("open"));
  assert.deepEqual(marks(), ["1", "2", "3"]);
  assert.equal(find('[role="progressbar"]').getAttribute("aria-valuenow"), "0");
});

test("the link for a class is shown and copied", async () => {
  const { find, button } = await practice("finished");
  button("for class").click();
  const { value } = find(".for-class input");
  assert.ok(!find(".for-class").hidden);
  assert.match(value, /seed=own/);
  assert.equal(await navigator.clipboard.readText(), value);
});

test("a known mistake is named below the row that it is in", async () => {
  const { find } = await practice("not divided");
  const named = find("tr.told");
  assert.equal(named.textContent, "✗ The scores are not divided by √dk.");
  assert.equal(named.previousElementSibling.querySelector("td").dataset.key, "scaled_scores|0|0|0");
});

test("the whole sheet shows every table, at the number of the open step, and leads back", async () => {
  const { root, button, focus, tables } = await practice("not divided");
  button("whole sheet").click();
  for (const name of ["x", "w_q", "scores", "scaled_scores", "weights"]) assert.ok(tables().includes(name));
  assert.equal(root.querySelectorAll("tr.told").length, 1);
  assert.equal(focus(), "scaled_scores|0|0|0");
  button("whole sheet").click();
  assert.ok(!tables().includes("x"));
  assert.equal(focus(), "scaled_scores|0|0|0");
});

test("the exercise can be ended", async () => {
  const { button, edits } = await practice();
  button("end_exercise").click();
  assert.equal(edits().at(-1).op, "end_exercise");
});
