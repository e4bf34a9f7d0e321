// Edits on their way to the server. Streamlit may merge or drop reruns while one is under way, so every message
// carries all edits that the server has not yet confirmed, numbered; the server applies each number once.

export class Sender {
  #session = null;
  #last = 0;
  #pending = [];
  #address = null;
  #post = () => {};

  /** Called with every answer of the server: which session it is, and the last edit that it has applied. */
  receive({ session, ack, address }, post) {
    this.#post = post;
    if (session === this.#session) {
      this.#pending = this.#pending.filter((edit) => edit.seq > ack);
    } else {
      // After a restart the server knows only the address that this page was loaded with: it is given the last
      // one that its forerunner confirmed, and then what was never confirmed.
      const restore = this.#session && this.#address ? [{ op: "restore", address: this.#address }] : [];
      this.#session = session;
      this.#last = ack;
      this.#pending = [...restore, ...this.#pending].map((edit) => ({ ...edit, seq: ++this.#last }));
      if (this.#pending.length) this.#flush();
    }
    if (!this.#pending.some((edit) => edit.op === "restore")) this.#address = address;
  }

  send(edit) {
    this.#pending.push({ ...edit, seq: ++this.#last });
    this.#flush();
  }

  get pending() {
    return this.#pending;
  }

  #flush() {
    this.#post({ session: this.#session, edits: this.#pending });
  }
}
