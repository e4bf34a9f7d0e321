// The numbers that a visitor has changed, in the page's address and in a copy of the page: there they are after a reload,
// and for whoever is sent the link or the copy. What is read is checked like what is typed. No DOM here.

import { isClaim, isEditable, numberOf, rowsIn, rowsOf } from "../kit/graph.js";
import { isLocal } from "../kit/local_edits.js";
import { readClaim } from "../kit/numbers.js";

const MOST = 30_000; // characters of an address
const MOST_RATE = 1e6; // as in mha_core/example/learning.py
const SAME = 1e-9; // by which numbers may differ that count as equal

/** What is kept: edits that write whole tables, the divisor, or the rate. @typedef {(SetBlock | ClaimBlock | SetScale | SetLearning)[]} Kept */
/** @typedef {import("./work.js").Version} Version */

/**
 * The edits that lead from one version to another.
 * @param {Version} start
 * @param {Version} now
 * @returns {Kept}
 */
export function keptOf(start, now) {
  /** @type {Kept} */
  const kept = now.scale === start.scale ? [] : [{ op: "scale", value: now.scale }];
  const goal = now.model.learning?.goal;
  if (goal?.rate !== start.model.learning?.goal.rate) kept.push({ op: "learning", learning: goal });
  for (const [matrix, { perHead, values, claim }] of Object.entries(now.model.matrices))
    for (const head of perHead ? [...values.keys()] : [null]) {
      const rows = rowsIn(perHead, values, head);
      if (!rows || !isEditable(now.model, matrix, head) || rows === rowsOf(start.model, matrix, head))
        continue;
      kept.push({ op: claim ? "claim" : "set", matrix, head, row: 0, col: 0, values: rows });
    }
  return kept;
}

/**
 * How many input numbers differ, as mha_core/puzzle/changes.py counts them: the divisor counts one.
 * @param {Version} start
 * @param {Version} now
 */
export function changesBetween(start, now) {
  const before = editableTables(start);
  const isOther = (/** @type {Value} */ a, /** @type {Value} */ b) =>
    a !== b && !(Math.abs(numberOf(a) - numberOf(b)) <= SAME);
  const counts = editableTables(now).map((rows, at) =>
    rows.flatMap((cells, i) => cells.filter((cell, j) => isOther(cell, before[at][i][j]))),
  );
  return counts.flat().length + Number(now.scale !== start.scale);
}

/** The tables that can be changed. @param {Version} version */
const editableTables = ({ model }) =>
  Object.entries(model.matrices).flatMap(([name, { perHead, values }]) =>
    (perHead ? [...values.keys()] : [null]).flatMap((head) => {
      const rows = isEditable(model, name, head) ? rowsIn(perHead, values, head) : null;
      return rows ? [rows] : [];
    }),
  );

/**
 * The edits that were kept, or null where they are not such edits of this version.
 * @param {unknown} kept
 * @param {Version} start
 * @param {{ most: number; temperature: boolean }} limits the largest number; whether the divisor is a temperature
 * @returns {Kept | null}
 */
export function checked(kept, { model }, { most, temperature }) {
  if (!Array.isArray(kept)) return null;
  const isDivisor = (/** @type {unknown} */ value) =>
    model.constants.divisor !== null &&
    isNumber(value, most) &&
    Math.abs(Number(value)) >= 1 / most &&
    (Number(value) > 0 || !temperature);
  const isRate = (/** @type {any} */ edit) =>
    isLocal(model, edit) && isNumber(edit.learning.rate, MOST_RATE) && edit.learning.rate > 0;
  const isRight = (/** @type {any} */ edit) => {
    if (edit?.op === "scale") return isDivisor(edit.value);
    return edit?.op === "learning" ? isRate(edit) : isTable(edit ?? {}, model, most);
  };
  return kept.every(isRight) ? kept : null;
}

/** @type {(value: unknown, most: number) => boolean} */
const isNumber = (value, most) => typeof value === "number" && Math.abs(value) <= most; // NaN is not

/**
 * @param {Record<string, any>} edit
 * @param {TablesModel} model
 * @param {number} most
 */
function isTable({ op, matrix, head, row, col, values }, model, most) {
  if (!Object.hasOwn(model.matrices, String(matrix)) || row !== 0 || col !== 0) return false;
  const rows = rowsOf(model, matrix, head);
  const wanted = isClaim(model, matrix) ? "claim" : "set";
  if (!rows || op !== wanted || !isEditable(model, matrix, head) || !Array.isArray(values)) return false;
  const fits = (/** @type {unknown} */ value, /** @type {Value} */ before) => {
    if (op === "claim") return typeof value === "string" && readClaim(value).value === value;
    if (typeof before === "boolean") return typeof value === "boolean";
    return isNumber(value, most) || (matrix === "mask" && value === "-inf");
  };
  return (
    values.length === rows.length &&
    values.every(
      (cells, at) =>
        Array.isArray(cells) &&
        cells.length === rows[at].length &&
        cells.every((value, col) => fits(value, rows[at][col])),
    )
  );
}

// --- in an address -------------------------------------------------------------------------------------------------

/**
 * What comes after the # of the page's address.
 * @param {string} part
 * @param {Kept} kept
 */
export function hashOf(part, kept) {
  const query = new URLSearchParams({ part, ...(kept.length && { numbers: JSON.stringify(kept) }) });
  const hash = `#${query}`;
  return hash.length > MOST ? `#${new URLSearchParams({ part })}` : hash;
}

/**
 * What such an address says. `kept`: undefined where it has no numbers, null where they are none.
 * @param {string} hash
 * @returns {{ part: string | null; kept: unknown }}
 */
export function readHash(hash) {
  const query = new URLSearchParams(hash.slice(1));
  const numbers = query.get("numbers");
  const part = query.get("part") ?? (query.has("walk") ? "walk" : null);
  if (numbers === null) return { part, kept: undefined };
  try {
    return { part, kept: JSON.parse(numbers) };
  } catch {
    return { part, kept: null };
  }
}
