// Where the walk of this tab was last. A page that comes back goes there without asking the server, and so does a page
// that is reloaded before its address has followed.

import { ofTab } from "../../kit/storage.js";

/**
 * A position, and whose: `work` is what the address says of the numbers.
 * @typedef {{ session: string; opened: number; work: string; at: WalkPosition }} StoredPlace
 */

const PLACE = "mha-walk-held";
const LECTURE = "mha-lecture"; // a reload goes on with the lecture
const POSITION = ["step", "sub", "view", "predict"]; // the address's parameters that say where the walk is
const MINUTES = /^(0|[1-9]\d{0,2})$/;

/** @type {StoredPlace | null} */
let stored = isReload() ? ofTab.get(PLACE) : null;

function isReload() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  return navigation?.type === "reload";
}

/**
 * The part of an address that says which work is walked.
 * @param {Pick<WalkModel, "address">} model
 */
export const workOf = ({ address }) =>
  Object.fromEntries(Object.entries(address).filter(([name]) => !POSITION.includes(name)));

/**
 * Where this tab was last in the same work, or null. A server that was started again knows only the place with which
 * the page was loaded.
 * @param {WalkModel} model
 */
export function placeStored(model) {
  if (!stored) return null;
  const isSame = stored.session === model.session && stored.opened === model.opened;
  return isSame || stored.work === JSON.stringify(workOf(model)) ? stored.at : null;
}

/**
 * Stored at once: not every browser says that a page is about to be left.
 * @param {WalkModel} model
 * @param {WalkPosition} position
 */
export function storePlace(model, position) {
  const work = JSON.stringify(workOf(model));
  stored = { session: model.session, opened: model.opened, work, at: position };
  ofTab.set(PLACE, stored);
}

/**
 * The lecture that this tab walks, in minutes; null where none has been chosen.
 * @returns {number | null}
 */
export const lectureStored = () => ofTab.get(LECTURE);

/** @param {number} minutes */
export function storeLecture(minutes) {
  ofTab.set(LECTURE, minutes);
}

/** A link to the walk, such as that of the presenter's view, brings its lecture to a tab that knows none. */
const { lecture } = Object.fromEntries(new URLSearchParams(location.search));
if (!isReload() && MINUTES.test(lecture ?? "")) storeLecture(Number(lecture));
