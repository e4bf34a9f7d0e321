// The stage: the picture of a step, or of what it computes in two heads, and the line of arithmetic below it.

import { div, element, fill, span } from "../../kit/dom.js";
import { key } from "../../kit/graph.js";
import { cellFollowed } from "../followed.js";
import { lineOf } from "./arithmetic_line.js";
import { enlarge, fitPicture, fits, leastOf } from "./audience_stage.js";
import { ALL, FEW } from "./excerpt.js";
import { Picture } from "./picture.js";
import { Predictions } from "./predictions.js";
import { focusOf, isOneResult, isWhole } from "./scene.js";
import { pairOf } from "./two_heads.js";

const MOST_TERMS = [10, 8, 6, 5, 4, 3, 2]; // of a sum in the line of arithmetic before an audience
const CLOSER = [1, 1.25, 1.5, 2]; // of the type of a picture that is shown alone
const NARROW = 720; // pixels of a walk on a phone
const NARROW_NAME = 3.6; // characters of a name in one line there, at least
const HALF_NAME = 6.6; // of a row's name, which is then in two lines
const SMALLEST = 11; // pixels of the type there; below that the picture scrolls
const WIDE = 1000; // pixels of a walk whose pictures have room for words
const FEW_ROWS = 4; // of softmax, whose three tables are then above one another
const SIZES = [2.2, 2, 1.8, 1.6, 1.4, 1.3, 1.2, 1.1, 1, 0.9]; // of a picture's type, of which the window decides
const BESIDES = 260; // pixels of the window above the walk, and below its picture
const WORDS = 380; // pixels for the words beside a picture

export class Renderer {
  #host;
  #frame = div("stand"); // around the picture
  /** @type {Picture | null} */
  #picture = null;
  /** @type {import("./two_heads.js").Pair | null} */
  #pair = null;
  /** @type {ResultCell[]} */
  #asked = []; // the cells that are asked for
  #refused = ""; // why what was typed last is no number
  /** @type {(text: string) => Child[]} */
  #refusedNodes = (text) => [text];
  #rendered = ""; // the step that is rendered, and how

  /** @param {RendererHost} host */
  constructor(host) {
    this.#host = host;
    this.root = element("div", { class: "stage", tabindex: -1 }, this.#frame);
    this.line = div("line");
    this.more = element("p", { class: "more", hidden: true }, host.model.words.scroll);
  }

  /** The picture of the step. Raises before one is rendered. */
  get picture() {
    if (!this.#picture) throw new Error("no step is rendered");
    return this.#picture;
  }

  // --- what is asked for -------------------------------------------------------------------------------------------

  /** The question of the place. */
  get question() {
    const { place } = this.#host.route;
    return Predictions.question(place, place.beat !== null && isOneResult(this.picture, place));
  }

  get #asks() {
    return this.#host.predictions.asks(this.#host.route.step);
  }

  /** Whether what this place computes is still hidden. */
  get hiding() {
    return this.#asks && this.#host.predictions.hides(this.question);
  }

  /** The cell whose arithmetic is shown. */
  get focus() {
    return focusOf(this.picture, this.#host.route.place);
  }

  // --- rendering ---------------------------------------------------------------------------------------------------

  /** What is on the stage. */
  get #shown() {
    return this.#pair ?? this.picture;
  }

  /** Render the step, or lay it out for another place of it. Returns whether it is another step. */
  draw() {
    const { route, predictions, heads } = this.#host;
    const rendered = [route.place.stage, route.walked?.name, predictions.on, heads()].join(" ");
    const isAnother = rendered !== this.#rendered;
    if (isAnother) this.#render();
    else {
      this.picture.about = null;
      this.#shown.layOut(route.place);
    }
    this.#rendered = rendered;
    return isAnother;
  }

  #render() {
    const { root, model, view, route, predictions, panel, heads } = this.#host;
    const { stage, step, walked, place } = route;
    const most = view ? FEW : ALL;
    this.#pair = predictions.on ? null : pairOf(model, stage, step, heads());
    panel.show(stage, place.stage, walked, this.#pair?.heads ?? null);
    this.#picture = new Picture(model, stage, step, { inShort: stage.kind === "head" && !walked });
    this.#picture.layOut(place, most);
    this.#pair?.layOut(place, most);
    this.#frame.replaceChildren(this.#shown.root);
    if (view) return;
    panel.root.remove();
    this.root.classList.toggle("stacked", step?.layout === "softmax" && model.labels.n_q.length <= FEW_ROWS);
    const { slot, root: shown } = this.#shown;
    const isBeside = shown.scrollWidth + WORDS < root.clientWidth;
    if (slot && !isBeside && root.clientWidth > WIDE) slot.append(panel.root);
    else this.root.prepend(panel.root);
  }

  /** While numbers are predicted, what the step does to one token is said once the whole step is revealed. */
  #showExample() {
    const { route, panel, predictions } = this.#host;
    const isRevealed = this.#asks && !this.hiding && route.place.part === null;
    panel.showExample(route.stage, route.walked, (predictions.on && !isRevealed) || this.#pair !== null);
  }

  /**
   * The model's numbers have changed in place: show them where the walk is.
   * @param {Cell | null} about the result whose arithmetic is shown where all are
   */
  repaint(about) {
    const { picture } = this;
    picture.about = isWhole(picture, this.#host.route.place) ? about : null;
    const isWider = picture.repaint();
    this.show();
    this.writeLine();
    if (isWider) this.fit();
  }

  /**
   * Show the arithmetic of a number of the picture until the walk moves. Returns whether there is a number.
   * @param {HTMLElement} td
   */
  explain(td) {
    const { picture } = this;
    const cell = picture.numberIn(td);
    if (!cell) return false;
    picture.about = cell;
    this.show();
    this.writeLine();
    return true;
  }

  /** Show the place in the picture. */
  show() {
    const { root, model, view, route, predictions } = this.#host;
    const { hiding } = this;
    const { stage, step } = route;
    const isFollowed = step && !view && !predictions.on;
    this.picture.followed = isFollowed ? cellFollowed(model, stage, step) : null;
    if (this.#pair && step) {
      const { first, heads } = this.#pair;
      first.followed = isFollowed ? cellFollowed(model, { ...stage, head: heads[0] }, step) : null;
    }
    this.#refused = "";
    root.classList.remove("refused");
    this.#asked = this.picture.show(route.place, {
      hiding,
      revealed: this.#asks && !hiding,
      answers: predictions.answers,
      onAnswer: (result, text) => predictions.answer(result, text),
    });
    this.#pair?.show(route.place);
    this.#showExample();
  }

