// What this browser stores. It may forbid that, or be full: then a value lasts as long as the page.

export class Store {
  /** @type {Map<string, string | null>} */
  #values = new Map(); // by name: what the browser did not take

  /** @param {() => Storage} open which a browser may refuse */
  constructor(open) {
    this.open = open;
  }

  /**
   * A text; null where there is none.
   * @param {string} name
   * @returns {string | null}
   */
  text(name) {
    const value = this.#values.get(name);
    if (value !== undefined) return value;
    try {
      return this.open().getItem(name);
    } catch {
      return null;
    }
  }

  /**
   * A text, or null for none any more.
   * @param {string} name
   * @param {string | null} text
   */
  setText(name, text) {
    this.#values.delete(name);
    try {
      if (text === null) this.open().removeItem(name);
      else this.open().setItem(name, text);
    } catch {
      this.#values.set(name, text);
    }
  }

  /**
   * What `set` was given; null where there is none, and where the text is no JSON.
   * @template T as what it was stored, which the caller knows
   * @param {string} name
   * @returns {T | null}
   */
  get(name) {
    try {
      return JSON.parse(this.text(name) ?? "null");
    } catch {
      return null;
    }
  }

  /**
   * @param {string} name
   * @param {unknown} value
   */
  set(name, value) {
    this.setText(name, value === null ? null : JSON.stringify(value));
  }

  /** Whether the browser has taken the last value of this name. @param {string} name */
  hasTaken(name) {
    return !this.#values.has(name);
  }

  /** All names; a browser that forbids to look has none. */
  get names() {
    try {
      return Object.keys(this.open());
    } catch {
      return [];
    }
  }
}

/** Of this tab: it survives a reload. */
export const ofTab = new Store(() => sessionStorage);
/** Of this browser: it is there the next time. */
export const ofBrowser = new Store(() => localStorage);
