// What a head does in numbers: each measure as a bar, with a mark where it would be by chance.

import { div, element, fill, span } from "../../kit/dom.js";
import { isOfTwo, measuresOf, shuffledOf } from "../runs.js";
import { behaviour, measureText, UNITS } from "../wording.js";

export class Measures {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.behaviour = element("p", { class: "does" });
    this.shares = element("dl", { class: "measures" });
    this.others = element("dl", { class: "measures apart" });
    this.root = div("measured", this.behaviour, this.shares, this.others);
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
    const difference = isOfTwo(run)
      ? [{ name: "difference", number: run.differences[at], chance: Number.NaN, places: 0 }]
      : [];
    const measures = [...difference, ...measuresOf(run, sentence, at)].filter(
      ({ number }) => !Number.isNaN(number),
    );
    const [others, shares] = [true, false].map((has) => measures.filter(({ name }) => has === name in UNITS));
    /** @param {HeadMeasure} measure */
    const row = (measure) => {
      const most = measure.name === "distance" ? Math.max(1, sentence.n - 1) : 1;
      return this.#row(measure, shuffledOf(shuffled, measure.name, at), most);
    };
    this.shares.replaceChildren(...shares.flatMap(row));
    this.others.replaceChildren(...others.flatMap(row));
  }

  /**
   * A measure's name, and its number as a bar with its marks, in words too.
   * @param {HeadMeasure} measure
   * @param {number} shuffled the same on the words in other orders; NaN where that is not shown
   * @param {number} most what fills the bar
   */
  #row({ name, number, chance, places }, shuffled, most) {
    const { words } = this;
    /** @param {number} value */
    const part = (value) => `${Math.min(100, (100 * value) / most).toFixed(1)}%`;
    const marks = Object.entries({ chance, shuffled }).filter(([, value]) => !Number.isNaN(value));
    const description = marks
      .map(([mark, value]) => fill(words[`by_${mark}`], { number: measureText(name, value) }))
      .join(words.comma);
    const signs = marks.map(([mark, value]) =>
      element("span", { class: `bar-${mark}`, style: `--at: ${part(value)}` }),
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
        span("bar-number", measureText(name, number)),
        ...unit,
        ...count,
        span("visually-hidden", description),
      ),
    ];
  }
}
