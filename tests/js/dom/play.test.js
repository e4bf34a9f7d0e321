// A phone whose owner tries the numbers himself: what it shows is what torch computes, and nobody else learns of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { following } from "./following.js";
import { payload, press } from "./page.js";
import { settled, write } from "./walking.js";

const OWN = "These numbers are yours. Nobody else sees them.";
const X = "x||1|0";
HTMLElement.prototype.setPointerCapture = () => {}; // which happy-dom lacks

/** A phone on which somebody has begun to try it himself. @param {{ place?: object; walks?: object }} [how] */
async function playing({ place, walks } = {}) {
  const page = await following({ walks });
  if (place) await page.go(place);
  await page.press("Try it yourself");
  const [, ...sent] = page.server.requests.splice(0); // what it has been sent so far
  assert.deepEqual(sent, []);
  return {
    ...page,
    /** Type a number into the dial. @type {(key: string, text: string) => void} */
    enter: (key, text) => {
      page.cell(key).click();
      write(page.named("value"), text);
    },
    /** The numbers of a table as they are printed. @param {string} name */
    table: (name) => page.texts(`.walk td[data-key^="${name}|"]`),
    numbers: () => page.all(".playable").map((td) => td.dataset.key),
  };
}

/** @type {(td: HTMLElement, type: string, at: { clientX: number; clientY: number }) => void} */
const point = (td, type, at) =>
  td.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: "touch", pointerId: 1, ...at }));

/** A finger slides a number sideways by so many pixels. @type {(td: HTMLElement, px: number) => void} */
function slide(td, px) {
  point(td, "pointerdown", { clientX: 100, clientY: 100 });
  point(td, "pointermove", { clientX: 100 + px / 2, clientY: 100 });
  point(td, "pointermove", { clientX: 100 + px, clientY: 101 });
}

/** @type {(texts: string[], rows: number[][]) => void} */
const near = (texts, rows) =>
  assert.deepEqual(
    texts.map((text) => Number(text.replace("−", "-")).toFixed(4)),
    rows.flat().map((number) => number.toFixed(4)),
  );

// --- changing a number ---------------------------------------------------------------------------------------------------

test("what a step reads may be changed, and what it computes may not", async () => {
  const { numbers, says, text, find } = await playing();
  assert.deepEqual([...new Set(numbers().map((key) => key.split("|")[0]))], ["w_q", "x"]);
  assert.equal(says(), OWN);
  assert.deepEqual([text(".bar-of-state .back"), find(".try").hidden], ["Back to the lecturer", true]);
});

test("a finger slides a number, and the result follows while it moves, as torch has it", async () => {
  const { cell, table } = await playing();
  slide(cell(X), 50);
  const right = payload("x is 8").matrices;
  assert.equal(cell(X).textContent, "8");
  near(table("q"), right.q.values[0]);
  point(cell(X), "pointerup", { clientX: 150, clientY: 100 });
  assert.equal(cell(X).textContent, "8");
});

test("a slide that the browser makes a scroll of changes nothing", async () => {
  const { cell, table } = await playing();
  const before = table("q");
  slide(cell(X), 50);
  point(cell(X), "pointercancel", { clientX: 150, clientY: 100 });
  assert.deepEqual([cell(X).textContent, table("q")], ["3", before]);
});

