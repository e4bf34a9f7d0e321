// Which numbers are shown: the page's, or newer ones of the live channel, and over them the edits that neither has
// answered yet, with what the browser itself works out from them.

import { evaluate } from "../../kit/evaluate.js";
import { isPerHead, rowsOf } from "../../kit/graph.js";
import { Live, layOver, laySeen } from "../../kit/live.js";
import { pictures } from "../../kit/pictures.js";
import { sender } from "../../kit/sender.js";

/**
 * Show edits of numbers before the server has answered: an input is its own value, and what follows from it is worked
 * out here. What a lens or a check says of the numbers comes from the server, and there they wait for it.
 * @param {ExploreModel} model
 * @param {Edit[]} edits
 * @returns {Set<string>} the names of the tables with new numbers
 */
function showEdits(model, edits) {
  const changed = new Set(edits.flatMap((edit) => overlay(model, edit)));
  const isPlain = changed.size > 0 && !model.lens && !model.check;
  const names = (isPlain && evaluate(model, changed)) || changed;
  return new Set([...names].filter((name) => model.matrices[name]));
}

/**
 * Write the numbers of an edit into a model; the names of what it changes.
 * @param {ExploreModel} model
 * @param {Edit} edit
 * @returns {string[]}
 */
function overlay(model, edit) {
  if (edit.op === "scale") return overlayScale(model, edit.value);
  if ((edit.op !== "set" && edit.op !== "claim") || !model.matrices[edit.matrix]) return [];
  const rows = rowsOf(model, edit.matrix, isPerHead(model, edit.matrix) ? (edit.head ?? null) : null);
  for (const [i, values] of edit.values.entries())
    for (const [j, value] of values.entries()) {
      const row = rows?.[edit.row + i];
      if (value !== null && row?.[edit.col + j] !== undefined) row[edit.col + j] = value;
    }
  return [edit.matrix];
}

/**
 * A first divisor, or one by its name, brings tables and a number that only the server has.
 * @param {ExploreModel} model
 * @param {Scale} value
 */
function overlayScale(model, value) {
  model.controls.scale = value;
  if (typeof value !== "number" || model.constants.divisor === null) return [];
  model.constants.divisor = value;
  return ["divisor"];
}

/**
 * The matrix that an edit changes, if it is one.
 * @param {Edit} edit
 * @returns {string | undefined}
 */
const matrixOf = (edit) => ("matrix" in edit && edit.matrix) || undefined;

/**
 * `pinned`: the pinned cell; `painted`: these matrices have new numbers; `stateChanged`: the live channel has answered,
 * or has been lost.
 * @typedef {{
 *   pinned: () => Cell | null; painted: (names: Iterable<string>) => void; stateChanged: () => void;
 * }} NewestHost
 */

export class Newest {
  /** @type {Edit | null} */
  previewed = null; // an edit that is being made
  /** @type {Parameters<typeof laySeen>[1] | null | undefined} */
  #seen = null; // what the lens shows of the live channel's last numbers

  /**
   * @param {ExploreModel} model
   * @param {NewestHost} host
   */
  constructor(model, host) {
    this.model = model;
    this.host = host;
    this.live = new Live({
      painted: (header, numbers) => this.#painted(header, numbers),
      drawn: (figures) => pictures.answered(figures),
      asking: () => ({ ...this.model.asks, ...pictures.asked }),
      lost: () => this.#lost(),
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

  /**
   * Whether the live channel can answer these edits. A first divisor or mask brings tables that it cannot.
   * @param {Edit[]} edits
   */
  #takes(edits) {
    const { constants, matrices } = this.model;
    const keepsTables = (/** @type {Edit} */ edit) =>
      edit.op === "scale" ? constants.divisor !== null : matrixOf(edit) !== "mask" || Boolean(matrices.mask);
    return this.live.takes(edits) && edits.every(keepsTables);
  }

  /**
   * Have the live channel answer an edit that is being made.
   * @param {Edit | null} edit null: it is taken back
   */
  preview(edit) {
    this.previewed = edit;
    const edits = this.#unanswered;
    if (this.#takes(edits)) this.live.ask(edits, this.#seq);
  }

  /**
   * Send an edit to the page, and to the live channel where that can answer it sooner.
   * @param {Edit} edit
   */
  send(edit) {
    this.previewed = null;
    const isLive = this.#takes([...sender.pending, edit]);
    sender.send(edit, isLive ? () => this.live.state === "busy" : null);
    if (isLive) this.live.ask(sender.pending, sender.last);
  }

  /** Whether every edit so far is answered in the numbers that are shown. */
  get isAnswered() {
    const { pending, last } = sender;
    if (!this.previewed && this.live.answered > last) return false; // a preview that was given up is still shown
    return pending.length === 0 || (this.#takes(pending) && this.live.answered === last);
  }

  /**
   * Use the page's numbers, unless the live channel has answered edits that this answer lacks.
   * @param {ExploreModel} data
   * @param {boolean} isSteady whether the tables stay as they are
   */
  take(data, isSteady) {
    const pending = this.#unanswered;
    const isAhead = isSteady && pending.length > 0 && this.#takes(pending) && this.live.answered > data.ack;
    const isNewer = isAhead && JSON.stringify(data.asks) === JSON.stringify(this.model.asks);
    if (isNewer) this.#keepNumbers(data);
    this.model = data;
    showEdits(data, pending);
    this.live.settle(data.whole ? { s: data.whole } : data.address, data.ack, isNewer);
    if (pending.length && !isNewer && this.#takes(pending)) this.live.ask(pending, this.#seq);
  }

  /**
   * Put the numbers that are shown into an older answer of the page.
   * @param {ExploreModel} data
   */
  #keepNumbers(data) {
    const { matrices, dead, shifts, constants, about, about_ours, looks } = this.model;
    for (const [name, matrix] of Object.entries(data.matrices)) {
      const { values, symbol, formula } = matrices[name];
      Object.assign(matrix, { values, symbol, formula });
    }
    Object.assign(data, { dead, shifts, constants, about, about_ours, looks });
    if (this.#seen) laySeen(data, this.#seen);
  }

  /**
   * The live channel has answered.
   * @type {LiveHost["painted"]}
   */
  #painted({ blocks = [], captions = {}, about, seen, id: _, ...marks }, numbers) {
    const { model } = this;
    Object.assign(model, marks);
    if (about !== undefined && about !== model.about) Object.assign(model, { about, about_ours: false });
    for (const [name, caption] of Object.entries(captions))
      Object.assign(model.matrices[name] ?? {}, caption);
    const changed = layOver(model, blocks, numbers);
    this.#seen = seen;
    if (seen) laySeen(model, seen);
    const later = showEdits(model, this.#laterEdits);
    this.host.painted(seen ? Object.keys(model.matrices) : [...changed, ...later]);
  }

  /** Those that the visitor has made since the live channel was asked. */
  get #laterEdits() {
    const { answered } = this.live;
    const later = sender.pending.filter((edit) => Number(edit.seq) > answered);
    return this.previewed && this.#seq > answered ? [...later, this.previewed] : later;
  }

  /**
   * Show an edit that is made, being made or taken back.
   * @param {Edit} edit
   * @returns {Set<string>} the names of the tables with new numbers
   */
  show(edit) {
    return showEdits(this.model, [edit]);
  }

  /** The page must answer in place of the live channel: what waits, or, if nothing does, the state as it is. */
  #lost() {
    if (sender.pending.length) sender.hurry();
    else if (!this.previewed) sender.send({ op: "pin", cell: this.host.pinned() });
  }
}
