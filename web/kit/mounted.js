// Streamlit may mount a part of the page twice: an answer that a newer one has overtaken can mount its part after the
// newer one's, and removes it again. So what a part does for the whole page, only the last one that is mounted does.

/** @template T */
export class Mounted {
  /** @type {Set<T>} */
  #parts = new Set();

  /** A part is mounted, or has received something newer than the others. @param {T} part */
  enter(part) {
    this.#parts.delete(part);
    this.#parts.add(part);
  }

  /** A part is removed; false where it was not mounted. @param {T} part */
  leave(part) {
    return this.#parts.delete(part);
  }

  /** @param {T} part */
  has(part) {
    return this.#parts.has(part);
  }

  /** @returns {T | null} */
  get last() {
    return [...this.#parts].at(-1) ?? null;
  }
}
