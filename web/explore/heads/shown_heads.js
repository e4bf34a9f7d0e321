// Which heads' tables stand on the bench: those that were chosen, as many as have room beside each other.

import { widthOf } from "../../kit/column_widths.js";
import { fill } from "../../kit/dom.js";
import { digitWidth } from "./head_chips.js";
import { Choice, fitting } from "./head_choice.js";

export class Shown {
  #fits = Infinity; // heads that have room beside each other
  #choice = new Choice();

  /** @param {import("../explore.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
  }

  get #count() {
    return this.bench.model.dims.h;
  }

  /** Whether there is room for one head alone. */
  get isSingle() {
    return this.#fits === 1;
  }

  /** The heads that are shown, in order. */
  get heads() {
    return this.#choice.of(this.#count, this.#fits);
  }

  /** @param {number} head */
  choose(head) {
    this.#choice.show(head, this.#count, this.#fits);
  }

  /** @param {number} head that has come */
  add(head) {
    this.#choice.add(head, this.#count, this.#fits);
  }

  /** Other tokens come. */
  renew() {
    this.#choice.renew();
  }

  /** Other work comes. */
  forget() {
    this.#choice.forget();
  }

  /** See how many fit now. */
  measure() {
    const { root, tables, model } = this.bench;
    this.#fits = 1;
    if (!root.isConnected) return; // it has no width yet
    const { font, fontSize } = getComputedStyle(root);
    const em = Number.parseFloat(fontSize);
    const digit = digitWidth(font) / em;
    const needed = Array.from({ length: this.#count }, (_, head) => widthOf(model, head, digit));
    this.#fits = fitting(Math.max(...needed), tables.clientWidth / em);
  }

  /** Whether the tables may be laid out anew: not while a number is in the hand. */
  get #isFree() {
    return !this.bench.newest.previewed && !this.bench.grid.editing;
  }

  /** Another width: other heads may fit. */
  refit() {
    const { root, tables, view } = this.bench;
    if (!root.isConnected) return; // a page that is left has neither widths nor colours
    if (!view || !this.#isFree) return;
    if (!tables.clientWidth) return; // nor does one that is not on the screen before an audience
    this.measure();
    this.#reshow();
  }

  /** Have the tables of the heads that are to be shown, and of no others; where it is one, its lines as well. */
  #reshow() {
    const { bench } = this;
    if (bench.practice.leads || String(this.heads) === String(bench.view.heads)) return;
    bench.relay();
    if (this.isSingle) bench.overview.bring(bench.view.heads[0]);
  }

  /**
   * Show the tables of a head, where it is not shown.
   * @param {number | null} head
   */
  show(head) {
    if (head === null || this.bench.view.heads.includes(head)) return;
    this.choose(head);
    this.#reshow();
  }

  /**
   * A head's lines have been swiped to: where there is room for one head its tables follow.
   * @param {number} head
   */
  swiped(head) {
    if (this.isSingle && this.#isFree) this.show(head);
  }

  /**
   * A chip is pressed.
   * @param {number} head
   */
  toggle(head) {
    const { bench } = this;
    this.#choice.toggle(head, this.#count, this.#fits);
    this.#reshow();
    const list = bench.view.heads.map((one) => one + 1).join(", ");
    bench.announceText(fill(bench.words.heads_now, { list }));
    bench.looking.rest();
  }
}
