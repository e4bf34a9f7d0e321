// A page in a notebook's cell, and the widget's view around it: what they tell each other. In this document the page's
// parent is the page itself.

import assert from "node:assert/strict";
import { test } from "node:test";
import { payload, press } from "./page.js";

const X = "x||0|0";
/** What the page has told the notebook. @type {any[]} */
const told = [];
window.postMessage = (/** @type {any} */ message) => {
  told.push(message.mha);
};

/** A message, as the notebook sends it. @param {object} data @param {any} [source] */
const send = (data, source = window.parent) =>
  window.dispatchEvent(new MessageEvent("message", /** @type {any} */ ({ data, source })));

const cell = (/** @type {string} */ key) =>
  /** @type {any} */ (document.querySelector(`td[data-key="${key}"]`));
const title = () => document.querySelector("h1")?.textContent;
const rest = () => new Promise((resolve) => setTimeout(resolve, 170)); // what is typed is sent once no edit follows

/** @type {(key: string, text: string) => Promise<void>} */
async function enter(key, text) {
  cell(key).focus();
  press(text[0], cell(key));
  const field = cell(key).querySelector("input");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  press("Enter", field);
  await rest();
}

const set = (/** @type {number[][]} */ values) => [
  { op: "set", matrix: "x", head: null, row: 0, col: 0, values },
];

// --- the page ------------------------------------------------------------------------------------------------------

document.body.innerHTML = '<style id="style-page"></style><style id="style-explore"></style>';
document.body.innerHTML += '<style id="style-walk"></style><div id="page"></div>';
await import("../../../web/cell/cell.js");

test("a page without data asks for it, and hears nobody but the notebook", () => {
  assert.deepEqual(told.splice(0), [{ ready: true }]);
  send({ mha: { version: 1, data: payload("first"), edits: [] } }, null);
  assert.equal(title(), undefined);
  send({
    mha: {
      version: 1,
      data: payload("first"),
      edits: set([
        [1, 2],
        [3, 4],
        [5, 0.1],
      ]),
    },
  });
  assert.match(title() ?? "", /two heads by hand/);
  assert.equal(cell("x||2|1").textContent, "0.1");
  assert.deepEqual(told, []);
});

test("each edit is sent with all others and with the version that they belong to", async () => {
  await enter(X, "0.30000000000000004");
  const values = [
    [0.30000000000000004, 2],
    [3, 4],
    [5, 0.1],
  ];
  assert.deepEqual(told.splice(0), [{ version: 1, edits: set(values) }]);
});

test("what the notebook repeats changes nothing, and undo is there still", async () => {
  send({
    mha: {
      version: 1,
      data: payload("first"),
      edits: set([
        [0.30000000000000004, 2],
        [3, 4],
        [5, 0.1],
      ]),
    },
  });
  press({ key: "z", ctrlKey: true }, cell(X));
  await rest();
  assert.equal(cell(X).textContent, "1.0"); // beside the 0.1
  assert.equal(told.splice(0).length, 1);
});

test("edits that were made elsewhere are shown", () => {
  send({
    mha: {
      version: 1,
      data: payload("first"),
      edits: set([
        [8, 2],
        [3, 4],
        [5, 6],
      ]),
    },
  });
  assert.equal(cell(X).textContent, "8");
  assert.equal(cell("x||2|1").textContent, "6");
  assert.deepEqual(told, []);
});

test("another example is shown in the part that is open, and edited", async () => {
  const walk = /** @type {HTMLElement} */ (document.querySelector("nav [data-focus=walk]"));
  walk.click();
  send({ mha: { version: 2, data: payload("causal"), edits: [] } });
  assert.match(title() ?? "", /a causal mask/);
  assert.ok(document.querySelector(".walk"));
  /** @type {HTMLElement} */ (document.querySelector("nav [data-focus=explore]")).click();
  await enter(X, "9");
  const [{ version, edits }] = told.splice(0);
  assert.deepEqual([version, edits.length, edits[0].values[0][0]], [2, 1, 9]);
});

test("it stores nothing and offers nothing to download", () => {
  assert.equal(location.hash, "");
  for (const name of ["copy", "theme", "language", "own file"])
    assert.equal(document.querySelector(`#page [data-focus="${name}"]`), null);
});

// --- the widget's view -----------------------------------------------------------------------------------------------

const { render } = await import("../../../web/cell/widget.js");

/** A view of a widget, whose frame notes what it is sent. */
function view() {
  /** @type {Record<string, any>} */
  const state = {
    _frame: "<iframe></iframe>",
    _shown: { version: 1, data: "first" },
    _edited: { version: 1, edits: ["an edit"] },
  };
  /** @type {Record<string, Set<() => void>>} */
  const listeners = {};
  let saved = 0;
  const model = {
    get: (/** @type {string} */ name) => state[name],
    set(/** @type {string} */ name, /** @type {any} */ value) {
      state[name] = value;
      for (const listener of listeners[`change:${name}`] ?? []) listener();
    },
    save_changes: () => saved++,
    on: (/** @type {string} */ event, /** @type {() => void} */ listener) => {
      listeners[event] ??= new Set();
      listeners[event].add(listener);
    },
    off: (/** @type {string} */ event, /** @type {() => void} */ listener) =>
      listeners[event].delete(listener),
  };
  const el = document.createElement("div");
  const stop = render({ model, el });
  /** @type {any[]} */
  const sent = [];
  const inner = { postMessage: (/** @type {any} */ message) => sent.push(message.mha) };
  Object.defineProperty(el.querySelector("iframe"), "contentWindow", { value: inner });
  /** @type {(data: object, from?: object) => void} */
  const tell = (data, from = {}) =>
    window.dispatchEvent(
      new MessageEvent("message", /** @type {any} */ ({ data, source: inner, origin: "null", ...from })),
    );
  return { state, model, sent, tell, stop, saves: () => saved };
}

test("a frame that is ready is sent the example, with its edits", () => {
  const { tell, sent } = view();
  tell({ mha: { ready: true } });
  assert.deepEqual(sent, [{ version: 1, data: "first", edits: ["an edit"] }]);
});

test("edits are put into the model, and not sent back to the frame that made them", () => {
  const { state, tell, sent, saves } = view();
  tell({ mha: { version: 1, edits: ["another"] } });
  assert.deepEqual(state._edited, { version: 1, edits: ["another"] });
  assert.equal(saves(), 1);
  assert.deepEqual(sent, []);
});

test("an example that Python sets is sent without the edits of the one before", () => {
  const { model, sent } = view();
  model.set("_shown", { version: 2, data: "second" });
  assert.deepEqual(sent, [{ version: 2, data: "second", edits: [] }]);
});

test("edits of another view are sent", () => {
  const { model, sent } = view();
  model.set("_edited", { version: 1, edits: ["elsewhere"] });
  assert.deepEqual(sent.at(-1).edits, ["elsewhere"]);
});

test("only its own frame is heard, which is in a sandbox", () => {
  const { state, tell, saves } = view();
  tell({ mha: { version: 1, edits: [] } }, { source: {} });
  tell({ mha: { version: 1, edits: [] } }, { origin: "http://localhost" });
  tell({ other: 1 });
  assert.deepEqual([state._edited.edits, saves()], [["an edit"], 0]);
});

test("a view that is removed hears and sends nothing more", () => {
  const { model, tell, sent, stop, saves } = view();
  stop();
  tell({ mha: { version: 1, edits: [] } });
  model.set("_shown", { version: 2, data: "second" });
  assert.deepEqual([sent, saves()], [[], 0]);
});
