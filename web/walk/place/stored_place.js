// Where this tab stood last: a page that comes back need not ask, nor one that is loaded again before its address follows.

import { ofTab } from "../../kit/storage.js";

const HELD = "mha-walk-held";
const LECTURE = "mha-lecture"; // a reload goes on with the lecture
const NAMES = ["step", "sub", "view", "predict"];
const MINUTES = /^(0|[1-9]\d{0,2})$/;

let held = isReload() ? ofTab.get(HELD) : null;

function isReload() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  return navigation?.type === "reload";
}

/**
 * The part of an address that says which work is walked.
 * @param {WalkModel} model
 */
export const workOf = ({ address }) =>
  Object.fromEntries(Object.entries(address).filter(([name]) => !NAMES.includes(name)));

/**
 * Where this tab stood in the same work, else nothing: a server that was started anew knows only where the page was
 * loaded.
 * @param {WalkModel} data
 */
export function placeHeld(data) {
  const isSame = held?.session === data.session && held.opened === data.opened;
  return isSame || held?.work === JSON.stringify(workOf(data)) ? held.at : null;
}

/**
 * The walk stands here now. Kept at once: not every browser says that a page is about to be left.
 * @param {WalkModel} model
 * @param {Record<string, any>} at
 */
export function hold(model, at) {
  held = { session: model.session, opened: model.opened, work: JSON.stringify(workOf(model)), at };
  ofTab.set(HELD, held);
}

/** The lecture that this tab walks, in minutes; null where none has been chosen. */
export const lectureHeld = () => ofTab.get(LECTURE);

/** @param {number} minutes */
export function holdLecture(minutes) {
  ofTab.set(LECTURE, minutes);
}

/** A link to the walk, as the one to the presenter's view, brings its lecture to a tab that knows none. */
const { lecture } = Object.fromEntries(new URLSearchParams(location.search));
if (!isReload() && MINUTES.test(lecture ?? "")) holdLecture(Number(lecture));
