// The guarded store: a browser may forbid storage, or be full, and no page notices.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../../web/kit/storage.js";

/** A browser's storage; of `room` texts at most. */
function storage(room = 9) {
  const held = new Map();
  return /** @type {any} */ ({
    held,
    getItem: (name) => held.get(name) ?? null,
    removeItem: (name) => held.delete(name),
    setItem(name, text) {
      if (held.size >= room && !held.has(name)) throw new DOMException("full", "QuotaExceededError");
      held.set(name, text);
    },
  });
}

const forbidden = () => {
  throw new DOMException("denied", "SecurityError");
};

test("where storage is forbidden a value lasts as long as the page, and nothing throws", () => {
  const store = new Store(forbidden);
  assert.deepEqual([store.get("a"), store.text("a"), store.names], [null, null, []]);
  store.set("a", { step: "q" });
  store.setText("b", "off");
  assert.deepEqual([store.get("a"), store.text("b")], [{ step: "q" }, "off"]);
  store.set("a", null);
  assert.equal(store.get("a"), null);
});

test("where storage is full the newest value is returned, and not the older one that is kept", () => {
  const held = storage(1);
  const store = new Store(() => held);
  store.set("a", 1);
  held.setItem = forbidden;
  store.set("a", 2);
  assert.deepEqual([store.get("a"), held.held.get("a")], [2, "1"]);
});

test("a value is kept as JSON by the browser, and null is none any more", () => {
  const held = storage();
  const store = new Store(() => held);
  store.set("a", [1, "x"]);
  assert.equal(held.held.get("a"), '[1,"x"]');
  assert.deepEqual(new Store(() => held).get("a"), [1, "x"]);
  store.set("a", null);
  assert.equal(held.held.has("a"), false);
});

test("what is no JSON is no value", () => {
  const held = storage();
  held.setItem("a", "{no");
  assert.equal(new Store(() => held).get("a"), null);
});
