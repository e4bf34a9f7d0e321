// By how much the last side's numbers differ from the first's: as signs in its tables, and in words for who asks.

import { fill, setAttribute } from "../kit/dom.js";
import { unkey } from "../kit/graph.js";
import { brief } from "../kit/numbers.js";

const ROUNDING = 1e-12; // of the largest number of a matrix: less than that is rounded otherwise, not another number

/** Now − before; 0 where they are as good as equal, ±∞ where one of them alone is −∞. */
function differing(now, before, least) {
  if (now === before) return 0;
  if (typeof now !== "number") return "-inf";
  if (typeof before !== "number") return "inf";
  return Math.abs(now - before) > least ? now - before : 0;
}

const isUp = (by) => by === "inf" || by > 0;
const nameOf = ({ name, head }) => `${name}|${head ?? ""}`;

export class Differences {
  #all = new Map(); // "name|head" → difference

  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
  }

  /** Take those that the page has found. */
  take(all) {
    this.#all = new Map(all.map((one) => [nameOf(one), one]));
  }

  /** The last side's numbers of a matrix have changed: compare them with the first's, where both have them. */
  compare(name) {
    const { panes } = this.board;
    const [first, last] = [panes[0], panes.at(-1)].map(({ model }) => model.matrices[name]);
    if (!first || String(first.axes) !== String(last.axes)) return;
    const heads = last.perHead ? last.values.map((values, head) => [head, values]) : [[null, last.values]];
    for (const [head, rows] of heads) {
      const before = head === null ? first.values : first.values[head];
      if (!rows || rows.length !== before?.length) continue;
      const least = ROUNDING * Math.max(...rows.flat().map((number) => Math.abs(number) || 0));
      const by = rows.map((row, i) => row.map((number, j) => differing(number, before[i][j], least)));
      this.#all.set(nameOf({ name, head }), { name, head, kind: "changed", by });
    }
  }

  /** Each number of the last side that differs: its direction as a sign, and by how much for who asks. */
  mark() {
    const pane = this.board.panes.at(-1);
    for (const [of, td] of pane.view.cells) {
      const cell = unkey(of);
      const by = this.#by(cell);
      const small = by && this.#looksTheSame(pane, cell) ? "-small" : "";
      const sign = !by ? undefined : (isUp(by) ? "up" : "down") + small;
      if (!sign && !td.dataset.change) continue;
      setAttribute(td, "data-change", sign);
      setAttribute(td, "aria-description", sign && this.#inWords(by));
    }
  }

  /** In words, by how much a cell differs from that of the other side. */
  sentenceFor({ pane, cell }) {
    const { panes, words } = this.board;
    const last = panes.at(-1);
    const here = pane === last ? cell : this.board.counterpart(pane, cell, last);
    if (!here || (panes.length === 1 && !this.#all.size)) return "";
    const difference = this.#of(here);
    const by = this.#by(here);
    if (by === null || (difference && difference.kind !== "changed" && by === undefined))
      return words.no_counterpart;
    return by ? this.#inWords(by) : words.same;
  }

  #of({ name, head }) {
    const { panes, head: chosen } = this.board;
    const shown = head === null || panes.length === 1 ? head : chosen; // keys of another head may stand here
    return this.#all.get(nameOf({ name, head: shown }));
  }

  #by(cell) {
    return this.#of(cell)?.by[cell.row]?.[cell.col];
  }

  /** Whether a number differs by less than its decimals show. */
  #looksTheSame(pane, cell) {
    const [first] = this.board.panes;
    const other = pane === first ? null : this.board.counterpart(pane, cell, first);
    return Boolean(other) && first.cellOf(other)?.textContent === pane.cellOf(cell).textContent;
  }

  #inWords(by) {
    const { panes, words } = this.board;
    const number = typeof by === "number" ? brief(Math.abs(by), panes[0].model.decimals) : "∞";
    return fill(words.by, { by: `${isUp(by) ? "+" : "−"}${number}` });
  }
}
