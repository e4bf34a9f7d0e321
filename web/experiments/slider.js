// A slider that moves one side of the board: its numbers come by the live channel while it is moved, and the page
// follows when it is let go.

import { element, p, setAttribute, setText } from "../kit/dom.js";
import { Live } from "../kit/live.js";

export class Slider {
  /** @type {{ label: string; places: { value: number; text: string; remark: string; edit: Edit }[]; chosen: number; from: any } | null} */
  #data = null;
  /** @type {Live | null} */
  #live = null;
  #seq = 0;
  #knownMove = 0; // up to which move the page knows
  #held = false; // it is being moved

  /**
   * `painted(header, numbers)`: an answer of the live channel; `moved(text)`: what the place is called that is tried;
   * `chosen(value)`: it was let go.
   * @param {{ painted: (header: any, numbers: Float64Array) => void; moved: (text: string) => void; chosen: (value: number) => void }} host
   */
  constructor(host) {
    this.host = host;
    this.label = p("slider-label");
    this.input = element("input", { type: "range", min: 0, step: 1, data: { focus: "slider" } });
    this.shown = element("output", { "aria-live": "off" });
    this.remark = p("slider-told");
    const moved = element("label", {}, this.label, this.input, this.shown);
    this.root = element("div", { class: "slider" }, moved, this.remark);
    this.input.addEventListener("input", () => this.#try());
    this.input.addEventListener("change", () => this.#let());
  }

  stop() {
    this.#live?.stop();
  }

  /** @param {any} data */
  update(data) {
    this.#data = data;
    this.root.hidden = !data;
    if (!data) return;
    this.#live ??= new Live({
      painted: (header, numbers) => this.host.painted(header, numbers),
      drawn: () => {},
      asking: () => ({}),
      lost: () => {},
      stateChanged: () => setAttribute(this.root, "data-live", this.#live?.state),
    });
    setText(this.label, data.label);
    this.input.max = String(data.places.length - 1);
    if (!this.#held) this.input.value = String(data.chosen);
    this.#say();
    this.#live.settle(data.from, this.#knownMove, false);
    if (this.#held) this.#ask(); // the answer is of an earlier place
  }

  get #place() {
    return this.#data.places[Number(this.input.value)];
  }

  #try() {
    this.#held = true;
    this.#say();
    this.host.moved(this.#place.text);
    this.#ask();
  }

  #ask() {
    const edits = [this.#place.edit];
    this.#seq++;
    if (this.#live.takes(edits)) this.#live.ask(edits, this.#seq);
  }

  #let() {
    this.#held = false;
    this.#knownMove = this.#seq;
    this.host.chosen(this.#place.value);
  }

  #say() {
    const { text, remark } = this.#place;
    setText(this.shown, text);
    setText(this.remark, remark);
    setAttribute(this.input, "aria-valuetext", text);
  }
}
