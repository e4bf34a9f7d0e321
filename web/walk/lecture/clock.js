// The lecturer's clock: time used in all, and by step. It goes on through edits and a reload of the page. No DOM here.

import { ofTab } from "../../kit/storage.js";

const KEPT = "mha-clock";

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
    this.#run = store.get(KEPT) ?? this.#fresh();
  }

  #fresh(step = "") {
    const now = this.now();
    return { begun: now, since: now, step, used: {} };
  }

  /** The walk stands at this step from now on. */
  enter(step) {
    if (step === this.#run.step) return;
    const { begun, step: before } = this.#run;
    const used = before ? { ...this.#run.used, [before]: this.usedBy(before) } : this.#run.used;
    this.#run = { begun, since: this.now(), step, used };
    this.#keep();
  }

  restart() {
    this.#run = this.#fresh(this.#run.step);
    this.#keep();
  }

  /** Milliseconds since the start. */
  get used() {
    return this.now() - this.#run.begun;
  }

  /**
   * Milliseconds at a step, whenever that was.
   * @param {string} step
   */
  usedBy(step) {
    const { used, since, step: here } = this.#run;
    return (used[step] ?? 0) + (step === here ? this.now() - since : 0);
  }

  #keep() {
    this.store.set(KEPT, this.#run);
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
