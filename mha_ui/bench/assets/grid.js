// Moving, selecting, editing, copying and pasting in the tables, as in a spreadsheet.

import { element, fill } from "./dom.js";
import { isClaim, isEditable, key, rowsOf, unkey, valueOf } from "./graph.js";
import { exact, read, readAllowed, readClaim, readMask, splitBlock, toTsv } from "./numbers.js";
import { nameOf } from "./view.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

export class Grid {
  drafts = new Map(); // key → what was typed and is no number
  #anchor = null; // the cell from which a range is selected
  #range = []; // the <td>s of the selected range
  #editor = null; // {input, cell, td, caret: the arrows move the caret}
  #entering = false; // Tab goes to the next cell while numbers are being entered
  #painting = null; // the value that a drag over mask cells writes
  #tapped = false; // by a finger or a pen, which has no keys: an editor brings the screen's keyboard

  /** `bench` gives model, view and words, and takes send(edit), say(sentence) and pin(cell). */
  constructor(bench) {
    this.bench = bench;
  }

  get editing() {
    return this.#editor !== null;
  }

  /** Event listeners for the element that holds the tables. */
  listen(root) {
    root.addEventListener("pointerdown", (event) => this.#pointerDown(event));
    root.addEventListener("pointerover", (event) => this.#pointerOver(event));
    root.addEventListener("pointerup", () => this.#painted());
    root.addEventListener("pointercancel", () => this.#painted());
    root.addEventListener("pointerleave", () => this.#painted());
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("dblclick", (event) => this.#doubleClick(event));
    root.addEventListener("keydown", (event) => this.#keyDown(event));
    root.addEventListener("copy", (event) => this.#copy(event));
    root.addEventListener("paste", (event) => this.#paste(event));
    root.addEventListener("focusin", (event) => this.#focusIn(event));
  }

  /** After the tables were built anew: the selection's cells are gone. */
  rebuilt() {
    this.#range = [];
    this.#editor = null;
  }

  /** What is being typed, so that it survives a rebuilding of the tables. */
  heldEditor() {
    if (!this.#editor) return null;
    const { input, cell, caret } = this.#editor;
    return { cell, caret, text: input.value, start: input.selectionStart, end: input.selectionEnd };
  }

  resume(held) {
    if (!this.#cellOf(held.cell)) return;
    this.#open(held.cell, held.text, held.caret);
    this.#editor.input.setSelectionRange(held.start, held.end);
  }

  // --- finding cells -------------------------------------------------------------------------------------------

  #cellOf(cell) {
    return this.bench.view.cells.get(key(cell));
  }

  #at(event) {
    const td = event.target.closest?.("td[data-key]");
    return td ? unkey(td.dataset.key) : null;
  }

  #isEditable(cell) {
    return isEditable(this.bench.model, cell.name, cell.head);
  }

  #isMask(cell) {
    return typeof valueOf(this.bench.model, cell) === "boolean";
  }

  #shape(cell) {
    const rows = rowsOf(this.bench.model, cell.name, cell.head);
    return [rows.length, rows[0].length];
  }

  // --- the pointer ---------------------------------------------------------------------------------------------

  #pointerDown(event) {
    const cell = this.#at(event);
    if (!cell || event.button !== 0 || event.target.tagName === "INPUT") return;
    this.#entering = this.#isEditable(cell);
    this.#tapped = event.pointerType !== "mouse";
    if (this.#isEditable(cell) && this.#isMask(cell) && !event.shiftKey) {
      this.#painting = { value: !valueOf(this.bench.model, cell), cells: [] };
      this.#paint(cell);
    } else if (event.shiftKey && this.#anchor) {
      event.preventDefault();
      this.#select(this.#anchor, cell);
    } else {
      this.#anchor = cell;
      this.#select(cell, cell);
    }
  }

  #pointerOver(event) {
    const cell = this.#at(event);
    if (!cell || !(event.buttons & 1)) return;
    if (this.#painting) this.#paint(cell);
    else if (this.#anchor && !this.editing && sameMatrix(cell, this.#anchor))
      this.#select(this.#anchor, cell);
  }

  /** Show a stroke over the mask while it is drawn; it is sent as one edit when the button is let go. */
  #paint(cell) {
    const { value, cells } = this.#painting;
    if (!this.#isMask(cell) || valueOf(this.bench.model, cell) === value) return;
    cells.push(cell);
    this.bench.show({
      op: "set",
      matrix: cell.name,
      head: cell.head,
      row: cell.row,
      col: cell.col,
      values: [[value]],
    });
  }

  #painted() {
    const { value, cells } = this.#painting ?? { cells: [] };
    this.#painting = null;
    if (!cells.length) return;
    const [top, left] = [Math.min(...cells.map((c) => c.row)), Math.min(...cells.map((c) => c.col))];
    const [bottom, right] = [Math.max(...cells.map((c) => c.row)), Math.max(...cells.map((c) => c.col))];
    const values = Array.from({ length: bottom - top + 1 }, () => Array(right - left + 1).fill(null));
    for (const { row, col } of cells) values[row - top][col - left] = value;
    this.#write({ ...cells[0], row: top, col: left }, values);
  }

  #click(event) {
    const cell = this.#at(event);
    if (!cell || this.#range.length > 1) return;
    if (event.target.tagName === "INPUT") {
      if (this.#editor) this.#editor.caret = true;
      return;
    }
    if (!this.#isEditable(cell)) this.bench.pin(cell);
    else if (this.#tapped && !this.#isMask(cell)) this.#open(cell);
  }

  /** A click selects a number, so that typing replaces it; a double click puts the caret into it. */
  #doubleClick(event) {
    const cell = this.#at(event);
    if (cell && event.target.tagName !== "INPUT" && this.#isEditable(cell) && !this.#isMask(cell))
      this.#open(cell, undefined, true);
  }

  #focusIn(event) {
    const td = event.target.closest?.("td[data-key]");
    if (!td) return;
    for (const other of td.closest("table").querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    td.tabIndex = 0;
  }

  // --- the keyboard --------------------------------------------------------------------------------------------

  #keyDown(event) {
    const command = event.ctrlKey || event.metaKey;
    const cell = this.#at(event);
    if (!cell || event.isComposing) return;
    if (this.#editor) this.#keyInEditor(event, cell);
    else this.#keyOnCell(event, cell, command);
  }

  #keyInEditor(event, cell) {
    const { caret } = this.#editor;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
      return;
    }
    const sideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const moves =
      ARROWS[event.key] && !(sideways && caret) && !event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (event.key === "Enter" || event.key === "Tab" || moves) {
      if (!this.#commit()) {
        event.preventDefault();
        return;
      }
      this.#entering = true;
      if (event.key === "Tab") this.#tab(event, cell);
      else {
        event.preventDefault();
        const [down, right] = ARROWS[event.key] ?? [event.shiftKey ? -1 : 1, 0];
        this.#move(cell, down, right);
      }
    }
  }

  #keyOnCell(event, cell, command) {
    const editable = this.#isEditable(cell);
    if (ARROWS[event.key] && !command && !event.altKey) {
      event.preventDefault();
      const [down, right] = ARROWS[event.key];
      if (event.shiftKey) this.#extend(down, right);
      else this.#move(cell, down, right);
    } else if (event.key === "Home" || event.key === "End") {
      event.preventDefault();
      this.#focus({ ...cell, col: event.key === "Home" ? 0 : this.#shape(cell)[1] - 1 });
    } else if (event.key === "Tab") {
      if (this.#entering && editable) this.#tab(event, cell);
    } else if (event.key === "Escape") {
      this.#entering = false;
      if (this.drafts.has(key(cell))) this.#discard(cell);
      else if (this.#range.length > 1) this.#select(cell, cell);
      else this.bench.unpin();
    } else if ((event.key === "Enter" || event.key === " ") && !editable) {
      event.preventDefault();
      this.bench.pin(cell);
    } else if (!editable && !command && !event.altKey && event.key.length === 1) {
      this.#sayComputed(cell);
    } else if (!editable || command || event.altKey) {
      return;
    } else if (this.#isMask(cell)) {
      if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.#write(cell, [[!valueOf(this.bench.model, cell)]]);
      }
    } else if (event.key === "Delete" || event.key === "Backspace") {
      event.preventDefault();
      this.#clear(cell);
    } else if (event.key === "Enter" || event.key === "F2") {
      event.preventDefault();
      this.#open(cell, undefined, true);
    } else if (event.key.length === 1) {
      event.preventDefault();
      this.#open(cell, event.key);
    }
  }

  /** The next cell of the matrix, row by row; past the last one the key goes its usual way out of the table. */
  #tab(event, cell) {
    const [rows, cols] = this.#shape(cell);
    const next = cell.row * cols + cell.col + (event.shiftKey ? -1 : 1);
    if (next < 0 || next >= rows * cols) return;
    event.preventDefault();
    this.#focus({ ...cell, row: Math.floor(next / cols), col: next % cols });
  }

  #move(cell, down, right) {
    const [rows, cols] = this.#shape(cell);
    const row = Math.min(rows - 1, Math.max(0, cell.row + down));
    const col = Math.min(cols - 1, Math.max(0, cell.col + right));
    this.#focus({ ...cell, row, col });
  }

  #focus(cell) {
    this.#anchor = cell;
    this.#select(cell, cell);
    this.#cellOf(cell)?.focus();
  }

  // --- ranges --------------------------------------------------------------------------------------------------

  #extend(down, right) {
    if (!this.#anchor) return;
    const last = this.#range.length ? unkey(this.#range.at(-1).dataset.key) : this.#anchor;
    const first = unkey(this.#range[0]?.dataset.key ?? key(this.#anchor));
    const far = {
      ...this.#anchor,
      row: this.#anchor.row === first.row ? last.row : first.row,
      col: this.#anchor.col === first.col ? last.col : first.col,
    };
    const [rows, cols] = this.#shape(this.#anchor);
    far.row = Math.min(rows - 1, Math.max(0, far.row + down));
    far.col = Math.min(cols - 1, Math.max(0, far.col + right));
    this.#select(this.#anchor, far);
  }

  #select(from, to) {
    for (const td of this.#range) td.classList.remove("selected");
    this.#range = [];
    if (!sameMatrix(from, to)) return;
    for (let row = Math.min(from.row, to.row); row <= Math.max(from.row, to.row); row++)
      for (let col = Math.min(from.col, to.col); col <= Math.max(from.col, to.col); col++) {
        const td = this.#cellOf({ ...from, row, col });
        if (td) this.#range.push(td);
      }
    if (this.#range.length > 1) for (const td of this.#range) td.classList.add("selected");
  }

  /** The selected range's rows of cells; the cell alone where no range is selected. */
  #selected(cell) {
    const cells = this.#range.length > 1 ? this.#range.map((td) => unkey(td.dataset.key)) : [cell];
    const rows = new Map();
    for (const one of cells) rows.set(one.row, [...(rows.get(one.row) ?? []), one]);
    return [...rows.values()];
  }

  #clear(cell) {
    const rows = this.#selected(cell);
    for (const one of rows.flat()) this.drafts.delete(key(one));
    const nothing = isClaim(this.bench.model, cell.name) ? "" : 0;
    this.#write(
      rows[0][0],
      rows.map((row) => row.map(() => nothing)),
    );
  }

  // --- editing -------------------------------------------------------------------------------------------------

  /** Edit a cell: `text` replaces what it holds; `caret` lets the arrows move within the text. */
  #open(cell, text, caret = false) {
    if (this.#editor) this.#commit();
    const td = this.#cellOf(cell);
    const held = this.drafts.get(key(cell)) ?? exact(valueOf(this.bench.model, cell));
    const input = element("input", {
      class: "editor",
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": nameOf(this.bench.model, cell).replaceAll("_", ""),
    });
    input.value = text ?? held;
    td.replaceChildren(input);
    td.closest("figure").classList.add("editing");
    this.#editor = { input, cell, td, caret, held };
    input.focus();
    if (text === undefined && !caret) input.select();
    else input.setSelectionRange(input.value.length, input.value.length);
    input.addEventListener("input", () => input.removeAttribute("aria-invalid"));
    input.addEventListener("blur", () => {
      if (this.#editor?.input === input) this.#commit({ leaving: true });
    });
  }

  /** Whether something else has been typed than what the cell holds. */
  get changed() {
    return this.#editor !== null && this.#editor.input.value !== this.#editor.held;
  }

  /** Close the editor, and leave the number as it was before. True where something else had been typed. */
  cancel() {
    const { changed } = this;
    const { cell } = this.#editor;
    this.#close();
    this.#discard(cell);
    this.#focus(cell);
    return changed;
  }

  /** Forget what was typed and is no number. */
  #discard(cell) {
    this.drafts.delete(key(cell));
    this.bench.hush();
    this.bench.repaint();
  }

  /** Send what was typed. False where it is no number: it stays, marked; on leaving it stays as a draft. */
  #commit({ leaving = false } = {}) {
    const { input, cell } = this.#editor;
    const text = input.value.trim();
    const claim = isClaim(this.bench.model, cell.name);
    const { value, wrong } = text === "" && !claim ? {} : this.#read(cell, text);
    const before = valueOf(this.bench.model, cell);
    if (wrong) {
      const { words } = this.bench;
      this.#sayWrong(
        cell,
        wrong,
        input.value,
        nameOf(this.bench.model, cell),
        before === "" ? words.stays_blank : words.still_counts,
      );
      this.drafts.set(key(cell), input.value);
      if (leaving) this.#close();
      else input.setAttribute("aria-invalid", "true");
      return leaving;
    }
    this.drafts.delete(key(cell));
    if (value !== undefined && value !== before) this.#write(cell, [[value]]); // on its way before anything is drawn
    this.#close();
    return true;
  }

  /** What was typed or pasted for a cell: {value}, or {wrong}. */
  #read(cell, text) {
    if (isClaim(this.bench.model, cell.name)) return readClaim(text);
    if (this.#isMask(cell)) return readAllowed(text);
    return (cell.name === "mask" ? readMask : read)(text, this.bench.model.limits.number);
  }

  /** Say why a text is no number for this cell, where the text stands, and what follows. */
  #sayWrong(cell, wrong, text, place, follows) {
    const { words, model } = this.bench;
    const most = isClaim(model, cell.name) ? Number.MAX_VALUE : model.limits.number;
    const one = fill(words[`wrong_${wrong}`], { place, text, most: inPowers(most) });
    this.bench.say(fill(follows, { what: one }), "error", place);
  }

