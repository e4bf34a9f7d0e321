// An exercise's steps: which comes next, how far one is, and what stands in a line. No DOM here.

/**
 * A table by name: "weights 0", "concat".
 * @param {{ name: string; head: number | null }} table
 */
export const nameOfTable = ({ name, head }) => (head === null ? name : `${name} ${head}`);

/** @param {PracticeTable} table */
export const isDone = ({ right, cells }) => right === cells;

/**
 * The table to work at after this one: the next that is not done, else the first that is not, else none.
 * @param {PracticeTable[]} tables
 * @param {number} after its place; −1: none has been worked at
 */
export const nextTable = (tables, after) =>
  tables.find((table, at) => at > after && !isDone(table)) ?? tables.find((table) => !isDone(table)) ?? null;

/**
 * How far a learner is: where the table that is open stands, and how many numbers are right.
 * @param {PracticeTable[]} tables
 * @param {string | null} open its name
 */
export function progressOf(tables, open) {
  const sum = (of) => tables.reduce((sofar, table) => sofar + of(table), 0);
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
 * A table in one line, a bar between two rows.
 * @param {string[][]} rows
 */
export const inOneLine = (rows) => rows.map((row) => row.join("  ")).join("  |  ");

/**
 * A line of arithmetic in parts, every other one of which stands above the line: e^(−2) + 1 → "e", "(−2)", " + 1".
 * @param {string} text
 */
export const withPowers = (text) => text.split(/\^(\([^()]*\)(?:\[[^\]]*\])?|[^\s()[]+(?:\[[^\]]*\])?)/);
