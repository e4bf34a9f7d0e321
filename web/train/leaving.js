// Closing the tab, or going to another site: a visitor is asked first where something would be lost.

export class Leaving {
  #off = new AbortController();

  /** @param {() => string} why the question, "" where nothing is lost */
  constructor(why) {
    this.why = why;
    const { signal } = this.#off;
    window.addEventListener("beforeunload", (event) => why() && event.preventDefault(), { signal });
  }

  stop() {
    this.#off.abort();
  }

  /** Whether what is shown may be replaced; the visitor is asked where something is lost. */
  mayLeave() {
    const why = this.why();
    return !why || window.confirm(why);
  }
}
