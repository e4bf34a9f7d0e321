// The address bar.

import { storeWork } from "./last_work.js";
import { PAGE_KEYS } from "./query_names.js";

/** The address bar holds the work; parameters that are not ours stay in it. */
export class Address {
  #timer = 0;
  /** @type {Record<string, string> | null} */
  #ours = null; // still to be written
  /** @type {import("./last_work.js").WorkShown | undefined} */
  #shown; // the work, still to be stored
  /** @type {string | null} */
  #large = null; // its numbers where the address does not hold them
  #written = 0; // when
  #settled;
  #requested = (/** @type {CustomEvent<Promise<WorkState>[]>} */ { detail }) => {
    detail.push(this.#settle());
  };

  /**
   * `settled` promises what there is to say of the work once the server has all its edits.
   * @param {() => WorkState | Promise<WorkState>} settled
   */
  constructor(settled = () => ({})) {
    this.#settled = settled;
    window.addEventListener("mha-address-asked", this.#requested); // whoever copies the address wants the latest
  }

  async #settle() {
    const state = await this.#settled();
    this.flush();
    return state;
  }

  /**
   * Write the work's address; in a burst of edits only now and then: writing is slow, and browsers ration it.
   * @param {Record<string, string>} ours
   * @param {import("./last_work.js").WorkShown} [shown] the work, where this browser is to find it again
   * @param {string | null} [large] its numbers where the address does not hold them
   */
  keep(ours, shown, large = null) {
    this.#ours = ours;
    this.#shown = shown;
    this.#large = large;
    window.dispatchEvent(new CustomEvent("mha-address-kept", { detail: ours })); // paired windows listen
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), performance.now() - this.#written > 1000 ? 0 : 200);
  }

  /** Write nothing more: the address bar is another page's now. */
  stop() {
    window.removeEventListener("mha-address-asked", this.#requested);
    clearTimeout(this.#timer);
    this.#ours = null;
  }

  flush() {
    clearTimeout(this.#timer);
    if (!this.#ours) return;
    if (this.#large && this.#shown) storeWork(this.#large, this.#shown);
    const query = new URLSearchParams(window.location.search);
    for (const name of PAGE_KEYS) query.delete(name);
    for (const [name, value] of Object.entries(this.#ours)) query.set(name, value);
    const search = query.size ? `?${query}` : "";
    const { s: numbers } = this.#ours;
    this.#ours = null;
    if (search === window.location.search) return;
    this.#written = performance.now();
    window.history.replaceState(
      window.history.state,
      "",
      window.location.pathname + search + window.location.hash,
    );
    if (numbers && this.#shown) storeWork(numbers, this.#shown);
  }
}
