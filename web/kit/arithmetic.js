// The arithmetic of a computed cell, as pieces of a line. Every number in it is the model's.

import { ofHead, placeAlong, requireValue, termsOf } from "./graph.js";
import { brief, isRounded, parenthesised } from "./numbers.js";

/**
 * How numbers are printed in a line of arithmetic; of more than `most` terms the middle ones are left out.
 * @param {Model} model
 * @param {number} [most]
 * @returns {Manner}
 */
export const inBrief = (model, most = Infinity) => ({
  show: (number) => brief(number, model.decimals),
  rounds: (number) => isRounded(number, model.decimals),
  most,
});

/**
 * Lists of pieces as one, with a sign between each two.
 * @type {(lists: Piece[][], sign: string) => Piece[]}
 */
export const joined = (lists, sign) => lists.flatMap((list, i) => (i ? [{ text: sign }, ...list] : list));

/**
 * At most `most` of the terms: the first ones, a gap, and the last two.
 * @template Term
 * @param {Term[]} terms
 * @param {number} most
 * @param {Term} gap
 * @returns {Term[]}
 */
export const some = (terms, most, gap) =>
  terms.length <= most ? terms : [...terms.slice(0, most - 2), gap, ...terms.slice(-2)];

/**
 * In place of terms that are left out.
 * @type {Piece[]}
 */
export const ELLIPSIS = [{ text: "…", quiet: true }];

const FEW = 3; // masked terms of a sum, which are written out

/**
 * The written terms of a sum; many that a mask makes 0 are one piece, where there are words for them.
 * @type {(model: Model, terms: Cell[][], written: Piece[][], masked?: (count: number) => string) => Piece[][]}
 */
function summands(model, terms, written, masked) {
  const kept = written.filter((_, k) => requireValue(model, terms[k][0]) !== "-inf");
  const count = written.length - kept.length;
  return masked && count > FEW ? [...kept, [{ text: masked(count), quiet: true }]] : written;
}

/**
 * The exponents of a row of softmax: each score, less the row's shift where it has one.
 * @type {(model: Model, cell: Cell, show: (number: Value) => string) => string[]}
 */
export function exponents(model, cell, show) {
  const shift = ofHead(model.shifts, cell.head)?.[cell.row];
  return termsOf(model, cell).map(([term]) => {
    const score = requireValue(model, term);
    return shift && score !== "-inf" ? `${show(score)} − ${parenthesised(show(shift))}` : show(score);
  });
}

/**
 * A template as pieces: its text, and what `named` gives for each {name} in it; ^{name} is a power.
 * @type {(template: string, named: (name: string, power: boolean) => Piece[]) => Piece[]}
 */
const filled = (template, named) =>
  template.split(/(\^?\{\w+\})/).flatMap((part) => {
    const name = part.match(/\{(\w+)\}/)?.[1];
    if (name) return named(name, part.startsWith("^"));
    return part ? [{ text: part }] : [];
  });

/**
 * The arithmetic of a computed cell as pieces: {text}, {number, cell}, {power, cell} or {place: cell}. Its form is
 * declared with the operation (`lines`, `term` and the rest in mha_core/compute/operations.py). `show` formats a
 * number; `rounds` says whether that changes it: the line then has ≈ before its result. `turned`: the factors of
 * products in the other order, as where rows are columns.
 * @type {(model: Model, cell: Cell, manner: Manner) => Piece[]}
 */
export function arithmetic(model, cell, { show, rounds, most, turned = false, masked }) {
  const step = model.steps[cell.name];
  const { constant, exception, lines } = step;
  const terms = termsOf(model, cell);
  const result = requireValue(model, cell);
  const unusual = exception && isExceptional(model, exception, terms) ? exception : null;
  const value = { number: show(result), cell, strong: true };
  const equals = [{ text: rounds(result) ? " ≈ " : " = " }, value];
  const why = step.why && model.words[step.why[unusual ? 1 : 0]];
  const note = why ? [{ text: ` (${why})`, quiet: true }] : [];
  if (step.copies && !unusual) return [{ place: terms[0][0] }, ...equals, ...note];

  /** @param {Cell} factor */
  const number = (factor) => ({ number: parenthesised(show(requireValue(model, factor))), cell: factor });
  const above = step.shifts ? exponents(model, cell, show) : [];
  const written = terms.map((cells, k) => {
    const factors = turned ? [...cells].reverse() : cells;
    if (!step.term)
      return joined(
        factors.map((factor) => [number(factor)]),
        " · ",
      );
    return filled(step.term, (name, power) => {
      const factor = cells[Number(name)];
      return [power ? { power: above[k], cell: factor } : number(factor)];
    });
  });
  const at = placeAlong(model, cell);
  /** @param {string} name */
  const named = (name) => {
    if (name === "value") return [value];
    if (name === "at") return written[at];
    if (name === "last") return written[written.length - 1];
    if (name === "all")
      return joined(
        terms.flat().map((factor) => [number(factor)]),
        " + ",
      );
    if (name === "count") return [{ text: String(terms.length) }];
    if (name === "sum")
      return joined(
        some(summands(model, terms, written, step.shifts ? masked : undefined), most, ELLIPSIS),
        " + ",
      );
    return [number(terms.flat()[Number(name)])];
  };
  if (unusual) return [...filled(unusual.line, named), ...note];
  const line = lines[lines.length > 1 ? at : 0]
    .replaceAll("{constant}", () => parenthesised(show(model.constants[constant ?? ""] ?? "")))
    .replace(/·(?=[{|])/g, " · "); // a factor before a name, as cos, stands close to it
  return [...filled(line, named), ...equals, ...note];
}

/**
 * Whether the numbers of a cell's terms call for another line.
 * @type {OfCell<boolean>}
 */
export function isException(model, cell) {
  const { exception } = model.steps[cell.name];
  return exception !== undefined && isExceptional(model, exception, termsOf(model, cell));
}

/**
 * Whether the numbers of these terms call for another line.
 * @type {(model: Model, exception: NonNullable<Step["exception"]>, terms: Cell[][]) => boolean}
 */
const isExceptional = (model, exception, terms) =>
  terms.every((cells) => {
    if (!cells[exception.at]) return false;
    const value = requireValue(model, cells[exception.at]);
    return value === exception.number || Number(value) === exception.number;
  });
