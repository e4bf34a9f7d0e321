// Which heads' tables are shown, where not all of them fit beside each other. No DOM here.

// In em, as explore.css has them:
const AROUND = 3.3; // a head's margin, and the gap between two heads
const TITLES = 8.5; // beside all heads

/**
 * How many heads fit beside each other; at least one.
 * @param {number} needed the width of the widest head, in em
 * @param {number} width in em
 */
export const fitting = (needed, width) => Math.max(1, Math.floor((width - TITLES) / (needed + AROUND)));

/** The heads that somebody has chosen, the earliest choice first. `count`: how many there are; `room`: how many fit. */
export class Choice {
  /** @type {number[]} */
  #chosen = [];
  #isByHand = false;

  /**
   * The heads that are shown, in order.
   * @param {number} count
   * @param {number} room
   */
  shown(count, room) {
    const all = [...Array(count).keys()];
    return count <= room ? all : this.#chosenOf(count, room).sort((one, other) => one - other);
  }

  /**
   * The chosen heads that exist and fit, else the first ones.
   * @param {number} count
   * @param {number} room
   */
  #chosenOf(count, room) {
    const chosen = this.#chosen.filter((head) => head < count).slice(-room);
    return chosen.length ? chosen : [...Array(Math.min(count, room)).keys()];
  }

  /**
   * Show a head. Where no more fit, it replaces the earliest choice.
   * @param {number} head
   * @param {number} count
   * @param {number} room
   */
  show(head, count, room) {
    const chosen = this.#chosenOf(count, room);
    if (chosen.includes(head)) return;
    this.#chosen = [...chosen, head].slice(-room);
    this.#isByHand = true;
  }

  /**
   * Show a new head. Where no more fit, it replaces the latest choice.
   * @param {number} head
   * @param {number} count
   * @param {number} room
   */
  add(head, count, room) {
    const chosen = this.#chosenOf(count, room);
    if (chosen.includes(head)) return;
    this.#chosen = [...chosen.slice(0, room - 1), head];
    this.#isByHand = false;
  }

  /** The example has other tokens: the first heads are shown again, unless somebody has chosen others. */
  renew() {
    if (!this.#isByHand) this.forget();
  }

  /** Another example is opened: nothing is chosen. */
  forget() {
    this.#chosen = [];
    this.#isByHand = false;
  }

  /**
   * Show a head, or hide it; the last one stays.
   * @param {number} head
   * @param {number} count
   * @param {number} room
   */
  toggle(head, count, room) {
    const chosen = this.#chosenOf(count, room);
    if (!chosen.includes(head)) this.show(head, count, room);
    else if (chosen.length > 1) {
      this.#chosen = chosen.filter((other) => other !== head);
      this.#isByHand = true;
    }
  }
}
