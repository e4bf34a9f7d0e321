// An exercise leads through the tables: one at a time to be worked out, with those that it is computed from beside it.
// A list of steps shows what is done and what is to come. There are hints, a measure of progress, and an end.

import {
  accent,
  active,
  button,
  div,
  element,
  fill,
  p,
  setAttribute,
  setText,
  span,
  symbol,
  titled,
} from "../../kit/dom.js";
import { isSame, key, operandsOf, rowsOf } from "../../kit/graph.js";
import { exact } from "../../kit/numbers.js";
import { cellIn } from "../../kit/selection.js";
import { View } from "../../kit/tables.js";
import { endOf } from "./practice_end.js";
import { inOneLine, isDone, nameOfTable, nextTable, progressOf, withPowers } from "./practice_steps.js";

const WHOLE = "whole";
let entered = 0; // the exercise that was begun last: the component may be mounted again by then

/** @typedef {Pick<Cell, "name" | "head">} Table */

/**
 * A step in the list. `item`: the whole of it; `mark` and `line`: whether it is done, and its numbers or what is left.
 * @typedef {{ item: HTMLElement; mark: HTMLElement; line: HTMLElement; name: string }} StepLine
 */

/**
 * `relay`: lay the tables out again; `explainSoon`: another cell may have to be explained; `announceText`: to a screen
 * reader.
 * @typedef {{
 *   readonly root: HTMLElement;
 *   readonly tables: HTMLElement;
 *   readonly view: View;
 *   readonly words: Record<string, string>;
 *   readonly explain: { root: HTMLElement };
 *   send: (edit: Edit) => void;
 *   goTo: (cell: Cell, block?: ScrollLogicalPosition) => void;
 *   relay: () => void;
 *   explainSoon: () => void;
 *   announceText: (text: string) => void;
 * }} PracticeHost
 */

export class Practice {
  #model;
  /** @type {string | null} */
  #open = null; // the name of the open table, or WHOLE
  #opened = -1; // the exercise that this is about, by the model's `opened`
  /** @type {Cell | null} */
  #at = null; // the claimed number that had the focus last
  /** @type {Cell | null} */
  #hinted = null; // the number that the next hint goes on with
  /** @type {StepLine[]} */
  #lines = [];
  #shownExplanations = ""; // as JSON
  #hasEnded = true; // whether the end has been shown
  #shownEnd = ""; // as JSON

