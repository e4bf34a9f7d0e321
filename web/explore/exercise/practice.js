// An exercise leads: one table at a time to be worked out, with those that it is made of beside it, what is done in a
// line above, what is to come named below; hints, how far one is, and what it was all for.

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
} from "../../kit/dom.js";
import { isSame, key, operandsOf, rowsOf, unkey } from "../../kit/graph.js";
import { exact } from "../../kit/numbers.js";
import { View } from "../../kit/tables.js";
import { looking } from "./attention_picture.js";
import { inOneLine, isDone, nameOfTable, nextTable, progressOf, withPowers } from "./practice_steps.js";

const WHOLE = "whole";
let entered = 0; // the exercise that was begun last: the bench may be another one by then

export class Practice {
  /** @type {BenchModel} */
  #model = null;
  /** @type {string | null} */
  #open = null; // the name of the table that is open, or WHOLE
  #opened = -1; // the exercise that this is about
  /** @type {Cell | null} */
  #at = null; // the last number that was gone to
  /** @type {Cell | null} */
  #hinted = null; // the number of the hint that the next press would go on with
  #lines = []; // {item, head, line, table} of the steps that are in view
  #shownExplanations = ""; // what stands below the rows of the tables now
  #ended = true; // whether the end has been shown
  #written = ""; // what the end says now

