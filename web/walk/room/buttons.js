// Buttons beside the walk, which leave the keys to it.

import { button } from "../../kit/dom.js";

const WAITS = 4000; // ms for the second press

/** @typedef {Parameters<typeof button>[0]} ButtonAttributes */

/**
 * After a click with the pointer the keys walk on: a button that keeps the focus would take the space bar.
 * @param {MouseEvent} event
 */
function releaseFocus(event) {
  if (event.detail > 0 && event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
}

/**
 * A button; `focus`: the name by which the focus comes back to it once it is rendered again.
 * @type {(focus: string, act: () => void, attributes: ButtonAttributes, ...children: Child[]) => HTMLButtonElement}
 */
export function walkButton(focus, act, attributes, ...children) {
  const onclick = (/** @type {MouseEvent} */ event) => {
    releaseFocus(event);
    act();
  };
  return button({ ...attributes, data: { focus }, onclick }, ...children);
}

/**
 * A button for what cannot be undone: it asks once, and does it at the second press.
 * @param {ButtonAttributes} attributes
 * @param {string} label
 * @param {string} sure what it says after the first press
 * @param {() => void} act
 * @param {(text: string) => void} say to who does not see the button
 */
export function confirmButton(attributes, label, sure, act, say) {
  let timer = 0;
  const reset = () => {
    clearTimeout(timer);
    timer = 0;
    node.textContent = label;
  };
  const onclick = (/** @type {MouseEvent} */ event) => {
    if (timer) {
      reset();
      return act();
    }
    if (event.detail > 0) node.blur(); // the keys walk on, and none of them is the second press
    node.textContent = sure;
    timer = Number(setTimeout(reset, WAITS));
    say(sure);
  };
  const node = button({ ...attributes, onclick, onblur: () => timer && reset() }, label);
  return node;
}
