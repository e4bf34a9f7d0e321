// The arithmetic of a computed cell, as pieces to be laid out in a line. Every number in it is the server's.

import { termsOf, valueAt } from "./graph.js";
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
 * The arithmetic of a computed cell as pieces: {text}, {number, cell}, {power, cell} or {place: cell}, to be laid out
 * in a line. `show` formats a number, `rounds` tells whether it then is another number: a line whose result does says
 * ≈. `turned`: products with their factors in the other order, as where rows are columns.
 * @type {(model: Model, cell: Cell, manner: Manner) => Piece[]}
 */
export function arithmetic(model, cell, { show, rounds, most, turned = false }) {
  const terms = termsOf(model, cell);
  const result = valueAt(model, cell);
  const value = { number: show(result), cell, strong: true };
  const equals = [{ text: rounds(result) ? " ≈ " : " = " }, value];
  const number = (of) => ({ number: parenthesised(show(valueAt(model, of))), cell: of });
  const numbers = (cells) => cells.map((of) => [number(of)]);
  const product = (cells) => joined(numbers(turned ? [...cells].reverse() : cells), " · ");
  const sum = (parts) => joined(some(parts, most), " + ");
  const because = (why) => [value, { text: ` (${why})`, quiet: true }];
  const [cells] = terms;
  switch (model.steps[cell.name].op) {
    case "matmul":
      return [...sum(terms.map(product)), ...equals];
    case "multiply":
      return [...product(cells), ...equals];
    case "add":
      return [...joined(numbers(cells), " + "), ...equals];
    case "sum":
      return [...sum(numbers(terms.flat())), ...equals];
    case "divide":
      return [number(cells[0]), { text: ` ÷ ${show(model.constants.divisor)}` }, ...equals];
    case "masked_fill": {
      const [score, allow] = cells;
      if (valueAt(model, allow)) return [{ place: score }, equals[0], ...because(model.words.visible)];
      return [number(score), { text: " → " }, ...because(model.words.hidden)];
    }
    case "tanh":
      return [{ text: "tanh " }, number(cells[0]), ...equals];
    case "norm":
      return [
        { text: "√(" },
        ...sum(terms.map(([of]) => [number(of), { text: "²" }])),
        { text: ")" },
        ...equals,
      ];
    case "normalize": {
      const shown = joined(numbers(cells), " ÷ ");
      if (valueAt(model, cells[1]) !== 0) return [...shown, ...equals];
      return [...shown, { text: " → " }, ...because(model.words.no_direction)];
    }
    case "sinusoid":
      return [{ text: cell.col % 2 ? "cos " : "sin " }, number(cells[0]), ...equals];
    case "rotate": {
      const [[a, angle], [b]] = terms;
      const [one, sign, other] = cell.col % 2 ? ["sin", "+", "cos"] : ["cos", "−", "sin"];
      const wave = (of, name) => [number(of), { text: `·${name} ` }, number(angle)];
      return [...wave(a, one), { text: ` ${sign} ` }, ...wave(b, other), ...equals];
    }
    case "linear_bias": {
      const [slope, of, to] = cells.map(number);
      const distance = [{ text: " · |" }, of, { text: " − " }, to, { text: "|" }];
      return [{ text: "−" }, slope, ...distance, ...equals];
    }
    case "softmax": {
      if (model.dead?.[cell.head]?.[cell.row]) return because(model.words.dead_row);
      const above = exponents(model, cell, show);
      const powers = terms.map(([of], i) => [{ text: "e" }, { power: above[i], cell: of }]);
      return [...powers[cell.col], { text: " ÷ (" }, ...sum(powers), { text: ")" }, ...equals];
    }
    default: // concat copies
      return [{ place: cells[0] }, ...equals];
  }
}
