// Which of many rows, columns, heads or terms are shown: the one in focus, the first ones and the last. No DOM here.

/**
 * At most so many of `count`, in order: indices, and between them gaps for those that are left out.
 * @param {number} count
 * @param {number} most at least 2
 * @param {number} focus the index that must be shown
 * @returns {IndexOrGap[]}
 */
export function around(count, most, focus) {
  const all = [...Array(count).keys()];
  if (count <= most) return all;
  const shown = new Set([Math.min(focus, count - 1), count - 1]);
  for (const index of all) if (shown.size < most) shown.add(index);
  /** @type {IndexOrGap[]} */
  const entries = [];
  for (const index of all) {
    const gap = entries.at(-1);
    if (shown.has(index)) entries.push(index);
    else if (typeof gap === "object") gap.count += 1;
    else entries.push({ from: index, count: 1 });
  }
  return entries;
}

/** Whether anything is left out. @param {IndexOrGap[][]} shown */
export const isFolded = (...shown) => shown.flat().some((at) => typeof at === "object");

/** The indices that are shown as runs of neighbours. @param {IndexOrGap[]} shown */
export function runs(shown) {
  /** @type {{ from: number; count: number }[]} */
  const entries = [];
  for (const at of shown) {
    if (typeof at === "object") continue;
    const last = entries.at(-1);
    if (last && last.from + last.count === at) last.count += 1;
    else entries.push({ from: at, count: 1 });
  }
  return entries;
}
