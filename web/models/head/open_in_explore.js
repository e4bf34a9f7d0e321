// The way to the bench: which heads of the layer go there, and what keeps them from it.

import { button, div, element, fill, pressable, setText } from "../../kit/dom.js";
import { roving, stopAt } from "../tokens/roving_focus.js";

export class Taking {
  /** @type {Set<number>} */
  #heads = new Set();
  /** @type {HTMLButtonElement[]} */
  #choices = [];
  #of = "";
  #long = "";
  #start = "x";

  /**
   * @param {{ open: (heads: number[], start: string) => void }} host
   * @param {Record<string, string>} words
   * @param {{ heads: number; tokens: number }} limits of the bench
   */
  constructor(host, words, limits) {
    this.host = host;
    this.words = words;
    this.limits = limits;
    this.choice = element("div", { class: "taking-heads", role: "group" });
    roving(this.choice);
    this.all = pressable(
      false,
      { data: { focus: "take all" }, onclick: () => this.#all() },
      words.to_bench_all,
    );
    this.starts = ["x", "q"].map((start) => {
      const attributes = { data: { focus: `from ${start}` }, onclick: () => this.#from(start) };
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
   * @param {ModelPlace} place
   * @param {string} refused
   */
  update(run, { head: [layer, head] }, refused) {
    const { words, limits } = this;
    const of = `${run.model} ${layer} ${head}`;
    this.choice.setAttribute("aria-label", fill(words.to_bench_heads, { layer: layer + 1 }));
    if (this.#choices.length !== run.heads) this.#build(run.heads);
    if (of !== this.#of) {
      this.#heads = new Set([head]);
      stopAt([...this.#choices, this.all], head);
    }
    this.#of = of;
    const { n } = run.sentences[0];
    this.start.hidden = run.d_model > limits.tokens; // X has more columns than the bench
    this.#long = n > limits.tokens ? fill(words.to_bench_long, { most: limits.tokens, count: n }) : "";
    setText(this.refused, refused);
    this.#mark();
  }

  #build(count) {
    this.#choices = Array.from({ length: count }, (_, at) => {
      const attributes = { data: { focus: `take ${at}` }, onclick: () => this.#toggle(at) };
      return pressable(false, attributes, fill(this.words.head_n, { head: at + 1 }));
    });
    this.choice.replaceChildren(...this.#choices, ...(count > 1 ? [this.all] : []));
  }

  #toggle(at) {
    if (!this.#heads.delete(at)) this.#heads.add(at);
    this.#mark();
  }

  #from(start) {
    this.#start = start;
    this.#mark();
  }

  get #isAll() {
    return this.#heads.size === this.#choices.length;
  }

  /** All of the layer; pressed again, the head at hand alone. */
  #all() {
    const head = Number(this.#of.split(" ").at(-1));
    this.#heads = this.#isAll ? new Set([head]) : new Set(this.#choices.keys());
    this.#mark();
  }

  #mark() {
    for (const [at, node] of this.#choices.entries()) node.ariaPressed = String(this.#heads.has(at));
    this.all.ariaPressed = String(this.#isAll);
    for (const [at, node] of this.starts.entries()) node.ariaPressed = String("xq"[at] === this.#start);
    setText(this.about, this.words[`to_bench_${this.#start}_about`]);
    const { heads } = this.limits;
    const many = this.#heads.size > heads ? fill(this.words.to_bench_most, { most: heads }) : "";
    setText(this.why, this.#long || many);
    this.open.disabled = Boolean(this.#long || many || !this.#heads.size);
  }

  #open() {
    this.host.open(
      [...this.#heads].sort((a, b) => a - b),
      this.#start,
    );
  }
}
