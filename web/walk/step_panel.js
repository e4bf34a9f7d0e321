// What is said of a step: its name, its formula, what happens and why. Before an audience each is in a box that keeps
// its place and size.

import { div, element, fill, p, rich, symbol } from "../kit/dom.js";
import { legendOf, legends } from "./colour_notes.js";
import { followed } from "./followed.js";
import { fitWords } from "./picture/audience_stage.js";

/** @typedef {{ title: string; formula: string; what: string; why: string }} StepTexts */
/** @typedef {{ box: HTMLElement; texts: string[]; fill: (text: string) => void }} Box which is to hold all its texts */

export class Panel {
  #measured = ""; // the words and the window for which the boxes were measured

  /**
   * @param {WalkModel} model
   * @param {string} view
   */
  constructor(model, view) {
    this.model = model;
    this.view = view;
    this.title = element("h2", {});
    this.what = p("what");
    this.why = p("why");
    this.example = p("example"); // on the page alone: before an audience nothing may change its size
    this.formula = p("formula");
    this.lesson = element("a", { class: "lesson", data: { focus: "lesson" } }, model.words.lesson);
    this.legend = p("legend");
    this.about = p("about");
    const boxes = [this.formula, this.what, this.why, view ? this.legend : this.lesson];
    const [formula, what, why, last] = boxes;
    this.root = div("text", ...(view ? boxes : [this.title, formula, what, this.example, why, last]));
  }

  /** What is above the stage before an audience. */
  get above() {
    return this.view ? [this.title, this.about, this.root] : [];
  }

  /**
   * @param {WalkStage} stage
   * @param {number} at
   * @param {WalkStep | null} step
   * @param {number[] | null} pair the two heads that are compared
   */
  show(stage, at, step, pair) {
    const texts = this.#textsOf(stage, step);
    this.title.textContent = pair ? this.#titleOfPair(stage, step, pair) : texts.title;
    this.what.replaceChildren(...rich(texts.what));
    this.why.replaceChildren(...rich(texts.why));
    this.formula.replaceChildren(...(step ? [symbol(texts.formula)] : []));
    this.formula.hidden = !step && !this.view;
    this.legend.replaceChildren(...legendOf(this.model.words, legends(this.model)[at]));
    this.#showAbout(stage, pair);
    this.lesson.hidden = !stage.lesson;
    this.lesson.dataset.topic = stage.lesson ?? "";
  }

  /**
   * What the step does to one token, from the present numbers, unless these are still to be predicted.
   * @param {WalkStage} stage
   * @param {WalkStep | null} step
   * @param {boolean} isHiding
   */
  showExample(stage, step, isHiding) {
    const sentence = this.view || isHiding ? [] : followed(this.model, stage, step);
    this.example.replaceChildren(...sentence.filter((child) => child != null));
    this.example.hidden = !sentence.length;
  }

  /**
   * What is said of a stage, or of one of its steps.
   * @type {(stage: WalkStage, step: WalkStep | null) => StepTexts}
   */
  #textsOf(stage, step) {
    const { what, why } = step ?? stage;
    const formula = step ? `${step.symbol} = ${step.formula}` : "";
    return { title: this.#titleOf(stage, step), formula, what, why };
  }

  /** @type {(stage: WalkStage, step: WalkStep | null) => string} */
  #titleOf(stage, step) {
    if (stage.head === null) return stage.title;
    const head = `${this.model.words.head} ${stage.head + 1}`;
    if (stage.kind === "head" && step) return `${head} · ${step.title}`;
    return stage.kind === "step" && !this.view ? `${stage.title} · ${head}` : stage.title;
  }

  /** @type {(stage: WalkStage, step: WalkStep | null, pair: number[]) => string} */
  #titleOfPair(stage, step, pair) {
    const title = stage.kind === "head" && step ? step.title : stage.title;
    return this.view ? title : `${title} · ${this.#pairName(pair)}`;
  }

  /** @param {number[]} pair */
  #pairName([one, other]) {
    return fill(this.model.words.heads_named, { one: one + 1, other: other + 1 });
  }

  /**
   * Before an audience: which example this is, and which head.
   * @param {WalkStage} stage
   * @param {number[] | null} pair
   */
  #showAbout({ head }, pair) {
    const { words, title, dims } = this.model;
    /** @type {Child[]} */
    const parts = [element("bdi", {}, title)];
    if (pair) parts.push(element("strong", {}, this.#pairName(pair)));
    else if (head !== null) {
      const label = fill(words.head_of, { head: head + 1, heads: dims.h });
      parts.push(element("strong", { style: `color: var(--mha-head-${head})` }, label));
    }
    this.about.replaceChildren(...parts.filter((part) => part != null));
  }

  /** Before an audience: one size and one height for each box, whatever the walk says in it. */
  fit() {
    const { revision, lang } = this.model;
    const measured = `${revision} ${lang} ${innerWidth} ${innerHeight}`;
    if (measured === this.#measured) return;
    this.#measured = measured;
    const boxes = this.#boxes();
    const shown = boxes.map(({ box }) => [...box.childNodes]);
    fitWords(this.root, boxes);
    boxes.forEach(({ box }, i) => box.replaceChildren(...shown[i]));
  }

  /** The boxes, with all that is said in them through the whole walk. */
  #boxes() {
    const { words, stages } = this.model;
    const texts = stages.flatMap((stage) => {
      const whole = stage.kind === "step" ? stage.steps[0] : null;
      const steps = stage.kind === "head" ? [null, ...stage.steps] : [whole];
      return steps.map((step) => this.#textsOf(stage, step));
    });
    const colours = legends(this.model).map((names) => names.join(" "));
    /** @type {(box: HTMLElement, texts: string[], nodes: (text: string) => (Node | string)[]) => Box} */
    const box = (box, texts, nodes) => ({
      box,
      texts,
      fill: (text) => box.replaceChildren(...nodes(text)),
    });
    const all = (/** @type {keyof StepTexts} */ name) => texts.map((text) => text[name]);
    return [
      box(this.formula, all("formula"), (text) => [symbol(text)]),
      box(this.what, all("what"), rich),
      box(this.why, all("why"), rich),
      box(this.legend, colours, (text) => legendOf(words, text.split(" ").filter(Boolean))),
    ];
  }
}
