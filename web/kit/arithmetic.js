// The arithmetic of a computed cell, as pieces to be laid out in a line. Every number in it is the server's.

import { placeAlong, termsOf, valueAt } from "./graph.js";
import { brief, isRounded, parenthesised } from "./numbers.js";

/**
 * How numbers stand in a line of arithmetic; of more than `most` terms the middle ones are left out.
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
 * At most `most` of the terms: the first ones, … and the last two.
 * @param {any[]} terms
 * @param {number} most
 * @param {any} [gap]
 * @returns {any[]}
 */
export const some = (terms, most, gap = [{ text: "…", quiet: true }]) =>
  terms.length <= most ? terms : [...terms.slice(0, most - 2), gap, ...terms.slice(-2)];

/**
 * What stands above e for each score of a row that softmax reads: the score, less the row's shift where it has one.
 * @type {(model: Model, cell: Cell, show: (number: Value) => string) => string[]}
 */
export function exponents(model, cell, show) {
  const shift = model.shifts[cell.head][cell.row];
  return termsOf(model, cell).map(([of]) => {
    const score = valueAt(model, of);
    return shift && score !== "-inf" ? `${show(score)} − ${parenthesised(show(shift))}` : show(score);
  });
}

/**
 * A template as pieces: its text, and what `named` gives for each {name} in it; ^{name} is a power.
 * @type {(template: string, named: (name: string, power: boolean) => Piece[]) => Piece[]}
 */
const laid = (template, named) =>
  template.split(/(\^?\{\w+\})/).flatMap((part) => {
    const name = part.match(/\{(\w+)\}/)?.[1];
    if (name) return named(name, part.startsWith("^"));
    return part ? [{ text: part }] : [];
  });

/**
 * The arithmetic of a computed cell as pieces: {text}, {number, cell}, {power, cell} or {place: cell}, to be laid out
 * in a line. How it runs is the operation's own (`lines`, `term` and the rest, as mha_core/compute/operations.py
 * declares them). `show` formats a number, `rounds` tells whether it then is another number: a line whose result does
 * says ≈. `turned`: products with their factors in the other order, as where rows are columns.
 * @type {(model: Model, cell: Cell, manner: Manner) => Piece[]}
 */
export function arithmetic(model, cell, { show, rounds, most, turned = false }) {
  const step = model.steps[cell.name];
  const { constant, exception, lines } = step;
  const terms = termsOf(model, cell);
  const result = valueAt(model, cell);
  const isException = isExceptional(model, exception, terms);
  const value = { number: show(result), cell, strong: true };
  const equals = [{ text: rounds(result) ? " ≈ " : " = " }, value];
  const why = model.words[step.why?.[isException ? 1 : 0]];
  const note = why ? [{ text: ` (${why})`, quiet: true }] : [];
  if (step.copies && !isException) return [{ place: terms[0][0] }, ...equals, ...note];

  const number = (of) => ({ number: parenthesised(show(valueAt(model, of))), cell: of });
  const above = step.shifts ? exponents(model, cell, show) : [];
  const written = terms.map((cells, k) => {
    const factors = turned ? [...cells].reverse() : cells;
    if (!step.term)
      return joined(
        factors.map((of) => [number(of)]),
        " · ",
      );
    return laid(step.term, (n, power) => [power ? { power: above[k], cell: cells[n] } : number(cells[n])]);
  });
  const at = placeAlong(model, cell);
  const named = (name) => {
    if (name === "value") return [value];
    if (name === "at") return written[at];
    return name === "sum" ? joined(some(written, most), " + ") : [number(terms.flat()[name])];
  };
  if (isException) return [...laid(exception.line, named), ...note];
  const line = lines[lines.length > 1 ? at : 0]
    .replace("{constant}", () => parenthesised(show(model.constants[constant])))
    .replace(/·(?=[{|])/g, " · "); // a factor before a name, as cos, stands close to it
  return [...laid(line, named), ...equals, ...note];
}

/**
 * Whether the numbers of a cell's terms call for another line.
 * @type {OfCell<boolean>}
 */
export const isException = (model, cell) =>
  isExceptional(model, model.steps[cell.name].exception, termsOf(model, cell));

/**
 * Whether the numbers of these terms call for another line.
 * @type {(model: Model, exception: Step["exception"], terms: Cell[][]) => boolean}
 */
const isExceptional = (model, exception, terms) =>
  Boolean(exception) &&
  terms.every((cells) => {
    const value = valueAt(model, cells[exception.at]);
    return value === exception.number || Number(value) === exception.number;
  });
