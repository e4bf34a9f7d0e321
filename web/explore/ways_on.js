// How Explore begins: what the page is about, the next puzzle, and the way back to what a visitor left. The ways on keep
// the language.

import { button, div, element, fill, p, span } from "../kit/dom.js";
import { lastWorks } from "../kit/last_work.js";
import { solvedPuzzles } from "../kit/solved_puzzles.js";

/**
 * Whether the page is about the tables through one lens, as in Compare: nothing else is offered there.
 * @param {Pick<ExploreModel, "asks" | "controls">} model
 */
export const isOfTables = ({ asks, controls }) => asks !== null && controls.lens === null;

/**
 * @param {ExploreModel} model
 * @param {Record<string, string>} words
 * @param {(edit: Edit) => void} send
 * @param {HTMLElement} tour what begins the first steps
 */
export const opening = (model, words, send, tour) =>
  element(
    "header",
    { class: "lead", hidden: Boolean(model.check) || isOfTables(model) },
    div("lead-text", element("h2", {}, words.subject), p("", words.lead)),
    div("lead-ways", invitation(model, words), tour, wayBack(model, words, send)),
  );

/**
 * The first puzzle that this browser has not solved, and what it has; null where none is to be offered.
 * @param {Pick<ExploreModel, "lang" | "start">} model
 * @param {Record<string, string>} words
 */
export function invitation({ lang, start: { puzzles } }, words) {
  if (!puzzles.length) return null;
  const solved = solvedPuzzles();
  const next = puzzles.findIndex(({ key }) => !(key in solved));
  const last = puzzles.findLast(({ key }, at) => key in solved && (next < 0 || at < next));
  const count = puzzles.filter(({ key }) => key in solved).length;
  const all = `puzzles?lang=${lang}`;
  const link = (/** @type {string} */ href, /** @type {string} */ text, name = "") =>
    element("a", { class: name, href, target: "_self" }, text);
  const values = { number: next + 1, count, all: puzzles.length };
  const done = last && span("solved", "✓ ", link(`./?${last.query}`, last.title));
  const place = count
    ? link(all, fill(words.puzzles_solved, values))
    : span("", fill(words.puzzle_try, values));
  const way =
    next < 0
      ? link(all, words.puzzle_all, "invitation")
      : link(`./?${puzzles[next].query}`, puzzles[next].title, "invitation");
  return div("to-puzzle", p("", done, done ? " · " : "", place), way);
}

/**
 * The works that were last changed in this browser, for a visitor whose address asks for nothing. Each opens in the place
 * of this one, which undo brings back.
 * @param {{ start: Pick<ExploreModel["start"], "first"> }} model
 * @param {Record<string, string>} words
 * @param {(edit: Edit) => void} send
 * @returns {HTMLElement | null}
 */
export function wayBack({ start: { first } }, words, send) {
  const works = first ? lastWorks().filter(({ text }) => !resumed.has(text)) : [];
  if (!works.length) return null;
  const labels = works.map(({ what, heads }) => fill(words.work_of, { what, heads }));
  const items = works.map(({ at, text }, index) => {
    const onclick = () => {
      resumed.add(text);
      send({ op: "resume", text });
      way.replaceWith(wayBack({ start: { first } }, words, send) ?? "");
    };
    const label = labels[index];
    const isTwice = labels.filter((other) => other === label).length > 1;
    const attributes = { class: "quiet", title: new Date(at).toLocaleString(words.lang), onclick };
    return element(
      "li",
      {},
      button({ ...attributes, data: { focus: `way back ${index}` } }, label),
      span("ago", isTwice ? timeOf(at, words.lang) : ago(at, words)),
    );
  });
  const way = element(
    "details",
    { class: "way-back" },
    element("summary", { data: { focus: "way back" } }, words.go_on),
    element("ul", {}, ...items),
  );
  return way;
}

/** The works that were opened from the list since the page was loaded. @type {Set<string>} */
const resumed = new Set();

/** Day and time to the second: what tells two works with the same tokens apart. @param {number} at @param {string} lang */
const timeOf = (at, lang) => new Date(at).toLocaleString(lang, { dateStyle: "medium", timeStyle: "medium" });

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];

/** How long ago that was, as it is said. @param {number} at in milliseconds @param {Record<string, string>} words */
function ago(at, words) {
  const past = at - Date.now();
  const found = UNITS.find(([, length]) => -past >= length);
  if (!found) return words.just_now;
  const [unit, length] = found;
  return new Intl.RelativeTimeFormat(words.lang, { numeric: "auto" }).format(Math.trunc(past / length), unit);
}
