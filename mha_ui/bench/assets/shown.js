// Which heads' tables stand on the bench: those that were chosen, as many as have room beside each other.

import { widthOf } from "../mha.web/widths.js";
import { Choice, fitting } from "./choice.js";
import { digitWidth } from "./heads.js";

export class Shown {
  fits = Infinity; // heads that have room beside each other
  #choice = new Choice();

  /** @param {import("./bench.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
  }

  get #count() {
    return this.bench.model.dims.h;
  }

  /** The heads that are shown, in order. */
  get heads() {
    return this.#choice.of(this.#count, this.fits);
  }

  /** @param {number} head */
  show(head) {
    this.#choice.show(head, this.#count, this.fits);
  }

  /** @param {number} head */
  toggle(head) {
    this.#choice.toggle(head, this.#count, this.fits);
  }

  /** See how many fit now. */
  measure() {
    const { root, tables, model } = this.bench;
    this.fits = 1;
    if (!root.isConnected) return; // it has no width yet
    const { font, fontSize } = getComputedStyle(root);
    const em = Number.parseFloat(fontSize);
    const digit = digitWidth(font) / em;
    const needed = Array.from({ length: this.#count }, (_, head) => widthOf(model, head, digit));
    this.fits = fitting(Math.max(...needed), tables.clientWidth / em);
  }
}
