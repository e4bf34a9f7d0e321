// The page on the phones of those who follow a lecture.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ofBrowser } from "../../../web/kit/storage.js";
import { following, phone } from "./following.js";
import { payload, press } from "./page.js";
import { settled, stopTime, write } from "./walking.js";

const CELL = { name: "k", head: 0, row: 0, col: 1 };

// --- where the projector is --------------------------------------------------------------------------------------------

test("a phone goes where the projector is, with its numbers", async () => {
  const { at, go, says, text } = await following();
  assert.deepEqual([at(), says()], ["q", "In sync with the projector."]);
  await go({ step: "k", sub: "2" });
  assert.equal(at(), "k 2");
  assert.equal(text('td[data-key="x||1|0"]'), "3");
});

test("numbers that are edited are loaded once, and shown at the same place", async () => {
  const { at, go, server, text } = await following();
  server.walks.en.matrices.x.values[1][0] = 7;
  await go({ walk: "w2" });
  await go({ walk: "w2", step: "k" });
  assert.deepEqual([at(), text('td[data-key="x||1|0"]')], ["k", "7"]);
  assert.equal(server.asked("GET", "/walks/w2?lang=en").length, 1);
});

test("each phone has its own language, which another press changes", async () => {
  const { at, press, text, says } = await following();
  assert.ok(text("h2").includes("Queries"));
  await press("中文");
  assert.ok(text("h2").includes("查询"));
  assert.deepEqual([at(), says(), document.documentElement.lang], ["q", "与大屏幕同步。", "zh-CN"]);
  assert.equal(ofBrowser.text("mha.follow.lang"), "zh");
});

test("colours are changed by a press, and stored", async () => {
  const { named } = await following();
  named("theme").click();
  assert.equal(document.documentElement.style.colorScheme, "light");
  named("theme").click();
  assert.equal(document.documentElement.style.colorScheme, "dark");
  assert.equal(ofBrowser.text("mha.follow.theme"), "dark");
});

test("a phone says that the screen is dark, or that something else is shown", async () => {
  const { go, says, at } = await following();
  await go({ dark: true });
  assert.equal(says(), "The projector is dark right now. This is the current step.");
  await go({ away: true, step: "k" });
  assert.deepEqual([says(), at()], ["The lecturer is showing something else.", "k"]);
  await go({ step: "k" });
  assert.equal(says(), "In sync with the projector.");
});

test("a phone has neither a planner nor what only a lecturer has", async () => {
  const { all, at } = await following({ walks: { en: payload("with a lecture") } });
  assert.equal(at(), "tokens"); // the lecture hides the queries
  assert.equal(all(".planner, .room-entry, [data-focus=projector], .notes").length, 0);
});

// --- looking around ------------------------------------------------------------------------------------------------------

test("who looks around stays there until a press leads back", async () => {
  const { at, go, named, says, find, press } = await following();
  named("next").click();
  assert.deepEqual([at(), says(), find(".back").hidden], ["k", "You are browsing on your own.", false]);
  await go({ step: "weights" });
  assert.equal(at(), "k");
  await press("Back to the lecture");
  assert.deepEqual([at(), says(), find(".back").hidden], ["weights", "In sync with the projector.", true]);
});

test("nobody looks ahead to a number that is asked for; looking back is allowed", async () => {
  const { at, go, ask, says, keys, text } = await following();
  await go({ step: "k", sub: "2", predict: true });
  await ask({ cell: CELL });
  keys("ArrowRight", "End");
  assert.deepEqual([at(), says()], ["k 2", "In sync with the projector."]);
  keys("3");
  assert.deepEqual([at(), says()], ["q 1", "You are browsing on your own."]);
  keys("End");
  await settled();
  assert.equal(at(), "k 2");
  assert.equal(text('td[data-key="k|0|0|1"]'), "");
});

test("who looked ahead is brought back where the number is asked for", async () => {
  const { at, go, ask, says, keys } = await following();
  keys("End");
  assert.equal(says(), "You are browsing on your own.");
  await go({ step: "k", sub: "2", predict: true });
  await ask({ cell: CELL });
  assert.equal(at(), "k 2");
});

// --- questions -----------------------------------------------------------------------------------------------------------

const CHOICES = { text: "Which <b>one</b>?", choices: ["Q only", "", ""] };

test("a question is shown as text, with its choices as buttons", async () => {
  const { ask, text, texts, find } = await following();
  assert.ok(find(".question").hidden);
  await ask(CHOICES);
  assert.deepEqual([find(".question").hidden, text(".question h2")], [false, "Which <b>one</b>?"]);
  assert.deepEqual(texts(".question .ways button"), ["A · Q only", "B", "C"]);
});

test("an answer is sent, and can be changed until the question is closed", async () => {
  const { ask, press, server, text, all } = await following();
  await ask(CHOICES);
  await press("A · Q only");
  assert.equal(
    text(".question [role=status]"),
    "Sent. You can change your answer until the question closes.",
  );
  await press("C");
  const answers = server.asked("POST", "/answers").map(({ body }) => body);
  assert.deepEqual(answers, [
    { question: 1, answer: 0, listener: "me" },
    { question: 1, answer: 2, listener: "me" },
  ]);
  await ask({ ...CHOICES, open: false });
  assert.equal(text(".question .verdict"), "Closed. Your answer: C");
  assert.equal(all(".question .ways").length, 0);
});

test("who has not answered is not shown a question that is closed", async () => {
  const { ask, find } = await following();
  await ask(CHOICES);
  await ask({ ...CHOICES, open: false });
  assert.ok(find(".question").hidden);
});

