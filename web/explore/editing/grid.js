// Editing and pasting in the tables, as in a spreadsheet.

import { valueNow } from "../../kit/cells.js";
import { active, element, fill, setAttribute } from "../../kit/dom.js";
import { isClaim, isEditable, key, nameOf, unkey, valueAt } from "../../kit/graph.js";
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
import { ARROWS, between, cellAt, Selection } from "../../kit/selection.js";
import { Scrub } from "./drag.js";
import { Spin } from "./spinbutton.js";

const SHORTCUTS = "Alt+ArrowUp Alt+ArrowDown";

/** @extends {Selection<Editor>} */
export class Grid extends Selection {
  /** @type {Map<string, string>} */
  drafts = new Map(); // key → what was typed and is no number
  #editor = null; // {input, cell, td, caret: the arrows move the caret}
  #entering = false; // Tab goes to the next cell while numbers are being entered
  #painting = null; // the value that a drag over mask cells writes
  #scrub = new Scrub({
    valueOf: (cell) => this.#draggable(cell),
    moved: (start, steps) => moved(start, steps, this.host.model.limits.number),
    element: (cell) => this.cellOf(cell),
    show: (cell, number) => this.host.preview(this.#edited(cell, [[number]])),
    commit: (cell, number) => {
      this.#write(cell, [[number]]);
      this.host.announce(nameOf(this.host.model, cell), exact(number));
    },
    cancel: (cell, number) => {
      this.host.show(this.#edited(cell, [[number]]));
      this.host.preview(null);
    },
  });
  /** @type {Spin} */
  #spin = null;
  #tapped = false; // by a finger or a pen, which has no keys: an editor brings the screen's keyboard

  get editing() {
    return this.#editor !== null;
  }

