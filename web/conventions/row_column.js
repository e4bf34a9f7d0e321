// Row and column: every step in both conventions, and the numbers of one of them.

import { button, div, element, fill, operator, p, shapeOf, span, symbol, titled } from "../kit/dom.js";
import { headOf, key, termsOf } from "../kit/graph.js";
import { table } from "../kit/layout.js";
import { arithmeticOf, placeOf } from "./matrix_cells.js";
import { choice, MatrixSection, terms } from "./sheet.js";

const FIRST = "q"; // the step that is open at first, where the head has it

/** The conventions, with the keys of their titles and of what they say. */
const FORMS = /** @type {const} */ ([
  ["row", "in_rows", "rows_are"],
  ["column", "in_columns", "columns_are"],
]);

/** @typedef {"row" | "column"} FormName */

/** @extends {MatrixSection<RowColumnModel>} */
export class RowAndColumn extends MatrixSection {
  #head = 0;
  /** The name of the step that is open. */
  #name = FIRST;

  /** @param {RowColumnModel} model */
  constructor(model) {
    super(model, "equations");
  }

  pictures() {
    const { entries, words } = this.model;
    this.#head = Math.min(this.#head, entries.length - 1); // the example may have fewer heads than before
    return FORMS.map(([form, title, about]) => this.#equation(form, words[title], words[about]));
  }

  aboveLine() {
    const { entries, words } = this.model;
    const heads = entries.map((_, head) => ({
      value: head,
      text: fill(words.head_n, { head: head + 1 }),
      head,
    }));
    /** @param {number} head */
    const choose = (head) => {
      this.#head = head;
      this.draw();
    };
    const choices = heads.length > 1 ? choice(words.heads_of, heads, this.#head, choose) : null;
    const steps = div("steps", choices, this.#allSteps());
    return [div("beside", steps, this.tables)];
  }

  /** The steps of the head. */
  get #entries() {
    return this.model.entries[this.#head];
  }

  /** The step that is open, else the first one that is computed, else the last. */
  get #entry() {
    const entries = this.#entries;
    return (
      entries.find(({ name }) => name === this.#name) ??
      entries.find(({ op }) => op) ??
      entries[entries.length - 1]
    );
  }

  // --- all steps ---------------------------------------------------------------------------------------------------

  #allSteps() {
    const { words } = this.model;
    const label = words.all_steps;
    const columns = [words.matrix, words.rows_are, words.columns_are];
    const steps = table(
      { class: "all-steps", "aria-label": label },
      columns.map((text) => element("th", { scope: "col" }, text)),
      this.#entries.map((entry) => this.#row(entry)),
    );
    return element("div", { class: "box", tabindex: 0, role: "group", "aria-label": label }, steps);
  }

  /** @param {ConventionEntry} entry */
  #row(entry) {
    const isOpen = entry === this.#entry;
    const { name, row, column } = entry;
    const { word, hue } = this.model.matrices[name];
    const open = () => {
      this.#name = name;
      this.draw();
    };
    const current = isOpen ? "true" : null;
    const step = button({ class: "quiet", "aria-current": current, data: { focus: `step ${name}` } }, word);
    return element(
      "tr",
      { class: `hue-${hue || "none"} ${isOpen ? "here" : ""}`, "data-name": name, onclick: open },
      element("th", { scope: "row" }, step),
      formulaCell(row),
      formulaCell(column),
    );
  }

  // --- one step in numbers ---------------------------------------------------------------------------------------

  /** @param {FormName} form @param {string} title @param {string} about */
  #equation(form, title, about) {
    const { words } = this.model;
    const entry = this.#entry;
    const { name, op, rowwise } = entry;
    const { symbol: sign, formula } = entry[form];
    const turned = form === "column";
    const result = this.matrix(name, this.#head, sign, { turned });
    const owner = headOf(this.model, name, this.#head);
    const isBorrowed = owner !== null && owner !== this.#head;
    const given = isBorrowed ? fill(words.of_head, { head: owner + 1 }) : words.given;
    const sums = rowwise ? ` (${turned ? words.sum_columns : words.sum_rows})` : "";
    const parts = op ? [...this.#operands(entry, form), operator(symbol("=")), result] : [result];
    const concatenates = this.#readsEveryHead(entry) ? `concat ${form}` : "";
    return element(
      "section",
      { class: `equation ${form}`, "aria-label": titled(words, title, about) },
      element("h3", {}, title, span("about", ` ${about}`)),
      p("formula", ...equation(sign, formula), span("shape", ` ${op ? sums : given}`)),
      div("box", div(`parts ${concatenates}`, ...terms(parts))),
    );
  }

  /** @param {ConventionEntry} entry */
  #readsEveryHead({ name }) {
    return Boolean(this.model.steps[name]?.operands[0][2]);
  }

  /** @param {ConventionEntry} entry @param {FormName} form @returns {Child[]} */
  #operands(entry, form) {
    const { factors, signs } = entry[form];
    if (this.#readsEveryHead(entry)) {
      const [{ name, symbol: sign, transposed: turned }] = factors;
      const heads = this.model.entries.map((_, head) =>
        this.matrix(name, head, sign.replace("_i", `_${head + 1}`), { turned }),
      );
      return [div("heads", ...heads)];
    }
    const arrow = entry.rowwise ? (form === "column" ? " ↓" : " →") : "";
    const [before, ...behind] = signs.map((sign, i) =>
      sign ? operator(symbol(i ? sign : sign + arrow)) : null,
    );
    const tables = factors.map(({ name, symbol: sign, transposed: turned }) =>
      this.matrix(name, this.#head, sign, { turned }),
    );
    return [before, ...tables.flatMap((node, i) => [node, behind[i]])];
  }

  /** @param {MatrixInfo} info @param {HTMLTableCellElement} td */
  explainCell({ cell }, td) {
    const { model, sheet } = this;
    if (!cell) return [];
    for (const operand of termsOf(model, cell).flat()) sheet.mark(key(operand), "operand");
    sheet.mark(key(cell), "twin", td);
    sheet.markOne(td, "current");
    const entry = this.#entryOf(cell);
    return FORMS.map(([form, title]) => {
      const turned = form === "column";
      const { symbol: sign, formula } = entry[form];
      /** @param {Cell} place */
      const placed = (place) => placeOf(model, place, this.#entryOf(place)[form].symbol, { turned });
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

  /** The step of a cell. In a concatenation, another head's output has that head's name. @param {Cell} cell */
  #entryOf({ name, head }) {
    const heads = head === null ? [this.#head] : [head, this.#head];
    const entry = heads.flatMap((index) => this.model.entries[index]).find((other) => other.name === name);
    if (!entry) throw new Error(`no step ${name}`);
    return entry;
  }
}

/** @param {ConventionForm} form */
function formulaCell({ symbol: sign, formula, shape }) {
  const text = span("formula", ...equation(sign, formula));
  return element("td", {}, text, " ", span("shape", shapeOf(shape[0], shape[1])));
}

/** A letter and its formula; ‖Q‖ is its own formula. @type {(sign: string, formula: string) => Child[]} */
const equation = (sign, formula) =>
  formula && formula !== sign
    ? [symbol(sign), " ", span(/[|;]/.test(formula) ? "rest long" : "rest", "= ", symbol(formula))]
    : [symbol(sign)];
