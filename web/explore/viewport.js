// What of the page is in sight: between the overview, which stays on top, and the line of arithmetic at the foot.

const NEAR = 48; // px from the top of what is in sight, where a stage begins that has been gone to
const UPPER = 0.75; // of what is in sight: the stage that takes most of it is looked at, where none has been gone to

/**
 * How to scroll to something that the visitor has not asked for.
 * @returns {ScrollBehavior}
 */
export const gently = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/**
 * Where the part of the window begins and ends that neither covers.
 * @param {{ overview: { root: HTMLElement }; explain: { root: HTMLElement } }} bench
 */
export function inSight({ overview, explain }) {
  const top = overview.root.offsetParent ? overview.root.getBoundingClientRect().bottom : 0;
  return { top, bottom: explain.root.getBoundingClientRect().top };
}

/**
 * Whether so much of something is in sight: 0 any, 1 all of it.
 * @param {Element} node
 * @param {{ overview: { root: HTMLElement }; explain: { root: HTMLElement } }} bench
 * @param {number} [share]
 */
export function isInSight(node, bench, share = 0) {
  const { top, bottom } = node.getBoundingClientRect();
  const room = inSight(bench);
  const seen = Math.min(bottom, room.bottom) - Math.max(top, room.top);
  return seen > 0 && seen >= share * (bottom - top);
}

/**
 * What to go to for a number: the stage that its table begins, else the table alone.
 * @param {Element} td
 * @returns {HTMLElement}
 */
export function beginningOf(td) {
  const [stage, table] = [".stage", ".matrix"].map((name) => /** @type {HTMLElement} */ (td.closest(name)));
  const above = table.getBoundingClientRect().top - stage.getBoundingClientRect().top;
  return above < NEAR ? stage : table;
}

/**
 * Which stage is looked at, of those one below the other that begin at `tops`: the first that begins about where what
 * is in sight does, else the one that most of the upper part of it shows.
 * @param {number[]} tops
 * @param {{ top: number; bottom: number }} sight
 */
export function lookedAt(tops, { top, bottom }) {
  const goneTo = tops.findIndex((at) => Math.abs(at - top) <= NEAR);
  if (goneTo >= 0) return goneTo;
  const line = top + UPPER * (bottom - top);
  const shown = tops.map((at, n) => Math.min(tops[n + 1] ?? Infinity, line) - Math.max(at, top));
  return shown.indexOf(Math.max(...shown));
}
