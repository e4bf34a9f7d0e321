// Edits on their way to the server. Streamlit may merge or drop reruns while one is under way, so every message
// carries all edits that the server has not yet confirmed, numbered; the server applies each number once.

export class Sender {
  #session = null;
  #last = 0;
  #pending = [];
  #post = () => {};

  /** Called with every answer of the server: which session it is, and the last edit that it has applied. */
  receive({ session, ack }, post) {
    this.#post = post;
    if (session === this.#session) {
      this.#pending = this.#pending.filter((edit) => edit.seq > ack);
      return;
    }
    // A new server session (the first, or after a restart): what was never confirmed is sent to it again.
    this.#session = session;
    this.#last = ack;
    this.#pending = this.#pending.map((edit) => ({ ...edit, seq: ++this.#last }));
    if (this.#pending.length) this.#flush();
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
