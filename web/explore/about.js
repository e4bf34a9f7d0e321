// The sentence above the tables. It keeps room for the longest sentence of its example, so that the tables do not move
// when another one comes.

import { element, rich } from "../kit/dom.js";

export class About {
  #roomFor = ""; // what room is kept for: the example, by the model's `opened`, and its tokens
  #room = ""; // the longest sentence so far
  root = element("p", { class: "mha-note", dir: "auto" });

  /**
   * @param {Pick<ExploreModel, "about" | "about_ours" | "opened" | "labels">} model
   * @param {string} plainly the sentence that there is room for from the start
   */
  show({ about, about_ours, opened, labels }, plainly) {
    const { root } = this;
    const roomFor = JSON.stringify([opened, labels.n_q, labels.n_k]); // new tokens move the tables in any case
    const room = roomFor === this.#roomFor ? this.#room : plainly;
    this.#roomFor = roomFor;
    this.#room = about.length > room.length ? about : room;
    if (root.dataset.room !== this.#room) root.dataset.room = this.#room;
    if (root.textContent !== about || about_ours)
      root.replaceChildren(element("span", {}, ...(about_ours ? rich(about) : [about])));
    root.hidden = !about;
  }
}
