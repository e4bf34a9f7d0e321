// Whether this page stands before an audience, for all that draws itself otherwise there.

const CLASS = "mha-hall";
const CHANGED = "mha-hall";
const DRAWN = "mha-hall-drawn";
const LAID = "mha-hall-laid";
const WINDOW = { width: 1920, height: 1080 };
const LEAST = 18; // pixels of the smallest type
const LEAST_IN_WINDOW = 24;

/** Rows or columns of a table before an audience: the first ones and the last. */
export const MOST_IN_HALL = 5;

export const isInHall = () => document.documentElement.classList.contains(CLASS);

/** The smallest type before an audience in this window, in pixels: projector/page.css says the same. */
export const leastInHall = () =>
  Math.max(LEAST, LEAST_IN_WINDOW * Math.min(innerWidth / WINDOW.width, innerHeight / WINDOW.height));

/** @param {boolean} is */
export function enterHall(is) {
  document.documentElement.classList.toggle(CLASS, is);
  document.documentElement.classList.toggle("mha-projecting", is);
  window.dispatchEvent(new Event(CHANGED));
}

/**
 * @param {() => void} act
 * @param {AbortSignal} [signal]
 */
export const onHall = (act, signal) => window.addEventListener(CHANGED, act, { signal });

/** What takes room on the page has been drawn anew. */
export const drawnForHall = () => window.dispatchEvent(new Event(DRAWN));

/**
 * @param {() => void} act
 * @param {AbortSignal} signal
 */
export const onDrawn = (act, signal) => window.addEventListener(DRAWN, act, { signal });

/** All of the page stands there, and is about to be measured: what goes by its own width can. */
export const hallLaidOut = () => window.dispatchEvent(new Event(LAID));

/**
 * @param {() => void} act
 * @param {AbortSignal} signal
 */
export const onHallLaidOut = (act, signal) => window.addEventListener(LAID, act, { signal });
