// Which numbers are shown: the page's, or newer ones of the live channel, and over them the edits that neither of the
// two has answered yet.

import { isPerHead, rowsOf } from "../../kit/graph.js";
import { Live, layOver, laySeen } from "../../kit/live.js";
import { pictures } from "../../kit/pictures.js";
import { sender } from "../../kit/sender.js";

/** Show an edit of numbers at once, before the server has answered: an input is its own value. */
export function overlay(model, edit) {
  if (edit.op === "scale") model.controls.scale = edit.value;
  if (!["set", "claim"].includes(edit.op) || !model.matrices[edit.matrix]) return;
  const rows = rowsOf(model, edit.matrix, isPerHead(model, edit.matrix) ? edit.head : null);
  edit.values.forEach((values, i) =>
    values.forEach((value, j) => {
      if (value !== null && rows?.[edit.row + i]?.[edit.col + j] !== undefined)
        rows[edit.row + i][edit.col + j] = value;
    }),
  );
}

export class Newest {
  /** @type {Edit | null} */
  previewed = null; // an edit that is being made
  #seen = null; // what the lens shows of the last numbers that came by the live channel

  /** @param {import("../explore.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.live = new Live({
      painted: (header, numbers) => this.#painted(header, numbers),
      drawn: (figures) => pictures.answered(figures),
      asking: () => ({ ...bench.model.asks, ...pictures.asked }),
      lost: () => this.#lost(),
      stateChanged: () => bench.busy(),
    });
  }

  /** The number of what is to be shown: between two edits, while the next one is being made. */
  get #seq() {
    return sender.last + (this.previewed ? 0.5 : 0);
  }

  /** Edits that the page has not answered, and the one that is being made. */
  get #unanswered() {
    return this.previewed ? [...sender.pending, this.previewed] : sender.pending;
  }

  /** Whether the live channel can answer these edits: with a first divisor or mask, or without one, there are other tables. */
  takes(edits) {
    const { constants, matrices } = this.bench.model;
    const stays = ({ op, matrix }) =>
      op === "scale" ? constants.divisor !== null : matrix !== "mask" || Boolean(matrices.mask);
    return this.live.takes(edits) && edits.every(stays);
  }

  /** Have an edit that is being made, or one taken back (`null`), answered by the live channel. */
  preview(edit) {
    this.previewed = edit;
    const edits = this.#unanswered;
    if (this.takes(edits)) this.live.ask(edits, this.#seq);
  }

  /** Send an edit to the page, and to the live channel where that can answer it sooner. */
  send(edit) {
    this.previewed = null;
    const live = this.takes([...sender.pending, edit]);
    sender.send(edit, live ? () => this.live.state === "busy" : null);
    if (live) this.live.ask(sender.pending, sender.last);
  }

  /** Whether every edit so far is answered in the numbers that are shown. */
  get isAnswered() {
    const { pending, last } = sender;
    if (!this.previewed && this.live.answered > last) return false; // what was tried and given up still stands there
    return pending.length === 0 || (this.takes(pending) && this.live.answered === last);
  }

  /**
   * Take the page's numbers, unless newer ones have come by the live channel: those of edits that this answer lacks.
   * @param {BenchModel} data
   * @param {boolean} steady
   */
  take(data, steady) {
    const { bench } = this;
    const pending = this.#unanswered;
    const answered =
      steady && pending.length > 0 && this.live.takes(pending) && this.live.answered > data.ack;
    const newer = answered && JSON.stringify(data.asks) === JSON.stringify(bench.model.asks);
    if (newer) this.#keep(data);
    bench.compared.carry(data);
    bench.model = data;
    for (const edit of pending) overlay(data, edit);
    this.live.settle(data.whole ? { s: data.whole } : data.address, data.ack, newer);
    if (pending.length && !newer && this.takes(pending)) this.live.ask(pending, this.#seq);
  }

  /** Lay what the live channel has answered, and is shown, over an answer of the page that is older. */
  #keep(data) {
    const { matrices, dead, shifts, constants, about, about_ours, looks } = this.bench.model;
    for (const [name, matrix] of Object.entries(data.matrices)) {
      const { values, symbol: letter, formula } = matrices[name];
      Object.assign(matrix, { values, symbol: letter, formula });
    }
    Object.assign(data, { dead, shifts, constants, about, about_ours, looks });
    if (this.#seen) laySeen(data, this.#seen);
  }

  /**
   * Have painted what the live channel has answered.
   * @param {LiveAnswer} answer
   * @param {Float64Array} numbers
   */
  #painted({ blocks = [], captions = {}, about, seen, id: _, ...marks }, numbers) {
    const { model } = this.bench;
    Object.assign(model, marks);
    if (about !== undefined && about !== model.about) Object.assign(model, { about, about_ours: false });
    for (const [name, caption] of Object.entries(captions))
      Object.assign(model.matrices[name] ?? {}, caption);
    const changed = layOver(model, blocks, numbers);
    const hand = this.previewed ? [{ ...this.previewed, seq: this.#seq }] : [];
    // Meanwhile the hand has gone on.
    for (const edit of [...sender.pending, ...hand]) if (edit.seq > this.live.answered) overlay(model, edit);
    this.#seen = seen;
    if (seen) laySeen(model, seen);
    this.bench.painted(seen ? Object.keys(model.matrices) : changed);
  }

  /** The page must answer in place of the live channel: what waits, or else what stands there. */
  #lost() {
    if (sender.pending.length) sender.hurry();
    else if (!this.previewed) sender.send({ op: "pin", cell: this.bench.looking.pinned });
  }
}
