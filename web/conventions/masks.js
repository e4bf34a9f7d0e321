// Masks of the libraries: the same pairs are hidden in all of them, but the cells have other values.

import { copyText } from "../kit/copy.js";
import { button, div, element, p, span, titled } from "../kit/dom.js";
import { Section } from "./sheet.js";

/** Whether a mask says which keys are hidden from every query. @param {LibraryMask} form */
const isPadding = ({ name }) => name.endsWith("padding");

/**
 * `pairs`: the pairs that a cell is for; `keys`: how they are lit up; `column`: of a padding mask, null.
 * @typedef {{ keys: string[]; pairs: [number, number][]; column: number | null }} MaskInfo
 */

/** @extends {Section<MasksModel, MaskInfo>} */
export class Masks extends Section {
  /** For each pair whether it is hidden, where a form says so. @type {boolean[][] | undefined} */
  hidden;

  /** @param {MasksModel} model */
  constructor(model) {
    super(model, "cards");
  }

  pictures() {
    const { forms, labels } = this.model;
    const whole = forms.find(({ rows }) => rows.length > 1 || rows.length === labels.n_q.length);
    this.hidden = whole?.rows.map((row) => row.map((text) => text === "False" || text === "−∞"));
    return forms.map((form) => this.#card(form));
  }

  /** @param {LibraryMask} form */
  #card(form) {
    const { words } = this.model;
    const { library, argument, polarity, error, rows, code } = form;
    const head = [
      element("h3", {}, library),
      element("p", {}, element("code", {}, argument), " ", span("polarity", polarity)),
    ];
    /** @type {(label: string, ...content: Child[]) => HTMLElement} */
    const card = (label, ...content) =>
      element("section", { class: "card", "aria-label": label }, ...head, ...content);
    if (error) return card(library, p("note refused", `${error}.`));
    const label = titled(words, words.copy_python, `${library} ${argument}`);
    const data = { focus: `copy ${form.name}` };
    const copy = button({ class: "quiet", "aria-label": label, data }, words.copy_python);
    copy.addEventListener("click", async () => {
      if (await copyText(code)) copy.textContent = words.copied_python;
    });
    const box = div("box", this.#table(form));
    return card(`${library}, ${argument}`, box, rows.length ? copy : null);
  }

  /** @param {LibraryMask} form */
  #table(form) {
    const { labels } = this.model;
    const { rows, library, argument } = form;
    const isWhole = rows.length === labels.n_q.length && !isPadding(form);
    return this.sheet.table({
      label: titled(this.model.words, library, argument),
      rowLabels: isWhole ? labels.n_q : [""],
      colLabels: labels.n_k,
      cell: (r, c) => {
        /** @type {[number, number][]} */
        const pairs = isWhole ? [[r, c]] : labels.n_q.map((_, query) => [query, c]);
        const isHidden = this.hidden?.[isWhole ? r : 0]?.[c];
        const keys = pairs.map(([query, to]) => `pair|${query}|${to}`);
        return {
          key: isWhole ? keys[0] : `keys|${c}`,
          also: isWhole ? [] : keys,
          text: rows[r][c],
          kind: isHidden ? "hidden" : "open",
          info: { keys, pairs, column: isWhole ? null : c },
        };
      },
    });
  }

  /**
   * What every library has for a pair.
   * @param {MaskInfo} info
   * @param {HTMLTableCellElement} td
   */
  explainCell({ keys, pairs, column }, td) {
    const { labels, forms, words } = this.model;
    for (const key of keys) this.sheet.mark(key, "twin", td);
    this.sheet.markOne(td, "current");
    const [query, to] = pairs[0];
    /** @type {(word: string, text: string) => Child[]} */
    const named = (word, text) => [`${word} `, element("bdi", {}, text)];
    const place = column === null ? [...named(words.query, labels.n_q[query]), ", "] : [];
    const isHidden = this.hidden?.[query]?.[to];
    const entries = forms
      .filter(({ rows }) => rows.length)
      .flatMap((form, i) => {
        const value = element("strong", {}, form.rows[isPadding(form) ? 0 : query][to]);
        const name = [span("quiet-text", `${form.library} `), element("code", {}, form.argument)];
        return [i ? " · " : "", span("pair", ...name, " ", value)];
      });
    const verdict = isHidden === undefined ? "" : ` (${isHidden ? words.hidden : words.visible})`;
    const key = named(words.key, labels.n_k[to]);
    return [element("p", {}, span("place", ...place, ...key), verdict), element("p", {}, ...entries)];
  }
}
