// Playing: one step of gradient descent after another, worked out in the browser while it runs. The run is one edit, so
// one undo takes it back.

import { lossOf } from "../../kit/descent.js";
import { gently } from "../viewport.js";

export const MOST_STEPS = 200; // of one edit, as in mha_core/learn/descent.py
const PACE = 60; // ms between two steps
const FLAT = 1e-9; // of the first loss: a step that lowers it by less changes nothing that can be seen

/** Why a run has ended by itself; "" while it has not. @typedef {"" | "enough" | "risen" | "flat"} Why */
/**
 * `stepped`: the numbers after a step are shown, with this loss; `ended`: the run is over after so many steps, or paused.
 * @typedef {{
 *   readonly model: ExploreModel; send: (edit: Edit) => void; preview: (edit: Edit | null) => void;
 *   stepped: (loss: number) => void; ended: (why: Why, steps: number) => void;
 * }} RunHost
 */

export class Run {
  #steps = 0;
  #timer = 0;
  #first = 0; // the loss before the first step
  #last = 0;

  /** @param {RunHost} host */
  constructor(host) {
    this.host = host;
  }

  get isPlaying() {
    return this.#timer !== 0;
  }

  play() {
    if (this.isPlaying) return;
    this.#steps = 0;
    this.#first = this.#last = lossOf(this.host.model);
    if (gently() === "auto") {
      let why = this.#step();
      while (!why) why = this.#step();
      this.#end(why);
    } else this.#timer = setTimeout(() => this.#tick(), 0);
  }

  /** Stop here: the steps so far are made an edit. */
  pause() {
    if (this.isPlaying) this.#end("");
  }

  /** The page is left: nothing more is sent. */
  stop() {
    clearTimeout(this.#timer);
    this.#timer = 0;
  }

  #tick() {
    const why = this.#step();
    if (why) this.#end(why);
    else this.#timer = setTimeout(() => this.#tick(), PACE);
  }

  /** One step more, and why it was the last, if it was. @returns {Why} */
  #step() {
    this.#steps += 1;
    this.host.preview({ op: "learn", steps: this.#steps });
    const loss = lossOf(this.host.model);
    if (Number.isFinite(loss)) this.host.stepped(loss);
    const isFlat = Math.abs(loss - this.#last) <= FLAT * this.#first;
    this.#last = loss;
    if (!(loss <= this.#first)) return "risen";
    if (isFlat) return "flat";
    return this.#steps >= MOST_STEPS ? "enough" : "";
  }

  /** @param {Why} why */
  #end(why) {
    this.stop();
    if (this.#steps) this.host.send({ op: "learn", steps: this.#steps });
    this.host.ended(why, this.#steps);
  }
}
