// The history that a tab keeps: sent back after a reload, bounded, and never something else in its place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "../../web/explore/editing/history.js";
import { Store } from "../../web/kit/storage.js";

class Storage {
  held = new Map();
  getItem(key) {
    return this.held.get(key) ?? null;
  }
  setItem(key, text) {
    this.held.set(key, text);
  }
}

/** A page of this tab, just loaded. @param {Storage} tab */
const loaded = (tab) => new History(new Store(() => /** @type {any} */ (tab)));

/** An answer in which every example's text is its number after a letter. */
const answer = (session, examples, at, texts = examples.map((number) => [number, `t${number}`])) => ({
  session,
  address: { s: `t${examples[at]}` },
  whole: null,
  history: { examples, at, starts: [[0, examples[0], "first"]], texts },
});

test("after a reload the history goes back, once, and is then what the server says", () => {
  const tab = new Storage();
  const before = loaded(tab);
  assert.equal(before.update(answer("one", [1], 0)), null);
  assert.equal(before.update(answer("one", [1, 2, 3], 1, [[3, "t3"]])), null);
  before.flush();

  const after = loaded(tab);
  const kept = after.update({
    ...answer("two", [1], 0),
    address: { s: "t2" },
    history: { ...answer("two", [1], 0).history, texts: [] },
  });
  assert.deepEqual(kept.examples, [1, 2, 3]);
  assert.equal(kept.at, 1);
  assert.deepEqual(
    new Map(kept.texts),
    new Map([
      [1, "t1"],
      [2, "t2"],
      [3, "t3"],
    ]),
  );
  assert.equal(after.update(answer("two", [2, 1, 4], 1)), null);
});

test("where the address was a moment behind, redo leads to what was shown last", () => {
  const tab = new Storage();
  const before = loaded(tab);
  before.update(answer("one", [1, 2, 3], 2));
  before.flush();
  const kept = loaded(tab).update({ ...answer("two", [1], 0, []), address: { s: "t2" } });
  assert.equal(kept.at, 1);
  assert.deepEqual(kept.examples, [1, 2, 3]);
});

test("what was not confirmed when the page was left is done again, once, and only on the same numbers", () => {
  const tab = new Storage();
  const before = loaded(tab);
  before.update(answer("one", [1, 2, 3], 1));
  before.flush([
    { op: "recall", seq: 7 },
    { op: "redo", seq: 8 },
  ]);
  const after = loaded(tab);
  after.update({ ...answer("two", [1], 0, []), address: { s: "t2" } });
  assert.deepEqual(after.takeUnconfirmed(), [{ op: "redo", seq: 8 }]);
  assert.deepEqual(after.takeUnconfirmed(), []);
  const other = loaded(tab);
  other.update({ ...answer("two", [1], 0, []), address: { s: "t1" } });
  assert.deepEqual(other.takeUnconfirmed(), []);
});

test("what no address held is come back to", () => {
  const tab = new Storage();
  const before = loaded(tab);
  before.update({ ...answer("one", [1, 2, 3], 2), address: {}, whole: "t3" });
  before.flush();
  const after = loaded(tab);
  assert.equal(after.update({ ...answer("two", [1], 0, []), address: { s: "t1" } }).at, 0);
  assert.equal(after.ahead, 2);
  before.update(answer("one", [1, 2, 3], 2)); // which an address holds
  before.flush();
  const other = loaded(tab);
  other.update({ ...answer("two", [1], 0, []), address: { s: "t1" } });
  assert.equal(other.ahead, 0);
});

test("an answer that came when the address was already requested again is come back to", () => {
  for (const [held, at, ahead] of [
    [1, 2, 1], // a redo
    [2, 0, -2], // two undos
    [1, 1, 0],
  ]) {
    const tab = new Storage();
    const before = loaded(tab);
    before.update(answer("one", [1, 2, 3], held));
    before.leave();
    before.update(answer("one", [1, 2, 3], at));
    before.flush();
    const after = loaded(tab);
    const stored = after.update({ ...answer("two", [1], 0, []), address: { s: `t${held + 1}` } });
    assert.equal(stored.at, held);
    assert.equal(after.ahead, ahead);
  }
});

test("another link in the same tab gets nothing, and a second tab neither", () => {
  const tab = new Storage();
  const before = loaded(tab);
  before.update(answer("one", [1, 2], 1));
  before.flush();
  assert.equal(loaded(tab).update(answer("two", [7], 0)), null);
  assert.equal(loaded(new Storage()).update(answer("three", [2], 0)), null);
});

test("a new server is given what this page still has", () => {
  const page = loaded(new Storage());
  page.update(answer("one", [1, 2], 1));
  assert.equal(page.lastKnown("one"), 2);
  assert.equal(page.lastKnown("two"), 0);
  assert.equal(page.update({ ...answer("two", [1], 0, []), address: { s: "t9" } }), null); // it began elsewhere
  const again = loaded(new Storage());
  again.update(answer("one", [1, 2], 1));
  assert.deepEqual(again.update({ ...answer("two", [1], 0, []), address: { s: "t2" } }).examples, [1, 2]);
});

test("a history that was handed over to a new server is not sent back to it again", () => {
  const page = loaded(new Storage());
  page.update(answer("one", [1, 2], 1));
  assert.deepEqual(page.handOver("two")?.examples, [1, 2]);
  assert.equal(page.lastKnown("two"), 0); // the new server's numbers are its own
  assert.equal(page.update(answer("two", [5, 6], 1)), null);
  assert.equal(page.lastKnown("two"), 6);
});

test("a history whose work no address holds is not handed over", () => {
  const page = loaded(new Storage());
  assert.equal(page.handOver("one"), null);
  page.update({ ...answer("one", [1, 2], 1), address: {}, whole: "t2" });
  assert.equal(page.handOver("two"), null);
});

test("what is stored is bounded: the oldest go first, then the last to be done again", () => {
  const tab = new Storage();
  const page = loaded(tab);
  const large = (number) => [number, `t${number}`.padEnd(300_000, "x")];
  const told = answer("one", [1, 2, 3, 4, 5, 6], 3, [1, 2, 3, 4, 5, 6].map(large));
  page.update({ ...told, address: { s: large(4)[1] } });
  page.flush();
  const kept = JSON.parse(tab.getItem("mha.history"));
  assert.ok(tab.getItem("mha.history").length < 1_000_500);
  assert.equal(kept.examples[kept.at], 4);
  assert.ok(kept.texts.some(([number]) => number === kept.starts[0][1]));
});

test("what is no history costs nothing", () => {
  for (const text of [
    "",
    "{",
    "null",
    "[]",
    '{"texts": 1}',
    '{"session":"x","examples":[1,2],"at":9,"texts":[]}',
  ]) {
    const tab = new Storage();
    tab.setItem("mha.history", text);
    assert.equal(loaded(tab).update(answer("one", [1], 0)), null);
  }
});