test("every later step goes on with the number, powers and sums too", async () => {
  const { enter, keys, at, table, all, texts } = await playing();
  enter(X, "8");
  keys("ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
  assert.equal(at(), "weights");
  const { matrices, stages } = payload("x is 8");
  near(table("scaled_scores"), matrices.scaled_scores.values[0]);
  near(table("weights"), matrices.weights.values[0]);
  const { powers } = stages.find((/** @type {any} */ { id }) => id === "weights");
  near(
    texts(".walk td[data-power]"),
    powers.map((/** @type {any} */ row) => [...row.powers, row.total]),
  );
  assert.ok(all(".result td.differs, .softmax td.differs").length > 0);
});

test("a number that was computed may be set as well: what comes before it stays", async () => {
  const { enter, table, keys, texts, cell } = await playing({ place: { step: "scores" } });
  enter("q|0|0|0", "9");
  const right = payload("q is 9");
  near(table("scores"), right.scores);
  keys("ArrowRight", "ArrowRight");
  near(table("scaled_scores"), right.scaled_scores);
  const powers = texts('.walk td[data-kind="power"]');
  near(powers, right.powers);
  keys("ArrowRight");
  near(table("head_outputs"), right.head_outputs);
  keys("3");
  assert.equal(cell("x||0|0").textContent, "1");
});

test("powers follow a score while it is changed", async () => {
  const { enter, text, line, texts } = await playing({ place: { step: "weights" } });
  for (const [key, number] of [
    ["0", "0"],
    ["1", "1"],
    ["2", "2"],
  ])
    for (const row of [0, 1, 2]) enter(`scaled_scores|0|${row}|${key}`, number);
  const [one, e, square] = [1, Math.E, Math.E ** 2];
  near(texts('td[data-power^="0|"]'), [[one, e, square, one + e + square]]);
  assert.equal(text(".powers caption"), "es"); // e^s: the largest score is no longer subtracted
  assert.ok(line().startsWith("A[程序, 思考] = e0 ÷ (e0 + e1 + e2)"), line());
});

test("the dial steps a number, slides it and takes what is typed; no number is refused", async () => {
  const { cell, named, press, line, texts } = await playing();
  cell(X).click();
  assert.equal(texts(".dial .name")[0], "X[计算机, 1]");
  await press("+");
  await press("+");
  await press("−");
  assert.equal(cell(X).textContent, "4");
  assert.equal(texts(".walk > [aria-live]")[0], "X[计算机, 1]: 4");
  named("slide").value = "-2";
  named("slide").dispatchEvent(new Event("input", { bubbles: true }));
  assert.deepEqual([cell(X).textContent, named("value").value], ["−2", "−2"]);
  write(named("value"), "０,５");
  assert.equal(cell(X).textContent, "0.5");
  write(named("value"), "five");
  assert.equal(cell(X).textContent, "0.5");
  assert.equal(named("value").getAttribute("aria-invalid"), "true");
  assert.equal(texts(".dial [role=status]")[0], "Enter a number, such as 0.5.");
  cell("x||0|0").click(); // another number, of which nothing has been typed
  assert.deepEqual([named("value").value, named("value").hasAttribute("aria-invalid")], ["1", false]);
  cell(X).click();
  write(named("value"), "-2e9");
  assert.deepEqual([cell(X).textContent, named("value").value], ["−1000000", "−1000000"]);
  assert.equal(texts(".dial [role=status]")[0], "Drag or tap a boxed number.");
  assert.equal(line(), "Q[计算机, 1] = (−1000000) · 1 + 4 · 0 = −1000000");
});

test("keys move a number that has the focus, and lead on to the next; the walk stays", async () => {
  const { cell, at, named } = await playing();
  cell("x||0|0").focus();
  const spin = () => /** @type {HTMLElement} */ (document.activeElement);
  assert.deepEqual(
    [spin().getAttribute("role"), spin().getAttribute("aria-label")],
    ["spinbutton", "X[思考, 1]"],
  );
  press("ArrowUp", spin());
  press({ key: "ArrowDown", shiftKey: true }, spin());
  assert.deepEqual([cell("x||0|0").textContent, spin().getAttribute("aria-valuenow")], ["−8", "-8"]);
  press("Escape", spin());
  assert.equal(cell("x||0|0").textContent, "1");
  press("ArrowRight", spin());
  assert.equal(spin().getAttribute("aria-label"), "X[思考, 2]");
  press("7", spin());
  assert.deepEqual([document.activeElement, named("value").value, at()], [named("value"), "7", "q"]);
  press("Enter", named("value"));
  assert.deepEqual([cell("x||0|1").textContent, cell("q|0|0|1").textContent], ["7", "7"]);
});

test("what is typed is of its own number, also where another is pressed next", async () => {
  const { cell, named } = await playing();
  cell(X).click();
  named("value").focus();
  named("value").value = "7";
  point(cell("x||0|0"), "pointerdown", { clientX: 0, clientY: 0 });
  assert.deepEqual([cell(X).textContent, cell("x||0|0").textContent, named("value").value], ["7", "1", "1"]);
});

test("one number of each table is a tab stop", async () => {
  const { all, cell } = await playing();
  const stops = () =>
    all('td[tabindex="0"], td [tabindex="0"]').map((node) => node.closest("td").dataset.key);
  assert.deepEqual(stops(), ["w_q|0|0|0", "x||0|0"]);
  cell(X).click();
  assert.deepEqual(stops(), ["w_q|0|0|0", X]);
});

test("of a masked score nothing can be changed, nor of the tokens", async () => {
  const { numbers, go, find } = await playing({
    place: { step: "weights" },
    walks: { en: payload("causal") },
  });
  assert.ok(numbers().length > 0);
  assert.ok(
    numbers().every((key) => {
      const [, , row, col] = key.split("|").map(Number);
      return col <= row;
    }),
  );
  await go({ step: "tokens" });
  find(".back").click();
  await settled();
  assert.ok(find(".try").hidden);
});

test("where each head looks most at the end is what the changed numbers say", async () => {
  const { enter, keys, at, texts, text } = await playing({ place: { step: "weights" } });
  enter("scaled_scores|0|0|0", "99");
  enter("scaled_scores|0|1|0", "99");
  enter("scaled_scores|0|1|1", "99");
  keys("End");
  assert.deepEqual([at(), text(".walk .why")], ["closing", ""]);
  const [first, , second] = texts(".looks tbody td");
  assert.deepEqual([first, second], ["思考 1.0000", "思考, 计算机 0.5000"]);
});

// --- back, and what the lecturer does meanwhile ----------------------------------------------------------------------------

test("one press brings the lecturer's numbers back, and his place", async () => {
  const { enter, press, table, says, at, all, find, keys, go } = await playing();
  const before = table("q");
  enter(X, "8");
  keys("ArrowRight");
  await press("Back to the lecturer");
  assert.deepEqual(
    [at(), says(), all(".differs, .playable").length],
    ["q", "In sync with the projector.", 0],
  );
  assert.deepEqual([table("q"), find(".dial").hidden, find(".back").hidden], [before, true, true]);
  await press("Try it yourself");
  assert.deepEqual(table("q"), before);
  await go({ step: "q" });
});

test("the lecturer goes on: the numbers stay, a sentence says where he is, and one press goes there", async () => {
  const { enter, go, at, says, cell, press } = await playing();
  enter(X, "8");
  await go({ step: "q", sub: "2" });
  assert.equal(says(), OWN); // at the same step
  await go({ step: "scores" });
  assert.deepEqual([at(), cell(X).textContent], ["q", "8"]);
  assert.equal(says(), `The lecturer is now at “Scores”. ${OWN}`);
  await press("Back to the lecturer");
  assert.deepEqual(
    [at(), says(), cell("q|0|1|0").textContent],
    ["scores", "In sync with the projector.", "3"],
  );
});

test("the lecturer changes his numbers: the phone's own stay until a press", async () => {
  const { enter, go, server, says, cell, press } = await playing();
  enter(X, "8");
  server.walks.en.matrices.x.values[0][0] = 5;
  await go({ walk: "w2" });
  assert.deepEqual([cell("x||0|0").textContent, cell(X).textContent], ["1", "8"]);
  assert.equal(says(), `The lecturer's numbers have changed. ${OWN}`);
  await press("Back to the lecturer");
  assert.deepEqual([cell("x||0|0").textContent, cell(X).textContent], ["5", "3"]);
});

test("another language keeps the numbers", async () => {
  const { enter, press, cell, says, texts } = await playing();
  enter(X, "8");
  await press("中文");
  assert.deepEqual([cell(X).textContent, says()], ["8", "这些数是你自己的，别人看不到。"]);
  assert.deepEqual(texts(".bar-of-state button:not([hidden])"), ["回到讲解"]);
  await press("回到讲解");
  assert.equal(cell(X).textContent, "3");
});

test("the lecture ends: the numbers stay, and can be left", async () => {
  const { enter, server, says, cell, press } = await playing();
  enter(X, "8");
  await server.send("end", {});
  assert.equal(says(), `The lecture has ended. You can keep reading this page. ${OWN}`);
  await press("Back to the lecturer");
  assert.deepEqual(
    [cell(X).textContent, says()],
    ["3", "The lecture has ended. You can keep reading this page."],
  );
});

// --- questions -----------------------------------------------------------------------------------------------------------

test("a question is asked while somebody plays, and only its answer is sent", async () => {
  const { enter, ask, text, press, server, cell } = await playing();
  enter(X, "8");
  await ask({ text: "Which one?", choices: ["", ""] });
  assert.equal(text(".question h2"), "Which one?");
  await press("B");
  assert.deepEqual(
    server.requests.map(({ path, body }) => [path.slice(-8), body.answer]),
    [["/answers", 1]],
  );
  assert.equal(cell(X).textContent, "8");
});

test("nothing is sent of what somebody plays with", async () => {
  const { enter, keys, press, server } = await playing();
  enter(X, "8");
  slide(document.querySelector(`td[data-key="${X}"]`), 30);
  keys("ArrowRight", "End");
  await press("Back to the lecturer");
  assert.deepEqual(server.requests, []);
});

test("a number that is asked for is the lecturer's; what was played with comes back afterwards", async () => {
  const { enter, go, ask, at, says, cell, press, find, text } = await playing({ place: { step: "k" } });
  enter("x||0|0", "8");
  await go({ step: "k", sub: "2", predict: true });
  assert.equal(says(), OWN);
  const asked = { cell: { name: "k", head: 0, row: 0, col: 1 } };
  await ask(asked);
  assert.deepEqual([at(), says(), find(".try").hidden], ["k 2", "In sync with the projector.", true]);
  assert.equal(cell("k|0|0|1").textContent, "");
  write(find(".question input"), "1"); // 1, and not 8, as it is with the phone's numbers
  find(".question form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await settled();
  await go({ step: "k", sub: "2", predict: true, revealed: ["3|1|null"] });
  await ask({ ...asked, open: false });
  assert.deepEqual([text(".question .verdict"), cell("x||0|0").textContent], ["Correct answer: 1", "1"]);
  await press("Try it yourself");
  assert.deepEqual([cell("x||0|0").textContent, text(".question .verdict")], ["8", "Correct answer: 1"]);
});

test("a number that is asked for further on is not seen there with changed numbers either", async () => {
  const { enter, ask, at, keys, says } = await playing();
  enter(X, "8");
  await ask({ cell: { name: "scores", head: 0, row: 0, col: 1 } });
  assert.deepEqual([at(), says()], ["q", OWN]);
  keys("End");
  assert.deepEqual([at(), says()], ["q", "In sync with the projector."]);
});

test("while a step's numbers are hidden there is nothing to try", async () => {
  const { go, find } = await following();
  assert.equal(find(".try").hidden, false);
  await go({ predict: true });
  assert.ok(find(".try").hidden);
  await go({ predict: true, revealed: ["2|null|null"] });
  assert.equal(find(".try").hidden, false);
});
