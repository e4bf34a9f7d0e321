// Which number is explained: the one that is pointed at, here or in a picture, else what has the focus, else what is held.

import { active } from "../kit/dom.js";
import { MOST_UNFOLDED } from "../kit/folding.js";
import { isClaim, isSame, key, termsOf, unkey, valueAt } from "../kit/graph.js";
import { pictures } from "../kit/pictures.js";
import { Pointing } from "../kit/selection.js";
import { beginningOf, gently, isInSight } from "./viewport.js";

export class Looking {
  /** @type {Cell | null} */
  pinned = null; // the cell that is held
  #inPicture = null; // the cell that is pointed at in a picture
  /** @type {Cell | null} */
  #written = null; // the last number of one's own that was written
  /** @type {Cell | null} */
  #next = null; // where the hand went from there
  #explaining = false; // it is about to be explained what is reached
  #announces = false; // and said to who cannot see it

  /** @param {import("./explore.js").Bench} bench */
  constructor(bench) {
    this.bench = bench;
    this.pointing = new Pointing(
      bench.tables,
      (td) => unkey(td.dataset.key),
      (focused) => {
        this.#announces ||= focused;
        if (focused) this.#movedOn();
        this.rest();
      },
    );
  }

  /** The cell whose arithmetic is shown. */
  get explained() {
    return this.#inPicture ?? this.#faulty ?? this.pointing.at ?? this.bench.practice?.meant ?? this.pinned;
  }

  /** @param {Cell} cell of somebody's own numbers that has just been written */
  wrote(cell) {
    this.#written = cell;
    this.#next = null;
  }

  /** The hand goes on from what was written; at the second step that is done with. */
  #movedOn() {
    const at = this.pointing.focused;
    if (!this.#written || isSame(at, this.#written)) return;
    if (this.#next && !isSame(at, this.#next)) this.#written = null;
    this.#next = at;
  }

  /** The number written last, where it is wrong and the hand is at the next one, of which there is nothing to say yet. */
  get #faulty() {
    const { model } = this.bench;
    const at = this.pointing.at;
    if (!this.#written || !at || !isSame(at, this.#next)) return null;
    const isBlank = isClaim(model, at.name) && valueAt(model, at) === "";
    const mark = model.marks?.[key(this.#written)];
    return isBlank && mark && mark !== "right" ? this.#written : null;
  }

  /** Explain it: once for all that one event does, since each explanation lights other cells. */
  rest() {
    if (this.#explaining) return;
    this.#explaining = true;
    queueMicrotask(() => {
      const { bench, explained } = this;
      this.#explaining = false;
      bench.explain.show(bench, explained, this.pinned);
      pictures.outline(explained);
      bench.overview.outline(explained);
      if (this.#announces) bench.announceText(bench.explain.text());
      this.#announces = false;
      bench.start.did("explained");
    });
  }

  /** @param {Cell} cell held from now on; where it is held, no longer */
  pin(cell) {
    const { bench } = this;
    this.pinned = isSame(this.pinned, cell) ? null : cell;
    if (this.pinned) {
      bench.shown.show(cell.head);
      bench.view.reveal([cell, ...fewOf(termsOf(bench.model, cell).flat())]);
    }
    bench.send({ op: "pin", cell: this.pinned });
    this.rest();
  }

  /** Let go of it; a focus that would be lost, since it is on a button that goes, goes to the cell. */
  unpin() {
    const { bench, pinned } = this;
    if (!pinned) return;
    const focused = active(bench.root);
    this.pinned = null;
    bench.send({ op: "pin", cell: null });
    this.rest();
    if (bench.explain.line.contains(focused) || document.activeElement === document.body)
      bench.view.cells.get(key(pinned))?.focus({ preventScroll: true });
  }

  /** A cell is pointed at in a picture; `null`: none is any more. */
  pointed(cell) {
    const away = this.#inPicture && !cell;
    this.#inPicture = cell;
    this.rest();
    if (away) this.bench.start.did("looked");
  }

  /** A cell is clicked in a picture: it is held here, and gone to. */
  chosen(cell) {
    this.#inPicture = null;
    if (!isSame(this.pinned, cell)) this.pin(cell);
    this.bench.goTo(cell);
    this.bench.start.did("looked");
  }

  /** The whole path of the number that is held is lit, or none; where it has just been asked for, its terms come into sight. */
  traced(path, begun) {
    const { bench } = this;
    bench.overview.trace(path);
    if (!begun) return;
    const terms = termsOf(bench.model, this.pinned).flat();
    const cells = terms.map((cell) => bench.view.cells.get(key(cell))).filter(Boolean);
    if (!cells.every((td) => isInSight(td, bench, 1))) bench.bring(beginningOf(cells[0]), gently(), "start");
  }

  /** Bring a number of the path into sight; the one that is held stays so, and has its arithmetic told. */
  goTo(cell) {
    const { bench } = this;
    bench.shown.show(cell.head);
    bench.view.reveal([cell]);
    bench.bring(beginningOf(bench.view.cells.get(key(cell))), "auto", "start");
  }
}

/** Terms, unless they are many: a table that unfolds for them would push away what was clicked; the line leads to each. */
const fewOf = (terms) => (terms.length <= 2 * MOST_UNFOLDED ? terms : []);
