// An exercise: find the smallest model that reaches a goal. How large a model would be, whether one reaches the goal, and
// the smallest one so far, which this browser keeps.

import { button, div, element, fill, p, setText } from "../kit/dom.js";
import { ofBrowser } from "../kit/storage.js";
import { exactPercent, percent } from "./curves.js";

const BEST = "mha.smallest";

/** @typedef {{ recording: import("./recording.js").Recording; step: number; size: number | null; judged: TrainJudged | null;
 *   canHandIn: boolean }} SmallestValues */

export class Smallest {
  /** @param {TrainData} data @param {{ handIn: () => void; showSettings: () => void }} host */
  constructor({ words, tag, goal }, host) {
    this.words = words;
    this.tag = tag;
    this.goal = goal;
    this.size = p("size");
    this.outcome = p("outcome");
    this.outcome.setAttribute("role", "status");
    this.best = p("hint");
    this.handing = button({ data: { focus: "hand in" }, onclick: () => host.handIn() }, words.hand_in);
    const change = button(
      { data: { focus: "change" }, onclick: () => host.showSettings() },
      words.change_settings,
    );
    this.root = element(
      "section",
      { class: "card smallest", data: { part: "" }, "aria-labelledby": "train-smallest" },
      element("h2", { id: "train-smallest" }, words.smallest),
      p("hint", fill(words.smallest_about, { goal: percent(goal.answers), lines: this.#number(goal.lines) })),
      this.size,
      this.outcome,
      this.best,
      div("acts", change, this.handing),
    );
  }

  /** @param {SmallestValues} values */
  update({ recording, step, size, judged, canHandIn }) {
    const { words, goal } = this;
    this.root.hidden = recording.begun.task !== goal.task;
    if (this.root.hidden) return;
    setText(this.size, size === null ? "" : fill(words.size, { count: this.#number(size) }));
    const { asks, parameters } = recording.begun;
    const shown = !asks && judged?.step === step ? judged : null; // a recording is not the visitor's success
    const waits = asks ? fill(words.recording_needs, { count: this.#number(parameters) }) : words.judging;
    setText(this.outcome, shown ? this.#sentence(shown) : waits);
    this.outcome.classList.toggle("is-reached", Boolean(shown?.reached));
    if (shown?.reached && canHandIn) keepBest(shown.parameters);
    const best = keptBest();
    setText(this.best, best ? fill(words.best, { count: this.#number(best) }) : "");
    this.handing.hidden = !canHandIn;
  }

  /** @param {TrainJudged} judged */
  #sentence({ step, parameters, answers, reached }) {
    const values = {
      step,
      count: this.#number(parameters),
      share: exactPercent(answers),
      goal: percent(this.goal.answers),
    };
    return fill(reached ? this.words.reached : this.words.not_reached, values);
  }

  /** @param {number} number */
  #number(number) {
    return number.toLocaleString(this.tag);
  }
}

/** @param {number} parameters of a model that reaches the goal */
function keepBest(parameters) {
  const best = keptBest();
  if (!best || parameters < best) ofBrowser.set(BEST, parameters);
}

function keptBest() {
  const best = ofBrowser.get(BEST);
  return typeof best === "number" ? best : null;
}
