// Where a number comes from and where it goes, read off the declared computation that the server sends:
// model.steps[name] = {op, index, operands: [[matrix, index], …]}, each index in the letters of the result's cell
// and k (summed). An axis of length "1" has no letter; two letters in parentheses run one inside the other along one
// axis: "(ij)" pairs of a query and a key, "(mr)" the two columns of pair m. Nothing here computes a value; every
// number shown is the server's.

export const key = (cell) => `${cell.name}|${cell.head ?? ""}|${cell.row}|${cell.col}`;

export function unkey(text) {
  const [name, head, row, col] = text.split("|");
  return { name, head: head === "" ? null : Number(head), row: Number(row), col: Number(col) };
}

export const isPerHead = (model, name) => model.matrices[name].perHead;

/** The rows of a matrix, or undefined where this head has none. */
export function rowsOf(model, name, head) {
  const matrix = model.matrices[name];
  if (!matrix) return undefined;
  return (matrix.perHead ? matrix.values[head] : matrix.values) ?? undefined;
}

export function isEditable(model, name, head) {
  const { edit } = model.matrices[name];
  return Array.isArray(edit) ? edit[head] : edit;
}

/** Whether somebody writes down here what he has worked out: editable, but computed all the same. */
export const isClaim = (model, name) => Boolean(model.matrices[name].claim);

const isGiven = (model, name, head) => isEditable(model, name, head) && !isClaim(model, name);

export const valueOf = (model, cell) => rowsOf(model, cell.name, cell.head)?.[cell.row]?.[cell.col];

export function exists(model, cell) {
  return valueOf(model, cell) !== undefined;
}

/** The head that holds a matrix for this head: heads may share keys and values. */
export function headOf(model, name, head) {
  const { perHead, owners } = model.matrices[name];
  return perHead ? (owners?.[head] ?? head) : null;
}

/** The letters along rows and along columns. */
function axesOf(model, name, index) {
  const letters = index.match(/\(\w\w\)|\w/g) ?? [];
  return model.matrices[name].axes.map((axis) => (axis === "1" ? "" : letters.shift().replace(/[()]/g, "")));
}

const innerSize = (model, axis) => (axis === "ij" ? model.dims.n_k : 2);

/** Where each letter stands in a cell. */
function lettersAt(model, name, index, { row, col }) {
  const letters = {};
  axesOf(model, name, index).forEach((axis, n) => {
    const at = n ? col : row;
    const inner = innerSize(model, axis);
    if (axis.length === 2)
      Object.assign(letters, { [axis[0]]: Math.floor(at / inner), [axis[1]]: at % inner });
    else if (axis) letters[axis] = at;
  });
  return letters;
}

/** The places along an axis that have these letters: all of `size` where none is its own. */
function places(model, axis, letters, size) {
  if (axis.length < 2) return axis in letters ? [letters[axis]] : [...Array(size).keys()];
  const inner = innerSize(model, axis);
  const outer = places(model, axis[0], letters, Math.ceil(size / inner));
  return outer
    .flatMap((o) => places(model, axis[1], letters, inner).map((n) => o * inner + n))
    .filter((at) => at < size);
}

/** The terms of a computed cell: a list of lists of cells; empty for an input. */
export function termsOf(model, cell) {
  const step = model.steps[cell.name];
  if (!step || isGiven(model, cell.name, cell.head)) return [];
  if (step.op === "concat") {
    const width = model.dims.d_v;
    const head = Math.floor(cell.col / width);
    return [[{ name: step.operands[0][0], head, row: cell.row, col: cell.col % width }]];
  }
  if (step.op === "sum") {
    const [[name], ...biases] = step.operands;
    const ofHeads = [...Array(model.dims.h).keys()].map((head) => [
      { name, head, row: cell.row, col: cell.col },
    ]);
    return [...ofHeads, ...biases.map(([bias]) => [{ name: bias, head: null, row: 0, col: cell.col }])];
  }
  const operands = step.operands.filter(([name]) => rowsOf(model, name, headOf(model, name, cell.head)));
  const at = lettersAt(model, cell.name, step.index, cell);
  const place = ([name, index], k) => {
    const head = headOf(model, name, cell.head);
    const letters = { ...at, k };
    const [row, col] = axesOf(model, name, index).map((axis) =>
      axis.length === 2
        ? letters[axis[0]] * innerSize(model, axis) + letters[axis[1]]
        : axis
          ? letters[axis]
          : 0,
    );
    return { name, head, row, col };
  };
  const summed = ([, index]) => index.includes("k");
  const biased = step.op === "matmul"; // a bias is a term of its own
  const parts = biased
    ? [operands.filter(summed), operands.filter((operand) => !summed(operand))]
    : [operands];
  return parts.flatMap((part) =>
    part.length
      ? [...Array(summedSize(model, part, cell.head)).keys()].map((k) =>
          part.map((operand) => place(operand, k)),
        )
      : [],
  );
}

/** How far k runs: along the columns of the first operand that has it; 1 where none has. */
function summedSize(model, operands, head) {
  for (const [name, index] of operands) {
    const columns = axesOf(model, name, index)[1];
    if (columns === "k") return rowsOf(model, name, headOf(model, name, head))[0].length;
    if (columns.includes("k")) return innerSize(model, columns);
  }
  return 1;
}

