// How likely the hidden or next word is as heads are switched off: a line for each sentence.

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
   * @param {(Guessed | null)[] | null} guesses null until the answer comes: the last one stays
   */
  update({ causal, guesses: canGuess, sentences, masks }, { guess, off }, guesses) {
    const { words, root } = this;
    root.hidden = !canGuess || guess === null;
    root.classList.toggle("stays", off.length > 0);
    if (root.hidden || guesses?.length !== sentences.length) return;
    const lines = guesses.map((guessed, at) => {
      const text = guessed
        ? this.#sentenceFor(guessed, sentences[at], masks[at], Boolean(off.length), causal)
        : words.compared_none;
      const name = words[at ? "compared_second" : "compared_first"];
      return p("effect-line", guesses.length > 1 ? element("strong", {}, name) : "", " ", text);
    });
    root.replaceChildren(...lines);
  }

  /**
   * @param {Guessed} guessed
   * @param {SentenceWeights} sentence
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

  /**
   * What is guessed at a mask, where the text has no word.
   * @param {string} token
   * @param {Guess[]} before
   * @param {Guess[]} after
   * @param {boolean} isOff
   */
  #atMask(token, before, after, isOff) {
    const { words } = this;
    if (isOff) return fill(words.mask_off, { token, ...likeliest(before, after) });
    const list = before
      .slice(0, MOST_LISTED)
      .map(({ text, probability }) => `“${isolated(text)}” ${likely(probability)}`);
    return fill(words.mask, { token, list: list.join(" · ") });
  }
}

/**
 * The likeliest word before, its probability then and now, and the likeliest word now.
 * @param {Guess[]} before
 * @param {Guess[]} after the likeliest only: a word that is not among them is less likely than the last
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