  listen(root) {
    const on = super.listen(root);
    for (const end of ["pointerup", "pointercancel", "pointerleave"])
      root.addEventListener(end, () => this.#painted());
    on("wheel", (cell, event) => this.#wheeled(cell, event));
    this.#scrub.listen(root);
    this.#spin = new Spin(root, (td) => this.#ariaOf(unkey(td.dataset.key)));
    on("dblclick", (cell, event) => this.#doubleClick(cell, event));
    return on;
  }

  rebuilt() {
    super.rebuilt();
    this.#editor = null;
  }

  /** What is being typed, so that it survives a rebuilding of the tables. */
  heldEditor() {
    if (!this.#editor) return null;
    const { input, cell, caret } = this.#editor;
    return { cell, caret, text: input.value, start: input.selectionStart, end: input.selectionEnd };
  }

  resume(held) {
    if (!this.cellOf(held.cell)) return;
    this.#open(held.cell, held.text, held.caret);
    this.#editor.input.setSelectionRange(held.start, held.end);
  }

  take(td) {
    this.#spin.focus(td);
  }

  #isEditable(cell) {
    return isEditable(this.host.model, cell.name, cell.head);
  }

  #isMask(cell) {
    return typeof valueAt(this.host.model, cell) === "boolean";
  }

  // --- the pointer ---------------------------------------------------------------------------------------------

  pressed(cell, event) {
    if (event.target.tagName === "INPUT") return;
    this.#scrub.press(cell, event);
    this.#entering = this.#isEditable(cell);
    this.#tapped = event.pointerType !== "mouse";
    if (this.#entering && this.#isMask(cell) && !event.shiftKey) {
      this.#painting = { value: !valueAt(this.host.model, cell), cells: [] };
      this.#paint(cell);
    } else super.pressed(cell, event);
  }

  dragged(cell) {
    if (this.#painting) this.#paint(cell);
    else if (!this.editing && !this.#scrub.active) super.dragged(cell);
  }

  /** Show a stroke over the mask while it is drawn; it is sent as one edit when the button is let go. */
  #paint(cell) {
    const { value, cells } = this.#painting;
    if (!this.#isMask(cell) || valueAt(this.host.model, cell) === value) return;
    cells.push(cell);
    this.host.show(this.#edited(cell, [[value]]));
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

  clicked(cell, event) {
    if (event.target.tagName === "INPUT") {
      if (this.#editor) this.#editor.caret = true;
    } else if (!this.#isEditable(cell)) super.clicked(cell, event);
    else if (this.#tapped && !this.#isMask(cell)) this.#open(cell);
  }

  /** A number that can be dragged: editable, and neither a mask's pair nor −∞ nor blank. */
  #draggable(cell) {
    const value = valueAt(this.host.model, cell);
    const isNumber = typeof value === "number" || read(String(value)).value !== undefined;
    return isNumber && !this.#editor && this.#isEditable(cell) ? value : undefined;
  }

  /** What a number that can be moved is to who cannot see it; null where it is none. */
  #ariaOf(cell) {
    const value = this.#draggable(cell);
    if (value === undefined || this.drafts.has(key(cell))) return null;
    const label = nameOf(this.host.model, cell).replaceAll("_", "");
    return { "aria-label": label, "aria-valuenow": valueNow(value), "aria-keyshortcuts": SHORTCUTS };
  }

  /** The wheel moves the number that has the focus, and scrolls the page everywhere else; what somebody wrote stays. */
  #wheeled(cell, event) {
    if (cellAt(active(this.host.root)) !== this.cellOf(cell) || event.ctrlKey || !event.deltaY) return;
    if (isClaim(this.host.model, cell.name)) return;
    if (this.#scrub.nudge(cell, -Math.sign(event.deltaY), event.shiftKey)) event.preventDefault();
  }

  /**
   * Alt with ↑ or ↓ moves a number (← and → are the browser's way through the pages); Escape takes back what was moved;
   * any other key finishes it.
   */
  #nudged(cell, event) {
    const up = event.altKey && !event.ctrlKey && !event.metaKey && { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (up && this.#scrub.nudge(cell, up, event.shiftKey)) {
      event.preventDefault();
      return true;
    }
    if (event.key === "Escape" && this.#scrub.escape()) {
      event.preventDefault();
      event.stopPropagation();
      return true;
    }
    if (!["Alt", "Shift", "Control", "Meta"].includes(event.key)) this.#scrub.finish();
    return false;
  }

  /** A click selects a number, so that typing replaces it; a double click puts the caret into it. */
  #doubleClick(cell, event) {
    if (event.target.tagName !== "INPUT" && this.#isEditable(cell) && !this.#isMask(cell))
      this.#open(cell, undefined, true);
  }

  // --- the keyboard --------------------------------------------------------------------------------------------

  keyed(cell, event) {
    if (this.#nudged(cell, event)) return;
    if (this.#editor) this.#keyInEditor(event, cell);
    else if (event.key === "Tab") {
      if (this.#entering && this.#isEditable(cell)) this.#tab(event, cell);
    } else if (event.key === "Escape" || !this.#isEditable(cell)) super.keyed(cell, event);
    else if (!this.moved(cell, event) && !event.ctrlKey && !event.metaKey && !event.altKey)
      this.#keyOnInput(event, cell);
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
        this.focus(this.inside(cell, ARROWS[event.key] ?? [event.shiftKey ? -1 : 1, 0]));
      }
    }
  }

  #keyOnInput(event, cell) {
    const enters = event.key === "Enter";
    if (this.#isMask(cell)) {
      if (!enters && event.key !== " ") return;
      this.#write(cell, [[!valueAt(this.host.model, cell)]]);
    } else if (event.key === "Delete" || event.key === "Backspace") this.#clear(cell);
    else if (enters || event.key === "F2") this.#open(cell, undefined, true);
    else if (event.key === "?") this.host.solve();
    else if (event.key.length === 1) this.#open(cell, event.key);
    else return;
    event.preventDefault();
  }

  let(cell) {
    this.#entering = false;
    if (this.drafts.has(key(cell))) this.#discard(cell);
    else super.let(cell);
  }

  /**
   * The next cell of the matrix, row by row; past the last one the next table that is filled in, else the key goes its
   * usual way out of the table.
   */
  #tab(event, cell) {
    const [rows, cols] = this.shape(cell);
    const next = cell.row * cols + cell.col + (event.shiftKey ? -1 : 1);
    const within = next >= 0 && next < rows * cols;
    const to = within
      ? { ...cell, row: Math.floor(next / cols), col: next % cols }
      : this.#beyond(cell, event.shiftKey);
    if (!to) return;
    event.preventDefault();
    this.focus(to);
  }

  /** The first number to be filled in after a table, or the last one before it. */
  #beyond(cell, back) {
    if (!isClaim(this.host.model, cell.name)) return null;
    const all = [...this.host.root.querySelectorAll(".claim.editable:not(.step-given *) td[data-key]")];
    const td = /** @type {HTMLElement} */ (all[all.indexOf(this.cellOf(cell)) + (back ? -1 : 1)]);
    return td ? unkey(td.dataset.key) : null;
  }

  #clear(cell) {
    const rows = this.selected(cell);
    for (const one of rows.flat()) this.drafts.delete(key(one));
    const nothing = isClaim(this.host.model, cell.name) ? "" : 0;
    this.#write(
      rows[0][0],
      rows.map((row) => row.map(() => nothing)),
    );
  }

  // --- editing -------------------------------------------------------------------------------------------------

  /** Edit a cell: `text` replaces what it holds; `caret` lets the arrows move within the text. */
  #open(cell, text, caret = false) {
    if (this.#editor) this.#commit();
    this.#spin.leave();
    const td = this.cellOf(cell);
    const held = this.drafts.get(key(cell)) ?? exact(valueAt(this.host.model, cell));
    const input = element("input", {
      class: "editor",
      type: "text",
      inputmode: "text",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": nameOf(this.host.model, cell).replaceAll("_", ""),
    });
    input.value = text ?? held;
    td.replaceChildren(input);
    td.closest("figure").classList.add("editing");
    this.#editor = { input, cell, td, caret, held };
    input.focus();
    if (text === undefined && !caret) input.select();
    else input.setSelectionRange(input.value.length, input.value.length);
    input.addEventListener("input", () => this.#markInvalid(false));
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
    this.focus(cell);
    return changed;
  }

  /** Forget what was typed and is no number. */
  #discard(cell) {
    this.drafts.delete(key(cell));
    this.host.clearMessage();
    this.host.repaint(cell.name);
  }

  /** Send what was typed. False where it is no number: it stays, marked; on leaving it stays as a draft. */
  #commit({ leaving = false } = {}) {
    const { input, cell } = this.#editor;
    const text = input.value.trim();
    const claim = isClaim(this.host.model, cell.name);
    const { value, wrong } = text === "" && !claim ? {} : this.#read(cell, text);
    const before = valueAt(this.host.model, cell);
    if (wrong) {
      const { words, model } = this.host;
      const follows = before === "" ? words.stays_blank : words.still_counts;
      this.#sayWrong(cell, wrong, input.value, nameOf(model, cell), follows);
      this.drafts.set(key(cell), input.value);
      if (leaving) this.#close();
      else this.#markInvalid(true);
      return leaving;
    }
    this.drafts.delete(key(cell));
    if (claim) this.host.looking.wrote(cell);
    if (value !== undefined && value !== before) this.#write(cell, [[value]]); // on its way before anything is drawn
    this.#close();
    return true;
  }

  /** Whether what stands in the editor is no number. */
  #markInvalid(isInvalid) {
    const { input, td } = this.#editor;
    for (const node of [input, td]) setAttribute(node, "aria-invalid", isInvalid && "true");
    td.classList.toggle("invalid", isInvalid);
  }

  /** What was typed or pasted for a cell: {value}, or {wrong}. */
  #read(cell, text) {
    if (isClaim(this.host.model, cell.name)) return readClaim(text);
    if (this.#isMask(cell)) return readAllowed(text);
    return (cell.name === "mask" ? readMask : read)(text, this.host.model.limits.number);
  }

  /** Say why a text is no number for this cell, where the text stands, and what follows. */
  #sayWrong(cell, wrong, text, place, follows) {
    const { words, model } = this.host;
    const most = isClaim(model, cell.name) ? Number.MAX_VALUE : model.limits.number;
    const one = fill(words[`wrong_${wrong}`], { place, text: quoted(words, text), most: inPowers(most) });
    this.host.say(fill(follows, { what: one }), "error", place);
  }

  #close() {
    const { td, cell } = this.#editor;
    this.#editor = null;
    td.closest("figure")?.classList.remove("editing");
    this.host.view.forget(td);
    this.host.repaint(cell.name);
  }

