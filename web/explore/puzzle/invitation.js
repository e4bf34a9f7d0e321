// The way to the puzzles, for who has no puzzle open.

import { element, fill } from "../../kit/dom.js";
import { solvedPuzzles } from "../../kit/solved_puzzles.js";

/**
 * A link to the first puzzle, or to all of them once one is solved; null where none is to be offered.
 * @param {Pick<ExploreModel, "start">} model
 * @param {Record<string, string>} words
 */
export function invitation({ start: { puzzle } }, words) {
  if (!puzzle) return null;
  const hasBegun = Object.keys(solvedPuzzles()).length > 0;
  const href = hasBegun ? "puzzles" : `./?${puzzle.query}`;
  const label = hasBegun ? words.puzzle_go_on : fill(words.puzzle_begin, { title: puzzle.title });
  return element("a", { class: "invitation", href, target: "_self" }, label);
}
