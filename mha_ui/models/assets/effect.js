// What switching heads off does to the model's own guess, in a line beside the switch.

import { element, fill, setText } from "../mha.web/dom.js";
import { format } from "../mha.web/numbers.js";

const DECIMALS = 3; // as in the list below

export class Effect {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.root = element("p", { class: "effect", "aria-live": "polite" });
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {{ before: Guess[]; after: Guess[] } | null} found null while the answer is on its way: the last one stays
   */
  update({ causal, guesses, sentences: [{ texts }] }, { guess, off }, found) {
    this.root.hidden = !guesses || guess === null;
    if (this.root.hidden || !found) return;
    const [likeliest] = found.before;
    const said = this.words[`effect${off.length ? "_off" : ""}${causal ? "_causal" : ""}`];
    setText(this.root, fill(said, { token: texts[guess], ...told(likeliest, found.after) }));
  }
}

/**
 * The likeliest word before, its probability then and now, and what is likeliest now.
 * @param {Guess} before
 * @param {Guess[]} after the likeliest alone: what is not among them is less likely than the last
 */
function told({ text, probability }, after) {
  const [least] = after.slice(-1);
  const same = after.find((guess) => guess.text === text);
  const now = same ? format(same.probability, DECIMALS) : `< ${format(least.probability, DECIMALS)}`;
  return { word: text, before: format(probability, DECIMALS), now, likeliest: after[0].text };
}
