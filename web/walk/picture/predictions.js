// What is asked for before it is shown: which results are revealed, what was filled in, and how much of it is right.
// No DOM here.

import { key } from "../../kit/graph.js";
import { isRight } from "./answers.js";

export class Predictions {
  on = false;
  once = false; // for this place alone
  /** @type {Set<string>} questions whose answer is shown */
  revealed = new Set();
  /** @type {Map<string, Prediction>} by key of a cell, also what is no number */
  answers = new Map();

  forget() {
    this.answers.clear();
    this.revealed.clear();
  }

  /**
   * @param {boolean} on
   * @param {boolean} once for this place alone, unless every place asks already
   */
  turn(on, once) {
    this.once = on && once && (this.once || !this.on);
    this.on = on;
    this.forget();
  }

  /** The walk goes on to another place. */
  goOn() {
    if (this.once) this.turn(false, false);
  }

  /**
   * Whether a step's results are asked for. Those of a concatenation never are: their numbers stand above it already.
   * @param {WalkStep | null} step
   */
  asks(step) {
    return this.on && step !== null && step.layout !== "concat";
  }

  /** Whether the answer to a question is still hidden. @param {string} question */
  hides(question) {
    return !this.revealed.has(question);
  }

  /**
   * The question of a place. Beats that lead to one result share it, so it is asked before the first of them.
   * @param {Place} place
   * @param {boolean} isOneResult
   */
  static question({ stage, part, beat }, isOneResult) {
    return `${stage}|${part}|${isOneResult ? null : beat}`;
  }

  /**
   * Somebody has filled in a number.
   * @param {{ cell: Cell; value: Value }} result
   * @param {string} text
   */
  answer({ cell, value }, text) {
    const typed = text.trim();
    if (typed) this.answers.set(key(cell), { text: typed, right: isRight(typed, value) });
    else this.answers.delete(key(cell));
  }

  /**
   * How many of these cells were filled in with a number, how many of the numbers are right, and how many were filled in
   * with something else.
   * @param {{ cell: Cell }[]} results
   */
  tally(results) {
    const given = results.flatMap(({ cell }) => this.answers.get(key(cell)) ?? []);
    const verdicts = given.map(({ right }) => right).filter((right) => right !== undefined);
    const [read, right] = [verdicts.length, verdicts.filter(Boolean).length];
    return { given: read, right, unread: given.length - read };
  }
}
