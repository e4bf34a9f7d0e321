// Where somebody left off: the address of the numbers that were last changed in this browser, or they themselves where no
// address holds them.

import { ofBrowser } from "./storage.js";

const NAME = "mha.last";
const MOST = 1_000_000; // characters of work that no address holds

/**
 * `at`: when it was left, in milliseconds since 1970; `href`: its address, or `text`: the work itself.
 * @typedef {{ at: number; href?: string; text?: string }} LastWork
 */

/** As it was when this page was opened. @type {LastWork | null} */
const found = ofBrowser.get(NAME);

/** The work that was left before this page was opened; null where there is none, or it is not of this site. */
export function lastWork() {
  if (typeof found?.text === "string") return found;
  if (typeof found?.href !== "string" || !URL.canParse(found.href)) return null;
  return new URL(found.href).origin === location.origin ? found : null;
}

/** The address bar holds changed numbers. */
export const storeWork = () => ofBrowser.set(NAME, { href: location.href, at: Date.now() });

/**
 * Store work that no address holds. Returns whether this browser keeps it.
 * @param {string} text
 */
export function storeLargeWork(text) {
  if (text.length > MOST) return false;
  ofBrowser.set(NAME, { text, at: Date.now() });
  return ofBrowser.hasTaken(NAME);
}
