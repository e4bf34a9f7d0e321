// Where a bubble stands. No DOM here.

const GAP = 8; // px

/** @typedef {{ left: number; top: number; right: number; bottom: number }} Box */
/** @typedef {{ left: number; top: number }} Place */
/** @typedef {{ width: number; height: number }} Size */

/**
 * Where a bubble stands beside its anchor: where it covers least of the first boxes that are to stay clear, then of the
 * next ones, and so on. Of equal places the first is to the right of the anchor, then below, above and to the left,
 * then the nearest.
 * @param {Box} anchor
 * @param {Size} size
 * @param {Box} room
 * @param {...Box[]} clear
 * @returns {Place}
 */
export function beside(anchor, size, room, ...clear) {
  const costOf = (/** @type {Place} */ place) => clear.map((boxes) => covered(boxOf(place, size), boxes));
  const near = around(anchor, size, room);
  const free = near.find((place) => costOf(place).every((cost) => cost === 0));
  if (free) return free;
  const places = [...near, ...anywhere(anchor, size, room, clear.flat())];
  const costs = places.map(costOf);
  const best = costs.reduce((sofar, cost, at) => (isLess(cost, costs[sofar]) ? at : sofar), 0);
  return places[best];
}

/**
 * How much of some boxes another covers.
 * @param {Box} box
 * @param {Box[]} boxes
 */
export const covered = (box, boxes) => boxes.reduce((sum, other) => sum + shared(box, other), 0);

/** @type {(place: Place, size: Size) => Box} */
const boxOf = ({ left, top }, { width, height }) => ({
  left,
  top,
  right: left + width,
  bottom: top + height,
});

/** @type {(at: number, from: number, to: number) => number} */
const within = (at, from, to) => Math.max(from, Math.min(at, to));

/**
 * The places at the sides of the anchor that are within the room, the preferred ones first.
 * @param {Box} anchor
 * @param {Size} size
 * @param {Box} room
 */
function around(anchor, size, room) {
  const { width, height } = size;
  const left = within(anchor.left, room.left, room.right - width);
  const right = within(anchor.right - width, room.left, room.right - width);
  const top = within(anchor.top, room.top, room.bottom - height);
  const [below, above] = [anchor.bottom + GAP, anchor.top - GAP - height];
  const places = [
    { left: anchor.right + GAP, top },
    ...[left, right].map((at) => ({ left: at, top: below })),
    ...[left, right].map((at) => ({ left: at, top: above })),
    { left: anchor.left - GAP - width, top },
  ];
  return places.filter((place) => isInside(boxOf(place, size), room));
}

/**
 * The places at an edge of the room or of what is to stay clear, the nearest first.
 * @param {Box} anchor
 * @param {Size} size
 * @param {Box} room
 * @param {Box[]} clear
 */
function anywhere(anchor, { width, height }, room, clear) {
  const [lefts, tops] = [/** @type {Set<number>} */ (new Set()), /** @type {Set<number>} */ (new Set())];
  for (const { left, top, right, bottom } of [room, anchor, ...clear]) {
    for (const at of [left, right - width, right + GAP, left - GAP - width])
      lefts.add(within(at, room.left, room.right - width));
    for (const at of [top, bottom - height, bottom + GAP, top - GAP - height])
      tops.add(within(at, room.top, room.bottom - height));
  }
  const distance = (/** @type {Place} */ { left, top }) =>
    Math.max(0, left - anchor.right, anchor.left - left - width) +
    Math.max(0, top - anchor.bottom, anchor.top - top - height);
  return [...lefts]
    .flatMap((left) => [...tops].map((top) => ({ left, top })))
    .sort((one, other) => distance(one) - distance(other));
}

/** @type {(one: number[], other: number[]) => boolean} */
function isLess(one, other) {
  const at = one.findIndex((cost, n) => cost !== other[n]);
  return at >= 0 && one[at] < other[at];
}

/** @type {(one: Box, other: Box) => boolean} */
const isInside = (one, other) =>
  one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;

/** @type {(one: Box, other: Box) => number} */
const shared = (one, other) =>
  Math.max(0, Math.min(one.right, other.right) - Math.max(one.left, other.left)) *
  Math.max(0, Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top));
