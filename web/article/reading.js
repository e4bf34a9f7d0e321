// What was read: each example with its verdict and its matrices, and what is not used, with why.

import { button, div, element, fieldText, fill, p, pressable, prose, redrawn, setText } from "../kit/dom.js";
import { Verdict } from "../kit/verdict.js";
import { MatrixCard } from "./matrix_card.js";

/**
 * @typedef {import("./matrix_card.js").CardHost & {
 *   set: (name: string, value: string | number) => void;
 *   open: (example: number, to: string) => void;
 *   goTo: (mark: number) => void;
 * }} ReadingHost
 */

export class Reading {
  #example = 0;
  /** @type {Article | null} */
  #article = null;
  /** @type {ArticleData} */
  #data;

  /**
   * @param {ArticleData} data
   * @param {ReadingHost} host
   */
  constructor(data, host) {
    this.#data = data;
    this.host = host;
    const goTo = (/** @type {Cell} */ cell) => this.#goToCell(cell);
    this.verdict = new Verdict({ goTo, settled: () => {} }, data.words);
    this.said = p("said");
    this.tabs = div("tabs");
    this.settings = div("settings");
    this.matrices = div("matrices");
    this.name = element("strong");
    this.root = element(
      "section",
      { class: "reading", "aria-label": data.words.example },
      this.name,
      this.tabs,
      this.verdict.root,
      this.said,
      this.settings,
      this.matrices,
    );
  }

  /**
   * @param {ArticleData} data
   * @param {Article} article
   */
  update(data, article) {
    this.#data = data;
    this.#article = article;
    this.#example = Math.min(this.#example, Math.max(0, article.examples.length - 1));
    setText(this.name, data.name);
    redrawn(this.root, () => this.#draw(article));
  }

  /** Show the card of a matrix. @param {number} number */
  goTo(number) {
    if (!this.#article) return;
    const { matrices } = this.#article;
    const { example, name, head } = matrices[number];
    if (example !== null && example !== this.#example) {
      this.#example = example;
      this.#draw(this.#article);
    }
    const isIt = (/** @type {ArticleMatrix} */ one) =>
      !one.again && one.example === example && one.name === name && one.head === head;
    const at = matrices[number].again ? matrices.findIndex(isIt) : number; // one card for all its places
    const card = this.matrices.querySelector(`[data-card="${at}"]`);
    card?.scrollIntoView({ block: "center" });
    if (card instanceof HTMLElement) card.focus({ preventScroll: true });
  }

  /** @param {Cell} cell */
  #goToCell({ name, head, row, col }) {
    const marks = this.#article?.marks ?? [];
    const isThere = (/** @type {ArticleMark} */ { example, cell }) =>
      example === this.#example &&
      cell.name === name &&
      cell.head === head &&
      cell.row === row &&
      cell.col === col;
    const mark = marks.findIndex(isThere);
    if (mark >= 0) this.host.goTo(mark);
  }

  /** @param {Article} article */
  #draw(article) {
    const example = article.examples[this.#example];
    const check = example?.check ?? null;
    const causes = check?.causes?.map((cause) => ({ ...cause, walk: "" })); // the walk has another example
    this.verdict.update(check && { ...check, causes }, {});
    setText(
      this.said,
      prose(!check && (example?.said ?? article.nothing), example?.also, ...this.#counts(article)),
    );
    this.said.hidden = !this.said.textContent;
    this.tabs.replaceChildren(...this.#tabs(article));
    this.settings.replaceChildren(...(example ? this.#settings(example) : []));
    this.matrices.replaceChildren(...this.#cards(article));
  }

  /** How much is guessed, and not used. @param {Article} article */
  #counts({ matrices }) {
    const { words } = this.#data;
    const guesses = matrices.filter(({ name, sure, again }) => name && !sure && !again).length;
    const unused = matrices.filter(({ name }) => !name).length;
    return [
      guesses > 0 && fill(words.guesses_said, { count: guesses }),
      unused > 0 && fill(words.unused_said, { count: unused }),
    ];
  }

  /** @param {Article} article */
  #tabs(article) {
    if (article.examples.length < 2) return [];
    return article.examples.map(({ check }, at) => {
      const onclick = () => {
        this.#example = at;
        redrawn(this.root, () => this.#draw(article));
      };
      const sign = check ? (check.state === "wrong" ? " ✗" : " ✓") : "";
      const text = fill(this.#data.words.example_n, { number: at + 1 }) + sign;
      return pressable(at === this.#example, { onclick, data: { focus: `example ${at}` } }, text);
    });
  }

  /** @param {ArticleExample} example */
  #settings({ form, scale, mask }) {
    const { words } = this.#data;
    const forms = ["rows", "weights by output", "columns", "columns, scores by query"];
    const scales = typeof scale === "number" ? ["sqrt_dk", "none", String(scale)] : ["sqrt_dk", "none"];
    const masks = mask === "printed" ? ["printed"] : ["none", "causal"];
    const open = (/** @type {string} */ to) =>
      button({ onclick: () => this.host.open(this.#example, to), data: { focus: to } }, words[to]);
    return [
      this.#setting("form", forms, form),
      this.#setting("scale", scales, String(scale)),
      this.#setting("mask", masks, mask),
      div("row", open("explore"), open("tables"), open("exercise")),
      p("note", this.#data.token ? words.linked : words.unlinked),
    ];
  }

  /**
   * @param {string} name
   * @param {string[]} values
   * @param {string} chosen
   */
  #setting(name, values, chosen) {
    const { words } = this.#data;
    const onchange = (/** @type {Event} */ event) => {
      const value = fieldText(event);
      this.host.set(name, Number(value) || value);
    };
    const options = values.map((value) =>
      element("option", { value, selected: value === chosen }, words[`${name}:${value}`] ?? value),
    );
    const disabled = values.length < 2;
    const select = element("select", { onchange, disabled, data: { focus: name } }, ...options);
    return element("label", { class: "setting" }, element("span", {}, words[name]), select);
  }

  /** @param {Article} article */
  *#cards({ matrices, examples }) {
    const { words, names } = this.#data;
    const heads = examples[this.#example]?.heads ?? 1;
    const card = (/** @type {ArticleMatrix} */ matrix, /** @type {number} */ number) =>
      new MatrixCard({ matrix, number, heads, names, words, host: this.host }).root;
    const numbered = matrices.map((matrix, number) => ({ matrix, number }));
    const here = examples.length ? this.#example : null; // without an example, what there is of one
    const used = numbered.filter(({ matrix }) => matrix.name && matrix.example === here && !matrix.again);
    const order = new Map(names.map(([name], at) => [name, at]));
    const rank = (/** @type {ArticleMatrix} */ { name, head }) => [order.get(name) ?? 0, head ?? -1];
    used.sort((a, b) => rank(a.matrix)[0] - rank(b.matrix)[0] || rank(a.matrix)[1] - rank(b.matrix)[1]);
    for (const { matrix, number } of used) yield card(matrix, number);
    const unused = numbered.filter(({ matrix }) => !matrix.name);
    if (unused.length) yield element("h3", {}, fill(words.unused_n, { count: unused.length }));
    for (const { matrix, number } of unused) yield card(matrix, number);
  }
}
