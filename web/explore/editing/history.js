// The history while this tab is open: what undo and redo lead to survives a reload, and a server that starts anew.

const KEY = "mha.history";
const MOST = 1_000_000; // characters: mha_ui/state/history.py says the same
const REST = 500; // ms for which no more must come until it is written
const OF_THE_PAGE = ["restore", "recall", "follow", "place"]; // what a page sends by itself

/**
 * What the page tells of its history, by numbers of examples (mha_ui/state/history.py).
 * @typedef {{ examples: number[]; at: number; starts: [number, number, string | null][]; texts: [number, string][] }} HistoryState
 * `unconfirmed`: what was edited, undone or redone after that, and the page was left before the server had answered.
 * @typedef {HistoryState & { session: string; whole: boolean; unconfirmed?: Edit[] }} Kept
 */

/** The text of the example at hand: it stands in the address, or where no address holds it beside that. */
const shown = ({ address, whole }) => address.s ?? address.example ?? whole;

/** Whether this page was loaded again: its address may then be older than the work, by the edits of a moment before. */
export const isReload = () =>
  performance.getEntriesByType("navigation").some((entry) => /** @type {any} */ (entry).type === "reload");

export class History {
  /** @type {Map<number, string>} */
  #texts = new Map(); // by number, of this session
  #session = "";
  /** @type {Kept | null} */
  #kept = null; // of an earlier session of this tab, until it has been sent back
  /** @type {Kept | null} */
  #written = null; // what is to be written
  #timer = 0;
  /** How often redo leads from where a session begins to what was shown last, where no address held that. */
  ahead = 0;
  /** @type {Edit[]} */
  #unconfirmed = [];

  /** @param {Pick<import("../../kit/storage.js").Store, "get" | "set">} store the tab's */
  constructor(store) {
    this.store = store;
    this.#kept = store.get(KEY);
  }

  /**
   * The last example of this session that the page has the text of: the server then sends those after it.
   * @param {string} session
   */
  heldIn(session) {
    return session === this.#session ? Math.max(0, ...this.#texts.keys()) : 0;
  }

  /**
   * Called with an answer of the page that lacks nothing. In a new session: the history that led to where it began, to
   * be sent back; nothing of it is lost until that has been answered.
   * @param {{ session: string; history: HistoryState; address: Record<string, string>; whole: string | null }} data
   * @returns {Kept | null}
   */
  update(data) {
    const { session, history } = data;
    if (session !== this.#session) {
      this.#kept = this.#written ?? this.#kept;
      this.#session = session;
      this.#texts.clear();
    }
    for (const [number, text] of history.texts) this.#texts.set(number, text);
    this.#texts.set(history.examples[history.at], shown(data));
    if (this.#kept?.session !== session) this.#unconfirmed = this.#leftBy(history);
    const kept = this.#kept?.session === session ? null : this.#from(history);
    this.#kept = null;
    if (!kept) this.#keep({ session, ...history, whole: data.whole !== null });
    return kept;
  }

  /**
   * What was kept, at the example that this session began with: it was shown last, or not long before, where the address
   * had not been written yet. Null where it is not in there.
   * @param {HistoryState} history
   * @returns {Kept | null}
   */
  #from({ examples: [first] }) {
    try {
      const texts = new Map(this.#kept.texts);
      const { examples, at } = this.#kept;
      const places = examples.flatMap((number, place) =>
        texts.get(number) === this.#texts.get(first) ? [place] : [],
      );
      const [nearest] = places.sort((one, other) => Math.abs(one - at) - Math.abs(other - at));
      if (examples.length < 2 || nearest === undefined) return null;
      this.ahead = this.#kept.whole ? Math.max(0, at - nearest) : 0;
      return { ...this.#kept, at: nearest };
    } catch {
      return null; // there was none, or nothing that we wrote
    }
  }

  /**
   * What was done before the page was left, and never confirmed: to be done again on the numbers that it was done to.
   * @param {HistoryState} history
   * @returns {Edit[]}
   */
  #leftBy({ examples: [first] }) {
    try {
      const { examples, at, texts, unconfirmed = [], whole } = this.#kept;
      const isThere = whole || new Map(texts).get(examples[at]) === this.#texts.get(first);
      return isThere ? unconfirmed : [];
    } catch {
      return []; // there was none, or nothing that we wrote
    }
  }

  /** The same, once. */
  takeUnconfirmed() {
    return this.#unconfirmed.splice(0);
  }

  /** @param {Kept} kept */
  #keep(kept) {
    const needed = new Set([...kept.examples, ...kept.starts.map(([, origin]) => origin)]);
    for (const number of this.#texts.keys()) if (!needed.has(number)) this.#texts.delete(number);
    this.#written = cut({ ...kept, texts: [...this.#texts] });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), REST);
  }

  /**
   * Write what has been told last, and what was sent since and is not confirmed.
   * @param {Edit[]} [pending]
   */
  flush(pending = []) {
    clearTimeout(this.#timer);
    if (!this.#written) return;
    const unconfirmed = pending.filter(({ op }) => !OF_THE_PAGE.includes(op));
    this.store.set(KEY, { ...this.#written, unconfirmed });
  }
}

/**
 * The same without its oldest versions, and then the last to be done again, as far as it is too large.
 * @param {Kept} kept
 * @returns {Kept}
 */
function cut(kept) {
  const size = kept.texts.reduce((sum, [, text]) => sum + text.length, 0);
  if (size <= MOST || kept.examples.length === 1) return kept;
  return cut(kept.at > 0 ? withoutFirst(kept) : only(kept, kept.examples.slice(0, -1), kept.starts, 0));
}

/** @param {Kept} kept */
function withoutFirst(kept) {
  const [, ...examples] = kept.examples;
  const [first, ...later] = kept.starts.map(
    ([place, origin, name]) => /** @type {const} */ ([place - 1, origin, name]),
  );
  const starts = later[0]?.[0] === 0 ? later : [/** @type {const} */ ([0, first[1], first[2]]), ...later];
  return only(kept, examples, starts, kept.at - 1);
}

/** @returns {Kept} */
function only(kept, examples, starts, at) {
  const held = starts.filter(([place]) => place < examples.length);
  const needed = new Set([...examples, ...held.map(([, origin]) => origin)]);
  return { ...kept, examples, starts: held, at, texts: kept.texts.filter(([number]) => needed.has(number)) };
}
