// A motion's tracks in pixels: what a player and a drawing need of them. No DOM here.

/** @typedef {{ x: number; y: number; width: number; height: number }} Box */
/** Where the middle of a piece is, the left end of a bar; `stretch`: how many of its own widths a bar is long.
 * @typedef {{ at: number; x: number; y: number; scale: number; stretch: number; opacity: number }} Step
 */

/** How a step leads to the next; of a track all the same. */
export const EASE = [0.45, 0.05, 0.2, 1];
export const BAR = 100; // pixels that a bar is long before it is stretched
const LOW = { height: 0.18, y: 0.91 }; // of a cell: a bar lies under its number

/**
 * @param {import("./tracks.js").Track} track
 * @param {(on: string) => Box} boxOf
 * @returns {{ width: number; height: number; steps: Step[] }}
 */
export function placed({ look, frames }, boxOf) {
  const { width, height } = boxOf(frames[0].on);
  const steps = frames.map(({ at, on, dx = 0, dy = 0, opacity = 1, scale = 1, from = 0, to = 0 }) => {
    const box = boxOf(on);
    const y = box.y + ((look === "bar" ? LOW.y : 0.5) + dy) * box.height;
    if (look === "bar")
      return { at, opacity, scale, x: box.x + from * box.width, y, stretch: ((to - from) * box.width) / BAR };
    return { at, opacity, scale, x: box.x + (0.5 + dx) * box.width, y, stretch: 1 };
  });
  return look === "bar" ? { width: BAR, height: LOW.height * height, steps } : { width, height, steps };
}