  /** @param {any} bench takes send(edit), goTo(cell), say(text) and relay(), which lays the tables out anew */
  constructor(bench) {
    this.bench = bench;
    this.summary = element("p", { class: "practice-summary", role: "status" });
    this.bar = element(
      "div",
      { class: "practice-bar", role: "progressbar", "aria-valuemin": 0 },
      div("done"),
    );
    this.far = span("practice-far");
    this.toggle = button({ data: { focus: "whole sheet" }, onclick: () => this.#turn() });
    this.leave = button({
      data: { focus: "end_exercise" },
      onclick: () => bench.send({ op: "end_exercise" }),
    });
    this.hint = div("practice-hint");
    this.asking = button({ class: "ask", data: { focus: "hint" }, onclick: () => this.#ask() });
    this.further = button({ class: "further", data: { focus: "next step" }, onclick: () => this.#next() });
    this.acts = div("practice-acts", this.further, this.asking, this.hint);
    for (const type of ["focusin", "focusout"]) this.acts.addEventListener(type, () => bench.looking.rest());
    this.end = element("section", { class: "practice-end", tabindex: -1, hidden: true });
    const head = div("practice-head", div("practice-progress", this.bar, this.far), this.toggle, this.leave);
    this.root = element("section", { class: "practice", hidden: true }, head, this.summary, this.end);
  }

  get #practice() {
    return this.#model?.check?.practice;
  }

  /** Whether the tables of one step stand alone, of whichever head. */
  get leads() {
    return Boolean(this.#practice) && this.#open !== WHOLE;
  }

  /**
   * Whether the tables that stand are those of another exercise.
   * @param {BenchModel} model
   */
  isStale(model) {
    return Boolean(model.check?.practice) && model.opened !== this.#opened;
  }

  /**
   * The tables as they are to stand: all of them, or one step of an exercise with what it is worked out from.
   * @param {BenchModel} model
   * @param {ConstructorParameters<typeof View>[1]} options of the tables where they all stand
   * @returns {View}
   */
  view(model, options) {
    this.#model = model;
    this.#shownExplanations = "";
    this.#lines = [];
    if (!this.#practice) return new View(model, options);
    if (this.isStale(model)) this.#begin(model);
    if (this.leads) return this.#led(model);
    const view = new View(model, options);
    this.bench.explain.root.prepend(this.acts);
    return view;
  }

  #begin(model) {
    this.#opened = model.opened;
    const first = nextTable(this.#practice.tables, -1);
    this.#open = first && nameOfTable(first);
    this.#at = null;
    this.#ended = first === null;
  }

  /** Once an exercise has been set here, on to its first blank number. */
  enter() {
    const { begun } = this.#model;
    if (!begun || begun === entered) return;
    entered = begun;
    const table = this.#table();
    if (table) this.bench.goTo({ name: table.name, head: table.head, row: 0, col: 0 });
  }

  /** @param {BenchModel} model */
  #led(model) {
    const view = new View(model, { bare: true });
    const list = element("ol", { class: "practice-steps" });
    for (const table of this.#practice.tables) {
      const name = nameOfTable(table);
      const mark = element("span", { class: "step-mark", "aria-hidden": "true" });
      const line = span("step-line");
      const open = name === this.#open;
      const onclick = () => this.#show(open ? null : name);
      const attributes = {
        class: "step-name",
        "aria-expanded": String(open),
        data: { focus: `step ${name}` },
      };
      const title = button({ ...attributes, onclick }, mark, symbol(table.label), line);
      const style = table.head === null ? null : accent(table.head);
      const item = element("li", { class: "practice-step", style, data: { step: name } }, title);
      if (open) item.append(this.#worked(view, model, table), this.acts);
      this.#lines.push({ item, mark, line, name });
      list.append(item);
    }
    view.root.classList.add("led");
    view.root.append(list);
    return view;
  }

  /** The table to fill in, beside those that it is worked out from. */
  #worked(view, model, { name, head }) {
    const { texts } = this.#practice;
    const given = operandsOf(model, name, head).map((of) => {
      const figure = view.matrix(model, of.name, of.head);
      if (of.head !== null && of.head !== head)
        figure.style.setProperty("--accent", `var(--mha-head-${of.head})`);
      return figure;
    });
    const group = (kind, title, ...figures) =>
      element("div", { class: kind, role: "group", "aria-label": title }, p("step-title", title), ...figures);
    return div(
      "step-tables",
      group("step-given", texts.given, div("step-figures", ...given)),
      group("step-yours", texts.yours, view.matrix(model, name, head)),
    );
  }

  // --- keeping up with the numbers -----------------------------------------------------------------------------------

  /** @param {BenchModel} model */
  update(model) {
    this.#model = model;
    const practice = this.#practice;
    this.root.hidden = !practice;
    if (!practice) return;
    const { texts, tables, hint, end } = practice;
    setAttribute(this.root, "aria-label", texts.practice);
    const far = progressOf(tables, this.#open);
    const text = [texts.step_of, texts.right_of].map((template) => fill(template, far));
    setText(this.far, text.join(" · "));
    setAttribute(this.bar, "aria-label", texts.progress);
    setAttribute(this.bar, "aria-valuemax", String(far.cells));
    setAttribute(this.bar, "aria-valuenow", String(far.right));
    setAttribute(this.bar, "aria-valuetext", text.join(", "));
    this.bar.style.setProperty("--done", `${(100 * far.right) / far.cells}%`);
    setText(this.summary, model.check.summary);
    this.summary.className = `practice-summary ${model.check.state}`;
    setText(this.toggle, this.#open === WHOLE ? texts.single : texts.whole);
    setText(this.leave, texts.end);
    for (const kind of ["own", "follows", "doubtful", "coarse", "nearly"])
      this.bench.root.style.setProperty(`--said-${kind}`, JSON.stringify(texts[kind]));
    this.#patchLines();
    this.#patchHint(hint);
    this.#showExplanations(practice.explanations);
    this.#close(end);
  }

  #patchLines() {
    const { texts, tables } = this.#practice;
    for (const [at, { item, mark, line, name }] of this.#lines.entries()) {
      const table = tables[at];
      const done = isDone(table);
      item.classList.toggle("done", done);
      item.classList.toggle("faulty", table.wrong > 0);
      item.classList.toggle("open", name === this.#open);
      setText(mark, done ? "✓" : table.wrong ? "✗" : String(at + 1));
      const left = fill(texts.left, { count: table.cells - table.right });
      const rows = done && name !== this.#open && rowsOf(this.#model, table.name, table.head);
      setText(line, rows ? inOneLine(rows.map((row) => row.map(exact))) : done ? texts.done : left);
    }
    const open = this.#table();
    const next = open && isDone(open) && nextTable(tables, tables.indexOf(open));
    this.further.hidden = !next;
    setText(this.further, `✓ ${texts.next}`);
    setAttribute(this.further, "title", texts.step_done);
    const held = active(this.bench.root) === this.asking;
    this.asking.hidden = this.#open !== WHOLE ? !open || isDone(open) : tables.every(isDone);
    // Whoever has gone on by Tab from the last number stands here, and is not to be left nowhere.
    if (held && this.asking.hidden) (next ? this.further : this.toggle).focus();
  }

  /** The table that is open, as far as it has been worked out. */
  #table() {
    return this.#practice.tables.find((table) => nameOfTable(table) === this.#open) ?? null;
  }

  #patchHint(hint) {
    const { texts } = this.#practice;
    const shown = hint && (this.#open === WHOLE || this.#open === nameOfTable(hint.cell)) ? hint : null;
    const next = this.#wanted();
    const on = shown && (!next || isSame(next, shown.cell));
    this.#hinted = on ? shown.cell : null;
    setText(this.asking, on ? shown.more || texts.hint : texts.hint);
    setAttribute(this.asking, "aria-disabled", on && !shown.more && "true"); // disabled it would lose the focus
    for (const td of this.bench.tables.querySelectorAll("td.hinted")) td.classList.remove("hinted");
    if (shown) this.bench.view.cells.get(key(shown.cell))?.classList.add("hinted");
    const json = JSON.stringify(shown);
    if (this.hint.dataset.told === json) return;
    this.hint.dataset.told = json;
    this.hint.replaceChildren(
      ...(shown ? [element("strong", {}, `${shown.rung}: `), ...written(shown.text)] : []),
    );
    this.bench.announceText(shown ? `${shown.rung}: ${shown.text.replaceAll("_", "")}` : "");
  }

  /** Whether a number is still blank or wrong. */
  #isOpen(cell) {
    return this.#model.marks?.[key(cell)] !== "right";
  }

  /** Name the known mistakes below the rows that they stand in. */
  #showExplanations(explanations) {
    const text = JSON.stringify(explanations);
    if (text === this.#shownExplanations) return;
    this.#shownExplanations = text;
    for (const row of this.bench.tables.querySelectorAll("tr.told")) row.remove();
    for (const { cell, text: words } of explanations.toReversed()) {
      const row = this.bench.view.cells.get(key(cell))?.closest("tr");
      const span = row?.children.length;
      row?.after(element("tr", { class: "told" }, element("td", { colspan: span }, "✗ ", symbol(words))));
    }
  }

  // --- what is pressed ---------------------------------------------------------------------------------------------

  /**
   * A number of the tables has the focus.
   * @param {HTMLElement | null} td
   */
  reached(td) {
    if (!td || !this.#practice) return;
    const cell = unkey(td.dataset.key);
    if (!this.#model.matrices[cell.name].claim) return;
    this.#at = cell;
    this.#patchHint(this.#practice.hint);
  }

  /** The number that a hint is of, while the button for one has the focus. */
  get meant() {
    const asks = this.#practice && active(this.bench.root) === this.asking;
    return asks ? (this.#hinted ?? this.#wanted()) : null;
  }

  /**
   * The number that a hint is wanted of: the one that was gone to last, where it is in the table that is open; in that
   * table a wrong one comes first, as long as there is more to be told of it, and then the first that is left.
   */
  #wanted() {
    const table = this.#table() ?? this.#at;
    if (!table) return null;
    const { name, head } = table;
    const rows = rowsOf(this.#model, name, head) ?? [];
    const cells = rows.flatMap((values, row) => values.map((_, col) => ({ name, head, row, col })));
    const at =
      this.#at && nameOfTable(this.#at) === nameOfTable(table) && this.#isOpen(this.#at) ? this.#at : null;
    if (at && this.#isWrong(at)) return at;
    const { hint } = this.#practice;
    const told = (cell) => hint && !hint.more && isSame(hint.cell, cell);
    return (
      cells.find((cell) => this.#isWrong(cell) && !told(cell)) ??
      at ??
      cells.find((cell) => this.#isOpen(cell)) ??
      null
    );
  }

  /** Whether a wrong number stands there that does not only follow from another. */
  #isWrong(cell) {
    return ["own", "doubtful"].includes(this.#model.marks?.[key(cell)]);
  }

  #ask() {
    if (this.asking.ariaDisabled) return;
    this.bench.send({ op: "hint", cell: this.#hinted ?? this.#wanted() });
  }

  /** From one step to the whole sheet, at the same place of it, and back. */
  #turn() {
    const table = this.#table() ?? nextTable(this.#practice.tables, -1);
    this.#show(this.#open === WHOLE ? table && nameOfTable(table) : WHOLE);
    if (table) this.bench.goTo({ name: table.name, head: table.head, row: 0, col: 0 });
  }

  /** On to the next step, at its first number. */
  #next() {
    const { tables } = this.#practice;
    const { name, head } = nextTable(tables, tables.indexOf(this.#table()));
    this.#show(nameOfTable({ name, head }));
    this.bench.goTo({ name, head, row: 0, col: 0 });
  }

  #show(open) {
    this.#open = open;
    this.#at = null;
    this.bench.relay();
  }

  /**
   * Open the step in which a number stands.
   * @param {Cell} cell
   */
  reach(cell) {
    const table = this.#practice?.tables.find((one) => one.name === cell.name && one.head === cell.head);
    if (table && this.#open !== WHOLE) this.#show(nameOfTable(table));
  }

  // --- the end -----------------------------------------------------------------------------------------------------

  /** What came out of it, once all is right. */
  #close(end) {
    this.end.hidden = !end;
    if (!end) {
      this.#ended = false;
      return;
    }
    const written = JSON.stringify([end, this.#model.class_link]);
    if (written !== this.#written) this.end.replaceChildren(...this.#closing(end));
    this.#written = written;
    if (this.#ended) return;
    this.#ended = true;
    const focus = active(this.bench.root);
    const within = this.bench.tables.contains(focus) || focus === this.toggle;
    if (this.#open !== WHOLE) this.#show(null);
    this.end.scrollIntoView({ block: "nearest" });
    if (within) this.end.focus({ preventScroll: true });
  }

  #closing({ result, weights, looks, queries, keys }) {
    const { texts } = this.#practice;
    const heads = weights.map((rows, head) =>
      element(
        "figure",
        { class: "practice-head-look", style: accent(head) },
        element(
          "figcaption",
          {},
          element("strong", {}, `${this.bench.words.head} ${head + 1}`),
          ` ${looks[head]}`,
        ),
        looking(rows, queries, keys, `${this.bench.words.head} ${head + 1}: ${looks[head]}`),
      ),
    );
    const link = this.#model.class_link;
    const again = button({ data: { focus: "another" }, onclick: () => this.#again() }, texts.another);
    return [
      element("h3", {}, `✓ ${texts.finished}`),
      p("practice-result", result),
      div("practice-looks", ...heads),
      ...(link ? [div("practice-after", again, this.#share(link))] : []),
    ];
  }

  #again() {
    this.bench.send({ op: "another_exercise" });
  }

  /** The link by which others get numbers of their own. */
  #share(query) {
    const { texts } = this.#practice;
    const link = new URL(`?${query}`, window.location.href).href;
    const field = element("input", { type: "text", readonly: true, "aria-label": texts.for_class_about });
    field.value = link;
    const about = element("p", { class: "for-class", hidden: true }, `${texts.for_class_about} `, field);
    const copy = async () => {
      about.hidden = false;
      field.select();
      await navigator.clipboard?.writeText(link).then(
        () => this.bench.announceText(texts.copied),
        () => {}, // it stands there, selected
      );
    };
    return div(
      "practice-share",
      button({ data: { focus: "for class" }, onclick: copy }, texts.for_class),
      about,
    );
  }
}

/**
 * A hint with its powers above the line.
 * @type {(text: string) => Node[]}
 */
const written = (text) =>
  withPowers(text).map((part, at) => (at % 2 ? element("sup", {}, symbol(part)) : symbol(part)));
