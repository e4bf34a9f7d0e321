// Which rows, columns and heads of its matrices a picture shows, where there is no room for all: those at the beginning
// and the end, and those that are spoken of.

import { isPerHead, rowsOf, termsOf } from "../../kit/graph.js";
import { focusOf, isCell, isProduct, ownerOf } from "./scene.js";
import { around } from "./shown_indices.js";

const MOST_FOLDED = 8; // rows or columns that are shown where not all are

/** So many rows and columns are shown of one matrix. */
export const ALL = { rows: Infinity, cols: Infinity };
export const FEW = { rows: 2, cols: 2 };

export class Excerpt {
  most = ALL; // rows and columns that are shown of one matrix
  #focusCells = new Map(); // matrix → {head, row, col} of its cell that is spoken of

  /** @param {import("./picture.js").Picture} picture */
  constructor(picture) {
    this.picture = picture;
  }

  /**
   * Show so many at most, and among them what this place speaks of.
   * @param {Place} place
   * @param {{ rows: number; cols: number }} most
   */
  choose(place, most) {
    this.most = most;
    this.#focusCells = this.#focusCellsOf(place);
  }

  /** What is left out of each matrix that this stage can show, as text that can be compared. */
  get text() {
    const { model, stage, step } = this.picture;
    const { most } = this;
    const names = step ? [step.name, ...step.operands.map(([name]) => name)] : [];
    const shown = names.concat(
      stage.parts.map(([name]) => name),
      model.closing.matrix ?? [],
      "weights",
    );
    const choices = [...new Set(shown)].map((name) => {
      const rows = rowsOf(model, name, isPerHead(model, name) ? (ownerOf(this.picture, name) ?? 0) : null);
      const both = (axis, count) => [
        this.along(name, axis, count, most.rows),
        this.along(name, axis, count, most.cols),
      ];
      return rows ? [name, both("row", rows.length), both("col", rows[0].length)] : name;
    });
    return JSON.stringify([choices, this.heads(), this.tokens(model.labels.n_q)]);
  }

  /** Which rows or columns of a matrix are shown. */
  along(name, axis, count, most) {
    return around(
      count,
      count > most ? Math.min(most, MOST_FOLDED) : most,
      this.#focusCells.get(name)?.[axis] ?? 0,
    );
  }

  /** Which heads, where a step reads all of them. */
  heads() {
    const { step, model } = this.picture;
    const [source] = step?.operands[0] ?? [];
    return around(model.dims.h, this.most.cols, this.#focusCells.get(source)?.head ?? 0);
  }

  /** Which tokens of a sentence. */
  tokens(tokens) {
    return around(tokens.length, 2 * this.most.rows, 0);
  }

  /** The cell that a place speaks of, and of what it is made of the term at hand. */
  #focusCellsOf(place) {
    const { picture } = this;
    const { model } = picture;
    const cell = focusOf(picture, place);
    if (!cell) {
      const part = place.part === null ? null : picture.stage.parts[place.part];
      return new Map(part ? [[part[0], { row: part[2], col: part[4] }]] : []);
    }
    const terms = termsOf(model, cell);
    const own = terms.length === rowsOf(model, cell.name, cell.head)[0].length; // as softmax reads a row of scores
    const summed = isProduct(picture) && place.part !== null && isCell(picture, place);
    const at = summed
      ? Math.min(place.beat ?? 0, terms.length - 1)
      : own && !isProduct(picture)
        ? cell.col
        : 0;
    const byName = new Map([[cell.name, cell]]);
    for (const term of [terms[at] ?? [], ...terms]) {
      for (const one of term) if (!byName.has(one.name)) byName.set(one.name, one);
    }
    return byName;
  }
}
