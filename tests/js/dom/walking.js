// The walkthrough on a page without a browser: at any place, beside another window of its pair, and with a server of
// rooms that answers at once.

import { setImmediate as turn } from "node:timers/promises";
import { ofTab } from "../../../web/kit/storage.js";
import { mount, payload, press } from "./page.js";

/** What this window has sent the other windows of its pair, the latest last. @type {any[]} */
export const posted = [];
/** @type {Channel | null} */
let channel = null;

class Channel {
  /** @type {(event: { data: any }) => void} */
  onmessage = () => {};

  constructor() {
    channel = this;
  }

  /** @param {any} message */
  postMessage(message) {
    posted.push(structuredClone(message));
  }
}
globalThis.BroadcastChannel = /** @type {any} */ (Channel);

let changes = 0; // of other windows

/** Let what was promised happen. */
export async function settled() {
  for (let count = 0; count < 12; count++) await turn();
}

/**
 * Time that passes only as far as a test says, until the test has ended.
 * @param {import("node:test").TestContext} context
 */
export function stopTime(context) {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const real = { setTimeout, setInterval, clearTimeout, clearInterval };
  const begun = Date.now();
  let [now, last] = [0, 0];
  /** @type {Map<number, { at: number; act: () => void; every?: number }>} */
  const timers = new Map();
  const start = (
    /** @type {() => void} */ act,
    ms = 0,
    /** @type {number | undefined} */ every = undefined,
  ) => {
    timers.set(++last, { at: now + ms, act, every });
    return last;
  };
  const stop = (/** @type {number} */ id) => timers.delete(id);
  const fake = { setTimeout: start, setInterval: (act, ms) => start(act, ms, ms) };
  Object.assign(globalThis, fake, { clearTimeout: stop, clearInterval: stop });
  context.mock.method(Date, "now", () => begun + now);
  context.after(() => Object.assign(globalThis, real));
  /** So many milliseconds pass. */
  return async (/** @type {number} */ ms) => {
    await settled();
    for (const end = now + ms; ; await settled()) {
      const [id, next] = [...timers].sort(([, a], [, b]) => a.at - b.at)[0] ?? [];
      if (id === undefined || next === undefined || next.at > end) {
        now = end;
        return;
      }
      now = next.at;
      if (next.every) next.at += next.every;
      else timers.delete(id);
      next.act();
    }
  };
}

/**
 * Another window of the pair changes what the windows share: its place, its lecture or its room.
 * @param {"place" | "lecture" | "room"} name
 * @param {any} value
 */
export async function receive(name, value) {
  const latest = posted.at(-1);
  const { count, at } = latest[name];
  const isPart = value !== null && typeof value === "object";
  channel?.onmessage({
    data: { ...latest, [name]: { count: count + ++changes, at: isPart ? { ...at, ...value } : value } },
  });
  await settled();
}

/**
 * The walk of a payload. `place`: where it opens; `stored`: what the tab has stored before the page was opened.
 * @param {string} name
 * @param {{ place?: object; url?: string; stored?: Record<string, unknown>; change?: (data: any) => void }} [how]
 */
export async function walk(name, { place = {}, url = "?example=first", stored = {}, change } = {}) {
  const data = { ...payload(name), place: { step: "", sub: "", view: "", predict: false, ...place } };
  change?.(data);
  posted.length = 0;
  const mounted = mount("walk/mount_walk.js", data); // which first clears what the test before has stored
  /** @type {any} */ (globalThis).happyDOM.setURL(`http://localhost/walkthrough${url}`);
  for (const [key, value] of Object.entries(stored)) ofTab.set(key, value);
  const page = await mounted;
  return { ...page, ...looking(page.root), data };
}

/**
 * Ways to look at a walk and to use it.
 * @param {HTMLElement} page
 */
