// The tables that a whole path leads through, each a press away: the path is longer than the window is high.

import { button, element, fillNodes, symbol } from "./dom.js";
import { symbolOf } from "./graph.js";

/**
 * One cell of every other table that the path of a number goes through, in the order of the page, those above the
 * number and those below it: of the number's own head, else of one whose tables are shown.
 * @param {Model} model
 * @param {Cell[]} path
 * @param {Cell} held
 * @param {number[]} shown the heads whose tables are shown
 * @returns {[Cell[], Cell[]]}
 */
export function stopsOf(model, path, held, shown) {
  const names = model.stages.flatMap(({ matrices }) => /** @type {string[]} */ (matrices));
  const at = names.indexOf(held.name);
  const first = (name) => {
    const there = path.filter((cell) => cell.name === name);
    return (
      there.find(({ head }) => head === held.head) ??
      there.find(({ head }) => shown.includes(head)) ??
      there[0]
    );
  };
  const stops = (some) => some.map(first).filter(Boolean);
  return [stops(names.slice(0, at)), stops(names.slice(at + 1))];
}

/**
 * Buttons that lead to them.
 * @param {Model} model
 * @param {[Cell[], Cell[]]} stops
 * @param {Record<string, string>} words
 * @param {(cell: Cell) => void} go
 */
export function jumps(model, stops, words, go) {
  const to = (cell) => {
    const attributes = {
      class: "quiet crumb",
      data: { focus: `jump ${cell.name}` },
      onclick: () => go(cell),
    };
    return button(attributes, ...symbol(symbolOf(model, cell.name, cell.head)).childNodes);
  };
  const parts = [words.path_above, words.path_below].flatMap((text, n) =>
    stops[n].length ? [element("span", {}, ...fillNodes(text, { list: stops[n].map(to) }))] : [],
  );
  return element("nav", { class: "jumps", "aria-label": words.whole_path }, ...parts);
}
