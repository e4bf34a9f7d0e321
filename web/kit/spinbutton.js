// The number with the focus, as a screen reader sees it: a gridcell that holds a spinbutton with its value. Only the
// cell with the focus has one.

import { element } from "./dom.js";
import { cellAt } from "./selection.js";

export class SpinButton {
  /** @type {HTMLElement | null} */
  #node = null;

  /**
   * @param {HTMLElement} root
   * @param {(td: HTMLElement) => Record<string, string> | null} attributesOf the spinbutton's; null where a cell's
   *   number cannot be moved
   */
  constructor(root, attributesOf) {
    this.attributesOf = attributesOf;
    root.addEventListener("focusin", ({ target }) => {
      const td = cellAt(target);
      if (td && td === target) this.#enter(td)?.focus({ preventScroll: true });
    });
    root.addEventListener("focusout", ({ target }) => {
      if (target === this.#node) this.leave();
    });
  }

  /**
   * Give a cell the focus, or its number where that can be moved. They do not get it one after the other.
   * @param {HTMLElement | undefined} td
   */
  focus(td) {
    if (!td) this.leave();
    else (this.#enter(td) ?? td).focus();
  }

  /**
   * Put a spinbutton around a cell's number, if that can be moved.
   * @param {HTMLElement} td
   * @returns {HTMLElement | null}
   */
  #enter(td) {
    this.leave();
    const attributes = this.attributesOf(td);
    if (!attributes) return null;
    const node = element("span", { class: "spin", role: "spinbutton", tabindex: 0, ...attributes });
    node.append(...td.childNodes);
    td.append(node);
    this.#node = node;
    td.tabIndex = -1; // Tab and Shift+Tab pass the cell itself by
    return node;
  }

  /** Make the cell a plain one again. */
  leave() {
    const node = this.#node;
    this.#node = null;
    if (!node?.isConnected) return;
    if (node.parentElement) node.parentElement.tabIndex = 0;
    node.replaceWith(...node.childNodes);
  }
}
