// Why a number has moved: the scores that moved a weight, and the way from the number that was edited. No DOM here.

import { movedAt } from "../kit/changed_numbers.js";
import {
  isGiven,
  isSame,
  numberOf,
  requireRows,
  requireValue,
  rowsIn,
  rowsOf,
  termsOf,
  valueAt,
} from "../kit/graph.js";

const PART = 1 / 4; // of what moved a weight: what did less is not named

/**
 * The one number that the last edit has changed; null where it has changed several, or none.
 * @type {(model: Model) => Cell | null}
 */
export function editedCell(model) {
  const cells = [];
  for (const [name, { perHead, values }] of Object.entries(model.matrices))
    for (const head of perHead ? values.keys() : [null]) {
      const rows = isGiven(model, name, head) ? rowsOf(model, name, head) : undefined;
      for (const [row, numbers] of (rows ?? []).entries())
        for (const [col, now] of numbers.entries()) {
          const cell = { name, head, row, col };
          if (now !== beforeAt(model, cell)) cells.push(cell);
          if (cells.length > 1) return null;
        }
    }
  const [cell] = cells;
  return cell && isNumber(valueAt(model, cell)) && isNumber(beforeAt(model, cell)) ? cell : null;
}

const isNumber = (/** @type {unknown} */ value) => typeof value === "number";

/** The number of a cell before the last edit. @type {(model: Model, cell: Cell) => Value | undefined} */
function beforeAt({ matrices, before }, { name, head, row, col }) {
  const values = before?.[name];
  return values && rowsIn(matrices[name].perHead, values, head)?.[row]?.[col];
}

/**
 * The numbers from one that was edited to a result, each computed from the one before it. Where several moved a number, it
 * is the one that did most. Null where no number leads on.
 * @type {(model: Model, edited: Cell, result: Cell) => Cell[] | null}
 */
export function wayFrom(model, edited, result) {
  const way = [result];
  while (!isSame(way[0], edited)) {
    const source = sourceOf(model, way[0]);
    if (!source) return null;
    way.unshift(source);
  }
  return way;
}

/**
 * The numbers that moved the next one on a way: the one that is on it, and the other factors of its product that have
 * moved, in the product's order. `more`: whether other products of that sum have moved as well.
 * @type {(model: Model, cell: Cell, next: Cell | undefined) => { factors: Cell[]; more: boolean }}
 */
export function factorsOf(model, cell, next) {
  const terms = next && next.name !== "weights" ? termsOf(model, next) : [];
  const hasMoved = (/** @type {Cell} */ one) => movedAt(model, one) !== null;
  const own = terms.find((term) => term.some((one) => isSame(one, cell))) ?? [cell];
  const factors = own.filter((one) => isSame(one, cell) || hasMoved(one));
  const more = terms.some(
    (term) => term !== own && term.some((source) => hasMoved(source) && moveOf(model, term, source) > 1e-12),
  );
  return { factors, more };
}

/** Of the numbers that a moved one is computed from, the one that moved it most. @type {(model: Model, cell: Cell) => Cell | null} */
function sourceOf(model, cell) {
  if (cell.name === "weights") return causesOf(model, cell).find((cause) => cause) ?? null;
  const terms = termsOf(model, cell);
  const moves = terms.flatMap((term) =>
    term.map((source) => ({ source, by: moveOf(model, term, source) })).filter(({ by }) => by > 0),
  );
  const at = foremost([...moves.keys()], (index) => moves[index].by);
  return at === null ? null : moves[at].source;
}

/** How far one number of a product has moved it. @type {(model: Model, term: Cell[], source: Cell) => number} */
function moveOf(model, term, source) {
  const others = term.filter((cell) => cell !== source).map((cell) => numberOf(requireValue(model, cell)));
  const move = step(numberOf(beforeAt(model, source) ?? 0), numberOf(requireValue(model, source)));
  return Math.abs(others.reduce((product, number) => product * number, move)) || Number(move !== 0) * 1e-300;
}

/**
 * The scores that moved a weight: its own, and the one of its row that did most; null for each that did not.
 *
 * The log-odds of a weight are its score minus the log of the sum of e^score over its rivals. So each of the two parts
 * of their change is compared with the whole.
 * @type {(model: Model, weight: Cell) => [Cell | null, Cell | null]}
 */
export function causesOf(model, weight) {
  const name = model.steps.weights?.operands[0][0];
  if (!name || !model.before?.[name] || !rowsOf(model, name, weight.head)) return [null, null];
  const { head, row, col } = weight;
  const { perHead } = model.matrices[name];
  const was = (rowsIn(perHead, model.before[name], head)?.[row] ?? []).map(numberOf);
  const now = requireRows(model, name, head)[row].map(numberOf);
  const way = Math.sign(
    numberOf(requireValue(model, weight)) - numberOf(movedAt(model, weight)?.before ?? 0),
  );
  const others = [...now.keys()].filter((at) => at !== col);
  const byOwn = way * step(was[col], now[col]);
  const byRivals = -way * step(logSum(others.map((at) => was[at])), logSum(others.map((at) => now[at])));
  const top = Math.max(...[...was, ...now].filter(Number.isFinite));
  const rival = foremost(
    others.filter((at) => way * step(was[at], now[at]) < 0),
    (at) => Math.abs(Math.exp(now[at] - top) - Math.exp(was[at] - top)),
  );
  /** @type {(at: number | null, isCause: boolean) => Cell | null} */
  const named = (at, isCause) =>
    isCause && at !== null && movedAt(model, { name, head, row, col: at })
      ? { name, head, row, col: at }
      : null;
  return [named(col, isPart(byOwn, byRivals)), named(rival, isPart(byRivals, byOwn))];
}

/** Whether a cause did a good part of what both did. @type {(cause: number, other: number) => boolean} */
const isPart = (cause, other) =>
  cause > 0 && (cause === Infinity || cause >= PART * (cause + Math.max(other, 0)));

/** From one number to another, of which both may be −∞. @type {(was: number, now: number) => number} */
const step = (was, now) => (was === now ? 0 : now - was);

/** log Σ e^x, without an overflow. @param {number[]} numbers */
function logSum(numbers) {
  const top = Math.max(...numbers);
  if (!Number.isFinite(top)) return top;
  return top + Math.log(numbers.reduce((sum, number) => sum + Math.exp(number - top), 0));
}

/** The one for which a measure is largest; null of none. @type {(list: number[], measure: (at: number) => number) => number | null} */
const foremost = (list, measure) =>
  list.length ? list.reduce((best, at) => (measure(at) > measure(best) ? at : best)) : null;
