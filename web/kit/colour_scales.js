// What the strongest colour of a stage's tables stands for. It stays while a number is dragged, and after that too as long
// as the numbers fit: otherwise one number that grows would make all others pale under the hand.

import { element } from "./dom.js";
import { brief } from "./numbers.js";

const SMALL = 5; // times smaller than the scale, the largest number is too pale

export class ColourScales {
  /** @type {Map<string, number>} */
  #tops = new Map(); // by what the stage's tables are called

  /**
   * What the strongest colour stands for. `needed`: for which number there has to be room; `isInHand`: a number is being
   * dragged.
   * @param {string} stage
   * @param {number} needed
   * @param {boolean} isInHand
   */
  topOf(stage, needed, isInHand) {
    const top = this.#tops.get(stage);
    const fits = top !== undefined && (isInHand || (needed <= top && needed > top / SMALL));
    if (!fits) this.#tops.set(stage, needed);
    return fits ? top : needed;
  }

  /** The tables are of another example. */
  forget() {
    this.#tops.clear();
  }
}

/**
 * A stage's colours from the least to the largest number that they stand for.
 * @param {Record<string, string>} words
 * @param {"signed" | "weights"} kind weights begin at 0
 */
export function scaleBar(words, kind) {
  const [least, most] = [element("span", {}), element("span", {})];
  const root = element("p", { class: `colour-scale ${kind}`, title: words.colour_scale }, least, most);
  const show = (/** @type {number} */ top) => {
    least.textContent = kind === "weights" ? "0" : brief(-top, 6);
    most.textContent = brief(top, 6);
  };
  return { root, show };
}
