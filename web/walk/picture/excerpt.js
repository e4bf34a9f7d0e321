// Which rows, columns and heads a picture shows where there is no room for all: those at the beginning and the end, and
// those in focus.

import { isPerHead, requireRows, rowsOf, termsOf } from "../../kit/graph.js";
import { focusOf, isCell, isProduct, ownerOf } from "./scene.js";
import { around } from "./shown_indices.js";

const MOST_FOLDED = 8; // rows or columns that are shown where not all are

export const ALL = { rows: Infinity, cols: Infinity };
export const FEW = { rows: 2, cols: 2 };

/** @typedef {{ row: number; col: number; head?: number | null }} Focus */

export class Excerpt {
  /** @type {Limit} */
  most = ALL;
  /** @type {Map<string, Focus>} */
  #focusByMatrix = new Map();

  /** @param {Scene} scene */
  constructor(scene) {
    this.scene = scene;
  }

  /**
   * Show at most so many, and among them what this place is about.
   * @param {Place} place
   * @param {Limit} most
   */
  choose(place, most) {
    this.most = most;
    this.#focusByMatrix = this.#focusesAt(place);
  }

  /** What is shown of each matrix of this stage, as text that can be compared. */
  get text() {
    const { model, stage, step } = this.scene;
    const { most } = this;
    const names = new Set([
      ...(step ? [step.name, ...step.operands.map(([name]) => name)] : []),
      ...stage.parts.map(([name]) => name),
      ...(model.closing.matrix ? [model.closing.matrix] : []),
      "weights",
    ]);
    const choices = [...names].map((name) => {
      const rows = rowsOf(model, name, isPerHead(model, name) ? (ownerOf(this.scene, name) ?? 0) : null);
      /** @type {(axis: "row" | "col", count: number) => IndexOrGap[][]} both limits: a table may lie across */
      const along = (axis, count) => [
        this.along(name, axis, count, most.rows),
        this.along(name, axis, count, most.cols),
      ];
      return rows ? [name, along("row", rows.length), along("col", rows[0].length)] : name;
    });
    return JSON.stringify([choices, this.heads(), this.tokens(model.labels.n_q)]);
  }

  /**
   * Which rows or columns of a matrix are shown.
   * @param {string} name
   * @param {"row" | "col"} axis
   * @param {number} count
   * @param {number} most
   */
  along(name, axis, count, most) {
    return around(
      count,
      count > most ? Math.min(most, MOST_FOLDED) : most,
      this.#focusByMatrix.get(name)?.[axis] ?? 0,
    );
  }

  /** Which heads are shown where a step reads all of them. */
  heads() {
    const { step, model } = this.scene;
    const source = step?.operands[0]?.[0] ?? "";
    return around(model.dims.h, this.most.cols, this.#focusByMatrix.get(source)?.head ?? 0);
  }

  /** Which tokens of a sentence are shown. @param {string[]} tokens */
  tokens(tokens) {
    return around(tokens.length, 2 * this.most.rows, 0);
  }

  /**
   * The cell that a place is about, and in each operand the cell of its current term.
   * @param {Place} place
   * @returns {Map<string, Focus>}
   */
  #focusesAt(place) {
    const { scene } = this;
    const { model } = scene;
    const cell = focusOf(scene, place);
    if (!cell) {
      if (place.part === null) return new Map();
      const [name, , top, , left] = scene.stage.parts[place.part];
      return new Map([[name, { row: top, col: left }]]);
    }
    const terms = termsOf(model, cell);
    const isOnePerColumn = terms.length === requireRows(model, cell.name, cell.head)[0].length; // as softmax reads scores
    const isSum = isProduct(scene) && isCell(scene, place);
    const current = isSum
      ? Math.min(place.beat ?? 0, terms.length - 1)
      : isOnePerColumn && !isProduct(scene)
        ? cell.col
        : 0;
    /** @type {Map<string, Focus>} */
    const byMatrix = new Map([[cell.name, cell]]);
    for (const operand of [...(terms[current] ?? []), ...terms.flat()])
      if (!byMatrix.has(operand.name)) byMatrix.set(operand.name, operand);
    return byMatrix;
  }
}
