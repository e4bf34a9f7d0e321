// Large tables are folded: they show the first rows or columns, the last one, and those that somebody has gone to. The
// gaps between them are unfolded on demand. No DOM here.

/**
 * `open`: all rows or columns are shown; `kept`: those shown besides the first and the last.
 * @typedef {{ open: boolean; kept: Set<number> }} Fold
 */
/** @typedef {{ from: number; count: number }} Gap rows or columns that are folded away */

/** So many rows or columns are shown as they are. */
export const MOST_UNFOLDED = 8;
/** The same where columns are narrow. */
export const MOST_NARROW = 7;
const AFTER_FIRST = 3; // so many fewer are shown at the beginning: room for a gap, the last one and one to go to

/**
 * What is shown of so many rows or columns, in order: their indices, and gaps.
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

/** The fold of a table that is not folded at all. */
const open = { open: true, kept: new Set() };
export const UNFOLDED = { row: open, col: open };

/** The fold of a table in which nothing has been unfolded yet. */
export const UNASKED = { open: false, kept: new Set() };

/**
 * Whether more of so many is shown than in a table in which nothing has been unfolded.
 * @param {number} count
 * @param {Fold} fold
 * @param {number} [most]
 */
export const isUnfolded = (count, fold, most = MOST_UNFOLDED) =>
  fold !== open && folded(count, fold, most).length > folded(count, UNASKED, most).length;

/** How the tables of a page are folded. */
export class Folds {
  /** @type {Map<string, { row: Fold; col: Fold }>} */
  #folds = new Map(); // by matrix and head
  #areOpen = false; // those in which nothing has been folded or unfolded

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
    const fresh = () => ({ open: this.#areOpen, kept: /** @type {Set<number>} */ (new Set()) });
    const folds = this.#folds.get(table) ?? { row: fresh(), col: fresh() };
    this.#folds.set(table, folds);
    return folds;
  }

  /**
   * Fold a table again.
   * @param {string} name
   * @param {number | null} head
   */
  forget(name, head) {
    for (const fold of Object.values(this.at(name, head))) {
      fold.open = false;
      fold.kept.clear();
    }
  }

  /** Whether large tables are shown as a whole. */
  get areOpen() {
    return this.#areOpen;
  }

  /** Show all tables as a whole, or fold all that are large. @param {boolean} areOpen */
  setAll(areOpen) {
    this.#folds.clear();
    this.#areOpen = areOpen;
  }

  /**
   * Keep the rows and columns of these cells in sight: somebody goes there.
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
