// A slider that moves one side of the board. Its numbers follow while it moves; the page follows when it is released.

import { element, p, setAttribute, setText } from "../kit/dom.js";

/**
 * `moved`: the place under the thumb; `chosen`: the value where the slider was released.
 * @typedef {{ moved: (place: SliderPlace) => void; chosen: (value: number) => void }} SliderHost
 */

export class Slider {
  /** @type {SliderData} */
  #data = { label: "", places: [], chosen: 0 };
  #isMoving = false;

  /** @param {SliderHost} host */
  constructor(host) {
    this.host = host;
    this.label = p("slider-label");
    this.input = element("input", { type: "range", min: 0, step: 1, data: { focus: "slider" } });
    this.output = element("output", { "aria-live": "off" });
    this.remark = p("slider-told");
    const label = element("label", {}, this.label, this.input, this.output);
    this.root = element("div", { class: "slider" }, label, this.remark);
    this.input.addEventListener("input", () => this.#move());
    this.input.addEventListener("change", () => this.#release());
  }

  /** @param {SliderData | null} data null: this experiment has no slider */
  update(data) {
    this.root.hidden = !data;
    if (!data) return;
    this.#data = data;
    setText(this.label, data.label);
    this.input.max = String(data.places.length - 1);
    if (!this.#isMoving) this.input.value = String(data.chosen);
    this.#showPlace();
    if (this.#isMoving) this.host.moved(this.#place); // the page's answer is about an earlier place
  }

  get #place() {
    return this.#data.places[Number(this.input.value)];
  }

  #move() {
    this.#isMoving = true;
    this.#showPlace();
    this.host.moved(this.#place);
  }

  #release() {
    this.#isMoving = false;
    this.host.chosen(this.#place.value);
  }

  #showPlace() {
    const { text, remark } = this.#place;
    setText(this.output, text);
    setText(this.remark, remark);
    setAttribute(this.input, "aria-valuetext", text);
  }
}
