// Which heads' tables are shown: the chosen ones, as many as have room beside each other.

import { isBeforeAudience } from "../../kit/audience.js";
import { isShortened, narrowFor, widthOf } from "../../kit/column_widths.js";
import { digitWidth } from "./head_chips.js";
import { Choice, fitting, NARROW, widest } from "./head_choice.js";

const NARROW_FROM = 721; // px of the window: narrower ones show one head at a time, in columns for a finger
const SMALL = 6 / 7; // em, of the text in narrow columns
const FEWEST = 1; // decimals of a number below ten in the narrowest columns

/**
 * `shownHeads`: the heads whose tables are on the page; `shownDigits`: how many digits their narrow columns have;
 * `areTablesOpen`: whether large tables are shown as a whole; `isFree`: whether the tables may be laid out again, that is,
 * no number is being dragged or typed; `isFixed`: whether an exercise decides which tables are shown; `bringHead`: bring a head's lines into view.
 * @typedef {{
 *   readonly root: HTMLElement;
 *   readonly tables: HTMLElement;
 *   readonly model: ExploreModel;
 *   readonly shownHeads: number[];
 *   readonly shownDigits: number | undefined;
 *   readonly areTablesOpen: boolean;
 *   isFree: () => boolean;
 *   isFixed: () => boolean;
 *   relay: () => void;
 *   bringHead: (head: number) => void;
 * }} ShownHeadsHost
 */

export class ShownHeads {
  #room = Infinity; // how many heads have room beside each other
  /** @type {number | undefined} */
  #digits; // of narrow columns
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

  /** How many digits fit into a column, where columns are narrow so that more heads fit. */
  get digits() {
    return this.#digits;
  }

  /** Whether numbers have fewer decimals than are set, because columns are narrow. */
  get isShortened() {
    const { model } = this.host;
    const digits = this.#digits;
    if (digits === undefined) return false;
    const own = Object.keys(model.matrices).filter((name) => model.matrices[name].perHead);
    return own.some((name) => this.heads.some((head) => isShortened(model, name, head, digits)));
  }

  /** Work out how many heads fit now, and how narrow their columns are for that. */
  measure() {
    const { root, tables } = this.host;
    this.#room = 1;
    this.#digits = undefined;
    if (!root.isConnected) return; // it has no width yet
    const { font, fontSize } = getComputedStyle(root);
    const em = Number.parseFloat(fontSize);
    const digit = digitWidth(font) / em;
    const width = tables.clientWidth / em;
    const ways = this.#ways().map((digits) => {
      const needed = Math.max(...this.#widths(digit, digits));
      const fits = digits === undefined ? fitting(needed, width) : fitting(SMALL * needed, width, NARROW);
      return { digits, fits };
    });
    const { fits, digits } = widest(ways, this.#count);
    [this.#room, this.#digits] = [fits, digits];
  }

  /** Columns of the usual width, and ever narrower ones: a reader who has chosen the decimals gets them all. */
  #ways() {
    const { model } = this.host;
    if (innerWidth < NARROW_FROM || isBeforeAudience() || model.check) return [undefined];
    if (model.decimals_chosen) return [undefined, Infinity];
    const fewer = Array.from(
      { length: Math.max(1, model.decimals - FEWEST + 1) },
      (_, by) => model.decimals - by,
    );
    return [undefined, ...fewer.map(narrowFor)];
  }

  /** @type {(digit: number, digits: number | undefined) => number[]} */
  #widths(digit, digits) {
    const { model, areTablesOpen } = this.host;
    return Array.from({ length: this.#count }, (_, head) =>
      widthOf(model, head, digit, digits, areTablesOpen),
    );
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
    const isSame = String(this.heads) === String(host.shownHeads) && this.#digits === host.shownDigits;
    if (host.isFixed() || isSame) return;
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
