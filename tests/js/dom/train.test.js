// The page Train: what it shows of a training, what it asks the server, and what it says when that fails.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Recording, thinned } from "../../../web/train/recording.js";
import { freshly, mount, payload, press, sockets } from "./page.js";

const WORDS = payload("train").words;
const ANSWERS = payload("answers");
const TICKET = "mha.train.ticket";

/** Let what is waiting happen, a drawn frame included. */
const settled = () =>
  new Promise((resolve) => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve)), 20));

/** A training that a test has left is not found in the next one. */
afterEach(() => {
  for (const socket of sockets) socket.dispatchEvent(new Event("close"));
});

/** The page with its socket open, and what a visitor and the server do on it. */
async function opened(name = "train", search = "?example=first", ticket = "") {
  history.replaceState(null, "", `http://localhost/${search}`);
  const mounting = mount("train/train.js", payload(name));
  if (ticket) window.localStorage.setItem(TICKET, ticket); // of a training that was left
  const page = await mounting;
  await settled();
  const socket = /** @type {any} */ (sockets.at(-1));
  socket.readyState = 1;
  socket.dispatchEvent(new Event("open"));
  const find = (/** @type {string} */ selector) => page.root.querySelector(selector);
  return {
    ...page,
    socket,
    find,
    focus: (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`),
    all: (/** @type {string} */ selector) => [...page.root.querySelectorAll(selector)],
    text: (/** @type {string} */ selector) => find(selector).textContent,
    last: () => socket.sent.at(-1),
    /** Streamlit's next answer. @param {string} other */
    async retold(other) {
      page.answer(payload(other));
      await settled();
    },
    async tell(/** @type {any} */ message) {
      const data = message.bytes ? bufferOf(message.bytes) : JSON.stringify(message);
      socket.dispatchEvent(new MessageEvent("message", { data }));
      await settled();
    },
    /** Answer the last request. @param {any} answer */
    async answer(answer) {
      await this.tell({ id: this.last().id, ...answer });
    },
  };
}

/** @param {string} text */
function bufferOf(text) {
  const { buffer, byteOffset, length } = Buffer.from(text, "base64");
  return buffer.slice(byteOffset, byteOffset + length);
}

/** The page with a recording that it shows. */
async function withRecording(name = "train") {
  const page = await opened(name);
  await page.answer({});
  for (const message of payload("opened")) await page.tell(message);
  return page;
}

test("it opens with the recording of induction", async () => {
  const page = await opened();
  assert.deepEqual(page.socket.sent, [{ do: "open", key: "induction", id: page.last().id }]);
  assert.match(page.socket.url, /api\/train\?lang=en&ticket=[0-9a-f]{32}$/);
  assert.equal(page.find(".shown").hidden, true);
});

test("the last step of a recording is shown, with a map of every head", async () => {
  const page = await withRecording();
  assert.equal(page.text(".every h2"), "Every head at step 30");
  assert.equal(page.all(".map").length, 4);
  assert.equal(page.find(".map canvas").width, 32);
  assert.match(page.text(".state"), /A recording of 30 steps/);
});

test("the slider goes back by a recording at each press, and asks the server nothing", async () => {
  const page = await withRecording();
  const before = page.socket.sent.length;
  press("ArrowLeft", page.focus("slider"));
  assert.equal(page.text(".every h2"), "Every head at step 20");
  const [loss] = [payload("losses")[20]];
  assert.match(page.text(".now"), new RegExp(`Step 20: loss ${loss.toFixed(3)}`));
  assert.equal(page.focus("slider").getAttribute("aria-valuetext"), page.text(".now"));
  press("ArrowLeft", page.focus("slider"));
  press("ArrowLeft", page.focus("slider"));
  press("ArrowLeft", page.focus("slider"));
  assert.equal(page.text(".every h2"), "Every head at step 0");
  assert.equal(page.socket.sent.length, before);
});

test("a drag of the slider shows the nearest recording", async () => {
  const page = await withRecording();
  page.focus("slider").value = "13";
  page.focus("slider").dispatchEvent(new Event("input"));
  assert.equal(page.text(".every h2"), "Every head at step 10");
});

test("a chosen head is the large one, and its weights can be read by keys", async () => {
  const page = await withRecording();
  page.focus("map 0,1").click();
  assert.equal(page.text(".head-row h3"), "Layer 1 · Head 2");
  press("ArrowUp", page.focus("map"));
  assert.match(page.text(".heads .said"), /\(31\) looks at .* \(1\) with weight/);
});

test("a weight that is masked is said to be masked", async () => {
  const page = await withRecording();
  press("ArrowUp", page.focus("map"));
  for (let at = 0; at < 31; at++) press("ArrowRight", page.focus("map"));
  assert.match(page.text(".heads .said"), /\(31\) cannot look at .* \(32\): a mask hides later tokens/);
});

test("a map of many rows names every second one", async () => {
  const page = await withRecording();
  assert.equal(
    page.all(".query-tokens .token").length > 24,
    page.find(".large").classList.contains("is-dense"),
  );
});

test("an answer has a button for each token, which says where the chosen head looked", async () => {
  const page = await withRecording();
  page.focus("ask").form.dispatchEvent(new Event("submit", { cancelable: true }));
  assert.equal(page.last().do, "say");
  await page.answer(ANSWERS.say);
  assert.equal(page.all(".line button").length, ANSWERS.say.said.length);
  page.focus("said 2").click();
  const name = page.text(".head-row h3");
  assert.ok(
    page.text(".looked").includes(`Before it said “${ANSWERS.say.said[2].token}”, ${name} looked most`),
  );
});

test("a head that is switched off is measured, and what is lost is said", async () => {
  const page = await withRecording();
  const box = page.focus("switch 1,0");
  box.checked = false;
  box.dispatchEvent(new Event("change"));
  assert.deepEqual([page.last().do, page.last().off], ["without", [[1, 0]]]);
  await page.answer(ANSWERS.without);
  assert.match(
    page.text(".off .result"),
    /^Without Layer 2 · Head 1, (\d+% of the tokens are right instead of \d+%|the share of right tokens stays the same \(\d+%\))\.$/,
  );
});

test("a whole layer can be switched off, and nothing is said of it before it is measured", async () => {
  const page = await withRecording();
  page.focus("layer 1").click();
  assert.deepEqual(page.last().off, [
    [1, 0],
    [1, 1],
  ]);
  assert.equal(page.focus("layer 1").getAttribute("aria-pressed"), "true");
  assert.deepEqual(
    ["0,0", "0,1", "1,0", "1,1"].map((head) => page.focus(`switch ${head}`).checked),
    [true, true, false, false],
  );
  assert.equal(page.text(".off .result"), "Measuring at step 30…");
  await page.answer(ANSWERS.without);
  assert.match(page.text(".off .result"), /^Without Layer 2 · Head 1, Layer 2 · Head 2, /);
  page.focus("layer 1").click();
  assert.deepEqual(page.last().off, []);
});

test("the axis of the steps is named at both ends", async () => {
  const page = await withRecording();
  assert.deepEqual(
    page.all(".axis span").map(({ textContent }) => textContent),
    ["Step 0", "Step 30"],
  );
});

test("two heads can be swapped", async () => {
  const page = await withRecording();
  page.focus("swap").click();
  assert.deepEqual(page.last().heads, [
    [0, 0],
    [1, 1],
  ]);
  assert.equal(page.all(".off .result")[1].textContent, WORDS.swapping);
  await page.answer(ANSWERS.swap);
  const result = page.all(".off .result")[1].textContent;
  assert.match(result, /^With Layer 1 · Head 1 and Layer 2 · Head 2 swapped, /);
  assert.ok(result.endsWith(WORDS.swap_two_layers));
});

test("a model with one head has none to swap it with", async () => {
  const page = await opened();
  await page.answer({});
  const [{ begun }, ...others] = payload("opened");
  const [part] = begun.parts;
  await page.tell({ begun: { ...begun, settings: { ...begun.settings, heads: 1 }, parts: [part] } });
  for (const message of others) await page.tell(message);
  assert.equal(page.find(".swapping").hidden, true);
});

test("a training that starts folds the settings, so that its plots are in view", async () => {
  const page = await withRecording();
  page.find("details.settings").open = true;
  page.focus("start").click();
  assert.equal(page.find("details.settings").open, false);
});

test("why two heads cannot be swapped is said where they are chosen", async () => {
  const page = await withRecording();
  page.focus("swap").click();
  await page.answer({ error: "choose two different heads", place: "" });
  assert.equal(page.all(".off .result")[1].textContent, "Choose two different heads");
});

test("an attention is handed to Explore as an example", async () => {
  const page = await withRecording();
  page.focus("map 1,1").click();
  page.focus("bench").click();
  const { id, ...wish } = page.last();
  assert.deepEqual(wish, { do: "example", step: 30, layer: 1, head: 1 });
  await page.answer(ANSWERS.example);
  assert.deepEqual(page.sent, [["bench", ANSWERS.example.example]]);
});

test("a training is started with what is set, and its buttons follow its state", async () => {
  const page = await withRecording();
  page.focus("heads").value = "1";
  page.focus("steps").value = "50";
  page.focus("start").click();
  const wish = page.last();
  assert.deepEqual([wish.do, wish.task, wish.settings.heads, wish.steps], ["start", "induction", 1, 50]);
  await page.answer({});
  await page.tell({ begun: payload("opened")[0].begun });
  assert.equal(page.text(".state"), "Starting a process for this training…");
  await page.tell({ state: { name: "waiting", place: 2 } });
  assert.equal(page.text(".state"), "Other trainings are running. Yours is number 2 in line.");
  await page.tell({ state: { name: "running" } });
  assert.deepEqual([page.focus("pause").hidden, page.focus("start").hidden], [false, true]);
  assert.ok(page.all(".tasks button").every(({ disabled }) => disabled));
  page.focus("pause").click();
  assert.deepEqual(page.last(), { do: "pause" });
  await page.tell({ state: { name: "paused" } });
  assert.deepEqual([page.focus("resume").hidden, page.focus("one_step").hidden], [false, false]);
});

test("why a training ended is said, and so is a lost connection", async () => {
  const page = await withRecording();
  await page.tell({
    state: { name: "ended", why: "the training's process was ended from outside", more: false },
  });
  assert.equal(
    page.text(".state"),
    "The training ended at step 30: the training's process was ended from outside",
  );
  await page.tell({ state: { name: "running" } });
  page.socket.dispatchEvent(new Event("close"));
  await settled();
  assert.match(page.text(".state"), /the connection to the server was lost, and with it the model/);
  assert.equal(page.find(".shown").hidden, false, "what was recorded stays");
});

test("what the server refuses is said in its words", async () => {
  const page = await withRecording();
  page.focus("start").click();
  await page.answer({ error: "heads: expected a whole number from 1 to 4", place: "heads" });
  assert.equal(page.text(".setup .fault"), "Heads: expected a whole number from 1 to 4");
});

test("one's own lines have a field, and no recording", async () => {
  const page = await withRecording();
  page.focus("task own").click();
  assert.equal(page.find(".own").hidden, false);
  assert.equal(page.find(".shown").hidden, true);
  page.focus("lines").value = "a b → c";
  page.focus("start").click();
  assert.deepEqual([page.last().task, page.last().lines], ["own", "a b → c"]);
});

test("a number out of range is refused by the name of its field, and nothing is sent", async () => {
  const page = await withRecording();
  const count = page.socket.sent.length;
  page.focus("heads").value = "5";
  page.focus("start").click();
  assert.equal(page.text(".setup .fault"), "Heads: enter a whole number from 1 to 4.");
  assert.equal(page.socket.sent.length, count);
});

test("the address's task and step are opened", async () => {
  const page = await opened("train", "?task=sort&at=9");
  assert.equal(page.last().key, "sort");
  await page.answer({});
  for (const message of payload("opened")) await page.tell(message);
  assert.equal(page.text(".every h2"), "Every head at step 10");
});

/** The page with a training that has just begun. */
async function starting() {
  const page = await withRecording();
  await start(page);
  return page;
}

/** @param {Awaited<ReturnType<typeof opened>>} page */
async function start(page) {
  page.focus("start").click();
  await page.answer({});
  await page.tell({ begun: payload("opened")[0].begun });
}

test("the recording stays until the first steps of a training have come", async () => {
  const page = await starting();
  assert.equal(page.find(".shown").hidden, false);
  assert.equal(page.find(".side").inert, true, "there is no model to ask");
  await page.tell(payload("opened")[1]);
  assert.equal(page.find(".side").inert, false);
});

test("the numbers of a model are counted once: the header and the settings agree as soon as a training begins", async () => {
  const page = await withRecording();
  page.focus("other_heads").click();
  await page.answer({});
  const [{ begun }] = payload("opened");
  await page.tell({ begun: { ...begun, parameters: 4321, settings: { ...begun.settings, heads: 1 } } });
  assert.match(page.text(".task-head .pill"), /4,321 parameters/);
  assert.match(page.text("details .hint"), /learns 4,321 numbers/);
});

test("the header says what the numbers of a model are counted from", async () => {
  const { vocabulary, longest } = payload("opened")[0].begun;
  const inside = `no MLP, LayerNorm, relative positions, ${vocabulary} tokens, lines of up to ${longest}`;
  assert.ok((await withRecording()).text(".task-head .pill").includes(inside));
});

test("until a training has steps, what is shown is named as the run before", async () => {
  const page = await starting();
  assert.equal(page.text(".past"), "The run before, 2 layers × 2 heads, dmodel 16");
  assert.equal(page.find(".past sub").textContent, "model");
  assert.ok(page.find(".shown").classList.contains("is-past"));
  await page.tell(payload("opened")[1]);
  assert.equal(page.find(".past").hidden, true);
});

test("a training that is asked for says so at once, and is asked for once", async () => {
  const page = await withRecording();
  page.focus("start").click();
  assert.deepEqual([page.text(".state"), page.focus("start").disabled], [WORDS.is_starting, true]);
  await page.answer({ error: "the server is full", place: "" });
  assert.equal(page.focus("start").disabled, false);
});

test("Stop answers at once", async () => {
  const page = await starting();
  page.focus("stop").click();
  assert.equal(page.text(".state"), "Stopping…");
  assert.equal(page.focus("stop").disabled, true);
});

test("a training goes on while another page is shown, and is there when the visitor comes back", async () => {
  const page = await starting();
  await page.tell(payload("opened")[1]);
  const count = sockets.length;
  page.leave();
  assert.equal(page.socket.readyState, 1, "its socket stays open");
  await page.tell({ state: { name: "running" } });
  const root = page.comeBack();
  assert.equal(sockets.length, count);
  assert.match(root.querySelector(".state").textContent, /^Step 30 of 30/);
  assert.equal(root.querySelectorAll(".map").length, 4);
});

test("a new element that comes before the old one goes has the same page", async () => {
  const page = await starting();
  await page.tell(payload("opened")[1]);
  const count = sockets.length;
  await page.tell({ state: { name: "running" } });
  const root = page.comeBack();
  page.root.remove();
  assert.equal(sockets.length, count);
  assert.match(root.querySelector(".state").textContent, /^Step 30 of 30/);
});

test("a recording that is left asks for nothing more, and its socket is closed", async () => {
  const page = await withRecording();
  page.leave();
  assert.equal(page.socket.readyState, 3);
});

test("closing the tab asks first while a training runs that this browser would not find again", async () => {
  const usual = Object.getOwnPropertyDescriptor(globalThis, "localStorage") ?? {};
  const page = await withRecording();
  Object.defineProperty(globalThis, "localStorage", { value: null, configurable: true });
  await start(page);
  const closing = () => {
    const event = new Event("beforeunload", { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  assert.equal(closing(), true);
  Object.defineProperty(globalThis, "localStorage", usual);
  await page.tell({ state: { name: "ended", why: "", more: false } });
  assert.equal(closing(), false);
});

test("a training that runs is found by a page that is opened by its address, which says so", async () => {
  const ticket = "0123456789abcdef".repeat(2);
  const page = await opened("train", "?example=first", ticket);
  assert.equal(page.last().do, "again");
  assert.ok(page.socket.url.endsWith(`&ticket=${ticket}`));
  await page.answer({ found: true });
  for (const message of payload("opened").slice(0, 2)) await page.tell(message);
  await page.tell({ state: { name: "running" } });
  assert.equal(page.find(".shown").hidden, false);
  assert.match(page.text(".state"), /^Step 30 of 30.* It went on while its page was closed\.$/);
  assert.equal(page.focus("stop").hidden, false);
  await page.tell({ state: { name: "ended", why: "", more: false } });
  assert.equal(window.localStorage.getItem(TICKET), null, "there is nothing more to find");
});

test("where the training has gone meanwhile, the page opens as it always does", async () => {
  const page = await opened("train", "?example=first", "0123456789abcdef".repeat(2));
  await page.answer({ found: false });
  await settled();
  assert.deepEqual([page.last().do, page.last().key], ["open", "induction"]);
  assert.equal(window.localStorage.getItem(TICKET), null);
});

test("a training whose connection breaks is found again by itself", async () => {
  const page = await starting();
  await page.tell({ state: { name: "running" } });
  const { url } = page.socket;
  page.socket.dispatchEvent(new Event("close"));
  await settled();
  assert.equal(/** @type {any} */ (sockets.at(-1)).url, url);
});

test("a page whose training is shown by another tab says so, and leaves it there", async () => {
  const page = await starting();
  const [count, ticket] = [sockets.length, window.localStorage.getItem(TICKET)];
  page.socket.dispatchEvent(Object.assign(new Event("close"), { code: 4001 }));
  await settled();
  assert.equal(page.text(".state"), WORDS.is_elsewhere);
  assert.deepEqual([sockets.length, window.localStorage.getItem(TICKET)], [count, ticket]);
});

test("while it is asked, the page says so and asks nothing else", async () => {
  const page = await withRecording();
  const submit = () => page.focus("ask").form.dispatchEvent(new Event("submit", { cancelable: true }));
  submit();
  assert.equal(page.focus("ask").textContent, WORDS.asking);
  const count = page.socket.sent.length;
  submit();
  assert.equal(page.socket.sent.length, count);
  await page.answer(ANSWERS.say);
  assert.equal(page.focus("ask").textContent, WORDS.ask_button);
});

test("where a recording keeps some models only, the page says which, and goes to them", async () => {
  const page = await opened();
  await page.answer({});
  const [{ begun }, ...others] = payload("opened");
  await page.tell({ begun: { ...begun, asks: [0, 30] } });
  for (const message of others) await page.tell(message);
  const { classList } = page.find(".asked");
  assert.ok(classList.contains("is-away"), "the last step has a model");
  press("ArrowLeft", page.focus("slider"));
  assert.match(
    page.text(".asked .only"),
    /^Step 20 has maps but no model\. Below, the model of step 30 answers;/,
  );
  assert.equal(classList.contains("is-away"), false);
  page.focus("asked 0").click();
  assert.equal(page.text(".every h2"), "Every head at step 0");
});

test("a training that this browser cannot keep says so", async () => {
  const page = await starting();
  await page.tell(payload("opened")[1]);
  await page.tell({ state: { name: "ended", why: "", more: true } });
  assert.equal(page.last().do, "save");
  await page.answer({});
  await settled();
  assert.equal(page.text(".setup .fault"), WORDS.not_kept);
});

test("a training that this browser keeps is where it leads back to", async () => {
  const store = { put: () => done(""), get: () => done(null) };
  const base = { transaction: () => ({ objectStore: () => store }), close() {} };
  /** @param {unknown} result */
  const done = (result) => {
    const request = { result, onsuccess() {} };
    setTimeout(() => request.onsuccess());
    return request;
  };
  globalThis.indexedDB = /** @type {any} */ ({ open: () => done(base) });
  const page = await starting();
  await page.tell(payload("opened")[1]);
  await page.tell({ state: { name: "ended", why: "", more: true } });
  await page.answer({});
  await settled();
  await new Promise((resolve) => setTimeout(resolve, 20));
  Reflect.deleteProperty(globalThis, "indexedDB");
  const { lastPlaces } = await freshly("kit/last_work.js");
  const [{ page: name, query, what }] = lastPlaces();
  assert.deepEqual([name, query, Boolean(what)], ["train", "", true]);
});

test("which head formed, and by when, is computed from the scores of the frames", () => {
  const { begun } = payload("opened")[0];
  const recording = new Recording(begun);
  const maps = new Uint16Array(recording.size * 3);
  const frames = [0.1, 0.6, 0.9].map((score, at) => ({
    step: 10 * at,
    scores: [
      [0, 0],
      [0, score],
    ],
  }));
  recording.add(
    { first: 1, frames, recorded: null, measure: "prefix" },
    { records: new Float32Array(), maps },
  );
  assert.deepEqual(recording.formed, { head: [1, 1], level: 0.8, step: 20 });
  recording.begun = { ...begun, task: "sort" };
  assert.equal(recording.formed, null, "prefixes say nothing of sorting");
});

/** A recording with one frame, in which a head of the first layer puts so much of its weight on the token before. */
function layered(/** @type {number} */ before, /** @type {number} */ prefix) {
  const { begun } = payload("opened")[0];
  const recording = new Recording(begun);
  const scores = [
    [0, 0],
    [0, prefix],
  ];
  const maps = new Uint16Array(recording.size);
  const [n, start] = [begun.parts[0].keys.length, recording.size / 4];
  for (let row = 1; row < n; row++) maps[start + row * n + row - 1] = before * 65_535;
  const frames = [{ step: 0, scores }];
  recording.add(
    { first: 1, frames, recorded: null, measure: "prefix" },
    { records: new Float32Array(), maps },
  );
  return recording;
}

test("an induction head is two heads: one looks at the token before, one in a later layer matches the prefix", () => {
  const recording = layered(0.8, 0.9);
  const found = recording.induction(recording.frames[0]);
  assert.deepEqual(
    [found?.first.head, found?.second.head],
    [
      [0, 1],
      [1, 1],
    ],
  );
  assert.ok(Math.abs((found?.first.value ?? 0) - 0.8) < 1e-4);
  assert.equal(found?.isPair, true);
});

test("where no head looks mostly at the token before, two heads are not called a pair", () => {
  const recording = layered(0.4, 0.9);
  assert.equal(recording.induction(recording.frames[0])?.isPair, false);
});

test("where no head matches prefixes there is no induction head", () => {
  const recording = layered(0.8, 0.4);
  assert.equal(recording.induction(recording.frames[0]), null);
});

test("heads below the last layer say how much they look at the token before", async () => {
  const page = await withRecording();
  const labels = page.all(".map .score").map(({ textContent }) => textContent.replace(/[\d.]+/, ""));
  assert.deepEqual(labels, ["previous token ", "previous token ", "prefix ", "prefix "]);
});

test("a film shows a head where it changes: steps in which nothing moves are left out", () => {
  const recording = new Recording(payload("opened")[0].begun);
  const { size } = recording;
  const levels = [0, 0, 0, 10, 20, 20, 20, 20];
  const maps = new Uint16Array(size * levels.length).map((_, at) => levels[Math.floor(at / size)]);
  const frames = levels.map((_, at) => ({ step: 10 * at, scores: null }));
  recording.add(
    { first: 1, frames, recorded: null, measure: "prefix" },
    { records: new Float32Array(), maps },
  );
  assert.deepEqual(
    recording.film([0, 0], 5).map(({ step }) => step),
    [0, 30, 40, 70],
  );
});

test("where the loss falls fastest is the shortest way in which half of it goes", () => {
  const recording = new Recording(payload("opened")[0].begun);
  const losses = Array.from({ length: 60 }, (_, step) => (step < 30 ? 4 : step < 40 ? 3 : 0));
  const frames = [0, 10, 20, 30, 40, 50, 60].map((step) => ({ step, scores: null }));
  recording.add(
    { first: 1, frames, recorded: null, measure: "prefix" },
    {
      records: new Float32Array(losses.flatMap((loss) => [loss, 0, 0, 0])),
      maps: new Uint16Array(recording.size * frames.length),
    },
  );
  assert.deepEqual(recording.fall, { from: 30, to: 40, before: 3, after: 0 });
});

/** The page with a recording of the exercise's task. @param {number[] | null} asks */
async function sorting(asks = null) {
  const page = await opened();
  await page.answer({});
  const [{ begun }, ...others] = payload("opened");
  await page.tell({ begun: { ...begun, asks, task: payload("train").goal.task } });
  for (const message of others) await page.tell(message);
  return page;
}

test("the exercise is shown for its task alone", async () => {
  assert.equal((await withRecording()).find(".smallest").hidden, true);
  assert.equal((await sorting()).find(".smallest").hidden, false);
});

test("the exercise counts the numbers of the settings as they change", async () => {
  const page = await sorting();
  page.focus("change").click();
  assert.equal(page.find("details.settings").open, true);
  page.focus("heads").value = "1";
  page.focus("heads").dispatchEvent(new Event("input", { bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  const wish = page.socket.sent.find((/** @type {any} */ { do: name }) => name === "size");
  assert.equal(wish.settings.heads, 1);
  await page.tell({ id: wish.id, ...ANSWERS.size });
  const count = ANSWERS.size.parameters.toLocaleString("en");
  assert.equal(page.text(".smallest .size"), `A model with the current settings learns ${count} numbers.`);
});

test("the exercise judges the model that is shown, and keeps the smallest that has reached the goal", async () => {
  const page = await sorting();
  await page.tell({ state: { name: "ended", why: "", more: true } });
  const judged = { parameters: 5000, answers: 0.994, reached: true };
  while (page.last()?.do !== "without") await settled();
  await page.answer(ANSWERS.without);
  assert.deepEqual([page.last().do, page.last().step], ["judge", 30]);
  await page.answer(judged);
  assert.equal(
    page.text(".outcome"),
    "Goal reached at step 30: 99.4% of the lines are right, with 5,000 numbers.",
  );
  assert.match(page.text(".smallest"), /Your smallest so far: 5,000 numbers\./);
  page.focus("hand in").click();
  assert.deepEqual([page.last().do, page.last().light], ["save", true]);
});

test("a recording does not count as the visitor's success in the exercise", async () => {
  const page = await sorting([0, 30]);
  const count = payload("opened")[0].begun.parameters.toLocaleString("en");
  assert.equal(page.text(".outcome"), `The recording needs ${count} numbers. Can you do it with fewer?`);
});

test("everything is in the visitor's language", async () => {
  const page = await withRecording("train in Chinese");
  assert.equal(page.text(".every h2"), "第 30 步时的每个头");
});

test("another language keeps the recording and the socket", async () => {
  const page = await withRecording();
  const count = sockets.length;
  press("ArrowLeft", page.focus("slider"));
  await page.retold("train in Chinese");
  assert.equal(page.text(".every h2"), "第 20 步时的每个头");
  assert.equal(sockets.length, count);
  assert.ok(
    page.socket.sent.some((/** @type {any} */ { do: name, lang }) => name === "language" && lang === "zh"),
  );
});

test("a decoder beside an encoder reads from the arrow on", () => {
  const { begun } = payload("opened")[0];
  const [part] = begun.parts;
  const parts = ["encoder", "decoder", "cross"].map((kind) => ({ ...part, kind }));
  const recording = new Recording({ ...begun, parts });
  assert.deepEqual(
    parts.map((_, at) => recording.firstKey(at, 8)),
    [0, 7, 0],
  );
  assert.equal(new Recording(begun).firstKey(0, 8), 0);
});

test("frames that the server has dropped are dropped here too", () => {
  const recording = new Recording(payload("opened")[0].begun);
  const { size } = recording;
  const add = (/** @type {number} */ step, /** @type {number[]} */ recorded) =>
    recording.add(
      { first: 0, frames: [{ step, scores: null }], recorded, measure: "prefix" },
      { records: new Float32Array(), maps: new Uint16Array(size) },
    );
  add(0, [0]);
  add(10, [0, 10]);
  add(20, [0, 20]);
  assert.deepEqual(
    recording.frames.map(({ step }) => step),
    [0, 20],
  );
});

test("many numbers are thinned to means, which keep the mean of all", () => {
  const numbers = Array.from({ length: 1000 }, (_, at) => at);
  const points = thinned(numbers, 100);
  assert.equal(points.length, 100);
  assert.deepEqual(points[0], [4.5, 4.5]);
});

test("every word has a text", () => {
  for (const [name, text] of Object.entries(WORDS)) assert.ok(text, name);
});
