// Rotary positions: one row of Q, rotated with its columns paired in either way.

import { element, fill, fillNodes, p, rich, span, symbol } from "../kit/dom.js";
import { brief, format, isRounded, kindOf, largest, parenthesised, toneOf } from "../kit/numbers.js";
import { Section } from "./sheet.js";

const COLOURS = 16; // as many as there are for heads

/**
 * A number of Q (row 0) or of the rotated row (row 1), and its pair of columns.
 * @typedef {{ pairing: RotaryPairing; pair: number; row: number; col: number }} PairInfo
 */

/** @extends {Section<RotaryPairsModel, PairInfo>} */
export class RotaryPairs extends Section {
  /** @param {RotaryPairsModel} model */
  constructor(model) {
    super(model, "cards wide");
  }

  pictures() {
    return this.model.pairings.map((pairing) => this.#card(pairing));
  }

  /** @param {RotaryPairing} pairing */
  #card(pairing) {
    const { words } = this.model;
    const { name, title, users, code } = pairing;
    return element(
      "section",
      { class: "card", "aria-label": title, data: { pairs: name } },
      element("h3", {}, ...rich(title)),
      p("users", users),
      element("div", { class: "box" }, this.#table(pairing)),
      element("p", { class: "note" }, ...fillNodes(words.reorder, { code: [element("code", {}, code)] })),
    );
  }

  /** Q's row above the rotated one, each column below the name of its pair. @param {RotaryPairing} pairing */
  #table(pairing) {
    const { name, title, partners, rotated } = pairing;
    const { words, row } = this.model;
    /** @param {number} col */
    const pairOf = (col) => partners.findIndex((pair) => pair.includes(col));
    const rows = [row, rotated];
    const top = largest(rows);
    const across = row.map((_, c) => ({
      label: fill(words.pair_n, { pair: pairOf(c) + 1 }),
      start: c,
      stop: c + 1,
      accent: pairOf(c) % COLOURS,
    }));
    return this.sheet.table({
      label: title,
      hue: "q",
      rowLabels: ["Q", words.turned],
      colLabels: row.map((_, c) => String(c + 1)),
      across,
      cell: (r, c) => ({
        key: `${name}|${r}|${c}`,
        text: this.#shown(rows[r][c]),
        kind: kindOf(rows[r][c]),
        tone: toneOf(rows[r][c], top),
        info: { pairing, pair: pairOf(c), row: r, col: c },
      }),
    });
  }

  /** @param {number} value */
  #shown(value) {
    return format(value, Number.isInteger(value) ? 0 : this.model.decimals);
  }

  /**
   * A rotated number is made of both numbers of its pair; a number of Q goes into both.
   * @param {PairInfo} info
   * @param {HTMLTableCellElement} td
   */
  explainCell({ pairing, pair, row: r, col }, td) {
    const { words, row, angles, decimals, token } = this.model;
    const { name, rotated } = pairing;
    const partners = pairing.partners[pair];
    for (const partner of partners) this.sheet.mark(`${name}|${1 - r}|${partner}`, "operand");
    this.sheet.markOne(td, "current");
    /** @param {string} sign */
    const place = (sign) => span("place", symbol(sign), "[", element("bdi", {}, token), `, ${col + 1}]`);
    /** @param {number} value */
    const printed = (value) => parenthesised(brief(value, decimals));
    const angle = angles[pair];
    const note = ` (${fill(words.pair_n, { pair: pair + 1 })}: θ = ${brief(angle, decimals)})`;
    const by = span("quiet-text", note);
    if (!r) return [element("p", {}, place("Q"), " = ", element("strong", {}, this.#shown(row[col])), by)];
    const [a, b] = partners.map((partner) => printed(row[partner]));
    const theta = printed(angle);
    const line =
      col === partners[0]
        ? `${a} · cos ${theta} − ${b} · sin ${theta}`
        : `${a} · sin ${theta} + ${b} · cos ${theta}`;
    const all = [...partners.map((partner) => row[partner]), angle, rotated[col]];
    const equals = all.some((number) => isRounded(number, decimals)) ? "≈" : "=";
    const value = element("strong", {}, format(rotated[col], decimals));
    return [element("p", {}, place("Q_R"), ` = ${line} ${equals} `, value, by)];
  }
}
