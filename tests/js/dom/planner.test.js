// The planner of a lecture, and what the presenter's page shows of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { setTeaching } from "../../../web/kit/teaching.js";
import { payload, press } from "./page.js";
import { settled, stopTime, walk } from "./walking.js";

const USUAL = payload("first").lecture.usual;

/** The walk with its planner open. @param {string} [name] */
async function planner(name = "first") {
  const page = await walk(name, { place: { step: "scores", view: "presenter" } });
  page.named("own").click();
  /** The lectures that were sent to the server. @type {any[]} */
  const lectures = [];
  window.addEventListener("mha-sent", (/** @type {any} */ { detail }) => lectures.push(detail.lecture));
  const own = (/** @type {string} */ focus) => `own ${focus}`;
  return {
    ...page,
    lectures,
    field: (/** @type {string} */ focus) => page.named(own(focus)),
    set: (/** @type {string} */ focus, /** @type {string} */ text) => page.write(own(focus), text),
    show: (/** @type {string} */ step, /** @type {boolean} */ isOn) => page.check(own(`show ${step}`), isOn),
    order: () => page.all(".planner li").map(({ dataset }) => dataset.step),
    alerts: () => page.texts(".planner [role=alert]"),
  };
}

const without = (/** @type {string} */ step) => USUAL.filter((/** @type {string} */ id) => id !== step);

test("the planner opens and closes with its button, and Escape closes it alone", async () => {
  const { find, named, element } = await planner();
  assert.deepEqual([find(".planner").hidden, named("own").getAttribute("aria-expanded")], [false, "true"]);
  press("Escape", find(".planner"));
  assert.ok(find(".planner").hidden);
  assert.equal(element().dataset.view, "presenter");
});

test("a step that is hidden is sent to the server, and left out of the walk that comes back", async () => {
  const { show, lectures, all, answer } = await planner();
  show("inputs", false);
  assert.deepEqual(lectures, [{ steps: [{ step: "inputs", hidden: true }] }]);
  answer(payload("hidden"));
  assert.equal(all(".outline button").length, USUAL.length - 1);
});

test("notes, a question and its choices are sent as they are written", async () => {
  const { set, lectures } = await planner();
  set("note scores", "Two arrows on the board.");
  set("question scores", "Which pair <b>fits</b>?");
  set("choice 1 scores", "<b>2</b>");
  set("minutes scores", "3");
  const written = {
    ...{ step: "scores", note: "Two arrows on the board.", question: "Which pair <b>fits</b>?" },
    ...{ choices: ["", "<b>2</b>"], minutes: 3 },
  };
  assert.deepEqual(lectures.at(-1), { steps: [written] });
});

test("a text that is not a number of minutes stays, is not sent, and a sentence names its step", async () => {
  const { set, field, alerts, lectures } = await planner();
  const refused = "enter a number of minutes from 0 to 600. Your entry was not used.";
  set("minutes", "-5");
  set("minutes k", "--");
  set("minutes q", "2,5");
  assert.deepEqual(alerts(), [`Total minutes: ${refused}`, `Keys: ${refused}`]);
  assert.deepEqual([field("minutes").value, field("minutes q").value], ["-5", "2.5"]);
  assert.deepEqual(lectures, [{ steps: [{ step: "q", minutes: 2.5 }] }]);
  set("minutes", "30");
  set("minutes k", "1");
  assert.deepEqual(alerts(), []);
});

test("minutes are shared among the steps at one press, and their sum is shown", async () => {
  const { field, text, find, lectures } = await planner();
  assert.ok(find(".planner .sum").hidden);
  field("start 25").click();
  assert.equal(text(".planner .sum"), "The steps take 25 of 25 minutes.");
  assert.equal(lectures.at(-1).minutes, 25);
});

