// The matrices as tables: built once for a structure, then patched cell by cell.

import { Cells } from "./cells.js";
import { scaleBar } from "./colour_scales.js";
import { decimalsWithin, reserved } from "./column_widths.js";
import {
  accent,
  active,
  arrange,
  div,
  element,
  requireElement,
  setAttribute,
  setText,
  symbol,
} from "./dom.js";
import { folded, isUnfolded, UNASKED, UNFOLDED } from "./folding.js";
import {
  isClaim,
  isDead,
  isEditable,
  isFixed,
  isGiven,
  key,
  labelOf,
  marked,
  requireRows,
  rowsOf,
  symbolOf,
} from "./graph.js";
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
 * What must be equal for the tables on the page to be patched instead of built again.
 * @param {TablesModel} model
 */
export function structureOf(model) {
  const heads = [...Array(model.dims.h).keys()];
  const shapes = Object.entries(model.matrices).map(([name, { edit, perHead }]) => {
    const tables = (perHead ? heads : [null]).map((head) => rowsOf(model, name, head));
    return [name, edit, tables.map((rows) => rows && [rows.length, rows[0].length])];
  });
  const checked = [Boolean(model.check), Boolean(model.check?.practice)];
  return JSON.stringify([model.lang, ...checked, shapes, model.stages, model.learning?.stages, model.dims]);
}

/**
 * What has been made for a key, else what is made now.
 * @template K, V
 * @param {Map<K, V>} made
 * @param {K} at
 * @param {() => V} make
 * @returns {V}
 */
function getOrMake(made, at, make) {
  const known = made.get(at);
  if (known !== undefined) return known;
  const value = make();
  made.set(at, value);
  return value;
}

/**
 * Of some heads those that have a table in these stages; all of them where none has one.
 * @type {(model: Model, stages: Stage[], heads: number[]) => number[]}
 */
function withTables(model, stages, heads) {
  const names = stages.flatMap(({ matrices }) => matrices).filter((name) => model.matrices[name]?.perHead);
  const found = heads.filter((head) => names.some((name) => rowsOf(model, name, head)));
  return found.length ? found : heads;
}

/**
 * Where the heads' titles are among the stages: above the first whose tables the heads have each their own. One head's
 * title is above all of them.
 * @param {Model} model
 * @param {Stage[]} stages
 * @param {number[]} heads
 */
function firstOfHeads(model, stages, heads) {
  const first = stages.findIndex(({ matrices }) => matrices.some((name) => model.matrices[name]?.perHead));
  return heads.length > 1 ? Math.max(0, first) : 0;
}

const SPARE = 3; // digits for which a column keeps room that it no longer needs

/** @typedef {import("./colour_scales.js").ColourScales} ColourScales */
/** @typedef {import("./table_parts.js").Table} Table */
/**
 * @typedef {{
 *   bare?: boolean; folds?: import("./folding.js").Folds | null; heads?: number[]; digits?: number;
 *   scales?: ColourScales | null;
 * }} ViewLayout
 */

