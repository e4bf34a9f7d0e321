// A query that may attend to nothing: one row for each library, with the weights and the output that it gives.

import { element } from "../mha.bench/dom.js";
import { brief, isRounded } from "../mha.bench/numbers.js";
import { largest, Line, redraw, Sheet, show, tint } from "./sheet.js";

const MOST = 8; // terms of a sum that the line tells

export class Dead {
  constructor(root) {
    this.root = root;
    this.table = element("div", { class: "box" });
    this.sheet = new Sheet(this.table, (info, td, spoken) => this.#show(info, td, spoken));
  }

  update(model) {
    this.model = model;
    this.line = new Line(model.words.hint_dead);
    this.sheet.clear();
    this.table.replaceChildren(this.#table());
    redraw(this.root, this.table, this.line.root);
    this.sheet.rest();
  }

  #table() {
    const { labels, outcomes, scores, words, query } = this.model;
    const width = outcomes[0].output.length;
    const column = (text, span, scope = "colgroup") =>
      element("th", { scope, colspan: span > 1 ? span : null, class: "group" }, text);
    const name = (text) =>
      element(
        "th",
        { scope: "col", title: text },
        element("span", { class: "label" }, element("bdi", {}, text)),
      );
    const groups = element(
      "tr",
      {},
      column(words.rule, 1, "col"),
      column(words.gives, 1, "col"),
      column(words.weights_over, labels.n_k.length),
      column(words.sum, 1, "col"),
      width ? column(words.head_output, width) : null,
    );
    const names = element(
      "tr",
      {},
      element("td", { class: "corner" }),
      element("td", { class: "corner" }),
      ...labels.n_k.map(name),
      element("td", { class: "corner" }),
      ...outcomes[0].output.map((_, c) => name(String(c + 1))),
    );
    const top = largest([scores]);
    const before = element(
      "tr",
      { class: "scores" },
      element(
        "th",
        { scope: "row", colspan: 2 },
        words.scores_of,
        " ",
        element("bdi", {}, labels.n_q[query]),
      ),
      ...scores.map((value, c) => this.#cell(`score|${c}`, value, top, { score: c }, c ? -1 : 0)),
      element("td", { class: "corner", colspan: width + 1 }),
    );
    const body = outcomes.map((outcome) => this.#row(outcome));
    return element(
      "table",
      { class: "matrix rules", role: "grid", "aria-readonly": "true", "aria-label": words.section_dead },
      element("thead", {}, groups, names),
      element("tbody", {}, before, ...body),
    );
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
        element("span", { class: "library" }, library),
        call ? element("code", {}, call) : null,
        element("span", { class: "why" }, why),
      ),
      element(
        "td",
        { class: "verdict-kind" },
        element("span", { class: `badge ${kind}` }, words[`kind_${kind}`]),
      ),
      ...weights.map((value, c) =>
        this.#cell(`weight|${rule}|${c}`, value, 1, { outcome, weight: c }, c ? -1 : 0, "weight"),
      ),
      this.#cell(`sum|${rule}`, total, Infinity, { outcome, sum: true }, -1),
      ...output.map((value, c) => this.#cell(`output|${rule}|${c}`, value, top, { outcome, output: c }, -1)),
    );
  }

  #cell(key, value, top, info, tabindex, name = "") {
    const { kind, tone = 0 } = tint(value, top);
    const text = show(value, Number.isInteger(value) ? 0 : this.model.decimals);
    const td = element(
      "td",
      { "data-key": key, "data-kind": kind, class: name, tabindex, style: `--tone: ${tone.toFixed(3)}` },
      text,
    );
    this.sheet.adopt(td, key, info);
    return td;
  }

  #show(info, td, spoken) {
    if (!info) return this.line.write(null);
    const { model, sheet } = this;
    const { words, labels, query } = model;
    sheet.markOne(td, "current");
    const place = (text) =>
      element("span", { class: "place" }, element("bdi", {}, labels.n_q[query]), " → ", text);
    if (info.score !== undefined) {
      const score = brief(model.scores[info.score], model.decimals);
      return this.line.write(
        [
          element(
            "p",
            {},
            place(element("bdi", {}, labels.n_k[info.score])),
            ` = ${score}`,
            element("span", { class: "quiet-text" }, ` (${words.hidden})`),
          ),
        ],
        spoken,
      );
    }
    const { outcome } = info;
    const named = [outcome.library, outcome.call].filter(Boolean).join(" ");
    const said = element("p", { class: "quiet-text" }, `${named}: ${outcome.why}`);
    const how = this.#arithmetic(info);
    for (const [key] of how.marks) sheet.mark(key, "operand");
    const what =
      info.output !== undefined
        ? `${words.head_output} ${info.output + 1}`
        : info.sum
          ? words.sum
          : element("bdi", {}, labels.n_k[info.weight]);
    this.line.write([element("p", {}, place(what), " = ", ...how.nodes), said], spoken);
  }

  /** Sums and products of what stands there already; a weight is what its library's rule says. */
  #arithmetic({ outcome, weight, sum, output }) {
    const { decimals, values } = this.model;
    const told = (value) => (value === "nan" ? "NaN" : bracketed(brief(value, decimals)));
    if (weight !== undefined) return { marks: [], nodes: [this.#power(outcome, weight)] };
    const terms = outcome.weights.map((value, c) =>
      [...(sum ? [] : [told(values[c][output]), " · "]), told(value)].reverse(),
    );
    const some = terms.length <= MOST ? terms : [...terms.slice(0, MOST - 2), ["…"], ...terms.slice(-2)];
    const total = sum ? outcome.total : outcome.output[output];
    const rounded = [...outcome.weights, total, ...(sum ? [] : values.map((row) => row[output]))].some(
      (value) => isRounded(value, decimals),
    );
    const line = some.map((term) => term.join("")).join(" + ");
    return {
      marks: outcome.weights.map((_, c) => [`weight|${outcome.rule}|${c}`]),
      nodes: [`${line} ${rounded ? "≈" : "="} `, element("strong", {}, show(total, decimals))],
    };
  }

  #power({ kind, weights }, at) {
    const count = weights.length;
    const shown = element(
      "strong",
      {},
      show(weights[at], Number.isInteger(weights[at]) ? 0 : this.model.decimals),
    );
    if (kind === "nan") return element("span", {}, "0 ÷ 0 = ", shown);
    if (kind === "uniform")
      return element(
        "span",
        {},
        `1 ÷ ${count} ${isRounded(weights[at], this.model.decimals) ? "≈" : "="} `,
        shown,
      );
    return shown;
  }
}

const bracketed = (text) => (text.startsWith("−") ? `(${text})` : text);
