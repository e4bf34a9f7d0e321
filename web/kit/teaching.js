// Whether the pages show what only a lecturer needs: lectures, an audience, a projector, handouts, a class's results.
// This browser remembers it. On a narrow screen, whose rows of buttons unfold, they are always there.

import { ofBrowser } from "./storage.js";

const NAME = "mha.teach";
const CLASS = "mha-teaching";
const CHANGED = "mha-teach";

export const isTeaching = () => ofBrowser.get(NAME) === true;

/** The page's style sheet knows it by a class. */
export const showTeaching = () => document.documentElement.classList.toggle(CLASS, isTeaching());

/** @param {boolean} is */
export function setTeaching(is) {
  ofBrowser.set(NAME, is);
  showTeaching();
  window.dispatchEvent(new Event(CHANGED));
}

/**
 * @param {() => void} act
 * @param {AbortSignal} signal
 */
export const onTeachingChange = (act, signal) => window.addEventListener(CHANGED, act, { signal });
