// Which cells are pointed at, lit and selected; in tables that nobody edits that is all that keys and pointer do.

import { active, fill } from "./dom.js";
import { key, nameOf, rowsOf, sourcesOf, unkey, valueAt } from "./graph.js";
import { toTsv } from "./numbers.js";

export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * The <td> of a number that an event is about, or that has the focus.
 * @type {(target: any) => HTMLTableCellElement | null}
 */
export const cellAt = (target) => target?.closest?.("td[data-key]") ?? null;

/**
 * Tab comes back to the cell of a table that had the focus last.
 * @param {HTMLTableCellElement} td
 */
function entrance(td) {
  for (const other of td.closest("table").querySelectorAll('td[tabindex="0"]'))
    other.setAttribute("tabindex", "-1");
  td.tabIndex = td.querySelector("[tabindex]") ? -1 : 0; // what stands in it may be what is come back to
}

/** What is reached last in `root`: by the pointer, or by the keyboard, which takes over from a pointer that lies still. */
export class Pointing {
  #hovered = null;
  #still = false; // the page goes somewhere beneath a pointer that lies still: what comes to lie under it is not meant

  /**
   * `read` says what a <td> stands for, or null; `changed(byFocus)` is called when another may be reached.
   * @param {HTMLElement} root
   * @param {(td: HTMLTableCellElement) => any} read
   * @param {(byFocus: boolean) => void} changed
   */
  constructor(root, read, changed) {
    this.root = root;
    this.read = read;
    const hover = (td) => {
      this.#hovered = td && read(td);
      changed(false);
    };
    root.getRootNode().addEventListener("pointermove", (event) => {
      const { movementX, movementY, target } = /** @type {PointerEvent} */ (event);
      if (!this.#still || !(movementX || movementY)) return;
      this.#still = false;
      if (root.contains(/** @type {Node} */ (target))) hover(cellAt(target)); // it may have got there in one go
    });
    root.addEventListener("pointerover", ({ target }) => this.#still || hover(cellAt(target)));
    root.addEventListener("pointerleave", () => hover(null));
    root.addEventListener("focusin", ({ target }) => {
      const td = cellAt(target);
      if (!td || !read(td)) return;
      entrance(td);
      this.#hovered = null;
      changed(true);
    });
  }

  /** What is pointed at, else what has the focus, or null. */
  get at() {
    return this.#hovered ?? this.focused;
  }

  get focused() {
    const td = cellAt(active(this.root));
    return td && this.root.contains(td) ? this.read(td) : null;
  }

  /** The page is about to go somewhere, by itself. */
  rest() {
    this.#hovered = null;
    this.#still = true;
  }

  /** The tables are drawn anew: what was pointed at is gone. */
  forget() {
    this.#hovered = null;
  }
}

/** Cells that are lit: each <td> with the class that lights it, until all are put out. */
export class Lights {
  /** @type {Map<string, Set<Element>>} */
  #lit = new Map();

  /**
   * @param {Iterable<Element>} tds
   * @param {string} name
   */
  light(tds, name) {
    const lit = this.#lit.get(name) ?? new Set();
    this.#lit.set(name, lit);
    for (const td of tds) {
      if (!td.classList.contains(name)) td.classList.add(name);
      lit.add(td);
    }
  }

  clear() {
    this.anew(() => {});
  }

  /**
   * What `act` lights, and nothing else; what is lit already is left as it is.
   * @param {() => void} act
   */
  anew(act) {
    const before = this.#lit;
    this.#lit = new Map();
    act();
    for (const [name, tds] of before)
      for (const td of tds) if (!this.#lit.get(name)?.has(td)) td.classList.remove(name);
  }
}

/**
 * Moving, selecting and copying in tables as in a spreadsheet; a click or Enter holds a number's explanation. `host`
 * gives the numbers, and is told what is said and held.
 * @template {Host} [H=Host]
 */
export class Selection {
  /** @type {Cell} */
  anchor = null; // the cell from which a range is selected
  /** @type {HTMLElement[]} */
  range = []; // the <td>s of the selected range

  /** @param {H} host */
  constructor(host) {
    this.host = host;
  }

  /**
   * Event listeners for the element that holds the tables.
   * @param {HTMLElement} root
   */
  listen(root) {
    const on = (type, act) =>
      root.addEventListener(type, (event) => {
        const td = cellAt(event.target);
        if (td) act(unkey(td.dataset.key), event);
      });
    on("pointerdown", (cell, event) => event.button === 0 && this.pressed(cell, event));
    on("pointerover", (cell, event) => event.buttons & 1 && this.dragged(cell));
    on("click", (cell, event) => this.range.length > 1 || this.clicked(cell, event));
    on("keydown", (cell, event) => event.isComposing || this.keyed(cell, event));
    on("copy", (cell, event) => this.copied(cell, event));
    on("paste", (cell, event) => this.pasted(cell, event));
    root.addEventListener("pointerdown", (event) => {
      const corner = /** @type {Element} */ (event.target).closest?.("td.corner");
      if (corner && event.button === 0) this.#takeWhole(corner.closest("table"), event);
    });
    return on;
  }

  /**
   * The corner of a table is pressed: all of it is selected, to be copied or pasted over; where it is folded the first
   * cell alone.
   * @param {HTMLTableElement} table
   * @param {PointerEvent} event
   */
  #takeWhole(table, event) {
    const first = /** @type {HTMLElement} */ (table.querySelector("td[data-key]"));
    if (!first) return;
    event.preventDefault(); // the focus goes to the cell
    const cell = unkey(first.dataset.key);
    this.focus(cell);
    if (table.querySelector("th.gap")) return;
    const [rows, cols] = this.shape(cell);
    this.select(cell, { ...cell, row: rows - 1, col: cols - 1 });
  }

  /** After the tables were built anew: the selection's cells are gone. */
  rebuilt() {
    this.range = [];
  }

  /** @param {Cell} cell */
  cellOf(cell) {
    return this.host.view.cells.get(key(cell));
  }

  /** @param {Cell} cell */
  shape(cell) {
    const rows = rowsOf(this.host.model, cell.name, cell.head);
    return [rows.length, rows[0].length];
  }

  // --- what pointer and keys do ------------------------------------------------------------------------------------

  /**
   * @param {Cell} cell
   * @param {PointerEvent} event
   */
  pressed(cell, event) {
    if (event.shiftKey && this.anchor) {
      event.preventDefault();
      this.select(this.anchor, cell);
    } else {
      this.anchor = cell;
      this.select(cell, cell);
    }
  }

  /** @param {Cell} cell */
  dragged(cell) {
    if (this.anchor && sameMatrix(cell, this.anchor)) this.select(this.anchor, cell);
  }

  /**
   * @param {Cell} cell
   * @param {MouseEvent} _event
   */
  clicked(cell, _event) {
    this.host.pin(cell);
  }

  /**
   * @param {Cell} cell
   * @param {KeyboardEvent} event
   */
  keyed(cell, event) {
    if (this.moved(cell, event)) return;
    if (event.key === "Escape") this.let(cell);
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.host.pin(cell);
    } else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey)
      this.sayComputed(cell);
  }

