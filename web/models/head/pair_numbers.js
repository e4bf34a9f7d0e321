// The numbers of a pair of tokens: its weight (for two sentences both, and their difference), and what makes its score.

import { div, element, fill, setText, span } from "../../kit/dom.js";
import { alignedKeys, counterpart } from "../runs.js";
import { either } from "../tokens/shown_tokens.js";
import { signedText, weightText } from "../wording.js";
import { ScoreTerms } from "./score_terms.js";

const SENTENCES = /** @type {const} */ (["first", "second"]);

/**
 * Weights between the tokens that are shown, and which of them are exact.
 * @typedef {{ numbers: Float32Array } & Pick<HeadNumbers, "exact" | "sign">} ShownWeights
 */

export class PairNumbers {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.readout = element("p", { class: "readout" });
    this.scores = SENTENCES.map(() => new ScoreTerms(words));
    this.sides = this.scores.map(({ root }, at) =>
      div("explained-side", span("side-name", words[`shows_${SENTENCES[at]}`]), root),
    );
    this.both = div("explained-both");
    this.root = div("explained", this.readout, this.both);
  }

  /**
   * @param {import("../tokens/shown_tokens.js").ShownTokens} tokens
   * @param {ShownWeights[]} weights of each sentence
   * @param {HeadNumbers[]} numbers
   * @param {Pair | null} pair the one that is pointed at, or else the picked one
   * @param {Pair | null} picked
   * @param {boolean} asWords
   */
  update(tokens, weights, numbers, pair, picked, asWords) {
    setText(this.readout, this.#pairSentence(tokens, weights, pair) || this.words.pair_hint);
    this.both.hidden = !tokens.pairIn("first", picked);
    if (!picked || this.both.hidden) return;
    const count = asWords ? 1 : numbers.length;
    const nodes = numbers.length > 1 && !asWords ? this.sides : [this.scores[0].root];
    if (nodes.some((node, at) => this.both.children[at] !== node) || this.both.children.length > nodes.length)
      this.both.replaceChildren(...nodes);
    if (asWords) return this.scores[0].say(this.words.score_words);
    const { run } = tokens;
    const key = counterpart({ aligned: alignedKeys(run) }, picked.key);
    const pairs = [picked, { query: counterpart(run, picked.query), key }];
    for (const [at, { query, key }] of pairs.slice(0, count).entries())
      if (query === null || key === null) this.scores[at].say(this.words.compared_none);
      else this.scores[at].update(numbers[at], run.sentences[at], { query, key }, run.first);
  }

  /**
   * The pair and its weight, in both sentences where both have it.
   * @param {import("../tokens/shown_tokens.js").ShownTokens} tokens
   * @param {ShownWeights[]} weights
   * @param {Pair | null} pair
   */
  #pairSentence(tokens, weights, pair) {
    const sides = weights.map(({ numbers, exact, sign }, at) => {
      const rows = tokens.pairIn(SENTENCES[at], pair);
      const [names, keyNames] = [tokens.names[at], tokens.keyNames[at]];
      if (!rows) return null;
      const place = rows.query * keyNames.length + rows.key;
      const isExact = !exact || exact[place];
      return { ...rows, names, keyNames, weight: numbers[place], sign: isExact ? "" : sign };
    });
    const [first, second] = sides;
    this.readout.title = first && !second ? String(first.weight) : "";
    if (!first) return "";
    /** @type {(side: { query: number; key: number; names: string[]; keyNames: string[] }) => [string, string]} */
    const namesOf = ({ query, key, names, keyNames }) => [names[query], keyNames[key]];
    const shown = [first, second].flatMap((side) => (side ? [namesOf(side)] : []));
    const [query, key] = [0, 1].map((which) => shown.map((side) => side[which]).reduce(either));
    const values = { query, key, weight: weightText(first.weight, first.sign) };
    if (!second) return fill(this.words.pair_line, values);
    const by = signedText(second.weight - first.weight, 4);
    return fill(this.words.pair_both, { ...values, second: weightText(second.weight, second.sign), by });
  }
}
