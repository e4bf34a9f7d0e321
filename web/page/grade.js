// Which numbers of an exercise are right, by the numbers that the page works out itself. The rule is that of
// mha_core/check as mha_core/exercise/judged.py has it, without what calls for a search. No DOM here.

import { evaluate } from "../kit/evaluate.js";
import { key, numberOf, requireRows, withTable } from "../kit/graph.js";

const SLACK = 1e-9;
const COARSE = 0.1; // of a matrix's largest number: a rounded number further away from the exact one is coarse
const LEAST = 1e-3; // of a unit: what is nearer is the same number

/** A number as it was written: its value, and one unit of its last digit. @typedef {{ value: number; unit: number }} Printed */
/** @typedef {"right" | "own" | "follows" | "doubtful" | "coarse" | "nearly"} Mark */

/**
 * The marks of what has been filled in, by key of a cell.
 * @param {Model} solution with the exact numbers
 * @param {Model} sheet with what has been filled in
 * @param {TableId[]} tables those of the exercise, in order
 * @returns {Record<string, Mark>}
 */
export function graded(solution, sheet, tables) {
  /** @type {Record<string, Mark>} */
  const marks = {};
  const carried = [inFull, asPrinted].map((choose) => ({ choose, model: copyOf(solution) }));
  /** @type {Set<number | null>} */
  const erring = new Set(); // the heads with errors of their own in earlier steps
  const isAlone = Object.values(solution.matrices).every(({ owners }) => !owners); // no head uses another's numbers
  const isForgiven = (/** @type {number | null} */ head) =>
    !erring.size || (isAlone && head !== null && !erring.has(head) && !erring.has(null));
  for (const step of new Set(tables.map(({ name }) => name))) {
    const own = tables.filter(({ name }) => name === step);
    for (const { name, head } of own) {
      const follows = carried.map(({ model }) => requireRows(model, name, head));
      Object.assign(marks, marksOf(requireRows(solution, name, head), follows, sheet, { name, head }));
      if (isForgiven(head)) forgive(marks, { name, head });
    }
    for (const one of carried) carry(one, solution, sheet, own);
    for (const { name, head } of own)
      if (marksIn(marks, { name, head }).some((mark) => mark === "own" || mark === "doubtful"))
        erring.add(head);
  }
  return marks;
}

/** @param {Model} model */
const copyOf = (model) => ({ ...model, matrices: { ...model.matrices } });

// --- one table -----------------------------------------------------------------------------------------------------

/**
 * @param {Rows} exact
 * @param {Rows[]} follows what the step gives of the numbers before it, as they have been filled in
 * @param {Model} sheet
 * @param {TableId} table
 * @returns {Record<string, Mark>}
 */
function marksOf(exact, follows, sheet, { name, head }) {
  const finite = exact.flat().map(numberOf).filter(Number.isFinite);
  const size = Math.max(0, ...finite.map(Math.abs));
  const written = requireRows(sheet, name, head).map((texts) =>
    texts.map((text) => (text === "" ? null : printed(String(text)))),
  );
  const finest = finestOf(written.flat(), size);
  const rows = written.map((claims, row) => {
    const right = exact[row].map(numberOf);
    const found = claims.map(
      (claim, col) =>
        claim &&
        markOf(
          claim,
          right[col],
          follows.map((given) => numberOf(given[row][col])),
          { size, finest },
        ),
    );
    return found.some((mark, col) => mark === "coarse" && (claims[col]?.unit ?? 0) >= 1)
      ? found.map((mark, col) => coarsened(mark, claims[col], right[col]))
      : found;
  });
  /** @type {Record<string, Mark>} */
  const marks = {};
  for (const [row, found] of rows.entries())
    for (const [col, mark] of found.entries()) if (mark) marks[key({ name, head, row, col })] = mark;
  return marks;
}

/**
 * In a row with a coarse whole number all others that rounding has moved are coarse too.
 * @type {(mark: Mark | null, claim: Printed | null, exact: number) => Mark | null}
 */
const coarsened = (mark, claim, exact) =>
  mark === "right" && claim && claim.unit >= 1 && Math.abs(claim.value - exact) > SLACK ? "coarse" : mark;

/**
 * The least unit of a number that is not 0; of 0 alone the one that shows two digits of the largest number.
 * @type {(claims: (Printed | null)[], size: number) => number}
 */
function finestOf(claims, size) {
  const shown = claims.filter((claim) => claim?.value && Number.isFinite(claim.value));
  return shown.length ? Math.min(...shown.map((claim) => claim?.unit ?? Infinity)) : size / 10;
}

