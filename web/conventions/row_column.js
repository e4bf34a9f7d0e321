// Row and column: every step in both conventions, and the numbers of one of them.

import { button, div, element, fill, operator, p, shapeOf, span, symbol } from "../kit/dom.js";
import { headOf, key, termsOf } from "../kit/graph.js";
import { table } from "../kit/layout.js";
import { arithmeticOf, placeOf } from "./matrix_cells.js";
import { choice, Section } from "./sheet.js";

const FIRST = "q"; // what stands open at first, where the head has it
const FORMS = [
  ["row", "in_rows", "rows_are"],
  ["column", "in_columns", "columns_are"],
];

export class Rows extends Section {
  #head = 0;
  #name = FIRST;

  constructor(part) {
    super(part, "equations");
  }

  pictures() {
    const { entries, words } = this.model;
    this.#head = Math.min(this.#head, entries.length - 1);
    this.entries = entries[this.#head];
    this.entry =
      this.entries.find(({ name }) => name === this.#name) ??
      this.entries.find(({ op }) => op) ??
      this.entries.at(-1);
    return FORMS.map(([form, title, about]) => this.#equation(form, words[title], words[about]));
  }

  around() {
    const { entries, words } = this.model;
    const heads = entries.map((_, head) => ({
      value: head,
      text: fill(words.head_n, { head: head + 1 }),
      head,
    }));
    const choose = (head) => {
      this.#head = head;
      this.draw();
    };
    const choices = heads.length > 1 ? choice(words.heads_of, heads, this.#head, choose) : null;
    const steps = div("steps", choices, this.#allSteps());
    return [div("beside", steps, this.tables)];
  }

  // --- all steps ---------------------------------------------------------------------------------------------------

  #allSteps() {
    const { words } = this.model;
    const label = words.all_steps;
    const columns = [words.matrix, words.rows_are, words.columns_are];
    const steps = table(
      { class: "all-steps", "aria-label": label },
      columns.map((text) => element("th", { scope: "col" }, text)),
      this.entries.map((entry) => this.#row(entry)),
    );
    return element("div", { class: "box", tabindex: 0, role: "group", "aria-label": label }, steps);
  }

  #row(entry) {
    const here = entry === this.entry;
    const { name, row, column } = entry;
    const { word, hue } = this.model.matrices[name];
    const open = () => {
      this.#name = name;
      this.draw();
    };
    const current = here ? "true" : null;
    const step = button({ class: "quiet", "aria-current": current, data: { focus: `step ${name}` } }, word);
    return element(
      "tr",
      { class: `hue-${hue || "none"} ${here ? "here" : ""}`, "data-name": name, onclick: open },
      element("th", { scope: "row" }, step),
      this.#formula(row),
      this.#formula(column),
    );
  }

  #formula({ symbol: sign, formula, shape }) {
    const text = span("formula", ...equation(sign, formula));
    return element("td", {}, text, " ", span("shape", shapeOf(shape[0], shape[1])));
  }

  // --- one step in numbers ---------------------------------------------------------------------------------------

  #equation(form, title, about) {
    const { words } = this.model;
    const { name, op, rowwise } = this.entry;
    const { symbol: sign, formula } = this.entry[form];
    const turned = form === "column";
    const result = this.matrix(name, this.#head, sign, { turned });
    const owner = headOf(this.model, name, this.#head);
    const borrowed = owner !== null && owner !== this.#head;
    const given = borrowed ? fill(words.of_head, { head: owner + 1 }) : words.given;
    const sums = rowwise ? ` (${turned ? words.sum_columns : words.sum_rows})` : "";
    const text = equation(sign, formula);
    const parts = op ? [...this.#operands(form), operator(symbol("=")), result] : [result];
    const gathers = this.#gathers() ? `concat ${form}` : "";
    return element(
      "section",
      { class: `equation ${form}`, "aria-label": `${title}: ${about}` },
      element("h3", {}, title, span("about", ` ${about}`)),
      p("formula", ...text, span("shape", ` ${op ? sums : given}`)),
      div("box", div(`parts ${gathers}`, ...parts)),
    );
  }

  /** Whether this step reads a matrix of every head. */
  #gathers() {
    return Boolean(this.model.steps[this.entry.name]?.operands[0][2]);
  }

  #operands(form) {
    const { rowwise, [form]: equation } = this.entry;
    const { factors, signs } = equation;
    if (this.#gathers()) {
      const [{ name, symbol: sign, transposed: turned }] = factors;
      const heads = this.model.entries.map((_, head) =>
        this.matrix(name, head, sign.replace("_i", `_${head + 1}`), { turned }),
      );
      return [div("heads", ...heads)];
    }
    const arrow = rowwise ? (form === "column" ? " ↓" : " →") : "";
    const [before, ...behind] = signs.map((sign, i) =>
      sign ? operator(symbol(i ? sign : sign + arrow)) : null,
    );
    const tables = factors.map(({ name, symbol: sign, transposed: turned }) =>
      this.matrix(name, this.#head, sign, { turned }),
    );
    return [before, ...tables.flatMap((table, i) => [table, behind[i]])].filter(Boolean);
  }

  explainCell({ cell }, td) {
    const { model, sheet } = this;
    for (const of of termsOf(model, cell).flat()) sheet.mark(key(of), "operand");
    sheet.mark(key(cell), "twin", td);
    sheet.markOne(td, "current");
    const entry = this.#entryOf(cell);
    return FORMS.map(([form, title]) => {
      const turned = form === "column";
      const { symbol: sign, formula } = entry[form];
      const placed = (of) => placeOf(model, of, this.#entryOf(of)[form].symbol, { turned });
      const step =
        formula && formula !== sign && termsOf(model, cell).length
          ? [" = ", span("formula", symbol(formula))]
          : [];
      return element(
        "p",
        { class: form },
        span("tag", model.words[title]),
        " ",
        placed(cell),
        ...step,
        " = ",
        ...arithmeticOf(model, cell, turned, placed),
      );
    });
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
