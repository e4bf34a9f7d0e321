// One matrix of the text: what it was read as and by what, its numbers, and what says that it is something else.

import { accent, button, div, element, fieldText, fill, pressable, span, symbol } from "../kit/dom.js";

/**
 * @typedef {{
 *   choose: (choice: import("./article.js").Choice) => void;
 *   undo: (at: number) => void;
 *   show: (matrix: number) => void;
 * }} CardHost
 * @typedef {{
 *   matrix: ArticleMatrix;
 *   number: number;
 *   heads: number;
 *   names: readonly [string, string][];
 *   words: Record<string, string>;
 *   host: CardHost;
 * }} CardParts
 */

const SHARED = new Set(["x", "context", "mask", "concat", "w_o", "b_o", "output"]);

export class MatrixCard {
  /** @param {CardParts} parts */
  constructor(parts) {
    this.parts = parts;
    const { matrix, number } = parts;
    const kind = !matrix.name ? "unused" : matrix.sure ? "sure" : "guess";
    const attributes = {
      class: `card hue-${matrix.hue || "none"} ${kind}`,
      style: matrix.head === null ? null : accent(matrix.head),
      tabindex: "-1",
      data: { card: number },
    };
    this.root = element("article", attributes, this.#head(), this.#guess(), this.#numbers());
  }

  #head() {
    const { matrix, number, words, host } = this.parts;
    const show = () => host.show(number);
    const undo = () => host.undo(matrix.at);
    return div(
      "card-head",
      matrix.name ? symbol(matrix.symbol) : null,
      this.#names(),
      this.#heads(),
      matrix.name ? this.#turn() : null,
      button(
        { class: "quiet line", onclick: show, data: { focus: `line ${number}` } },
        fill(words.line, { line: matrix.line }),
      ),
      matrix.sure || !matrix.name ? span("reason", matrix.why) : null,
      matrix.chosen ? button({ onclick: undo, data: { focus: `undo ${number}` } }, words.as_read) : null,
    );
  }

  /** @param {Partial<ArticleMatrix>} change */
  #choose(change) {
    const { at, name, head, turned } = { ...this.parts.matrix, ...change };
    const isShared = SHARED.has(name);
    this.parts.host.choose({ at, name, head: isShared ? null : head, turned });
  }

  /** What the matrix is; the first choice is that it is not used. */
  #names() {
    const { matrix, number, names, words } = this.parts;
    const onchange = (/** @type {Event} */ event) => {
      const name = fieldText(event);
      this.#choose({ name, head: matrix.head ?? 0 });
    };
    const options = [["", words.unused], ...names].map(([value, text]) =>
      element("option", { value, selected: value === matrix.name }, text),
    );
    return element(
      "select",
      { "aria-label": words.what, onchange, data: { focus: `name ${number}` } },
      ...options,
    );
  }

  #heads() {
    const { matrix, number, heads, words } = this.parts;
    if (!matrix.name || SHARED.has(matrix.name)) return null;
    const onchange = (/** @type {Event} */ event) => {
      const value = fieldText(event);
      this.#choose({ head: value ? Number(value) : null });
    };
    const options = [...Array(heads + 1).keys()].map((head) =>
      element("option", { value: head, selected: head === matrix.head }, `${words.head} ${head + 1}`),
    );
    const all = element("option", { value: "", selected: matrix.head === null }, words.all_heads);
    const attributes = { "aria-label": words.head, onchange, data: { focus: `head ${number}` } };
    return element("select", attributes, ...options, all);
  }

  #turn() {
    const { matrix, number, words } = this.parts;
    const onclick = () => this.#choose({ turned: !matrix.turned });
    const attributes = {
      onclick,
      title: words.turned,
      "aria-label": words.turned,
      data: { focus: `turned ${number}` },
    };
    return pressable(matrix.turned, attributes, "ᵀ");
  }

  /** Of a guess, why it was read so, and what says that it is right. In one click it is something else. */
  #guess() {
    const { matrix, number, words } = this.parts;
    const isGuess = !matrix.sure && Boolean(matrix.name);
    const others = matrix.likely.map(([name, head]) => this.#choice(name, head));
    if (!isGuess && !others.length) return null;
    const asked = [
      span("badge", words.guess),
      span("about", matrix.why),
      button({ onclick: () => this.#choose({}), data: { focus: `confirm ${number}` } }, words.confirm),
    ];
    const unused = button(
      { onclick: () => this.#choose({ name: "" }), data: { focus: `unused ${number}` } },
      words.unused,
    );
    return div("why", ...(isGuess ? asked : [words.use_as]), ...others, isGuess ? unused : null);
  }

  /**
   * @param {string} name
   * @param {number | null} head
   */
  #choice(name, head) {
    const { number, heads, names, words } = this.parts;
    const called = new Map(names).get(name);
    const of = head === null || heads === 1 ? "" : ` · ${words.head} ${head + 1}`;
    const focus = `likely ${name} ${head} ${number}`;
    return button({ onclick: () => this.#choose({ name, head }), data: { focus } }, `${called}${of}`);
  }

  #numbers() {
    const { rows, labels } = this.parts.matrix;
    const lines = rows.map((row, at) =>
      element(
        "tr",
        {},
        labels.length ? element("th", { scope: "row", dir: "auto" }, labels[at]) : null,
        ...row.map(([text, mark]) => element("td", { class: mark === null ? null : "wrong" }, text)),
      ),
    );
    return div("numbers", element("table", {}, element("tbody", {}, ...lines)));
  }
}
