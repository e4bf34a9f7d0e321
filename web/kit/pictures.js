// The pictures on a page and the bench (the editable tables) beside them, where there is one; neither imports the
// other. Pictures of the bench's example follow its numbers: those of cells alone at once, others by the live channel. A
// cell that is pointed at in one is shown in the other.

import { isSame } from "./graph.js";
import { Mounted } from "./mounted.js";

/** Resolves once the browser has painted the page as it is now. */
export const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
/** @type {(ms?: number) => Promise<void>} */
const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

class Pictures {
  /** @type {Set<Picture>} */
  #drawn = new Set();
  /** @type {Mounted<CellReader>} */
  #benches = new Mounted();
  /** @type {Cell | null} */
  #cell = null;
  /** @type {Record<string, Drawn> | null} */
  #latest = null; // pictures that the channel has answered
  /** @type {Model | null} */
  #newest = null; // the bench's numbers, until the page has answered
  /** @type {Model | null} */
  #model = null; // the same, until the pictures show them
  #drawing = false;

  /**
   * The revision of the example whose numbers the bench shows; null while it shows numbers that the page has not stored
   * yet, undefined where there is no bench.
   * @type {number | null | undefined}
   */
  revision;

  /** @param {Picture} picture */
  add(picture) {
    this.#drawn.add(picture);
    picture.outline(this.#cell);
  }

  /** @param {Picture} picture */
  remove(picture) {
    this.#drawn.delete(picture);
  }

  // --- called by the bench -----------------------------------------------------------------------------------------

  /** @param {CellReader} bench */
  enter(bench) {
    this.#benches.enter(bench);
  }

  /** @param {CellReader} bench */
  leave(bench) {
    this.#benches.leave(bench);
    if (this.#benches.last) return;
    this.revision = undefined;
    this.outline(null);
  }

  /**
   * What the live channel is asked for: the pictures in view.
   * @returns {LiveWish}
   */
  get asked() {
    const wanted = [...this.#drawn].flatMap(({ isInView, follows, needsServer }) =>
      isInView && follows?.is_live && needsServer ? [follows] : [],
    );
    if (!wanted.length) return {};
    const [{ theme, query }] = wanted;
    return { figures: { names: wanted.map(({ name }) => name), theme, query } };
  }

  /** Whether one is in view that only the page's own answer brings up to date. */
  get needPage() {
    return [...this.#drawn].some(({ isInView, follows }) => isInView && follows && !follows.is_live);
  }

  /** The names of those that follow the bench and are out of view. */
  get unseen() {
    return [...this.#drawn].flatMap(({ isInView, follows }) => (isInView || !follows ? [] : [follows.name]));
  }

  /**
   * The bench shows these numbers, which the page has not answered yet.
   * @param {Model} model
   */
  show(model) {
    this.#newest = this.#model = model;
    this.#draw();
  }

  /** @param {Record<string, Drawn>} figures */
  answered(figures) {
    this.#latest = figures;
    this.#draw();
  }

  #draw() {
    if (this.#drawing) return;
    this.#drawing = true;
    this.#drawAll().finally(() => (this.#drawing = false));
  }

  /** Draw once the bench's numbers are painted. */
  async #drawAll() {
    while (this.#model || this.#latest) {
      await painted();
      await this.#showNumbers();
      if (this.#latest) await this.#drawAnswered(this.#latest);
    }
  }

  async #showNumbers() {
    const model = this.#model;
    this.#model = null;
    if (!model) return;
    for (const picture of this.#drawn) if (picture.follows && picture.isInView) await picture.show(model);
  }

  /**
   * Draw the channel's pictures one by one, but none that a newer answer has overtaken. While more answers come, drawing
   * takes at most half of the time: the numbers need the rest.
   * @param {Record<string, Drawn>} drawn
   */
  async #drawAnswered(drawn) {
    for (const picture of this.#drawn) {
      await pause();
      const { follows } = picture;
      const figure = follows && this.#latest?.[follows.name];
      if (!figure || follows.revision === this.revision) continue;
      const begin = performance.now();
      await picture.take(figure);
      if (this.#latest !== drawn) await pause(performance.now() - begin);
    }
    if (this.#latest === drawn) this.#latest = null;
    this.#model ??= this.#newest; // those drawn may be of earlier numbers
  }

  /**
   * The bench shows the numbers of this revision; null where the page has not stored them yet.
   * @param {number | null} revision
   */
  follow(revision) {
    if (revision === this.revision) return;
    this.revision = revision;
    if (revision !== null) this.#newest = this.#model = null;
    for (const picture of this.#drawn) picture.refresh();
  }

  /** @param {Cell | null} cell */
  outline(cell) {
    if (cell === this.#cell || isSame(cell, this.#cell)) return;
    this.#cell = cell;
    for (const picture of this.#drawn) picture.outline(cell);
  }

  // --- called by a picture -----------------------------------------------------------------------------------------

  /** A picture has come into view, and only its texts were sent. */
  missed() {
    this.#benches.last?.answerAgain();
  }

  /** @param {Cell | null} cell */
  pointed(cell) {
    this.#benches.last?.pointed(cell);
  }

  /** @param {Cell} cell */
  chosen(cell) {
    this.#benches.last?.chosen(cell);
  }
}

/** One for the page, whichever of its components come and go. */
export const pictures = new Pictures();
