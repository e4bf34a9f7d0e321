// Where a token looks in two sentences, side by side, the largest difference first.

import { button, element, fill, span } from "../../kit/dom.js";
import { format } from "../../kit/numbers.js";
import { alone, counterpart, mostDifferent, mostShifted, shiftOf, shifts } from "../runs.js";
import { headName, pairText, shown, signedText } from "../wording.js";

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
    this.note = element("p", { class: "hint" });
    const heads = ["key", "first", "second", "by"].map((name) =>
      element("th", { scope: "col" }, words[`compared_${name}`]),
    );
    this.rows = element("tbody");
    this.largest = button(
      { class: "quiet", data: { focus: "largest" }, onclick: () => host.go({ head: this.#head }) },
      "",
    );
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.rows);
    this.root = element("div", { class: "compared" }, this.title, this.largest, this.note, this.table);
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
    const [first] = run.sentences;
    this.title.textContent =
      token === null ? words.compared_two : fill(words.compared, { token: first.names[token] });
    this.table.hidden = there === null;
    this.note.hidden = there !== null;
    const none = token === null ? words.compared_hint : words.compared_none;
    this.note.textContent = same ? words.compared_same : none;
    if (there === null) return;
    const row = ({ weights, n }, at) => weights.subarray(at * n, (at + 1) * n);
    const rows = this.#compared(run, row(numbers[0], token), row(numbers[1], there));
    const largest = Math.max(...rows.map(({ by }) => Math.abs(by)));
    this.rows.replaceChildren(...rows.map((one) => lineOf(one, largest)));
  }

  /**
   * What the token looks at in both, the largest difference first; what is left is summed up, so that columns are whole.
   * @param {ModelRun} run
   * @param {Float32Array} one
   * @param {Float32Array} other
   * @returns {Row[]}
   */
  #compared(run, one, other) {
    const { words } = this;
    const [first, second] = run.sentences;
    const moved = shifts(run.aligned, one, other);
    const rest = moved.slice(MOST);
    const sum = (name) => rest.reduce((whole, of) => whole + of[name], 0);
    const named = moved.slice(0, MOST).map(({ key, ...of }) => {
      const [name, there] = [first.names[key], second.names[counterpart(run, key)]];
      return { names: name === there ? [name] : [name, there], ...of };
    });
    const others = { label: fill(words.compared_rest, { count: rest.length }), names: [] };
    const rows = [
      ...named,
      ...(rest.length ? [{ ...others, first: sum("first"), second: sum("second") }] : []),
      ...alone(run.aligned, one, other).map((of) => ({
        label: words[of.second === null ? "compared_only_first" : "compared_only_second"],
        names: [],
        ...of,
      })),
    ];
    return rows.map((of) => ({ label: "", ...of, by: (of.second ?? 0) - (of.first ?? 0) }));
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
      values.pair = pairText(run, most, token, "difference");
    }
    this.largest.textContent = fill(words[`largest_${token === null ? "difference" : "shift"}`], values);
  }
}

/**
 * A key of a token, or several together, which are told of; a weight is null where they do not stand in that sentence.
 * @typedef {{ names: string[]; label: string; first: number | null; second: number | null; by: number }} Row
 */

/**
 * @param {Row} row
 * @param {number} largest of all rows the largest difference
 */
function lineOf({ names, label, first, second, by }, largest) {
  const [one, other] = names.map((name) => element("bdi", {}, name));
  const bar = span(Math.abs(by) < LEAST ? "shift none" : by < 0 ? "shift falls" : "shift rises");
  bar.style.setProperty("--part", `${((100 * Math.abs(by)) / (largest || 1)).toFixed(1)}%`);
  const numbers = [first, second].map((weight) =>
    element("td", {}, weight === null ? "–" : format(weight, 3)),
  );
  const head = label ? [label] : other ? [one, " / ", other] : [one];
  return element(
    "tr",
    label ? { class: "together" } : {},
    element("th", { scope: "row" }, ...head),
    ...numbers,
    element("td", {}, bar, signedText(by, 3)),
  );
}