  #write(cell, values) {
    this.host.send(this.#edited(cell, values));
  }

  /**
   * @param {Cell} cell
   * @param {(Value | null)[][]} values
   * @returns {BlockEdit}
   */
  #edited({ name, head, row, col }, values) {
    const op = isClaim(this.host.model, name) ? "claim" : "set";
    return { op, matrix: name, head, row, col, values };
  }

  // --- the clipboard -------------------------------------------------------------------------------------------

  copied(cell, event) {
    if (!this.#editor) super.copied(cell, event);
  }

  pasted(cell, event) {
    if (!this.#isEditable(cell)) return super.pasted(cell, event);
    const text = event.clipboardData.getData("text/plain");
    const block = splitBlock(text);
    const single = block.length === 1 && block[0].length === 1;
    if (this.#editor && single) return; // the input takes it
    event.preventDefault();
    if (this.#editor) this.#close();
    if (isClaim(this.host.model, cell.name)) this.#pasteText(cell, text);
    else this.#pasteAt(cell, block);
    this.focus(cell);
  }

  /** The server reads the text: LaTeX, Markdown, CSV, brackets. A whole matrix starts at the first cell. */
  #pasteText({ name, head, row, col }, text) {
    this.host.send({ op: "claim_text", matrix: name, head, row, col, text });
  }

  #pasteAt(cell, block) {
    const { words } = this.host;
    const parsed = block.map((row) =>
      row.map((text) => (text === "" ? { value: null } : this.#read(cell, text))),
    );
    for (const [i, row] of parsed.entries())
      for (const [j, { wrong }] of row.entries())
        if (wrong) {
          const place = fill(words.pasted_place, { row: i + 1, col: j + 1 });
          this.#sayWrong(cell, wrong, block[i][j], place, words.nothing_changed);
          return;
        }
    const values = parsed.map((row) => row.map(({ value }) => value));
    if (!values.length) return;
    const corner = this.range.length > 1 ? unkey(this.range[0].dataset.key) : cell;
    this.#write(corner, values);
    const down = Math.min(values.length, this.shape(corner)[0] - corner.row);
    const end = { ...corner, row: corner.row + down - 1 };
    this.host.view.reveal(between(corner, this.inside(end, [0, values[0].length - 1])));
  }
}
