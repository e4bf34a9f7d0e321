// The parts of a matrix's table as they are first built: captions, labels, cells and gaps.

import { accent, button, div, element, fill, fillNodes, p, shapeOf, span, symbol, titled } from "./dom.js";
import { headOf, isEditable, isFixed, key, requireRows, rowsOf } from "./graph.js";
import { accented } from "./layout.js";

/**
 * A row's or a column's label; `name` and `head` of its table where it is a row's.
 * @typedef {{ node: HTMLElement; axis: string; index: number; name: string; head: number | null }} Label
 */
/** @typedef {{ th: HTMLTableCellElement; label: Label | null }} Column */
/** @typedef {{ tr: HTMLTableRowElement; label: Label | null; tds: Map<number, HTMLTableCellElement> }} Line */

/**
 * A table on the page. `columns` and `lines`: those made so far, by their index; `cells` and `labels`: those shown;
 * `digits`: for how many there is room in a cell; `decimals`: how many its numbers have.
 * @typedef {{
 *   name: string; head: number | null; figure: HTMLElement; numbers: HTMLTableElement; isInView: boolean;
 *   digits: number; decimals: number; cells: { td: HTMLElement; key: string; row: number; col: number }[]; labels: Label[];
 *   columns: Map<number, Column>; lines: Map<number, Line>;
 * }} Table
 */

/**
 * The heads' titles, above all stages. `hasActs`: with what can be done with a head.
 * @param {Model} model
 * @param {number[]} shown
 * @param {boolean} hasActs
 */
export function headTitles(model, shown, hasActs) {
  const { words } = model;
  const heads = shown.map((head) => {
    /** @type {(what: string, text: string, disabled?: boolean) => HTMLElement} */
    const act = (what, text, disabled = false) =>
      button({ class: "quiet", disabled, data: { do: what, head, focus: `${what} ${head}` } }, text);
    const alone = model.dims.h === 1;
    const acts = [act("copy_head", words.copy_head), act("remove_head", words.remove, alone)];
    const title = element("h3", {}, `${words.head} ${head + 1}`);
    return element(
      "div",
      { class: "head-title", style: accent(head) },
      title,
      ...(hasActs && !isFixed(model) ? acts : []),
    );
  });
  return div("stage head-titles", div("stage-title"), ...heads);
}

const MOST_NAMED = 3; // so many heads whose tables are not shown have a button each

/**
 * The heads that are not shown, and their numbers from 1 in short: "1, 5–16".
 * @param {number} count
 * @param {number[]} shown
 */
export function unshown(count, shown) {
  const away = [...Array(count).keys()].filter((head) => !shown.includes(head));
  const starts = away.filter((head) => !away.includes(head - 1));
  const runs = starts.map((from, n) => {
    const to = away[away.indexOf(starts[n + 1] ?? Infinity) - 1] ?? away.at(-1);
    return from === to ? from + 1 : `${from + 1}–${to + 1}`;
  });
  return { away, text: runs.join(", ") };
}

/**
 * Names the heads whose tables of a stage are not shown. A few have a button each that shows them; for more, one button
 * opens the choice of heads.
 * @param {Model} model
 * @param {string[]} names the stage's tables
 * @param {number[]} shown
 */
export function unshownNote(model, names, shown) {
  const { words, dims } = model;
  const { away, text } = unshown(dims.h, shown);
  if (!away.length) return null;
  /** @param {number} head */
  const named = (head) => {
    const data = { do: "show_head", head, table: names.find((name) => rowsOf(model, name, head)) };
    return button(
      { class: "quiet", style: accent(head), "aria-label": `${words.head} ${head + 1}`, data },
      `${head + 1}`,
    );
  };
  const all = () => button({ class: "quiet", data: { do: "heads" } }, text);
  const list = away.length <= MOST_NAMED ? away.map(named) : [all()];
  return p("unshown", ...fillNodes(words.heads_unshown, { list }));
}

/**
 * Says whose keys and values this head uses where it has none of its own.
 * @param {Model} model
 * @param {string[]} names
 * @param {number} head
 */
export function borrowedNote(model, names, head) {
  const borrowed = names.filter(
    (name) => headOf(model, name, head) !== head && rowsOf(model, name, headOf(model, name, head)),
  );
  if (!borrowed.length) return null;
  const list = borrowed.map((name) => model.matrices[name].symbol).join(", ");
  const owner = (headOf(model, borrowed[0], head) ?? head) + 1;
  return p("shared", symbol(fill(model.words.shared, { list, head: owner })));
}

/**
 * A table's caption: its formula, its shape, and buttons that fold it again and open its menu.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 */
