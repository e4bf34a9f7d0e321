// What the last edit has moved. The numbers before it are stored; those that differ now are marked and told of.

import { movedIn, remembered } from "../kit/changed_numbers.js";

const REST = 150; // ms without new numbers until they are compared

/**
 * Whether two models have the same tokens in the same places. Numbers of other tokens have not moved: they are others.
 * @param {ExploreModel} now
 * @param {ExploreModel} before
 */
const areSameTokens = (now, before) =>
  JSON.stringify([now.dims, now.labels.n_q, now.labels.n_k]) ===
  JSON.stringify([before.dims, before.labels.n_q, before.labels.n_k]);

/**
 * `isBusy`: whether newer numbers are on their way; `patch`: show these matrices again; `showMoved`: the same, and say
 * what has moved.
 * @typedef {{
 *   readonly model: ExploreModel; isBusy: () => boolean;
 *   patch: (names: string[]) => void; showMoved: (names: string[], hasEdit: boolean) => void;
 * }} LastEditHost
 */

export class LastEdit {
  /** @type {ExploreModel["before"]} */
  #before = null; // the numbers before the last edit
  #resting = 0; // the timer of the next comparison

  /** @param {LastEditHost} host */
  constructor(host) {
    this.host = host;
  }

  stop() {
    clearTimeout(this.#resting);
  }

  /**
   * Store the numbers, because an edit is about to change them. What the edit before has moved stays marked until the
   * answer is painted: removing the marks now would lay out every table twice.
   */
  remember() {
    const { model } = this.host;
    if (model.check) return; // there the marks say what is right
    model.before = null;
    this.#before = remembered(model);
  }

  /** After a reset nothing has moved. */
  forget() {
    this.host.model.before = this.#before = null;
  }

  /**
   * The server's answer is about to replace the model: what is marked stays marked where it has the same tokens.
   * @param {ExploreModel} next
   */
  carry(next) {
    const { model } = this.host;
    if (next.opened !== model.opened || !areSameTokens(next, model)) this.#before = null;
    model.before = this.#before && model.before;
  }

  /** While numbers move none is marked as moved. */
  unmark() {
    const { model } = this.host;
    if (!model.before) return;
    model.before = null;
    this.host.patch(Object.keys(model.matrices));
  }

  /** Compare once the numbers have come to rest; at once where nothing is stored to compare with. */
  update() {
    if (this.#before) this.soon();
    else this.#compare();
  }

  /** Compare once no new number has come for a while. A drag may still move them. */
  soon() {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => (this.host.isBusy() ? this.soon() : this.#compare()), REST);
  }

  #compare() {
    const { model } = this.host;
    const isNew = this.#before && !model.before;
    if (isNew) model.before = this.#before;
    this.host.showMoved(isNew ? Object.keys(model.matrices) : [], Boolean(this.#before));
  }

  /** The weight that has moved most, if any. */
  get most() {
    const { model } = this.host;
    return this.#before && model.matrices.weights ? movedIn(model, "weights").most : null;
  }
}
