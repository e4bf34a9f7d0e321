// The first stop of the Tab key: a link past the page's head to the first number of the tables that may be changed, or else
// to the first.

import { element } from "../kit/dom.js";

/**
 * @param {string} text
 * @param {HTMLElement} tables
 * @returns {HTMLElement} to be put at the start of the page, and removed with the tables
 */
export function skipLink(text, tables) {
  const onclick = (/** @type {Event} */ event) => {
    event.preventDefault(); // the address stays as it is
    const cell = ["editable", "matrix"]
      .map((kind) => tables.querySelector(`.${kind} td[tabindex="0"]`))
      .find(Boolean);
    if (cell instanceof HTMLElement) cell.focus();
  };
  return element("a", { class: "mha-skip", href: "#", onclick }, text);
}
