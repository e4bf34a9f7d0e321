// Edits on their way to the server. Streamlit may merge or drop reruns while one is under way, so every message
// carries all edits that the server has not yet confirmed, numbered; the server applies each number once.

import { Mounted } from "./mounted.js";

const REST = 150; // ms without a further edit until the page is sent what is shown already
const RESTS = 4; // of them at most, while the live channel has not answered
const SILENCE = 3000; // ms without an answer until all is sent again

/** @typedef {{ session: string; edits: SentEdit[] }} Sent */
/** @typedef {import("../explore/editing/history.js").StoredHistory} StoredHistory */

class Sender {
  /**
   * The history that led to the address which an earlier server confirmed last, for the server of this session. Null
   * where nothing on the page has it. Explore sets this.
   * @type {(session: string) => StoredHistory | null}
   */
  historyFor = () => null;
  #session = ""; // until the server has answered for the first time
  #last = 0;
  /** @type {SentEdit[]} */
  #pending = [];
  /** @type {Record<string, string> | null} */
  #address = null;
  #timer = 0;
  #resting = 0;
  /** @type {Mounted<Part>} */
  #parts = new Mounted();
  /** @type {WeakMap<Part, (sent: Sent) => void>} */
  #posts = new WeakMap();
  #isLeft = false;
  #confirmed = 0; // the last edit that the server is known to have applied, besides what parts were told

  /**
   * Called by a part of the page with every answer of the server: which session it is, and the last edit that it has
   * applied. When a part has just been mounted, what the part before it sent may be lost.
   * @param {Answer} answer
   * @param {(sent: Sent) => void} post
   * @param {Part} part
   */
  receive({ session, ack, address }, post, part) {
    const isNew = !this.#parts.has(part);
    this.#parts.enter(part);
    this.#posts.set(part, post);
    this.#isLeft = false;
    if (session === this.#session) {
      this.#pending = this.#pending.filter((edit) => edit.seq > ack);
      this.#last = Math.max(this.#last, ack);
      if (isNew && this.#pending.length) this.#flush();
    } else {
      // After a restart the server knows only the address that this page was loaded with: send the last address that
      // the server before it confirmed, with what undo leads to from there, and then the edits that were never confirmed.
      /** @type {Edit[]} */
      const restore =
        this.#session && this.#address
          ? [{ op: "restore", address: this.#address, history: this.historyFor(session) }]
          : [];
      this.#session = session;
      this.#last = this.#confirmed = ack;
      this.#pending = [...restore, ...this.#pending].map((edit) => ({ ...edit, seq: ++this.#last }));
      if (this.#pending.length) this.#flush();
    }
    if (!this.#pending.some((edit) => edit.op === "restore")) this.#address = address;
  }

  /**
   * `isOnItsWay`, where the edit is shown already: whether an answer of the live channel to it is still to come. The
   * page is sent the edit after that, once no further edit follows.
   * @param {Edit} edit
   * @param {(() => boolean) | null} [isOnItsWay]
   */
  send(edit, isOnItsWay = null) {
    this.#pending.push({ ...edit, seq: ++this.#last });
    window.dispatchEvent(new CustomEvent("mha-sent", { detail: edit })); // paired windows listen
    if (isOnItsWay) this.#rest(isOnItsWay);
    else this.#flush();
  }

  /**
   * @param {() => boolean} isOnItsWay
   * @param {number} [rests]
   */
  #rest(isOnItsWay, rests = 1) {
    clearTimeout(this.#resting);
    const waits = () => rests < RESTS && isOnItsWay();
    this.#resting = setTimeout(() => (waits() ? this.#rest(isOnItsWay, rests + 1) : this.#flush()), REST);
  }

  /** Send the page now what waits for further edits. */
  hurry() {
    if (this.#resting) this.#flush();
  }

  /**
   * A part is removed. What no answer has confirmed may be lost with it, so another part sends it again. Where there is
   * none, the next part sends it, or the component that is on every page.
   * @param {Part} part
   */
  retire(part) {
    if (!this.#parts.leave(part)) return;
    if (this.#parts.last) {
      if (this.#pending.length) this.#flush();
      return;
    }
    clearTimeout(this.#timer);
    clearTimeout(this.#resting);
    this.#resting = 0;
    this.#forgetConfirmed(); // what is sent in vain may overtake a request for another page, which is then lost
    this.#isLeft = this.#pending.length > 0;
    if (this.#isLeft) window.dispatchEvent(new CustomEvent("mha-left"));
  }

  /**
   * What no part has sent, unless it has been taken already. It may be lost again: Streamlit drops a rerun where another
   * page is asked for just then. So it can be taken again, unless the server says in time that it has it.
   * @returns {Sent | null}
   */
  takeLeft() {
    if (!this.#isLeft) return null;
    this.#isLeft = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#leaveAgain(), SILENCE);
    return { session: this.#session, edits: this.#pending };
  }

  #leaveAgain() {
    this.#isLeft = !this.#parts.last && this.#pending.length > 0;
    if (this.#isLeft) window.dispatchEvent(new CustomEvent("mha-left"));
  }

  /**
   * What the server has applied by now; the component that is on every page passes it on. A part shows what is pending over
   * the numbers that it was sent last, and learns of it with new ones.
   * @param {{ session: string; ack: number }} answer
   */
  confirm({ session, ack }) {
    if (session !== this.#session) return;
    this.#confirmed = Math.max(this.#confirmed, ack);
    if (!this.#parts.last) this.#forgetConfirmed();
  }

  #forgetConfirmed() {
    this.#pending = this.#pending.filter((edit) => edit.seq > this.#confirmed);
  }

  /** The number of the last edit. */
  get last() {
    return this.#last;
  }

  get pending() {
    return this.#pending;
  }

  /** Send all that is pending, and again if no answer comes: the server skips what it has. */
  #flush() {
    clearTimeout(this.#resting);
    this.#resting = 0;
    const { last } = this.#parts;
    if (last) this.#posts.get(last)?.({ session: this.#session, edits: this.#pending });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      if (!this.#pending.length) return;
      // A restarted server knows none of the page's fragments and ignores their messages: the whole page must run.
      window.dispatchEvent(new CustomEvent("mha-silence"));
      this.#flush();
    }, SILENCE);
  }
}

/** One for the page: the server counts the edits of a session, whatever part of which page they come from. */
export const sender = new Sender();
