// What becomes of the hidden word, or of the word that comes next, as heads are switched off: in a line for each sentence.

import { element, fill, p } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { likely } from "../wording.js";

const MOST_LISTED = 5;

export class Effect {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.root = element("div", { class: "effect", "aria-live": "polite" });
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {(Guessed | null)[] | null} guessed null while the answer is on its way: the last one stays
   */
  update({ causal, guesses, sentences, masks }, { guess, off }, guessed) {
    const { words, root } = this;
    root.hidden = !guesses || guess === null;
    root.classList.toggle("stays", off.length > 0);
    if (root.hidden || guessed?.length !== sentences.length) return;
    const lines = guessed.map((one, at) => {
      const text = one
        ? this.#sentenceFor(one, sentences[at], masks[at], Boolean(off.length), causal)
        : words.compared_none;
      const name = words[at ? "compared_second" : "compared_first"];
      return p("effect-line", guessed.length > 1 ? element("strong", {}, name) : "", " ", text);
    });
    root.replaceChildren(...lines);
  }

  /**
   * @param {Guessed} guessed
   * @param {Looked} sentence
   * @param {number[]} masks
   * @param {boolean} isOff
   * @param {boolean} causal
   */
  #sentenceFor({ place, before, after, word }, { names }, masks, isOff, causal) {
    const { words } = this;
    if (masks.includes(place) && !causal) return this.#atMask(names[place], before, after, isOff);
    const which = `${isOff ? "_off" : ""}${causal ? "_causal" : ""}`;
    if (!word) return fill(words[`effect${which}`], { token: names[place], ...likeliest(before, after) });
    const line = fill(words[`word${which}`], {
      place: names[place],
      token: names[word.at],
      before: likely(word.before.probability),
      after: likely(word.after.probability),
      rank: word.before.rank,
      now: word.after.rank,
    });
    if (word.after.rank === 1) return line;
    const [{ text, probability }] = after;
    const now = { told: line, word: isolated(text), number: likely(probability) };
    return fill(words[isOff ? "likeliest_now" : "likeliest"], now);
  }

  /** What stands in the place of a word that nobody has told. */
  #atMask(token, before, after, isOff) {
    const { words } = this;
    if (isOff) return fill(words.mask_off, { token, ...likeliest(before, after) });
    const guesses = before
      .slice(0, MOST_LISTED)
      .map((one) => `“${isolated(one.text)}” ${likely(one.probability)}`);
    return fill(words.mask, { token, list: guesses.join(" · ") });
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
  return {
    word: isolated(text),
    before: likely(probability),
    now,
    likeliest: isolated(after[0].text),
  };
}
