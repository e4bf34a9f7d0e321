// Which lessons are marked as read: those whose end was scrolled to.

import assert from "node:assert/strict";
import { test } from "node:test";
import { freshly, mount, payload } from "./page.js";

/** The page of a lesson, whose end comes into sight and goes where a test says so. */
async function lesson() {
  /** @type {(entries: { isIntersecting: boolean }[]) => void} */
  let see = () => undefined;
  globalThis.IntersectionObserver = /** @type {any} */ (
    class {
      constructor(/** @type {typeof see} */ seen) {
        see = seen;
      }
      observe() {}
      disconnect() {}
    }
  );
  const { root, answer } = await mount("lessons/progress.js", payload("one"));
  const main = document.createElement("div");
  main.className = "stMain";
  main.innerHTML = '<div class="st-key-lesson-steps"></div>';
  document.body.append(main);
  answer(payload("one"));
  const scroll = (/** @type {number} */ top) => {
    main.scrollTop = top;
    main.dispatchEvent(new Event("scroll"));
  };
  const told = () => root.querySelector(".mha-progress")?.textContent;
  return {
    main,
    told,
    scroll,
    open: () => answer(payload("two")),
    atEnd: (is = true) => see([{ isIntersecting: is }]),
  };
}

test("a lesson whose end is scrolled to is read", async () => {
  const { scroll, atEnd, told } = await lesson();
  scroll(900);
  atEnd();
  assert.equal(told(), "1 of 2, 0");
});

test("the next lesson begins at its top, and is not read though its end was in sight", async () => {
  const { main, scroll, atEnd, open, told } = await lesson();
  scroll(900);
  atEnd();
  open();
  assert.equal(main.scrollTop, 0);
  atEnd();
  assert.equal(told(), "1 of 2, 0");
  scroll(5);
  assert.equal(told(), "2 of 2, 0");
});

test("the same lesson with other controls stays where it is", async () => {
  const { main, scroll, atEnd, told } = await lesson();
  atEnd(false);
  scroll(400);
  assert.deepEqual([main.scrollTop, told()], [400, ""]);
});

test("what was answered is chosen again when one comes back, until it is cleared", async () => {
  const { sent, answer } = await mount("lessons/progress.js", payload("one"));
  answer({ ...payload("one"), chosen: 2 });
  answer(payload("two"));
  assert.deepEqual(sent, [], "another lesson has no answer yet");
  answer(payload("one"));
  assert.deepEqual(sent, [["restored", { topic: "one", chosen: 2 }]]);
  answer({ ...payload("one"), isCleared: true });
  answer(payload("one"));
  assert.equal(sent.length, 1);
});

test("a lesson whose answer is cleared is no longer marked as answered", async () => {
  const { root, answer } = await mount("lessons/progress.js", {
    ...payload("one"),
    chosen: 0,
    isAnswered: true,
  });
  const told = () => root.querySelector(".mha-progress")?.textContent;
  assert.equal(told(), "1 of 2, 1");
  answer({ ...payload("one"), isCleared: true });
  assert.equal(told(), "1 of 2, 0");
});

test("the lesson that was opened last is where this browser leads back to", async () => {
  const { open } = await lesson();
  open();
  const { lastPlaces } = await freshly("kit/last_work.js");
  const [{ page, query, what }] = lastPlaces();
  assert.deepEqual({ page, query, what }, { page: "lessons", query: "lesson=two", what: "two" });
});
