// Which cells are pointed at, lit and selected. In tables that cannot be edited, keys and pointer do nothing else.

import { active, fill, targetOf } from "./dom.js";
import { key, nameOf, requireRows, requireValue, sourcesOf, unkey } from "./graph.js";
import { toTsv } from "./numbers.js";

/** @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/**
 * The <td> of a number that an event is about, or that has the focus.
 * @type {(target: unknown) => HTMLTableCellElement | null}
 */
export const cellAt = (target) => (target instanceof Element ? target.closest("td[data-key]") : null);

/**
 * The cell that a <td> of a number shows.
 * @param {HTMLElement} td
 */
export const cellIn = (td) => unkey(td.dataset.key ?? "");

/**
 * Make this the cell of its table that Tab comes back to.
 * @param {HTMLTableCellElement} td
 */
export function makeTabStop(td) {
  for (const other of td.closest("table")?.querySelectorAll('td[tabindex="0"]') ?? [])
    other.setAttribute("tabindex", "-1");
  td.tabIndex = td.querySelector("[tabindex]") ? -1 : 0; // what is in it may be the tab stop itself
}

/**
 * The cell that the pointer or the focus has reached last. The keyboard takes over from a pointer that lies still.
 * @template What
 */
export class Pointing {
  /** @type {What | null} */
  #hovered = null;
  #last = ""; // where the pointer has moved to
  #still = false; // the page moves beneath a pointer that lies still: the cell that comes to lie under it is not meant

