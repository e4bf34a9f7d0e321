// What all sections are made of: tables whose cells light each other up, above a line that explains one number.
// Cells with the same key light up together, in whichever table they are.

import { announcer, div, element, p, prose, redrawn, shapeOf, span, symbol, titled } from "../kit/dom.js";
import { isDead, labelsOf, marked } from "../kit/graph.js";
import { accented, corner, lookOf, table } from "../kit/layout.js";
import { segments } from "../kit/segments.js";
import { ARROWS, cellAt, Lights, Pointing } from "../kit/selection.js";
import { matrixOf } from "./matrix_cells.js";

/** @template Info */
class Sheet {
  /** By key. @type {Map<string, HTMLTableCellElement[]>} */
  cells = new Map();
  /** @type {WeakMap<HTMLTableCellElement, Info>} */
  #info = new WeakMap();
  #lights = new Lights();

  /**
   * @param {HTMLElement} root
   * @param {(info: Info | null, td: HTMLTableCellElement | null, announce: boolean) => void} show explains the cell
   *   that is pointed at, and marks others; null: none is
   */
  constructor(root, show) {
    this.show = show;
    this.pointing = new Pointing(
      root,
      (td) => td,
      (focused) => this.update(focused),
    );
    root.addEventListener("focusout", () => this.update());
    root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** Forget the cells, before the tables are drawn again. */
  clear() {
    this.cells.clear();
    this.#lights.clear();
    this.pointing.forget();
  }

  /**
   * Light up the cells with this key.
   * @param {string} key
   * @param {string} name the class that they get
   * @param {HTMLTableCellElement | null} [except]
   */
  mark(key, name, except = null) {
    this.#lights.light(
      (this.cells.get(key) ?? []).filter((td) => td !== except),
      name,
    );
  }

  /** @param {HTMLTableCellElement} td @param {string} name */
  markOne(td, name) {
    this.#lights.light([td], name);
  }

