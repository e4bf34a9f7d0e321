// All steps in one line, and how far the walk has come.

import { childrenOf, element, requireElement, span, symbol } from "../kit/dom.js";

export class Outline {
  /**
   * @param {WalkModel} model
   * @param {(stage: number, attributes: Record<string, any>, parts: Node[]) => Node} press makes a stage's button
   */
  constructor(model, press) {
    this.model = model;
    this.bar = element("div", { class: "bar", "aria-hidden": "true" }, element("div", {}));
    const chips = model.stages.map((stage, at) => element("li", {}, press(at, ...this.#chip(stage, at))));
    this.list = element("ol", {}, ...chips);
    this.root = element("nav", { class: "outline", "aria-label": model.words.outline }, this.list);
  }

  /** @type {(stage: WalkStage, at: number) => [Record<string, any>, Node[]]} */
  #chip(stage, at) {
    const { words } = this.model;
    const given = this.#given(stage);
    const label = { tokens: words.tokens, closing: words.closing, inputs: given, given }[stage.kind];
    const sign = stage.kind === "head" ? `head_${stage.head + 1}` : (stage.steps[0]?.symbol ?? label);
    const attributes = { title: stage.title, "aria-label": `${at + 1} ${stage.title}` };
    return [attributes, [span("count", String(at + 1)), label ? element("span", {}, label) : symbol(sign)]];
  }

  #given(stage) {
    return [...new Set(stage.parts.map(([name]) => this.model.matrices[name].symbol))].join(", ");
  }

  /** @param {import("./place/route.js").Way} way */
  show({ stages, place, within }) {
    const come = place.stage + within;
    requireElement(this.bar, ":scope > *").style.width = `${(100 * come) / stages.length}%`;
    for (const [at, item] of childrenOf(this.list).entries()) {
      const chip = item.firstElementChild;
      chip.classList.toggle("done", at < place.stage);
      item.style.setProperty("--done", String(Math.max(0, Math.min(1, come - at))));
      if (at === place.stage) chip.setAttribute("aria-current", "step");
      else chip.removeAttribute("aria-current");
    }
  }

  /** The step where the walk stands is in sight. */
  follow() {
    this.list.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}
