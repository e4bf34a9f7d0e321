// Editing and pasting in the tables, as in a spreadsheet.

import { valueNow } from "../../kit/cells.js";
import { element, fill, setAttribute } from "../../kit/dom.js";
import { isModifier, Scrub, stepOf } from "../../kit/drag.js";
import { isClaim, isEditable, key, nameOf, valueAt } from "../../kit/graph.js";
import {
  exact,
  inPowers,
  moved,
  read,
  readAllowed,
  readClaim,
  readMask,
  splitBlock,
} from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";
import { ARROWS, between, cellIn, Selection } from "../../kit/selection.js";
import { SpinButton } from "../../kit/spinbutton.js";

const SHORTCUTS = "Alt+ArrowUp Alt+ArrowDown";

/**
 * An editor is open in a cell. `text`: what the cell held; `caret`: the arrows move within the text.
 * @typedef {{ input: HTMLInputElement; cell: Cell; td: HTMLElement; caret: boolean; text: string }} CellEditor
 */

/**
 * What is being typed, so that it can be typed on once the tables have been rebuilt.
 * @typedef {{ cell: Cell; caret: boolean; text: string; start: number | null; end: number | null }} StoredEditor
 */

/** @param {KeyboardEvent | WheelEvent} event */
const hasCommandKey = ({ ctrlKey, metaKey }) => ctrlKey || metaKey;

/** @param {Event} event */
const isInEditor = ({ target }) => target instanceof HTMLInputElement;

