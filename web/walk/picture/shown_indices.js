// What is shown of many rows, columns, heads or terms: the one that is spoken of, the first ones and the last, and how
// many are left out between them. No DOM here.

/**
 * At most so many of them, in order: indices, and {from, count} for those left out.
 * @param {number} count
 * @param {number} most at least 2
 * @param {number} at the one spoken of
 * @returns {(number | { from: number; count: number })[]}
 */
export function around(count, most, at) {
  const all = [...Array(count).keys()];
  if (count <= most) return all;
  const kept = new Set([Math.min(at, count - 1), count - 1]);
  for (const index of all) if (kept.size < most) kept.add(index);
  const entries = [];
  for (const index of all) {
    const gap = entries.at(-1);
    if (kept.has(index)) entries.push(index);
    else if (typeof gap === "object") gap.count += 1;
    else entries.push({ from: index, count: 1 });
  }
  return entries;
}