  /** After what was predicted is marked: the line explains the first mistake, and the marks are in view. */
  explainMarks() {
    const { answers } = this.#host.predictions;
    if (!answers.size) return;
    const mistaken = this.#asked.find(({ cell }) => answers.get(key(cell))?.right === false);
    if (mistaken) {
      this.picture.about = mistaken.cell;
      this.show();
      this.writeLine();
    }
    if (this.#host.view) return;
    this.fit(); // cells with marks are higher
    this.root.querySelector("td:is(.wrong, .right)")?.scrollIntoView({ block: "nearest" });
  }

  /**
   * Write the line of arithmetic. Before an audience it has as many terms as there is room for, and no remark where even
   * the fewest leave no room for one.
   */
  writeLine() {
    const { route, view } = this.#host;
    const { hiding } = this;
    const isShifted = Boolean(route.stage.powers?.some((row) => row.shift));
    const terms = view ? MOST_TERMS : [Infinity];
    (view && isShifted ? [true, false] : [isShifted]).some((isRemarking) =>
      terms.some((most) => {
        const line = lineOf(this.#explained, route.place, { hiding, most });
        this.line.replaceChildren(...line, ...this.#remarks(hiding, isRemarking));
        return fits(this.line);
      }),
    );
  }

  /** The picture whose numbers the line explains: of two heads that of the first, unless another number was clicked. */
  get #explained() {
    return (!this.picture.about && this.#pair?.first) || this.picture;
  }

  /**
   * @param {boolean} hiding
   * @param {boolean} isRemarking whether the line says that the largest score of a row is subtracted first
   */
  #remarks(hiding, isRemarking) {
    const { words } = this.#host.model;
    const verdict = this.#asks && !hiding ? this.#verdict() : "";
    const remarks = [];
    if (isRemarking) remarks.push(words.shifted);
    if (hiding && !this.#refused) remarks.push(...this.#asking());
    return [
      ...(verdict ? [element("strong", { class: "verdict" }, verdict)] : []),
      ...remarks.map((text) => span("remark", text)),
      ...(this.#refused ? [span("remark refused", ...this.#refusedNodes(this.#refused))] : []),
    ];
  }

  /** That something is asked for; nothing where a phone asks for it beside the walk. */
  #asking() {
    const { model, route, withholds } = this.#host;
    if (withholds(route.place)) return [];
    return [this.#frame.querySelector("input.answer") ? model.words.asked : model.words.asked_here];
  }

  /**
   * Say why something was not done, in place of any other remark.
   * @param {string} sentence "" for none
   * @param {(text: string) => Child[]} [nodes] plain text, unless something else is given
   */
  refuse(sentence, nodes = (text) => [text]) {
    this.#refused = sentence;
    this.#refusedNodes = nodes;
    this.#host.root.classList.toggle("refused", Boolean(sentence));
    this.writeLine();
  }

  #verdict() {
    const { words } = this.#host.model;
    const { given, right, unread } = this.#host.predictions.tally(this.#asked);
    const marked = given ? fill(words.verdict, { right, asked: given }) : "";
    const others = unread ? fill(words.verdict_unread, { count: unread }) : "";
    return [marked, others].filter(Boolean).join(" · ");
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

  /** Before an audience nothing sticks out of its zone. Where the window is too small for that, a note says to scroll. */
  fit() {
    const { view } = this.#host;
    this.root.style.removeProperty("--size");
    this.more.hidden = true;
    if (!view) return this.#fitNarrow();
    this.root.classList.remove("tight", "stacked", "broken");
    this.more.hidden = this.#fitAbove(leastOf(view));
  }

  /**
   * On a phone a picture that is somewhat too wide gets smaller and is not cut. Where that is not enough, columns move
   * closer, and then names get narrow.
   */
  #fitNarrow() {
    const frame = this.#frame;
    frame.style.removeProperty("font-size");
    for (const name of ["--name", "--side"]) frame.style.removeProperty(name);
    frame.classList.remove("packed");
    if (this.#host.root.clientWidth > NARROW) return this.#fitWide();
    const isTooWide = () => frame.scrollWidth > frame.clientWidth;
    for (let attempt = 0; attempt < 3 && isTooWide(); attempt++) {
      const size = Number.parseFloat(getComputedStyle(frame).fontSize);
      const fitting = Math.floor((10 * size * frame.clientWidth) / frame.scrollWidth) / 10;
      frame.style.fontSize = `${Math.max(SMALLEST, fitting)}px`;
    }
    frame.classList.toggle("packed", isTooWide());
    if (isTooWide()) frame.style.setProperty("--side", String(HALF_NAME));
    if (isTooWide())
      for (const name of ["--name", "--side"]) frame.style.setProperty(name, String(NARROW_NAME));
  }

  /** On a laptop a picture is as large as it can be beside its words and within the window. */
  #fitWide() {
    const frame = this.#frame;
    const size =
      this.#host.panel.root.parentElement === this.root && SIZES.find((times) => this.#fits(times));
    frame.style.fontSize = size ? `${size}em` : "";
  }

  /** @param {number} times the size of its type */
  #fits(times) {
    const { root, panel } = this.#host;
    const frame = this.#frame;
    frame.style.fontSize = `${times}em`;
    const [whole, words, picture] = [root, panel.root, frame].map((node) => node.getBoundingClientRect());
    const isBeside = picture.left >= words.right && frame.scrollWidth <= frame.clientWidth;
    return isBeside && picture.bottom - whole.top <= innerHeight - BESIDES;
  }

  /** @param {number} least pixels of its type */
  #fitAbove(least) {
    return fitPicture(this.root, least, (rows, cols) => {
      if (this.#shown.layOut(this.#host.route.place, { rows, cols })) this.show();
    });
  }

  /**
   * Show the picture alone, as large as it fits; from level 2 on larger still, with fewer rows and columns, so that
   * nothing is cut. Returns the level that there is room for.
   * @param {number} level 0: not alone
   * @returns {number}
   */
  closeUp(level) {
    const { classList } = this.#host.root;
    classList.remove("close");
    this.fit();
    if (!level) return 0;
    classList.add("close");
    const size = enlarge(this.root);
    for (let at = Math.min(level, CLOSER.length); at > 1; at--)
      if (this.#fitAbove(Math.round(size * CLOSER[at - 1]))) return at;
    return level > 1 ? this.closeUp(1) : 1;
  }

  /** Scroll to what is new, where the picture is larger than the window. */
  follow() {
    const { root } = this.#shown;
    const current = root.querySelector("td.current, td.now") ?? root.querySelector(".result td");
    current?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
