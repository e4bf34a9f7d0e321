// The page Puzzles: all of them in the order that teaches, which of them this browser has solved, and the next one.

import { accent, div, element, fill, p, setAttribute, span } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { solvedPuzzles } from "../kit/solved_puzzles.js";

class Puzzles {
  root = element("div", { class: "puzzles" });

  /** @param {HTMLElement} parent */
  constructor(parent) {
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  /** @param {{ data: PuzzlesData }} component */
  update({ data: { lang, words, stages } }) {
    const solved = solvedPuzzles();
    const all = stages.flatMap(({ puzzles }) => puzzles);
    const next = all.find(({ key }) => !(key in solved));
    const count = all.filter(({ key }) => key in solved).length;
    setAttribute(this.root, "lang", lang);
    this.root.replaceChildren(
      headOf(words, count, all.length, next),
      element(
        "ol",
        { class: "stages" },
        ...stages.map((stage, at) => stageOf(stage, at + 1, { words, solved, next })),
      ),
    );
  }
}

/** @type {(words: Record<string, string>, count: number, all: number, next: PuzzleCard | undefined) => HTMLElement} */
function headOf(words, count, all, next) {
  const progress = fill(words.solved_of, { count, all });
  const bar = element(
    "div",
    {
      class: "progress",
      role: "progressbar",
      "aria-label": words.progress,
      "aria-valuemin": 0,
      "aria-valuemax": all,
      "aria-valuenow": count,
      "aria-valuetext": progress,
      style: `--done: ${(100 * count) / all}%`,
    },
    div("done"),
  );
  const way = next
    ? element(
        "a",
        { class: "next", href: addressOf(next), target: "_self" },
        fill(count ? words.go_on : words.begin, { title: next.title }),
      )
    : p("all-solved", words.all_solved);
  return element(
    "header",
    {},
    div("about", p("lead", fill(words.lead, { all })), way),
    div("far", element("strong", {}, progress), " ", span("kept", words.kept_here), bar),
  );
}

/** @typedef {{ words: Record<string, string>; solved: Record<string, number>; next: PuzzleCard | undefined }} Known */

/** @type {(stage: PuzzleStage, number: number, known: Known) => HTMLElement} */
function stageOf({ title, about, puzzles }, number, known) {
  const isDone = puzzles.every(({ key }) => key in known.solved);
  const mark = element("span", { class: "mark", "aria-hidden": "true" }, isDone ? "✓" : String(number));
  return element(
    "li",
    { class: isDone ? "stage done" : "stage" },
    element("h3", {}, mark, title),
    p("about", about),
    element("ul", {}, ...puzzles.map((puzzle) => element("li", {}, cardOf(puzzle, known)))),
  );
}

/** @type {(puzzle: PuzzleCard, known: Known) => HTMLElement} */
function cardOf(puzzle, { words, solved, next }) {
  const { key, title, fewest } = puzzle;
  const count = solved[key];
  const isSolved = count !== undefined;
  const best = fill(words.best, { count: fewest });
  const done = fill(words.solved_with, { count });
  const state = !isSolved
    ? fill(words.fewest, { count: fewest })
    : count > fewest
      ? `✓ ${done} (${best})`
      : `✓ ${done}`;
  const attributes = {
    class: `card${isSolved ? " solved" : ""}${puzzle === next ? " next" : ""}`,
    href: addressOf(puzzle),
    target: "_self",
    data: { key },
  };
  return element(
    "a",
    attributes,
    pictureOf(puzzle),
    element("strong", {}, title),
    element("span", { class: "state", title: isSolved ? null : best }, state),
  );
}

/** The weights that a puzzle begins with, its goals framed. @param {PuzzleCard} puzzle */
function pictureOf({ maps, goals }) {
  const pictures = maps.map(([head, rows]) => {
    const cells = rows.flatMap((numbers, row) =>
      numbers.map((weight, col) => {
        const isGoal = goals.some((goal) => String(goal) === String([head, row, col]));
        return element("span", { class: isGoal ? "goal" : null, style: `--weight: ${weight.toFixed(3)}` });
      }),
    );
    return element(
      "span",
      { class: "map", style: `${accent(head)}; --columns: ${rows[0].length}` },
      ...cells,
    );
  });
  return element("span", { class: "picture", "aria-hidden": "true" }, ...pictures);
}

/** Explore is the page at the root. @param {PuzzleCard} puzzle */
const addressOf = ({ query }) => `./?${query}`;

export default mounting(({ parentElement }) => new Puzzles(parentElement));
