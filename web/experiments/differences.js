// By how much the last side's numbers differ from the first's: as signs in its tables, and in words for one cell.

import { fill, setAttribute } from "../kit/dom.js";
import { rowsOf, unkey } from "../kit/graph.js";
import { brief } from "../kit/numbers.js";

/** @typedef {import("./pane.js").Pane} Pane */

/**
 * `head`: the one that is shown where there are two sides; `counterpart`: the same token's cell on another side.
 * @typedef {{
 *   panes: Pane[]; head: number; words: Record<string, string>;
 *   counterpart: (from: Pane, cell: Cell, to: Pane) => Cell | null;
 * }} Sides
 */

const ROUNDING = 1e-12; // as a share of the matrix's largest number: a smaller difference is rounding

/**
 * Now − before; 0 where they are equal but for rounding, ±∞ where one of them alone is −∞.
 * @param {Value} now
 * @param {Value} before
 * @param {number} least
 * @returns {NumberChange}
 */
function differing(now, before, least) {
  if (now === before) return 0;
  if (typeof now !== "number") return "-inf";
  if (typeof before !== "number") return "inf";
  return Math.abs(now - before) > least ? now - before : 0;
}

/** @param {NumberChange} change */
const isUp = (change) => change === "inf" || Number(change) > 0;

/** @param {Pick<Cell, "name" | "head">} matrix */
const nameOf = ({ name, head }) => `${name}|${head ?? ""}`;

export class Differences {
  /** @type {Map<string, Difference>} */
  #byMatrix = new Map(); // the keys are "name|head"

  /** @param {Sides} sides */
  constructor(sides) {
    this.sides = sides;
  }

  /**
   * Use the differences that the page has found.
   * @param {Difference[]} differences
   */
  take(differences) {
    this.#byMatrix = new Map(differences.map((difference) => [nameOf(difference), difference]));
  }

  /**
   * A matrix of the last side has changed: compare it with the first side's, where both have it.
   * @param {string} name
   */
  compare(name) {
    const [first, last] = this.#ends.map(({ model }) => model);
    const matrix = last.matrices[name];
    if (!first.matrices[name] || String(first.matrices[name].axes) !== String(matrix.axes)) return;
    const heads = matrix.perHead ? [...Array(last.dims.h).keys()] : [null];
    for (const head of heads) {
      const rows = rowsOf(last, name, head);
      const before = rowsOf(first, name, head);
      if (!rows || rows.length !== before?.length) continue;
      const least = ROUNDING * Math.max(...rows.flat().map((number) => Math.abs(Number(number)) || 0));
      const by = rows.map((row, i) => row.map((number, j) => differing(number, before[i][j], least)));
      this.#byMatrix.set(nameOf({ name, head }), { name, head, kind: "changed", by });
    }
  }

  /** Mark each number of the last side that differs: a sign for the direction, a description for the amount. */
  mark() {
    const [, last] = this.#ends;
    for (const [id, td] of last.view.cells) {
      const cell = unkey(id);
      const change = this.#changeOf(cell);
      const small = change && this.#looksTheSame(last, cell) ? "-small" : "";
      const sign = change ? (isUp(change) ? "up" : "down") + small : undefined;
      if (!sign && !td.dataset.change) continue;
      setAttribute(td, "data-change", sign);
      setAttribute(td, "aria-description", change ? this.#inWords(change) : undefined);
    }
  }

  /**
   * By how much a cell differs from the other side's, in words.
   * @param {{ pane: Pane; cell: Cell }} at
   */
  sentenceFor({ pane, cell }) {
    const { panes, words } = this.sides;
    const [, last] = this.#ends;
    const inLast = pane === last ? cell : this.sides.counterpart(pane, cell, last);
    if (!inLast || (panes.length === 1 && !this.#byMatrix.size)) return "";
    const difference = this.#differenceOf(inLast);
    const change = this.#changeOf(inLast);
    if (change === null || (difference && difference.kind !== "changed" && change === undefined))
      return words.no_counterpart;
    return change ? this.#inWords(change) : words.same;
  }

  /** The first side and the last, which are the same where there is one. */
  get #ends() {
    const { panes } = this.sides;
    return [panes[0], panes[panes.length - 1]];
  }

  /** @param {Cell} cell */
  #differenceOf({ name, head }) {
    const { panes, head: shown } = this.sides;
    // With two sides a table may show another head's keys, so the difference is looked up by the head shown.
    return this.#byMatrix.get(nameOf({ name, head: head === null || panes.length === 1 ? head : shown }));
  }

  /** @param {Cell} cell */
  #changeOf(cell) {
    return this.#differenceOf(cell)?.by[cell.row]?.[cell.col];
  }

  /**
   * Whether a number differs by less than its decimals show.
   * @param {Pane} pane
   * @param {Cell} cell
   */
  #looksTheSame(pane, cell) {
    const [first] = this.#ends;
    const other = pane === first ? null : this.sides.counterpart(pane, cell, first);
    return other !== null && first.cellOf(other)?.textContent === pane.cellOf(cell)?.textContent;
  }

  /** @param {NumberChange} change */
  #inWords(change) {
    const { panes, words } = this.sides;
    const number = typeof change === "number" ? brief(Math.abs(change), panes[0].model.decimals) : "∞";
    return fill(words.by, { by: `${isUp(change) ? "+" : "−"}${number}` });
  }
}