/** Neither two significant digits nor the decimals of its matrix. @type {(claim: Printed, finest: number) => boolean} */
const hasFewDigits = ({ value, unit }, finest) =>
  Math.abs(value) < 10 * unit * (1 - SLACK) && unit > finest * (1 + SLACK);

/**
 * @type {(claim: Printed, exact: number, follows: number[], matrix: { size: number; finest: number }) => Mark}
 * `size`: the largest number of the matrix; `finest`: the least unit of those written in it that are not 0.
 */
function markOf(claim, exact, follows, { size, finest }) {
  if (!fits(claim, exact)) return follows.some((value) => fits(claim, value)) ? "follows" : "own";
  const away = Math.abs(claim.value - exact);
  if (!(away > SLACK * claim.unit)) return "right";
  const isFar = away > COARSE * size + SLACK * claim.unit;
  if (claim.unit < 1) {
    if ((isFar && claim.value === 0) || hasFewDigits(claim, finest)) return "coarse";
    return isDigits(claim, exact) ? "right" : "nearly";
  }
  if (away > claim.unit / 2 + SLACK && !follows.some((value) => roundsTo(claim, value)))
    return claim.unit === 1 && Math.abs(exact - Math.round(exact)) < SLACK ? "own" : "doubtful";
  return isFar ? "coarse" : "right";
}

/** @param {string} text @returns {Printed} */
function printed(text) {
  const [mantissa, exponent = "0"] = text.toLowerCase().split("e");
  const decimals = (mantissa.split(".")[1] ?? "").length - Number(exponent);
  return { value: numberOf(text), unit: 10 ** -decimals };
}

/** Whether a number is printed so, within a unit of its last digit. @type {(claim: Printed, number: number) => boolean} */
const fits = ({ value, unit }, number) =>
  value === number || Math.abs(value - number) <= unit * (1 + SLACK) + SLACK * Number.EPSILON;

/** @type {(claim: Printed, number: number) => boolean} */
const roundsTo = ({ value, unit }, number) => Math.abs(value - number) <= unit / 2 + SLACK;

/** Whether a number has these digits, rounded or cut off. @type {(claim: Printed, number: number) => boolean} */
function isDigits({ value, unit }, number) {
  const cut = Math.trunc(number / unit) * unit;
  return Math.abs(value - number) <= unit / 2 + LEAST * unit || Math.abs(cut - value) <= LEAST * unit;
}

// --- from step to step ---------------------------------------------------------------------------------------------

/** @type {(marks: Record<string, Mark>, table: TableId) => string[]} */
const keysIn = (marks, { name, head }) =>
  Object.keys(marks).filter((cell) => cell.startsWith(`${name}|${head ?? ""}|`));

/** @type {(marks: Record<string, Mark>, table: TableId) => Mark[]} */
const marksIn = (marks, table) => keysIn(marks, table).map((cell) => marks[cell]);

/** What only follows from right, rounded numbers is right. @type {(marks: Record<string, Mark>, table: TableId) => void} */
function forgive(marks, table) {
  for (const cell of keysIn(marks, table)) if (marks[cell] === "follows") marks[cell] = "right";
}

/**
 * Go on with the numbers of a step as they have been filled in.
 * @param {{ choose: (claim: Printed, exact: number, follows: number) => number; model: Model }} carried
 * @param {Model} solution
 * @param {Model} sheet
 * @param {TableId[]} tables of one step
 */
function carry({ choose, model }, solution, sheet, tables) {
  for (const { name, head } of tables) {
    const [exact, filled] = [requireRows(solution, name, head), requireRows(sheet, name, head)];
    const chosen = (/** @type {Value} */ follows, /** @type {number} */ row, /** @type {number} */ col) => {
      const text = filled[row][col];
      if (text === "") return follows;
      return asValue(choose(printed(String(text)), numberOf(exact[row][col]), numberOf(follows)));
    };
    model.matrices[name] = withTable(model.matrices[name], head, (rows) =>
      rows.map((cells, row) => cells.map((follows, col) => chosen(follows, row, col))),
    );
  }
  evaluate(
    model,
    tables.map(({ name }) => name),
  );
}

/** @type {(number: number) => Value} */
const asValue = (number) => (number === -Infinity ? "-inf" : number);

/** The number that was rounded, where it is known. @type {(claim: Printed, exact: number, follows: number) => number} */
function inFull(claim, exact, follows) {
  if (fits(claim, follows)) return follows;
  return fits(claim, exact) ? exact : claim.value;
}

/** @type {(claim: Printed) => number} */
const asPrinted = ({ value }) => value;
