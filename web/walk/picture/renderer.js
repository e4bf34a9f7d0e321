// The stage: the picture of a step, or of what it makes in two heads, and the line of arithmetic below it.

import { div, element, fill, span } from "../../kit/dom.js";
import { enlarge, fitPicture, fits, leastOf } from "./audience_stage.js";
import { ALL, FEW } from "./excerpt.js";
import { Picture } from "./picture.js";
import { lineOf } from "./placeline.js";
import { Predictions } from "./predictions.js";
import { focusOf, isOneResult } from "./scene.js";
import { pairOf } from "./two_heads.js";

const MOST_TERMS = [10, 8, 6, 5, 4, 3, 2]; // of a sum in the line of arithmetic before an audience
const NEARER = [1, 1.25, 1.5, 2]; // of the type of a picture that is alone
const NARROW = 720; // pixels of a walk on a telephone
const NARROW_NAME = 3.6; // characters of a name in a line there, at the least
const HALF_NAME = 6.6; // of a row's: it then stands in two lines
const SMALLEST = 11; // pixels of its type, below which it had rather scroll
const WIDE = 1000; // pixels of a walk whose pictures have room for words

export class Easel {
  /** @type {Picture} */
  picture = null;
  #pair = null;
  #asked = []; // the cells that are asked for
  refused = ""; // why what was typed last is no number
  /** @type {(text: string) => (Node | string)[]} */
  #laid = (text) => [text];
  #drawn = "";

  /** @param {import("../walk.js").Walk} walk */
  constructor(walk) {
    this.walk = walk;
    this.stand = div("stand");
    this.root = element("div", { class: "stage", tabindex: -1 }, this.stand);
    this.line = div("line");
    this.more = element("p", { class: "more", hidden: true }, walk.model.words.scroll);
  }

  // --- what is asked for -------------------------------------------------------------------------------------------

  /** The question of the place. */
  get question() {
    const { place } = this.walk.way;
    return Predictions.question(place, place.beat !== null && isOneResult(this.picture, place));
  }

