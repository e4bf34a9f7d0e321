// What the two colours of a picture of differences mean.

import { div, fill, span } from "../kit/dom.js";
import { format } from "../kit/numbers.js";

export class DifferenceLegend {
  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.most = span("quiet-text");
    this.root = div(
      "legend",
      span("legend-of larger", words.legend_more),
      span("legend-of smaller", words.legend_less),
      this.most,
    );
  }

  /** @param {number} most the difference that has the full colour */
  update(most) {
    this.most.textContent = fill(this.words.legend_most, { number: format(most, 4) });
  }
}
