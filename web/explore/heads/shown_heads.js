// Which heads' tables are shown: the chosen ones, as many as have room beside each other.

import { widthOf } from "../../kit/column_widths.js";
import { digitWidth } from "./head_chips.js";
import { Choice, fitting } from "./head_choice.js";

/**
 * `shownHeads`: the heads whose tables are on the page; `isFree`: whether the tables may be laid out again, that is, no
 * number is being dragged or typed; `isFixed`: whether an exercise decides which tables are shown; `bringHead`: bring
 * a head's lines into view.
 * @typedef {{
 *   readonly root: HTMLElement;
 *   readonly tables: HTMLElement;
 *   readonly model: ExploreModel;
 *   readonly shownHeads: number[];
 *   isFree: () => boolean;
 *   isFixed: () => boolean;
 *   relay: () => void;
 *   bringHead: (head: number) => void;
 * }} ShownHeadsHost
 */

export class ShownHeads {
  #room = Infinity; // how many heads have room beside each other
  #choice = new Choice();

  /** @param {ShownHeadsHost} host */
  constructor(host) {
    this.host = host;
  }

  get #count() {
    return this.host.model.dims.h;
  }

  /** Whether there is room for one head alone. */
  get isSingle() {
    return this.#room === 1;
  }

  /** The heads that are shown, in order. */
  get heads() {
    return this.#choice.shown(this.#count, this.#room);
  }

  /** @param {number} head */
  choose(head) {
    this.#choice.show(head, this.#count, this.#room);
  }

  /** @param {number} head that is new */
  add(head) {
    this.#choice.add(head, this.#count, this.#room);
  }

  /** The example has other tokens. */
  renew() {
    this.#choice.renew();
  }

  /** Another example is opened. */
  forget() {
    this.#choice.forget();
  }

  /** Work out how many heads fit now. */
  measure() {
    const { root, tables, model } = this.host;
    this.#room = 1;
    if (!root.isConnected) return; // it has no width yet
    const { font, fontSize } = getComputedStyle(root);
    const em = Number.parseFloat(fontSize);
    const digit = digitWidth(font) / em;
    const needed = Array.from({ length: this.#count }, (_, head) => widthOf(model, head, digit));
    this.#room = fitting(Math.max(...needed), tables.clientWidth / em);
  }

  /** The width has changed: another number of heads may fit. */
  refit() {
    const { root, tables } = this.host;
    if (!root.isConnected) return; // a page that is left has neither widths nor colours
    if (!this.host.isFree()) return;
    if (!tables.clientWidth) return; // nor has a stage that is not on screen before an audience
    this.measure();
    this.#relay();
  }

  /**
   * Lay out the tables of other heads, if others are to be shown. Where it is one head, bring its lines into view too.
   */
  #relay() {
    const { host } = this;
    if (host.isFixed() || String(this.heads) === String(host.shownHeads)) return;
    host.relay();
    if (this.isSingle) host.bringHead(host.shownHeads[0]);
  }

  /**
   * Show the tables of a head.
   * @param {number | null} head null: of a matrix that all heads share, which is always shown
   */
  show(head) {
    if (head === null || this.host.shownHeads.includes(head)) return;
    this.choose(head);
    this.#relay();
  }

  /**
   * The overview was swiped to a head: its tables follow, where there is room for one head.
   * @param {number} head
   */
  swiped(head) {
    if (this.isSingle && this.host.isFree()) this.show(head);
  }

  /**
   * Show the tables of a head, or hide them.
   * @param {number} head
   */
  toggle(head) {
    this.#choice.toggle(head, this.#count, this.#room);
    this.#relay();
  }
}
