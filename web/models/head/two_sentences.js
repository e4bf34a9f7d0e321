// Where a token looks in two sentences, side by side, the largest difference first.

import { button, element, fill, span } from "../../kit/dom.js";
import { format } from "../../kit/numbers.js";
import {
  alignedKeys,
  counterpart,
  isOfTwo,
  mostDifferent,
  mostShifted,
  shiftOf,
  unmatchedWeight,
  weightShifts,
} from "../runs.js";
import { headName, pairText, shown, signedText } from "../wording.js";

const MOST = 8;
const LEAST = 0.0005; // what is less is printed as 0

/**
 * A key of a token, or several together, which have a label; a weight is null where its sentence lacks them.
 * @typedef {{ names: string[]; label: string; first: number | null; second: number | null; by: number }} Row
 */

export class TwoSentences {
  /** The head that differs most. @type {HeadIndex} */
  #most = [0, 0];

  /** @param {Pick<ModelsHost, "go">} host @param {Record<string, string>} words */
  constructor(host, words) {
    this.words = words;
    this.title = element("h3");
    this.note = element("p", { class: "hint" });
    const heads = ["key", "first", "second", "by"].map((name) =>
      element("th", { scope: "col" }, words[`compared_${name}`]),
    );
    this.rows = element("tbody");
    this.largest = button(
      { class: "quiet", data: { focus: "largest" }, onclick: () => host.go({ head: this.#most }) },
      "",
    );
    this.table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), this.rows);
    this.root = element("div", { class: "compared" }, this.title, this.largest, this.note, this.table);
  }

  /** @param {ModelRun} run @param {FittedPlace} place @param {HeadNumbers[]} numbers */
  update(run, { head, token }, numbers) {
    const { words } = this;
    this.root.hidden = !isOfTwo(run);
    if (!isOfTwo(run)) return;
    const inSecond = counterpart(run, token);
    this.#offerMost(run, head, inSecond === null ? null : token);
    const isSame = run.differences[head[0] * run.heads + head[1]] < LEAST;
    const [first] = run.sentences;
    this.title.textContent =
      token === null ? words.compared_two : fill(words.compared, { token: first.names[token] });
    const isCompared = !isSame && inSecond !== null;
    this.table.hidden = !isCompared;
    this.note.hidden = isCompared;
    const none = token === null ? words.compared_hint : words.compared_none;
    this.note.textContent = isSame ? words.compared_same : none;
    if (!isCompared || token === null) return;
    /** @type {(numbers: HeadNumbers, at: number) => Float32Array} */
    const row = ({ weights, m }, at) => weights.subarray(at * m, (at + 1) * m);
    const rows = this.#compared(run, row(numbers[0], token), row(numbers[1], inSecond));
    const largest = Math.max(...rows.map(({ by }) => Math.abs(by)));
    this.rows.replaceChildren(...rows.map((compared) => lineOf(compared, largest)));
  }

  /**
   * The keys of a token in both sentences, the largest difference first. The rest is summed up, so that columns add
   * up to 1.
   * @param {PairRun} run
   * @param {Float32Array} weights the token's row in the first sentence
   * @param {Float32Array} others its row in the second
   * @returns {Row[]}
   */
  #compared(run, weights, others) {
    const { words } = this;
    const [first, second] = run.sentences;
    const keys = alignedKeys(run);
    const all = weightShifts(keys, weights, others);
    const rest = all.slice(MOST);
    /** @param {"first" | "second"} name */
    const sum = (name) => rest.reduce((total, shift) => total + shift[name], 0);
    const named = all.slice(0, MOST).map(({ key, ...shift }) => {
      const [name, other] = [first.keyNames[key], second.keyNames[counterpart({ aligned: keys }, key) ?? 0]]; // all have one
      return { label: "", names: name === other ? [name] : [name, other], ...shift };
    });
    const label = fill(words.compared_rest, { count: rest.length });
    const rows = [
      ...named,
      ...(rest.length ? [{ label, names: [], first: sum("first"), second: sum("second") }] : []),
      ...unmatchedWeight(keys, weights, others).map((sums) => ({
        label: words[sums.second === null ? "compared_only_first" : "compared_only_second"],
        names: [],
        ...sums,
      })),
    ];
    return rows.map((row) => ({ ...row, by: (row.second ?? 0) - (row.first ?? 0) }));
  }

  /**
   * Offer the head that differs most; for a chosen token, the one in which its weights change most.
   * @param {PairRun} run
   * @param {HeadIndex} head the one that is shown
   * @param {number | null} token
   */
  #offerMost(run, head, token) {
    const { words } = this;
    const most = token === null ? mostDifferent(run) : mostShifted(run, token);
    const by = token === null ? run.differences[most] : shiftOf(run, most, token).by;
    this.#most = [Math.floor(most / run.heads), most % run.heads];
    this.largest.hidden = head.join() === this.#most.join() || Math.abs(by) < LEAST;
    const values = { head: headName(words, run, most), pair: "", number: shown(by), token: "" };
    if (token !== null) {
      values.token = run.sentences[0].names[token];
      values.pair = pairText(run, most, token, "difference");
    }
    this.largest.textContent = fill(words[`largest_${token === null ? "difference" : "shift"}`], values);
  }
}

/**
 * @param {Row} row
 * @param {number} largest the largest difference of all rows
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