export function looking(page) {
  const element = () => /** @type {HTMLElement} */ (page.querySelector(".walk"));
  const find = (/** @type {string} */ selector) => /** @type {any} */ (page.querySelector(selector));
  const all = (/** @type {string} */ selector) => /** @type {any[]} */ ([...page.querySelectorAll(selector)]);
  const named = (/** @type {string} */ focus) => find(`[data-focus="${focus}"]`);
  return {
    element,
    find,
    all,
    named,
    at: () => element().dataset.at,
    cell: (/** @type {string} */ key) => find(`.walk td[data-key="${key}"]`),
    text: (/** @type {string} */ selector) => find(selector)?.textContent,
    texts: (/** @type {string} */ selector) => all(selector).map((node) => node.textContent),
    line: () => find(".line").textContent.replace(/\s+/g, " ").trim(),
    keys: (/** @type {string[]} */ ...names) => names.forEach((name) => press(name)),
    /** What somebody types into a field, and leaves there. */
    write: (/** @type {string} */ focus, /** @type {string} */ text) => write(named(focus), text),
    choose: (/** @type {string} */ focus, /** @type {string} */ value) => write(named(focus), value),
    check: (/** @type {string} */ focus, /** @type {boolean} */ isOn) => {
      const field = named(focus);
      field.checked = isOn;
      field.dispatchEvent(new Event("change", { bubbles: true }));
    },
  };
}

/**
 * @param {any} field
 * @param {string} text
 */
export function write(field, text) {
  field.value = text;
  for (const name of ["input", "change"]) field.dispatchEvent(new Event(name, { bubbles: true }));
}

/** A server of rooms: what it was asked, and what it sends to those who listen. */
export class RoomServer {
  /** @type {{ method: string; path: string; body: any; headers: any }[]} */
  requests = [];
  isDown = false;
  status = 200; // of its answers
  #question = { question: 0 }; // the latest
  /** @type {Set<{ push: (text: string) => void; end: () => void; url: string }>} */
  streams = new Set();

  /** @param {Record<string, any>} [walks] by language: what those who follow are sent of a walk */
  constructor(walks = {}) {
    this.walks = walks;
    globalThis.fetch = /** @type {any} */ ((url, options = {}) => this.#answer(String(url), options));
  }

  /** Send an event to everybody who listens. @param {string} event @param {any} data */
  async send(event, data) {
    for (const { push } of this.streams) push(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    await settled();
  }

  /** The requests of a method whose path ends so. @param {string} method @param {string} end */
  asked(method, end) {
    return this.requests.filter((request) => request.method === method && request.path.endsWith(end));
  }

  /** Every connection is lost. */
  async lose() {
    for (const { end } of this.streams) end();
    this.streams.clear();
    await settled();
  }

  /** @type {(url: string, options: any) => Promise<any>} */
  async #answer(url, { method = "GET", body, headers }) {
    const path = url.replace(/^.*\/api\/rooms/, "");
    if (this.isDown) throw new TypeError("no network");
    if (path.includes("/events")) return this.#listen(path);
    this.requests.push({ method, path, body: body && JSON.parse(body), headers });
    const answer = (/** @type {any} */ value) => ({
      ok: this.status < 400,
      status: this.status,
      json: async () => value,
    });
    const [, language] = /lang=(\w+)/.exec(path) ?? [];
    if (path.includes("/walks/")) return answer(structuredClone(this.walks[language ?? ""]));
    if (path.endsWith("/questions")) {
      this.#question = { question: this.#question.question + 1, open: true, choices: [], cell: null };
      Object.assign(this.#question, JSON.parse(body));
      this.send("question", this.#question);
      return answer({ question: this.#question.question });
    }
    if (path.includes("/questions/")) this.send("question", { ...this.#question, open: false });
    return answer({ code: "K7QF2M", key: "secret" });
  }

  /** @param {string} url */
  #listen(url) {
    if (this.status >= 400) return { ok: false, status: this.status };
    /** @type {Uint8Array[]} */
    const waiting = [];
    /** @type {((read: any) => void) | null} */
    let reading = null;
    const offer = (/** @type {any} */ read) => {
      if (!reading) return waiting.push(read);
      reading(read);
      reading = null;
    };
    const stream = {
      url,
      push: (/** @type {string} */ text) => offer({ done: false, value: new TextEncoder().encode(text) }),
      end: () => offer({ done: true }),
    };
    this.streams.add(stream);
    const read = () =>
      waiting.length ? Promise.resolve(waiting.shift()) : new Promise((resolve) => (reading = resolve));
    return { ok: true, status: 200, body: { getReader: () => ({ read }) } };
  }
}
