// A query that may attend to nothing: a row for each library, with the weights and the output that it gives.

import { some } from "../kit/arithmetic.js";
import { element, fillNodes, p, span, titled } from "../kit/dom.js";
import { corner, table } from "../kit/layout.js";
import { brief, format, isRounded, kindOf, largest, parenthesised, toneOf } from "../kit/numbers.js";
import { labelled, Section } from "./sheet.js";

const MOST = 8; // terms of a sum that the line prints

/**
 * A number of the table: a score, or a number that a library gives. `at` counts the keys, or the columns of the output.
 * @typedef {{ kind: "score"; at: number }
 *   | { kind: "weight" | "output"; at: number; outcome: MaskedOutcome }
 *   | { kind: "sum"; outcome: MaskedOutcome }} MaskedInfo
 */

/** @extends {Section<MaskedRowsModel, MaskedInfo>} */
export class MaskedRows extends Section {
  /** @param {MaskedRowsModel} model */
  constructor(model) {
    super(model, "box");
  }

  pictures() {
    const { labels, outcomes, words } = this.model;
    const { output } = outcomes[0];
    /** @type {(text: string, wide?: number) => HTMLElement} */
    const group = (text, wide = 0) =>
      element(
        "th",
        { scope: wide ? "colgroup" : "col", colspan: wide > 1 ? wide : null, class: "group" },
        text,
      );
    const groups = element(
      "tr",
      {},
      group(words.rule),
      group(words.gives),
      group(words.weights_over, labels.n_k.length),
      group(words.sum),
      output.length ? group(words.head_output, output.length) : null,
    );
    const keys = labels.n_k.map((text) => labelled("col", text));
    const columns = output.map((_, c) => labelled("col", String(c + 1)));
    return [
      table(
        { class: "matrix rules", role: "grid", "aria-readonly": "true", "aria-label": words.section_dead },
        [corner(), corner(), ...keys, corner(), ...columns],
        [this.#scoresRow(output.length), ...outcomes.map((outcome) => this.#row(outcome))],
        { groups },
      ),
    ];
  }

  /** The scores, all of which are hidden. @param {number} columns of the output */
  #scoresRow(columns) {
    const { labels, scores, words, query } = this.model;
    const top = largest(scores);
    const token = element("bdi", {}, labels.n_q[query]);
    return element(
      "tr",
      { class: "scores" },
      element("th", { scope: "row", colspan: 2 }, ...fillNodes(words.scores_of, { query: [token] })),
      ...scores.map((value, at) => this.#cell(`score|${at}`, value, top, { kind: "score", at }, at ? -1 : 0)),
      element("td", { class: "corner", colspan: columns + 1 }),
    );
  }

  /** What a library gives. @param {MaskedOutcome} outcome */
  #row(outcome) {
    const { words } = this.model;
    const { rule, kind, library, call, why, weights, total, output } = outcome;
    const top = largest(this.model.values);
    return element(
      "tr",
      { "data-rule": rule, "data-outcome": kind },
      element(
        "th",
        { scope: "row" },
        span("library", library),
        call ? element("code", {}, call) : null,
        span("why", why),
      ),
      element("td", { class: "verdict-kind" }, span(`badge ${kind}`, words[`kind_${kind}`])),
      ...weights.map((value, at) =>
        this.#cell(`weight|${rule}|${at}`, value, 1, { kind: "weight", at, outcome }, at ? -1 : 0, "weight"),
      ),
      this.#cell(`sum|${rule}`, total, Infinity, { kind: "sum", outcome }, -1),
      ...output.map((value, at) =>
        this.#cell(`output|${rule}|${at}`, value, top, { kind: "output", at, outcome }, -1),
      ),
    );
  }

  /**
   * @param {string} key
   * @param {Value} value
   * @param {number} top the number that has the full colour
   * @param {MaskedInfo} info
   * @param {number} tabindex
   * @param {string | null} [name] a further class
   */
  #cell(key, value, top, info, tabindex, name = null) {
    const tint = { kind: kindOf(value), tone: toneOf(value, top) };
    return this.sheet.cell({ key, ...tint, text: this.#shown(value), info, name }, tabindex);
  }

  /** @param {Value} value */
  #shown(value) {
    return format(value, Number.isInteger(value) ? 0 : this.model.decimals);
  }

  /** @param {MaskedInfo} info @param {HTMLTableCellElement} td */
  explainCell(info, td) {
    const { model, sheet } = this;
    const { words, labels, query, decimals } = model;
    sheet.markOne(td, "current");
    /** @param {number} at */
    const key = (at) => element("bdi", {}, labels.n_k[at]);
    /** @param {Child} text */
    const place = (text) => span("place", element("bdi", {}, labels.n_q[query]), " → ", text);
    if (info.kind === "score") {
      const score = ` = ${brief(model.scores[info.at], decimals)}`;
      return [element("p", {}, place(key(info.at)), score, span("quiet-text", ` (${words.hidden})`))];
    }
    const { outcome } = info;
    const library = [outcome.library, outcome.call].filter(Boolean).join(" ");
    const reason = p("quiet-text", titled(words, library, outcome.why));
    if (info.kind === "weight") {
      const weight = this.#weight(outcome, info.at);
      return [element("p", {}, place(key(info.at)), " = ", weight), reason];
    }
    const what = info.kind === "sum" ? words.sum : `${words.head_output} ${info.at + 1}`;
    const [terms, result] =
      info.kind === "sum"
        ? [outcome.weights.map((weight) => [weight]), outcome.total]
        : [
            outcome.weights.map((weight, row) => [weight, model.values[row][info.at]]),
            outcome.output[info.at],
          ];
    outcome.weights.forEach((_, at) => sheet.mark(`weight|${outcome.rule}|${at}`, "operand"));
    return [element("p", {}, place(what), " = ", ...this.#sum(terms, result)), reason];
  }

  /**
   * A sum of products, and its result.
   * @param {Value[][]} terms
   * @param {Value} result
   * @returns {Child[]}
   */
  #sum(terms, result) {
    const { decimals } = this.model;
    /** @param {Value} value */
    const printed = (value) => parenthesised(brief(value, decimals));
    const isInexact = [...terms.flat(), result].some((value) => isRounded(value, decimals));
    const line = some(
      terms.map((factors) => factors.map(printed).join(" · ")),
      MOST,
      "…",
    ).join(" + ");
    return [`${line} ${isInexact ? "≈" : "="} `, element("strong", {}, format(result, decimals))];
  }

  /**
   * A weight, as the library's rule makes it.
   * @param {MaskedOutcome} outcome
   * @param {number} at
   */
  #weight({ kind, weights }, at) {
    const shown = element("strong", {}, this.#shown(weights[at]));
    const equals = isRounded(weights[at], this.model.decimals) ? "≈" : "=";
    if (kind === "nan") return element("span", {}, "0 ÷ 0 = ", shown);
    if (kind === "uniform") return element("span", {}, `1 ÷ ${weights.length} ${equals} `, shown);
    return shown;
  }
}
