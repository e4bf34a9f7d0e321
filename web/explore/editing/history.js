// The history while this tab is open: what undo and redo lead to survives a reload, and a server that starts again.

const KEY = "mha.history";
const MOST = 1_000_000; // characters: mha_ui/state/history.py says the same
const REST = 500; // ms without a newer answer until the history is written
const OF_THE_PAGE = ["restore", "recall", "follow", "place"]; // operations that a page sends by itself

/**
 * A history in the tab's storage. `whole`: the address that is loaded next may not hold the example shown last.
 * `unconfirmed`: what was edited, undone or redone after that, before the page was left without the server's answer.
 * @typedef {HistoryState & { session: string; whole: boolean; unconfirmed?: Edit[] }} StoredHistory
 */

/**
 * The text of the current example: it is in the address, or, where no address holds it, beside that.
 * @param {{ address: Record<string, string>; whole: string | null }} answer
 */
const currentText = ({ address, whole }) => address.s ?? address.example ?? whole ?? "";

/** Whether this page was reloaded. Its address may then lack the last edits before. */
export const isReload = () =>
  performance
    .getEntriesByType("navigation")
    .some((entry) => entry instanceof PerformanceNavigationTiming && entry.type === "reload");

export class History {
  /** @type {Map<number, string>} */
  #texts = new Map(); // the examples of this session, by number
  #session = "";
  /** @type {StoredHistory | null} */
  #earlier = null; // of an earlier session of this tab, until it has been sent back
  /** @type {StoredHistory | null} */
  #next = null; // what is to be written
  #timer = 0;
  #isLeaving = false; // a request for the next page is under way, with the address as it was then
  /** How many redos lead from where a session begins to what was shown last; undos where it is negative. */
  ahead = 0;
  /** @type {Edit[]} */
  #unconfirmed = [];

  /** @param {Pick<import("../../kit/storage.js").Store, "get" | "set">} store the tab's */
  constructor(store) {
    this.store = store;
    this.#earlier = /** @type {StoredHistory | null} */ (store.get(KEY));
  }

  /**
   * The number of the last example of this session whose text is known here. The server sends those after it.
   * @param {string} session
   */
  lastKnown(session) {
    return session === this.#session ? Math.max(0, ...this.#texts.keys()) : 0;
  }

  /**
   * The history as the page has it, for the server of a new session, which will have it from then on. Null where it is to
   * be sent back by `update`, since no address holds the work.
   * @param {string} session
   */
  handOver(session) {
    const history = this.#next;
    if (!history || history.whole) return null;
    this.#session = session;
    this.#texts.clear();
    return history;
  }

  /**
   * Called with an answer of the page to every edit so far. In a new session it returns the history that led to where
   * the session began, to be sent back. It stays stored until that has been answered.
   * @param {{ session: string; history: HistoryState; address: Record<string, string>; whole: string | null }} data
   * @returns {StoredHistory | null}
   */
  update(data) {
    const { session, history } = data;
    if (session !== this.#session) {
      this.#earlier = this.#next ?? this.#earlier;
      this.#session = session;
      this.#texts.clear();
    }
    for (const [number, text] of history.texts) this.#texts.set(number, text);
    this.#texts.set(history.examples[history.at], currentText(data));
    const earlier = this.#earlier?.session === session ? null : this.#earlier;
    if (this.#earlier?.session !== session) this.#unconfirmed = this.#leftBy(earlier, history);
    const restored = this.#leadingTo(earlier, history);
    this.#earlier = null;
    if (!restored) this.#writeSoon({ session, ...history, whole: data.whole !== null || this.#isLeaving });
    return restored;
  }

  /**
   * An earlier history, at the example that this session began with. That was shown last, or not long before if the
   * address had not been written yet. Null where the history does not have it.
   * @param {StoredHistory | null} earlier
   * @param {HistoryState} history
   * @returns {StoredHistory | null}
   */
  #leadingTo(earlier, { examples: [first] }) {
    if (!earlier) return null;
    try {
      const texts = new Map(earlier.texts);
      const { examples, at } = earlier;
      const places = examples.flatMap((number, place) =>
        texts.get(number) === this.#texts.get(first) ? [place] : [],
      );
      const [nearest] = places.sort((one, other) => Math.abs(one - at) - Math.abs(other - at));
      if (examples.length < 2 || nearest === undefined) return null;
      this.ahead = earlier.whole ? at - nearest : 0;
      return { ...earlier, at: nearest };
    } catch {
      return null; // the storage held something that we did not write
    }
  }

  /**
   * What was done before the page was left and never confirmed. It is to be done again, on the same numbers.
   * @param {StoredHistory | null} earlier
   * @param {HistoryState} history
   * @returns {Edit[]}
   */
  #leftBy(earlier, { examples: [first] }) {
    if (!earlier) return [];
    try {
      const { examples, at, texts, unconfirmed = [], whole } = earlier;
      const isSameExample = whole || new Map(texts).get(examples[at]) === this.#texts.get(first);
      return isSameExample ? unconfirmed : [];
    } catch {
      return []; // the storage held something that we did not write
    }
  }

  /**
   * The page is about to be left, and the next one is requested by the address as it is now. This page lives until that
   * arrives: an answer that comes before is in the history, but not in the address.
   */
  leave() {
    this.#isLeaving = true;
  }

  /** What is to be done again; empty the next time. */
  takeUnconfirmed() {
    return this.#unconfirmed.splice(0);
  }

  /** @param {Omit<StoredHistory, "texts">} history */
  #writeSoon(history) {
    const needed = new Set([...history.examples, ...history.starts.map(([, origin]) => origin)]);
    for (const number of this.#texts.keys()) if (!needed.has(number)) this.#texts.delete(number);
    this.#next = cut({ ...history, texts: [...this.#texts] });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), REST);
  }

  /**
   * Write the last history, and what was sent since and is not confirmed.
   * @param {Edit[]} [pending]
   */
  flush(pending = []) {
    clearTimeout(this.#timer);
    if (!this.#next) return;
    const unconfirmed = pending.filter(({ op }) => !OF_THE_PAGE.includes(op));
    this.store.set(KEY, { ...this.#next, unconfirmed });
  }
}

/**
 * The same history, small enough to be stored: without its oldest versions, and then without the last ones to be
 * redone.
 * @param {StoredHistory} history
 * @returns {StoredHistory}
 */
function cut(history) {
  const size = history.texts.reduce((sum, [, text]) => sum + text.length, 0);
  if (size <= MOST || history.examples.length === 1) return history;
  return cut(
    history.at > 0
      ? withoutFirst(history)
      : reduced(history, history.examples.slice(0, -1), history.starts, 0),
  );
}

/** @param {StoredHistory} history */
function withoutFirst(history) {
  const [, ...examples] = history.examples;
  const [[, origin, name], ...later] = history.starts;
  /** @type {StoredHistory["starts"]} */
  const moved = later.map(([place, ...start]) => [place - 1, ...start]);
  /** @type {StoredHistory["starts"]} */
  const starts = moved[0]?.[0] === 0 ? moved : [[0, origin, name], ...moved];
  return reduced(history, examples, starts, history.at - 1);
}

/**
 * @param {StoredHistory} history
 * @param {number[]} examples those that are left
 * @param {StoredHistory["starts"]} allStarts
 * @param {number} at
 * @returns {StoredHistory}
 */
function reduced(history, examples, allStarts, at) {
  const starts = allStarts.filter(([place]) => place < examples.length);
  const needed = new Set([...examples, ...starts.map(([, origin]) => origin)]);
  return { ...history, examples, starts, at, texts: history.texts.filter(([number]) => needed.has(number)) };
}
