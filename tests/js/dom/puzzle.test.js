// A puzzle above the tables: how far it is, its hints, its solution, what is stored, and the link to it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { isMet, progressOf } from "../../../web/explore/puzzle/goals.js";
import { skipLink } from "../../../web/explore/skip_link.js";
import { invitation } from "../../../web/explore/ways_on.js";
import { ofBrowser } from "../../../web/kit/storage.js";
import { mount, payload } from "./page.js";

const SOLVED = "mha.puzzles";
beforeEach(() => ofBrowser.setText(SOLVED, null));

/** @param {string} [name] */
async function puzzle(name = "begun") {
  const page = await mount("explore/explore.js", payload(name));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  const all = (/** @type {string} */ selector) => [...page.root.querySelectorAll(selector)];
  const text = (/** @type {string} */ selector) => find(selector)?.textContent;
  const button = (/** @type {string} */ focus) => find(`[data-focus="puzzle ${focus}"]`);
  const answer = (/** @type {string} */ next) => page.answer(payload(next));
  const edits = () => page.sent.filter(([kind]) => kind === "edits").flatMap(([, { edits }]) => edits);
  return { ...page, find, all, text, button, answer, edits };
}

const SHOWN = payload("begun").puzzle;
const stored = () => ofBrowser.get(SOLVED) ?? {};

test("it says which puzzle this is, what is to be done, and what may be changed", async () => {
  const { text } = await puzzle();
  assert.match(text(".puzzle-place"), /^Puzzle 1 of \d+ · /);
  assert.equal(text(".puzzle h2"), SHOWN.title);
  assert.equal(text(".puzzle-story"), SHOWN.story);
  assert.match(text(".puzzle-change"), /^You may change /);
});

test("the browser knows as Python does whether a goal is met, and how far it is", () => {
  for (const { goal, now, met, progress } of payload("progress")) {
    assert.equal(isMet(goal, now), met, JSON.stringify([goal, now]));
    assert.ok(Math.abs(progressOf(goal, now) - progress) < 1e-12, JSON.stringify([goal, now]));
  }
});

test("what may be changed leads to its table, in the head of a goal that is not met yet", async () => {
  for (const name of ["begun", "hard"]) {
    const { find, text } = await puzzle(name);
    const { matrix, head } = payload(name).puzzle.solution[0];
    assert.equal(text(".puzzle-change .jump"), "WQ of any head ↓");
    find(".puzzle-change .jump").click();
    assert.deepEqual({ ...find(":focus").dataset }, { matrix, head: String(head) });
  }
});

test("a head is named where it alone has the matrix that may be changed", async () => {
  const { text } = await puzzle("shared key");
  assert.equal(text(".puzzle-change .jump"), "WK of head 1 ↓");
});

test("a visitor can leave the puzzle with the numbers as they are, and is led back to the puzzles", async () => {
  const { answer, button, edits, find } = await puzzle("solved");
  assert.equal(button("free").textContent, "Explore freely");
  button("free").click();
  window.dispatchEvent(new Event("blur")); // what waits is sent
  assert.equal(edits().at(-1).op, "puzzle");
  answer("free");
  assert.ok(find(".puzzle").hidden);
  assert.notEqual(find(".mha-note").textContent, SHOWN.story);
  assert.equal(find(".mha-note").textContent, payload("free").about);
  assert.ok(find('[data-focus="h more"]'), "everything may be changed");
  assert.match(find(".invitation").href, /puzzle/);
});

test("the page says what it is about, and begins with the first puzzle", async () => {
  const { text } = await puzzle("no puzzle");
  assert.equal(text(".lead h2"), "Multi-head attention");
  assert.equal(text(".invitation"), payload("no puzzle").start.puzzles[0].title);
});

/** What a visitor who has solved these puzzles is offered. @param {string[]} keys */
function offered(keys) {
  ofBrowser.set(SOLVED, Object.fromEntries(keys.map((key) => [key, 1])));
  const words = { puzzles_solved: "{count} of {all}", puzzle_all: "All puzzles" };
  const node = invitation(payload("no puzzle"), words);
  return [".solved", "p", ".invitation"].map((part) => node.querySelector(part)?.textContent);
}

test("once the first puzzle is solved it has a ✓, and the next one is offered", () => {
  const [first, second, ...others] = payload("no puzzle").start.puzzles;
  const done = `✓ ${first.title}`;
  assert.deepEqual(offered([first.key]), [done, `${done} · 1 of ${2 + others.length}`, second.title]);
});

test("who has solved all puzzles is led to the list of them", () => {
  const keys = payload("no puzzle").start.puzzles.map((/** @type {PuzzleLink} */ { key }) => key);
  assert.equal(offered(keys).at(-1), "All puzzles");
});