test("a step is moved by its button or by Alt and an arrow, keeps the focus, and says what it comes before", async () => {
  const { field, order, answer, find, text } = await planner();
  field("step_up scores").click();
  assert.deepEqual(order().slice(0, 6), ["tokens", "inputs", "q", "k", "scores", "v"]);
  field("step_up scores").focus();
  press({ key: "ArrowUp", altKey: true }, field("step_up scores"));
  assert.deepEqual(order().slice(0, 6), ["tokens", "inputs", "q", "scores", "k", "v"]);
  assert.equal(document.activeElement, field("step_up scores"));
  answer(payload("early"));
  assert.equal(find('li[data-step="scores"] .early').hidden, false);
  assert.equal(text('li[data-step="scores"] .early'), "This step comes before one it depends on: Keys");
});

test("a row that is dragged onto another comes before it", async () => {
  const { find, order, lectures } = await planner();
  const row = (/** @type {string} */ step) => find(`li[data-step="${step}"]`);
  const drag = (/** @type {string} */ type, /** @type {Element} */ node) =>
    node.dispatchEvent(new Event(type, { bubbles: true, cancelable: true }));
  drag("dragstart", row("v").querySelector(".handle"));
  drag("dragover", row("q"));
  assert.ok(row("q").classList.contains("target"));
  drag("drop", row("q"));
  assert.deepEqual(order().slice(0, 5), ["tokens", "inputs", "v", "q", "k"]);
  assert.equal(lectures.at(-1).steps.length, USUAL.length);
});

test("the last step that is shown cannot be hidden, and one press shows all in the usual order", async () => {
  const { show, field, order, lectures } = await planner();
  for (const step of without("v")) show(step, false);
  const sent = lectures.length;
  show("v", false);
  assert.deepEqual([field("show v").checked, lectures.length], [true, sent]);
  field("usual").click();
  assert.deepEqual([order(), lectures.at(-1)], [USUAL, {}]);
});

test("what is being typed stays while the answer to a change comes", async () => {
  const { field, set, answer } = await planner();
  set("note q", "One");
  field("question q").focus();
  field("question q").value = "What does this";
  answer(payload("hidden"));
  assert.equal(field("question q").value, "What does this");
  assert.equal(document.activeElement, field("question q"));
});

// --- the presenter's page ------------------------------------------------------------------------------------------------

const presenting = (/** @type {string} */ name, /** @type {object} */ place = {}, stored = {}) =>
  walk(name, { place: { step: "", view: "presenter", ...place }, stored });

test("the presenter reads what the lecturer has written, as text, and that a step comes early", async () => {
  const { texts, keys, at } = await presenting("early", { step: "scores" });
  assert.deepEqual(texts(".notes .own span"), [
    ...["Two arrows on the board.", "Which pair <b>fits</b>?", "A\nB · <b>2</b>"],
    "This step comes before one it depends on: Keys",
  ]);
  keys("ArrowLeft");
  assert.equal(at(), "q");
  keys("ArrowRight", "ArrowRight");
  assert.equal(at(), "k"); // which the lecture has after the scores
});

for (const [language, name] of [
  ["en", "first"],
  ["zh", "first in Chinese"],
])
  test(`the presenter reads what to say, to ask and what often goes wrong at every step: ${language}`, async () => {
    const { text, keys, at } = await presenting(name);
    for (const [step, [say, wrong, note]] of Object.entries(
      payload("what to say, what goes wrong and what to ask")[language],
    )) {
      assert.equal(at(), step);
      const plain = (/** @type {string} */ sentence) => sentence.replace(/[_^]/g, "");
      assert.ok(text(".notes .say").includes(plain(say)), step);
      assert.ok(text(".notes .wrong").includes(plain(wrong)), step);
      assert.equal(text(".notes .note"), note.replaceAll("_", ""));
      keys("ArrowRight");
    }
  });

test("the presenter sees a picture of the next step, with nothing to press, and none after the last", async () => {
  const { find, text, all, keys } = await presenting("first", { step: "k" });
  await new Promise((rendered) => setTimeout(rendered));
  const still = find(".notes .still");
  assert.deepEqual([still.getAttribute("aria-hidden"), still.hasAttribute("inert")], ["true", true]);
  const number = payload("first").matrices.v.values[0][2][1];
  assert.equal(text('.still td[data-key="next v|0|2|1"]'), String(number));
  assert.ok(text(".notes .next").includes("5 · Values"));
  keys("End");
  assert.equal(text(".notes .next"), "That was the last step.");
  assert.equal(all(".still .picture").length, 0);
});

