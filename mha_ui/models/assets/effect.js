// What becomes of the hidden word, or of the word that comes next, as heads are switched off: in a line for each sentence.

import { element, fill, p } from "../mha.web/dom.js";
import { likely } from "./telling.js";

const MOST_TOLD = 5;

export class Effect {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.root = element("div", { class: "effect", "aria-live": "polite" });
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {(Guessed | null)[] | null} found null while the answer is on its way: the last one stays
   */
  update({ causal, guesses, sentences, masks }, { guess, off }, found) {
    const { words, root } = this;
    root.hidden = !guesses || guess === null;
    root.classList.toggle("stays", off.length > 0);
    if (root.hidden || found?.length !== sentences.length) return;
    const lines = found.map((one, at) => {
      const told = one
        ? this.#told(one, sentences[at], masks[at], Boolean(off.length), causal)
        : words.compared_none;
      const name = words[at ? "compared_second" : "compared_first"];
      return p("effect-line", found.length > 1 ? element("strong", {}, name) : "", " ", told);
    });
    root.replaceChildren(...lines);
  }

  /**
   * @param {Guessed} found
   * @param {Looked} sentence
   * @param {number[]} masks
   * @param {boolean} isOff
   * @param {boolean} causal
   */
  #told({ place, before, after, word }, { names }, masks, isOff, causal) {
    const { words } = this;
    if (masks.includes(place) && !causal) return this.#atMask(names[place], before, after, isOff);
    const which = `${isOff ? "_off" : ""}${causal ? "_causal" : ""}`;
    if (!word) return fill(words[`effect${which}`], { token: names[place], ...likeliest(before, after) });
    const told = fill(words[`word${which}`], {
      place: names[place],
      token: names[word.at],
      before: likely(word.before.probability),
      after: likely(word.after.probability),
      rank: word.before.rank,
      now: word.after.rank,
    });
    if (word.after.rank === 1) return told;
    const [{ text, probability }] = after;
    const now = { told, word: text, number: likely(probability) };
    return fill(words[isOff ? "likeliest_now" : "likeliest"], now);
  }

  /** What stands in the place of a word that nobody has told. */
  #atMask(token, before, after, isOff) {
    const { words } = this;
    if (isOff) return fill(words.mask_off, { token, ...likeliest(before, after) });
    const told = before.slice(0, MOST_TOLD).map((one) => `“${one.text}” ${likely(one.probability)}`);
    return fill(words.mask, { token, list: told.join(" · ") });
  }
}

/**
 * The likeliest word before, its probability then and now, and what is likeliest now.
 * @param {Guess[]} before
 * @param {Guess[]} after the likeliest alone: what is not among them is less likely than the last
 */
function likeliest([{ text, probability }], after) {
  const [least] = after.slice(-1);
  const same = after.find((guess) => guess.text === text);
  const now = same ? likely(same.probability) : `< ${likely(least.probability)}`;
  return { word: text, before: likely(probability), now, likeliest: after[0].text };
}
