// A puzzle above the tables: what is to be reached, how far it is, hints, a solution to watch, and the next puzzle.

import { copyText } from "../../kit/copy.js";
import {
  active,
  button,
  div,
  element,
  fill,
  fillNodes,
  named,
  p,
  rich,
  setAttribute,
  setText,
  span,
  symbol,
} from "../../kit/dom.js";
import { key, rowsOf, symbolOf } from "../../kit/graph.js";
import { brief } from "../../kit/numbers.js";
import { storeSolved } from "../../kit/solved_puzzles.js";
import { isMet, numberAt, progressOf, shareOf, wasMet } from "./goals.js";
import { replay } from "./replay.js";

const CLOSE = 25; // percent of the bar: there is no room for both names
/** @type {Edit} */
const FREE = { op: "puzzle" };
const TOP = "-8%"; // of the window, which the page's head covers

/**
 * How far this page is with its puzzle: which one by the model's `opened`, how many hints are shown, and whether its
 * solution has been. It outlives the component, which may be mounted again.
 */
const stored = { opened: -1, hints: 0, isShown: false };

/**
 * `isKept`: whether the page has every edit, and none is being made.
 * @typedef {import("./replay.js").ReplayHost & {
 *   readonly explain: { root: HTMLElement };
 *   readonly root: HTMLElement;
 *   readonly view: { cells: Map<string, HTMLElement> };
 *   isKept: () => boolean;
 *   announceText: (text: string) => void;
 *   goToTable: (table: TableId) => void;
 * }} PuzzleHost
 */

/** A goal on the page. @typedef {{ goal: PuzzleGoal; root: HTMLElement; now: HTMLElement; mark: HTMLElement }} GoalLine */

