// Lines in a text that is too long to draw them all: those of one query to the keys with its largest weights. The queries
// around it can be hovered over and chosen.

import { div, element, fill } from "../../kit/dom.js";
import { BOUND } from "../runs.js";
import { shown } from "../wording.js";
import { AttentionLines } from "./attention_lines.js";

const MOST_KEYS = 20;
const AROUND = 10; // queries before and after the chosen one

/**
 * The keys with a query's largest weights, in the order of keys, and the sum of these weights. A weight that is only
 * bounded is not among them.
 * @param {Float32Array} row
 * @param {Uint8Array | null} exact of the row; null where all are
 * @param {number} [most]
 */
export function strongest(row, exact, most = MOST_KEYS) {
  const known = [...row.keys()].filter((key) => row[key] > 0 && (!exact || exact[key]));
  const keys = known.sort((one, other) => row[other] - row[one]).slice(0, most);
  return {
    keys: keys.sort((one, other) => one - other),
    share: keys.reduce((sum, key) => sum + row[key], 0),
  };
}

export class StrongestLines {
  /** The queries and the keys that are shown. @type {number[]} */
  #queries = [];
  /** @type {number[]} */
  #keys = [];

  /** @param {PictureHost} host @param {Record<string, string>} words @param {import("../theme_colours.js").Colours} colours */
  constructor(host, words, colours) {
    this.words = words;
    /** @param {Pair | null} pair */
    const whole = (pair) => pair && { query: this.#queries[pair.query], key: this.#keys[pair.key] };
    /** @param {number | null} query */
    const queryAt = (query) => (query === null ? null : this.#queries[query]);
    this.lines = new AttentionLines(
      {
        chosen: (query) => host.chosen(queryAt(query)),
        hovered: (query) => host.hovered(queryAt(query)),
        pointed: (pair) => host.pointed(whole(pair)),
        picked: (pair, scrolls) => host.picked(/** @type {Pair} */ (whole(pair)), scrolls),
      },
      colours,
    );
    this.note = element("p", { class: "hint" });
    this.root = div("strongest", this.note, this.lines.root);
  }

  stop() {
    this.lines.stop();
  }

  /** @param {LinesContent} content @param {LinesPlace} place */
  update({ weights, texts, keyTexts, exact, sign, colour }, { token, pair, hovered }) {
    const [n, m] = [texts.length, keyTexts.length];
    const centre = pair?.query ?? token ?? n - 1;
    const query = hovered ?? centre;
    const row = weights.subarray(query * m, (query + 1) * m);
    const bounds = exact && sign === BOUND ? exact.subarray(query * m, (query + 1) * m) : null;
    const { keys, share } = strongest(row, bounds);
    const first = Math.max(0, Math.min(centre - AROUND, n - 2 * AROUND - 1));
    this.#queries = Array.from({ length: Math.min(n, 2 * AROUND + 1) }, (_, at) => first + at);
    this.#keys = keys;
    const values = { count: keys.length, all: m, token: texts[query], share: shown(share) };
    this.note.textContent = fill(this.words.lines_some, values);
    const lines = new Float32Array(this.#queries.length * keys.length);
    const [at, chosen] = [query, token ?? centre].map((one) => this.#queries.indexOf(one));
    for (const [col, key] of keys.entries()) lines[at * keys.length + col] = row[key];
    const isShown = pair && pair.query === query && keys.includes(pair.key);
    this.lines.update(
      {
        weights: lines,
        texts: this.#queries.map((one) => texts[one]),
        keyTexts: keys.map((key) => keyTexts[key]),
        exact: exact && Uint8Array.from(lines, (_, place) => exact[query * m + keys[place % keys.length]]),
        sign,
        colour,
      },
      {
        token: chosen < 0 ? null : chosen,
        pair: isShown ? { query: at, key: keys.indexOf(pair.key) } : null,
        hovered: at,
      },
    );
  }
}
