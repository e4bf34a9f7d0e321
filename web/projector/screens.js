// Which parts of a page are shown on one screen: as many as have room, in order. No DOM here.

/**
 * A part of the page. Parts of different groups never share a screen. A part that is `kept` stays on the screen with
 * later parts of its scope, as long as there is room.
 * @typedef {{ group?: unknown; scope?: unknown; kept?: boolean }} Part
 */

/**
 * The screens, each a list of parts. A part that is too large for any screen has one to itself.
 * @template {Part} T
 * @param {T[]} parts
 * @param {(parts: T[]) => boolean} hasRoom
 * @returns {T[][]}
 */
export function packed(parts, hasRoom) {
  /** @type {T[][]} */
  const screens = [];
  /** @type {T[]} */
  let screen = [];
  /** @type {T[]} */
  let kept = [];
  for (const part of parts) {
    kept = kept.filter(({ scope }) => scope === part.scope);
    const isSameGroup = screen.length > 0 && screen[screen.length - 1].group === part.group;
    if (isSameGroup && hasRoom([...screen, part])) screen.push(part);
    else {
      if (screen.length) screens.push(screen);
      screen = kept.length && hasRoom([...kept, part]) ? [...kept, part] : [part];
    }
    if (part.kept) kept = [...kept, part];
  }
  return screen.length ? [...screens, screen] : screens;
}

/**
 * The screen with the part that was first before, or else the one nearest to the previous screen.
 * @template T
 * @param {T[][]} screens
 * @param {T | undefined} first
 * @param {number} previous
 */
export function screenOf(screens, first, previous) {
  const index = screens.findIndex((screen) => first !== undefined && screen.includes(first));
  return Math.max(0, index >= 0 ? index : Math.min(previous, screens.length - 1));
}
