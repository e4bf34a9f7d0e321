// Edits are sent by the part that stands on the page, whichever of two that Streamlit mounted has gone again.

import assert from "node:assert/strict";
import test from "node:test";

globalThis.window ??= /** @type {any} */ (new EventTarget());
const { sender } = await import("../../web/kit/sender.js");

const [first, late] = [{}, {}];
const answer = (ack) => ({ session: "s", ack, address: {} });

test("what an overtaken answer mounted sends nothing once it has gone, and what was there does", () => {
  const sent = { first: [], late: [] };
  sender.receive(answer(0), (one) => sent.first.push(one.edits.map(({ seq }) => seq)), first);
  sender.receive(answer(0), (one) => sent.late.push(one.edits.map(({ seq }) => seq)), late);
  sender.send({ op: "undo" });
  assert.deepEqual(sent, { first: [], late: [[1]] });
  sender.retire(late); // and what it has sent may be lost
  assert.deepEqual(sent, { first: [[1]], late: [[1]] });
  sender.receive(answer(1), (one) => sent.first.push(one.edits.map(({ seq }) => seq)), first);
  sender.send({ op: "redo" });
  assert.deepEqual(sent.first, [[1], [2]]);
});

test("what the last part leaves is for the parts that every page has, once, and again if the server has not got it", (context) => {
  let left = 0;
  let wait = () => {};
  context.mock.method(globalThis, "setTimeout", (/** @type {() => void} */ act) => {
    wait = act;
  });
  const leftEdits = () => sender.takeLeft()?.edits.map(({ op }) => op);
  window.addEventListener("mha-left", () => (left += 1));
  sender.retire(late); // gone long ago
  assert.equal(left, 0);
  sender.retire(first);
  assert.deepEqual([left, leftEdits(), leftEdits()], [1, ["redo"], undefined]);
  wait();
  assert.deepEqual([left, leftEdits()], [2, ["redo"]]);
  sender.confirm({ session: "s", ack: 2 });
  wait();
  assert.deepEqual([left, leftEdits()], [2, undefined]);
});

test("what the server has got with the request for the next page is not left behind", () => {
  const part = {};
  sender.receive(answer(2), () => {}, part);
  sender.send({ op: "undo" });
  sender.confirm({ session: "s", ack: 3 });
  assert.equal(sender.pending.length, 1); // the part still shows it over the numbers that it has
  sender.retire(part);
  assert.equal(sender.takeLeft(), null);
});

test("a new server is given the history with the address, before what was not confirmed", () => {
  const part = {};
  /** @type {any[]} */
  const sent = [];
  const post = (/** @type {any} */ { edits }) => sent.push(edits);
  sender.receive({ session: "s", ack: 3, address: { s: "a" } }, post, part);
  sender.send({ op: "undo" });
  sender.historyFor = (session) => /** @type {any} */ ({ leadsTo: "a", for: session });
  sender.receive({ session: "t", ack: 0, address: {} }, post, part);
  assert.deepEqual(sent.at(-1), [
    { op: "restore", address: { s: "a" }, history: { leadsTo: "a", for: "t" }, seq: 1 },
    { op: "undo", seq: 2 },
  ]);
  sender.receive({ session: "t", ack: 2, address: { s: "a" } }, post, part); // nothing is sent again
});
