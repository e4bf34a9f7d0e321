// Where a bubble stands.

const GAP = 8; // px

/** @typedef {{ left: number; top: number; right: number; bottom: number }} Box */

/**
 * Where a bubble stands beside what it speaks of, so that it covers none of `clear`: to the right of it, below, above
 * or to the left, else at the edge that is farthest from it.
 * @param {Box} anchor
 * @param {{ width: number; height: number }} size
 * @param {Box} room
 * @param {Box[]} clear
 */
export function beside(anchor, { width, height }, room, clear) {
  const within = (at, from, to) => Math.max(from, Math.min(at, to));
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
  const isFree = (place) => {
    const box = { ...place, right: place.left + width, bottom: place.top + height };
    return isInside(box, room) && !clear.some((other) => overlaps(box, other));
  };
  const far = anchor.top + anchor.bottom > room.top + room.bottom ? room.top : room.bottom - height;
  return places.find(isFree) ?? { left, top: far };
}

const isInside = (one, other) =>
  one.left >= other.left && one.right <= other.right && one.top >= other.top && one.bottom <= other.bottom;

const overlaps = (one, other) =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;
