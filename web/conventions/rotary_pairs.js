// Rotary positions: one row of Q, rotated with its columns paired in either way.

import { element, fill, p, rich, span, symbol } from "../kit/dom.js";
import { brief, format, isRounded, kindOf, largest, parenthesised, toneOf } from "../kit/numbers.js";
import { Section } from "./sheet.js";

const COLOURS = 16; // as many as heads have

export class Pairs extends Section {
  constructor(part) {
    super(part, "cards wide");
  }

  pictures() {
    return this.model.pairings.map((pairing) => this.#card(pairing));
  }

  #card(pairing) {
    const { words } = this.model;
    const { name, title, users, code } = pairing;
    return element(
      "section",
      { class: "card", "aria-label": title, data: { pairs: name } },
      element("h3", {}, ...rich(title)),
      p("users", users),
      element("div", { class: "box" }, this.#table(pairing)),
      element("p", { class: "note" }, `${words.reorder} `, element("code", {}, code)),
    );
  }

  /** Q's row over the rotated one; above each column stands its pair. */
  #table({ name, title, partners, rotated }) {
    const { words, row } = this.model;
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
        info: { name, rotated, pair: pairOf(c), partners: partners[pairOf(c)], row: r, col: c },
      }),
    });
  }

  #shown(value) {
    return format(value, Number.isInteger(value) ? 0 : this.model.decimals);
  }

  /** A rotated number is made of both numbers of its pair; a number of Q goes into both. */
  explainCell({ name, rotated, pair, partners, row: r, col }, td) {
    const { words, row, angles, decimals, token } = this.model;
    for (const one of partners) this.sheet.mark(`${name}|${1 - r}|${one}`, "operand");
    this.sheet.markOne(td, "current");
    const of = (sign) => span("place", symbol(sign), "[", element("bdi", {}, token), `, ${col + 1}]`);
    const printed = (value) => parenthesised(brief(value, decimals));
    const angle = angles[pair];
    const by = span(
      "quiet-text",
      ` (${fill(words.pair_n, { pair: pair + 1 })}: θ = ${brief(angle, decimals)})`,
    );
    if (!r) return [element("p", {}, of("Q"), " = ", element("strong", {}, this.#shown(row[col])), by)];
    const [a, b] = partners.map((one) => printed(row[one]));
    const theta = printed(angle);
    const line =
      col === partners[0]
        ? `${a} · cos ${theta} − ${b} · sin ${theta}`
        : `${a} · sin ${theta} + ${b} · cos ${theta}`;
    const rounded = [...partners.map((one) => row[one]), angle, rotated[col]].some((n) =>
      isRounded(n, decimals),
    );
    const value = element("strong", {}, format(rotated[col], decimals));
    return [element("p", {}, of("Q_R"), ` = ${line} ${rounded ? "≈" : "="} `, value, by)];
  }
}