  #sayComputed(cell) {
    const place = nameOf(this.bench.model, cell);
    this.bench.say(fill(this.bench.words.computed, { place }), "info", place);
  }

  #close() {
    const { td } = this.#editor;
    this.#editor = null;
    td.closest("figure")?.classList.remove("editing");
    this.bench.view.forget(td);
    this.bench.repaint();
  }

  #write(cell, values) {
    const op = isClaim(this.bench.model, cell.name) ? "claim" : "set";
    this.bench.send({ op, matrix: cell.name, head: cell.head, row: cell.row, col: cell.col, values });
  }

  // --- the clipboard -------------------------------------------------------------------------------------------

  #copy(event) {
    const cell = this.#at(event);
    if (!cell || this.#editor) return;
    const rows = this.#selected(cell).map((row) => row.map((one) => valueOf(this.bench.model, one)));
    event.clipboardData.setData("text/plain", toTsv(rows));
    event.preventDefault();
  }

  #paste(event) {
    const cell = this.#at(event);
    if (!cell) return;
    if (!this.#isEditable(cell)) {
      this.#sayComputed(cell);
      return;
    }
    const text = event.clipboardData.getData("text/plain");
    const block = splitBlock(text);
    const single = block.length === 1 && block[0].length === 1;
    if (this.#editor && single) return; // the input takes it
    event.preventDefault();
    if (this.#editor) this.#close();
    if (isClaim(this.bench.model, cell.name)) this.pasteText(cell, text);
    else this.pasteAt(cell, block);
    this.#focus(cell);
  }

  /** The server reads the text: LaTeX, Markdown, CSV, brackets. A whole matrix starts at the first cell. */
  pasteText({ name, head, row, col }, text) {
    this.bench.send({ op: "claim_text", matrix: name, head, row, col, text });
  }

  pasteAt(cell, block) {
    const { words } = this.bench;
    const found = block.map((row) =>
      row.map((text) => (text === "" ? { value: null } : this.#read(cell, text))),
    );
    for (const [i, row] of found.entries())
      for (const [j, { wrong }] of row.entries())
        if (wrong) {
          const place = fill(words.pasted_place, { row: i + 1, col: j + 1 });
          this.#sayWrong(cell, wrong, block[i][j], place, words.nothing_changed);
          return;
        }
    const values = found.map((row) => row.map(({ value }) => value));
    if (!values.length) return;
    const corner = this.#range.length > 1 ? unkey(this.#range[0].dataset.key) : cell;
    this.#write(corner, values);
  }
}

/** 1e12 for 1000000000000, as one types it. */
const inPowers = (number) =>
  number.toExponential(number === Number.MAX_VALUE ? 1 : undefined).replace("+", "");

const sameMatrix = (a, b) => a.name === b.name && a.head === b.head;