test("time is compared with what was planned, goes on after a reload, and starts again at a press", async () => {
  const now = Date.now();
  const run = { begun: now - 61 * 60_000, since: now - 65_000, step: "tokens", used: {} };
  const { text, named } = await presenting("an hour", {}, { "mha-clock": run });
  assert.match(text(".notes .time"), /^\d\d:\d\d$/);
  assert.match(text(".notes .elapsed"), /^61:0\d of 60:00 ⚠$/);
  assert.match(text(".notes .spent"), /^1:0\d of \d+:\d\d/);
  named("restart").click();
  assert.match(text(".notes .elapsed"), /^0:0\d of 60:00$/);
});

test("without a plan the clock shows the time used alone", async () => {
  const { text } = await presenting("first");
  assert.match(text(".notes .elapsed"), /^0:0\d$/);
});

test("the planned minutes are a lecture to choose, which says what a longer one adds", async () => {
  const { named } = await presenting("an hour");
  assert.equal(named("lecture").value, "60");
  const longest = [...named("lecture").options].at(-1).textContent;
  assert.match(longest, /^60 min: \d+ key presses, same steps as 50 min$/);
});

test("Escape does not leave the presenter's view, and says how to", async () => {
  const { keys, text, element, named } = await presenting("first in Chinese", { step: "q" });
  keys("Escape");
  assert.equal(text(".line .refused"), "演讲者视图仍开着。要退出，请按 ✕。");
  assert.equal(element().dataset.view, "presenter");
  named("leave").click();
  assert.equal(element().dataset.view, "page");
});

// --- hands ----------------------------------------------------------------------------------------------------------------

test("the lecturer's own question is answered with hands: counts are whole, and answers are two to four", async () => {
  const { named, text, write, all, keys, find } = await presenting("questions");
  named("hands").click();
  assert.equal(text(".hands h3"), "Which of them comes first?");
  write("hands count 0", "-3");
  assert.equal(named("hands count 0").value, "0");
  for (let count = 0; count < 2; count++) named("hands +").click();
  assert.ok(named("hands +").disabled);
  named("hands −").click();
  assert.equal(all(".hands .answer-row").length, 3);
  keys("ArrowRight");
  assert.ok(find(".hands").hidden);
});

test("where no question is written it is asked aloud", async () => {
  const { keys, text } = await presenting("first in Chinese", { step: "inputs" });
  keys("h");
  assert.equal(text(".hands h3"), "这里没有写问题，请口头提问。");
});

test("hands are counted before the number appears, and then its answer is marked", async () => {
  const { keys, text, cell, write, all, named, find, element } = await walk("first", {
    place: { step: "scores", sub: "2", view: "projector" },
  });
  keys("h");
  assert.equal(text(".hands h3"), "Which number goes in S[思考, 计算机] of head 1?");
  assert.ok(cell("scores|0|0|1").querySelector("input"));
  named("hands +").click();
  for (const [at, [answer, count]] of [
    ["12", "4"],
    ["13", "15"],
    ["21", "1"],
  ].entries()) {
    write(`hands answer ${at}`, answer);
    write(`hands count ${at}`, count);
  }
  named("hands one 0").click();
  const shares = all(".answer-row").map(({ style }) => Number(style.getPropertyValue("--share")));
  assert.deepEqual(
    shares,
    [5, 15, 1].map((count) => Number((count / 21).toFixed(4))),
  );
  assert.equal(all(".hands .right").length, 0);
  named("reveal").click();
  assert.deepEqual([text(".hands .right strong"), cell("scores|0|0|1").textContent], ["B", "13"]);
  keys("Escape");
  assert.deepEqual([find(".hands").hidden, element().dataset.view], [true, "projector"]);
  named("hands").click();
  assert.equal(text(".hands h3"), "S[思考, 计算机] of head 1: who got which number?");
  assert.equal(named("hands answer 0").value, "13");
  keys("ArrowRight");
  assert.deepEqual([find(".hands").hidden, named("predict").checked], [true, false]);
  assert.equal(cell("scores|0|0|2").textContent, "21");
});