  /**
   * @param {PracticeHost} host
   * @param {ExploreModel} model
   */
  constructor(host, model) {
    this.host = host;
    this.#model = model;
    this.summary = element("p", { class: "practice-summary", role: "status" });
    this.bar = element(
      "div",
      { class: "practice-bar", role: "progressbar", "aria-valuemin": 0 },
      div("done"),
    );
    this.progress = span("practice-far");
    this.toggle = button({ data: { focus: "whole sheet" }, onclick: () => this.#toggleWhole() });
    this.leave = button({
      data: { focus: "end_exercise" },
      onclick: () => host.send({ op: "end_exercise" }),
    });
    this.hint = div("practice-hint");
    this.hintButton = button({ class: "ask", data: { focus: "hint" }, onclick: () => this.#requestHint() });
    this.further = button({ class: "further", data: { focus: "next step" }, onclick: () => this.#next() });
    this.acts = div("practice-acts", this.further, this.hintButton, this.hint);
    for (const type of ["focusin", "focusout"]) this.acts.addEventListener(type, () => host.explainSoon());
    this.end = element("section", { class: "practice-end", tabindex: -1, hidden: true });
    const progress = div("practice-progress", this.bar, this.progress);
    const head = div("practice-head", progress, this.toggle, this.leave);
    this.root = element("section", { class: "practice", hidden: true }, head, this.summary, this.end);
  }

  get #practice() {
    return this.#model.check?.practice;
  }

  /** Whether the tables of one step are shown alone, whichever head they belong to. */
  get leads() {
    return Boolean(this.#practice) && this.#open !== WHOLE;
  }

  /** Its steps, and how far the learner is; "" where there is no exercise, or no address that leads back to it. */
  get title() {
    const { matrices, address } = this.#model;
    const practice = this.#practice;
    if (!practice || !address.ask) return "";
    const steps = address.ask.split(".").map((name) => matrices[name].word);
    const progress = fill(practice.texts.right_of, progressOf(practice.tables, this.#open));
    return [...steps, progress].join(" · ");
  }

  /**
   * Whether the tables on the page belong to another exercise.
   * @param {ExploreModel} model
   */
  isStale(model) {
    return Boolean(model.check?.practice) && model.opened !== this.#opened;
  }

  /**
   * The tables: all of them, or one step of an exercise with what it is computed from.
   * @param {ExploreModel} model
   * @param {ConstructorParameters<typeof View>[1]} options for all tables
   * @returns {View}
   */
  view(model, options) {
    this.#model = model;
    this.#shownExplanations = "";
    this.#lines = [];
    const practice = this.#practice;
    if (!practice) return new View(model, options);
    if (this.isStale(model)) this.#begin(model, practice);
    if (this.leads) return this.#stepView(model, practice);
    const view = new View(model, options);
    this.host.explain.root.prepend(this.acts);
    return view;
  }

  /**
   * @param {ExploreModel} model
   * @param {PracticeState} practice
   */
  #begin(model, { tables }) {
    this.#opened = model.opened;
    const first = nextTable(tables, -1);
    this.#open = first && nameOfTable(first);
    this.#at = null;
    this.#hasEnded = first === null;
  }

  /** Once an exercise has been set here, go to its first blank number. If it is in view, the page does not move. */
  enter() {
    const { begun } = this.#model;
    if (!begun || begun === entered) return;
    entered = begun;
    const table = this.#openTable;
    if (table) this.host.goTo(firstCell(table), "nearest");
  }

  /**
   * The list of steps, with the tables of the open one.
   * @param {ExploreModel} model
   * @param {PracticeState} practice
   */
  #stepView(model, practice) {
    const view = new View(model, { bare: true });
    const list = element("ol", { class: "practice-steps" });
    for (const table of practice.tables) {
      const step = this.#step(table);
      if (step.name === this.#open) step.item.append(stepTables(view, model, practice, table), this.acts);
      this.#lines.push(step);
      list.append(step.item);
    }
    view.root.classList.add("led");
    view.root.append(list);
    return view;
  }

  /**
   * @param {PracticeTable} table
   * @returns {StepLine}
   */
  #step(table) {
    const name = nameOfTable(table);
    const isOpen = name === this.#open;
    const mark = element("span", { class: "step-mark", "aria-hidden": "true" });
    const line = span("step-line");
    const attributes = {
      class: "step-name",
      "aria-expanded": String(isOpen),
      data: { focus: `step ${name}` },
      onclick: () => this.#show(isOpen ? null : name),
    };
    const title = button(attributes, mark, symbol(table.label), line);
    const style = table.head === null ? null : accent(table.head);
    return {
      name,
      mark,
      line,
      item: element("li", { class: "practice-step", style, data: { step: name } }, title),
    };
  }

  // --- keeping up with the numbers -----------------------------------------------------------------------------------

  /** @param {ExploreModel} model */
  update(model) {
    this.#model = model;
    const { check } = model;
    const practice = check?.practice;
    this.root.hidden = !practice;
    if (!practice) return;
    const { texts } = practice;
    setAttribute(this.root, "aria-label", texts.practice);
    this.#showProgress(practice);
    setText(this.summary, check.summary);
    this.summary.className = `practice-summary ${check.state}`;
    setText(this.toggle, this.#open === WHOLE ? texts.single : texts.whole);
    setText(this.leave, texts.end);
    for (const mark of ["own", "follows", "doubtful", "coarse", "nearly"])
      this.host.root.style.setProperty(`--said-${mark}`, JSON.stringify(texts[mark]));
    this.#patchSteps(practice);
    this.#patchHint(practice);
    this.#showExplanations(practice);
    this.#showEnd(practice);
  }

  /** @param {PracticeState} practice */
  #showProgress({ texts, tables }) {
    const progress = progressOf(tables, this.#open);
    const parts = [texts.step_of, texts.right_of].map((template) => fill(template, progress));
    setText(this.progress, parts.join(" · "));
    setAttribute(this.bar, "aria-label", texts.progress);
    setAttribute(this.bar, "aria-valuemax", String(progress.cells));
    setAttribute(this.bar, "aria-valuenow", String(progress.right));
    setAttribute(this.bar, "aria-valuetext", parts.join(", "));
    this.bar.style.setProperty("--done", `${(100 * progress.right) / progress.cells}%`);
  }

  /** @param {PracticeState} practice */
  #patchSteps(practice) {
    const { texts, tables } = practice;
    for (const [at, { item, mark, line, name }] of this.#lines.entries()) {
      const table = tables[at];
      item.classList.toggle("done", isDone(table));
      item.classList.toggle("faulty", table.wrong > 0);
      item.classList.toggle("open", name === this.#open);
      setText(mark, isDone(table) ? "✓" : table.wrong ? "✗" : String(at + 1));
      setText(line, this.#lineOf(table, texts));
    }
    const open = this.#openTable;
    const next = open && isDone(open) ? nextTable(tables, tables.indexOf(open)) : null;
    this.further.hidden = !next;
    setText(this.further, `✓ ${texts.next}`);
    setAttribute(this.further, "title", texts.step_done);
    const hadFocus = active(this.host.root) === this.hintButton;
    this.hintButton.hidden = this.#open !== WHOLE ? !open || isDone(open) : tables.every(isDone);
    // Tab from the last number leads to this button. If it is hidden now, the focus must not be lost.
    if (hadFocus && this.hintButton.hidden) (next ? this.further : this.toggle).focus();
  }

  /**
   * A step's numbers once it is done and closed, else how many are left.
   * @param {PracticeTable} table
   * @param {Record<string, string>} texts
   */
  #lineOf(table, texts) {
    if (!isDone(table)) return fill(texts.left, { count: table.cells - table.right });
    if (nameOfTable(table) === this.#open) return texts.done;
    const rows = rowsOf(this.#model, table.name, table.head);
    return rows ? inOneLine(rows.map((row) => row.map(exact))) : texts.done;
  }

  get #openTable() {
    return this.#practice?.tables.find((table) => nameOfTable(table) === this.#open) ?? null;
  }

  /** @param {PracticeState} practice */
  #patchHint({ texts, hint }) {
    const shown = hint && (this.#open === WHOLE || this.#open === nameOfTable(hint.cell)) ? hint : null;
    const next = this.#wanted();
    const continued = shown && (!next || isSame(next, shown.cell)) ? shown : null;
    this.#hinted = continued ? continued.cell : null;
    setText(this.hintButton, continued?.more || texts.hint);
    const isLast = continued && !continued.more;
    setAttribute(this.hintButton, "aria-disabled", isLast && "true"); // `disabled` would take the focus away
    for (const td of this.host.tables.querySelectorAll("td.hinted")) td.classList.remove("hinted");
    if (shown) this.host.view.cells.get(key(shown.cell))?.classList.add("hinted");
    const json = JSON.stringify(shown);
    if (this.hint.dataset.told === json) return;
    this.hint.dataset.told = json;
    this.hint.replaceChildren(
      ...(shown
        ? [element("strong", {}, titled(this.host.words, shown.rung, "")), ...withSuperscripts(shown.text)]
        : []),
    );
    this.host.announceText(shown ? titled(this.host.words, shown.rung, shown.text.replaceAll("_", "")) : "");
  }

  /**
   * Name the known mistakes below the rows that they are in.
   * @param {PracticeState} practice
   */
  #showExplanations({ explanations }) {
    const json = JSON.stringify(explanations);
    if (json === this.#shownExplanations) return;
    this.#shownExplanations = json;
    for (const row of this.host.tables.querySelectorAll("tr.told")) row.remove();
    for (const { cell, text } of explanations.toReversed()) {
      const row = this.host.view.cells.get(key(cell))?.closest("tr");
      const colspan = row?.children.length;
      row?.after(element("tr", { class: "told" }, element("td", { colspan }, "✗ ", symbol(text))));
    }
  }

  // --- hints -------------------------------------------------------------------------------------------------------

  /**
   * A number of the tables has the focus.
   * @param {HTMLElement | null} td
   */
  reached(td) {
    const practice = this.#practice;
    if (!td || !practice) return;
    const cell = cellIn(td);
    if (!this.#model.matrices[cell.name].claim) return;
    this.#at = cell;
    this.#patchHint(practice);
  }

  /** The number that a hint is for, while the button for one has the focus. */
  get hinted() {
    if (!this.#practice || active(this.host.root) !== this.hintButton) return null;
    return this.#hinted ?? this.#wanted();
  }

  /**
   * The number that a hint is wanted for: the one that had the focus last, if it is in the open table and not right. A
   * wrong number of that table comes first, as long as there is more to say of it; else the first that is not right.
   * @returns {Cell | null}
   */
  #wanted() {
    const table = this.#openTable ?? this.#at;
    if (!table) return null;
    const { name, head } = table;
    const rows = rowsOf(this.#model, name, head) ?? [];
    const cells = rows.flatMap((values, row) => values.map((_, col) => ({ name, head, row, col })));
    const last = this.#at && nameOfTable(this.#at) === nameOfTable(table) ? this.#at : null;
    const at = last && !this.#isRight(last) ? last : null;
    if (at && this.#isWrong(at)) return at;
    const hint = this.#practice?.hint;
    const isHintedFully = (/** @type {Cell} */ cell) => hint && !hint.more && isSame(hint.cell, cell);
    return (
      cells.find((cell) => this.#isWrong(cell) && !isHintedFully(cell)) ??
      at ??
      cells.find((cell) => !this.#isRight(cell)) ??
      null
    );
  }

  /** @param {Cell} cell */
  #isRight(cell) {
    return this.#model.marks?.[key(cell)] === "right";
  }

  /**
   * Whether a number is wrong, and does not merely follow from another wrong number.
   * @param {Cell} cell
   */
  #isWrong(cell) {
    return ["own", "doubtful"].includes(this.#model.marks?.[key(cell)] ?? "");
  }

  #requestHint() {
    if (this.hintButton.hasAttribute("aria-disabled")) return;
    this.host.send({ op: "hint", cell: this.#hinted ?? this.#wanted() });
  }

  // --- from step to step -------------------------------------------------------------------------------------------

  /** From one step to the whole sheet, at the same table, and back. */
  #toggleWhole() {
    const table = this.#openTable ?? nextTable(this.#practice?.tables ?? [], -1);
    this.#show(this.#open === WHOLE ? table && nameOfTable(table) : WHOLE);
    if (table) this.host.goTo(firstCell(table));
  }

  /** On to the next step, at its first number. */
  #next() {
    const tables = this.#practice?.tables ?? [];
    const open = this.#openTable;
    const next = nextTable(tables, open ? tables.indexOf(open) : -1);
    if (!next) return;
    this.#show(nameOfTable(next));
    this.host.goTo(firstCell(next));
  }

  /** @param {string | null} open the name of a table, or WHOLE; null: no table */
  #show(open) {
    this.#open = open;
    this.#at = null;
    this.host.relay();
  }

  /**
   * Open the step that a number belongs to.
   * @param {Cell} cell
   */
  reach(cell) {
    const table = this.#practice?.tables.find(({ name, head }) => name === cell.name && head === cell.head);
    if (table && this.#open !== WHOLE) this.#show(nameOfTable(table));
  }

  // --- the end -----------------------------------------------------------------------------------------------------

  /**
   * Show what came out of it, once all is right.
   * @param {PracticeState} practice
   */
  #showEnd({ end, texts }) {
    this.end.hidden = !end;
    if (!end) {
      this.#hasEnded = false;
      return;
    }
    const { class_link: classLink } = this.#model;
    const json = JSON.stringify([end, classLink]);
    if (json !== this.#shownEnd) {
      const another = () => this.host.send({ op: "another_exercise" });
      const announce = (/** @type {string} */ text) => this.host.announceText(text);
      const { head } = this.host.words;
      this.end.replaceChildren(...endOf(end, { texts, head, classLink, another, announce }));
    }
    this.#shownEnd = json;
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const focus = active(this.host.root);
    const hadFocus = this.host.tables.contains(focus) || focus === this.toggle;
    if (this.#open !== WHOLE) this.#show(null);
    this.end.scrollIntoView({ block: "nearest" });
    if (hadFocus) this.end.focus({ preventScroll: true });
  }
}

/** @type {(table: Table) => Cell} */
const firstCell = ({ name, head }) => ({ name, head, row: 0, col: 0 });

/**
 * The table to fill in, beside those that it is computed from.
 * @param {View} view
 * @param {ExploreModel} model
 * @param {PracticeState} practice
 * @param {PracticeTable} table
 */
function stepTables(view, model, { texts }, { name, head }) {
  const given = operandsOf(model, name, head).map((operand) => {
    const figure = view.matrix(model, operand.name, operand.head);
    if (operand.head !== null && operand.head !== head)
      figure.style.setProperty("--accent", `var(--mha-head-${operand.head})`);
    return figure;
  });
  const group = (
    /** @type {string} */ kind,
    /** @type {string} */ title,
    /** @type {HTMLElement} */ figures,
  ) => element("div", { class: kind, role: "group", "aria-label": title }, p("step-title", title), figures);
  return div(
    "step-tables",
    group("step-given", texts.given, div("step-figures", ...given)),
    group("step-yours", texts.yours, view.matrix(model, name, head)),
  );
}

/**
 * A hint with its powers as superscripts.
 * @type {(text: string) => Node[]}
 */
const withSuperscripts = (text) =>
  withPowers(text).map((part, at) => (at % 2 ? element("sup", {}, symbol(part)) : symbol(part)));