/** The cells that are computed directly from this one, each once. */
export function fedBy(model, cell) {
  const fed = new Map();
  const heads = [...Array(model.dims.h).keys()].filter(
    (head) => cell.head === null || headOf(model, cell.name, head) === cell.head,
  );
  for (const [name, step] of Object.entries(model.steps)) {
    for (const [operand, index] of step.operands) {
      if (operand !== cell.name) continue;
      const add = (to) => fed.set(key(to), to);
      if (step.op === "concat") {
        add({ name, head: null, row: cell.row, col: cell.head * model.dims.d_v + cell.col });
        continue;
      }
      const letters = lettersAt(model, operand, index, cell);
      const [down, across] = axesOf(model, name, step.index);
      for (const head of isPerHead(model, name) ? heads : [null]) {
        const rows = rowsOf(model, name, head);
        if (!rows || isGiven(model, name, head)) continue;
        for (const row of places(model, down, letters, rows.length))
          for (const col of places(model, across, letters, rows[0].length)) add({ name, head, row, col });
      }
    }
  }
  return [...fed.values()];
}

/** What stands above e for each score of a row that softmax reads: the score, less the row's shift where it has one. */
export function exponents(model, cell, show) {
  const shift = model.shifts[cell.head][cell.row];
  return termsOf(model, cell).map(([of]) => {
    const score = valueOf(model, of);
    return shift && score !== "-inf" ? `${show(score)} − ${parenthesised(show(shift))}` : show(score);
  });
}

/**
 * The arithmetic of a computed cell as pieces: {text}, {number, cell}, {power, cell} or {place: cell}, to be laid out
 * in a line. `show` formats a number, `rounds` tells whether it then is another number: a line whose result does says
 * ≈. Of more than `most` terms the middle ones are left out.
 */
export function arithmetic(model, cell, { show, rounds, most = Infinity }) {
  const step = model.steps[cell.name];
  const terms = termsOf(model, cell);
  const result = valueOf(model, cell);
  const value = { number: show(result), cell, strong: true };
  const number = (of) => ({ number: parenthesised(show(valueOf(model, of))), cell: of });
  const joined = (lists, sign) => lists.flatMap((list, i) => (i ? [{ text: sign }, ...list] : list));
  const some = (lists) =>
    lists.length <= most
      ? lists
      : [...lists.slice(0, most - 2), [{ text: "…", quiet: true }], ...lists.slice(-2)];
  const equals = { text: rounds(result) ? " ≈ " : " = " };
  switch (step.op) {
    case "matmul":
      return [
        ...joined(
          some(
            terms.map((term) =>
              joined(
                term.map((of) => [number(of)]),
                " · ",
              ),
            ),
          ),
          " + ",
        ),
        equals,
        value,
      ];
    case "divide": {
      const { divisor } = model.constants;
      return [number(terms[0][0]), { text: ` ÷ ${show(divisor)}` }, equals, value];
    }
    case "hide": {
      const [score, allow] = terms[0];
      if (valueOf(model, allow))
        return [{ place: score }, equals, value, { text: ` (${model.words.visible})`, quiet: true }];
      return [number(score), { text: " → " }, value, { text: ` (${model.words.hidden})`, quiet: true }];
    }
    case "add":
      return [
        ...joined(
          terms[0].map((of) => [number(of)]),
          " + ",
        ),
        equals,
        value,
      ];
    case "sum":
      return [...joined(some(terms.map(([of]) => [number(of)])), " + "), equals, value];
    case "multiply":
      return [
        ...joined(
          terms[0].map((of) => [number(of)]),
          " · ",
        ),
        equals,
        value,
      ];
    case "tanh":
      return [{ text: "tanh " }, number(terms[0][0]), equals, value];
    case "norm":
      return [
        { text: "√(" },
        ...joined(some(terms.map(([of]) => [number(of), { text: "²" }])), " + "),
        { text: ")" },
        equals,
        value,
      ];
    case "normalize": {
      const [whole, norm] = terms[0];
      const shown = [number(whole), { text: " ÷ " }, number(norm)];
      if (valueOf(model, norm) !== 0) return [...shown, equals, value];
      return [...shown, { text: " → " }, value, { text: ` (${model.words.no_direction})`, quiet: true }];
    }
    case "sinusoid":
      return [{ text: cell.col % 2 ? "cos " : "sin " }, number(terms[0][0]), equals, value];
    case "rotate": {
      const [[a, angle], [b]] = terms;
      const [one, sign, other] = cell.col % 2 ? ["sin", "+", "cos"] : ["cos", "−", "sin"];
      const turned = (of, wave) => [number(of), { text: `·${wave} ` }, number(angle)];
      return [...turned(a, one), { text: ` ${sign} ` }, ...turned(b, other), equals, value];
    }
    case "linear_bias": {
      const [slope, of, to] = terms[0];
      return [
        { text: "−" },
        number(slope),
        { text: " · |" },
        number(of),
        { text: " − " },
        number(to),
        { text: "|" },
        equals,
        value,
      ];
    }
    case "softmax": {
      if (model.dead?.[cell.head]?.[cell.row])
        return [value, { text: ` (${model.words.dead_row})`, quiet: true }];
      const above = exponents(model, cell, show);
      const powers = terms.map(([of], i) => [{ text: "e" }, { power: above[i], cell: of }]);
      return [
        ...powers[cell.col],
        { text: " ÷ (" },
        ...joined(some(powers), " + "),
        { text: ")" },
        equals,
        value,
      ];
    }
    default: // concat copies
      return [{ place: terms[0][0] }, equals, value];
  }
}

const parenthesised = (text) => (text.startsWith("−") ? `(${text})` : text);
