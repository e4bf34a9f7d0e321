// Whether this page is shown to an audience: parts of it then look different.

const CLASS = "mha-hall";
const CHANGED = "mha-hall";
const DRAWN = "mha-hall-drawn";
const LAID = "mha-hall-laid";
const WINDOW = { width: 1920, height: 1080 };
const LEAST = 18; // pixels of the smallest type
const LEAST_IN_WINDOW = 24; // the same, in a window of that size

/** So many rows or columns of a table are shown to an audience: the first ones and the last. */
export const MOST_BEFORE_AUDIENCE = 5;

export const isBeforeAudience = () => document.documentElement.classList.contains(CLASS);

/** The smallest type for an audience in this window, in pixels. projector/page.css says the same. */
export const leastType = () =>
  Math.max(LEAST, LEAST_IN_WINDOW * Math.min(innerWidth / WINDOW.width, innerHeight / WINDOW.height));

/** @param {boolean} is */
export function setBeforeAudience(is) {
  document.documentElement.classList.toggle(CLASS, is);
  document.documentElement.classList.toggle("mha-projecting", is);
  window.dispatchEvent(new Event(CHANGED));
}

/**
 * @param {() => void} act
 * @param {AbortSignal} [signal]
 */
export const onAudienceChange = (act, signal) => window.addEventListener(CHANGED, act, { signal });

/** Something on the page has been drawn again and may take other room. */
export const reportRedrawn = () => window.dispatchEvent(new Event(DRAWN));

/**
 * @param {() => void} act
 * @param {AbortSignal} signal
 */
export const onRedrawn = (act, signal) => window.addEventListener(DRAWN, act, { signal });

/** The whole page is laid out and about to be measured: parts that depend on their width may adapt now. */
export const reportLaidOut = () => window.dispatchEvent(new Event(LAID));

/**
 * @param {() => void} act
 * @param {AbortSignal} signal
 */
export const onLaidOut = (act, signal) => window.addEventListener(LAID, act, { signal });
