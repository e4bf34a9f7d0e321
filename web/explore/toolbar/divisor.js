// The divisor: a number in a field, to be typed, or dragged and moved by wheel and keys as those of the tables are.

import { active, element, fill, setAttribute } from "../../kit/dom.js";
import { moved, read } from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";
import { Scrub } from "../editing/drag.js";

export class Divisor {
  /** @type {Scrub<null>} */
  #scrub = new Scrub({
    valueOf: () => this.#typed.value,
    moved: (start, steps) => {
      const most = this.host.model.limits.number;
      return moved(start, steps, most) || moved(start, steps + Math.sign(steps), most); // nothing is divided by 0
    },
    element: () => this.field,
    show: (_, value) => {
      this.#write(value);
      this.host.preview({ op: "scale", value: Number(value) });
    },
    commit: (_, value) => {
      this.host.send({ op: "scale", value: Number(value) });
      this.field.dispatchEvent(new Event("change", { bubbles: true })); // as if it had been typed
    },
    cancel: (_, value) => {
      this.#write(value);
      this.host.show({ op: "scale", value: Number(value) });
      this.host.preview(null);
    },
  });
  #grabbed = false; // it is pressed, and nothing was being typed
  #dragged = false;
  #named = "";
  #shown = ""; // what was written here last: anything else is being typed

  /** @param {Editor} host */
  constructor(host) {
    this.host = host;
    this.field = element("input", {
      class: "divisor",
      type: "text",
      role: "spinbutton",
      inputmode: "decimal",
      autocomplete: "off",
      data: { focus: "divisor" },
    });
    const on = (type, act) => this.field.addEventListener(type, act);
    on("change", () => this.#commit());
    on("keydown", (event) => this.#keyed(event));
    on("pointerdown", (event) => this.#pressed(event));
    on("mousedown", (event) => this.#isAtRest && event.preventDefault()); // else it would select text
    on("pointerup", () => this.#dropped());
    on("click", () => this.#clicked());
    on("blur", () => this.#scrub.finish());
    on("wheel", (event) => this.#wheeled(event));
    this.#scrub.listen(this.field);
  }

  /**
   * Show the divisor of a model: what it is called, and its number, unless another one is being typed.
   * @param {string} named
   * @param {Value} scale
   */
  update(named, scale) {
    this.#named = named;
    this.field.setAttribute("aria-label", named);
    this.field.hidden = typeof scale !== "number";
    if (!this.field.hidden && (this.#isAtRest || this.field.value === this.#shown)) this.#write(scale);
  }

  get #isAtRest() {
    return active(this.field) !== this.field;
  }

  get #typed() {
    return read(this.field.value, this.host.model.limits.number);
  }

  /** @param {Value} number */
  #write(number) {
    this.#shown = String(number);
    if (this.field.value !== this.#shown) this.field.value = this.#shown;
    setAttribute(this.field, "aria-valuenow", String(number));
  }

  #commit() {
    const { words, model } = this.host;
    const { value, wrong } = this.#typed;
    if (value) {
      if (value !== model.controls.scale) this.host.send({ op: "scale", value });
      return;
    }
    const named = wrong && wrong !== "not_a_number" ? words[`wrong_${wrong}`] : words.not_a_divisor;
    const most = model.limits.number.toExponential().replace("+", "");
    const one = fill(named, { text: quoted(words, this.field.value), place: this.#named, most });
    this.host.say(fill(words.still_counts, { what: one }), "error");
    this.#write(model.controls.scale);
  }

  #keyed(event) {
    const up = !event.ctrlKey && !event.metaKey && { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (up) {
      if (this.#scrub.nudge(null, up, event.shiftKey)) event.preventDefault();
    } else if (event.key === "Escape") {
      if (this.#scrub.escape())
        event.preventDefault(); // Escape has done its work
      else this.#write(this.host.model.controls.scale);
    } else if (!["Alt", "Shift", "Control", "Meta"].includes(event.key)) this.#scrub.finish();
  }

  #wheeled(event) {
    if (this.#isAtRest || event.ctrlKey || !event.deltaY) return;
    if (this.#scrub.nudge(null, -Math.sign(event.deltaY), event.shiftKey)) event.preventDefault();
  }

  #pressed(event) {
    this.#grabbed = event.button === 0 && this.#isAtRest;
    if (this.#grabbed) this.#scrub.press(null, event);
  }

  /** A field that was dragged, which gave it the focus, is left again: what is pressed next is a drag too. */
  #dropped() {
    this.#dragged = this.#grabbed && !this.#isAtRest;
    if (this.#dragged) this.field.blur();
  }

  /** A click without a drag is to type. */
  #clicked() {
    if (!this.#isAtRest || this.#dragged) return;
    this.field.focus();
    this.field.select();
  }
}
