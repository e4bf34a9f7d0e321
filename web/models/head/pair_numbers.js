// The numbers behind a pair of tokens: its weight, of two sentences both and their difference, and what makes each score.

import { div, element, fill, setText, span } from "../../kit/dom.js";
import { counterpart } from "../runs.js";
import { either } from "../tokens/shown_tokens.js";
import { signedText, weightText } from "../wording.js";
import { Scores } from "./score_terms.js";

/** @type {Pictured[]} */
const SENTENCES = ["first", "second"];

export class Explained {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.readout = element("p", { class: "readout" });
    this.scores = SENTENCES.map(() => new Scores(words));
    this.sides = this.scores.map(({ root }, at) =>
      div("explained-side", span("side-name", words[`shows_${SENTENCES[at]}`]), root),
    );
    this.both = div("explained-both");
    this.root = div("explained", this.readout, this.both);
  }

  /**
   * @param {import("../tokens/shown_tokens.js").Drawn} drawn
   * @param {Float32Array[]} weights of each sentence, as they are drawn
   * @param {HeadNumbers[]} numbers
   * @param {Pair | null} pair which is pointed at, else held
   * @param {Pair | null} held
   * @param {boolean} asWords
   */
  update(drawn, weights, numbers, pair, held, asWords) {
    setText(this.readout, this.#pairSentence(drawn, weights, pair) || this.words.pair_hint);
    const isHeld = Boolean(drawn.pairIn("first", held));
    this.both.hidden = !isHeld;
    if (!isHeld) return;
    const count = asWords ? 1 : numbers.length;
    const nodes = numbers.length > 1 && !asWords ? this.sides : [this.scores[0].root];
    if (nodes.some((node, at) => this.both.children[at] !== node) || this.both.children.length > nodes.length)
      this.both.replaceChildren(...nodes);
    if (asWords) return this.scores[0].say(this.words.score_words);
    const { run } = drawn;
    const there = [held, { query: counterpart(run, held.query), key: counterpart(run, held.key) }];
    for (const [at, { query, key }] of there.slice(0, count).entries())
      if (query === null || key === null) this.scores[at].say(this.words.compared_none);
      else this.scores[at].update(numbers[at], run.sentences[at], { query, key });
  }

  /** The pair and its weight; of two sentences both, where it stands in both. */
  #pairSentence(drawn, weights, pair) {
    const sides = weights.map((all, at) => {
      const here = drawn.pairIn(SENTENCES[at], pair);
      const names = drawn.names[at];
      return here && { ...here, names, weight: all[here.query * names.length + here.key] };
    });
    const [first, second] = sides;
    this.readout.title = first && !second ? String(first.weight) : "";
    if (!first) return "";
    const name = (which) => {
      const own = first.names[first[which]];
      return second ? either(own, second.names[second[which]]) : own;
    };
    const values = { query: name("query"), key: name("key"), weight: weightText(first.weight) };
    if (!second) return fill(this.words.pair_line, values);
    const by = signedText(second.weight - first.weight, 4);
    return fill(this.words.pair_both, { ...values, second: weightText(second.weight), by });
  }
}