test("an example without a puzzle has none", async () => {
  const { find } = await puzzle("no puzzle");
  assert.ok(find(".puzzle").hidden);
});

test("numbers that may not be changed cannot be, and there is no menu of the layer", async () => {
  const { all, find } = await puzzle();
  const editable = new Set(all("table.editable, .editable table").map(({ dataset }) => dataset.matrix));
  for (const name of editable) assert.ok(SHOWN.change.includes(name), name);
  assert.equal(find('[data-focus="h more"]'), null);
});

test("the cell of a goal is framed in its table", async () => {
  const { all } = await puzzle();
  const { name, head, row, col } = SHOWN.goals[0].cell;
  const framed = all("td.goal").map(({ dataset }) => dataset.key);
  assert.ok(framed.includes(`${name}|${head ?? ""}|${row}|${col}`));
  assert.equal(framed.length, SHOWN.goals.length);
});

test("with the answer that solves it, it says so, offers the next one, and this browser keeps it", async () => {
  const { answer, text, button } = await puzzle();
  answer("solved");
  assert.match(text(".puzzle-status"), /^✓ Solved with 1 changed number\. No shorter solution is known\./);
  assert.equal(new URL(button("next").href).search, `?${SHOWN.next}`); // in the page's language
  assert.deepEqual(stored(), { [SHOWN.key]: 1 });
});

test("a solution with more changes than needed says that there is a shorter one, and the best is kept", async () => {
  const { answer, text } = await puzzle();
  answer("solved with one more");
  assert.match(text(".puzzle-status"), /^✓ Solved with 2 changed numbers\. Can you do it with 1\?/);
  answer("solved");
  answer("solved with one more");
  assert.deepEqual(stored(), { [SHOWN.key]: 1 });
});

test("hints come one by one, then the solution is offered", async () => {
  const { button, all } = await puzzle();
  for (const [at, hint] of SHOWN.hints.entries()) {
    button("hint").click();
    assert.equal(all(".puzzle-hints li").length, at + 1);
    assert.equal(all(".puzzle-hints li").at(-1).textContent, hint.replaceAll("_", ""));
  }
  assert.equal(button("hint"), null);
  assert.ok(button("solution"));
});

test("a solution that was shown is not kept as solved", async () => {
  const { button, answer, edits, text } = await puzzle();
  for (const _ of SHOWN.hints) button("hint").click();
  globalThis.matchMedia = () => ({ matches: true }); // reduced motion: the numbers are set at once
  button("solution").click();
  await new Promise((resolve) => setTimeout(resolve));
  window.dispatchEvent(new Event("blur")); // what waits is sent
  const { op, matrix, row, col, values } = SHOWN.solution[0];
  const sent = edits().at(-1);
  assert.deepEqual([sent.op, sent.matrix, sent.row, sent.col, sent.values], [op, matrix, row, col, values]);
  answer("solved");
  assert.match(text(".puzzle-status"), /^This is one solution\./);
  assert.deepEqual(stored(), {});
});

test("a puzzle with several goals marks each that is met", async () => {
  const { all } = await puzzle("own");
  const goals = payload("own").puzzle.goals;
  assert.equal(all(".puzzle-goals li").length, goals.length);
  assert.deepEqual(
    all(".puzzle-goals .mark").map(({ textContent }) => textContent),
    ["", "✓"],
  );
});

test("the link to send opens the puzzle as it began", async () => {
  const { answer, button, text } = await puzzle();
  let copied = "";
  Object.defineProperty(navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (/** @type {string} */ link) => (copied = link) },
  });
  answer("solved");
  button("send").click();
  await new Promise((resolve) => setTimeout(resolve));
  assert.equal(new URL(copied).searchParams.get("puzzle"), SHOWN.key);
  assert.match(text(".puzzle-status"), /^Link copied/);
});

test("in Chinese it has Chinese words and tokens", async () => {
  const { text } = await puzzle("chinese");
  assert.match(text(".puzzle-place"), /第 1 题/);
  assert.match(text(".puzzle h2"), /[\u4e00-\u9fff]/);
});

test("a goal says what it wants, and leads to its number", async () => {
  const { find, text } = await puzzle();
  assert.equal(text(".puzzle-goals button"), SHOWN.goals[0].text);
  find(".puzzle-goals button").click();
  const { name, head, row, col } = SHOWN.goals[0].cell;
  assert.equal(find(":focus")?.closest("td").dataset.key, `${name}|${head}|${row}|${col}`);
});

test("the way past the page's head leads to a number that may be changed", async () => {
  const { root } = await puzzle("shared key");
  skipLink("numbers", root).click();
  assert.equal(document.activeElement?.closest("td")?.dataset.key, "w_k|0|0|0");
});