test("an answer that does not arrive is sent again, and then said to be lost", async (context) => {
  const passes = stopTime(context);
  const { ask, press, server, text } = await following();
  await ask(CHOICES);
  server.status = 503;
  await press("B");
  assert.equal(text(".question [role=status]"), "Sending …");
  await passes(60_000);
  assert.equal(server.asked("POST", "/answers").length, 6);
  assert.equal(text(".question [role=status]"), "Your answer did not arrive. Send it again.");
});

/** A number is asked for, and this is typed. @param {string} text @param {Awaited<ReturnType<typeof following>>} page */
async function answer(text, { find }) {
  write(find(".question input"), text);
  find(".question form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await settled();
}

/** A number is asked for at its place. */
async function predicting() {
  const page = await following();
  await page.go({ step: "k", sub: "2", predict: true });
  await page.ask({ cell: CELL });
  return page;
}

test("a number that is asked for is hidden, and the phone asks for it beside the walk", async () => {
  const { text, line, named, all } = await predicting();
  assert.equal(text(".question h2"), "Which number goes in K[思考, 2] of head 1?");
  assert.equal(text('td[data-key="k|0|0|1"]'), "");
  assert.equal(line(), "K[思考, 2] = ?");
  assert.ok(named("reveal").hidden || !all(".line .remark").length);
});

test("a number that is predicted is sent, and a text that is none is refused", async () => {
  const page = await predicting();
  await answer("one", page);
  assert.equal(page.text(".question [role=status]"), "Enter a number, such as 0.5.");
  assert.equal(page.server.asked("POST", "/answers").length, 0);
  await answer("−４", page);
  assert.equal(page.server.asked("POST", "/answers")[0].body.answer, "-4");
});

for (const [text, verdict] of [
  ["RIGHT", "Correct answer: RIGHT"],
  ["-4", "Your answer: −4. Correct answer: RIGHT"],
])
  test(`once the number is revealed the phone shows it, and what was said of it: ${text}`, async () => {
    const page = await predicting();
    const right = String(payload("en").matrices.k.values[0][0][1]);
    await answer(text.replace("RIGHT", right), page);
    await page.go({ step: "k", sub: "2", predict: true, revealed: ["3|1|null"] });
    await page.ask({ cell: CELL, open: false });
    assert.equal(page.text(".question .verdict"), verdict.replace("RIGHT", right));
    assert.ok(page.text('td[data-key="k|0|0|1"]').startsWith(right));
  });

test("where many numbers are hidden the phone says that one stands for all", async () => {
  const { go, ask, text, all } = await following();
  await go({ step: "k", predict: true });
  await ask({ cell: { ...CELL, col: 0 } });
  assert.equal(
    text(".question .note"),
    "Several numbers are hidden on the projector. You are asked for this one.",
  );
  await go({ step: "k", sub: "1", predict: true });
  assert.equal(all(".question .note").length, 0);
});

// --- the connection -------------------------------------------------------------------------------------------------------

test("a phone that has lost its connection says so, and comes back to the place and the question", async (context) => {
  const passes = stopTime(context);
  const { server, says, at, go, ask, text, named } = await following();
  server.isDown = true;
  await server.lose();
  assert.equal(says(), "No connection. Trying again; you can keep browsing.");
  server.isDown = false;
  await passes(20_000);
  await go({ step: "v", sub: "2" });
  await ask(CHOICES);
  assert.deepEqual([at(), says()], ["v 2", "In sync with the projector."]);
  assert.equal(text(".question h2"), "Which <b>one</b>?");
  assert.ok([...server.streams].at(-1)?.url.includes("listener=me")); // so that the last answer counts
  assert.ok(named("next"));
});

test("a lecture that has ended stays on the phone, and can be walked on", async () => {
  const { server, says, state, named, at, find } = await following();
  await server.send("end", {});
  assert.deepEqual([says(), state()], ["The lecture has ended. You can keep reading this page.", "ended"]);
  assert.equal(find(".entry").hidden, false);
  named("next").click();
  assert.equal(at(), "k");
});

test("where there is no room of a code, the phone asks for another", async () => {
  const { says, find, all } = await phone({ status: 404 });
  assert.equal(says(), "No room has this code. Check the code on the projector and type it again.");
  assert.deepEqual([find(".entry").hidden, all(".walk").length], [false, 0]);
});

test("a code that is typed leads to its room", async () => {
  const { says, find } = await phone({ path: "follow" });
  assert.equal(says(), "Type the code shown on the projector.");
  assert.equal(find(".entry input").getAttribute("aria-label"), "Room code");
  find(".entry input").value = " ab2cd3 ";
  find(".entry").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  assert.ok(location.href.endsWith("follow/AB2CD3"));
});

// --- the exercise ---------------------------------------------------------------------------------------------------------

test("the exercise of the day has the numbers of whoever opens it, or those of its link", async () => {
  const { go, find } = await following();
  const link = () => [
    find(".exercise").hidden,
    find(".exercise").textContent,
    find(".exercise").getAttribute("href"),
  ];
  assert.ok(find(".exercise").hidden);
  await go({ exercise: "weights" });
  const own = "check?example=first&ask=weights&seed=own&lang=en";
  assert.deepEqual(link(), [false, "Today's exercise, with your own numbers", own]);
  await go({ link: "example=causal&ask=scores&seed=7&lang=zh" });
  assert.deepEqual(link(), [false, "Today's exercise", "check?example=causal&ask=scores&seed=7&lang=en"]);
});

test("a phone that follows has a key press lead on its own walk", async () => {
  const { at } = await following();
  press("ArrowRight");
  assert.equal(at(), "k");
});
