// Switch heads off: what is still right without each of them, and without all that are off.

import {
  accent,
  button,
  div,
  element,
  fill,
  p,
  pressable,
  prose,
  rich,
  setAttribute,
  setText,
  span,
} from "../kit/dom.js";
import { percent } from "./curves.js";
import { headName, indexOf, partName } from "./maps.js";

/** @typedef {{ recording: import("./recording.js").Recording; step: number; off: TrainHead[];
 *   measured: (TrainWithout & { step: number; heads: TrainHead[] }) | null;
 *   swapped: TrainSwapped | null; isSwapping: boolean; swapFault: string }} SwitchesValues */

export class Switches {
  /** @type {SwitchesValues["recording"] | null} */
  #recording = null;

  /**
   * @param {Record<string, string>} words
   * @param {{ toggle: (heads: TrainHead[], isOn: boolean) => void; swap: (heads: TrainHead[]) => void }} host
   */
  constructor(words, host) {
    this.words = words;
    this.host = host;
    this.first = element("select", { "aria-label": words.swap_first, data: { focus: "swap first" } });
    this.second = element("select", { "aria-label": words.swap_second, data: { focus: "swap second" } });
    const onclick = () => this.#swap();
    this.swaps = button({ data: { focus: "swap" }, onclick }, words.swap);
    this.swapped = p("result");
    this.swapped.setAttribute("role", "status");
    this.swapping = div(
      "swapping",
      element("h3", {}, words.swap_title),
      p("hint", ...rich(words.swap_about)),
      div("swap", this.first, "⇄", this.second, this.swaps),
      this.swapped,
    );
    this.about = p("hint");
    this.list = element("ul", { class: "switches" });
    this.layers = div("layers");
    this.said = p("result");
    this.said.setAttribute("role", "status");
    this.root = element(
      "section",
      { class: "card off", data: { part: "" }, "aria-labelledby": "train-off" },
      element("h2", { id: "train-off" }, words.switch_off),
      this.about,
      this.list,
      this.layers,
      this.said,
      this.swapping,
    );
  }

  /** @param {SwitchesValues} values */
  update({ recording, step, off, measured, swapped, isSwapping, swapFault }) {
    const { words } = this;
    if (recording !== this.#recording) this.#build(recording);
    const shown = measured?.step === step ? measured : null;
    setText(
      this.about,
      shown ? fill(words.off_about, { step, all: percent(shown.all[0]) }) : fill(words.off_wait, { step }),
    );
    for (const [at, head] of recording.all.entries()) {
      const row = this.list.children[at];
      const box = /** @type {HTMLInputElement} */ (row.querySelector("input"));
      box.checked = !off.some((other) => String(other) === String(head));
      row.classList.toggle("is-off", !box.checked);
      row.classList.toggle("is-unknown", !shown);
      const alone = shown?.alone[head[0]][head[1]];
      const bar = /** @type {HTMLElement} */ (row.querySelector(".bar"));
      bar.style.setProperty("--share", String(alone ?? 0));
      bar.style.setProperty("--all", String(shown?.all[0] ?? 0));
      setText(
        /** @type {HTMLElement} */ (row.querySelector(".share")),
        alone === undefined ? "…" : percent(alone),
      );
    }
    const names = off.map((head) => headName(words, recording, head)).join(", ");
    const isCurrent = shown && String(shown.heads) === String(off);
    const result = shown?.off
      ? fromTo(words, words.off_result, { heads: names }, shown.all[0], shown.off[0])
      : "";
    setText(this.said, isCurrent || !off.length ? result : fill(words.off_wait, { step }));
    for (const [part, layer] of [...this.layers.children].entries())
      setAttribute(layer, "aria-pressed", String(this.#isOff(off, part)));
    const swap = swapped?.step === step ? this.#swapText(recording, swapped) : "";
    setText(this.swapped, isSwapping ? words.swapping : swapFault || swap);
    this.swaps.disabled = isSwapping;
  }

  /** @type {(recording: SwitchesValues["recording"], swapped: TrainSwapped) => string} */
  #swapText(recording, { heads, before, after }) {
    const [first, second] = heads.map((head) => headName(this.words, recording, head));
    const { words } = this;
    const isOneLayer = heads[0][0] === heads[1][0];
    const result = fromTo(words, words.swap_result, { first, second }, before, after);
    return prose(result, isOneLayer ? words.swap_one_layer : words.swap_two_layers);
  }

  /** The heads of a layer. @param {number} part */
  #of(part) {
    return this.#recording?.all.filter(([one]) => one === part) ?? [];
  }

  /** Whether a whole layer is off. @param {TrainHead[]} off @param {number} part */
  #isOff(off, part) {
    return off.filter(([one]) => one === part).length === this.#of(part).length;
  }

  #swap() {
    const all = this.#recording?.all ?? [];
    this.host.swap([this.first, this.second].map(({ value }) => all[Number(value)]));
  }

  /** @param {SwitchesValues["recording"]} recording */
  #build(recording) {
    this.#recording = recording;
    const kinds = recording.all.map(([part]) => recording.begun.parts[part].kind);
    this.swapping.hidden = new Set(kinds).size === kinds.length; // no two heads of one kind
    for (const [at, select] of [this.first, this.second].entries()) {
      const options = recording.all.map((head, value) =>
        element("option", { value }, headName(this.words, recording, head)),
      );
      select.replaceChildren(...options);
      select.selectedIndex = at ? kinds.lastIndexOf(kinds[0]) : 0;
    }
    this.layers.hidden = recording.heads < 2; // a layer is its head
    this.layers.replaceChildren(
      ...recording.begun.parts.map((_, part) => {
        const layer = pressable(
          false,
          {
            data: { focus: `layer ${part}` },
            onclick: () => this.host.toggle(this.#of(part), layer.ariaPressed === "true"),
          },
          fill(this.words.layer_off, { layer: partName(this.words, recording, part) }),
        );
        return layer;
      }),
    );
    this.list.replaceChildren(
      ...recording.all.map((head) => {
        /** @type {HTMLInputElement} */
        const box = element("input", {
          type: "checkbox",
          role: "switch",
          data: { focus: `switch ${head}` },
          onchange: () => this.host.toggle([head], box.checked),
        });
        const name = headName(this.words, recording, head);
        return element(
          "li",
          { style: accent(indexOf(recording, head)) },
          element("label", {}, box, span("name", name)),
          div("bar", span("alone")),
          span("share"),
        );
      }),
    );
  }
}

/** A sentence about shares of tokens before and after a change, or that they are the same.
 * @type {(words: Record<string, string>, template: string, values: Record<string, string>, before: number, after: number) => string} */
function fromTo(words, template, values, before, after) {
  const [from, to] = [percent(before), percent(after)];
  const result = fill(from === to ? words.share_same : words.share_changed, { from, to });
  return fill(template, { ...values, result });
}
