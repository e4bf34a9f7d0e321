// An exercise's steps: which comes next, how far the learner is, and a table in one line. No DOM here.

/**
 * A table by name: "weights 0", "concat".
 * @param {{ name: string; head: number | null }} table
 */
export const nameOfTable = ({ name, head }) => (head === null ? name : `${name} ${head}`);

/** @param {PracticeTable} table */
export const isDone = ({ right, cells }) => right === cells;

/**
 * The table to work at after this one: the next that is not done, else the first that is not, else null.
 * @param {PracticeTable[]} tables
 * @param {number} after the table's index; −1: before the first
 */
export const nextTable = (tables, after) =>
  tables.find((table, at) => at > after && !isDone(table)) ?? tables.find((table) => !isDone(table)) ?? null;

/**
 * How far a learner is: which step is open, and how many numbers are right.
 * @param {PracticeTable[]} tables
 * @param {string | null} open the name of the open table
 */
export function progressOf(tables, open) {
  const sum = (/** @type {(table: PracticeTable) => number} */ numberOf) =>
    tables.reduce((total, table) => total + numberOf(table), 0);
  const at = tables.findIndex((table) => nameOfTable(table) === open);
  const reached = at < 0 ? Math.min(tables.length, tables.filter(isDone).length + 1) : at + 1;
  return {
    step: reached,
    steps: tables.length,
    right: sum(({ right }) => right),
    cells: sum(({ cells }) => cells),
  };
}

/**
 * A table in one line, with a bar between rows.
 * @param {string[][]} rows
 */
export const inOneLine = (rows) => rows.map((row) => row.join("  ")).join("  |  ");

/**
 * A line of arithmetic in parts, every other one of which is a power: e^(−2) + 1 → "e", "(−2)", " + 1".
 * @param {string} text
 */
export const withPowers = (text) => text.split(/\^(\([^()]*\)(?:\[[^\]]*\])?|[^\s()[]+(?:\[[^\]]*\])?)/);
