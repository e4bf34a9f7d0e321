// A room's events as they come in pieces, and a connection that ends, is refused, or falls silent.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

globalThis.window ??= /** @type {any} */ (new EventTarget());
globalThis.document = /** @type {any} */ (Object.assign(new EventTarget(), { hidden: false }));
const { Events, pause, Stream } = await import("../../web/walk/room/stream.js");

const PLACE = 'id: 7\nevent: place\ndata: {"step": "q"}\n\n';
const TEXT = `:\n\n${PLACE}event: counts\ndata: {}\n\nevent: end\ndata: {}\n\n`;

test("events are the same however their text is cut", () => {
  const whole = new Events().push(TEXT);
  assert.deepEqual(whole, [
    { id: "7", event: "place", data: '{"step": "q"}' },
    { event: "counts", data: "{}" },
    { event: "end", data: "{}" },
  ]);
  for (let at = 0; at <= TEXT.length; at++) {
    const events = new Events();
    assert.deepEqual([...events.push(TEXT.slice(0, at)), ...events.push(TEXT.slice(at))], whole);
  }
});

test("attempts come less often, and never all at once", () => {
  const longest = [0, 1, 2, 3, 10, 100].map((attempt) => pause(attempt, () => 1));
  assert.deepEqual(longest, [500, 1000, 2000, 4000, 15_000, 15_000]);
  assert.equal(
    pause(2, () => 0),
    1000,
  );
});

// --- a server that answers as the test says ---------------------------------------------------------------------------

let asked = [];
let told = [];
let streams = [];
const listener = {
  received: (kind, data) => told.push([kind, data]),
  stateChanged: (state) => told.push(state),
};
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Every request is kept, and answered by `streams`: a status, or text that comes before the stream stops or not. */
globalThis.fetch = /** @type {any} */ (
  async (_url, { headers, signal }) => {
    asked.push(headers["Last-Event-ID"] ?? null);
    const answer = streams.shift();
    if (answer === undefined) throw new TypeError("no network");
    if (typeof answer === "number") return new Response(null, { status: answer });
    const { text, ends } = answer;
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        if (ends) controller.close();
        signal.addEventListener("abort", () => ends || controller.error(new Error("aborted")));
      },
    });
    return new Response(body, { status: 200 });
  }
);

beforeEach(() => {
  asked = [];
  told = [];
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

async function later(ms) {
  mock.timers.tick(ms);
  for (let turn = 0; turn < 20; turn++) await settle();
}

test("messages are received, and a stream that ends is requested again from there", async () => {
  streams = [{ text: PLACE, ends: true }, { text: ":\n\n" }];
  const stream = new Stream("/events", listener);
  await later(0);
  assert.deepEqual(told, ["open", ["place", { step: "q" }], "lost"]);
  await later(500);
  assert.deepEqual(told.at(-1), "open");
  assert.deepEqual(asked, [null, "7"]);
  stream.stop();
});

test("without a network it tries on, less and less often, and at once when there is one again", async () => {
  streams = [];
  const stream = new Stream("/events", listener);
  await later(0);
  for (let second = 0; second < 120; second++) await later(1000);
  assert.ok(asked.length > 7 && asked.length < 25, String(asked.length));
  assert.deepEqual([...new Set(told)], ["lost"]);
  const before = asked.length;
  streams = [{ text: PLACE }];
  window.dispatchEvent(new Event("online"));
  await later(0);
  assert.equal(asked.length, before + 1);
  assert.deepEqual(told.slice(-2), ["open", ["place", { step: "q" }]]);
  stream.stop();
});

test("a connection that has fallen silent is given up", async () => {
  streams = [{ text: PLACE }, { text: ":\n\n" }];
  const stream = new Stream("/events", listener);
  await later(0);
  await later(39_999);
  assert.equal(asked.length, 1);
  await later(1);
  assert.deepEqual(asked, [null, "7"]);
  assert.deepEqual(told.slice(-2), ["lost", "open"]);
  stream.stop();
});

test("where there is no room it is not asked again, and one that ended while it was away is gone", async () => {
  streams = [404];
  new Stream("/events", listener);
  await later(0);
  assert.deepEqual(told, ["none"]);
  streams = [{ text: PLACE, ends: true }, 404];
  told = [];
  new Stream("/events", listener);
  await later(0);
  await later(500);
  await later(60_000);
  assert.deepEqual(told.at(-1), "gone");
  assert.equal(asked.length, 3);
});

test("a room that ends says so, and nothing is asked any more", async () => {
  streams = [{ text: TEXT }];
  new Stream("/events", listener);
  await later(0);
  await later(60_000);
  assert.deepEqual(told.at(-1), "ended");
  assert.equal(asked.length, 1);
});

test("a server that is full, or one behind a proxy that fails, is asked again", async () => {
  streams = [503, 429, 502, { text: PLACE }];
  const stream = new Stream("/events", listener);
  for (let second = 0; second < 12; second++) await later(1000);
  assert.deepEqual(told.slice(-2), ["open", ["place", { step: "q" }]]);
  stream.stop();
});

test("who stopped listening receives nothing more", async () => {
  streams = [{ text: PLACE }];
  const stream = new Stream("/events", listener);
  await later(0);
  stream.stop();
  const before = told.length;
  await later(120_000);
  window.dispatchEvent(new Event("online"));
  await later(0);
  assert.equal(told.length, before);
  assert.equal(asked.length, 1);
});

test("a server that cannot reach the rooms says so on a stream that stays open, and when it can again", async () => {
  const [lost, back] = ["event: lost\ndata: {}\n\n", "event: back\ndata: {}\n\n"];
  streams = [{ text: `${PLACE}${lost}:\n\n${back}${lost}${PLACE}`, ends: false }];
  const stream = new Stream("events", listener);
  await later(0);
  const place = ["place", { step: "q" }];
  assert.deepEqual(told, ["open", place, "lost", "open", "lost", "open", place]);
  assert.deepEqual(asked, [null]);
  stream.stop();
});

test("a server that stops sends its listeners elsewhere, who notice nothing and miss nothing", async () => {
  const moved = "event: moved\ndata: {}\n\n";
  streams = [
    { text: `${PLACE}${moved}`, ends: true },
    { text: ":\n\n", ends: false },
  ];
  const stream = new Stream("events", listener);
  await later(0);
  await later(500);
  assert.deepEqual(told, ["open", ["place", { step: "q" }], "open"]);
  assert.deepEqual(asked, [null, "7"]);
  stream.stop();
});
