// An exercise on a page without a server: what has been filled in, its marks, the hints that were given, and how it went.
// What the server does elsewhere (mha_ui/state/exercise.py, mha_view/lenses/practice.py) is done here. No DOM here.

import { fill, prose } from "../kit/dom.js";
import { key, requireRows, rowsOf } from "../kit/graph.js";
import { readClaim, splitBlock } from "../kit/numbers.js";
import { quoted } from "../kit/quoted.js";
import { graded } from "./grade.js";
import { Work } from "./work.js";

const WRONG = ["own", "follows", "doubtful"];

/** @typedef {import("./grade.js").Mark} Mark */

export class Sheet {
  /** @type {Set<string>} */
  #missed = new Set(); // the cells whose first number was wrong
  /** @type {Map<string, number>} */
  #hints = new Map(); // how many were given for a cell
  /** @type {string | null} */
  #hinted = null; // the cell whose hint is shown

  /**
   * @param {PageExercise} exercise in any language
   * @param {Model} solution
   */
  constructor(exercise, solution) {
    this.work = new Work({ model: exercise.tables, scale: "none" }); // which is never asked for
    this.solution = solution;
    this.tables = exercise.check.practice?.tables ?? [];
    this.counts = exercise.hints.map(({ all }) => all.length);
    this.cells = exercise.hints.map(({ cell }) => cell);
  }

  /**
   * @param {Edit} edit
   * @returns {import("./work.js").Refusal | null}
   */
  apply(edit) {
    if (edit.op === "hint") this.#giveHint(/** @type {Cell | null} */ (edit.cell ?? null));
    else if (edit.op === "claim_text") return this.#fillIn(edit);
    else if (edit.op === "clear_claims") return this.#clear(edit);
    else {
      const before = this.#blank();
      const refusal = this.work.apply(edit);
      if (edit.op === "claim") this.#noteMissed(before);
      return refusal;
    }
    return null;
  }

