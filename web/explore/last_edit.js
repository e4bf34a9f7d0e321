// What the last edit has moved: how the numbers stood before it is held, and what is otherwise now is marked and told.

import { movedIn, movedSentence, remembered } from "../kit/moved.js";

const REST = 150; // ms without new numbers, after which it is told what the last edit has moved

/** Whether as many numbers are of the same tokens, in the same places: those of others have not moved, they are others. */
const sameSizes = (now, before) =>
  JSON.stringify([now.dims, now.labels.n_q, now.labels.n_k]) ===
  JSON.stringify([before.dims, before.labels.n_q, before.labels.n_k]);

export class Compared {
  /** @type {Record<string, any> | null} */
  #before = null; // the numbers before the last edit
  #resting = 0; // until it is told what the last edit has moved

  /** @param {import("./explore.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
  }

  stop() {
    clearTimeout(this.#resting);
  }

  /**
   * What an edit is about to move is compared with how it stands now. What the last one has moved stays marked until
   * the answer is painted: to unmark it now would lay out every table twice.
   */
  remember() {
    const { model } = this.bench;
    if (model.check) return; // there the marks say what is right
    model.before = null;
    this.#before = remembered(model);
  }

  /** Where everything begins anew nothing has moved. */
  forget() {
    this.bench.model.before = this.#before = null;
  }

  /**
   * An answer of the page takes the place of the model; what is marked stays marked.
   * @param {BenchModel} data
   */
  carry(data) {
    const { model } = this.bench;
    if (data.opened !== model?.opened || !sameSizes(data, model)) this.#before = null;
    data.before = this.#before && model.before;
  }

  /** While numbers move none is marked as moved. */
  unmark() {
    const { model } = this.bench;
    if (!model.before) return;
    model.before = null;
    this.bench.patch(Object.keys(model.matrices));
  }

  /** Mark and tell it once the numbers rest: they come first, and a hand may still move them. Where none is held, now. */
  update() {
    if (this.#before) this.soon();
    else this.#compare();
  }

  soon() {
    clearTimeout(this.#resting);
    const act = () => (this.bench.newest.live.state === "busy" ? this.soon() : this.#compare());
    this.#resting = setTimeout(act, REST);
  }

  #compare() {
    const { bench } = this;
    const { model } = bench;
    const isNew = this.#before && !model.before;
    if (isNew) model.before = this.#before;
    bench.view.patchNumbers(model, isNew ? Object.keys(model.matrices) : [], bench.grid.drafts);
    bench.overview.compare(model);
    bench.chips.draw(model);
    bench.overview.say(this.#before ? movedSentence(model, bench.words) : "");
    bench.busy();
  }

  /** The weight that was moved most, if one. */
  get most() {
    const { model } = this.bench;
    return this.#before && model.matrices.weights ? movedIn(model, "weights").most : null;
  }
}
