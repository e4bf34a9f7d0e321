// One of a few, as joined buttons of which one is pressed. The row never wraps: where it has no room it is swiped.

import { accent, element, pressable } from "./dom.js";

/**
 * @template {string | number} Option
 * @param {string} label
 * @param {{ value: Option; text: Child; head?: number; focus?: string }[]} options `head`: whose colour an option has
 * @param {Option} chosen
 * @param {(value: Option) => void} choose
 */
export function segments(label, options, chosen, choose) {
  const buttons = options.map(({ value, text, head, focus = `${label} ${value}` }) => {
    const look = head === undefined ? {} : { style: accent(head), class: "accented" };
    return pressable(value === chosen, { data: { focus }, ...look, onclick: () => choose(value) }, text);
  });
  return element("div", { class: "segments", role: "group", "aria-label": label }, ...buttons);
}
