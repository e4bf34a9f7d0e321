// The matrices as tables: built once for a structure, then patched cell by cell.

import { Cells } from "./cells.js";
import { reserved } from "./column_widths.js";
import { accent, active, arrange, div, element, setAttribute, setText, symbol } from "./dom.js";
import { folded, isUnfolded, UNFOLDED } from "./folding.js";
import { isClaim, isDead, isEditable, isGiven, key, labelOf, marked, rowsOf, symbolOf } from "./graph.js";
import { corner, lookOf, stageTitle, table } from "./layout.js";
import { topOfAll } from "./lens.js";
import { topOf } from "./numbers.js";
import {
  addToken,
  borrowedNote,
  captionOf,
  cellNode,
  columnHead,
  gapHead,
  gapLine,
  headTitles,
  line,
  unshownNote,
} from "./table_parts.js";

/**
 * What must be equal for the tables that stand to be patched instead of built anew.
 * @type {(model: Model) => string}
 */
export function structureOf(model) {
  const shapes = Object.entries(model.matrices).map(([name, m]) => {
    const lists = m.perHead ? m.values : [m.values];
    return [name, m.edit, lists.map((rows) => rows && [rows.length, rows[0].length])];
  });
  const checked = [Boolean(model.check), Boolean(model.check?.practice)];
  return JSON.stringify([model.lang, ...checked, shapes, model.stages, model.dims]);
}

/** What has been made for a key, else what is made now. */
const made = (held, at, make) => {
  if (!held.has(at)) held.set(at, make());
  return held.get(at);
};

/** @typedef {import("./cells.js").Table} Table */

