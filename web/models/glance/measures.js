// What a head does in numbers: each measure as a bar, with a mark where it would be by chance.

import { div, element, fill, span } from "../../kit/dom.js";
import { measuresOf, shuffledOf } from "../runs.js";
import { behaviour, shown } from "../wording.js";

/** Measures that are no shares, and what they are counted in. */
const UNITS = { entropy: "unit_entropy", distance: "unit_distance" };

export class Measures {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.behaviour = element("p", { class: "does" });
    this.bars = element("dl", { class: "measures" });
    this.apart = element("dl", { class: "measures apart" });
    this.root = div("measured", this.behaviour, this.bars, this.apart);
  }

  /**
   * @param {ModelRun} run
   * @param {number} at the head's flat number
   * @param {Shuffled | null} shuffled
   */
  update(run, at, shuffled) {
    const { words } = this;
    const [sentence] = run.sentences;
    this.behaviour.textContent = behaviour(words, run, at);
    const differs = run.differences
      ? [{ name: "difference", number: run.differences[at], chance: Number.NaN, places: 0 }]
      : [];
    const measures = [...differs, ...measuresOf(run, sentence, at)].filter(
      ({ number }) => !Number.isNaN(number),
    );
    const [apart, shares] = [true, false].map((is) => measures.filter(({ name }) => is === name in UNITS));
    const row = ({ name, number, chance, places }) => {
      const most = name === "distance" ? Math.max(1, sentence.n - 1) : 1;
      return this.#row(name, number, { chance, shuffled: shuffledOf(shuffled, name, at) }, most, places);
    };
    this.bars.replaceChildren(...shares.flatMap(row));
    this.apart.replaceChildren(...apart.flatMap(row));
  }

  /** A measure's name, and its number as a bar with its marks, in words too. */
  #row(name, number, marks, most, places) {
    const { words } = this;
    const part = (of) => `${Math.min(100, (100 * of) / most).toFixed(1)}%`;
    const known = Object.entries(marks).filter(([, of]) => !Number.isNaN(of));
    const description = known
      .map(([mark, of]) => fill(words[`by_${mark}`], { number: shown(of) }))
      .join(", ");
    const signs = known.map(([mark, of]) =>
      element("span", { class: `bar-${mark}`, style: `--at: ${part(of)}` }),
    );
    const style = `--part: ${part(number)}; --hue: var(--look-${name}, var(--weight))`;
    const unit = name in UNITS ? [span("bar-unit", words[UNITS[name]])] : [];
    const count = places ? [span("bar-places", fill(words.places, { count: places }))] : [];
    return [
      element("dt", { title: words[`about_${name}`] }, words[`kind_${name}`]),
      element(
        "dd",
        { style, title: description },
        span("bar-of", ...signs),
        span("bar-number", shown(number)),
        ...unit,
        ...count,
        span("visually-hidden", description),
      ),
    ];
  }
}
