// Which heads' tables are shown, where not all of them fit beside each other. No DOM here.

// In em, as bench.css has them:
const AROUND = 3.3; // a head's margin, and the room between two heads
const TITLES = 8.5; // beside all heads

/**
 * How many heads fit beside each other in so many em, the widest of which needs so many; at least one.
 * @param {number} needed
 * @param {number} width
 */
export const fitting = (needed, width) => Math.max(1, Math.floor((width - TITLES) / (needed + AROUND)));

/** The heads that are shown, as far as somebody has chosen them: the one that was chosen first goes first. */
export class Choice {
  /** @type {number[]} */
  #chosen = null;
  #isByHand = false;

  /**
   * The heads that are shown of so many, in order.
   * @param {number} count
   * @param {number} fits
   */
  of(count, fits) {
    const all = [...Array(count).keys()];
    return count <= fits ? all : this.#held(count, fits).sort((one, other) => one - other);
  }

  #held(count, fits) {
    const held = (this.#chosen ?? []).filter((head) => head < count).slice(-fits);
    return held.length ? held : [...Array(Math.min(count, fits)).keys()];
  }

  /**
   * Show a head, in place of the one that was chosen first where no more fit.
   * @param {number} head
   * @param {number} count
   * @param {number} fits
   */
  show(head, count, fits) {
    const held = this.#held(count, fits);
    if (held.includes(head)) return;
    this.#chosen = [...held, head].slice(-fits);
    this.#isByHand = true;
  }

  /**
   * Show a head that has come, in place of the last one where no more fit.
   * @param {number} head
   * @param {number} count
   * @param {number} fits
   */
  add(head, count, fits) {
    const held = this.#held(count, fits);
    if (held.includes(head)) return;
    this.#chosen = [...held.slice(0, fits - 1), head];
    this.#isByHand = false;
  }

  /** Other tokens come: the first heads are shown again, unless others were asked for. */
  renew() {
    if (!this.#isByHand) this.forget();
  }

  /** Other work comes: nothing is asked for. */
  forget() {
    this.#chosen = null;
    this.#isByHand = false;
  }

  /**
   * Show a head, or no longer; the last one stays.
   * @param {number} head
   * @param {number} count
   * @param {number} fits
   */
  toggle(head, count, fits) {
    const held = this.#held(count, fits);
    if (!held.includes(head)) this.show(head, count, fits);
    else if (held.length > 1) {
      this.#chosen = held.filter((one) => one !== head);
      this.#isByHand = true;
    }
  }
}
