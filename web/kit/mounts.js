// Streamlit may mount a part of the page twice: what belongs to an answer that another has overtaken can come after
// what has taken its place, and goes again. So what a part does for the whole page is done by the last of those there.

/** @template T */
export class Standing {
  /** @type {Set<T>} */
  #there = new Set();

  /** It has come, or has been told something newer than the others. @param {T} one */
  enter(one) {
    this.#there.delete(one);
    this.#there.add(one);
  }

  /** It has gone; whether it was there. @param {T} one */
  leave(one) {
    return this.#there.delete(one);
  }

  /** @param {T} one */
  has(one) {
    return this.#there.has(one);
  }

  /** @returns {T | null} */
  get last() {
    return [...this.#there].at(-1) ?? null;
  }
}
