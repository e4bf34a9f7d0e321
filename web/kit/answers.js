// The answers of the bench, which have only what is new since one before (mha_ui/bench/answers.py), put together.
// Numbers are never written over: tables that have not changed are the same in every answer. No DOM here.

import { withTable } from "./graph.js";

const STORED = 8; // answers, since the server may not know yet which ones came

/** @typedef {WholeAnswer & { words: Record<string, string> }} Whole */
/** @typedef {NextAnswer & { words: Record<string, string> }} Next */

export class Answers {
  #session = "";
  /** @type {Map<number, Whole>} */
  #stored = new Map(); // by number

  /** The number of the newest one; 0 where there is none. */
  get last() {
    return Math.max(0, ...this.#stored.keys());
  }

  /**
   * An answer with everything; null where it builds upon one that is not here.
   * @param {Whole | Next} answer
   * @returns {Whole | null}
   */
  whole(answer) {
    if (answer.session !== this.#session) this.#stored.clear();
    this.#session = answer.session;
    const whole = this.#built(answer);
    if (!whole) return null;
    this.#stored.set(answer.answer, whole);
    for (const number of this.#stored.keys())
      if (number <= answer.answer - STORED) this.#stored.delete(number);
    return whole;
  }

  /**
   * @param {Whole | Next} answer
   * @returns {Whole | null}
   */
  #built(answer) {
    if (!("new" in answer)) return answer;
    const { base, new: added, ...others } = answer;
    const before = this.#stored.get(base);
    return before ? { ...before, ...added.parts, ...others, matrices: matricesWith(before, added) } : null;
  }
}

/**
 * @param {Whole} before
 * @param {NewParts} added
 * @returns {Record<string, Matrix>}
 */
function matricesWith({ matrices }, added) {
  const changed = { ...matrices };
  for (const [name, parts] of Object.entries(added.matrices))
    changed[name] = /** @type {Matrix} */ ({ ...matrices[name], ...parts });
  let next = 0;
  const floats = floatsIn(added.floats);
  for (const [name, head, runs, values] of added.numbers) {
    const count = runs.reduce((sum, length, at) => (at % 2 ? sum + length : sum), 0);
    changed[name] = withTable(changed[name], head, (rows) =>
      withRuns(rows, runs, values ?? [...floats.subarray(next, next + count)]),
    );
    if (!values) next += count;
  }
  return changed;
}

/** @param {string} text base64 of float64, little-endian */
const floatsIn = (text) => new Float64Array(Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0)).buffer);

/**
 * Rows with new values at these places (`NewNumbers`).
 * @param {Rows} rows
 * @param {number[]} runs
 * @param {Value[]} values
 */
function withRuns(rows, runs, values) {
  const changed = [...rows];
  const width = rows[0].length;
  let next = 0;
  for (let n = 0; n < runs.length; n += 2)
    for (let at = runs[n]; at < runs[n] + runs[n + 1]; at++) {
      const row = Math.floor(at / width);
      if (changed[row] === rows[row]) changed[row] = [...rows[row]];
      changed[row][at % width] = values[next++];
    }
  return changed;
}
