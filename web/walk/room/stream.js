// A room's server-sent events, read by hand: the browser's own reader says neither why it is refused nor that a
// connection is dead which nobody has closed. A connection that stops is made again, soon at first, then less often.

const SILENCE = 40_000; // ms without a byte, of which the server sends some every 15 s: the connection is dead
const STALE = 20_000; // ms, for who has just come back to the page
const SOONEST = 500;
const LATEST = 15_000;

/** @typedef {{ id?: string; event: string; data: string }} ServerEvent */

/** Events out of text as it comes, in pieces of any length. */
export class Events {
  #rest = "";

  /** @param {string} text */
  push(text) {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.flatMap(eventsIn);
  }
}

/** The event of a block of lines; none where it has no data. @type {(block: string) => ServerEvent[]} */
function eventsIn(block) {
  /** @type {Partial<Record<string, string>>} */
  const fields = {};
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name) fields[name] = value;
  }
  const { event = "message", data } = fields;
  return data === undefined ? [] : [{ ...fields, event, data }];
}

/**
 * How long to wait before the next attempt: twice as long each time, and never all listeners at once.
 * @param {number} attempt
 */
export const pause = (attempt, random = Math.random) =>
  Math.min(LATEST, SOONEST * 2 ** attempt) * (0.5 + random() / 2);

export class Stream {
  #lastId = "";
  #attempt = 0;
  #wasOpen = false;
  #isStoreLost = false;
  #receivedAt = 0;
  #timer = 0;
  #removal = new AbortController();
  /** @type {AbortController | null} */
  #request = null;

  /**
   * @param {string} url
   * @param {StreamListener} listener
   */
  constructor(url, listener) {
    this.url = url;
    this.listener = listener;
    const { signal } = this.#removal;
    window.addEventListener("online", () => this.#retry(0), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.#retry(STALE), { signal });
    this.#connect();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#removal.abort();
    this.#request?.abort();
    this.#request = null;
  }

  /**
   * The network, or somebody, is back: a connection that has been silent for so long is made again.
   * @param {number} silence ms
   */
  #retry(silence) {
    if (this.#removal.signal.aborted) return;
    if (this.#request && performance.now() - this.#receivedAt < silence) return;
    this.#attempt = 0;
    this.#connect();
  }

  async #connect() {
    clearTimeout(this.#timer);
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    this.#awaitNext();
    try {
      const headers = {
        Accept: "text/event-stream",
        ...(this.#lastId && { "Last-Event-ID": this.#lastId }),
      };
      const response = await fetch(this.url, { headers, cache: "no-store", signal: request.signal });
      if (response.status === 404) return this.#end(this.#wasOpen ? "gone" : "none");
      if (response.ok && response.body) await this.#read(response.body.getReader());
    } catch {
      // the connection is lost, as where it ends by itself
    }
    if (this.#request === request) this.#lost();
  }

  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  async #read(reader) {
    this.#wasOpen = true;
    this.#isStoreLost = false;
    this.#attempt = 0;
    this.listener.stateChanged("open");
    const events = new Events();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#awaitNext();
      for (const { id, event, data } of events.push(decoder.decode(value, { stream: true }))) {
        if (event === "end") return this.#end("ended");
        if (event === "moved") return this.#move();
        this.#lastId = id ?? this.#lastId;
        this.#setStoreLost(event === "lost");
        if (event !== "lost" && event !== "back")
          this.listener.received(.../** @type {RoomEvent} */ ([event, JSON.parse(data)]));
      }
    }
  }

  /**
   * The connection is there, but behind it the server cannot reach the rooms, or can again.
   * @param {boolean} isLost
   */
  #setStoreLost(isLost) {
    if (isLost === this.#isStoreLost) return;
    this.#isStoreLost = isLost;
    this.listener.stateChanged(isLost ? "lost" : "open");
  }

  /** This server stops. Another one goes on with the room, so nothing is lost; not all listeners come at once. */
  #move() {
    this.#request = null;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), pause(0));
  }

  /** Something was received: for some time the connection may be silent. */
  #awaitNext() {
    this.#receivedAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silent(), SILENCE);
  }

  #silent() {
    this.listener.stateChanged("lost");
    this.#connect();
  }

  #lost() {
    this.#request = null;
    this.listener.stateChanged("lost");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#connect(), pause(this.#attempt));
    this.#attempt += 1;
  }

  /** @param {StreamState} state */
  #end(state) {
    this.stop();
    this.listener.stateChanged(state);
  }
}
