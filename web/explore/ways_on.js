// Ways on from the first line: to the puzzles, and back to where a visitor left off. They keep the language.

import { button, element, fill } from "../kit/dom.js";
import { lastWork } from "../kit/last_work.js";
import { solvedPuzzles } from "../kit/solved_puzzles.js";

/**
 * Whether the page is about the tables through one lens, as in Compare: nothing else is offered there.
 * @param {Pick<ExploreModel, "asks" | "controls">} model
 */
export const isOfTables = ({ asks, controls }) => asks !== null && controls.lens === null;

/**
 * A link to the first puzzle, or to all of them once one is solved; null where none is to be offered.
 * @param {Pick<ExploreModel, "lang" | "start">} model
 * @param {Record<string, string>} words
 */
export function invitation({ lang, start: { puzzle } }, words) {
  if (!puzzle) return null;
  const hasBegun = Object.keys(solvedPuzzles()).length > 0;
  const href = hasBegun ? `puzzles?lang=${lang}` : `./?${puzzle.query}`;
  const label = hasBegun ? words.puzzle_go_on : fill(words.puzzle_begin, { title: puzzle.title });
  return element("a", { class: "invitation", href, target: "_self" }, label);
}

/**
 * The way to the numbers that were last changed in this browser, for a visitor whose address asks for nothing: a link, or
 * a button where no link holds them.
 * @param {Pick<ExploreModel, "start">} model
 * @param {Record<string, string>} words
 * @param {(edit: Edit) => void} send
 */
export function wayBack({ start: { first } }, words, send) {
  const last = first ? lastWork() : null;
  if (!last) return null;
  const title = new Date(last.at).toLocaleString(words.lang);
  const { href, text } = last;
  if (href) return element("a", { class: "way-back", href, target: "_self", title }, words.go_on);
  const onclick = () => send({ op: "resume", text: text ?? "" });
  return button({ class: "quiet way-back", title, data: { focus: "way back" }, onclick }, words.go_on);
}
