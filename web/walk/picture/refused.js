// What somebody typed into the picture and is no number: why, is said in the line of arithmetic, and the text stays.

import { fill } from "../../kit/dom.js";
import { unkey } from "../../kit/graph.js";
import { inPowers, readMask } from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";
import { nameText } from "./cell_name.js";

export class Refused {
  /** @param {import("../walk.js").Walk} walk */
  constructor(walk) {
    this.walk = walk;
    const ofField = (act) => (event) =>
      event.target.matches?.("input.answer, input.change") && act(event.target);
    walk.root.addEventListener(
      "input",
      ofField((field) => this.takeBack(field)),
    );
    walk.root.addEventListener(
      "change",
      ofField((field) => field.matches(".answer") && this.takes(field)),
    );
  }

  /**
   * Whether a prediction is a number, or not there.
   * @param {HTMLInputElement} field
   */
  takes(field) {
    const { wrong } = field.value.trim() ? readMask(field.value) : {};
    if (wrong && field.isConnected) this.say(field, wrong);
    return !wrong;
  }

  /**
   * @param {HTMLInputElement} field
   * @param {string} wrong as numbers are read
   * @param {{ most?: number; follows?: string }} [how] `follows`: a sentence that goes on from it
   */
  say(field, wrong, { most = Number.MAX_VALUE, follows = "{what}" } = {}) {
    const { model, easel, live } = this.walk;
    const cell = unkey(field.closest("td").dataset.key);
    const place = nameText(model, cell);
    const text = quoted(model.words, field.value);
    const what = fill(model.words[`wrong_${wrong}`], { place, text, most: inPowers(most) });
    field.setAttribute("aria-invalid", "true");
    easel.refuse(fill(follows, { what }));
    live.textContent = easel.refused;
  }

  /** @param {HTMLInputElement} field what was wrong in it is so no more */
  takeBack(field) {
    if (!field.hasAttribute("aria-invalid")) return;
    field.removeAttribute("aria-invalid");
    this.walk.easel.refuse("");
  }
}