/** @extends {Selection<EditingHost>} */
export class Grid extends Selection {
  /** @type {Map<string, string>} */
  drafts = new Map(); // by key of a cell: what was typed there and is not a number
  /** @type {CellEditor | null} */
  #editor = null;
  #isEntering = false; // numbers are being entered, and Tab goes to the next cell
  /** @type {{ value: boolean; cells: Cell[] } | null} */
  #stroke = null; // a drag over cells of a mask, and the value that it writes
  #wasTapped = false; // by a finger or a pen: there an editor opens the screen's keyboard
  /** @type {Scrub<Cell>} */
  #scrub = new Scrub({
    valueOf: (cell) => this.#draggable(cell),
    moved: (start, steps) => moved(start, steps, this.host.model.limits.number),
    element: (cell) => this.cellOf(cell),
    show: (cell, number) => this.host.preview(this.#edit(cell, [[number]])),
    commit: (cell, number) => {
      this.#write(cell, [[number]]);
      this.host.announce(nameOf(this.host.model, cell), exact(number));
    },
    cancel: () => this.host.preview(null),
  });
  /** @type {SpinButton | null} */
  #spin = null;

  get editing() {
    return this.#editor !== null;
  }

  /** @param {HTMLElement} root */
  listen(root) {
    const on = super.listen(root);
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      root.addEventListener(end, () => this.#endStroke());
    this.#scrub.listen(root);
    this.#spin = new SpinButton(root, (td) => this.#ariaOf(cellIn(td)));
    on("dblclick", (cell, event) => this.#onDoubleClick(cell, event));
    return on;
  }

  rebuilt() {
    super.rebuilt();
    this.#editor = null;
  }

  /** @returns {StoredEditor | null} */
  storedEditor() {
    if (!this.#editor) return null;
    const { input, cell, caret } = this.#editor;
    return { cell, caret, text: input.value, start: input.selectionStart, end: input.selectionEnd };
  }

  /** @param {StoredEditor} stored */
  resume({ cell, text, caret, start, end }) {
    this.#open(cell, text, caret)?.setSelectionRange(start, end);
  }

  /** @param {HTMLElement | undefined} td */
  take(td) {
    this.#spin?.focus(td);
  }

  /** @param {Cell} cell */
  #isEditable(cell) {
    return isEditable(this.host.model, cell.name, cell.head);
  }

  /** @param {Cell} cell */
  #isMask(cell) {
    return typeof valueAt(this.host.model, cell) === "boolean";
  }

  // --- the pointer ---------------------------------------------------------------------------------------------

  /**
   * @param {Cell} cell
   * @param {PointerEvent} event
   */
  pressed(cell, event) {
    if (isInEditor(event)) return;
    this.#scrub.press(cell, event);
    this.#isEntering = this.#isEditable(cell);
    this.#wasTapped = event.pointerType !== "mouse";
    if (this.#isEntering && this.#isMask(cell) && !event.shiftKey) {
      this.#stroke = { value: !valueAt(this.host.model, cell), cells: [] };
      this.#paint(this.#stroke, cell);
    } else super.pressed(cell, event);
  }

  /** @param {Cell} cell */
  dragged(cell) {
    if (this.#stroke) this.#paint(this.#stroke, cell);
    else if (!this.editing && !this.#scrub.active) super.dragged(cell);
  }

  /**
   * Show a stroke over the mask while it is drawn. It is sent as one edit when the button is released.
   * @param {{ value: boolean; cells: Cell[] }} stroke
   * @param {Cell} cell
   */
  #paint({ value, cells }, cell) {
    if (!this.#isMask(cell) || valueAt(this.host.model, cell) === value) return;
    cells.push(cell);
    this.host.preview(this.#strokeEdit({ value, cells }));
  }

  #endStroke() {
    const stroke = this.#stroke;
    this.#stroke = null;
    if (stroke?.cells.length) this.host.send(this.#strokeEdit(stroke));
  }

  /** @param {{ value: boolean; cells: Cell[] }} stroke */
  #strokeEdit({ value, cells }) {
    const [rows, cols] = [cells.map(({ row }) => row), cells.map(({ col }) => col)];
    const [top, left] = [Math.min(...rows), Math.min(...cols)];
    const [bottom, right] = [Math.max(...rows), Math.max(...cols)];
    /** @type {(Value | null)[][]} */
    const values = Array.from({ length: bottom - top + 1 }, () => Array(right - left + 1).fill(null));
    for (const { row, col } of cells) values[row - top][col - left] = value;
    return this.#edit({ ...cells[0], row: top, col: left }, values);
  }

  /**
   * @param {Cell} cell
   * @param {MouseEvent} event
   */
  clicked(cell, event) {
    if (isInEditor(event)) {
      if (this.#editor) this.#editor.caret = true;
    } else if (!this.#isEditable(cell)) super.clicked(cell, event);
    else if (this.#wasTapped && !this.#isMask(cell)) this.#open(cell);
  }

  /**
   * The number of a cell, if it can be dragged: it is editable, and neither a mask's pair nor −∞ nor blank.
   * @param {Cell} cell
   */
  #draggable(cell) {
    const value = valueAt(this.host.model, cell);
    const isNumber = typeof value === "number" || read(String(value)).value !== undefined;
    return isNumber && !this.#editor && this.#isEditable(cell) ? value : undefined;
  }

  /**
   * What a screen reader says of a number that can be moved; null where it cannot.
   * @param {Cell} cell
   */
  #ariaOf(cell) {
    const value = this.#draggable(cell);
    if (value === undefined || this.drafts.has(key(cell))) return null;
    const label = nameOf(this.host.model, cell).replaceAll("_", "");
    return { "aria-label": label, "aria-valuenow": valueNow(value), "aria-keyshortcuts": SHORTCUTS };
  }

  /**
   * Alt with ↑ or ↓ moves a number (with ← or → the browser goes through its history). Escape takes back what was
   * moved; any other key makes it an edit. Whether the key has been dealt with.
   * @param {Cell} cell
   * @param {KeyboardEvent} event
   */
  #nudged(cell, event) {
    const step = event.altKey && !hasCommandKey(event) ? stepOf(event) : 0;
    if (step && this.#scrub.nudge(cell, step, event.shiftKey)) {
      event.preventDefault();
      return true;
    }
    if (event.key === "Escape" && this.#scrub.escape()) {
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    if (!isModifier(event)) this.#scrub.finish();
    return false;
  }

  /**
   * A click selects a number, so that typing replaces it; a double click puts the caret into it.
   * @param {Cell} cell
   * @param {MouseEvent} event
   */
  #onDoubleClick(cell, event) {
    if (!isInEditor(event) && this.#isEditable(cell) && !this.#isMask(cell))
      this.#open(cell, undefined, true);
  }

  // --- the keyboard --------------------------------------------------------------------------------------------

  /**
   * @param {Cell} cell
   * @param {KeyboardEvent} event
   */
  keyed(cell, event) {
    if (this.#nudged(cell, event)) return;
    if (this.#editor) this.#onEditorKey(event, this.#editor);
    else if (event.key === "Tab") {
      const to = this.#isEntering && this.#isEditable(cell) ? this.#afterTab(event, cell) : null;
      if (!to) return;
      event.preventDefault();
      this.focus(to);
    } else if (event.key === "Escape" || !this.#isEditable(cell)) super.keyed(cell, event);
    else if (!this.moved(cell, event) && !hasCommandKey(event) && !event.altKey)
      this.#onInputKey(event, cell);
  }

  /**
   * @param {KeyboardEvent} event
   * @param {CellEditor} editor
   */
  #onEditorKey(event, { cell, caret }) {
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.cancel();
      return;
    }
    const isSideways = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const arrow = event.shiftKey || hasCommandKey(event) || (isSideways && caret) ? null : ARROWS[event.key];
    if (event.key !== "Enter" && event.key !== "Tab" && !arrow) return;
    const isTab = event.key === "Tab";
    const to = isTab ? this.#afterTab(event, cell) : this.inside(cell, arrow ?? [event.shiftKey ? -1 : 1, 0]);
    const isDone = this.#commit({ to });
    if (isDone) this.#isEntering = true;
    if (!isDone || to) event.preventDefault();
  }

  /**
   * A key in an editable cell whose editor is closed.
   * @param {KeyboardEvent} event
   * @param {Cell} cell
   */
  #onInputKey(event, cell) {
    const isEnter = event.key === "Enter";
    if (this.#isMask(cell)) {
      if (!isEnter && event.key !== " ") return;
      this.#write(cell, [[!valueAt(this.host.model, cell)]]);
    } else if (event.key === "Delete" || event.key === "Backspace") this.#clear(cell);
    else if (isEnter || event.key === "F2") this.#open(cell, undefined, true);
    else if (event.key === "?") this.host.solve();
    else if (event.key.length === 1) this.#open(cell, event.key);
    else return;
    event.preventDefault();
  }

  /** @param {Cell} cell */
  let(cell) {
    this.#isEntering = false;
    if (this.drafts.has(key(cell))) this.#discard(cell);
    else super.let(cell);
  }

  /**
   * The next cell of the matrix, row by row. After the last one comes the next table that is filled in; where there is
   * none, the key leaves the table as usual.
   * @param {KeyboardEvent} event
   * @param {Cell} cell
   * @returns {Cell | null}
   */
  #afterTab({ shiftKey }, cell) {
    const [rows, cols] = this.shape(cell);
    const next = cell.row * cols + cell.col + (shiftKey ? -1 : 1);
    const isWithin = next >= 0 && next < rows * cols;
    if (!isWithin) return this.#beyond(cell, shiftKey);
    return { ...cell, row: Math.floor(next / cols), col: next % cols };
  }

  /**
   * The first number to be filled in after a table, or the last one before it.
   * @param {Cell} cell
   * @param {boolean} isBack
   */
  #beyond(cell, isBack) {
    const from = this.cellOf(cell);
    if (!from || !isClaim(this.host.model, cell.name)) return null;
    const all = [...this.host.root.querySelectorAll(".claim.editable:not(.step-given *) td[data-key]")];
    const td = all[all.indexOf(from) + (isBack ? -1 : 1)];
    return td instanceof HTMLElement ? cellIn(td) : null;
  }

  /** @param {Cell} cell */
  #clear(cell) {
    const rows = this.selected(cell);
    for (const selected of rows.flat()) this.drafts.delete(key(selected));
    const nothing = isClaim(this.host.model, cell.name) ? "" : 0;
    this.#write(
      rows[0][0],
      rows.map((row) => row.map(() => nothing)),
    );
  }

  // --- editing -------------------------------------------------------------------------------------------------

  /**
   * Edit a cell.
   * @param {Cell} cell
   * @param {string} [typed] replaces what the cell holds
   * @param {boolean} [caret] whether the arrows move within the text
   */
  #open(cell, typed, caret = false) {
    if (this.#editor) this.#commit();
    this.#spin?.leave();
    const td = this.cellOf(cell);
    if (!td) return null;
    const text = this.drafts.get(key(cell)) ?? exact(valueAt(this.host.model, cell) ?? "");
    const input = element("input", {
      class: "editor",
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": nameOf(this.host.model, cell).replaceAll("_", ""),
    });
    input.value = typed ?? text;
    td.replaceChildren(input);
    td.closest("figure")?.classList.add("editing");
    this.#editor = { input, cell, td, caret, text };
    input.focus();
    if (typed === undefined && !caret) input.select();
    else input.setSelectionRange(input.value.length, input.value.length);
    input.addEventListener("input", () => markInvalid(input, td, false));
    input.addEventListener("blur", () => {
      if (this.#editor?.input === input) this.#commit({ isLeaving: true });
    });
    return input;
  }

  /** Whether something else has been typed than what the cell holds. */
  get changed() {
    return this.#editor !== null && this.#editor.input.value !== this.#editor.text;
  }

  /** Close the editor, and leave the number as it was before. True where something else had been typed. */
  cancel() {
    if (!this.#editor) return false;
    const { changed } = this;
    const { cell } = this.#editor;
    this.#close(this.#editor);
    this.#discard(cell);
    this.focus(cell);
    return changed;
  }

  /**
   * Forget a draft.
   * @param {Cell} cell
   */
  #discard(cell) {
    this.drafts.delete(key(cell));
    this.host.clearMessage();
    this.host.repaint(cell.name);
  }

  /**
   * Send what was typed, and close the editor. False where it is not a number: the editor stays open, marked as invalid.
   * When the editor is left, it closes all the same and the text stays as a draft.
   * @param {{ isLeaving?: boolean; to?: Cell | null }} [then] `to`: where the focus goes
   */
  #commit({ isLeaving = false, to = null } = {}) {
    const editor = this.#editor;
    if (!editor) return true;
    const { input, td, cell } = editor;
    const text = input.value.trim();
    const isClaimed = isClaim(this.host.model, cell.name);
    /** @type {Reading<Value>} */
    const { value, wrong } = text === "" && !isClaimed ? {} : this.#read(cell, text);
    const before = valueAt(this.host.model, cell);
    if (wrong) {
      const { words, model } = this.host;
      const consequence = before === "" ? words.stays_blank : words.still_counts;
      this.#sayWrong(cell, wrong, input.value, nameOf(model, cell), consequence);
      this.drafts.set(key(cell), input.value);
      if (isLeaving) this.#close(editor);
      else markInvalid(input, td, true);
      return isLeaving;
    }
    this.drafts.delete(key(cell));
    if (isClaimed) this.host.wrote(cell);
    this.#editor = null;
    if (to) this.focus(to); // before any number changes: the browser lays the page out when the focus moves
    this.#close(editor);
    if (value !== undefined && value !== before) this.#write(cell, [[value]]);
    if (value === undefined) this.#sayEmpty(cell);
    return true;
  }

  /** Nothing was typed in place of a number. @param {Cell} cell */
  #sayEmpty(cell) {
    const { words, model } = this.host;
    const what = fill(words.wrong_empty, { place: nameOf(model, cell) });
    this.host.say(fill(words.still_counts, { what }));
  }

  /**
   * What was typed or pasted for a cell.
   * @param {Cell} cell
   * @param {string} text
   * @returns {Reading<Value>}
   */
  #read(cell, text) {
    if (isClaim(this.host.model, cell.name)) return readClaim(text);
    if (this.#isMask(cell)) return readAllowed(text);
    return (cell.name === "mask" || cell.name === "head_mask" ? readMask : read)(
      text,
      this.host.model.limits.number,
    );
  }

  /**
   * Say why a text is no number for a cell.
   * @param {Cell} cell
   * @param {string} reason
   * @param {string} text
   * @param {string} place where the text is
   * @param {string} consequence what follows from it, a sentence around the reason
   */
  #sayWrong(cell, reason, text, place, consequence) {
    const { words, model } = this.host;
    const most = isClaim(model, cell.name) ? Number.MAX_VALUE : model.limits.number;
    const what = fill(words[`wrong_${reason}`], { place, text: quoted(words, text), most: inPowers(most) });
    this.host.say(fill(consequence, { what }), "error", place);
  }

  /** @param {CellEditor} editor */
  #close({ td, cell }) {
    this.#editor = null;
    td.closest("figure")?.classList.remove("editing");
    this.host.view.forget(td);
    this.host.repaint(cell.name);
  }

  /**
   * @param {Cell} cell the first one of a block
   * @param {(Value | null)[][]} values
   */
  #write(cell, values) {
    this.host.send(this.#edit(cell, values));
  }

  /**
   * @param {Cell} cell the first one of a block
   * @param {(Value | null)[][]} values null leaves a cell as it is
   * @returns {Edit}
   */
  #edit({ name, head, row, col }, values) {
    const op = isClaim(this.host.model, name) ? "claim" : "set";
    return { op, matrix: name, head, row, col, values };
  }

  // --- the clipboard -------------------------------------------------------------------------------------------

  /**
   * @param {Cell} cell
   * @param {ClipboardEvent} event
   */
  copied(cell, event) {
    if (!this.#editor) super.copied(cell, event);
  }

  /**
   * @param {Cell} cell
   * @param {ClipboardEvent} event
   */
  pasted(cell, event) {
    if (!this.#isEditable(cell)) return super.pasted(cell, event);
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const block = splitBlock(text);
    const isSingle = block.length === 1 && block[0].length === 1;
    if (this.#editor && isSingle) return; // the input takes it
    event.preventDefault();
    if (this.#editor) this.#close(this.#editor);
    if (isClaim(this.host.model, cell.name)) this.#pasteText(cell, text);
    else this.#pasteAt(cell, block);
    this.focus(cell);
  }

  /**
   * The server reads the text: LaTeX, Markdown, CSV, brackets. It puts a whole matrix at the first cell.
   * @param {Cell} cell
   * @param {string} text
   */
  #pasteText({ name, head, row, col }, text) {
    this.host.send({ op: "claim_text", matrix: name, head, row, col, text });
  }

  /**
   * @param {Cell} cell
   * @param {string[][]} block
   */
  #pasteAt(cell, block) {
    const readings = block.map((row) => row.map((text) => (text === "" ? {} : this.#read(cell, text))));
    if (this.#sayFirstWrong(cell, block, readings)) return;
    const values = readings.map((row) => row.map(({ value = null }) => value));
    if (!values.length) return;
    const corner = this.range.length > 1 ? cellIn(this.range[0]) : cell;
    this.#write(corner, values);
    const down = Math.min(values.length, this.shape(corner)[0] - corner.row);
    const end = { ...corner, row: corner.row + down - 1 };
    this.host.view.reveal(between(corner, this.inside(end, [0, values[0].length - 1])));
  }

  /**
   * Say what is wrong with the first text of a block that is no number; whether there is one.
   * @param {Cell} cell
   * @param {string[][]} block
   * @param {Reading<Value>[][]} readings
   */
  #sayFirstWrong(cell, block, readings) {
    const { words } = this.host;
    for (const [i, row] of readings.entries())
      for (const [j, { wrong }] of row.entries())
        if (wrong) {
          const place = fill(words.pasted_place, { row: i + 1, col: j + 1 });
          this.#sayWrong(cell, wrong, block[i][j], place, words.nothing_changed);
          return true;
        }
    return false;
  }
}

/**
 * Mark what stands in an editor as no number, or take the mark away.
 * @param {HTMLInputElement} input
 * @param {HTMLElement} td
 * @param {boolean} isInvalid
 */
function markInvalid(input, td, isInvalid) {
  for (const node of [input, td]) setAttribute(node, "aria-invalid", isInvalid && "true");
  td.classList.toggle("invalid", isInvalid);
}
