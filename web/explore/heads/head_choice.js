// Which heads' tables are shown, where not all of them fit beside each other. No DOM here.

// In em, as explore.css has them:
/** `around`: a head's margin, and the gap between two heads; `titles`: beside all heads. */
const USUAL = { around: 3.3, titles: 8.5 };
/** The same where columns are narrow: titles are above the tables. */
export const NARROW = { around: 2.9, titles: 0 };
const MOST_BESIDE = 3; // so many heads are to be seen together before columns may stay wide

/**
 * How many heads fit beside each other; at least one.
 * @param {number} needed the width of the widest head, in em
 * @param {number} width in em
 * @param {typeof USUAL} [sizes]
 */
export const fitting = (needed, width, { around, titles } = USUAL) =>
  Math.max(1, Math.floor((width - titles) / (needed + around)));

/**
 * The first of some ways to lay out heads in which all of them fit, or three; else the first in which most do.
 * @template {{ fits: number }} Way
 * @param {Way[]} ways from the widest columns to the narrowest
 * @param {number} count how many heads there are
 */
export function widest(ways, count) {
  const most = Math.min(count, MOST_BESIDE, Math.max(...ways.map(({ fits }) => fits)));
  return ways.find(({ fits }) => fits >= most) ?? ways[0];
}

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
