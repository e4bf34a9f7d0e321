// The tables of a lesson. Each number that is pointed at or has the focus shows how it is computed.

import { reportRedrawn } from "../kit/audience.js";
import { accent, div, element, fill, p, redrawn, setAttribute, setText, symbol } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { ARROWS, cellAt, makeTabStop, Pointing } from "../kit/selection.js";
import { linesOf } from "./lines.js";

/**
 * A line of arithmetic with its powers set as such: e^2.83, e^(−1.41).
 * @param {string} text
 */
const withPowers = (text) =>
  text
    .split(/\^(\([^)]*\)|[−\d.∞]+)/)
    .map((part, at) => (at % 2 ? element("sup", {}, part.replace(/[()]/g, "")) : part));

/** What must be equal for the tables to be changed in place: everything but their numbers. @param {SceneData} data */
const structureOf = ({ lang, layout, groups }) =>
  JSON.stringify([
    lang,
    layout,
    groups.map(({ tables, lines, note: _, ...group }) => [
      group,
      Boolean(lines),
      tables.map(({ cells, ...table }) => [table, cells.length, cells[0]?.length]),
    ]),
  ]);

class Scene {
  /** @type {SceneData} */
  #data = { lang: "", words: {}, layout: "", groups: [] };
  #structure = "";
  /** @type {Map<string, HTMLTableCellElement>} */
  #cells = new Map();

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.groups = div("groups");
    this.why = element("p", { class: "why", "aria-live": "polite" });
    this.root = div("scene", this.groups, this.why);
    parent.append(this.root);
    this.pointing = new Pointing(
      this.groups,
      (td) => td.dataset.key ?? null,
      () => this.#explain(),
    );
    this.groups.addEventListener("keydown", (event) => this.#move(event));
  }

  unmount() {
    this.root.remove();
  }

  /** @param {{ data: SceneData }} component */
  update({ data }) {
    this.#data = data;
    setAttribute(this.root, "lang", data.lang);
    setAttribute(this.root, "data-layout", data.layout);
    const structure = structureOf(data);
    const isNew = structure !== this.#structure;
    if (isNew) redrawn(this.groups, () => this.#build());
    this.#structure = structure;
    this.#fill();
    if (isNew) reportRedrawn();
    this.#explain();
  }

  #build() {
    this.#cells.clear();
    /** @type {HTMLElement[]} */
    const parts = [];
    for (const [at, group] of this.#data.groups.entries()) {
      const node = this.#group(group, at);
      const last = parts.at(-1);
      if (!group.card) parts.push(node);
      else if (last?.dataset.card === group.card) last.append(node);
      else parts.push(element("div", { class: "card", data: { card: group.card } }, node));
    }
    this.groups.replaceChildren(...parts);
  }

  /** @type {(group: SceneGroup, at: number) => HTMLElement} */
  #group({ area, title, head, lines, tables, note }, at) {
    return element(
      "section",
      {
        class: "group",
        "aria-label": title || null,
        style: head === null ? null : accent(head),
        data: { area, group: at, head: head ?? "" },
      },
      title && element("h4", {}, title),
      (note || lines) && p("note"),
      lines && div("lines"),
      ...tables.map((table, n) => this.#table(table, `${at}.${n}`)),
    );
  }

  /** @type {(table: SceneTable, id: string) => HTMLElement} */
  #table({ symbol: sign, word, rows, cols, cells, marked, hue }, id) {
    const head = cols.length
      ? element(
          "thead",
          {},
          element(
            "tr",
            {},
            rows.length ? element("td", { class: "corner" }) : null,
            ...cols.map((col) => element("th", { scope: "col", dir: "auto" }, col)),
          ),
        )
      : null;
    const body = cells.map((line, row) =>
      element(
        "tr",
        { class: row === marked ? "marked" : null },
        rows.length ? element("th", { scope: "row", dir: "auto" }, rows[row]) : null,
        ...line.map((_, col) => {
          const td = element("td", { data: { key: `${id}.${row}.${col}` }, tabindex: row || col ? -1 : 0 });
          this.#cells.set(`${id}.${row}.${col}`, td);
          return td;
        }),
      ),
    );
    const caption = element(
      "figcaption",
      {},
      symbol(sign),
      word && element("span", { class: "word" }, ` ${word}`),
    );
    const grid = element(
      "table",
      { role: "grid", "aria-readonly": "true", "aria-label": `${sign} ${word}`.trim() },
      head,
      element("tbody", {}, ...body),
    );
    const kind = cells.some((line) => line.some(({ why }) => why)) ? "computed" : "given";
    return element("figure", { class: `hue-${hue || "none"} ${kind}` }, caption, div("scroller", grid));
  }

  /** Bring the numbers, their colors, the notes and the lines up to date. */
  #fill() {
    for (const [at, { note, lines, tables }] of this.#data.groups.entries()) {
      const node = this.groups.querySelector(`[data-group="${at}"]`);
      const noteNode = node?.querySelector(".note");
      if (noteNode) setText(noteNode, note);
      const drawn = node?.querySelector(".lines");
      if (lines && drawn) drawn.replaceChildren(linesOf(lines));
      for (const [n, { cells }] of tables.entries())
        for (const [row, line] of cells.entries())
          for (const [col, { text, share }] of line.entries()) {
            const td = this.#cells.get(`${at}.${n}.${row}.${col}`);
            if (!td) continue;
            setText(td, text);
            td.style.setProperty("--share", `${Math.round(100 * Math.abs(share))}%`);
            td.classList.toggle("negative", share < 0);
          }
    }
  }

  /** Say how the number that is pointed at is computed. */
  #explain() {
    const { words, groups } = this.#data;
    const [group, n, row, col] = (this.pointing.at ?? "").split(".").map(Number);
    const table = groups[group]?.tables[n];
    const cell = table?.cells[row]?.[col];
    if (!cell) {
      this.why.replaceChildren(element("span", { class: "hint" }, words.hint));
      return;
    }
    const place = fill(words.place, { row: table.rows[row] ?? row + 1, col: table.cols[col] ?? col + 1 });
    const line = cell.why || fill(words.given, { number: cell.text });
    this.why.replaceChildren(symbol(table.symbol), `${place} = `, ...withPowers(line));
  }

  /** An arrow leads to the next number of the table. @param {KeyboardEvent} event */
  #move(event) {
    const td = cellAt(event.target);
    const way = ARROWS[event.key];
    if (!td || !way || event.ctrlKey || event.altKey || event.metaKey) return;
    const [group, n, row, col] = (td.dataset.key ?? "").split(".").map(Number);
    const next = this.#cells.get(`${group}.${n}.${row + way[0]}.${col + way[1]}`);
    event.preventDefault();
    event.stopPropagation();
    if (!next) return;
    makeTabStop(next);
    next.focus();
  }
}

export default mounting(({ parentElement }) => new Scene(parentElement));
