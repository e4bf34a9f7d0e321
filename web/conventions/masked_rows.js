// A query that may attend to nothing: one row for each library, with the weights and the output that it gives.

import { some } from "../kit/arithmetic.js";
import { element, p, span } from "../kit/dom.js";
import { corner, table } from "../kit/layout.js";
import { brief, format, isRounded, kindOf, largest, parenthesised, toneOf } from "../kit/numbers.js";
import { labelled, Section } from "./sheet.js";

const MOST = 8; // terms of a sum that the line tells

export class Dead extends Section {
  constructor(part) {
    super(part, "box");
  }

  pictures() {
    const { labels, outcomes, scores, words, query } = this.model;
    const { output } = outcomes[0];
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
    const name = (text) => labelled("col", text);
    const keys = labels.n_k.map(name);
    const columns = output.map((_, c) => name(String(c + 1)));
    const top = largest(scores);
    const of = element("bdi", {}, labels.n_q[query]);
    const before = element(
      "tr",
      { class: "scores" },
      element("th", { scope: "row", colspan: 2 }, words.scores_of, " ", of),
      ...scores.map((value, c) => this.#cell(`score|${c}`, value, top, { score: c }, c ? -1 : 0)),
      element("td", { class: "corner", colspan: output.length + 1 }),
    );
    return [
      table(
        { class: "matrix rules", role: "grid", "aria-readonly": "true", "aria-label": words.section_dead },
        [corner(), corner(), ...keys, corner(), ...columns],
        [before, ...outcomes.map((outcome) => this.#row(outcome))],
        { groups },
      ),
    ];
  }

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
      ...weights.map((value, c) =>
        this.#cell(`weight|${rule}|${c}`, value, 1, { outcome, weight: c }, c ? -1 : 0, "weight"),
      ),
      this.#cell(`sum|${rule}`, total, Infinity, { outcome, sum: true }, -1),
      ...output.map((value, c) => this.#cell(`output|${rule}|${c}`, value, top, { outcome, output: c }, -1)),
    );
  }

  #cell(key, value, top, info, tabindex, name = null) {
    const tint = { kind: kindOf(value), tone: toneOf(value, top) };
    return this.sheet.cell(key, { ...tint, text: this.#shown(value), info, name }, tabindex);
  }

  #shown(value) {
    return format(value, Number.isInteger(value) ? 0 : this.model.decimals);
  }

  explainCell(info, td) {
    const { model, sheet } = this;
    const { words, labels, query, decimals } = model;
    sheet.markOne(td, "current");
    const key = (at) => element("bdi", {}, labels.n_k[at]);
    const place = (text) => span("place", element("bdi", {}, labels.n_q[query]), " → ", text);
    if (info.score !== undefined) {
      const score = ` = ${brief(model.scores[info.score], decimals)}`;
      return [element("p", {}, place(key(info.score)), score, span("quiet-text", ` (${words.hidden})`))];
    }
    const { outcome, weight, sum, output } = info;
    const named = [outcome.library, outcome.call].filter(Boolean).join(" ");
    const reason = p("quiet-text", `${named}: ${outcome.why}`);
    const one = weight === undefined ? null : key(weight);
    const what = one ?? (sum ? words.sum : `${words.head_output} ${output + 1}`);
    return [element("p", {}, place(what), " = ", ...this.#arithmetic(info)), reason];
  }

  /** Sums and products of what stands there already; a weight is what its library's rule says. */
  #arithmetic({ outcome, weight, sum, output }) {
    const { decimals, values } = this.model;
    const { rule, weights, total, output: outputs } = outcome;
    if (weight !== undefined) return [this.#power(outcome, weight)];
    weights.forEach((_, c) => this.sheet.mark(`weight|${rule}|${c}`, "operand"));
    const printed = (value) => parenthesised(brief(value, decimals));
    const terms = weights.map((value, c) => [value, ...(sum ? [] : [values[c][output]])]);
    const result = sum ? total : outputs[output];
    const rounded = [...terms.flat(), result].some((value) => isRounded(value, decimals));
    const line = some(
      terms.map((factors) => factors.map(printed).join(" · ")),
      MOST,
      "…",
    ).join(" + ");
    return [`${line} ${rounded ? "≈" : "="} `, element("strong", {}, format(result, decimals))];
  }

  #power({ kind, weights }, at) {
    const shown = element("strong", {}, this.#shown(weights[at]));
    const equals = isRounded(weights[at], this.model.decimals) ? "≈" : "=";
    if (kind === "nan") return element("span", {}, "0 ÷ 0 = ", shown);
    if (kind === "uniform") return element("span", {}, `1 ÷ ${weights.length} ${equals} `, shown);
    return shown;
  }
}
