// What cannot be undone: a button that asks once, and does it at the second press.

import { button } from "../../kit/dom.js";

const WAITS = 4000; // ms for the second press

/**
 * @param {Record<string, any>} attributes
 * @param {string} label
 * @param {string} sure what it says after the first press
 * @param {() => void} act
 * @param {(text: string) => void} say told to who does not see the button
 */
export function twice(attributes, label, sure, act, say) {
  let timer = 0;
  const rest = () => {
    clearTimeout(timer);
    timer = 0;
    node.textContent = label;
  };
  const onclick = (event) => {
    if (timer) {
      rest();
      return act();
    }
    if (event.detail > 0) node.blur(); // the keys walk on, and none of them is the second press
    node.textContent = sure;
    timer = Number(setTimeout(rest, WAITS));
    say(sure);
  };
  const node = button({ ...attributes, onclick, onblur: () => timer && rest() }, label);
  return node;
}
