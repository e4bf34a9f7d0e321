// The sentence above the tables, with room for the longest of its example: the tables stay where they are when another
// one comes.

import { element, rich } from "../kit/dom.js";

export class About {
  #roomFor = -1; // the example whose sentences have had room made
  root = element("p", { class: "mha-note", dir: "auto" });

  /**
   * @param {BenchModel} model
   * @param {string} plainly what there is room for from the start
   * @param {boolean} isInHand a longer one comes once the hand has let go
   */
  show({ about, about_ours, opened }, plainly, isInHand) {
    const { root } = this;
    const held = opened === this.#roomFor ? root.dataset.room : plainly;
    const isLonger = about.length > held.length;
    if (isLonger && isInHand) return;
    this.#roomFor = opened;
    if (root.dataset.room !== held || isLonger) root.dataset.room = isLonger ? about : held;
    if (root.textContent !== about || about_ours)
      root.replaceChildren(element("span", {}, ...(about_ours ? rich(about) : [about])));
    root.hidden = !about;
  }
}
