// Which numbers are shown: the page's, and over them the edits that it has not answered yet, with what the browser works
// out from them. What a lens or a check says of them comes over the live channel.

import { numberOf, rowsIn } from "../../kit/graph.js";
import { Live } from "../../kit/live.js";
import { isLocal, withEdits } from "../../kit/local_edits.js";
import { pictures } from "../../kit/pictures.js";
import { sender } from "../../kit/sender.js";

const TOLERANCE = 1e-9; // of a row's largest number, by which our numbers may differ from the server's

/**
 * `pinned`: the pinned cell; `seen`: these matrices may look different through the lens; `stateChanged`: the live channel
 * has answered, or has been lost.
 * @typedef {{
 *   pinned: () => Cell | null; seen: (names: Set<string>) => void; stateChanged: () => void;
 * }} NewestHost
 */

export class Newest {
  /** @type {Edit | null} */
  previewed = null; // an edit that is being made
  /** @type {ExploreModel} */
  #page; // the page's last answer
  /** @type {Set<string>} */
  #edited = new Set(); // the matrices that look different in what is shown
  #exactly = -1; // the edit up to which all are shown in full, by its number
  /** @type {{ seen: Seen; seq: number } | null} */
  #seen = null; // what the lens shows after an edit that the page has not answered

  /**
   * @param {ExploreModel} model
   * @param {NewestHost} host
   */
  constructor(model, host) {
    this.#page = this.model = model;
    this.host = host;
    this.live = new Live({
      seen: (seen, seq) => this.#lookedAt(seen, seq),
      drawn: (figures) => pictures.answered(figures),
      asking: () => ({ ...this.#page.asks, ...pictures.asked }),
      lost: () => this.answerAgain(),
      stateChanged: () => host.stateChanged(),
    });
  }

  /** The number of the edit that is to be shown. An edit that is being made counts as half a one. */
  get #seq() {
    return sender.last + (this.previewed ? 0.5 : 0);
  }

  /** Edits that the page has not answered, and the one that is being made. @returns {Edit[]} */
  get #unanswered() {
    return this.previewed ? [...sender.pending, this.previewed] : sender.pending;
  }

  /** Whether what is shown answers every edit so far. */
  get isAnswered() {
    const edits = this.#unanswered;
    if (!edits.every((edit) => isLocal(this.#page, edit))) return false;
    if (!edits.length || !this.#page.asks?.lens) return true;
    return this.#seen?.seq === this.#seq && !this.live.isBusy; // every step of a drag has the same number
  }

  /**
   * Use an answer of the page.
   * @param {ExploreModel} data
   */
  take(data) {
    const [shown, seq] = [this.model, this.#exactly];
    this.#page = data;
    if (this.#seen && this.#seen.seq <= data.ack) this.#seen = null;
    this.show();
    this.live.settle(data.whole ? { s: data.whole } : data.address, data.ack);
    if (this.#unanswered.length) this.#ask();
    else if (seq === data.ack && !data.message) reportFaults(shown, data);
  }

  /**
   * An edit is being made.
   * @param {Edit | null} edit null: it is taken back
   */
  preview(edit) {
    this.previewed = edit;
    if (!this.#unanswered.length) this.#seen = null;
    this.#ask();
  }

  /**
   * Send an edit to the page: at once, or when the hand rests, where it is shown in full before.
   * @param {Edit} edit
   */
  send(edit) {
    this.previewed = null;
    const canWait = isLocal(this.#page, edit) && !pictures.needPage;
    sender.send(edit, canWait ? () => this.live.isBusy : null);
    this.#ask();
  }

  #ask() {
    const edits = this.#unanswered;
    if (edits.length && edits.every((edit) => isLocal(this.#page, edit))) this.live.ask(edits, this.#seq);
  }

  /**
   * Work out what is to be shown.
   * @returns {Set<string>} the names of the matrices that may look different than before
   */
  show() {
    const edits = this.#unanswered;
    const { model, changed } = withEdits(this.#page, edits);
    const isExact = (/** @type {Edit} */ edit) =>
      isLocal(this.#page, edit) && !(edit.op === "learn" && Number(edit.steps) > 1); // rounding may grow with the steps
    this.#exactly = edits.length && edits.every(isExact) ? this.#seq : -1;
    model.before = this.model.before;
    if (this.#seen) {
      laySeen(model, this.#seen.seen);
      for (const name of Object.keys(this.#seen.seen.matrices)) if (model.matrices[name]) changed.add(name);
    }
    const names = new Set([...changed, ...this.#edited].filter((name) => model.matrices[name]));
    this.model = model;
    this.#edited = changed;
    return names;
  }

  /**
   * The lens shows this after an edit; nothing of it after one that has been taken back.
   * @param {Seen} seen
   * @param {number} seq
   */
  #lookedAt(seen, seq) {
    if (seq > this.#seq || seq <= this.#page.ack) return;
    this.#seen = { seen, seq };
    this.host.seen(this.show());
  }

  /** Have the page answer: what waits, or, if nothing does, the state as it is. */
  answerAgain() {
    if (sender.pending.length) sender.hurry();
    else if (!this.previewed) sender.send({ op: "pin", cell: this.host.pinned() });
  }
}

/**
 * Lay what a lens shows over a model; matrices that the model lacks are passed over.
 * @param {Model} model whose matrices are its own
 * @param {Seen} seen
 */
export function laySeen(model, { matrices, ...whole }) {
  Object.assign(model, whole);
  for (const [name, parts] of Object.entries(matrices))
    if (model.matrices[name])
      model.matrices[name] = /** @type {Matrix} */ ({ ...model.matrices[name], ...parts });
}

/**
 * Report numbers of ours that differ from the server's answer, which is shown. Where the server has other inputs, it has
 * refused an edit, and there is nothing to compare.
 * @param {ExploreModel} ours
 * @param {ExploreModel} page
 */
function reportFaults(ours, page) {
  const wrong = Object.keys(page.matrices).filter((name) =>
    differs(page.matrices[name], ours.matrices[name]),
  );
  if (!wrong.length || wrong.some((name) => !page.steps[name])) return;
  console.error(`the browser has worked out wrong numbers: ${wrong.join(", ")}`);
}

/**
 * @param {Matrix} matrix
 * @param {Matrix | undefined} ours
 */
function differs({ perHead, values }, ours) {
  if (!ours || ours.values === values) return false;
  const heads = perHead ? [...values.keys()] : [null];
  return heads.some((head) => {
    const then = rowsIn(perHead, ours.values, head);
    return rowsIn(perHead, values, head)?.some((row, at) => then?.[at] && isFault(row, then[at]));
  });
}

/**
 * Whether two rows differ by more than rounding.
 * @param {Rows[number]} row
 * @param {Rows[number]} ours
 */
function isFault(row, ours) {
  const numbers = row.map(numberOf);
  const size = Math.max(...numbers.map(Math.abs).filter(Number.isFinite), 0);
  return numbers.some((number, col) => {
    const other = numberOf(ours[col]);
    return number !== other && !(Math.abs(number - other) <= TOLERANCE * size);
  });
}