  /**
   * Whether a key moves the focus, or the selection's far corner.
   * @param {Cell} cell
   * @param {KeyboardEvent} event
   */
  moved(cell, event) {
    const step = !event.ctrlKey && !event.metaKey && !event.altKey && ARROWS[event.key];
    const edge = { Home: 0, End: Infinity }[event.key];
    if (!step && edge === undefined) return false;
    event.preventDefault();
    if (!step) this.focus({ ...cell, col: Math.min(edge, this.shape(cell)[1] - 1) });
    else if (event.shiftKey) this.#extend(step);
    else this.focus(this.inside(cell, step));
    return true;
  }

  /**
   * Escape: a range first, then what is held.
   * @param {Cell} cell
   */
  let(cell) {
    if (this.range.length > 1) this.select(cell, cell);
    else this.host.unpin();
  }

  /**
   * @param {Cell} cell
   * @param {ClipboardEvent} event
   */
  copied(cell, event) {
    const rows = this.selected(cell).map((row) => row.map((one) => valueAt(this.host.model, one)));
    event.clipboardData.setData("text/plain", toTsv(rows));
    event.preventDefault();
  }

  /**
   * @param {Cell} cell
   * @param {ClipboardEvent} _event
   */
  pasted(cell, _event) {
    this.sayComputed(cell);
  }

