// Where a token looks in two sentences, side by side, the largest difference first.

import { button, element, fill, span } from "../mha.web/dom.js";
import { format } from "../mha.web/numbers.js";
import { counterpart, mostDifferent, mostShifted, shiftOf, shifts } from "./runs.js";
import { headName, pairTold, shown, signedTold } from "./telling.js";

const MOST = 8;
const LEAST = 0.0005; // what is less shows as 0

export class Compared {
  /**
   * @param {{ go: (change: Partial<ModelPlace>) => void }} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.words = words;
    this.title = element("h3");
    this.said = element("p", { class: "hint" });
    const heads = ["key", "first", "second", "by"].map((name) =>
      element("th", { scope: "col" }, words[`compared_${name}`]),
    );
    this.rows = element("tbody");
    this.largest = button(
      { class: "quiet", data: { focus: "largest" }, onclick: () => host.go({ head: this.#head }) },
      "",
    );
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.rows);
    this.root = element("div", { class: "compared" }, this.title, this.largest, this.said, this.table);
  }

  /** The head that differs most. @type {[number, number]} */
  #head = [0, 0];

  /**
   * @param {ModelRun} run
   * @param {ModelPlace} place
   * @param {HeadNumbers[]} numbers
   */
  update(run, { head, token }, numbers) {
    const { words } = this;
    this.root.hidden = run.sentences.length < 2;
    if (this.root.hidden) return;
    const place = counterpart(run, token);
    this.#offer(run, head, place === null ? null : token);
    const same = run.differences[head[0] * run.heads + head[1]] < LEAST;
    const there = same ? null : place;
    const [first, second] = run.sentences;
    this.title.textContent =
      token === null ? words.compared_two : fill(words.compared, { token: first.names[token] });
    this.table.hidden = there === null;
    this.said.hidden = there !== null;
    const none = token === null ? words.compared_hint : words.compared_none;
    this.said.textContent = same ? words.compared_same : none;
    if (there === null) return;
    const row = ({ weights, n }, at) => weights.subarray(at * n, (at + 1) * n);
    const found = shifts(run.aligned, row(numbers[0], token), row(numbers[1], there));
    const largest = Math.max(...found.map(({ first: one, second: other }) => Math.abs(other - one)));
    this.rows.replaceChildren(
      ...found.slice(0, MOST).map(({ key, first: one, second: other }) => {
        const by = other - one;
        const name = element("bdi", {}, first.names[key]);
        const other_name = second.names[counterpart(run, key)];
        const both = first.names[key] === other_name ? [name] : [name, " / ", element("bdi", {}, other_name)];
        const bar = span(Math.abs(by) < LEAST ? "shift none" : by < 0 ? "shift falls" : "shift rises");
        bar.style.setProperty("--part", `${((100 * Math.abs(by)) / largest).toFixed(1)}%`);
        const difference = signedTold(by, 3);
        const numbers = [format(one, 3), format(other, 3)].map((text) => element("td", {}, text));
        return element(
          "tr",
          {},
          element("th", { scope: "row" }, ...both),
          ...numbers,
          element("td", {}, bar, difference),
        );
      }),
    );
  }

  /** The head that differs most, for the token where one is chosen, as the pictures beside have it: it is one press away. */
  #offer(run, head, token) {
    const { words } = this;
    const most = token === null ? mostDifferent(run) : mostShifted(run, token);
    const by = token === null ? run.differences[most] : shiftOf(run, most, token).by;
    this.#head = [Math.floor(most / run.heads), most % run.heads];
    this.largest.hidden = head.join() === this.#head.join() || Math.abs(by) < LEAST;
    const values = { head: headName(words, run, most), pair: "", number: shown(by), token: "" };
    if (token !== null) {
      values.token = run.sentences[0].names[token];
      values.pair = pairTold(run, most, token, "difference");
    }
    this.largest.textContent = fill(words[`largest_${token === null ? "difference" : "shift"}`], values);
  }
}
