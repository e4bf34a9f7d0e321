// The list of keys, which "?" opens.

import { active, element } from "./dom.js";

/**
 * A key and what it does; a line without a colon is a heading of those below it.
 * @type {(line: string) => HTMLElement}
 */
function rowOf(line) {
  const [keys, does] = line.split(/: |：/);
  if (!does) return element("tr", {}, element("th", { class: "of", colspan: 2, scope: "rowgroup" }, line));
  return element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, does));
}

export class Help {
  /** @type {HTMLElement | null} */
  #before = null; // what had the focus

  /**
   * @param {HTMLElement} owner of the focus, which it gets back afterwards
   * @param {{ label: string; keys: string; isShown?: boolean }} options `keys`: a line for each
   */
  constructor(owner, { label, keys, isShown = false }) {
    this.owner = owner;
    const named = { class: "help", role: "dialog", "aria-label": label, tabindex: -1, hidden: !isShown };
    const rows = keys.split("\n").map(rowOf);
    const onclick = () => this.close();
    this.root = element("div", { ...named, onclick }, element("table", {}, element("tbody", {}, ...rows)));
  }

  get isShown() {
    return !this.root.hidden;
  }

  show() {
    this.#before = active(this.owner);
    this.root.hidden = false;
    this.root.focus();
  }

  /** Close the list; false where it was not shown. */
  close() {
    if (!this.isShown) return false;
    this.root.hidden = true;
    this.#before?.focus({ preventScroll: true });
    return true;
  }
}
