// How Explore begins: what the page is about, the next puzzle, and the way back to what a visitor left. The ways on keep
// the language.

import { button, div, element, fill, p, span } from "../kit/dom.js";
import { lastPlaces, lastWorks } from "../kit/last_work.js";
import { solvedPuzzles } from "../kit/solved_puzzles.js";

/**
 * Whether the page is about the tables through one lens, as in Compare: nothing else is offered there.
 * @param {Pick<ExploreModel, "asks" | "controls">} model
 */
export const isOfTables = ({ asks, controls }) => asks !== null && controls.lens === null;

/**
 * What the page is about, in a sentence that is true of the example's masks.
 * @param {Pick<ExploreModel, "matrices" | "controls">} model
 * @param {Record<string, string>} words
 */
export function leadOf({ matrices, controls }, words) {
  const { mask, head_mask } = matrices;
  const ofHeads = /** @type {(Rows | null)[]} */ (head_mask?.values ?? []);
  const all = [mask?.values, ...ofHeads].filter(Boolean);
  /** @param {(hidden: boolean, row: number, col: number) => boolean} holds */
  const everywhere = (holds) =>
    /** @type {Rows[]} */ (all).every((rows) =>
      rows.every((row, at) => row.every((value, col) => holds(value === false || value === "-inf", at, col))),
    );
  if (everywhere((hidden) => !hidden)) return words.lead;
  const isCausal = !controls.context && everywhere((hidden, row, col) => hidden === col > row);
  return isCausal ? words.lead_causal : words.lead_masked;
}

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
    element("h2", {}, words.subject),
    p("", leadOf(model, words)),
    div("lead-ways", invitation(model, words), tour),
    wayBack(model, words, send) ?? "",
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
 * What was last left in this browser, for a visitor whose address asks for nothing, the newest first. A work opens in the
 * place of this one, which undo brings back; what was left on another page opens there.
 * @param {Pick<ExploreModel, "lang"> & { start: Pick<ExploreModel["start"], "first"> }} model
 * @param {Record<string, string>} words
 * @param {(edit: Edit) => void} send
 * @returns {HTMLElement | null}
 */
export function wayBack(model, words, send) {
  if (!model.start.first) return null;
  const works = lastWorks().filter(({ text }) => !resumed.has(text));
  const named = works.map(({ at, text, what, heads }) => {
    const onclick = () => {
      resumed.add(text);
      send({ op: "resume", text });
      way.replaceWith(wayBack(model, words, send) ?? "");
    };
    return { at, label: fill(words.work_of, { what, heads }), onclick, href: "" };
  });
  const places = lastPlaces().map(({ at, kind, page, query, what }) => {
    const href = `${page}?lang=${model.lang}${query && `&${query}`}`;
    return { at, label: fill(words[`left_${kind}`], { what }), onclick: null, href };
  });
  const all = [...named, ...places].sort((one, other) => other.at - one.at);
  if (!all.length) return null;
  const items = all.map(({ at, label, onclick, href }, index) => {
    const isTwice = all.filter((other) => other.label === label).length > 1;
    const title = new Date(at).toLocaleString(words.lang);
    const data = { focus: `way back ${index}` };
    return element(
      "li",
      {},
      onclick
        ? button({ class: "quiet", title, onclick, data }, label)
        : element("a", { title, href, target: "_self", data }, label),
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
