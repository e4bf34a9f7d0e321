// What was typed into the picture and is no number: the text stays, and the line of arithmetic says why it is none.

import { fill } from "../../kit/dom.js";
import { unkey } from "../../kit/graph.js";
import { inPowers, readMask } from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";
import { nameText } from "./cell_name.js";

export class Refused {
  #host;

  /** @param {RefusedHost} host */
  constructor(host) {
    this.#host = host;
    /** @type {(selector: string, act: (field: HTMLInputElement) => void) => (event: Event) => void} */
    const inField =
      (selector, act) =>
      ({ target }) => {
        if (target instanceof HTMLInputElement && target.matches(selector)) act(target);
      };
    host.root.addEventListener(
      "input",
      inField(".answer, .change", (field) => this.takeBack(field)),
    );
    host.root.addEventListener(
      "change",
      inField(".answer", (field) => this.takes(field)),
    );
  }

  /** Whether a prediction is a number, or empty. @param {HTMLInputElement} field */
  takes(field) {
    const wrong = field.value.trim() && readMask(field.value).wrong;
    if (wrong && field.isConnected) this.say(field, wrong);
    return !wrong;
  }

  /**
   * Say why the text of a field is no number.
   * @param {HTMLInputElement} field
   * @param {string} wrong the reason, as numbers are read
   * @param {{ most?: number; follows?: string }} [how] `follows`: the sentence that repeats it as {what}
   */
  say(field, wrong, { most = Number.MAX_VALUE, follows = "{what}" } = {}) {
    const model = this.#host.model();
    const cell = unkey(field.closest("td")?.dataset.key ?? "");
    const place = nameText(model, cell);
    const text = quoted(model.words, field.value);
    const what = fill(model.words[`wrong_${wrong}`], { place, text, most: inPowers(most) });
    field.setAttribute("aria-invalid", "true");
    this.#host.refuse(fill(follows, { what }));
  }

  /** What was wrong in a field no longer is. @param {HTMLInputElement} field */
  takeBack(field) {
    if (!field.hasAttribute("aria-invalid")) return;
    field.removeAttribute("aria-invalid");
    this.#host.refuse("");
  }
}
