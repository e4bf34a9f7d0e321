// The matrices as tables: built once for a structure, then patched cell by cell.

import {
  accent,
  active,
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

/**
 * What must be equal for the tables that stand to be patched instead of built anew.
 * @type {(model: Model) => string}
 */
export function structureOf(model) {
  const shapes = Object.entries(model.matrices).map(([name, m]) => {
    const lists = m.perHead ? m.values : [m.values];
    return [name, m.edit, lists.map((rows) => rows && [rows.length, rows[0].length])];
  });
  return JSON.stringify([model.lang, Boolean(model.check), shapes, model.stages, model.dims]);
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

export const corner = () => element("td", { class: "corner" });

/** @typedef {{ name: string; head: number | null; tds: HTMLElement[][]; isInView: boolean }} Table */

export class View {
  /** @type {Map<string, HTMLElement>} */
  cells = new Map(); // key → <td>
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
  #labels = []; // [{node, axis, index}]
  #captions = []; // [{node, table, called, name, head, text}]

  /**
   * `bare`: no stages are laid out; `matrix` gives single tables to whoever lays them out.
   * @param {Model} model
   * @param {{ bare?: boolean }} [layout]
   */
  constructor(model, { bare = false } = {}) {
    this.words = model.words;
    this.root = element("div", { class: "stages", style: `--heads: ${model.dims.h}` });
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
    const heads = [...Array(model.dims.h).keys()].map((head) => {
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
      for (let head = 0; head < model.dims.h; head++) {
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
    const caption = element("figcaption", {}, formula, span("shape", shape), menu);
    const numbers = table(
      {
        role: "grid",
        "aria-readonly": editable ? null : "true",
        data: { matrix: name, head: head ?? "" },
      },
      [corner(), ...rows[0].map((_, col) => this.#columnHead(model, matrix, col))],
      this.#rows(model, name, head, rows, editable),
    );
    this.#captions.push({ node: formula, table: numbers, called, name, head, text: "" });
    const kind = `${editable ? "editable" : "computed"} ${claim ? "claim" : ""}`;
    const parts = [caption, div("scroller", numbers)];
    if (editable && matrix.axes[0] === "n_q" && name === "x") parts.push(this.#addToken("tokens"));
    if (editable && name === "context") parts.push(this.#addToken("context_tokens"));
    const size = `--rows: ${rows.length}; --cols: ${rows[0].length}`;
    const attributes = {
      class: `${lookOf(matrix)} ${kind}`,
      style: size,
      data: { table: `${name} ${head}` },
    };
    const figure = element("figure", attributes, ...parts);
    this.#inView.observe(figure);
    return figure;
  }

  /** @param {string} which */
  #addToken(which) {
    const data = { do: "add_token", which, focus: `add ${which}` };
    return button({ class: "quiet add", data }, `+ ${this.words.token}`);
  }

  /**
   * @param {Model} model
   * @param {Matrix} matrix
   * @param {number} col
   */
  #columnHead(model, matrix, col) {
    const label = span("label");
    this.#labels.push({ node: label, axis: matrix.axes[1], index: col });
    const head = element("th", { scope: "col" }, label);
    if (matrix.axes[1] === "h·d_v") {
      accented(head, Math.floor(col / model.dims.d_v));
      head.classList.toggle("first", col > 0 && col % model.dims.d_v === 0);
    }
    return head;
  }

  /**
   * @param {Model} model
   * @param {string} name
   * @param {number} head
   * @param {Value[][]} rows
   * @param {boolean} editable
   */
  #rows(model, name, head, rows, editable) {
    const axis = model.matrices[name].axes[0];
    const which = editable && { x: "tokens", context: "context_tokens" }[name];
    const tds = rows.map((cells, row) =>
      cells.map((_, col) => {
        const of = key({ name, head, row, col });
        const td = element("td", { data: { key: of, focus: of }, tabindex: row + col ? -1 : 0 });
        this.cells.set(of, td);
        return td;
      }),
    );
    this.#tables.set(`${name} ${head}`, { name, head, tds, isInView: true });
    return tds.map((cells, row) => {
      const header = element("th", { scope: "row" });
      if (which) header.append(...this.#tokenEditor(which, row, rows.length));
      else {
        header.append(span("label"));
        this.#labels.push({ node: header.firstChild, axis, index: row, name, head });
      }
      if (axis === "h·d_v") accented(header, Math.floor(row / model.dims.d_v));
      return element("tr", {}, header, ...cells);
    });
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
    this.#labels.push({ node: input, axis: which === "tokens" ? "n_q" : "n_k", index });
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
    this.#patchLabels(model);
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

  /** @param {Model} model */
  #patchLabels(model) {
    for (const { node, axis, index, name, head } of this.#labels) {
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
    const tops = new Map();
    const topFor = (name) => {
      const { scale, lens, values } = model.matrices[name];
      if (model.lens?.kind === "gradient") return topOfAll(model);
      return model.lens ? topOf(lens) : scale === "weights" ? 1 : topOf(values);
    };
    return (table) => {
      const of = model.lens?.kind === "gradient" ? "" : table.name; // one scale for all
      if (!tops.has(of)) tops.set(of, topFor(table.name));
      this.#patchTable(model, table, tops.get(of), drafts);
    };
  }

  /**
   * @param {Model} model
   * @param {Table} table
   * @param {number} top
   * @param {Map<string, string>} drafts
   */
  #patchTable(model, { name, head, tds }, top, drafts) {
    const rows = rowsOf(model, name, head);
    if (!rows) return;
    const { lens, marks } = model;
    const show = shownAs(model, name, head);
    const look = `${top} ${isEditable(model, name, head) ? "" : decimalsOf(model, name, head)} ${lens?.kind}`;
    const movedFrom = lens ? null : movedOf(model, name, head);
    rows.forEach((cells, row) =>
      cells.forEach((value, col) => {
        const td = tds[row][col];
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
          shown.sign === sign
        )
          return;
        const held = td.firstElementChild;
        if (held?.localName === "input") return; // being edited
        const kind = kindOf(value);
        const tone = shade(lens ? lensTone(model, by, top) : toneOf(value, top));
        this.#shown.set(td, { value, look, draft, by, sign, mark, kind, tone });
        setText(held ?? td, draft ?? show(value));
        if (held) setAttribute(held, "aria-valuenow", valueNow(value));
        if (shown?.kind !== kind) td.dataset.kind = kind;
        if (shown?.tone !== tone) td.style.setProperty("--tone", tone);
        const was = moved && fill(this.words.was_before, { before: show(moved.before) });
        if (sign !== undefined || shown?.sign !== undefined)
          this.#sign(td, sign, lens ? told(model, { name, head, row, col }) : was);
        if (shown?.draft === draft) return;
        td.classList.toggle("invalid", draft !== undefined);
        setAttribute(td, "aria-invalid", draft !== undefined && "true");
      }),
    );
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
