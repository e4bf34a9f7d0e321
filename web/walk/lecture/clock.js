// The lecturer's clock: the time used in all, and by step. Edits and a reload of the page do not stop it. No DOM here.

import { ofTab } from "../../kit/storage.js";

const STORED = "mha-clock";

export class Clock {
  /** @type {{ begun: number; since: number; step: string; used: Record<string, number> }} */
  #run;

  /**
   * @param {() => number} [now] milliseconds
   * @param {Pick<import("../../kit/storage.js").Store, "get" | "set">} [store]
   */
  constructor(now = Date.now, store = ofTab) {
    this.now = now;
    this.store = store;
    this.#run = store.get(STORED) ?? this.#fresh();
  }

  #fresh(step = "") {
    const now = this.now();
    return { begun: now, since: now, step, used: {} };
  }

  /** The walk is at this step from now on. @param {string} step */
  enter(step) {
    if (step === this.#run.step) return;
    const { begun, step: previous } = this.#run;
    const used = previous ? { ...this.#run.used, [previous]: this.usedBy(previous) } : this.#run.used;
    this.#run = { begun, since: this.now(), step, used };
    this.#save();
  }

  restart() {
    this.#run = this.#fresh(this.#run.step);
    this.#save();
  }

  /** Milliseconds since the start. */
  get used() {
    return this.now() - this.#run.begun;
  }

  /** Milliseconds at a step, whenever that was. @param {string} step */
  usedBy(step) {
    const { used, since, step: current } = this.#run;
    return (used[step] ?? 0) + (step === current ? this.now() - since : 0);
  }

  #save() {
    this.store.set(STORED, this.#run);
  }
}

/**
 * 4:05 of a number of milliseconds.
 * @param {number} time
 */
export function minutesAndSeconds(time) {
  const seconds = Math.floor(time / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
