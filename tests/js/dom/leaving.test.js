// Who closes the tab finds the work again, also where no link can hold it.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { ofBrowser } from "../../../web/kit/storage.js";
import { freshly, mount, payload } from "./page.js";

const WORKS = "mha.works";
const stored = () => ofBrowser.get(WORKS)?.[0] ?? null;
beforeEach(() => ofBrowser.set(WORKS, null));
const leave = () => window.dispatchEvent(new Event("beforeunload")); // what is still to be written is written

/** Explore with work that has become too large for a link. @param {() => void} [before] what happens first */
async function grown(before = () => undefined) {
  const page = await mount("explore/explore.js", payload("first"));
  before();
  page.answer(payload("large"));
  return { ...page, message: () => page.root.querySelector(".message").textContent };
}

test("work that is too large for a link is kept in this browser, and the page says so", async () => {
  const { message } = await grown();
  assert.match(message(), /too large for a link\. This browser keeps it/);
  leave();
  assert.equal(stored().text, payload("large").whole);
});

test("that it is too large is said once, where the server says so too", async () => {
  const { message } = await grown();
  const alone = message();
  assert.ok(payload("said too").message.text);
  const { root } = await mount("explore/explore.js", payload("said too"));
  assert.equal(root.querySelector(".message").textContent, alone);
});

test("a puzzle as it began is in its address, and is not called too large", async () => {
  const page = await mount("explore/explore.js", payload("puzzle"));
  leave();
  assert.ok(page.root.querySelector(".message").hidden);
  assert.equal(stored(), null);
});

test("it is said once, and the latest numbers are kept", async () => {
  const { answer, root } = await grown();
  root.querySelector(".message button").click();
  answer(payload("edited"));
  leave();
  assert.ok(root.querySelector(".message").hidden);
  assert.equal(stored().text, payload("edited").whole);
});

test("where storage is forbidden the page says that the work is not kept", async () => {
  const usual = Object.getOwnPropertyDescriptor(globalThis, "localStorage") ?? {};
  const get = () => {
    throw new DOMException("denied", "SecurityError");
  };
  const { message } = await grown(() =>
    Object.defineProperty(globalThis, "localStorage", { get, configurable: true }),
  );
  Object.defineProperty(globalThis, "localStorage", usual);
  assert.match(message(), /this browser does not keep it\. Save it as a file/);
});

test("work beyond a bound is not kept, and the page says so", async () => {
  const page = await mount("explore/explore.js", payload("first"));
  page.answer({ ...payload("large"), whole: "1".repeat(1_000_001) });
  assert.match(page.root.querySelector(".message").textContent, /this browser does not keep it/);
  leave();
  assert.equal(stored(), null);
});

/**
 * The way back that a new page offers.
 * @param {any} left what an earlier page has stored
 * @param {any} places where other pages were left
 */
async function wayBack(left, places = null) {
  await mount("explore/explore.js", payload("first"));
  ofBrowser.set(WORKS, left);
  ofBrowser.set("mha.places", places);
  const { wayBack } = await freshly("explore/ways_on.js");
  const sent = /** @type {any[]} */ ([]);
  const start = { first: true, asked: 0, puzzles: [] };
  return {
    way: wayBack({ lang: "en", start }, WORDS, (/** @type {any} */ edit) => sent.push(edit)),
    sent,
  };
}

const WORDS = {
  lang: "en",
  work_of: "{what} · {heads}",
  left_lessons: "Lesson: {what}",
  left_exercise: "Exercise: {what}",
  left_train: "Training: {what}",
};

/** @type {(text: string, what?: string) => any} */
const work = (text, what = "I love programming") => ({ at: Date.now() - 7_200_000, text, what, heads: 3 });

test("each work that was left says what it was and when, and opens as an edit, which can be undone", async () => {
  const { way, sent } = await wayBack([work("1abc"), work("1def", "Make “it” look at “book”")]);
  const items = [...way.querySelectorAll("li")].map(({ textContent }) => textContent);
  assert.deepEqual(items, ["I love programming · 32 hours ago", "Make “it” look at “book” · 32 hours ago"]);
  way.querySelectorAll("li button")[1].click();
  assert.deepEqual(sent, [{ op: "resume", text: "1def" }]);
});

for (const left of [
  null,
  7,
  [],
  [7],
  [null],
  [{ at: 0 }],
  [{ ...work("1abc"), text: 7 }],
  [{ ...work("1abc"), at: "x" }],
])
  test(`what is stored and is no work of ours offers no way back: ${JSON.stringify(left)}`, async () => {
    assert.equal((await wayBack(left)).way, null);
  });

test("what was left on other pages is in the list as links, the newest first", async () => {
  const lesson = { at: Date.now(), query: "lesson=scaling&set=d%3A4", what: "Why divide" };
  const { way } = await wayBack([work("1abc")], {
    train: { at: 0, query: "", what: "Copy" },
    lessons: lesson,
    exercise: { at: 1, query: "ask=weights", what: "A" },
  });
  assert.deepEqual(
    [...way.querySelectorAll("li > :first-child")].map((link) => [
      link.textContent,
      link.getAttribute("href"),
    ]),
    [
      ["Lesson: Why divide", "lessons?lang=en&lesson=scaling&set=d%3A4"],
      ["I love programming · 3", null],
      ["Exercise: A", "check?lang=en&ask=weights"],
      ["Training: Copy", "train?lang=en"],
    ],
  );
});

for (const places of [
  7,
  [],
  { lessons: null },
  { lessons: { at: "x", query: "", what: "" } },
  { check: { at: 0 } },
])
  test(`places that are none of ours offer no way back: ${JSON.stringify(places)}`, async () => {
    assert.equal((await wayBack(null, places)).way, null);
  });

/** A page's list of works. */
const newPage = () => freshly("kit/last_work.js");
const shown = (opened = 0) => ({ opened, labels: { n_q: ["a", "b"] }, dims: { h: 2 } });
const texts = () => ofBrowser.get(WORKS).map(({ text }) => text);

test("a changed work takes the place of what it was, and another one that is opened is added", async () => {
  const { storeWork } = await newPage();
  for (const text of ["1a", "1b"]) storeWork(text, shown());
  storeWork("1c", shown(1));
  assert.deepEqual(texts(), ["1c", "1b"]);
  storeWork("1b", shown(2));
  assert.deepEqual(texts(), ["1b", "1c"], "none is listed twice");
});

test("five works are kept, the newest first", async () => {
  const { storeWork } = await newPage();
  for (let n = 0; n < 7; n++) storeWork(`1${n}`, shown(n));
  assert.deepEqual(texts(), ["16", "15", "14", "13", "12"]);
});