// --- a number is changed where the walk shows it -----------------------------------------------------------------------------

/** The projector at the queries, and the edits that it sends. */
async function changing() {
  const page = await walk("first", { place: { step: "q", view: "projector" } });
  /** @type {any[]} */
  const edits = [];
  window.addEventListener("mha-sent", (/** @type {any} */ { detail }) => edits.push(detail));
  const field = () => page.find("input.change");
  const type = (/** @type {string} */ text) => {
    field().value = text;
    field().dispatchEvent(new Event("input", { bubbles: true }));
  };
  return { ...page, edits, field, type };
}

test("E opens the first number that can be changed, and Tab takes it and goes on to the next", async () => {
  const { keys, field, type, edits } = await changing();
  keys("e");
  assert.equal(document.activeElement, field());
  assert.equal(field().getAttribute("aria-label"), "WQ[1, 1] of head 1");
  type("−1.5");
  press("Tab", field());
  assert.deepEqual(edits, [{ op: "set", matrix: "w_q", head: 0, row: 0, col: 0, values: [[-1.5]] }]);
  assert.equal(field().getAttribute("aria-label"), "WQ[1, 2] of head 1");
});

test("a text that is not a number stays with a sentence, until it is mended or Escape leaves it", async () => {
  const { cell, field, type, text, all, edits, at } = await changing();
  cell("x||1|0").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  assert.equal(field().value, "3");
  type("3x");
  press("Enter", field());
  assert.equal(field().getAttribute("aria-invalid"), "true");
  const refused = "X[计算机, 1]: “3x” is not a number. The old value is kept.";
  assert.deepEqual([text(".line .refused"), field().value], [refused, "3x"]);
  type("7");
  assert.equal(all(".line .refused").length, 0);
  press("Escape", field());
  assert.deepEqual([field(), cell("x||1|0").textContent, at(), edits], [null, "3", "q", []]);
});

test("a field takes the arrows, and leaves the walk where it is", async () => {
  const { keys, field, at } = await changing();
  keys("e");
  assert.ok(!press("ArrowRight", field()).defaultPrevented);
  assert.equal(at(), "q");
});

test("a computed number opens no field, and E says where numbers can be changed", async () => {
  const { cell, keys, field, text, all, at } = await changing();
  cell("q|0|0|0").dispatchEvent(new MouseEvent("dblclick", { bubbles: true }));
  assert.equal(field(), null);
  keys("6", "e");
  const sentence = "No number here can be changed. You can change numbers of X, WQ in step 3, Queries.";
  assert.deepEqual([field(), text(".line .refused"), text(".line .refused sub")], [null, sentence, "Q"]);
  keys("ArrowRight");
  assert.deepEqual([at(), all(".line .refused").length], ["scaled_scores", 0]);
});

test("undo and redo keys take back numbers alone before an audience", async () => {
  const { edits } = await changing();
  press({ key: "z", ctrlKey: true });
  press({ key: "z", ctrlKey: true, shiftKey: true });
  assert.deepEqual(edits, [{ op: "undo_numbers" }, { op: "redo" }]);
});

test("a walk that has moved on goes on with the field that was being typed in", async (context) => {
  const passes = stopTime(context);
  const { keys, field, type, answer, data } = await changing();
  keys("e");
  type("12");
  answer({ ...data, revision: data.revision + 1 });
  await passes(10);
  await settled();
  assert.equal(field().value, "12");
});

test("who teaches no more has no planner open", async () => {
  const { find, named, element } = await walk("first");
  setTeaching(true);
  named("own").click();
  assert.deepEqual([element().dataset.teaches, find(".planner").hidden], ["true", false]);
  setTeaching(false);
  assert.deepEqual([element().dataset.teaches, find(".planner").hidden], ["false", true]);
});

test("a lecture that is walked shows what a lecturer needs, and so it stays", async () => {
  const { element, choose } = await walk("first");
  assert.equal(element().dataset.teaches, "false");
  choose("lecture", "10");
  assert.equal(element().dataset.teaches, "true");
  choose("lecture", "0");
  assert.equal(element().dataset.teaches, "true");
});
