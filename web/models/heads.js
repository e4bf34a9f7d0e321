// The heads of a run: its tokens, all heads at a glance, and one of them with its numbers. The numbers come from a source:
// the server, or what a page contains.

import { HeadView } from "./head/head_view.js";
import { HeadsOverview } from "./overview/heads_overview.js";
import { Tokens } from "./tokens/token_strip.js";

/**
 * What is shown of a run. `refused`: why its heads could not be opened.
 * @typedef {{
 *   run: ModelRun; place: FittedPlace; shuffled: Shuffled | null; missing: MissingParts; refused: string;
 * }} Shown
 */

export class Heads {
  /** @type {HeadNumbers[] | null} */
  #numbers = null;

  /**
   * @param {HeadSource} source
   * @param {ModelsHost} host
   * @param {Record<string, string>} words
   * @param {{ colours: import("./theme_colours.js").Colours; limits: Pick<ModelsLimits, "excess" | "chance">; opening: HeadOpening }} parts
   */
  constructor(source, host, words, { colours, limits, opening }) {
    this.source = source;
    this.tokens = new Tokens(host, words);
    this.overview = new HeadsOverview(host, words, colours);
    this.head = new HeadView(host, words, colours, limits, opening);
  }

  /** Get the numbers of a place's head. Until they are there, none are shown. @param {FittedPlace} place */
  async read(place) {
    this.#numbers = null;
    this.#numbers = await this.source.numbers(place);
  }

  /** @param {Shown} shown */
  update({ run, place, shuffled, missing, refused }) {
    this.tokens.update(run, place);
    this.overview.update(run, place, missing);
    this.head.update(run, place, this.#numbers, shuffled, refused);
  }

  /** If the chosen head is below the overview and out of sight, scroll to it. */
  reveal() {
    const [all, chosen] = [this.overview.root, this.head.root].map((node) => node.getBoundingClientRect());
    if (chosen.top >= all.bottom && chosen.top > window.innerHeight / 2) this.head.root.scrollIntoView();
  }

  stop() {
    this.overview.stop();
    this.head.stop();
  }
}
