// Row and column: every step in both conventions, and the numbers of one of them.

import { element, fill, symbol } from "../mha.bench/dom.js";
import { headOf, key, termsOf } from "../mha.bench/graph.js";
import { labelsOf, marked, matrixOf, placeOf, told } from "./numbers.js";
import { choice, Line, redraw, Sheet } from "./sheet.js";

const FIRST = "q"; // what stands open at first, where the head has it
const FORMS = [
  ["row", "in_rows", "rows_are"],
  ["column", "in_columns", "columns_are"],
];
/** What stands before an operation's operands, between them and behind them. */
const SIGNS = {
  matmul: ["", "·"],
  multiply: ["", "·"],
  add: ["", "+"],
  divide: ["", "÷"],
  normalize: ["", "÷"],
  hide: ["mask", ","],
  softmax: ["softmax", ""],
  tanh: ["tanh", ""],
  norm: ["‖ ‖", ""],
  sinusoid: ["sin, cos", ""],
  rotate: ["rotate", ","],
  linear_bias: ["", ","],
};

export class Rows {
  #head = 0;
  #name = FIRST;

  constructor(root) {
    this.root = root;
    this.equations = element("div", { class: "equations" });
    this.sheet = new Sheet(this.equations, (info, td, spoken) => this.#show(info, td, spoken));
  }

  update(model) {
    this.model = model;
    this.line = new Line(model.words.hint_rows);
    this.#head = Math.min(this.#head, model.entries.length - 1);
    this.#draw();
  }

  #draw() {
    const { model } = this;
    const { words } = model;
    this.entries = model.entries[this.#head];
    const last = this.entries.at(-1);
    this.entry =
      this.entries.find(({ name }) => name === this.#name) ?? this.entries.find(({ op }) => op) ?? last;
    const heads = model.entries.map((_, head) => ({
      value: head,
      text: fill(words.head_n, { head: head + 1 }),
      accent: head,
    }));
    const choose = (head) => {
      this.#head = head;
      this.#draw();
    };
    const steps = element(
      "div",
      { class: "steps" },
      heads.length > 1 ? choice(words.heads_of, heads, this.#head, choose) : null,
      this.#overview(),
    );
    this.sheet.clear();
    this.equations.replaceChildren(
      ...FORMS.map(([form, title, about]) => this.#equation(form, words[title], words[about])),
    );
    redraw(this.root, element("div", { class: "beside" }, steps, this.equations), this.line.root);
    this.sheet.rest();
  }

  // --- the overview ----------------------------------------------------------------------------------------------

  #overview() {
    const { words } = this.model;
    const head = element(
      "tr",
      {},
      element("th", { scope: "col" }, words.matrix),
      element("th", { scope: "col" }, words.rows_are),
      element("th", { scope: "col" }, words.columns_are),
    );
    const table = element(
      "table",
      { class: "overview", "aria-label": words.all_steps },
      element("thead", {}, head),
      element("tbody", {}, ...this.entries.map((entry) => this.#row(entry))),
    );
    return element("div", { class: "box", tabindex: 0, role: "group", "aria-label": words.all_steps }, table);
  }

  #row(entry) {
    const here = entry === this.entry;
    const { name, row, column } = entry;
    const { word, hue } = this.model.matrices[name];
    const open = () => {
      this.#name = name;
      this.#draw();
    };
    const button = element(
      "button",
      { type: "button", class: "quiet", "aria-current": here ? "true" : null, "data-focus": `step ${name}` },
      word,
    );
    return element(
      "tr",
      { class: `hue-${hue || "none"} ${here ? "here" : ""}`, "data-name": name, onclick: open },
      element("th", { scope: "row" }, button),
      this.#formula(row),
      this.#formula(column),
    );
  }

  #formula({ symbol: sign, formula, shape }) {
    const text = equation(sign, formula);
    return element(
      "td",
      {},
      element("span", { class: "formula" }, ...text),
      " ",
      element("span", { class: "shape" }, `${shape[0]} × ${shape[1]}`),
    );
  }

  // --- one step in numbers ---------------------------------------------------------------------------------------

  #equation(form, title, about) {
    const { words } = this.model;
    const { name, op } = this.entry;
    const { symbol: sign, formula, factors } = this.entry[form];
    const turned = form === "column";
    const result = this.#matrix(name, turned, sign);
    const given =
      !op && headOf(this.model, name, this.#head) !== this.#head && this.model.matrices[name].perHead;
    const sums = op === "softmax" ? ` (${turned ? words.sum_columns : words.sum_rows})` : "";
    const remark = given
      ? fill(words.of_head, { head: headOf(this.model, name, this.#head) + 1 })
      : op
        ? sums
        : words.given;
    const text = equation(sign, formula);
    const parts = op ? [...this.#operands(op, factors, turned), operator("="), result] : [result];
    return element(
      "section",
      { class: `equation ${form}`, "aria-label": `${title}: ${about}` },
      element("h3", {}, title, element("span", { class: "about" }, ` ${about}`)),
      element("p", { class: "formula" }, ...text, element("span", { class: "shape" }, ` ${remark}`)),
      element(
        "div",
        { class: "box" },
        element("div", { class: `parts ${op === "concat" ? `concat ${form}` : ""}` }, ...parts),
      ),
    );
  }

  #operands(op, factors, turned) {
    if (op === "concat") {
      const heads = this.model.entries.map((_, head) =>
        this.#matrix("head_outputs", turned, `head_${head + 1}${turned ? "′" : ""}`, head),
      );
      return [element("div", { class: "heads" }, ...heads)];
    }
    const [before, between] = SIGNS[op];
    const joined = factors.flatMap(({ name, symbol: sign, turned: lies }, i) => [
      i ? operator(i === 2 && op === "matmul" ? "+" : between) : null,
      this.#matrix(name, lies, sign),
    ]);
    const divisor = op === "divide" ? [operator(this.entry.row.formula.split(" ").slice(1).join(" "))] : [];
    const arrow = op === "softmax" ? (turned ? " ↓" : " →") : "";
    return [before ? operator(before + arrow) : null, ...joined, ...divisor].filter(Boolean);
  }

  #matrix(name, turned, sign, head = this.#head) {
    const { model } = this;
    const { rows, head: of, cell, scale, hue } = matrixOf(model, name, head);
    const [down, across] = model.matrices[name].axes;
    const rowLabels = marked(model, name, of, labelsOf(model, down, rows.length));
    const colLabels = labelsOf(model, across, rows[0].length);
    const shape = turned ? `${rows[0].length} × ${rows.length}` : `${rows.length} × ${rows[0].length}`;
    const at = (r, c) => {
      const spec = turned ? cell(c, r) : cell(r, c);
      spec.info.turned = turned;
      return spec;
    };
    return this.sheet.table({
      sign,
      shape,
      label: `${model.matrices[name].word} ${sign.replaceAll("_", "")}, ${shape}`,
      hue,
      scale,
      rowLabels: turned ? colLabels : rowLabels,
      colLabels: turned ? rowLabels : colLabels,
      cell: at,
    });
  }

  #show(info, td, spoken) {
    if (!info) return this.line.write(null);
    const { model, sheet } = this;
    const { cell } = info;
    for (const of of termsOf(model, cell).flat()) sheet.mark(key(of), "operand");
    sheet.mark(key(cell), "twin", td);
    sheet.markOne(td, "current");
    const entry = this.#entryOf(cell);
    const lines = FORMS.map(([form, title]) => {
      const turned = form === "column";
      const { symbol: sign, formula } = entry[form];
      const placed = (of) => placeOf(model, of, this.#entryOf(of)[form].symbol, { turned });
      const step =
        formula && formula !== sign && termsOf(model, cell).length
          ? [" = ", element("span", { class: "formula" }, symbol(formula))]
          : [];
      return element(
        "p",
        { class: form },
        element("span", { class: "tag" }, model.words[title]),
        " ",
        placed(cell),
        ...step,
        " = ",
        ...told(model, cell, turned, placed),
      );
    });
    this.line.write(lines, spoken);
  }

  /** Another head's output, in the concatenation, is named after that head. */
  #entryOf({ name, head }) {
    const heads = head === null ? [this.#head] : [head, this.#head];
    return heads.flatMap((of) => this.model.entries[of]).find((entry) => entry.name === name);
  }
}

/** A letter and what it is computed as; ‖Q‖ says that itself. */
const equation = (sign, formula) =>
  formula && formula !== sign ? [symbol(sign), " = ", symbol(formula)] : [symbol(sign)];

const operator = (text) => element("span", { class: "operator", "aria-hidden": "true" }, symbol(text));
