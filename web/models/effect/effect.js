// How likely the hidden or next word is as heads are switched off: a line for each sentence.

import { element, fill, p } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { likely } from "../wording.js";

const MOST_LISTED = 5;

export class Effect {
  /** The heads that are off in what is said. */
  #saidOff = "";

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.root = element("div", { class: "effect", "aria-live": "polite" });
  }

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {(Guessed | null)[] | null} guesses null until the answer comes: the last one stays if the same heads were
   * off; none where there is no answer
   */
  update(run, place, guesses) {
    const { words, root } = this;
    const { sentences } = run;
    const { off, guess } = place;
    root.hidden = !run.guesses || guess === null || (guesses !== null && guesses.length !== sentences.length);
    root.classList.toggle("stays", off.length > 0);
    if (root.hidden) return;
    if (!guesses) {
      if (this.#saidOff !== String(off)) root.replaceChildren(p("effect-line", this.#computing(off)));
      return;
    }
    this.#saidOff = String(off);
    const muted = off.length ? this.#muted(run, off) : "";
    const lines = guesses.map((guessed, at) => {
      const text = guessed ? this.#sentenceFor(guessed, run, at, muted) : words.compared_none;
      const name = words[at ? "compared_second" : "compared_first"];
      return p("effect-line", guesses.length > 1 ? element("strong", {}, name) : "", " ", text);
    });
    root.replaceChildren(...lines);
  }

  /** That the answer is still to come. @param {HeadIndex[]} off */
  #computing({ length }) {
    const { computing_all, computing_one, computing_many } = this.words;
    return [computing_all, computing_one][length] ?? computing_many;
  }

  /** "layer 3, head 4 muted", or "5 heads muted". @type {(run: ModelRun, off: HeadIndex[]) => string} */
  #muted({ labels, first }, off) {
    const [[layer, head]] = off;
    const values = { layer: labels[layer], head: head + first, count: off.length };
    return fill(this.words[off.length > 1 ? "muted_many" : "muted_one"], values);
  }

  /**
   * @param {Guessed} guessed
   * @param {ModelRun} run
   * @param {number} at which sentence
   * @param {string} muted the heads that are muted, in words; "" for none
   */
  #sentenceFor({ place, before, after, word }, { causal, sentences, masks }, at, muted) {
    const { words } = this;
    const { names } = sentences[at];
    if (masks[at].includes(place) && !causal) return this.#atMask(names[place], before, after, muted);
    const which = `${muted && "_off"}${causal ? "_causal" : ""}`;
    if (!word)
      return fill(words[`effect${which}`], {
        token: names[place],
        muted,
        ...likeliest(words, before, after),
      });
    const line = fill(words[`word${which}`], {
      muted,
      place: names[place],
      token: names[word.at],
      before: likely(word.before.probability),
      change: change(words, word.before.probability, word.after.probability),
      rank: muted
        ? fill(words[word.before.rank === word.after.rank ? "rank_stays" : "rank_moves"], {
            rank: word.before.rank,
            now: word.after.rank,
          })
        : word.before.rank,
    });
    if (word.after.rank === 1) return line;
    const [{ text, probability }] = after;
    const now = { told: line, word: isolated(text), number: likely(probability) };
    return fill(words[muted ? "likeliest_now" : "likeliest"], now);
  }

  /**
   * What is guessed at a mask, where the text has no word.
   * @param {string} token
   * @param {Guess[]} before
   * @param {Guess[]} after
   * @param {string} muted
   */
  #atMask(token, before, after, muted) {
    const { words } = this;
    if (muted) return fill(words.mask_off, { token, muted, ...likeliest(words, before, after) });
    const list = before
      .slice(0, MOST_LISTED)
      .map(({ text, probability }) => `“${isolated(text)}” ${likely(probability)}`);
    return fill(words.mask, { token, list: list.join(" · ") });
  }
}

/**
 * What a probability does, in words.
 * @param {Record<string, string>} words
 * @param {number} before
 * @param {number} after
 * @param {string} [shown] the probability afterwards, as it is printed
 */
function change(words, before, after, shown = likely(after)) {
  const values = { before: likely(before), after: shown };
  if (values.before === shown) return fill(words.likely_stays, values);
  return fill(words[after > before ? "likely_rose" : "likely_fell"], values);
}

/**
 * The likeliest word before, its probability then and now, and the likeliest word now.
 * @param {Record<string, string>} words
 * @param {Guess[]} before
 * @param {Guess[]} after the likeliest only: a word that is not among them is less likely than the last
 */
function likeliest(words, [{ text, probability }], after) {
  const [least] = after.slice(-1);
  const same = after.find((guess) => guess.text === text);
  return {
    word: isolated(text),
    before: likely(probability),
    change: same
      ? change(words, probability, same.probability)
      : change(words, probability, 0, `< ${likely(least.probability)}`),
    likeliest: isolated(after[0].text),
  };
}
