// A text that is too long for the model: as much of it as is read.

import { button, fill } from "../kit/dom.js";

export class Cut {
  #texts = /** @type {string[]} */ ([]);
  #fits = 0;

  /**
   * @param {Record<string, string>} words
   * @param {(texts: string[]) => void} asked these are to be read
   */
  constructor(words, asked) {
    this.words = words;
    const onclick = () => asked(shortened(this.#texts, this.#fits));
    this.root = button({ class: "cut", hidden: true, onclick }, "");
  }

  /** Whether as much as fits is offered. */
  get isOffered() {
    return !this.root.hidden;
  }

  /**
   * @param {string[]} texts
   * @param {number} [fits] how many characters of the longest are read; none are offered where that is not known
   */
  offer(texts, fits = 0) {
    this.#texts = texts;
    this.#fits = fits;
    this.root.hidden = !fits;
    this.root.textContent = fill(this.words.cut, { count: fits });
  }
}

/** Some texts, the longest of them cut to so many characters. */
function shortened(texts, count) {
  const most = Math.max(...texts.map(({ length }) => length));
  return texts.map((text) => (text.length === most ? [...text].slice(0, count).join("") : text));
}