  /**
   * `read` says what a <td> stands for, or null; `changed(byFocus)` is called when another may be reached.
   * @param {HTMLElement} root
   * @param {(td: HTMLTableCellElement) => What | null} read
   * @param {(byFocus: boolean) => void} changed
   */
  constructor(root, read, changed) {
    this.root = root;
    this.read = read;
    /** @param {HTMLTableCellElement | null} td */
    const hover = (td) => {
      this.#hovered = td && read(td);
      changed(false);
    };
    root.getRootNode().addEventListener("pointermove", (event) => {
      const { movementX, movementY, clientX, clientY, target } = /** @type {PointerEvent} */ (event);
      this.#last = String([clientX, clientY]);
      if (!this.#still || !(movementX || movementY)) return;
      this.#still = false;
      if (root.contains(/** @type {Node} */ (target))) hover(cellAt(target)); // it may have got there in one go
    });
    root.addEventListener("pointerover", ({ target }) => this.#still || hover(cellAt(target)));
    // The foot may grow over the cell that it explains, and so over a pointer that lies still: the cell stays explained.
    root.addEventListener("pointerleave", ({ relatedTarget, clientX, clientY }) => {
      const isStill = String([clientX, clientY]) === this.#last && relatedTarget instanceof Element;
      const foot = isStill && relatedTarget.closest(".board-foot, .bench > .explain");
      if (foot) foot.addEventListener("pointerleave", () => hover(null), { once: true });
      else hover(null);
    });
    root.addEventListener("focusin", ({ target }) => {
      const td = cellAt(target);
      if (!td || !read(td)) return;
      makeTabStop(td);
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

  /** The page is about to scroll by itself. */
  rest() {
    this.#hovered = null;
    this.#still = true;
  }

  /** The tables are drawn again: the cell that was pointed at is gone. */
  forget() {
    this.#hovered = null;
  }
}

/** Cells that are lit, by the class that lights them. */
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
    this.lightOnly(() => {});
  }

  /**
   * Light what `act` lights, and nothing else. What is lit already is left as it is.
   * @param {() => void} act
   */
  lightOnly(act) {
    const before = this.#lit;
    this.#lit = new Map();
    act();
    for (const [name, tds] of before)
      for (const td of tds) if (!this.#lit.get(name)?.has(td)) td.classList.remove(name);
  }
}

/**
 * Moving, selecting and copying in tables as in a spreadsheet; a click or Enter pins a number's explanation. `host`
 * gives the numbers, shows messages and pins.
 * @template {Host} [H=Host]
 */
export class Selection {
  /** @type {Cell | null} */
  anchor = null; // the cell from which a range is selected
  /** @type {HTMLElement[]} */
  range = []; // the <td>s of the selected range

  /** @param {H} host */
  constructor(host) {
    this.host = host;
  }

  /**
   * Listen to the element that holds the tables. Returns what adds a listener for events in its cells.
   * @param {HTMLElement} root
   */
  listen(root) {
    /**
     * @template {keyof HTMLElementEventMap} Name
     * @param {Name} type
     * @param {(cell: Cell, event: HTMLElementEventMap[Name]) => unknown} act
     */
    const on = (type, act) =>
      root.addEventListener(type, (event) => {
        const td = cellAt(event.target);
        if (td) act(cellIn(td), event);
      });
    on("pointerdown", (cell, event) => event.button === 0 && this.pressed(cell, event));
    on("pointerover", (cell, event) => event.buttons & 1 && this.dragged(cell));
    on("click", (cell, event) => this.range.length > 1 || this.clicked(cell, event));
    on("keydown", (cell, event) => event.isComposing || this.keyed(cell, event));
    on("copy", (cell, event) => this.copied(cell, event));
    on("paste", (cell, event) => this.pasted(cell, event));
    root.addEventListener("pointerdown", (event) => {
      const table = targetOf(event)?.closest("td.corner")?.closest("table");
      if (table && event.button === 0) this.#selectTable(table, event);
    });
    return on;
  }

  /**
   * The corner of a table is pressed: select all of it, to be copied or pasted over. Of a folded table select the first
   * cell alone.
   * @param {HTMLTableElement} table
   * @param {PointerEvent} event
   */
  #selectTable(table, event) {
    const first = cellAt(table.querySelector("td[data-key]"));
    if (!first) return;
    event.preventDefault(); // the focus goes to the cell
    const cell = cellIn(first);
    this.focus(cell);
    if (table.querySelector("th.gap")) return;
    const [rows, cols] = this.shape(cell);
    this.select(cell, { ...cell, row: rows - 1, col: cols - 1 });
  }

  /** The tables have been built again: the selection's cells are gone. */
  rebuilt() {
    this.range = [];
  }

  /** @param {Cell} cell */
  cellOf(cell) {
    return this.host.view.cells.get(key(cell));
  }

  /**
   * The number of rows and of columns of a cell's table.
   * @param {Cell} cell
   */
  shape(cell) {
    const rows = requireRows(this.host.model, cell.name, cell.head);
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
    const isEdge = event.key === "Home" || event.key === "End";
    if (!step && !isEdge) return false;
    event.preventDefault();
    if (!step) this.focus({ ...cell, col: event.key === "Home" ? 0 : this.shape(cell)[1] - 1 });
    else if (event.shiftKey) this.#extend(step);
    else this.focus(this.inside(cell, step));
    return true;
  }

  /**
   * Escape: let go of a range first, then of what is pinned.
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
    const rows = this.selected(cell).map((row) => row.map((at) => requireValue(this.host.model, at)));
    event.clipboardData?.setData("text/plain", toTsv(rows));
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
   * Say what to change in place of a number that is computed.
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
   * @param {[number, number]} step
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
   * @param {HTMLElement | undefined} td
   */
  take(td) {
    td?.focus();
  }

  /** @param {[number, number]} step */
  #extend(step) {
    const { anchor } = this;
    if (!anchor) return;
    const [first, last] = [this.range[0], this.range.at(-1)].map((td) => (td ? cellIn(td) : anchor));
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
      .filter((td) => td !== undefined);
    if (this.range.length > 1) for (const td of this.range) td.classList.add("selected");
  }

  /**
   * The selected range's rows of cells; the cell alone where no range is selected.
   * @param {Cell} cell
   * @returns {Cell[][]}
   */
  selected(cell) {
    const cells = this.range.length > 1 ? this.range.map(cellIn) : [cell];
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
  /** @type {(from: number, to: number) => number[]} */
  const run = (from, to) => Array.from({ length: Math.abs(from - to) + 1 }, (_, n) => Math.min(from, to) + n);
  return run(from.row, to.row).flatMap((row) => run(from.col, to.col).map((col) => ({ ...from, row, col })));
}

/** @type {(a: Cell, b: Cell) => boolean} */
const sameMatrix = (a, b) => a.name === b.name && a.head === b.head;