export class View {
  /** @type {Map<string, HTMLElement>} */
  cells = new Map(); // key → <td>
  isInHand = false; // a number is being dragged: only numbers change
  /** @type {Map<string, Table>} */
  #tables = new Map(); // by matrix and head
  /** @type {Set<Table>} */
  #late = new Set(); // tables out of view that do not show the model's numbers yet
  /** @type {(table: Table) => void} */
  #update = () => {}; // brings a table up to date with the newest numbers
  /** @type {Map<string, string[]>} the tables of its stage: equal numbers in them have one colour */
  #beside = new Map();
  /** @type {Map<string, (top: number) => void>} show what a stage's strongest colour stands for */
  #bars = new Map();
  #inView = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const table = this.#tables.get(target.getAttribute("data-table") ?? "");
      if (!table) continue;
      table.isInView = isIntersecting;
      if (isIntersecting && this.#late.delete(table)) this.#update(table);
    }
  });
  hasLarge = false; // whether any table is folded until somebody unfolds it
  /** @type {Cells} */
  #shown;
  /** @type {{ node: Element; numbers: Element; called: (sign: string) => string; table: TableId; text: string }[]} */
  #captions = [];
  /** @type {{ model: Model; drafts: Map<string, string> }} */
  #last; // what is shown

  /**
   * `bare`: lay out no stages; the caller lays out single tables, which `matrix` builds. `folds`: how large tables are
   * folded; without it none is. `heads`: those that are shown, unless all are. `digits`: how many fit into a column,
   * where columns are narrow. `scales`: what the colours stand for, which the stages then show; without it that follows
   * the numbers.
   * @param {TablesModel} model
   * @param {ViewLayout} [layout]
   */
  constructor(model, layout = {}) {
    const {
      bare = false,
      folds = null,
      heads = [...Array(model.dims.h).keys()],
      digits,
      scales = null,
    } = layout;
    this.digits = digits;
    this.scales = scales;
    this.words = model.words;
    this.#shown = new Cells(model.words);
    this.#last = { model, drafts: new Map() };
    this.folds = folds;
    this.heads = heads;
    const backward = model.learning?.stages ?? [];
    const stages = [...model.stages, ...backward];
    this.order = stages.flatMap(({ matrices }) => matrices); // of the tables on the page, by name
    for (const { matrices } of stages) for (const name of matrices) this.#beside.set(name, matrices);
    this.root = this.#stages(model, bare ? [] : model.stages, heads, true);
    // the tables of the backward pass, apart from the others
    this.backward = this.#stages(model, bare ? [] : backward, withTables(model, backward, heads), false);
    if (!bare) this.patch(model);
  }

  /**
   * The tables of some stages, and the titles of the heads above the first that they have; `hasActs`: with what can be
   * done with a head.
   * @param {TablesModel} model
   * @param {Stage[]} stages
   * @param {number[]} heads that have a column
   * @param {boolean} hasActs
   */
  #stages(model, stages, heads, hasActs) {
    const present = stages.filter(({ matrices }) => matrices.some((name) => model.matrices[name]));
    /** @type {(HTMLElement | null)[]} */
    const parts = present.map((stage) => this.#stage(model, stage, heads));
    if (parts.length && model.dims.h > 0)
      parts.splice(firstOfHeads(model, present, heads), 0, headTitles(model, heads, hasActs));
    return element("div", { class: "stages", style: `--heads: ${heads.length}` }, ...parts);
  }

  /**
   * @param {Model} model
   * @param {Stage} stage
   * @param {number[]} heads that have a column
   */
  #stage(model, stage, heads) {
    const names = stage.matrices.filter((name) => model.matrices[name]);
    const shared = names.filter((name) => !model.matrices[name].perHead);
    const own = names.filter((name) => model.matrices[name].perHead);
    const row = element("section", { class: "stage", "aria-label": stage.title });
    row.append(this.#titleOf(model, stage));
    if (shared.length) row.append(div("layer", ...shared.map((name) => this.matrix(model, name, null))));
    if (own.length) {
      if (shared.length) row.append(div("stage-title"));
      const unshown = unshownNote(model, own, this.heads);
      if (unshown) requireElement(row, ":scope > .stage-title:last-of-type").append(unshown);
      for (const head of heads) {
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

  /** A stage's title, with its colours where it has any. @type {(model: Model, stage: Stage) => HTMLElement} */
  #titleOf(model, stage) {
    const title = stageTitle(stage, this.words);
    const looks = stage.matrices.map((name) => model.matrices[name]?.scale);
    const kind = looks.includes("signed") ? "signed" : looks.includes("weights") ? "weights" : "";
    if (!this.scales || !kind) return title;
    const { root, show } = scaleBar(this.words, kind);
    for (const name of stage.matrices) this.#bars.set(name, show);
    title.append(root);
    return title;
  }

  /**
   * One matrix as a table with its caption.
   * @param {Model} model
   * @param {string} name
   * @param {number | null} head
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
    const { formula: node, called } = caption;
    this.#captions.push({ node, numbers, called, table: { name, head }, text: "" });
    const kind = `${editable ? "editable" : "computed"} ${claim ? "claim" : ""}`;
    const parts = [caption.root, div("scroller", numbers)];
    const hasTokens = editable && !isFixed(model);
    if (hasTokens && matrix.axes[0] === "n_q" && name === "x") parts.push(addToken(model.words, "tokens"));
    if (hasTokens && name === "context") parts.push(addToken(model.words, "context_tokens"));
    const look = { class: `${lookOf(matrix)} ${kind}`, data: { table: `${name} ${head}` } };
    const figure = element("figure", look, ...parts);
    this.#inView.observe(figure);
    /** @type {Table} */
    const built = {
      ...{ name, head, figure, numbers, digits: 0, decimals: model.decimals, isInView: true },
      ...{ cells: [], labels: [], columns: new Map(), lines: new Map() },
    };
    this.#tables.set(`${name} ${head}`, built);
    this.#layOut(model, built);
    return figure;
  }

  // --- folding -----------------------------------------------------------------------------------------------------

  /**
   * Put those rows and columns into a table that its fold shows. Those that are in it already stay as they are.
   * @param {Model} model
   * @param {Table} built
   */
  #layOut(model, built) {
    const { name, head, figure, numbers } = built;
    const rows = requireRows(model, name, head);
    const fold = this.folds?.at(name, head) ?? UNFOLDED;
    const most = this.folds?.most;
    const isNarrow = this.digits !== undefined;
    const [down, across] = [folded(rows.length, fold.row, most), folded(rows[0].length, fold.col, most)];
    const isFolded = [...down, ...across].some((at) => typeof at === "object");
    this.hasLarge ||=
      this.folds !== null &&
      [rows, rows[0]].some(({ length }) => folded(length, UNASKED, most).length < length);
    const columns = across.map((at) =>
      typeof at === "object"
        ? { th: gapHead(this.words, built, "col", at, isNarrow), label: null }
        : getOrMake(built.columns, at, () => columnHead(model, name, at)),
    );
    const lines = down.map((at) =>
      typeof at === "object"
        ? { tr: gapLine(this.words, built, at, across.length, isNarrow), label: null, tds: new Map() }
        : getOrMake(built.lines, at, () => line(model, name, head, at)),
    );
    const top = requireElement(numbers, "thead > tr", HTMLTableRowElement);
    arrange(top, [top.cells[0], ...columns.map(({ th }) => th)]);
    built.cells = [];
    for (const [n, { tr, tds }] of lines.entries()) {
      const row = down[n];
      if (typeof row === "object") continue;
      const cells = across.map((col) => {
        if (typeof col === "object") return element("td", { class: "gap" });
        const cell = { name, head, row, col };
        const td = getOrMake(tds, col, () => cellNode(cell));
        built.cells.push({ td, key: key(cell), row, col });
        this.cells.set(key(cell), td);
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
    built.labels = [...columns, ...lines].map(({ label }) => label).filter((label) => label !== null);
    setAttribute(numbers, "aria-rowcount", isFolded && String(rows.length + 1));
    setAttribute(numbers, "aria-colcount", isFolded && String(rows[0].length + 1));
    figure.style.setProperty("--rows", String(down.length));
    figure.style.setProperty("--cols", String(across.length));
    requireElement(figure, '[data-do="fold"]').hidden =
      !isUnfolded(rows.length, fold.row, most) && !isUnfolded(rows[0].length, fold.col, most);
  }

  /**
   * Unfold these cells where they are folded away; false where none was.
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
   * @param {TableId} table
   * @param {"row" | "col"} axis
   */
  unfold({ name, head }, axis) {
    if (!this.folds) return;
    this.folds.at(name, head)[axis].open = true;
    this.#refold([{ name, head }]);
  }

  /**
   * Fold a table again.
   * @param {TableId} table
   */
  fold({ name, head }) {
    this.folds?.forget(name, head);
    this.#refold([{ name, head }]);
  }

  /** @param {TableId[]} tables */
  #refold(tables) {
    const { model, drafts } = this.#last;
    const patch = this.#patcher(model, drafts);
    for (const id of new Set(tables.map(({ name, head }) => `${name} ${head}`))) {
      const table = this.#tables.get(id);
      if (!table) continue;
      for (const cell of table.cells) this.cells.delete(cell.key);
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
   * The caption of each table: its letter, and how it is computed.
   * @param {Model} model
   */
  patchCaptions(model) {
    for (const caption of this.#captions) {
      const { node, numbers, called, table } = caption;
      const { name, head } = table;
      const { formula } = model.matrices[name];
      const sign = symbolOf(model, name, head);
      const text = isGiven(model, name, head) || !formula ? sign : `${sign} = ${formula}`;
      if (text === caption.text) continue;
      node.replaceChildren(...symbol(text).childNodes);
      numbers.setAttribute("aria-label", called(sign));
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
      if (node instanceof HTMLInputElement) {
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
   * Bring the numbers of some matrices up to date, and those of tables that have been left behind.
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
   * The same while a number is dragged: tables out of view are left behind until they come into view, or
   * `patchNumbers` is called.
   * @param {Model} model
   * @param {Iterable<string>} names
   * @param {Map<string, string>} [drafts]
   */
  followNumbers(model, names, drafts = new Map()) {
    this.#update = this.#patcher(model, drafts);
    for (const table of this.#tablesOf(names))
      if (table.isInView) this.#update(table);
      else this.#late.add(table);
  }

  /**
   * An editor was in the cell and has replaced its text: show the number again at the next patch.
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
    const wanted = new Set([...names].flatMap((name) => this.#beside.get(name) ?? name));
    return [...this.#tables.values()].filter(({ name }) => wanted.has(name));
  }

  /**
   * A function that brings a table up to date. The scale of its colours is computed once for each matrix.
   * @param {Model} model
   * @param {Map<string, string>} drafts
   * @returns {(table: Table) => void}
   */
  #patcher(model, drafts) {
    this.#last = { model, drafts };
    /** @type {Map<string, number>} */
    const tops = new Map();
    /** @param {string} name */
    const topFor = (name) => {
      const { scale, lens } = model.matrices[name];
      if (model.lens?.kind === "gradient") return topOfAll(model);
      if (model.lens) return topOf(lens);
      if (scale === "weights") return 1;
      const names = this.#beside.get(name) ?? [name];
      const beside = names.map((other) => model.matrices[other]);
      const needed = topOf(beside.map((matrix) => (matrix?.scale === "weights" ? null : matrix?.values)));
      return this.scales?.topOf(names.join(), needed, this.isInHand) ?? needed;
    };
    return (table) => {
      const scale = model.lens?.kind === "gradient" ? "" : table.name; // one scale for all
      const top = getOrMake(tops, scale, () => topFor(table.name));
      this.#bars.get(table.name)?.(top);
      if (!this.isInHand) this.#reserve(model, table);
      const { decimals } = table;
      const shown = decimals === model.decimals ? model : { ...model, decimals };
      this.#shown.patch(shown, table, top, drafts, this.isInHand);
    };
  }

  /**
   * Reserve room for the digits in each cell. Room for a few digits more than that stays, so that columns seldom move;
   * narrow ones have the decimals for which there is room.
   * @param {Model} model
   * @param {Table} table
   */
  #reserve(model, table) {
    const { name, head } = table;
    const digits = reserved(model, name, head, this.digits);
    table.decimals = decimalsWithin(model, name, head, this.digits);
    if (digits <= table.digits && digits > table.digits - SPARE) return;
    table.digits = digits;
    table.figure.style.setProperty("--digits", String(digits));
  }
}
