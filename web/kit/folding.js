// Large tables show what matters: the first rows or columns, the last one, and those that somebody has gone to; what is
// left out between them is unfolded on demand. No DOM here.

/** @typedef {{ open: boolean; kept: Set<number> }} Fold whether all are shown, else which besides the first and the last */
/** @typedef {{ from: number; count: number }} Gap rows or columns that are folded away */

/** So many rows or columns are shown as they are. */
export const MOST_UNFOLDED = 8;
const AFTER_FIRST = 3; // fewer than that are shown from the beginning: a gap, the last, and room to go somewhere

/**
 * What is shown of so many rows or columns, in order: indices, and {from, count} for those that are folded away.
 * @param {number} count
 * @param {Fold} fold
 * @param {number} [most] so many are shown as they are
 * @returns {(number | Gap)[]}
 */
export function folded(count, { open, kept }, most = MOST_UNFOLDED) {
  const all = [...Array(count).keys()];
  if (open || count <= most) return all;
  /** @param {number} at */
  const isKept = (at) => at >= 0 && (at < most - AFTER_FIRST || at >= count - 1 || kept.has(at));
  /** @type {(number | Gap)[]} */
  const entries = [];
  for (const at of all) {
    const gap = entries.at(-1);
    if (isKept(at) || (isKept(at - 1) && isKept(at + 1)))
      entries.push(at); // a gap of one would save nothing
    else if (typeof gap === "object") gap.count += 1;
    else entries.push({ from: at, count: 1 });
  }
  return entries;
}

/** Of a table that is not folded at all. */
const open = { open: true, kept: new Set() };
export const UNFOLDED = { row: open, col: open };

/** Of a table that nobody has unfolded anything of. */
export const UNASKED = { open: false, kept: new Set() };

/**
 * Whether more is shown of so many than would be without having been asked for.
 * @param {number} count
 * @param {Fold} fold
 * @param {number} [most]
 */
export const isUnfolded = (count, fold, most = MOST_UNFOLDED) =>
  fold !== open && folded(count, fold, most).length > folded(count, UNASKED, most).length;

/** How the tables of a page are folded, by their matrix and head: remembered while the page stays. */
export class Folds {
  /** @type {Map<string, { row: Fold; col: Fold }>} */
  #of = new Map();

  /** @param {number} [most] rows or columns of a table that are shown as they are */
  constructor(most = MOST_UNFOLDED) {
    this.most = most;
  }

  /**
   * @param {string} name
   * @param {number | null} head
   */
  at(name, head) {
    const table = `${name} ${head}`;
    const fresh = () => ({ open: false, kept: /** @type {Set<number>} */ (new Set()) });
    const folds = this.#of.get(table) ?? { row: fresh(), col: fresh() };
    this.#of.set(table, folds);
    return folds;
  }

  /**
   * @param {string} name
   * @param {number | null} head
   */
  forget(name, head) {
    this.#of.delete(`${name} ${head}`);
  }

  /**
   * These cells are gone to: their rows and columns stay in sight.
   * @param {Cell[]} cells
   */
  keep(cells) {
    for (const { name, head, row, col } of cells) {
      const fold = this.at(name, head);
      fold.row.kept.add(row);
      fold.col.kept.add(col);
    }
  }
}
