// Where somebody left off: the address of the numbers that were last changed in this browser.

import { ofBrowser } from "./storage.js";

const NAME = "mha.last";

/** @typedef {{ href: string; at: number }} LastWork `at`: when it was left, in milliseconds since 1970 */

/** As it was when this page was opened. @type {LastWork | null} */
const found = ofBrowser.get(NAME);

/** The work that was left before this page was opened; null where there is none, or it is not of this site. */
export function lastWork() {
  if (typeof found?.href !== "string" || !URL.canParse(found.href)) return null;
  return new URL(found.href).origin === location.origin ? found : null;
}

/** The address bar holds changed numbers. */
export const storeWork = () => ofBrowser.set(NAME, { href: location.href, at: Date.now() });
