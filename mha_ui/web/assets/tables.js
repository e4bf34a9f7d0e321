// The matrices as tables: built once for a structure, then patched cell by cell.

import {
  accent,
  active,
  arrange,
  button,
  div,
  element,
  fill,
  p,
  rich,
  setAttribute,
  setText,
  shapeOf,
  span,
  symbol,
} from "./dom.js";
import { folded, isUnfolded, UNFOLDED } from "./folding.js";
import {
  decimalsOf,
  headOf,
  isClaim,
  isDead,
  isEditable,
  key,
  labelOf,
  marked,
  rowsOf,
  shownAs,
  symbolOf,
} from "./graph.js";
import { lensAt, lensTone, markOf, told, topOfAll } from "./lens.js";
import { movedOf } from "./moved.js";
import { kindOf, toneOf, topOf } from "./numbers.js";
import { digitsIn, reserved, roomFor } from "./widths.js";

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

/**
 * A table: the heads of its columns over its rows; `groups`: a line above the heads.
 * @param {Record<string, any>} attributes
 * @param {Child[]} columns
 * @param {Child[]} rows
 * @param {{ caption?: Child; groups?: Child }} [above]
 * @returns {HTMLTableElement}
 */
export const table = (attributes, columns, rows, { caption = null, groups = null } = {}) =>
  element(
    "table",
    attributes,
    caption,
    element("thead", {}, groups, element("tr", {}, ...columns)),
    element("tbody", {}, ...rows),
  );

/**
 * What a table of this matrix looks like, as a class.
 * @param {{ hue: string; scale: string }} matrix
 */
export const lookOf = ({ hue, scale }) => `matrix hue-${hue || "none"} scale-${scale}`;

/**
 * A label in a head's colour; as it is where it belongs to none.
 * @type {(node: HTMLElement, head: number) => HTMLElement}
 */
export function accented(node, head) {
  if (head === undefined) return node;
  node.classList.add("accented");
  node.style.setProperty("--accent", `var(--mha-head-${head})`);
  return node;
}

/**
 * What a stage is called, and what happens there.
 * @type {(stage: Pick<Stage, "title" | "hint">) => HTMLElement}
 */
export const stageTitle = ({ title, hint }) =>
  div("stage-title", element("h3", {}, ...rich(title)), element("p", {}, ...rich(hint)));

/**
 * A number as it is told to who cannot see it, by what holds it.
 * @param {Value} value
 */
export const valueNow = (value) =>
  Number.isFinite(Number(value)) && value !== "" ? String(Number(value)) : "";

/**
 * How strongly a cell is coloured, in few shades: fewer cells to style anew.
 * @param {number} tone
 */
const shade = (tone) => String(Math.ceil(tone * 24) / 24);

/**
 * The size of a number that is longer than the room that is kept, while a hand moves it: its column stays as it is.
 * @param {string} text
 * @param {number} digits
 */
function fitted(text, digits) {
  const [long, room] = [digitsIn(text), roomFor(digits)];
  return long > room ? `${(room / long).toFixed(2)}em` : "";
}

export const corner = () => element("td", { class: "corner" });

/**
 * A table with what stands in it: `columns` and `lines` are made so far, by their index; `cells` and `labels` are shown.
 * @typedef {{
 *   name: string; head: number | null; figure: HTMLElement; numbers: HTMLTableElement; isInView: boolean; digits: number;
 *   cells: { td: HTMLElement; row: number; col: number }[]; labels: any[];
 *   columns: Map<number, any>; lines: Map<number, any>;
 * }} Table
 */

