// Where a number comes from and where it goes, read off the declared computation that the server sends:
// model.steps[name] = {op, operands: [[matrix, index], …]}, the index in the letters i, j (the result's cell)
// and k (summed). Nothing here computes a value; every number shown is the server's.

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

/** The terms of a computed cell: a list of lists of cells; empty for an input. */
export function termsOf(model, cell) {
  const step = model.steps[cell.name];
  if (!step || isGiven(model, cell.name, cell.head)) return [];
  const at = (name, row, col) => ({ name, head: isPerHead(model, name) ? cell.head : null, row, col });
  if (step.op === "concat") {
    const width = model.dims.d_v;
    const head = Math.floor(cell.col / width);
    return [[{ name: step.operands[0][0], head, row: cell.row, col: cell.col % width }]];
  }
  const operands = step.operands.filter(([name]) => rowsOf(model, name, cell.head));
  const place = (index, k) => {
    const letters = { i: cell.row, j: cell.col, k };
    const found = [...index].map((letter) => letters[letter]);
    return found.length === 2 ? found : [0, found[0]];
  };
  const summed = operands.filter(([, index]) => index.includes("k"));
  const single = operands.filter(([, index]) => !index.includes("k"));
  const size = summed.length ? rowsOf(model, summed[0][0], cell.head)[0].length : 0;
  const terms = [];
  for (let k = 0; k < size; k++) terms.push(summed.map(([name, index]) => at(name, ...place(index, k))));
  if (single.length) terms.push(single.map(([name, index]) => at(name, ...place(index, 0))));
  return terms;
}

/** The cells that are computed directly from this one. */
export function fedBy(model, cell) {
  const fed = [];
  for (const [name, step] of Object.entries(model.steps)) {
    for (const [operand, index] of step.operands) {
      if (operand !== cell.name) continue;
      if (step.op === "concat") {
        fed.push({ name, head: null, row: cell.row, col: cell.head * model.dims.d_v + cell.col });
        continue;
      }
      const heads = !isPerHead(model, name) ? [null] : cell.head === null ? [...Array(model.dims.h).keys()] : [cell.head];
      for (const head of heads) {
        const rows = rowsOf(model, name, head);
        if (!rows || isGiven(model, name, head)) continue;
        const at = {};
        [...index].forEach((letter, axis) => (at[letter] = index.length === 2 && axis === 0 ? cell.row : cell.col));
        const all = (letter, size) => (letter in at ? [at[letter]] : [...Array(size).keys()]);
        for (const row of all("i", rows.length))
          for (const col of all("j", rows[0].length)) fed.push({ name, head, row, col });
      }
    }
  }
  return fed;
}

/**
 * The arithmetic of a computed cell as pieces: {text}, {number, cell} or {power, cell}, to be laid out in a line.
 * `show` formats a number, `rounds` tells whether it then is another number: such a line says ≈. Of more than
 * `most` terms the middle ones are left out.
 */
export function arithmetic(model, cell, { show, rounds, most = Infinity }) {
  const step = model.steps[cell.name];
  const terms = termsOf(model, cell);
  const result = valueOf(model, cell);
  const value = { number: show(result), cell, strong: true };
  const number = (of) => ({ number: parenthesised(show(valueOf(model, of))), cell: of });
  const joined = (lists, sign) => lists.flatMap((list, i) => (i ? [{ text: sign }, ...list] : list));
  const some = (lists) =>
    lists.length <= most ? lists : [...lists.slice(0, most - 2), [{ text: "…", quiet: true }], ...lists.slice(-2)];
  const exact = ![result, ...terms.flat().map((of) => valueOf(model, of))].some(rounds);
  const equals = { text: exact ? " = " : " ≈ " };
  switch (step.op) {
    case "matmul":
      return [...joined(some(terms.map((term) => joined(term.map((of) => [number(of)]), " · "))), " + "), equals, value];
    case "divide": {
      const { divisor } = model.constants;
      return [number(terms[0][0]), { text: ` ÷ ${show(divisor)}` }, rounds(divisor) ? { text: " ≈ " } : equals, value];
    }
    case "hide": {
      const [score, allow] = terms[0];
      const hidden = !valueOf(model, allow);
      return [number(score), { text: " → " }, value, { text: ` (${hidden ? model.words.hidden : model.words.visible})`, quiet: true }];
    }
    case "add":
      return [...joined(terms[0].map((of) => [number(of)]), " + "), equals, value];
    case "softmax": {
      if (model.dead?.[cell.head]?.[cell.row]) return [value, { text: ` (${model.words.dead_row})`, quiet: true }];
      const powers = terms.map(([of]) => [{ text: "e" }, { power: show(valueOf(model, of)), cell: of }]);
      return [...powers[cell.col], { text: " ÷ (" }, ...joined(some(powers), " + "), { text: ")" }, equals, value];
    }
    default: // concat copies: the same number, however rounded
      return [number(terms[0][0]), { text: " = " }, value];
  }
}

const parenthesised = (text) => (text.startsWith("−") ? `(${text})` : text);
