// Who closes the tab finds the work again, also where no link can hold it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ofBrowser } from "../../../web/kit/storage.js";
import { mount, payload } from "./page.js";

const LAST = "mha.last";
const stored = () => ofBrowser.get(LAST);
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

let ways = 0;

/** The way back that a new page offers. @param {any} left what an earlier page has stored */
async function wayBack(left) {
  await mount("explore/explore.js", payload("first"));
  ofBrowser.set(LAST, left);
  const { wayBack } = await import(`../../../web/explore/ways_on.js?way${++ways}`);
  const sent = /** @type {any[]} */ ([]);
  const start = { first: true, asked: 0, puzzle: null };
  return { way: wayBack({ start }, { lang: "en" }, (/** @type {any} */ edit) => sent.push(edit)), sent };
}

test("the way back to such work is a button that opens it", async () => {
  const { way, sent } = await wayBack({ at: 0, text: "1abc" });
  way.click();
  assert.deepEqual(sent, [{ op: "resume", text: "1abc" }]);
});

test("the way back to other work is a link", async () => {
  const { way } = await wayBack({ at: 0, href: "http://localhost/?s=1abc" });
  assert.equal(way.href, "http://localhost/?s=1abc");
});

for (const left of [null, 7, { at: 0 }, { at: 0, text: 7 }, { at: 0, href: "https://other.example/?s=1" }])
  test(`what is stored and is no work of ours offers no way back: ${JSON.stringify(left)}`, async () => {
    assert.equal((await wayBack(left)).way, null);
  });
