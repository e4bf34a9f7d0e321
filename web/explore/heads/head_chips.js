// The chips that choose which heads' tables are shown, where not all of them fit beside each other.

import { accent, button, element, fill, setAttribute, setText, span } from "../../kit/dom.js";
import { paintWeights } from "../../kit/maps.js";
import { unshown } from "../../kit/table_parts.js";

/**
 * How many pixels wide a digit is.
 * @param {string} font
 */
export function digitWidth(font) {
  const context = document.createElement("canvas").getContext("2d");
  if (!context) return 0;
  context.font = font;
  return context.measureText("0").width;
}

/** A button for each head, with its weights as a small map. */
export class HeadChips {
  /** @type {{ chip: HTMLButtonElement; map: HTMLCanvasElement }[]} */
  #chips = [];

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    this.note = span("quiet-text");
    this.fewer = element("span", {});
    const all = button(
      { class: "quiet", data: { do: "all_decimals", focus: "all decimals" } },
      words.all_decimals,
    );
    this.fewerDecimals = element("p", { class: "fewer-decimals tables-note", hidden: true }, this.fewer, all);
    this.root = element("div", { class: "head-chips", role: "group", "aria-label": words.heads_shown });
  }

  /**
   * @param {Model} model
   * @param {number[]} shown
   * @param {boolean} isNarrow whether columns are so narrow that numbers may have fewer decimals
   * @param {boolean} isShortened whether any has
   */
  update(model, shown, isNarrow, isShortened) {
    this.fewerDecimals.hidden = !isNarrow;
    const count = model.dims.h;
    this.root.hidden = shown.length === count;
    setText(this.fewer, fill(this.words.fewer_decimals, { count: shown.length }));
    this.draw(model, isShortened);
    if (this.root.hidden) return;
    if (this.#chips.length !== count) this.#build(count);
    for (const [head, { chip }] of this.#chips.entries())
      setAttribute(chip, "aria-pressed", String(shown.includes(head)));
    const { text: list } = unshown(count, shown);
    setText(this.note, fill(this.words.heads_fit, { shown: shown.length, all: count, list }));
    this.#drawMaps(model);
  }

  /** @param {number} count */
  #build(count) {
    this.#chips = Array.from({ length: count }, (_, head) => {
      const map = element("canvas", { "aria-hidden": "true" });
      const attributes = {
        class: "head-chip",
        style: accent(head),
        data: { do: "show_head", head, focus: `show head ${head}` },
      };
      return { chip: button(attributes, map, `${this.words.head} ${head + 1}`), map };
    });
    this.root.replaceChildren(...this.#chips.map(({ chip }) => chip), this.note);
  }

  /**
   * The weights have changed.
   * @param {Model} model
   * @param {boolean} isShortened whether numbers have fewer decimals, so that more heads fit
   */
  draw(model, isShortened) {
    this.fewerDecimals.style.visibility = isShortened ? "" : "hidden"; // its place is kept: nothing moves by an edit
    if (!this.root.hidden) this.#drawMaps(model);
  }

  /** @param {Model} model */
  #drawMaps(model) {
    for (const [head, { map }] of this.#chips.entries()) paintWeights(map, model, head);
  }
}
