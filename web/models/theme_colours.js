// The page's colours as numbers, for canvases to paint with.

import { element } from "../kit/dom.js";
import { colourOf } from "../kit/maps.js";

export class Colours {
  /** @type {Map<string, { sample: HTMLElement; colour: number[] | null }>} */
  #held = new Map();

  /** @param {() => void} changed the theme is another, and all of them with it */
  constructor(changed) {
    this.root = element("span", { class: "colours", "aria-hidden": "true" });
    this.root.addEventListener("transitionend", () => {
      for (const held of this.#held.values()) held.colour = null;
      changed();
    });
  }

  /**
   * The colour of a variable of the stylesheet, as red, green and blue.
   * @param {string} name
   * @returns {number[]}
   */
  of(name) {
    if (!this.#held.has(name)) {
      const sample = element("i", { style: `color: var(--${name})` });
      this.root.append(sample);
      this.#held.set(name, { sample, colour: null });
    }
    const held = this.#held.get(name);
    held.colour ??= colourOf(held.sample).slice(0, 3);
    return held.colour;
  }
}

/**
 * The name of the colour of what a head does.
 * @param {string} kind
 */
export const look = (kind) => `look-${kind}`;

/** @param {string} kind */
export const hue = (kind) => `--hue: var(--${look(kind)})`;
