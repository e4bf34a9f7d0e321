// All steps in one line, and how far the walk has come.

import { element, span, symbol } from "../kit/dom.js";

/** @typedef {{ title: string; "aria-label": string }} ChipAttributes */

export class Outline {
  /**
   * @param {WalkModel} model
   * @param {(stage: number, attributes: ChipAttributes, children: Node[]) => HTMLElement} makeButton of a stage
   */
  constructor(model, makeButton) {
    this.model = model;
    this.progress = element("div", {});
    this.bar = element("div", { class: "bar", "aria-hidden": "true" }, this.progress);
    this.chips = model.stages.map((stage, at) => makeButton(at, ...this.#chip(stage, at)));
    this.items = this.chips.map((chip) => element("li", {}, chip));
    const list = element("ol", {}, ...this.items);
    this.root = element("nav", { class: "outline", "aria-label": model.words.outline }, list);
  }

  /** @type {(stage: WalkStage, at: number) => [ChipAttributes, Node[]]} */
  #chip(stage, at) {
    const { words } = this.model;
    const given = this.#symbolsOf(stage);
    /** @type {Record<string, string>} */
    const labels = { tokens: words.tokens, closing: words.closing, inputs: given, given };
    const label = labels[stage.kind];
    const sign = stage.kind === "head" ? `head_${Number(stage.head) + 1}` : (stage.steps[0]?.symbol ?? label);
    const attributes = { title: stage.title, "aria-label": `${at + 1} ${stage.title}` };
    return [attributes, [span("count", String(at + 1)), label ? element("span", {}, label) : symbol(sign)]];
  }

  /** @param {WalkStage} stage */
  #symbolsOf(stage) {
    return [...new Set(stage.parts.map(([name]) => this.model.matrices[name].symbol))].join(", ");
  }

  /** @param {import("./place/route.js").Route} route */
  show({ stages, place, within }) {
    const walked = place.stage + within;
    this.progress.style.width = `${(100 * walked) / stages.length}%`;
    for (const [at, chip] of this.chips.entries()) {
      chip.classList.toggle("done", at < place.stage);
      this.items[at].style.setProperty("--done", String(Math.max(0, Math.min(1, walked - at))));
      if (at === place.stage) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
    }
  }

  /** Bring the step of the place to the middle of a row that is wider than its window. */
  center() {
    const list = this.items[0]?.parentElement;
    const item = this.root.querySelector("[aria-current]")?.parentElement;
    if (!list || !item || list.scrollWidth <= list.clientWidth) return;
    list.scrollLeft = item.offsetLeft - list.offsetLeft - (list.clientWidth - item.offsetWidth) / 2;
  }

  /** Scroll the step of the place into view. */
  follow() {
    this.root.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