/** What has been made for a key, else what is made now. */
const made = (held, at, make) => {
  if (!held.has(at)) held.set(at, make());
  return held.get(at);
};

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
  #shown = new WeakMap(); // <td> → what it shows now
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
    this.folds = folds;
    this.heads = heads;
    this.root = element("div", { class: "stages", style: `--heads: ${heads.length}` });
    if (bare) return;
    if (model.dims.h > 0) this.root.append(this.#headers(model));
    for (const stage of model.stages)
      if (stage.matrices.some((name) => model.matrices[name])) this.root.append(this.#stage(model, stage));
    this.patch(model);
  }

  /** @param {Model} model */
  #headers(model) {
    const { words } = this;
    const fixed = Boolean(model.check) || !model.controls;
    const heads = this.heads.map((head) => {
      const act = (what, text, disabled = false) =>
        button({ class: "quiet", disabled, data: { do: what, head, focus: `${what} ${head}` } }, text);
      const alone = model.dims.h === 1;
      const acts = [act("copy_head", words.copy_head), act("remove_head", words.remove, alone)];
      const title = element("h3", {}, `${words.head} ${head + 1}`);
      return element("div", { class: "head-title", style: accent(head) }, title, ...(fixed ? [] : acts));
    });
    return div("stage head-titles", div("stage-title"), ...heads);
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
      for (const head of this.heads) {
        const present = own.filter((name) => rowsOf(model, name, head));
        const label = `${this.words.head} ${head + 1}`;
        row.append(
          element(
            "div",
            { class: "head", style: accent(head), role: "group", "aria-label": label },
            element("span", { class: "chip", "aria-hidden": "true" }, label),
            ...present.map((name) => this.matrix(model, name, head)),
            this.#shared(model, own, head),
          ),
        );
      }
    }
    return row;
  }

  /**
   * Says whose keys and values this head uses, where it has none of its own.
   * @param {Model} model
   * @param {string[]} names
   * @param {number} head
   */
  #shared(model, names, head) {
    const borrowed = names.filter(
      (name) => headOf(model, name, head) !== head && rowsOf(model, name, headOf(model, name, head)),
    );
    if (!borrowed.length) return null;
    const list = borrowed.map((name) => model.matrices[name].symbol).join(", ");
    const owner = headOf(model, borrowed[0], head) + 1;
    return p("shared", symbol(fill(this.words.shared, { list, head: owner })));
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
    const rows = rowsOf(model, name, head);
    const editable = isEditable(model, name, head);
    const where = head === null ? "" : `, ${this.words.head} ${head + 1}`;
    const shape = shapeOf(rows.length, rows[0].length);
    const claim = isClaim(model, name);
    const formula = span("symbol");
    const called = (sign) => `${matrix.word} ${sign.replaceAll("_", "")}${where}, ${shape}`;
    const menu = button(
      {
        class: "menu quiet",
        "aria-label": `${this.words.menu}: ${matrix.word}${where}`,
        "aria-haspopup": "menu",
        data: { do: "menu", matrix: name, head: head ?? "", focus: `menu ${name} ${head}` },
      },
      "⋯",
    );
    const again = button(
      {
        class: "quiet again",
        hidden: true,
        "aria-label": `${this.words.fold_again}: ${matrix.word}${where}`,
        data: { do: "fold", matrix: name, head: head ?? "", focus: `fold ${name} ${head}` },
      },
      this.words.fold_again,
    );
    const caption = element("figcaption", {}, formula, span("shape", shape), again, menu);
    const attributes = {
      role: "grid",
      "aria-readonly": editable ? null : "true",
      data: { matrix: name, head: head ?? "" },
    };
    const numbers = table(attributes, [corner()], []);
    this.#captions.push({ node: formula, table: numbers, called, name, head, text: "" });
    const kind = `${editable ? "editable" : "computed"} ${claim ? "claim" : ""}`;
    const parts = [caption, div("scroller", numbers)];
    if (editable && matrix.axes[0] === "n_q" && name === "x") parts.push(this.#addToken("tokens"));
    if (editable && name === "context") parts.push(this.#addToken("context_tokens"));
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
        ? { th: this.#gap(of, "col", at), label: null }
        : made(of.columns, at, () => this.#columnHead(model, name, at)),
    );
    const lines = down.map((at) =>
      typeof at === "object"
        ? { tr: this.#gapLine(of, at, across.length), label: null, tds: new Map() }
        : made(of.lines, at, () => this.#line(model, name, head, at)),
    );
    const [top] = numbers.tHead.rows;
    arrange(top, [top.cells[0], ...columns.map(({ th }) => th)]);
    of.cells = [];
    for (const [n, { tr, tds }] of lines.entries()) {
      const row = down[n];
      if (typeof row === "object") continue;
      const cells = across.map((col) => {
        if (typeof col === "object") return element("td", { class: "gap" });
        const td = made(tds, col, () => this.#cell({ name, head, row, col }));
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
   * What stands for rows or columns that are folded away, and unfolds them.
   * @param {Table} of
   * @param {"row" | "col"} axis
   * @param {{ from: number; count: number }} gap
   */
  #gap({ name, head }, axis, { from, count }) {
    const data = {
      do: "unfold",
      matrix: name,
      head: head ?? "",
      axis,
      from,
      focus: `unfold ${axis} ${name} ${head} ${from}`,
    };
    const words = axis === "row" ? this.words.more_rows : this.words.more_columns;
    const unfold = button(
      { class: "quiet unfold", "aria-label": fill(words, { count }), data },
      fill(this.words.more, { count }),
    );
    return element("th", { class: "gap", scope: axis }, unfold);
  }

  #gapLine(of, gap, across) {
    return element("tr", { class: "gap" }, this.#gap(of, "row", gap), element("td", { colspan: across }));
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

  /** @param {string} which */
  #addToken(which) {
    const data = { do: "add_token", which, focus: `add ${which}` };
    return button({ class: "quiet add", data }, `+ ${this.words.token}`);
  }

  /**
   * @param {Model} model
   * @param {string} name
   * @param {number} col
   */
  #columnHead({ matrices, dims }, name, col) {
    const [, axis] = matrices[name].axes;
    const node = span("label");
    const th = element("th", { scope: "col" }, node);
    if (axis === "h·d_v") {
      accented(th, Math.floor(col / dims.d_v));
      th.classList.toggle("first", col > 0 && col % dims.d_v === 0);
    }
    return { th, label: { node, axis, index: col } };
  }

  /**
   * A row with its label, and without its cells.
   * @param {Model} model
   * @param {string} name
   * @param {number | null} head
   * @param {number} row
   */
  #line(model, name, head, row) {
    const [axis] = model.matrices[name].axes;
    const which = isEditable(model, name, head) && { x: "tokens", context: "context_tokens" }[name];
    const parts = which ? this.#tokenEditor(which, row, rowsOf(model, name, head).length) : [span("label")];
    const header = element("th", { scope: "row" }, ...parts);
    if (axis === "h·d_v") accented(header, Math.floor(row / model.dims.d_v));
    const tr = element("tr", {}, header);
    return { tr, label: { node: parts.at(-1), axis, index: row, name, head }, tds: new Map() };
  }

  /** @param {Cell} cell */
  #cell(cell) {
    const of = key(cell);
    return element("td", { data: { key: of, focus: of }, tabindex: cell.row + cell.col ? -1 : 0 });
  }

  /**
   * @param {string} which
   * @param {number} index
   * @param {number} count
   */
  #tokenEditor(which, index, count) {
    const name = `${this.words.token} ${index + 1}`;
    const input = element("input", {
      class: "token",
      dir: "auto",
      maxlength: 1000,
      "aria-label": name,
      spellcheck: "false",
      autocomplete: "off",
      data: { which, index, focus: `token ${which} ${index}` },
    });
    const label = `${this.words.remove}: ${name}`;
    const data = { do: "remove_token", which, index, focus: `remove ${which} ${index}` };
    return [button({ class: "quiet remove", "aria-label": label, disabled: count === 1, data }, "×"), input];
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
      const given = isEditable(model, name, head) && !isClaim(model, name);
      const text = given || !formula ? sign : `${sign} = ${formula}`;
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
      this.#patchTable(model, table, tops.get(of), drafts);
    };
  }

  /**
   * @param {Model} model
   * @param {Table} table
   * @param {number} top
   * @param {Map<string, string>} drafts
   */
  #patchTable(model, { name, head, cells, digits }, top, drafts) {
    const rows = rowsOf(model, name, head);
    if (!rows) return;
    const { lens, marks } = model;
    const show = shownAs(model, name, head);
    const look = `${top} ${isEditable(model, name, head) ? model.decimals : decimalsOf(model, name, head)} ${lens?.kind}`;
    const movedFrom = lens ? null : movedOf(model, name, head);
    for (const { td, row, col } of cells) {
      const value = rows[row][col];
      const draft = drafts.size ? drafts.get(td.dataset.key) : undefined;
      const shown = this.#shown.get(td);
      const mark = marks?.[td.dataset.key];
      if (shown?.mark !== mark) this.#mark(td, mark);
      const by = lens ? lensAt(model, { name, head, row, col }) : undefined;
      const moved = movedFrom?.(row, col);
      const sign = lens ? markOf(model, { name, head, row, col }, by) : moved?.sign;
      if (
        shown?.mark === mark &&
        shown?.value === value &&
        shown.look === look &&
        shown.draft === draft &&
        shown.by === by &&
        shown.sign === sign &&
        (this.isInHand || !shown.size)
      )
        continue;
      const held = td.firstElementChild;
      if (held?.localName === "input") continue; // being edited
      const kind = kindOf(value);
      const tone = shade(lens ? lensTone(model, by, top) : toneOf(value, top));
      const text = draft ?? show(value);
      const size = this.isInHand ? fitted(text, digits) : "";
      this.#shown.set(td, { value, look, draft, by, sign, mark, kind, tone, size });
      setText(held ?? td, text);
      if ((shown?.size ?? "") !== size) td.style.fontSize = size;
      if (held) setAttribute(held, "aria-valuenow", valueNow(value));
      if (shown?.kind !== kind) td.dataset.kind = kind;
      if (shown?.tone !== tone) td.style.setProperty("--tone", tone);
      const was = moved && fill(this.words.was_before, { before: show(moved.before) });
      if (sign !== undefined || shown?.sign !== undefined)
        this.#sign(td, sign, lens ? told(model, { name, head, row, col }) : was);
      if (shown?.draft === draft) continue;
      td.classList.toggle("invalid", draft !== undefined);
      setAttribute(td, "aria-invalid", draft !== undefined && "true");
    }
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

  /**
   * Whether what stands here is right: own, follows, doubtful or right.
   * @param {HTMLElement} td
   * @param {string} mark
   */
  #mark(td, mark) {
    setAttribute(td, "data-mark", mark);
    setAttribute(td, "aria-description", mark && this.words[`mark_${mark}`]);
  }

  /**
   * The cell's own text is gone (an editor stood in it): show it anew at the next patch.
   * @param {HTMLElement} td
   */
  forget(td) {
    td.replaceChildren();
    this.#shown.delete(td);
  }

  /**
   * What a lens, or the last edit, says of a cell besides its colour, and in words.
   * @param {HTMLElement} td
   * @param {string} sign
   * @param {string} words
   */
  #sign(td, sign, words) {
    setAttribute(td, "data-lens", sign);
    setAttribute(td, "aria-description", words);
  }
}