  /** Explain what is pointed at now. */
  update(announce = false) {
    this.#lights.clear();
    const td = this.pointing.at;
    this.show((td && this.#info.get(td)) ?? null, td, announce);
  }

  /** Arrows move from cell to cell. @param {KeyboardEvent} event */
  #onKey(event) {
    const step = ARROWS[event.key];
    const td = cellAt(event.target);
    const line = td?.closest("tr");
    if (!step || !td || !line || event.ctrlKey || event.metaKey || event.altKey) return;
    const lines = [...(td.closest("tbody")?.rows ?? [])];
    const at = cellsIn(line).indexOf(td);
    const to = cellsIn(lines[lines.indexOf(line) + step[0]] ?? line)[at + step[1]];
    event.preventDefault();
    to?.focus();
  }

  /**
   * One matrix as a table.
   * @param {SheetTable<Info>} table
   */
  table({
    sign = "",
    shape = "",
    label,
    hue = "",
    scale = "signed",
    rowLabels,
    colLabels,
    down = [],
    across = [],
    cell,
    name = "",
  }) {
    const stub = () => (down.length ? [corner(), corner()] : [corner()]);
    const groups = across.map(({ label: text, start, stop, accent: head }) =>
      groupTitle({ scope: "colgroup", colspan: stop - start }, text, head),
    );
    const columns = colLabels.map((text, c) => accented(labelled("col", text), accentAt(across, c)));
    const rows = rowLabels.map((text, r) => {
      const first = down.find(({ start }) => start === r);
      const title = first
        ? groupTitle(
            { scope: "rowgroup", rowspan: first.stop - first.start },
            element("span", {}, first.label),
            first.accent,
          )
        : null;
      const tds = colLabels.map((_, c) => {
        const spec = cell(r, c);
        return spec ? this.cell(spec, r + c ? -1 : 0) : corner();
      });
      return element("tr", {}, title, accented(labelled("row", text), accentAt(down, r)), ...tds);
    });
    return element(
      "figure",
      { class: `${lookOf({ hue, scale })} computed ${name}`.trim() },
      sign ? element("figcaption", {}, symbol(sign), span("shape", shape)) : null,
      table({ role: "grid", "aria-label": label, "aria-readonly": "true" }, [...stub(), ...columns], rows, {
        groups: across.length ? element("tr", {}, ...stub(), ...groups) : null,
      }),
    );
  }

  /**
   * One number as a cell.
   * @param {SheetCell<Info>} cell
   * @param {number} tabindex
   */
  cell({ key, text, kind, tone = 0, info, also = [], name = null }, tabindex) {
    const style = `--tone: ${tone.toFixed(3)}`;
    const td = element("td", { data: { key, kind }, class: name, tabindex, style }, text);
    for (const lit of [key, ...also]) this.cells.set(lit, [...(this.cells.get(lit) ?? []), td]);
    this.#info.set(td, info);
    return td;
  }
}

/** The numbers in a row. @param {HTMLTableRowElement} row */
const cellsIn = (row) => [...row.cells].filter((td) => td.dataset.key !== undefined);

/** The head whose colour a row or a column has. @type {(groups: SheetGroup[], at: number) => number | undefined} */
const accentAt = (groups, at) => groups.find(({ start, stop }) => at >= start && at < stop)?.accent;

/** @type {(attributes: Record<string, string | number>, text: string | Node, head: number) => HTMLElement} */
const groupTitle = (attributes, text, head) =>
  accented(element("th", { class: "group", ...attributes }, text), head);

/**
 * The title of a row or of a column, with a text that may run in either direction.
 * @param {"row" | "col"} scope
 * @param {string} text
 */
export const labelled = (scope, text) =>
  element("th", { scope, title: text }, span("label", element("bdi", {}, text)));

/**
 * A choice among a few, with its name before it.
 * @template {string | number} Option
 * @param {string} label
 * @param {{ value: Option; text: Child; head?: number }[]} options
 * @param {Option} chosen
 * @param {(value: Option) => void} choose
 */
export function choice(label, options, chosen, choose) {
  const title = element("span", { class: "choice-label", "aria-hidden": "true" }, label);
  return element("div", { class: "choice" }, title, segments(label, options, chosen, choose));
}

/**
 * A section of the page.
 * @template {SectionModel} M
 * @template Info
 */
export class Section {
  /**
   * @param {M} model
   * @param {string} name the class of what holds the tables
   */
  constructor(model, name) {
    this.model = model;
    this.root = element("div", { class: `bench conventions part-${model.part}`, role: "region" });
    this.tables = div(name);
    this.line = div("line");
    this.live = announcer();
    this.explain = div("explain", this.line, this.live);
    /** @type {Sheet<Info>} */
    this.sheet = new Sheet(this.tables, (info, td, announce) => this.#explain(info, td, announce));
  }

  /** @param {Component<M>} component */
  update({ data }) {
    this.model = data;
    this.live.textContent = "";
    this.root.lang = data.words.lang;
    this.root.setAttribute("aria-label", data.words[`section_${data.part}`]);
    this.draw();
  }

  unmount() {
    this.root.remove();
  }

  draw() {
    this.sheet.clear();
    redrawn(this.root, () => {
      this.tables.replaceChildren(...this.pictures());
      this.root.replaceChildren(...this.aboveLine(), this.explain);
    });
    this.sheet.update();
  }

  /**
   * The section's tables.
   * @returns {Node[]}
   */
  pictures() {
    return [];
  }

  /** What is above the line: the tables, and what stands with them. @returns {Node[]} */
  aboveLine() {
    return [this.tables];
  }

  /**
   * Where the number comes from that is pointed at.
   * @param {Info} _info
   * @param {HTMLTableCellElement} _td
   * @returns {Node[]}
   */
  explainCell(_info, _td) {
    return [];
  }

  /** @param {Info | null} info @param {HTMLTableCellElement | null} td @param {boolean} announce */
  #explain(info, td, announce) {
    const hint = () => [p("hint", this.model.words[`hint_${this.model.part}`])];
    this.line.replaceChildren(...(info && td ? this.explainCell(info, td) : hint()));
    if (!announce) return;
    const lines = [...this.line.children].map((line) => line.textContent);
    this.live.textContent = prose(...lines)
      .replace(/\s+/g, " ")
      .trim();
  }
}

/**
 * A section that shows the example's own matrices.
 * @template {SectionModel & Model} M
 * @extends {Section<M, MatrixInfo>}
 */
export class MatrixSection extends Section {
  /**
   * A matrix of a head as a table.
   * @param {string} name
   * @param {number | null} head
   * @param {string} sign
   * @param {{ turned?: boolean; start?: number; stop?: number }} [part] `turned`: its rows are columns;
   *   `start`, `stop`: only these of its rows
   */
  matrix(name, head, sign, { turned = false, start = 0, stop = Infinity } = {}) {
    const { model } = this;
    const { axes, word, hue, scale } = model.matrices[name];
    const { rows, owner, cell } = matrixOf(model, name, head);
    const shown = rows.slice(start, stop);
    const down = labelsOf(model, axes[0], shown.length).map((text, row) =>
      marked(text, isDead(model, name, owner, row)),
    );
    const across = labelsOf(model, axes[1], rows[0].length);
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const shape = shapeOf(rowLabels.length, colLabels.length);
    const label = titled(model.words, `${word} ${sign.replaceAll("_", "")}`, shape);
    return this.sheet.table({
      sign,
      shape,
      label,
      hue,
      scale,
      rowLabels,
      colLabels,
      cell: (r, c) => (turned ? cell(c, r) : cell(start + r, c)),
    });
  }
}

/**
 * The parts of an equation, each table with the operators before it, so that a line never ends with one.
 * @param {Child[]} parts
 */
export function terms(parts) {
  const grouped = /** @type {HTMLElement[]} */ ([]);
  let before = /** @type {HTMLElement[]} */ ([]);
  for (const part of parts) {
    if (!(part instanceof HTMLElement)) continue;
    before.push(part);
    if (part.classList.contains("operator")) continue;
    grouped.push(div("term", ...before));
    before = [];
  }
  return grouped;
}
