// A room's server-sent events, read by hand: the browser's own reader tells neither why it is refused nor that a
// connection is dead which nobody has closed. What stops is asked for again, sooner at first and then less often.

const SILENCE = 40_000; // ms without a byte, of which the server sends some every 15 s: the connection is dead
const STALE = 20_000; // ms, for who has just come back to the page
const SOONEST = 500;
const LATEST = 15_000;

/** Events out of text as it comes, in pieces of any length. */
export class Events {
  #rest = "";

  /** @type {(text: string) => { id?: string; event: string; data: string }[]} */
  push(text) {
    const blocks = (this.#rest + text).split("\n\n");
    this.#rest = blocks.pop();
    return blocks.map(eventOf).filter(({ data }) => data !== undefined);
  }
}

function eventOf(block) {
  /** @type {any} */
  const parsed = { event: "message" };
  for (const line of block.split("\n")) {
    const [, name, value] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name) parsed[name] = value;
  }
  return parsed;
}

/** How long to wait before the next attempt: twice as long each time, and never all listeners at once. */
export const pause = (attempt, random = Math.random) =>
  Math.min(LATEST, SOONEST * 2 ** attempt) * (0.5 + random() / 2);

/**
 * Who is told: `received` of every event, `stands` of how the connection is: "open", "lost" (it is asked for again),
 * "none" (there is no such room), "gone" (there is none any more) or "ended".
 * @typedef {{ received: (kind: string, data: any) => void; stands: (state: string) => void }} Listener
 */

export class Stream {
  #last = ""; // id of the last event
  #attempt = 0;
  #opened = false;
  #heardAt = 0;
  #timer = 0;
  #gone = new AbortController();
  /** @type {AbortController | null} */
  #asking = null;

  /**
   * @param {string} url
   * @param {Listener} listener
   */
  constructor(url, listener) {
    this.url = url;
    this.listener = listener;
    const { signal } = this.#gone;
    window.addEventListener("online", () => this.#back(0), { signal });
    document.addEventListener("visibilitychange", () => document.hidden || this.#back(STALE), { signal });
    this.#ask();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#gone.abort();
    this.#asking?.abort();
    this.#asking = null;
  }

  /** The network, or somebody, is back: what has been silent for so long is asked for anew. */
  #back(silent) {
    if (this.#gone.signal.aborted || (this.#asking && performance.now() - this.#heardAt < silent)) return;
    this.#attempt = 0;
    this.#ask();
  }

  async #ask() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    const asking = new AbortController();
    this.#asking = asking;
    this.#heard();
    try {
      const headers = { Accept: "text/event-stream", ...(this.#last && { "Last-Event-ID": this.#last }) };
      const answer = await fetch(this.url, { headers, cache: "no-store", signal: asking.signal });
      if (answer.status === 404) return this.#end(this.#opened ? "gone" : "none");
      if (answer.ok) await this.#read(answer.body.getReader());
    } catch {
      // it is lost, as it is when it ends by itself
    }
    if (this.#asking === asking) this.#lost();
  }

  async #read(reader) {
    this.#opened = true;
    this.#attempt = 0;
    this.listener.stands("open");
    const events = new Events();
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      this.#heard();
      for (const { id, event, data } of events.push(decoder.decode(value, { stream: true }))) {
        if (event === "end") return this.#end("ended");
        this.#last = id ?? this.#last;
        this.listener.received(event, JSON.parse(data));
      }
    }
  }

  #heard() {
    this.#heardAt = performance.now();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#silent(), SILENCE);
  }

  #silent() {
    this.listener.stands("lost");
    this.#ask();
  }

  #lost() {
    this.#asking = null;
    this.listener.stands("lost");
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), pause(this.#attempt));
    this.#attempt += 1;
  }

  #end(state) {
    this.stop();
    this.listener.stands(state);
  }
}
