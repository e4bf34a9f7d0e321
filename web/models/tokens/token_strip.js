// The tokens of a sentence in a row, one of which can be chosen. Arrows move along it; it is one stop of the Tab key.

import { button, element, fill, pressable, setAttribute, setText } from "../../kit/dom.js";
import { roving, stopAt } from "./roving_focus.js";

export class TokenStrip {
  /** @type {HTMLButtonElement[]} */
  #tokens = [];
  /** The tokens that there are buttons for. */
  #builtFor = "";

  /**
   * @param {string} label
   * @param {(at: number | null) => void} chosen null: none is chosen any more
   */
  constructor(label, chosen) {
    this.chosen = chosen;
    this.root = element("div", { class: "strip", role: "toolbar", "aria-label": label });
    roving(this.root);
  }

  /**
   * @param {SentenceWeights} tokens
   * @param {number | null} chosen
   * @param {(at: number) => boolean} [canChoose]
   * @param {(at: number) => boolean} [isApart] whether the other sentence has no counterpart
   * @param {number} [added] how many of the last tokens the model has added
   */
  update(tokens, chosen, canChoose = () => true, isApart = () => false, added = 0) {
    const state = JSON.stringify([tokens.names, tokens.texts.map((_, at) => canChoose(at))]);
    if (state !== this.#builtFor) this.#build(tokens, canChoose);
    this.#builtFor = state;
    for (const [at, token] of this.#tokens.entries()) {
      setAttribute(token, "aria-pressed", String(at === chosen));
      token.classList.toggle("apart", isApart(at));
      token.classList.toggle("added", at >= this.#tokens.length - added);
    }
    const focused = this.#tokens.findIndex((token) => token.tabIndex === 0);
    stopAt(this.#tokens, chosen ?? Math.max(0, focused));
    if (chosen !== null) this.#reveal(this.#tokens[chosen]);
  }

  /** Scroll the strip, and nothing around it, until a token is in view. @param {HTMLElement} token */
  #reveal({ offsetTop, offsetHeight }) {
    const { root } = this;
    const top = offsetTop - root.offsetTop;
    if (top < root.scrollTop) root.scrollTop = top;
    const below = top + offsetHeight - root.clientHeight;
    if (below > root.scrollTop) root.scrollTop = below;
  }

  /** @param {SentenceWeights} tokens @param {(at: number) => boolean} canChoose */
  #build({ names, words, special }, canChoose) {
    this.#tokens = names.map((text, at) => {
      const isInner = words[at] !== null && words[at] === words[at - 1];
      const name = `token${special[at] ? " special" : ""}${isInner ? " inner" : ""}`;
      const onclick = () => this.chosen(this.#tokens[at].ariaPressed === "true" ? null : at);
      const attributes = { class: name, tabindex: -1, disabled: !canChoose(at), onclick };
      return pressable(false, attributes, element("bdi", {}, text));
    });
    this.root.replaceChildren(...this.#tokens);
  }
}

/** The tokens of each sentence, above the heads. */
export class Tokens {
  /** @type {TokenStrip[]} */
  #strips = [];
  /** @type {[number, number][]} */
  #aligned = [];

  /** @param {Pick<ModelsHost, "go">} host @param {Record<string, string>} words */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.hint = element("p", { class: "hint" });
    this.matched = element("p", { class: "hint matched" });
    this.unknown = element("p", { class: "hint unknown" });
    this.none = button(
      { class: "quiet", data: { focus: "all tokens" }, onclick: () => host.go({ token: null }) },
      words.all_tokens,
    );
    this.rows = element("div", { class: "strips" });
    const hints = element("div", { class: "strip-told" }, this.hint, this.none);
    this.root = element(
      "section",
      { class: "tokens", "aria-label": words.tokens },
      hints,
      this.rows,
      this.matched,
      this.unknown,
    );
  }

  /** @param {ModelRun} run @param {ModelPlace} place */
  update({ sentences: all, aligned, limit, step, change }, { token }) {
    this.#aligned = aligned;
    const sentences = change ? all.slice(0, 1) : all;
    if (this.#strips.length !== sentences.length) this.#build(sentences.length);
    const inSecond = token === null ? null : (aligned.find(([first]) => first === token)?.[1] ?? null);
    const [first, second] = sentences;
    /** @param {number} at */
    const isApart = (at) => Boolean(second) && !aligned.some(([own]) => own === at);
    /** @param {number} at */
    const isMatched = (at) => this.#inFirst(at) !== null;
    this.#strips[0].update(first, token, () => true, isApart, step?.count);
    this.#strips[1]?.update(second, inSecond, isMatched, (at) => !isMatched(at));
    const isPartial = sentences.length > 1 && sentences.some(({ n }) => n > aligned.length);
    setText(this.matched, isPartial ? fill(this.words.matched, { count: aligned.length }) : "");
    this.none.hidden = token === null;
    const values = { count: sentences.map(({ n }) => n).join(this.words.and), limit };
    this.hint.textContent =
      token === null
        ? fill(this.words.tokens_hint, values)
        : fill(this.words.tokens_chosen, { ...values, token: first.names[token] });
    setText(this.unknown, unknownText(this.words, sentences));
  }

  /** The token of the first sentence that corresponds to one of the second. @param {number | null} token */
  #inFirst(token) {
    return this.#aligned.find(([, second]) => second === token)?.[0] ?? null;
  }

  /** @param {number} count */
  #build(count) {
    const { words, host } = this;
    const first = new TokenStrip(words.tokens, (at) => host.go({ token: at }));
    const second = new TokenStrip(words.tokens_second, (at) => host.go({ token: this.#inFirst(at) }));
    this.#strips = [first, second].slice(0, count);
    this.rows.replaceChildren(...this.#strips.map(({ root }) => root));
  }
}

/**
 * How many tokens the model does not know; "" where it knows all.
 * @param {Record<string, string>} words
 * @param {SentenceWeights[]} sentences
 */
function unknownText(words, sentences) {
  const all = sentences.flatMap(({ texts, unknown }) =>
    texts.map((text, at) => ({ text, isUnknown: unknown[at] })),
  );
  const lacking = all.filter(({ isUnknown }) => isUnknown);
  if (!lacking.length) return "";
  const [sign] = lacking[0].text.split(" ");
  return fill(words.unknown, { count: lacking.length, all: all.length, sign });
}
