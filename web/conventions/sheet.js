// Tables that light each other: a number is one key wherever it stands, and a key may stand in several tables.

import { accent, announcer, div, element, p, pressable, redrawn, shapeOf, span, symbol } from "../kit/dom.js";
import { isDead, labelsOf, marked } from "../kit/graph.js";
import { accented, corner, lookOf, table } from "../kit/layout.js";
import { ARROWS, cellAt, Lights, Pointing } from "../kit/selection.js";
import { matrixOf } from "./matrix_cells.js";

class Sheet {
  cells = new Map(); // key → the <td>s that it lights
  #info = new WeakMap(); // <td> → what it is
  #lights = new Lights();

  /** `show(info, td, spoken)` is told what is pointed at, or null; it marks cells and writes the line. */
  constructor(root, show) {
    this.show = show;
    this.pointing = new Pointing(
      root,
      (td) => td,
      (focused) => this.rest(focused),
    );
    root.addEventListener("focusout", () => this.rest());
    root.addEventListener("keydown", (event) => this.#move(event));
  }

  /** Before the tables are drawn anew: what lay in the old ones is forgotten. */
  clear() {
    this.cells.clear();
    this.#lights.clear();
    this.pointing.forget();
  }

  mark(key, name, except = null) {
    this.#lights.light(
      (this.cells.get(key) ?? []).filter((td) => td !== except),
      name,
    );
  }

  markOne(td, name) {
    this.#lights.light([td], name);
  }

  /** Show what is pointed at now. */
  rest(announce = false) {
    this.#lights.clear();
    const td = this.pointing.at;
    this.show(this.#info.get(td) ?? null, td, announce);
  }

  #move(event) {
    const step = ARROWS[event.key];
    const td = cellAt(event.target);
    if (!step || !td || event.ctrlKey || event.metaKey || event.altKey) return;
    const line = td.closest("tr");
    const lines = [...td.closest("tbody").rows];
    const cells = (row) => [...row.querySelectorAll("td[data-key]")];
    const at = cells(line).indexOf(td);
    const to = cells(lines[lines.indexOf(line) + step[0]] ?? line)[at + step[1]];
    event.preventDefault();
    to?.focus();
  }

  /**
   * One matrix as a table. `cell(r, c)`: {key, text, kind, tone, info, also} or null where nothing stands.
   * `down`, `across`: [{label, start, stop, accent}], whose lines the rows and the columns are.
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
    const accentOf = (groups, at) => groups.find(({ start, stop }) => at >= start && at < stop)?.accent;
    const stub = () => (down.length ? [corner(), corner()] : [corner()]);
    const group = (attributes, text, head) =>
      accented(element("th", { class: "group", ...attributes }, text), head);
    const groups = across.map(({ label: text, start, stop, accent: head }) =>
      group({ scope: "colgroup", colspan: stop - start }, text, head),
    );
    const columns = colLabels.map((text, c) => accented(labelled("col", text), accentOf(across, c)));
    const rows = rowLabels.map((text, r) => {
      const first = down.find(({ start }) => start === r);
      const before = first
        ? group(
            { scope: "rowgroup", rowspan: first.stop - first.start },
            element("span", {}, first.label),
            first.accent,
          )
        : null;
      const tds = colLabels.map((_, c) => this.#cell(cell(r, c), r + c ? -1 : 0));
      return element("tr", {}, before, accented(labelled("row", text), accentOf(down, r)), ...tds);
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

  #cell(spec, tabindex) {
    return spec ? this.cell(spec.key, spec, tabindex) : corner();
  }

  /** One number as a cell: it lights with these keys and tells `info` when it is pointed at. */
  cell(key, { text, kind, tone = 0, info, also = [], name = null }, tabindex) {
    const style = `--tone: ${tone.toFixed(3)}`;
    const td = element("td", { data: { key, kind }, class: name, tabindex, style }, text);
    for (const of of [key, ...also]) {
      if (!this.cells.has(of)) this.cells.set(of, []);
      this.cells.get(of).push(td);
    }
    this.#info.set(td, info);
    return td;
  }
}

/** The head of a row or of a column, with a text that may run either way. */
export const labelled = (scope, text) =>
  element("th", { scope, title: text }, span("label", element("bdi", {}, text)));

/** A choice among a few: buttons of which one is pressed. */
export function choice(label, options, chosen, choose) {
  const buttons = options.map(({ value, text, head }) => {
    const look = head === undefined ? {} : { style: accent(head), class: "accented" };
    const data = { focus: `${label} ${value}` };
    return pressable(value === chosen, { data, ...look, onclick: () => choose(value) }, text);
  });
  const named = element("span", { class: "choice-label", "aria-hidden": "true" }, label);
  return element("div", { class: "choice", role: "group", "aria-label": label }, named, ...buttons);
}

/** A section of the page: tables that light each other, over a line that tells where a number comes from. */
export class Section {
  /** @type {Model & Record<string, any>} */
  model = null;

  /** `name`: the class of what holds the tables. */
  constructor(part, name) {
    this.part = part;
    this.root = element("div", { class: `bench conventions part-${part}`, role: "region" });
    this.tables = div(name);
    this.line = div("line");
    this.live = announcer();
    this.explain = div("explain", this.line, this.live);
    this.sheet = new Sheet(this.tables, (info, td, announce) => this.#write(info, td, announce));
  }

  update({ data }) {
    this.model = data;
    this.live.textContent = "";
    this.root.lang = data.words.lang;
    this.root.setAttribute("aria-label", data.words[`section_${this.part}`]);
    this.draw();
  }

  unmount() {
    this.root.remove();
  }

  draw() {
    this.sheet.clear();
    redrawn(this.root, () => {
      this.tables.replaceChildren(...this.pictures());
      this.root.replaceChildren(...this.around(), this.explain);
    });
    this.sheet.rest();
  }

  /**
   * The tables; each section has its own.
   * @returns {Node[]}
   */
  pictures() {
    return [];
  }

  /**
   * A matrix of a head as a table. `turned`: its rows lie across; `start`, `stop`: these of its rows alone.
   * @returns {HTMLElement}
   */
  matrix(name, head, sign, { turned = false, start = 0, stop = Infinity } = {}) {
    const { model } = this;
    const { axes, word, hue, scale } = model.matrices[name];
    const { rows, head: of, cell } = matrixOf(model, name, head);
    const shown = rows.slice(start, stop);
    const down = labelsOf(model, axes[0], shown.length).map((text, row) =>
      marked(text, isDead(model, name, of, row)),
    );
    const across = labelsOf(model, axes[1], rows[0].length);
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const shape = shapeOf(rowLabels.length, colLabels.length);
    const label = `${word} ${sign.replaceAll("_", "")}, ${shape}`;
    const at = turned ? (r, c) => cell(c, r) : (r, c) => cell(start + r, c);
    return this.sheet.table({ sign, shape, label, hue, scale, rowLabels, colLabels, cell: at });
  }

  /** What stands above the line. */
  around() {
    return [this.tables];
  }

  /**
   * What the line says of the cell that is pointed at.
   * @param {any} _info
   * @param {HTMLElement} _td
   * @returns {Node[]}
   */
  explainCell(_info, _td) {
    return [];
  }

  #write(info, td, announce) {
    const hint = () => [p("hint", this.model.words[`hint_${this.part}`])];
    this.line.replaceChildren(...(info ? this.explainCell(info, td) : hint()));
    if (!announce) return;
    const lines = [...this.line.children].map((line) => line.textContent);
    this.live.textContent = lines.join(" ").replace(/\s+/g, " ").trim();
  }
}