  get #asks() {
    return this.walk.predictions.asks(this.walk.way.step);
  }

  /** Whether what this place makes is still hidden. */
  get hiding() {
    return this.#asks && this.walk.predictions.hides(this.question);
  }

  /** The cell whose arithmetic is told. */
  get focus() {
    return focusOf(this.picture, this.walk.way.place);
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  /** What stands on the stage. */
  get #shown() {
    return this.#pair ?? this.picture;
  }

  /** Draw the step, or lay it out for another place of it; whether it is another one. */
  draw() {
    const { model, view, heads, way, predictions } = this.walk;
    const drawn = [
      model.revision,
      model.lang,
      way.place.stage,
      way.walked?.name,
      view,
      predictions.on,
      heads,
    ].join(" ");
    const isAnother = drawn !== this.#drawn;
    if (isAnother) this.#draw();
    else this.#shown.lay(way.place);
    this.#drawn = drawn;
    return isAnother;
  }

  #draw() {
    const { model, view, heads, way, predictions, panel, root } = this.walk;
    const { stage, step, walked, place } = way;
    const most = view ? FEW : ALL;
    panel.show(stage, place.stage, walked);
    this.picture = new Picture(model, stage, step, { inShort: stage.kind === "head" && !walked });
    this.picture.lay(place, most);
    this.#pair = predictions.on ? null : pairOf(model, stage, step, heads);
    this.#pair?.lay(place, most);
    this.stand.replaceChildren(this.#shown.root);
    if (view) return;
    if (this.#shown.slot && root.clientWidth > WIDE) this.picture.slot.append(panel.root);
    else this.root.prepend(panel.root);
  }

  /** Bring the picture to the place. */
  show() {
    const { way, predictions } = this.walk;
    const { hiding } = this;
    this.refused = "";
    this.walk.root.classList.remove("refused");
    this.#asked = this.picture.show(way.place, {
      hiding,
      revealed: this.#asks && !hiding,
      answers: predictions.answers,
      onAnswer: (one, text) => predictions.answer(one, text),
    });
    this.#pair?.show(way.place);
  }

  /**
   * The line of arithmetic; before an audience with as many terms as there is room for, and where even the fewest leave
   * none for a remark, without that.
   */
  writeLine() {
    const { way, view } = this.walk;
    const { hiding } = this;
    const isShifted = Boolean(way.stage.powers?.some((row) => row.shift));
    const terms = view ? MOST_TERMS : [Infinity];
    (view && isShifted ? [true, false] : [isShifted]).some((remarking) =>
      terms.some((most) => {
        const line = lineOf(this.picture, way.place, { hiding, most });
        this.line.replaceChildren(...line, ...this.#remarks(hiding, remarking));
        return fits(this.line);
      }),
    );
  }

  /**
   * @param {boolean} hiding
   * @param {boolean} remarking whether it is said that the largest score of a row is subtracted first
   */
  #remarks(hiding, remarking) {
    const { words } = this.walk.model;
    const verdict = this.#asks && !hiding ? this.#verdict(words) : "";
    const remarks = [];
    if (remarking) remarks.push(words.shifted);
    if (hiding && !this.refused) remarks.push(...this.#asking(words));
    return [
      ...(verdict ? [element("strong", { class: "verdict" }, verdict)] : []),
      ...remarks.map((text) => span("remark", text)),
      ...(this.refused ? [span("remark refused", ...this.#laid(this.refused))] : []),
    ];
  }

  /** That something is asked for: nothing where a telephone asks for it beside the walk. */
  #asking(words) {
    const { around, way } = this.walk;
    if (around.withholds?.(way.place)) return [];
    return [this.stand.querySelector("input.answer") ? words.asked : words.asked_here];
  }

  /**
   * @param {string} sentence what was wrong with a number that was typed, or ""
   * @param {(text: string) => (Node | string)[]} [laid] as nodes: what somebody typed stays as it is
   */
  refuse(sentence, laid = (text) => [text]) {
    this.refused = sentence;
    this.#laid = laid;
    this.walk.root.classList.toggle("refused", Boolean(sentence));
    this.writeLine();
  }

  #verdict(words) {
    const { given, right } = this.walk.predictions.tally(this.#asked);
    return given ? fill(words.verdict, { right, asked: given }) : "";
  }

  /** The line of arithmetic without the terms that are still to come. */
  get lineText() {
    return [...this.line.children]
      .filter((node) => !node.classList.contains("unseen"))
      .map((node) => node.textContent)
      .join("");
  }

  // --- fitting -----------------------------------------------------------------------------------------------------

  get isTooSmall() {
    return !fits(this.root);
  }

  /** Before an audience nothing sticks out of its zone; where the window is too small for that one scrolls, and is told so. */
  fit() {
    const { view } = this.walk;
    this.root.style.removeProperty("--size");
    this.root.classList.remove("tight", "stacked", "broken");
    this.more.hidden = true;
    if (!view) return this.#fitNarrow();
    this.more.hidden = this.#fitAbove(leastOf(view));
  }

  /**
   * On a telephone a picture that is somewhat too wide is smaller, and not cut; where that is not enough columns stand
   * closer, and then names are narrow.
   */
  #fitNarrow() {
    const { stand, walk } = this;
    stand.style.removeProperty("font-size");
    for (const name of ["--name", "--side"]) stand.style.removeProperty(name);
    stand.classList.remove("packed");
    if (walk.root.clientWidth > NARROW) return;
    for (let again = 3; again && stand.scrollWidth > stand.clientWidth; again--) {
      const size = Number.parseFloat(getComputedStyle(stand).fontSize);
      const fitting = Math.floor((10 * size * stand.clientWidth) / stand.scrollWidth) / 10;
      stand.style.fontSize = `${Math.max(SMALLEST, fitting)}px`;
    }
    const isTooWide = () => stand.scrollWidth > stand.clientWidth;
    stand.classList.toggle("packed", isTooWide());
    if (isTooWide()) stand.style.setProperty("--side", String(HALF_NAME));
    if (isTooWide())
      for (const name of ["--name", "--side"]) stand.style.setProperty(name, String(NARROW_NAME));
  }

  /** @param {number} least pixels of its type */
  #fitAbove(least) {
    return fitPicture(this.root, least, (rows, cols) => {
      if (this.#shown.lay(this.walk.way.place, { rows, cols })) this.show();
    });
  }

  /**
   * A closer look: the picture alone, as large as it fits; beyond that larger still, and fewer rows and columns of it, so
   * that nothing is cut. Returns the level that there is room for.
   * @param {number} level 0: none
   */
  closeUp(level) {
    const { classList } = this.walk.root;
    classList.remove("close");
    this.fit();
    if (!level) return 0;
    classList.add("close");
    const size = enlarge(this.root);
    for (let at = Math.min(level, NEARER.length); at > 1; at--)
      if (this.#fitAbove(Math.round(size * NEARER[at - 1]))) return at;
    return level > 1 ? this.closeUp(1) : 1;
  }

  /** What is new is in sight, also where the picture is larger than the window. */
  follow() {
    const { root } = this.#shown;
    const current = root.querySelector("td.current, td.now") ?? root.querySelector(".result td");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
