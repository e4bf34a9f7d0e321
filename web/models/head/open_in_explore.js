// Opening heads in Explore: which heads of the layer, starting from what, and why they cannot be opened.

import { button, div, element, fill, pressable, setText } from "../../kit/dom.js";
import { roving, stopAt } from "../tokens/roving_focus.js";

export class OpenInExplore {
  /** @type {Set<number>} */
  #heads = new Set();
  /** @type {HTMLButtonElement[]} */
  #choices = [];
  /** The model and the head that the choice began with. */
  #chosenFor = "";
  #shownHead = 0;
  /** Why the sentence is too long; "" where it is not. */
  #tooLong = "";
  #start = "x";

  /**
   * @param {Pick<ModelsHost, "open">} host
   * @param {Record<string, string>} words
   * @param {Pick<ModelsLimits, "heads" | "tokens">} limits
   */
  constructor(host, words, limits) {
    this.host = host;
    this.words = words;
    this.limits = limits;
    this.choice = element("div", { class: "taking-heads", role: "group" });
    roving(this.choice);
    this.all = pressable(
      false,
      { data: { focus: "take all" }, onclick: () => this.#toggleAll() },
      words.to_bench_all,
    );
    this.starts = ["x", "q"].map((start) => {
      const attributes = { data: { focus: `from ${start}` }, onclick: () => this.#startFrom(start) };
      return pressable(false, attributes, words[`to_bench_${start}`]);
    });
    const group = { class: "segments", role: "group", "aria-label": words.to_bench_start };
    this.about = element("p", { class: "hint" });
    this.start = div("taking-start", element("span", group, ...this.starts), this.about);
    this.why = element("p", { class: "hint" });
    this.refused = element("p", { class: "fault", role: "alert" });
    this.open = button(
      { class: "run", data: { focus: "open" }, onclick: () => this.#open() },
      words.to_bench_open,
    );
    this.root = element(
      "section",
      { class: "taking", "aria-label": words.to_bench },
      element("h3", {}, words.to_bench),
      element("p", { class: "hint" }, words.to_bench_about),
      this.choice,
      this.start,
      div("taking-open", this.open, this.why),
      this.refused,
    );
  }

  /**
   * @param {ModelRun} run
   * @param {FittedPlace} place
   * @param {string} refused why Explore could not open the heads
   */
  update(run, { head: [layer, head] }, refused) {
    const { words, limits } = this;
    const shown = `${run.model} ${layer} ${head}`;
    this.choice.setAttribute("aria-label", fill(words.to_bench_heads, { layer: layer + 1 }));
    if (this.#choices.length !== run.heads) this.#build(run.heads);
    if (shown !== this.#chosenFor) {
      this.#heads = new Set([head]);
      stopAt([...this.#choices, this.all], head);
    }
    this.#chosenFor = shown;
    this.#shownHead = head;
    const { n } = run.sentences[0];
    this.start.hidden = !run.starts_from_x;
    this.#tooLong = n > limits.tokens ? fill(words.to_bench_long, { most: limits.tokens, count: n }) : "";
    setText(this.refused, refused);
    this.#mark();
  }

  /** @param {number} count */
  #build(count) {
    this.#choices = Array.from({ length: count }, (_, at) => {
      const attributes = { data: { focus: `take ${at}` }, onclick: () => this.#toggle(at) };
      return pressable(false, attributes, fill(this.words.head_n, { head: at + 1 }));
    });
    this.choice.replaceChildren(...this.#choices, ...(count > 1 ? [this.all] : []));
  }

  /** @param {number} at */
  #toggle(at) {
    if (!this.#heads.delete(at)) this.#heads.add(at);
    this.#mark();
  }

  /** @param {string} start "x" or "q" */
  #startFrom(start) {
    this.#start = start;
    this.#mark();
  }

  get #isAll() {
    return this.#heads.size === this.#choices.length;
  }

  /** All heads of the layer, or again only the one that is shown. */
  #toggleAll() {
    this.#heads = new Set(this.#isAll ? [this.#shownHead] : this.#choices.keys());
    this.#mark();
  }

  #mark() {
    for (const [at, node] of this.#choices.entries()) node.ariaPressed = String(this.#heads.has(at));
    this.all.ariaPressed = String(this.#isAll);
    for (const [at, node] of this.starts.entries()) node.ariaPressed = String("xq"[at] === this.#start);
    setText(this.about, this.words[`to_bench_${this.#start}_about`]);
    const { heads } = this.limits;
    const many = this.#heads.size > heads ? fill(this.words.to_bench_most, { most: heads }) : "";
    setText(this.why, this.#tooLong || many);
    this.open.disabled = Boolean(this.#tooLong || many || !this.#heads.size);
  }

  #open() {
    this.host.open(
      [...this.#heads].sort((a, b) => a - b),
      this.#start,
    );
  }
}
