// What part of the page is in sight: between the overview, which sticks to the top, and the line of arithmetic at the
// foot.

const NEAR = 48; // px from the top: a stage that begins within it has been scrolled to
const UPPER = 0.75; // of the part in sight: where no stage has been scrolled to, the one that takes most of it counts

/**
 * What covers the top and the foot of the window.
 * @typedef {{ overview: { root: HTMLElement }; explain: { root: HTMLElement } }} Covers
 */

/**
 * How to scroll where the visitor has not asked for it.
 * @returns {ScrollBehavior}
 */
export const gently = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/**
 * Where the uncovered part of the window begins and ends.
 * @param {Covers} covers
 */
export function inSight({ overview, explain }) {
  const top = overview.root.offsetParent ? overview.root.getBoundingClientRect().bottom : 0;
  return { top, bottom: explain.root.getBoundingClientRect().top };
}

/**
 * Whether an element is in sight, or as much of it as `share` says: 1 is all of it.
 * @param {Element} node
 * @param {Covers} covers
 * @param {number} [share]
 */
export function isInSight(node, covers, share = 0) {
  const { top, bottom } = node.getBoundingClientRect();
  const room = inSight(covers);
  const seen = Math.min(bottom, room.bottom) - Math.max(top, room.top);
  return seen > 0 && seen >= share * (bottom - top);
}

/**
 * What to scroll to for a number: its stage where its table is the first there, else the table.
 * @param {Element} td
 * @returns {Element}
 */
export function beginningOf(td) {
  const [stage, table] = [".stage", ".matrix"].map((name) => td.closest(name));
  if (!stage || !table) return table ?? td;
  const above = table.getBoundingClientRect().top - stage.getBoundingClientRect().top;
  return above < NEAR ? stage : table;
}

/**
 * Which stage is looked at: the first that begins near the top of the part in sight, else the one that takes most of
 * the upper part of it.
 * @param {number[]} tops where the stages begin, one below the other
 * @param {{ top: number; bottom: number }} sight
 */
export function lookedAt(tops, { top, bottom }) {
  const scrolledTo = tops.findIndex((at) => Math.abs(at - top) <= NEAR);
  if (scrolledTo >= 0) return scrolledTo;
  const end = top + UPPER * (bottom - top);
  const shown = tops.map((at, n) => Math.min(tops[n + 1] ?? Infinity, end) - Math.max(at, top));
  return shown.indexOf(Math.max(...shown));
}
