// What the cells of a table show: their numbers, how strongly they are coloured, and what is said of them.

import { digitsIn, roomFor } from "./column_widths.js";
import { fill, setAttribute, setText } from "./dom.js";
import { decimalsOf, isClaim, isEditable, isHidden, kindAt, rowsOf, shownAs } from "./graph.js";
import { lensAt, lensText, lensTone, markOf } from "./lens.js";
import { movedOf } from "./moved.js";
import { toneOf } from "./numbers.js";

/**
 * A table with what stands in it: `columns` and `lines` are made so far, by their index; `cells` and `labels` are shown.
 * @typedef {{
 *   name: string; head: number | null; figure: HTMLElement; numbers: HTMLTableElement; isInView: boolean; digits: number;
 *   cells: { td: HTMLElement; row: number; col: number }[]; labels: any[];
 *   columns: Map<number, any>; lines: Map<number, any>;
 * }} Table
 */

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

const SMALLEST = 0.7; // in em: what somebody wrote is smaller than that in no case, and its column then grows

/**
 * The size of a number that is longer than the room that is kept, while a hand moves it and where it was filled in: its
 * column stays as it is.
 * @param {string} text
 * @param {number} digits
 */
function fitted(text, digits, least = 0) {
  const part = Math.max(least, roomFor(digits) / digitsIn(text));
  return part < 1 ? `${part.toFixed(2)}em` : "";
}

export class Cells {
  #shown = new WeakMap(); // <td> → what it shows now

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
  }

  /**
   * Bring a table's numbers and colours up to date: `top` is what the strongest colour stands for, `drafts` hold what
   * was typed but is no number, `isInHand`: a hand moves the numbers, and nothing else.
   * @param {Model} model
   * @param {Table} table
   * @param {number} top
   * @param {Map<string, string>} drafts
   * @param {boolean} isInHand
   */
  patch(model, { name, head, cells, digits }, top, drafts, isInHand) {
    const rows = rowsOf(model, name, head);
    if (!rows) return;
    const { lens, marks } = model;
    const show = shownAs(model, name, head);
    const isFilledIn = isClaim(model, name);
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
      const cell = { name, head, row, col };
      const kind = kindAt(model, cell, value);
      const sign = lens ? markOf(model, cell, by) : moved?.sign;
      if (
        shown?.mark === mark &&
        shown?.value === value &&
        shown.look === look &&
        shown.draft === draft &&
        shown.by === by &&
        shown.sign === sign &&
        shown.kind === kind &&
        (isInHand || !shown.size)
      )
        continue;
      const held = td.firstElementChild;
      if (held?.localName === "input") continue; // being edited
      const tone = shade(lens ? lensTone(model, by, top) : toneOf(value, top));
      const text = draft ?? show(value);
      const size = isFilledIn ? fitted(text, digits, SMALLEST) : isInHand ? fitted(text, digits) : "";
      const told = this.#told(model, cell, value, moved?.was);
      this.#shown.set(td, { value, look, draft, by, sign, mark, kind, tone, size, told });
      setText(held ?? td, text);
      if ((shown?.size ?? "") !== size) td.style.fontSize = size;
      if (held) setAttribute(held, "aria-valuenow", valueNow(value));
      if (shown?.kind !== kind) td.dataset.kind = kind;
      if (shown?.tone !== tone) td.style.setProperty("--tone", tone);
      if (shown?.sign !== sign) setAttribute(td, "data-lens", sign);
      if (shown?.told !== told)
        setAttribute(td, "aria-description", told || (mark && this.words[`mark_${mark}`]));
      if (shown && shown.draft === draft) continue;
      td.classList.toggle("invalid", draft !== undefined);
      setAttribute(td, "aria-invalid", draft !== undefined && "true");
    }
  }

  /**
   * Whether what stands here is right: own, follows, doubtful, coarse, nearly or right.
   * @param {HTMLElement} td
   * @param {string} mark
   */
  #mark(td, mark) {
    setAttribute(td, "data-mark", mark);
    setAttribute(td, "aria-description", mark && this.words[`mark_${mark}`]);
  }

  /**
   * What is said of a cell besides its colour: that the mask hides it, what a lens shows, what the last edit changed.
   * @param {Model} model
   * @param {Cell} cell
   * @param {Value} value
   * @param {string} [was] before the last edit
   */
  #told(model, cell, value, was) {
    const { words } = this;
    const changed = was === undefined ? "" : fill(words.was_before, { before: was });
    const told = [isHidden(model, cell, value) && words.hidden, model.lens ? lensText(model, cell) : changed];
    return told.filter(Boolean).join(words.overview_and);
  }

  /**
   * The cell's own text is gone (an editor stood in it): show it anew at the next patch.
   * @param {HTMLElement} td
   */
  forget(td) {
    td.replaceChildren();
    this.#shown.delete(td);
  }
}