  /**
   * What to change in place of a number that cannot be.
   * @param {Cell} cell
   */
  sayComputed(cell) {
    const { model, words } = this.host;
    const place = nameOf(model, cell);
    const sources = sourcesOf(model, cell.name, cell.head);
    const text = sources.length ? words.computed : words.fixed;
    this.host.say(fill(text, { place, list: sources.join(", ") }), "info", [place, ...sources]);
  }

  // --- cells and ranges ----------------------------------------------------------------------------------------------

  /**
   * The cell a step away, and never outside the matrix.
   * @param {Cell} cell
   * @param {number[]} step
   * @returns {Cell}
   */
  inside(cell, [down, right]) {
    const [rows, cols] = this.shape(cell);
    const row = Math.min(rows - 1, Math.max(0, cell.row + down));
    const col = Math.min(cols - 1, Math.max(0, cell.col + right));
    return { ...cell, row, col };
  }

  /** @param {Cell} cell */
  focus(cell) {
    this.anchor = cell;
    this.host.view.reveal([cell]);
    this.select(cell, cell);
    this.take(this.cellOf(cell));
  }

  /**
   * Give a cell the focus.
   * @param {HTMLElement} td
   */
  take(td) {
    td?.focus();
  }

  /** @param {number[]} step */
  #extend(step) {
    const { anchor } = this;
    if (!anchor) return;
    const [first, last] = [0, -1].map((at) =>
      this.range.length ? unkey(this.range.at(at).dataset.key) : anchor,
    );
    const far = {
      ...anchor,
      row: anchor.row === first.row ? last.row : first.row,
      col: anchor.col === first.col ? last.col : first.col,
    };
    this.select(anchor, this.inside(far, step));
  }

  /**
   * @param {Cell} from
   * @param {Cell} to
   */
  select(from, to) {
    for (const td of this.range) td.classList.remove("selected");
    this.range = [];
    if (!sameMatrix(from, to)) return;
    this.host.view.reveal(between(from, to));
    this.range = between(from, to)
      .map((cell) => this.cellOf(cell))
      .filter(Boolean);
    if (this.range.length > 1) for (const td of this.range) td.classList.add("selected");
  }

  /**
   * The selected range's rows of cells; the cell alone where no range is selected.
   * @param {Cell} cell
   * @returns {Cell[][]}
   */
  selected(cell) {
    const cells = this.range.length > 1 ? this.range.map((td) => unkey(td.dataset.key)) : [cell];
    const rows = new Map();
    for (const one of cells) rows.set(one.row, [...(rows.get(one.row) ?? []), one]);
    return [...rows.values()];
  }
}

/**
 * The cells of a matrix from one corner to the other.
 * @type {(from: Cell, to: Cell) => Cell[]}
 */
export function between(from, to) {
  const run = (one, other) =>
    Array.from({ length: Math.abs(one - other) + 1 }, (_, n) => Math.min(one, other) + n);
  return run(from.row, to.row).flatMap((row) => run(from.col, to.col).map((col) => ({ ...from, row, col })));
}

/** @type {(a: Cell, b: Cell) => boolean} */
const sameMatrix = (a, b) => a.name === b.name && a.head === b.head;