export function captionOf(model, name, head) {
  const { words } = model;
  const { word } = model.matrices[name];
  const rows = requireRows(model, name, head);
  const where = head === null ? "" : `${words.comma}${words.head} ${head + 1}`;
  const shape = shapeOf(rows.length, rows[0].length);
  const formula = span("symbol");
  /** @type {(what: string, attributes: Attributes, text: string) => HTMLElement} */
  const act = (what, attributes, text) =>
    button(
      { ...attributes, data: { do: what, matrix: name, head: head ?? "", focus: `${what} ${name} ${head}` } },
      text,
    );
  const menu = act(
    "menu",
    {
      class: "menu quiet",
      "aria-label": titled(words, words.menu, `${word}${where}`),
      "aria-haspopup": "menu",
    },
    "⋯",
  );
  const again = act(
    "fold",
    { class: "quiet again", hidden: true, "aria-label": titled(words, words.fold_again, `${word}${where}`) },
    words.fold_again,
  );
  const root = element("figcaption", {}, formula, span("shape", shape), again, menu);
  /** @param {string} sign */
  const called = (sign) => `${word} ${sign.replaceAll("_", "")}${where}${words.comma}${shape}`;
  return { root, formula, called };
}

/**
 * A heading in place of rows or columns that are folded away, with a button that unfolds them.
 * @param {Record<string, string>} words
 * @param {TableId} table
 * @param {"row" | "col"} axis
 * @param {import("./folding.js").Gap} gap
 * @param {boolean} isNarrow whether there is no room for words
 */
export function gapHead(words, { name, head }, axis, { from, count }, isNarrow) {
  const focus = `unfold ${axis} ${name} ${head} ${from}`;
  const data = { do: "unfold", matrix: name, head: head ?? "", axis, from, focus };
  const template = axis === "row" ? words.more_rows : words.more_columns;
  const label = { class: "quiet unfold", "aria-label": fill(template, { count }), data };
  const text = isNarrow ? `… ${count}` : fill(words.more, { count });
  return element("th", { class: "gap", scope: axis }, button(label, text));
}

/**
 * A row in place of rows that are folded away.
 * @param {Record<string, string>} words
 * @param {TableId} table
 * @param {import("./folding.js").Gap} gap
 * @param {number} across how many columns the table shows
 * @param {boolean} isNarrow
 */
export const gapLine = (words, table, gap, across, isNarrow) =>
  element(
    "tr",
    { class: "gap" },
    gapHead(words, table, "row", gap, isNarrow),
    element("td", { colspan: across }),
  );

/**
 * @param {Model} model
 * @param {string} name
 * @param {number} col
 * @returns {Column}
 */
export function columnHead({ matrices, dims }, name, col) {
  const [, axis] = matrices[name].axes;
  const node = span("label");
  const th = element("th", { scope: "col" }, node);
  if (axis === "h·d_v") {
    accented(th, Math.floor(col / dims.d_v));
    th.classList.toggle("first", col > 0 && col % dims.d_v === 0);
  }
  return { th, label: { node, axis, index: col, name, head: null } };
}

/**
 * A row with its label, and without its cells.
 * @param {Model} model
 * @param {string} name
 * @param {number | null} head
 * @param {number} row
 * @returns {Line}
 */
export function line(model, name, head, row) {
  const [axis] = model.matrices[name].axes;
  const list = name === "x" ? "tokens" : name === "context" ? "context_tokens" : null;
  const count = requireRows(model, name, head).length;
  const editor =
    list && isEditable(model, name, head) && !isFixed(model)
      ? tokenEditor(model.words, list, row, count)
      : { acts: [], node: span("label") };
  const { acts, node } = editor;
  const header = element("th", { scope: "row" }, ...acts, node);
  if (axis === "h·d_v") accented(header, Math.floor(row / model.dims.d_v));
  const tr = element("tr", {}, header);
  return { tr, label: { node, axis, index: row, name, head }, tds: new Map() };
}

/** @param {Cell} cell */
export function cellNode(cell) {
  const name = key(cell);
  return element("td", { data: { key: name, focus: name }, tabindex: cell.row + cell.col ? -1 : 0 });
}

/**
 * A token's field, and the button that removes it.
 * @type {(words: Record<string, string>, which: TokenList, index: number, count: number) =>
 *   { acts: HTMLElement[]; node: HTMLElement }}
 */
function tokenEditor(words, which, index, count) {
  const name = `${words.token} ${index + 1}`;
  const input = element("input", {
    class: "token",
    dir: "auto",
    maxlength: 1000,
    "aria-label": name,
    spellcheck: "false",
    autocomplete: "off",
    data: { which, index, focus: `token ${which} ${index}` },
  });
  const label = titled(words, words.remove, name);
  const data = { do: "remove_token", which, index, focus: `remove ${which} ${index}` };
  const remove = button({ class: "quiet remove", "aria-label": label, disabled: count === 1, data }, "×");
  return { acts: [remove], node: input };
}

/** @type {(words: Record<string, string>, which: TokenList) => HTMLElement} */
export const addToken = (words, which) =>
  button({ class: "quiet add", data: { do: "add_token", which, focus: `add ${which}` } }, `+ ${words.token}`);
