// The work on a page without a server: an example's numbers as they are changed, with undo and redo. What the server does
// elsewhere with an edit (mha_core/edit, mha_ui/state/work.py) is done here; the structure stays as it is. No DOM here.

import { lossOf } from "../kit/descent.js";
import { fill } from "../kit/dom.js";
import { evaluate } from "../kit/evaluate.js";
import { rowsOf } from "../kit/graph.js";
import { isLocal, withEdits } from "../kit/local_edits.js";

const UNDO_STEPS = 100; // as mha_ui/state/history.py has it

/** The numbers, and what the scores are divided by. @typedef {{ model: TablesModel; scale: Scale }} Version */
/** Why an edit is refused, in a language. @typedef {(words: Record<string, string>) => string} Refusal */

export class Work {
  /** @type {Version[]} */
  #past = [];
  /** @type {Version[]} */
  #future = []; // the next one last
  revision = 0; // how often the numbers have changed

  /** @param {Version} start */
  constructor(start) {
    this.start = this.now = start;
  }

  /** What has been done so far was done before: it is no step of the history. */
  forgetHistory() {
    this.#past = [];
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  get canRedo() {
    return this.#future.length > 0;
  }

  get isChanged() {
    return this.now !== this.start;
  }

  /**
   * Do what an edit says. One that changes nothing is no step of the history.
   * @param {Edit} edit
   * @returns {Refusal | null}
   */
  apply(edit) {
    if (edit.op === "undo") this.#travel(this.#past, this.#future);
    else if (edit.op === "redo") this.#travel(this.#future, this.#past);
    else if (edit.op === "reset") this.#add(this.start);
    else if (edit.op === "fill") return this.apply(blockOf(this.now.model, edit));
    else if (edit.op === "scale") this.#divide(edit.value);
    else if (edit.op === "learn" || edit.op === "learning") return this.#learn(edit);
    else if (edit.op === "set" || edit.op === "claim") return this.#set(edit);
    return null;
  }

  /**
   * @param {Version[]} from
   * @param {Version[]} to
   */
  #travel(from, to) {
    const version = from.pop();
    if (!version) return;
    to.push(this.now);
    this.#show(version);
  }

  /** @param {Version} version */
  #add(version) {
    if (version === this.now) return;
    this.#past = [...this.#past.slice(1 - UNDO_STEPS), this.now];
    this.#future = [];
    this.#show(version);
  }

  /** @param {Version} version */
  #show(version) {
    this.now = version;
    this.revision += 1;
  }

  /**
   * @param {SetBlock | ClaimBlock} edit
   * @returns {Refusal | null}
   */
  #set(edit) {
    const { matrix, head = null, row, col, values } = edit;
    const rows = rowsOf(this.now.model, matrix, head);
    if (!rows) return null;
    const uneven = values.findIndex((cells) => cells.length !== values[0].length);
    if (uneven > 0) {
      const lengths = { got: values[uneven].length, all: values[0].length };
      return (words) => fill(words.uneven, { row: uneven + 1, ...lengths });
    }
    const [height, width] = [values.length, Math.max(...values.map((cells) => cells.length))];
    const [down, across] = [rows.length - row, rows[0].length - col];
    if (height > down || width > across) {
      const place = { row: row + 1, col: col + 1, rows: down, cols: across };
      return (words) => fill(words.no_room, { ...place, got_rows: height, got_cols: width });
    }
    const isNew = values.some((cells, i) =>
      cells.some((value, j) => value !== null && value !== rows[row + i][col + j]),
    );
    if (isNew) this.#add({ ...this.now, model: withEdits(this.now.model, [edit]).model });
    return null;
  }

  /**
   * Steps toward the goal, or another rate.
   * @param {Edit} edit
   * @returns {Refusal | null}
   */
  #learn(edit) {
    if (!isLocal(this.now.model, edit)) return null;
    const { model } = withEdits(this.now.model, [edit]);
    if (!Number.isFinite(lossOf(model))) return (words) => words.step_too_large;
    this.#add({ ...this.now, model });
    return null;
  }

  /** By a number, or as the example divides. @param {Scale} scale */
  #divide(scale) {
    const { model } = this.now;
    if (scale === this.now.scale || model.constants.divisor === null) return;
    if (scale === this.start.scale) this.#add({ scale, model: this.#dividedAsBefore(model) });
    else if (typeof scale === "number")
      this.#add({ scale, model: withEdits(model, [{ op: "scale", value: scale }]).model });
  }

  /**
   * A model with the divisor of the example, and the captions that name it.
   * @param {TablesModel} model
   */
  #dividedAsBefore(model) {
    const { constants, matrices: captions } = this.start.model;
    const matrices = Object.entries(model.matrices).map(([name, matrix]) => {
      const { symbol, formula } = captions[name];
      return [name, { ...matrix, symbol, formula }];
    });
    const divided = { ...model, constants, matrices: Object.fromEntries(matrices) };
    evaluate(divided, ["divisor"]);
    return divided;
  }
}

/** A number of a table that is filled, by the kind of filling. @type {Record<Fill["with"], (row: number, col: number) => number>} */
const FILLINGS = {
  zeros: () => 0,
  identity: (row, col) => Number(row === col),
  integers: () => Math.floor(6 * Math.random()) - 2,
  random: () => Math.round(100 * normal()) / 100 + 0,
};

/** A number drawn from the normal distribution (Box and Muller). */
const normal = () => Math.sqrt(-2 * Math.log(1 - Math.random())) * Math.cos(2 * Math.PI * Math.random());

/**
 * The edit that fills a table.
 * @param {Model} model
 * @param {Fill} fill
 * @returns {Edit}
 */
function blockOf(model, { matrix, head = null, with: kind }) {
  const rows = rowsOf(model, matrix, head) ?? [];
  const values = rows.map((cells, row) => cells.map((_, col) => FILLINGS[kind](row, col)));
  return { op: "set", matrix, head, row: 0, col: 0, values };
}
