// The tokens of a sentence in a row, one of which can be chosen: arrows move along it, and it is one stop of the Tab key.

import { button, element, fill, pressable, setAttribute, setText } from "../../kit/dom.js";
import { roving, stopAt } from "./roving_focus.js";

export class Strip {
  /** @type {HTMLButtonElement[]} */
  #tokens = [];
  #builtFor = "";

  /**
   * @param {string} label
   * @param {(at: number | null) => void} chosen null: the one that is chosen is chosen no more
   */
  constructor(label, chosen) {
    this.chosen = chosen;
    this.root = element("div", { class: "strip", role: "toolbar", "aria-label": label });
    roving(this.root);
  }

  /**
   * @param {Looked} tokens
   * @param {number | null} chosen
   * @param {(at: number) => boolean} [can] whether one can be chosen
   * @param {(at: number) => boolean} [apart] whether the other sentence has none like it
   */
  update(tokens, chosen, can = () => true, apart = () => false) {
    const state = JSON.stringify([tokens.names, tokens.texts.map((_, at) => can(at))]);
    if (state !== this.#builtFor) this.#build(tokens, can);
    this.#builtFor = state;
    for (const [at, token] of this.#tokens.entries()) {
      setAttribute(token, "aria-pressed", String(at === chosen));
      token.classList.toggle("apart", apart(at));
    }
    const focused = this.#tokens.findIndex((token) => token.tabIndex === 0);
    stopAt(this.#tokens, chosen ?? Math.max(0, focused));
  }

  #build({ names, words, special }, can) {
    this.#tokens = names.map((text, at) => {
      const inner = words[at] !== null && words[at] === words[at - 1];
      const name = `token${special[at] ? " special" : ""}${inner ? " inner" : ""}`;
      const onclick = () => this.chosen(this.#tokens[at].ariaPressed === "true" ? null : at);
      const attributes = { class: name, tabindex: -1, disabled: !can(at), onclick };
      return pressable(false, attributes, element("bdi", {}, text));
    });
    this.root.replaceChildren(...this.#tokens);
  }
}

/** The row of tokens above the heads, of each sentence. */
export class Tokens {
  /** @type {Strip[]} */
  #strips = [];

  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void }} host
   * @param {Record<string, string>} words
   */
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

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   */
  update({ sentences, aligned, limit }, { token }) {
    if (this.#strips.length !== sentences.length) this.#build(sentences.length);
    const of = (second) => aligned.find((pair) => pair[1] === second)?.[0] ?? null;
    const there = token === null ? null : (aligned.find(([first]) => first === token)?.[1] ?? null);
    const [first, second] = sentences;
    const apart = (at) => Boolean(second) && !aligned.some(([ours]) => ours === at);
    const isMatched = (at) => of(at) !== null;
    this.#strips[0].update(first, token, () => true, apart);
    this.#strips[1]?.update(second, there, isMatched, (at) => !isMatched(at));
    const isApart = sentences.length > 1 && sentences.some(({ n }) => n > aligned.length);
    setText(this.matched, isApart ? fill(this.words.matched, { count: aligned.length }) : "");
    this.none.hidden = token === null;
    const values = { count: sentences.map(({ n }) => n).join(this.words.and), limit };
    this.hint.textContent = fill(token === null ? this.words.tokens_hint : this.words.tokens_chosen, {
      ...values,
      token: sentences[0].names[token],
    });
    setText(this.unknown, unknownText(this.words, sentences));
    this.#of = of;
  }

  #of = (/** @type {number} */ _second) => /** @type {number | null} */ (null);

  #build(count) {
    const { words, host } = this;
    const labels = [words.tokens, words.tokens_second];
    const chosen = [
      (at) => host.go({ token: at }),
      (at) => host.go({ token: at === null ? null : this.#of(at) }),
    ];
    this.#strips = Array.from({ length: count }, (_, at) => new Strip(labels[at], chosen[at]));
    this.rows.replaceChildren(...this.#strips.map(({ root }) => root));
  }
}

/** How many tokens the model does not know, if there are any. */
function unknownText(words, sentences) {
  const all = sentences.flatMap(({ texts, unknown }) =>
    texts.map((text, at) => ({ text, lacks: unknown[at] })),
  );
  const lacking = all.filter(({ lacks }) => lacks);
  if (!lacking.length) return "";
  const [sign] = lacking[0].text.split(" ");
  return fill(words.unknown, { count: lacking.length, all: all.length, sign });
}
