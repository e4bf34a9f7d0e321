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
    const [{ n }] = run.sentences;
    const isFull = n >= run.limit;
    this.add.disabled = step?.stopped === "eos" || isFull;
    this.remove.disabled = !step?.count;
    const about = isFull ? "" : this.words.next_about;
    const added = step?.count ? this.#sentences(run.sentences[0], step, off.length > 0) : about;
    const full = isFull ? fill(this.words.next_full, { count: grouped(n) }) : "";
    setText(this.told, prose(added, full));
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
    const parts = [
      step.stopped === "eos" ? words.next_ended : words.next_row,
      cost,
      isOff ? words.next_off : "",
    ];
    return fill(prose(...parts), values);
  }
}

/** A count with its digits in threes. @param {number} count */
const grouped = (count) => count.toLocaleString("en-US");
