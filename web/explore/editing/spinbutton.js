// The number that has the focus, as a screen reader is told of it: a gridcell that holds a spinbutton with its value.
// There is one for the cell that has the focus, and none in all the others.

import { element } from "../../kit/dom.js";
import { cellAt } from "../../kit/selection.js";

export class Spin {
  /** @type {HTMLElement} */
  #node = null;

  /**
   * `about` gives a cell's number what is told of it, or null where it is none to be moved.
   * @param {HTMLElement} root
   * @param {(td: HTMLTableCellElement) => Record<string, string> | null} about
   */
  constructor(root, about) {
    this.about = about;
    root.addEventListener("focusin", ({ target }) => {
      const td = cellAt(target);
      if (td === target && this.#enter(td)) this.#node.focus({ preventScroll: true });
    });
    root.addEventListener("focusout", ({ target }) => target === this.#node && this.leave());
  }

  /**
   * Give a cell the focus, or its number where it is one to be moved: once, and not one after the other.
   * @param {HTMLTableCellElement} td
   */
  focus(td) {
    if (this.#enter(td)) this.#node.focus();
    else td?.focus();
  }

  #enter(td) {
    this.leave();
    const attributes = td && this.about(td);
    if (!attributes) return false;
    const node = element("span", { class: "spin", role: "spinbutton", tabindex: 0, ...attributes });
    node.append(...td.childNodes);
    td.append(node);
    this.#node = node;
    td.tabIndex = -1; // Tab and Shift with Tab lead past it
    return true;
  }

  /** The cell is a plain one again. */
  leave() {
    const node = this.#node;
    this.#node = null;
    if (!node?.isConnected) return;
    node.parentElement.tabIndex = 0;
    node.replaceWith(...node.childNodes);
  }
}
