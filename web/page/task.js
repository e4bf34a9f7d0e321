// The task above the tables: what is to be reached, how far it is, a hint, and the next one.

import { button, element, fillNodes, p, symbol } from "../kit/dom.js";
import { symbolOf } from "../kit/graph.js";
import { brief } from "../kit/numbers.js";
import { topOf } from "./goal.js";

export class Task {
  root = p("task");
  #goals;
  #at = 0;
  #isHinted = false;

  /** @param {() => import("./goal.js").Goal[]} goals those of the page, searched for once they are wanted */
  constructor(goals) {
    this.#goals = goals;
    this.root.hidden = true;
    this.root.setAttribute("aria-live", "polite");
    // It stays in view above the tables, and the overview stays below it.
    const { style } = document.documentElement;
    const measured = () => style.setProperty("--mha-frame", `${this.root.offsetHeight}px`);
    new ResizeObserver(measured).observe(this.root);
  }

  /**
   * @param {ExploreModel | null} model null: no task is offered now
   * @param {Record<string, string>} words
   */
  show(model, words) {
    const goals = model ? this.#goals() : [];
    const goal = goals[this.#at];
    this.root.hidden = !model || !goal;
    if (model && goal) this.#write(model, words, goal);
  }

  /** @type {(model: ExploreModel, words: Record<string, string>, goal: import("./goal.js").Goal) => void} */
  #write(model, words, goal) {
    const again = () => this.show(model, words);
    const top = topOf(model, goal.head, goal.query);
    const isReached = top?.key === goal.key;
    const sentence = (/** @type {string} */ name) => given(fillNodes(words[name], valuesOf(model, goal)));
    const gap = words.stop === "。" ? "" : " ";
    const isHinted = this.#isHinted && !isReached;
    this.root.classList.toggle("reached", isReached);
    this.root.replaceChildren(
      element("strong", {}, words.task),
      gap,
      ...sentence(isSelf(model, goal) ? "task_itself" : "task_goal"),
      gap,
      element("span", { class: "status" }, ...sentence(statusOf(isReached, top !== null))),
      ...(isHinted ? [gap, ...sentence("task_hint")] : []),
      " ",
      ...(isReached || isHinted ? [] : [this.#button("hint", words.task_help, again)]),
      ...(isReached && this.#goals().length > 1 ? [this.#button("next", words.task_next, again)] : []),
    );
  }

  /** @type {(name: "hint" | "next", label: string, after: () => void) => HTMLElement} */
  #button(name, label, after) {
    const onclick = () => {
      this.#isHinted = name === "hint";
      if (name === "next") this.#at = (this.#at + 1) % this.#goals().length;
      after();
    };
    return button({ data: { focus: `task ${name}` }, onclick }, label);
  }
}

/** Whether the token is to look at itself. @type {(model: ExploreModel, goal: import("./goal.js").Goal) => boolean} */
const isSelf = ({ matrices, labels }, { query, key }) =>
  query === key && !matrices.context && String(labels.n_q) === String(labels.n_k);

/** @type {(isReached: boolean, hasTop: boolean) => string} */
const statusOf = (isReached, hasTop) => (isReached ? "task_reached" : hasTop ? "task_now" : "task_tie");

/**
 * What the sentences of a task name.
 * @type {(model: ExploreModel, goal: import("./goal.js").Goal) => Record<string, Child[]>}
 */
function valuesOf(model, goal) {
  const top = topOf(model, goal.head, goal.query);
  const { n_q, n_k } = model.labels;
  return {
    query: nameOf(n_q[goal.query]),
    key: nameOf(n_k[goal.key]),
    head: [String(goal.head + 1)],
    weights: [symbol(symbolOf(model, "w_q", goal.head))],
    row: [String(goal.row + 1)],
    col: [String(goal.col + 1)],
    now: top ? nameOf(n_k[top.key]) : [],
    weight: top ? [brief(top.weight, 2)] : [],
  };
}

/** @param {string} token @returns {Child[]} */
const nameOf = (token) => [element("bdi", {}, token)];

/** @param {Child[]} nodes */
const given = (nodes) => nodes.filter((node) => node != null);