export class Puzzle {
  root = element("section", { class: "puzzle", hidden: true });
  #host;
  #words;
  /** @type {PuzzleData | null} */
  #puzzle = null; // that is shown
  /** @type {GoalLine[]} */
  #lines = [];
  #bar = element(
    "div",
    { class: "puzzle-bar", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 },
    div("done"),
  );
  #status = element("p", { class: "puzzle-status", role: "status" });
  #count = p("puzzle-count");
  #hints = element("ol", { class: "puzzle-hints" });
  #actions = div("puzzle-actions");
  #way = div("puzzle-way"); // how far it is, what can be done, and the hints
  #replay = new AbortController();
  #gone = new AbortController();
  #inView = new IntersectionObserver(([{ isIntersecting }]) => this.#dock(!isIntersecting), {
    rootMargin: TOP,
  });
  #said = ""; // the state that the status and the buttons are of
  /** @type {Set<HTMLElement>} */
  #framed = new Set(); // the cells of the tables that are framed

  /**
   * @param {PuzzleHost} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.#host = host;
    this.#words = words;
    this.#inView.observe(this.root);
    document.addEventListener("click", (event) => this.#leave(event), { signal: this.#gone.signal });
  }

  stop() {
    this.#gone.abort();
    this.#replay.abort();
    this.#inView.disconnect();
    this.#way.remove();
  }

  /** After an answer of the page. @param {ExploreModel} model */
  update(model) {
    const { puzzle, opened } = model;
    const isMade = stored.opened >= 0 && opened !== stored.opened && puzzle?.key === "";
    if (opened !== stored.opened) Object.assign(stored, { opened, hints: 0, isShown: false });
    const isOther = JSON.stringify(puzzle?.goals) !== JSON.stringify(this.#puzzle?.goals);
    this.#puzzle = puzzle;
    this.root.hidden = !puzzle;
    if (!puzzle) this.#way.remove();
    if (isOther) this.#replay.abort();
    if (puzzle && isOther) this.#build(model, puzzle);
    if (isMade) this.root.scrollIntoView({ block: "center" });
    this.follow(model);
  }

  /** The numbers have changed. @param {ExploreModel} model */
  follow(model) {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    for (const { goal, root, now, mark } of this.#lines) {
      const number = numberAt(model, goal);
      const isReached = isMet(goal, number);
      setText(now, shown(number));
      setText(mark, isReached ? "✓" : "");
      root.classList.toggle("met", isReached);
    }
    const numbers = this.#lines.map(({ goal }) => numberAt(model, goal));
    const parts = puzzle.goals.map((goal, at) => progressOf(goal, numbers[at]));
    const toReach = parts.filter((_, at) => !wasMet(puzzle.goals[at]));
    const counted = toReach.length ? toReach : parts;
    const done = Math.floor((100 * counted.reduce((sum, part) => sum + part, 0)) / counted.length);
    this.#showBar(puzzle, numbers[0], done);
    this.#frame(puzzle);
    this.#conclude(
      puzzle,
      puzzle.goals.every((goal, at) => isMet(goal, numbers[at])),
    );
  }

  /** The address of all puzzles, in the language of the page. */
  get #overview() {
    return `puzzles?lang=${this.#host.model.lang}`;
  }

  // --- building ------------------------------------------------------------------------------------------------------

  /** @type {(model: ExploreModel, puzzle: PuzzleData) => void} */
  #build(model, puzzle) {
    const words = this.#words;
    setAttribute(this.root, "aria-label", puzzle.place || words.puzzle);
    this.#said = "";
    this.#lines = puzzle.goals.map((goal) => this.#lineOf(goal));
    this.#bar.classList.toggle("single", puzzle.goals.length === 1);
    this.#bar.replaceChildren(
      div("done"),
      ...(puzzle.goals.length === 1 ? marksOf(puzzle.goals[0], words) : []),
    );
    const all = puzzle.link && element("a", { href: this.#overview, target: "_self" }, words.puzzle_all);
    const text = div(
      "puzzle-text",
      p("puzzle-place", puzzle.place, puzzle.place ? " · " : "", all, ...this.#wayOut(puzzle)),
      this.#title(puzzle),
      p("puzzle-story", ...rich(puzzle.story)),
      puzzle.change.length ? p("puzzle-change", ...this.#changeable(model, puzzle)) : null,
    );
    const goals = element("ul", { class: "puzzle-goals" }, ...this.#lines.map(({ root }) => root));
    const said = div("puzzle-said", this.#status, this.#count);
    this.#way.replaceChildren(div("puzzle-far", goals, this.#bar, said, this.#actions), this.#hints);
    this.root.replaceChildren(text, this.#way);
  }

  /** The numbers stay as they are, and all of them may be changed. @type {(puzzle: PuzzleData) => Child[]} */
  #wayOut({ link }) {
    const words = this.#words;
    const attributes = {
      class: "quiet way-out",
      title: words.puzzle_free_title,
      data: { focus: "puzzle free" },
    };
    const onclick = () => this.#host.send(FREE);
    return link ? [" · ", button({ ...attributes, onclick }, words.puzzle_free)] : [];
  }

  /** Explore, in the page's head, leaves the puzzle as “Explore freely” does. @param {MouseEvent} event */
  #leave({ target, ctrlKey, metaKey, shiftKey }) {
    const link = target instanceof Element && target.closest(".st-key-frame-pages a");
    const isHome = link && link === document.querySelector(".st-key-frame-pages a");
    if (isHome && this.#puzzle?.link && !(ctrlKey || metaKey || shiftKey)) this.#host.send(FREE);
  }

  /** A visitor's own puzzle can be given another title. @param {PuzzleData} puzzle */
  #title({ key: ours, title, link }) {
    if (ours || !link) return element("h2", {}, title);
    const field = element("input", {
      type: "text",
      class: "puzzle-title",
      maxlength: 200,
      "aria-label": this.#words.puzzle_title,
    });
    field.value = title;
    field.addEventListener("change", () => this.#host.send({ op: "title", text: field.value }));
    return element("h2", {}, field);
  }

  /** A goal, which leads to its number. @type {(goal: PuzzleGoal) => GoalLine} */
  #lineOf(goal) {
    const [now, mark] = [element("strong", {}), span("mark")];
    const attributes = { class: "quiet jump", title: this.#words.puzzle_to_goal };
    const wanted = button({ ...attributes, onclick: () => this.#host.goTo(goal.cell) }, symbol(goal.text));
    return { goal, root: element("li", {}, now, " ", wanted, " ", mark), now, mark };
  }

  /**
   * What may be changed; a matrix leads to its table, in the head of the first goal that is to be reached.
   * @type {(model: ExploreModel, puzzle: PuzzleData) => Child[]}
   */
  #changeable(model, { change, goals }) {
    const words = this.#words;
    const { cell } = goals.find((goal) => !wasMet(goal)) ?? goals[0];
    const settings = { scale: words.puzzle_scale, softcap: words.puzzle_softcap };
    const names = change.map((name) => {
      const matrix = model.matrices[name];
      if (!matrix) {
        const label = name in settings ? settings[/** @type {"scale"} */ (name)] : words.puzzle_mask;
        return leading(words, label, () => named(this.#host.root, name)?.focus());
      }
      const head = matrix.perHead ? (cell.head ?? 0) : null;
      const label = tableIn(model, words, { name, head });
      return leading(words, label, () => this.#host.goToTable({ name, head }));
    });
    const list = names.flatMap((name, at) => (at ? [words.puzzle_or, name] : [name]));
    return fillNodes(words.puzzle_change, { names: list });
  }

  /**
   * How far it is stays in view: above the line of arithmetic, once all of the puzzle is out of sight. It takes its room
   * with it, and what is below does not move.
   * @param {boolean} isBelow
   */
  #dock(isBelow) {
    const home = isBelow ? this.#host.explain.root : this.root;
    if (!this.#puzzle || this.#way.parentElement === home) return;
    const { height, top } = this.root.getBoundingClientRect();
    const focused = active(this.root);
    const hasFocus = focused && this.#way.contains(focused);
    if (isBelow) home.prepend(this.#way);
    else home.append(this.#way);
    const scroller = document.querySelector(".stMain") ?? document.scrollingElement;
    if (top < 0) scroller?.scrollBy(0, this.root.offsetHeight - height);
    if (hasFocus) focused.focus({ preventScroll: true });
  }

  // --- how far it is -------------------------------------------------------------------------------------------------

  /** @type {(puzzle: PuzzleData, first: number, done: number) => void} */
  #showBar({ goals }, first, done) {
    setAttribute(this.#bar, "aria-label", this.#words.puzzle_progress);
    setAttribute(this.#bar, "aria-valuenow", String(done));
    const filled = goals.length === 1 ? shareOf(goals[0], first) : done;
    this.#bar.style.setProperty("--done", `${filled.toFixed(2)}%`);
  }

  /** Frame the goals' cells in the tables. @param {PuzzleData} puzzle */
  #frame({ goals }) {
    const cells = goals.flatMap(({ cell }) => this.#host.view.cells.get(key(cell)) ?? []);
    for (const td of this.#framed) if (!cells.includes(td)) td.classList.remove("goal");
    for (const td of cells) td.classList.add("goal");
    this.#framed = new Set(cells);
  }

  /** @type {(puzzle: PuzzleData, isSolved: boolean) => void} */
  #conclude(puzzle, isSolved) {
    const isKept = isSolved && this.#host.isKept() && puzzle.changed > 0;
    if (isKept && !stored.isShown && puzzle.key) storeSolved(puzzle.key, puzzle.changed);
    const state = JSON.stringify([isSolved, isKept, puzzle.changed, stored]);
    if (state === this.#said) return;
    this.#said = state;
    this.#way.classList.toggle("solved", isSolved);
    setText(this.#status, this.#statusOf(puzzle, isSolved, isKept));
    this.#showCount(puzzle);
    this.#showHints(puzzle);
    this.#showActions(puzzle, isKept);
  }

  /** @type {(puzzle: PuzzleData, isSolved: boolean, isKept: boolean) => string} */
  #statusOf({ changed, fewest }, isSolved, isKept) {
    const words = this.#words;
    if (!isSolved) return words.puzzle_open;
    if (!isKept) return words.puzzle_reached;
    if (stored.isShown) return words.puzzle_shown;
    const solved = fill(words.puzzle_solved, { count: changed });
    const more = changed > fewest ? fill(words.puzzle_fewer, { fewest }) : words.puzzle_fewest;
    return [solved, more].join(words.stop === "。" ? "" : " ");
  }

  /** @param {PuzzleData} puzzle */
  #showCount({ changed, fewest }) {
    const words = this.#words;
    setText(
      this.#count,
      `${fill(words.puzzle_changed, { count: changed })} · ${fill(words.puzzle_best, { count: fewest })}`,
    );
  }

  /** @param {PuzzleData} puzzle */
  #showHints({ hints }) {
    const shown = hints.slice(0, stored.hints);
    for (const [at, hint] of shown.entries())
      if (!this.#hints.children[at]) this.#hints.append(element("li", {}, ...rich(hint)));
    while (this.#hints.children.length > shown.length) this.#hints.lastElementChild?.remove();
  }

  /** @type {(puzzle: PuzzleData, isKept: boolean) => void} */
  #showActions(puzzle, isKept) {
    const words = this.#words;
    const { hints, solution, next, changed, link } = puzzle;
    const isLast = stored.hints >= hints.length;
    const act = (
      /** @type {string} */ focus,
      /** @type {string} */ label,
      /** @type {() => void} */ onclick,
    ) => button({ data: { focus: `puzzle ${focus}` }, onclick }, label);
    const hint = stored.hints ? words.puzzle_next_hint : words.puzzle_hint;
    const attributes = { class: "further", target: "_self", data: { focus: "puzzle next" } };
    const going = next
      ? element("a", { ...attributes, href: `?${next}` }, words.puzzle_next)
      : element("a", { ...attributes, href: this.#overview }, words.puzzle_all);
    const acts = [
      isKept && link ? going : null,
      !isKept && !isLast ? act("hint", hint, () => this.#hint()) : null,
      !isKept && isLast && solution.length
        ? act("solution", words.puzzle_solution, () => this.#showSolution())
        : null,
      changed ? act("again", words.puzzle_again, () => this.#again()) : null,
      link ? act("send", words.puzzle_send, () => this.#sendLink()) : null,
    ];
    const hadFocus = this.#actions.contains(active(this.#actions));
    this.#actions.replaceChildren(...acts.filter((node) => node !== null));
    const first = this.#actions.querySelector("a, button");
    if (hadFocus && first instanceof HTMLElement) first.focus({ preventScroll: true });
  }

  // --- what the buttons do -------------------------------------------------------------------------------------------

  #hint() {
    stored.hints += 1;
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    this.#host.announceText(puzzle.hints[stored.hints - 1]);
    this.follow(this.#host.model);
  }

  #again() {
    this.#replay.abort();
    stored.isShown = false;
    this.#host.send({ op: "reset" });
  }

  /** From the start on, as the solution's numbers are those of the start. */
  async #showSolution() {
    const puzzle = this.#puzzle;
    if (!puzzle) return;
    this.#replay.abort();
    this.#replay = new AbortController();
    const { signal } = this.#replay;
    if (puzzle.changed) {
      this.#host.send({ op: "reset" });
      await this.#host.settled();
    }
    if (signal.aborted) return;
    stored.isShown = true;
    await replay(puzzle.solution, this.#host, signal);
  }

  /** Copy the link to the puzzle as it began. */
  async #sendLink() {
    const [words, link] = [this.#words, this.#puzzle?.link ?? ""];
    const address = new URL(`?${link}`, location.href).href;
    const isCopied = await copyText(address);
    const field = element("input", { type: "text", readonly: true, "aria-label": words.puzzle_send });
    field.value = address;
    if (isCopied) return setText(this.#status, words.puzzle_sent);
    setText(this.#count, "");
    this.#count.replaceChildren(words.puzzle_by_hand, " ", field);
    field.select();
  }
}

/**
 * A table's symbol, and whose it is: several heads may each have one.
 * @type {(model: ExploreModel, words: Record<string, string>, table: TableId) => string}
 */
function tableIn(model, words, { name, head }) {
  const sign = symbolOf(model, name, head);
  if (head === null || model.dims.h === 1) return sign;
  const having = Array.from({ length: model.dims.h }, (_, at) => rowsOf(model, name, at)).filter(Boolean);
  return having.length > 1
    ? fill(words.puzzle_of_any_head, { name: sign })
    : fill(words.puzzle_of_head, { name: sign, head: head + 1 });
}

/** A button that leads to what may be changed. @type {(words: Record<string, string>, label: string, onclick: () => void) => HTMLElement} */
const leading = (words, label, onclick) =>
  button({ class: "jump", title: words.puzzle_to_change, onclick }, symbol(label), " ↓");

/** A number with two decimals at most. @param {number} number */
const shown = (number) => (number && Math.abs(number) < 0.005 ? "0.00" : brief(number, 2));

/** The start and the goal on the bar. @type {(goal: PuzzleGoal, words: Record<string, string>) => HTMLElement[]} */
function marksOf(goal, words) {
  const marks = /** @type {const} */ ([
    ["start", goal.start],
    ["goal", goal.number],
  ]);
  const isClose =
    goal.start !== null && Math.abs(shareOf(goal, goal.start) - shareOf(goal, goal.number)) < CLOSE;
  return marks
    .flatMap(([name, number]) => (number === null ? [] : [{ name, number }]))
    .map(({ name, number }) =>
      element(
        "span",
        { class: `at-${name}`, style: `--at: ${shareOf(goal, number).toFixed(2)}%` },
        name === "goal" ? `${words.puzzle_at_goal} ${brief(number, 2)}` : "",
        name === "start" && !isClose ? `${words.puzzle_at_start} ${brief(number, 2)}` : "",
      ),
    );
}
