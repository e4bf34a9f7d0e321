// Which heads' tables are shown, where not all of them fit beside each other. No DOM here.

const LEAST = 2; // heads are there to be compared
const NARROW = 52; // em, in which there is room for one at a time
// In em, as bench.css has them:
const CELL = 3.5; // a column of numbers
const LABELS = 7; // those of a table's rows
const CAPTION = 20.5; // how a table is computed, above it
const AROUND = 3.9; // a head's margin, and the room between two heads
const TITLES = 8.5; // beside all heads

/**
 * How many heads fit beside each other in so many em, whose widest table has so many columns.
 * @param {number} columns
 * @param {number} width
 */
export const fitting = (columns, width) =>
  Math.max(
    width < NARROW ? 1 : LEAST,
    Math.floor((width - TITLES) / (Math.max(CELL * columns + LABELS, CAPTION) + AROUND)),
  );

/** The heads that are shown, as far as somebody has chosen them: the one that was chosen first goes first. */
export class Choice {
  /** @type {number[]} */
  #chosen = null;

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
    if (!held.includes(head)) this.#chosen = [...held, head].slice(-fits);
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
    else if (held.length > 1) this.#chosen = held.filter((one) => one !== head);
  }
}
