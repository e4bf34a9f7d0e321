// The stylesheet's colours as numbers, for canvases to paint with.

import { element } from "../kit/dom.js";
import { colourOf } from "../kit/maps.js";

export class Colours {
  /** @type {Map<string, { sample: HTMLElement; colour: number[] | null }>} */
  #samples = new Map();

  /** @param {() => void} changed the theme is another, and all colours with it */
  constructor(changed) {
    this.root = element("span", { class: "colours", "aria-hidden": "true" });
    this.root.addEventListener("transitionend", () => {
      for (const sample of this.#samples.values()) sample.colour = null;
      changed();
    });
  }

  /**
   * The colour of a variable of the stylesheet, as red, green and blue.
   * @param {string} name
   * @returns {number[]}
   */
  of(name) {
    const entry = this.#samples.get(name) ?? this.#add(name);
    entry.colour ??= colourOf(entry.sample).slice(0, 3);
    return entry.colour;
  }

  /** @param {string} name */
  #add(name) {
    const sample = element("i", { style: `color: var(--${name})` });
    this.root.append(sample);
    /** @type {{ sample: HTMLElement; colour: number[] | null }} */
    const entry = { sample, colour: null };
    this.#samples.set(name, entry);
    return entry;
  }
}

/**
 * The name of the colour for what a head does.
 * @param {string} kind
 */
export const colourName = (kind) => `look-${kind}`;

/** @param {string} kind */
export const hueStyle = (kind) => `--hue: var(--${colourName(kind)})`;