  get #sheet() {
    return this.work.now.model;
  }

  get marks() {
    return graded(this.solution, this.#sheet, this.tables);
  }

  // --- filling in --------------------------------------------------------------------------------------------------

  /** The keys of the cells without a number. */
  #blank() {
    const isBlank = (/** @type {Cell} */ { name, head, row, col }) =>
      requireRows(this.#sheet, name, head)[row][col] === "";
    return new Set(this.cells.filter(isBlank).map(key));
  }

  /** @param {Set<string>} before the cells that were blank */
  #noteMissed(before) {
    const { marks } = this;
    for (const cell of before) if (["own", "doubtful"].includes(marks[cell])) this.#missed.add(cell);
  }

  /**
   * @param {ClaimText} edit
   * @returns {import("./work.js").Refusal | null}
   */
  #fillIn({ matrix, head, row = 0, col = 0, text }) {
    const block = splitBlock(text);
    const readings = block.map((cells) => cells.map(readClaim));
    for (const [i, cells] of readings.entries())
      for (const [j, { wrong }] of cells.entries())
        if (wrong)
          return (words) => {
            const place = fill(words.pasted_place, { row: i + 1, col: j + 1 });
            return fill(words[`wrong_${wrong}`], { place, text: quoted(words, block[i][j]) });
          };
    const values = readings.map((cells) => cells.map(({ value = null }) => value));
    return values.length ? this.apply({ op: "claim", matrix, head, row, col, values }) : null;
  }

  /**
   * @param {ClearClaims} edit
   * @returns {import("./work.js").Refusal | null}
   */
  #clear({ matrix, head = null }) {
    const rows = matrix ? rowsOf(this.#sheet, matrix, head) : null;
    if (!matrix || !rows) return null;
    const values = rows.map((cells) => cells.map(() => ""));
    return this.work.apply({ op: "claim", matrix, head, row: 0, col: 0, values });
  }

  // --- hints -------------------------------------------------------------------------------------------------------

  /**
   * A hint for this cell if it is open, else for the first open one of its table, or of all. A cell that is hinted at
   * again first repeats its last hint.
   * @param {Cell | null} wanted
   */
  #giveHint(wanted) {
    const { marks } = this;
    const open = this.cells.filter((cell) => !["right", "nearly"].includes(marks[key(cell)] ?? ""));
    const isOf = (/** @type {Cell} */ cell) => cell.name === wanted?.name && cell.head === wanted.head;
    const chosen = open.find((cell) => wanted && key(cell) === key(wanted)) ?? open.find(isOf) ?? open[0];
    if (!chosen) return;
    const name = key(chosen);
    const given = this.#hints.get(name) ?? 0;
    const most = this.countOf(name);
    if (name === this.#hinted || !given) this.#hints.set(name, Math.min(most, given + 1));
    this.#hinted = name;
  }

  /** How many hints there are for a cell. @param {string} name */
  countOf(name) {
    return this.counts[this.cells.findIndex((cell) => key(cell) === name)];
  }

  /** How it went so far, as a file says it (mha_core/example/attempt.py): cells by their places among all. */
  get attempt() {
    const at = (/** @type {string} */ name) => this.cells.findIndex((cell) => key(cell) === name);
    return {
      missed: [...this.#missed].map(at),
      hints: [...this.#hints].map(([name, count]) => [at(name), count]),
    };
  }

  // --- what is shown -------------------------------------------------------------------------------------------------

  /**
   * @param {PageExercise} exercise in the language of the page
   * @param {Record<string, string>} words
   * @param {{ looks: string[]; tokens: PageTokens }} about
   * @returns {{ check: Check; marks: Record<string, Mark> }}
   */
  shown({ check, hints }, words, { looks, tokens }) {
    const { marks } = this;
    const practice = /** @type {PracticeState} */ (check.practice);
    const tables = practice.tables.map((table) => this.#counted(table, marks));
    const isDone = tables.every(({ right, cells }) => right === cells);
    const isWrong = tables.some(({ wrong }) => wrong > 0);
    /** @type {PracticeState} */
    const now = {
      ...practice,
      tables,
      hint: isDone ? null : this.#shownHint(hints, marks, words),
      end: isDone ? this.#end(words, looks, tokens) : null,
    };
    const summary = isDone ? practice.texts.finished : check.summary;
    return { marks, check: { state: isDone ? "ok" : isWrong ? "wrong" : "empty", summary, practice: now } };
  }

  /** @type {(table: PracticeTable, marks: Record<string, Mark>) => PracticeTable} */
  #counted(table, marks) {
    const cells = this.cells.filter(({ name, head }) => name === table.name && head === table.head);
    const found = cells.map((cell) => marks[key(cell)]);
    const count = (/** @type {(mark: Mark) => boolean} */ is) =>
      found.filter((mark) => mark && is(mark)).length;
    return {
      ...table,
      wrong: count((mark) => WRONG.includes(mark)),
      right: count((mark) => mark === "right" || mark === "nearly"),
    };
  }

  /**
   * The hint that was asked for, while its number is still to be worked out.
   * @type {(hints: CellHints[], marks: Record<string, Mark>, words: Record<string, string>) => ShownHint | null}
   */
  #shownHint(hints, marks, words) {
    const at = this.cells.findIndex((cell) => key(cell) === this.#hinted);
    if (at < 0 || ["right", "nearly"].includes(marks[this.#hinted ?? ""])) return null;
    const { cell, all, early } = hints[at];
    const count = this.#hints.get(this.#hinted ?? "") ?? 1;
    const found = early && this.#isEarly(marks) ? early : all;
    const [[rung, text], next] = [found[count - 1], found[count]];
    return { cell, rung: words[`rung ${rung}`], text, more: next ? words[`climb ${next[0]}`] : "" };
  }

  /** Whether anything is still to be worked out before the cell that is hinted at. @param {Record<string, Mark>} marks */
  #isEarly(marks) {
    const at = this.cells.findIndex((cell) => key(cell) === this.#hinted);
    const { name } = this.cells[at];
    const before = this.cells.filter((cell) => cell.name !== name).slice(0, at);
    return before.some((cell) => marks[key(cell)] !== "right");
  }

  /** @type {(words: Record<string, string>, looks: string[], tokens: PageTokens) => PracticeEnd} */
  #end(words, looks, { queries, keys }) {
    const say = (/** @type {string} */ name, /** @type {Record<string, number>} */ values) =>
      fill(words[`result ${name}`], values);
    const given = [...this.#hints]
      .filter(([name, count]) => count >= this.countOf(name))
      .map(([name]) => name);
    const all = [...this.#hints.values()].reduce((sum, count) => sum + count, 0);
    const count = all - given.length;
    const right = this.cells.length - new Set([...this.#missed, ...given]).size;
    const result = prose(
      say("first_try", { right, cells: this.cells.length }),
      say(count ? "hints" : "no_hints", { count }),
      given.length > 0 && say("answers", { count: given.length }),
    );
    const weights = Array.from({ length: this.solution.dims.h }, (_, head) =>
      requireRows(this.solution, "weights", head).map((row) => row.map(Number)),
    );
    return { result, weights, looks, queries, keys };
  }

  /** What has been filled in, as a file has it: null where nothing was. */
  get claimed() {
    /** @type {Record<string, any>} */
    const claimed = {};
    for (const { name, head } of this.tables) {
      const rows = requireRows(this.#sheet, name, head);
      const table = unlessEmpty(rows.map((cells) => unlessEmpty(cells.map((cell) => cell || null))));
      if (!table) continue;
      if (head === null) claimed[name] = table;
      else {
        claimed[name] ??= Array(this.solution.dims.h).fill(null);
        claimed[name][head] = table;
      }
    }
    return Object.keys(claimed).length ? claimed : null;
  }
}

/** @template T @param {T[]} list */
const unlessEmpty = (list) => (list.some((item) => item !== null) ? list : null);
