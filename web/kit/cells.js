// What the cells of a table show: their numbers, how strongly they are coloured, and what is said of them.

import { movedOf } from "./changed_numbers.js";
import { digitsIn, roomFor } from "./column_widths.js";
import { fill, setAttribute, setText } from "./dom.js";
import { decimalsOf, isClaim, isEditable, isHidden, kindAt, rowsOf, shownAs } from "./graph.js";
import { lensAt, lensText, lensTone, markOf } from "./lens.js";
import { toneOf } from "./numbers.js";

/** @typedef {import("./table_parts.js").Table} Table */

/**
 * What a cell shows now.
 * @typedef {{
 *   value: Value; look: string; draft?: string; by?: Value | null; sign?: string; mark?: string;
 *   kind: string; tone: string; size: string; description: string;
 * }} ShownCell
 */

/**
 * A number as a screen reader says it; "" for what is none.
 * @param {Value} value
 */
export const valueNow = (value) =>
  Number.isFinite(Number(value)) && value !== "" ? String(Number(value)) : "";

/**
 * How strongly a cell is coloured, in few shades: the fewer there are, the fewer cells get another style.
 * @param {number} tone
 */
const shade = (tone) => String(Math.ceil(tone * 24) / 24);

const SMALLEST = 0.7; // in em, of what somebody wrote: where it still is too long, its column grows

/**
 * The size of a number that is longer than the room that is reserved for it, so that its column keeps its width.
 * @param {string} text
 * @param {number} digits
 */
function fitted(text, digits, least = 0) {
  const part = Math.max(least, roomFor(digits) / digitsIn(text));
  return part < 1 ? `${part.toFixed(2)}em` : "";
}

export class Cells {
  /** @type {WeakMap<HTMLElement, ShownCell>} */
  #shown = new WeakMap();

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
  }

  /**
   * Bring a table's numbers and colours up to date. `top`: what the strongest colour stands for; `drafts`: what was
   * typed but is no number, by the cell's key; `isInHand`: a number is being dragged, so only numbers change.
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
    const decimals = isEditable(model, name, head) ? model.decimals : decimalsOf(model, name, head);
    const look = `${top} ${decimals} ${lens?.kind}`;
    const movedFrom = lens ? null : movedOf(model, name, head);
    for (const { td, key, row, col } of cells) {
      const value = rows[row][col];
      const draft = drafts.size ? drafts.get(key) : undefined;
      const shown = this.#shown.get(td);
      const mark = marks?.[key];
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
      const child = td.firstElementChild;
      if (child?.localName === "input") continue; // being edited
      const tone = shade(lens ? lensTone(model, by, top) : toneOf(value, top));
      const text = draft ?? show(value);
      const size = isFilledIn ? fitted(text, digits, SMALLEST) : isInHand ? fitted(text, digits) : "";
      const description = this.#describe(model, cell, value, moved?.was);
      this.#shown.set(td, { value, look, draft, by, sign, mark, kind, tone, size, description });
      setText(child ?? td, text);
      if ((shown?.size ?? "") !== size) td.style.fontSize = size;
      if (child) setAttribute(child, "aria-valuenow", valueNow(value));
      if (shown?.kind !== kind) td.dataset.kind = kind;
      if (shown?.tone !== tone) td.style.setProperty("--tone", tone);
      if (shown?.sign !== sign) setAttribute(td, "data-lens", sign);
      if (shown?.description !== description)
        setAttribute(td, "aria-description", description || (mark && this.words[`mark_${mark}`]));
      if (shown && shown.draft === draft) continue;
      td.classList.toggle("invalid", draft !== undefined);
      setAttribute(td, "aria-invalid", draft !== undefined && "true");
    }
  }

  /**
   * Show whether a claimed number is right.
   * @param {HTMLElement} td
   * @param {string | undefined} mark own, follows, doubtful, coarse, nearly or right
   */
  #mark(td, mark) {
    setAttribute(td, "data-mark", mark);
    setAttribute(td, "aria-description", mark && this.words[`mark_${mark}`]);
  }

  /**
   * What the colour of a cell says, in words: that the mask hides it, what a lens shows, what the last edit changed.
   * @param {Model} model
   * @param {Cell} cell
   * @param {Value} value
   * @param {string} [was] before the last edit
   */
  #describe(model, cell, value, was) {
    const { words } = this;
    const changed = was === undefined ? "" : fill(words.was_before, { before: was });
    const parts = [
      isHidden(model, cell, value) && words.hidden,
      model.lens ? lensText(model, cell) : changed,
    ];
    return parts.filter(Boolean).join(words.overview_and);
  }

  /**
   * An editor was in the cell and has replaced its text: show the number again at the next patch.
   * @param {HTMLElement} td
   */
  forget(td) {
    td.replaceChildren();
    this.#shown.delete(td);
  }
}
