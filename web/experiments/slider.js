// A slider that moves one side of the board. While it moves, numbers come over the live channel. The page follows when
// it is released.

import { element, p, setAttribute, setText } from "../kit/dom.js";
import { Live } from "../kit/live.js";

/**
 * `painted`: an answer of the live channel; `moved`: the text of the place under the thumb; `chosen`: the value where
 * the slider was released.
 * @typedef {{
 *   painted: LiveHost["painted"]; moved: (text: string) => void; chosen: (value: number) => void;
 * }} SliderHost
 */

export class Slider {
  /** @type {SliderData} */
  #data = { label: "", places: [], chosen: 0, from: {} };
  /** @type {Live | null} */
  #live = null;
  #seq = 0;
  #knownMove = 0; // the last move that the page knows
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

  stop() {
    this.#live?.stop();
  }

  /** @param {SliderData | null} data null: this experiment has no slider */
  update(data) {
    this.root.hidden = !data;
    if (!data) return;
    this.#data = data;
    this.#live ??= new Live({
      painted: (header, numbers) => this.host.painted(header, numbers),
      drawn: () => {},
      asking: () => ({}),
      lost: () => {},
      stateChanged: () => setAttribute(this.root, "data-live", this.#live?.state),
    });
    setText(this.label, data.label);
    this.input.max = String(data.places.length - 1);
    if (!this.#isMoving) this.input.value = String(data.chosen);
    this.#showPlace();
    this.#live.settle(data.from, this.#knownMove, false);
    if (this.#isMoving) this.#request(); // the page's answer is about an earlier place
  }

  get #place() {
    return this.#data.places[Number(this.input.value)];
  }

  #move() {
    this.#isMoving = true;
    this.#showPlace();
    this.host.moved(this.#place.text);
    this.#request();
  }

  #request() {
    const edits = [this.#place.edit];
    this.#seq++;
    if (this.#live?.takes(edits)) this.#live.ask(edits, this.#seq);
  }

  #release() {
    this.#isMoving = false;
    this.#knownMove = this.#seq;
    this.host.chosen(this.#place.value);
  }

  #showPlace() {
    const { text, remark } = this.#place;
    setText(this.output, text);
    setText(this.remark, remark);
    setAttribute(this.input, "aria-valuetext", text);
  }
}
