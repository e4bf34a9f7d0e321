// The works that were last changed in this browser: what a link to each would say, and what they were. The newest is first.
// And for each kind of thing that is left on another page, its last place.

import { ofBrowser } from "./storage.js";

const NAME = "mha.works";
const PLACES = "mha.places";
/** The page of each kind of place. */
const PAGES = { lessons: "lessons", check: "check", exercise: "check", train: "train", models: "models" };
/** @typedef {keyof typeof PAGES} PlaceKind */
const KINDS = /** @type {PlaceKind[]} */ (Object.keys(PAGES));
const MOST = 5;
const LONGEST = 1_000_000; // characters of a work

/**
 * `at`: when it was left, in milliseconds since 1970; `text`: its numbers, as in a link; `what`: its puzzle or its tokens;
 * `heads`: how many it has.
 * @typedef {{ at: number; text: string; what: string; heads: number }} LastWork
 */

/** @typedef {Pick<Model, "labels" | "dims"> & { opened: number; puzzle?: PuzzleData | null }} WorkShown */

/** @returns {LastWork[]} */
function stored() {
  const found = ofBrowser.get(NAME);
  return Array.isArray(found) ? found.filter(isWork).slice(0, MOST) : [];
}

/**
 * What a browser has stored can be anything.
 * @param {any} found
 * @returns {found is LastWork}
 */
const isWork = (found) =>
  [typeof found?.text, typeof found?.what].every((type) => type === "string") &&
  [found.at, found.heads].every(Number.isFinite);

/** As they were when this page was opened. */
const found = stored();

/** The works that were left before this page was opened, the newest first. */
export const lastWorks = () => found;

/** The work that this page shows: which one by the model's `opened`, and its numbers. */
const current = { opened: -1, text: new URLSearchParams(globalThis.location?.search).get("s") };

/**
 * Store a work that has been changed, in the place of what it was before. Returns whether this browser keeps it.
 * @param {string} text
 * @param {WorkShown} shown
 */
export function storeWork(text, { opened, labels, dims, puzzle }) {
  if (text.length > LONGEST) return false;
  const isSame = current.opened < 0 || current.opened === opened;
  const replaced = [text, isSame ? current.text : null];
  Object.assign(current, { opened, text });
  const work = { at: Date.now(), text, what: puzzle?.title || labels.n_q.join(" "), heads: dims.h };
  const works = [work, ...stored().filter((other) => !replaced.includes(other.text))].slice(0, MOST);
  ofBrowser.set(NAME, works);
  while (!ofBrowser.hasTaken(NAME) && works.pop()) ofBrowser.set(NAME, works); // there is no room for all
  return works.length > 0 && ofBrowser.hasTaken(NAME);
}

/** `query`: what the place's address says besides the language. @typedef {{ at: number; query: string; what: string }} LastPlace */

/** @type {() => Record<string, LastPlace>} */
const places = () => Object(ofBrowser.get(PLACES));

/** The last place of each kind that has one. */
export const lastPlaces = () =>
  KINDS.map((kind) => ({ ...places()[kind], kind, page: PAGES[kind] })).filter(
    ({ at, query, what }) => Number.isFinite(at) && [query, what].every((text) => typeof text === "string"),
  );

/**
 * Store where a visitor is, in the place of where he was before.
 * @param {PlaceKind} kind
 * @param {Record<string, string>} query
 * @param {string} what
 */
export function storePlace(kind, { lang, ...query }, what) {
  const place = { at: Date.now(), query: String(new URLSearchParams(query)), what };
  ofBrowser.set(PLACES, { ...places(), [kind]: place });
}
