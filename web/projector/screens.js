// Which parts of a page stand on one screen: as many as there is room for, in order. No DOM here.

/**
 * Parts of two groups never share a screen. `kept`: it stays in sight while others of its scope are shown, where there is
 * room.
 * @typedef {{ group?: unknown; scope?: unknown; kept?: boolean }} Part
 */

/**
 * The screens, each a list of parts; one that has no room anywhere has a screen to itself.
 * @template {Part} T
 * @param {T[]} parts
 * @param {(parts: T[]) => boolean} isRoomFor
 * @returns {T[][]}
 */
export function packed(parts, isRoomFor) {
  /** @type {T[][]} */
  const screens = [];
  /** @type {T[]} */
  let screen = [];
  /** @type {T[]} */
  let kept = [];
  for (const part of parts) {
    kept = kept.filter(({ scope }) => scope === part.scope);
    const goesOn = screen.length > 0 && screen.at(-1).group === part.group;
    if (goesOn && isRoomFor([...screen, part])) screen.push(part);
    else {
      if (screen.length) screens.push(screen);
      screen = kept.length && isRoomFor([...kept, part]) ? [...kept, part] : [part];
    }
    if (part.kept) kept = [...kept, part];
  }
  return screen.length ? [...screens, screen] : screens;
}

/**
 * The screen that shows what stood first before, else the nearest to where it stood.
 * @template T
 * @param {T[][]} screens
 * @param {T | undefined} first
 * @param {number} at
 */
export function screenOf(screens, first, at) {
  const index = screens.findIndex((screen) => screen.includes(first));
  return Math.max(0, index >= 0 ? index : Math.min(at, screens.length - 1));
}
