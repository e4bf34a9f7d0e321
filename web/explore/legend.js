// The legend: what the colours show, in a sentence and on a scale.

import { element, rich, span } from "../kit/dom.js";
import { topOfAll } from "../kit/lens.js";
import { brief } from "../kit/numbers.js";

export class Legend {
  #shownSummary = "";

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.ramp = element("span", { class: "ramp", "aria-hidden": "true" });
    this.summary = element("span", { class: "summary", "aria-live": "polite" });
    this.about = span("quiet-text");
    this.root = element(
      "section",
      { class: "legend", "aria-label": words.lens_about, hidden: true },
      this.ramp,
      this.summary,
      this.about,
    );
  }

  /** @param {Model} model */
  update(model) {
    this.root.hidden = !model.lens;
    if (!model.lens) return;
    const { kind, summary } = model.lens;
    if (summary !== this.#shownSummary) this.summary.replaceChildren(...rich(summary));
    this.#shownSummary = summary;
    this.about.textContent = this.words[`legend_${kind}`];
    this.ramp.hidden = kind !== "gradient";
    if (this.ramp.hidden) return;
    const top = topOfAll(model);
    const marks = [-top, -top / 4, 0, top / 4, top].map((mark) => element("span", {}, brief(mark, 6)));
    this.ramp.replaceChildren(...marks);
  }
}
