// Leaving the page: a visitor is asked first where something would be lost, by a link of the app or by closing the tab.

export class Leaving {
  #off = new AbortController();
  #isAgreed = false;

  /** @param {() => string} why the question, "" where nothing is lost */
  constructor(why) {
    this.why = why;
    const { signal } = this.#off;
    window.addEventListener("beforeunload", (event) => !this.#isAgreed && why() && event.preventDefault(), {
      signal,
    });
    document.addEventListener("click", (event) => this.#click(event), { capture: true, signal });
  }

  stop() {
    this.#off.abort();
  }

  /** Whether the visitor may leave, who is asked where something is lost. */
  mayLeave() {
    const why = this.why();
    return !why || window.confirm(why);
  }

  /** @param {MouseEvent} event */
  #click(event) {
    const link = event.composedPath().find((node) => node instanceof HTMLAnchorElement);
    const isHere =
      !link || link.target === "_blank" || link.download || link.getAttribute("href")?.startsWith("#");
    if (isHere || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    this.#isAgreed = this.mayLeave();
    if (this.#isAgreed) return;
    event.preventDefault();
    event.stopImmediatePropagation(); // before the app follows its own link
  }
}
