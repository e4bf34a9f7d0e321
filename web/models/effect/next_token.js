// A decoder's text continued: a step adds the token that the model expects next, and a step back removes it.

import { button, element, fill, prose, setText } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { NO_RUN } from "../runs.js";

export class NextToken {
  #run = NO_RUN;

  /**
   * @param {Record<string, string>} words
   * @param {(steps: number) => void} write have the model add so many tokens in all
   */
  constructor(words, write) {
    this.words = words;
    const steps = () => this.#run.step?.count ?? 0;
    this.add = button(
      { class: "quiet", data: { focus: "next" }, onclick: () => write(steps() + 1) },
      words.next,
    );
    this.remove = button(
      { class: "quiet", data: { focus: "next back" }, onclick: () => write(steps() - 1) },
      words.next_back,
    );
    this.told = element("p", { class: "hint", "aria-live": "polite" });
    this.root = element("div", { class: "next-token" }, this.add, this.remove, this.told);
  }

  /** @param {ModelRun} run @param {Pick<ModelPlace, "off">} place */
  update(run, { off }) {
    this.#run = run;
    const { step, continues } = run;
    this.root.hidden = !continues;
    this.add.disabled = Boolean(step?.ended) || run.sentences[0].n >= run.limit;
    this.remove.disabled = !step?.count;
    setText(
      this.told,
      step?.count ? this.#sentences(run.sentences[0], step, off.length > 0) : this.words.next_about,
    );
  }

  /** @param {SentenceWeights} sentence @param {ModelStep} step @param {boolean} isOff */
  #sentences({ names, n }, step, isOff) {
    const { words } = this;
    const values = {
      token: isolated(names[n - 1]),
      read: grouped(step.read),
      computed: grouped(step.computed),
      products: grouped(step.products),
      whole: grouped(step.products_whole),
    };
    const cost = step.read ? words.next_cost : words.next_recomputed;
    const parts = [step.ended ? words.next_ended : words.next_row, cost, isOff ? words.next_off : ""];
    return fill(prose(...parts), values);
  }
}

/** A count with its digits in threes. @param {number} count */
const grouped = (count) => count.toLocaleString("en-US");
