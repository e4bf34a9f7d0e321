// The sentence above the tables. It keeps room for the longest sentence of its example, so that the tables do not move
// when another one comes.

import { element, rich } from "../kit/dom.js";

export class About {
  #roomFor = -1; // the example that room is kept for, by the model's `opened`
  #room = ""; // the longest sentence so far
  root = element("p", { class: "mha-note", dir: "auto" });

  /**
   * @param {Pick<ExploreModel, "about" | "about_ours" | "opened">} model
   * @param {string} plainly the sentence that there is room for from the start
   */
  show({ about, about_ours, opened }, plainly) {
    const { root } = this;
    const room = opened === this.#roomFor ? this.#room : plainly;
    this.#roomFor = opened;
    this.#room = about.length > room.length ? about : room;
    if (root.dataset.room !== this.#room) root.dataset.room = this.#room;
    if (root.textContent !== about || about_ours)
      root.replaceChildren(element("span", {}, ...(about_ours ? rich(about) : [about])));
    root.hidden = !about;
  }
}
