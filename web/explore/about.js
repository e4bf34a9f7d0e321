// What the example is about, folded above the tables. Unfolded, it keeps room for the longest sentence of its example, so
// that the tables do not move when another one comes.

import { element, rich, setText } from "../kit/dom.js";

export class About {
  #roomFor = ""; // what room is kept for: the example, by the model's `opened`, and its tokens
  #room = ""; // the longest sentence so far
  #name = element("summary");
  #text = element("p", { class: "mha-note", dir: "auto" });
  root = element("details", { class: "about" }, this.#name, this.#text);

  /**
   * @param {Pick<ExploreModel, "about" | "about_ours" | "opened" | "labels">} model
   * @param {Record<string, string>} words `plainly`: the sentence that there is room for from the start
   */
  show({ about, about_ours, opened, labels }, words) {
    const text = this.#text;
    setText(this.#name, words.about_example);
    const roomFor = JSON.stringify([opened, labels.n_q, labels.n_k]); // new tokens move the tables in any case
    const room = roomFor === this.#roomFor ? this.#room : words.plainly;
    this.#roomFor = roomFor;
    this.#room = about.length > room.length ? about : room;
    if (text.dataset.room !== this.#room) text.dataset.room = this.#room;
    if (text.textContent !== about || about_ours)
      text.replaceChildren(element("span", {}, ...(about_ours ? rich(about) : [about])));
    this.root.hidden = !about;
  }
}