export class View {
  /** @type {Map<string, HTMLElement>} */
  cells = new Map(); // key → <td>
  isInHand = false; // a hand moves the numbers, and nothing else
  /** @type {Map<string, Table>} */
  #tables = new Map(); // by matrix and head
  /** @type {Set<Table>} */
  #late = new Set(); // tables out of view whose numbers are not yet those of the model
  /** @type {(table: Table) => void} */
  #newest = () => {}; // brings a table up to date with the newest numbers
  #inView = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const table = this.#tables.get(/** @type {HTMLElement} */ (target).dataset.table);
      table.isInView = isIntersecting;
      if (isIntersecting && this.#late.delete(table)) this.#newest(table);
    }
  });
  /** @type {Cells} */
  #shown;
  #captions = []; // [{node, table, called, name, head, text}]
  /** @type {{ model: Model; drafts: Map<string, string> }} */
  #last = null; // what is shown

  /**
   * `bare`: no stages are laid out; `matrix` gives single tables to whoever lays them out. `folds`: how large tables are
   * folded; without them none is. `heads`: those that are shown, where not all are.
   * @param {Model} model
   * @param {{ bare?: boolean; folds?: import("./folding.js").Folds | null; heads?: number[] }} [layout]
   */
  constructor(model, { bare = false, folds = null, heads = [...Array(model.dims.h).keys()] } = {}) {
    this.words = model.words;
    this.#shown = new Cells(model.words);
    this.folds = folds;
    this.heads = heads;
    this.root = element("div", { class: "stages", style: `--heads: ${heads.length}` });
    if (bare) return;
    if (model.dims.h > 0) this.root.append(headTitles(model, this.heads));
    for (const stage of model.stages)
      if (stage.matrices.some((name) => model.matrices[name])) this.root.append(this.#stage(model, stage));
    this.patch(model);
  }

  /**
   * @param {Model} model
   * @param {Stage} stage
   */
  #stage(model, stage) {
    const names = stage.matrices.filter((name) => model.matrices[name]);
    const shared = names.filter((name) => !model.matrices[name].perHead);
    const own = names.filter((name) => model.matrices[name].perHead);
    const row = element("section", { class: "stage", "aria-label": stage.title });
    row.append(stageTitle(stage));
    if (shared.length) row.append(div("layer", ...shared.map((name) => this.matrix(model, name, null))));
    if (own.length) {
      if (shared.length) row.append(div("stage-title"));
      const unshown = unshownNote(model, own, this.heads);
      if (unshown) row.querySelector(":scope > .stage-title:last-of-type").append(unshown);
      for (const head of this.heads) {
        const present = own.filter((name) => rowsOf(model, name, head));
        const label = `${this.words.head} ${head + 1}`;
        row.append(
          element(
            "div",
            { class: "head", style: accent(head), role: "group", "aria-label": label },
            element("span", { class: "chip", "aria-hidden": "true" }, label),
            ...present.map((name) => this.matrix(model, name, head)),
            borrowedNote(model, own, head),
          ),
        );
      }
    }
    return row;
  }

  /**
   * One matrix as a table with its caption.
   * @param {Model} model
   * @param {string} name
   * @param {number} head
   * @returns {HTMLElement}
   */
  matrix(model, name, head) {
    const matrix = model.matrices[name];
    const editable = isEditable(model, name, head);
    const claim = isClaim(model, name);
    const caption = captionOf(model, name, head);
    const attributes = {
      role: "grid",
      "aria-readonly": editable ? null : "true",
      data: { matrix: name, head: head ?? "" },
    };
    const numbers = table(attributes, [corner()], []);
    this.#captions.push({
      node: caption.formula,
      table: numbers,
      called: caption.called,
      name,
      head,
      text: "",
    });
    const kind = `${editable ? "editable" : "computed"} ${claim ? "claim" : ""}`;
    const parts = [caption.root, div("scroller", numbers)];
    if (editable && matrix.axes[0] === "n_q" && name === "x") parts.push(addToken(model.words, "tokens"));
    if (editable && name === "context") parts.push(addToken(model.words, "context_tokens"));
    const look = { class: `${lookOf(matrix)} ${kind}`, data: { table: `${name} ${head}` } };
    const figure = element("figure", look, ...parts);
    this.#inView.observe(figure);
    const built = { name, head, figure, numbers, cells: [], labels: [], digits: 0, isInView: true };
    this.#tables.set(`${name} ${head}`, { ...built, columns: new Map(), lines: new Map() });
    this.#layOut(model, this.#tables.get(`${name} ${head}`));
    return figure;
  }

  // --- folding -----------------------------------------------------------------------------------------------------

  /**
   * Put the rows and columns into a table that its fold shows; what stood there already stays as it is.
   * @param {Model} model
   * @param {Table} of
   */
  #layOut(model, of) {
    const { name, head, figure, numbers } = of;
    const rows = rowsOf(model, name, head);
    const fold = this.folds?.at(name, head) ?? UNFOLDED;
    const most = this.folds?.most;
    const [down, across] = [folded(rows.length, fold.row, most), folded(rows[0].length, fold.col, most)];
    const isFolded = [...down, ...across].some((at) => typeof at === "object");
    const columns = across.map((at) =>
      typeof at === "object"
        ? { th: gapHead(this.words, of, "col", at), label: null }
        : made(of.columns, at, () => columnHead(model, name, at)),
    );
    const lines = down.map((at) =>
      typeof at === "object"
        ? { tr: gapLine(this.words, of, at, across.length), label: null, tds: new Map() }
        : made(of.lines, at, () => line(model, name, head, at)),
    );
    const [top] = numbers.tHead.rows;
    arrange(top, [top.cells[0], ...columns.map(({ th }) => th)]);
    of.cells = [];
    for (const [n, { tr, tds }] of lines.entries()) {
      const row = down[n];
      if (typeof row === "object") continue;
      const cells = across.map((col) => {
        if (typeof col === "object") return element("td", { class: "gap" });
        const td = made(tds, col, () => cellNode({ name, head, row, col }));
        of.cells.push({ td, row, col });
        this.cells.set(td.dataset.key, td);
        setAttribute(td, "aria-colindex", isFolded && String(col + 2));
        return td;
      });
      setAttribute(tr, "aria-rowindex", isFolded && String(row + 2));
      arrange(tr, [tr.cells[0], ...cells]);
    }
    arrange(
      numbers.tBodies[0],
      lines.map(({ tr }) => tr),
    );
    of.labels = [...columns, ...lines].map(({ label }) => label).filter(Boolean);
    setAttribute(numbers, "aria-rowcount", isFolded && String(rows.length + 1));
    setAttribute(numbers, "aria-colcount", isFolded && String(rows[0].length + 1));
    figure.style.setProperty("--rows", String(down.length));
    figure.style.setProperty("--cols", String(across.length));
    const again = /** @type {HTMLElement} */ (figure.querySelector('[data-do="fold"]'));
    again.hidden = !isUnfolded(rows.length, fold.row, most) && !isUnfolded(rows[0].length, fold.col, most);
  }

  /**
   * Show these cells, wherever they are folded away; true where something has come to be shown.
   * @param {Cell[]} cells
   */
  reveal(cells) {
    const hidden = cells.filter(
      (cell) => !this.cells.has(key(cell)) && this.#tables.has(`${cell.name} ${cell.head}`),
    );
    if (!this.folds || !hidden.length) return false;
    this.folds.keep(hidden);
    this.#refold(hidden);
    return true;
  }

  /**
   * Show all rows or columns of a table.
   * @param {Pick<Cell, "name" | "head">} of
   * @param {"row" | "col"} axis
   */
  unfold({ name, head }, axis) {
    this.folds.at(name, head)[axis].open = true;
    this.#refold([{ name, head }]);
  }

  /**
   * Fold a table again.
   * @param {Pick<Cell, "name" | "head">} of
   */
  fold({ name, head }) {
    this.folds.forget(name, head);
    this.#refold([{ name, head }]);
  }

  /** @param {Pick<Cell, "name" | "head">[]} those */
  #refold(those) {
    const { model, drafts } = this.#last;
    const patch = this.#patcher(model, drafts);
    for (const name of new Set(those.map(({ name, head }) => `${name} ${head}`))) {
      const table = this.#tables.get(name);
      for (const { td } of table.cells) this.cells.delete(td.dataset.key);
      this.#layOut(model, table);
      patch(table);
      this.#patchLabels(model, table);
    }
  }

  /**
   * Bring every number, label and colour up to date; `drafts` hold what was typed but is no number.
   * @param {Model} model
   * @param {Map<string, string>} [drafts]
   */
  patch(model, drafts = new Map()) {
    for (const table of this.#tables.values()) this.#patchLabels(model, table);
    this.patchCaptions(model);
    this.patchNumbers(model, Object.keys(model.matrices), drafts);
  }

  /**
   * What stands above each table: its letter, and how it is computed.
   * @param {Model} model
   */
  patchCaptions(model) {
    for (const caption of this.#captions) {
      const { node, table, called, name, head } = caption;
      const { formula } = model.matrices[name];
      const sign = symbolOf(model, name, head);
      const text = isGiven(model, name, head) || !formula ? sign : `${sign} = ${formula}`;
      if (text === caption.text) continue;
      node.replaceChildren(...symbol(text).childNodes);
      table.setAttribute("aria-label", called(sign));
      caption.text = text;
    }
  }

  /**
   * @param {Model} model
   * @param {Table} table
   */
  #patchLabels(model, { labels }) {
    for (const { node, axis, index, name, head } of labels) {
      const text = labelOf(model, axis, index);
      if (node.tagName === "INPUT") {
        if (active(node) !== node && node.value !== text) node.value = text;
        node.size = Math.min(12, Math.max(3, [...text].length + 1));
        node.title = text;
      } else {
        const dead = isDead(model, name, head, index);
        setText(node, marked(text, dead));
        node.title = dead ? this.words.dead_row : text;
      }
    }
  }

  /**
   * The same for the numbers of some matrices alone, and of those that have been left behind.
   * @param {Model} model
   * @param {Iterable<string>} names
   * @param {Map<string, string>} [drafts]
   */
  patchNumbers(model, names, drafts = new Map()) {
    const tables = new Set([...this.#late, ...this.#tablesOf(names)]);
    this.#late.clear();
    const patch = this.#patcher(model, drafts);
    for (const table of tables) patch(table);
  }

  /**
   * The same while a hand moves the numbers: tables out of view are left behind until they come into view, or
   * `patchNumbers` is called.
   * @param {Model} model
   * @param {Iterable<string>} names
   * @param {Map<string, string>} [drafts]
   */
  followNumbers(model, names, drafts = new Map()) {
    this.#newest = this.#patcher(model, drafts);
    for (const table of this.#tablesOf(names))
      if (table.isInView) this.#newest(table);
      else this.#late.add(table);
  }

  /**
   * The cell's own text is gone (an editor stood in it): show it anew at the next patch.
   * @param {HTMLElement} td
   */
  forget(td) {
    this.#shown.forget(td);
  }

  /** Whether tables out of view have been left behind. */
  get isBehind() {
    return this.#late.size > 0;
  }

  /** @param {Iterable<string>} names */
  #tablesOf(names) {
    const wanted = new Set(names);
    return [...this.#tables.values()].filter(({ name }) => wanted.has(name));
  }

  /**
   * What brings a table up to date; what its colours are measured by is worked out once for each matrix.
   * @param {Model} model
   * @param {Map<string, string>} drafts
   * @returns {(table: Table) => void}
   */
  #patcher(model, drafts) {
    this.#last = { model, drafts };
    const tops = new Map();
    const topFor = (name) => {
      const { scale, lens, values } = model.matrices[name];
      if (model.lens?.kind === "gradient") return topOfAll(model);
      return model.lens ? topOf(lens) : scale === "weights" ? 1 : topOf(values);
    };
    return (table) => {
      const of = model.lens?.kind === "gradient" ? "" : table.name; // one scale for all
      if (!tops.has(of)) tops.set(of, topFor(table.name));
      if (!this.isInHand) this.#reserve(table, reserved(model, table.name, table.head));
      this.#shown.patch(model, table, tops.get(of), drafts, this.isInHand);
    };
  }

  /**
   * Have room for so many digits in each cell, and never for fewer than before: no column moves while a hand is at it.
   * @param {Table} table
   * @param {number} digits
   */
  #reserve(table, digits) {
    if (digits <= table.digits) return;
    table.digits = digits;
    table.figure.style.setProperty("--digits", String(digits));
  }
}
