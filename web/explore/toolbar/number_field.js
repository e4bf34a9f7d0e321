// A setting that is a number, such as the divisor: a field in which it can be typed, dragged, and moved by keys like those
// of the tables.

import { active, element, fill, setAttribute } from "../../kit/dom.js";
import { isModifier, Scrub, stepOf } from "../../kit/drag.js";
import { moved, read } from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";

/**
 * `preview`: show an edit while it is being made; null: it is taken back.
 * @typedef {Pick<EditingHost, "model" | "words" | "say" | "send" | "preview">} NumberFieldHost
 */

/**
 * What a field sets: `name`: its own, also of the focus; `chosen`: its number in a model, anything else where there is
 * none; `edit`: what changes it; `accepts`: whether it may be this number; `refused`: the sentence about one that it may not be.
 * @typedef {{
 *   name: string;
 *   chosen: (controls: ExploreModel["controls"]) => unknown;
 *   edit: (value: number) => Edit;
 *   accepts: (value: number) => boolean;
 *   refused: string;
 * }} NumberSetting
 */

export class NumberField {
  /** @type {Scrub<null>} */
  #scrub = new Scrub({
    valueOf: () => this.#typed.value,
    moved: (start, steps) => {
      const most = this.host.model.limits.number;
      const next = [steps, steps + Math.sign(steps)].map((by) => moved(start, by, most)); // the divisor skips 0
      return next.find((number) => this.setting.accepts(Number(number))) ?? start;
    },
    element: () => this.field,
    show: (_, value) => {
      this.#write(value);
      this.host.preview(this.setting.edit(Number(value)));
    },
    commit: (_, value) => {
      this.host.send(this.setting.edit(Number(value)));
      this.field.dispatchEvent(new Event("change", { bubbles: true })); // as if it had been typed
    },
    cancel: (_, value) => {
      this.#write(value);
      this.host.preview(null);
    },
  });
  #isGrabbed = false; // it is pressed, and was not being typed in
  #wasDragged = false;
  #label = "";
  #shown = ""; // what was shown here last: anything else is being typed

  /**
   * @param {NumberFieldHost} host
   * @param {NumberSetting} setting
   */
  constructor(host, setting) {
    this.host = host;
    this.setting = setting;
    this.field = element("input", {
      class: "number-setting",
      type: "text",
      role: "spinbutton",
      inputmode: "decimal",
      autocomplete: "off",
      data: { focus: setting.name },
    });
    const { field } = this;
    field.addEventListener("change", () => this.#commit());
    field.addEventListener("keydown", (event) => this.#onKey(event));
    field.addEventListener("pointerdown", (event) => this.#onPointerDown(event));
    field.addEventListener("mousedown", (event) => {
      if (this.#isAtRest) event.preventDefault(); // a press would begin to select text
    });
    field.addEventListener("pointerup", () => this.#onPointerUp());
    field.addEventListener("click", () => this.#onClick());
    field.addEventListener("blur", () => this.#scrub.finish());
    this.#scrub.listen(this.field);
  }

  /**
   * Show the number of a model, unless another one is being typed. Without one there is no field.
   * @param {string} label
   */
  update(label) {
    const number = this.#chosen;
    this.#label = label;
    this.field.setAttribute("aria-label", label);
    this.field.hidden = typeof number !== "number";
    if (typeof number === "number" && (this.#isAtRest || this.field.value === this.#shown))
      this.#write(number);
  }

  get #chosen() {
    return this.setting.chosen(this.host.model.controls);
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

  /** Send what was typed, or say why it cannot be. */
  #commit() {
    const { words, model } = this.host;
    const { value, wrong } = this.#typed;
    if (value !== undefined && this.setting.accepts(Number(value))) {
      if (value !== this.#chosen) this.host.send(this.setting.edit(Number(value)));
      return;
    }
    const reason = wrong && wrong !== "not_a_number" ? words[`wrong_${wrong}`] : this.setting.refused;
    const most = model.limits.number.toExponential().replace("+", "");
    const what = fill(reason, { text: quoted(words, this.field.value), place: this.#label, most });
    this.host.say(fill(words.still_counts, { what }), "error");
    this.#writeChosen();
  }

  #writeChosen() {
    const number = this.#chosen;
    if (typeof number === "number") this.#write(number);
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    const step = event.ctrlKey || event.metaKey ? 0 : stepOf(event);
    if (step) {
      if (this.#scrub.nudge(null, step, event.shiftKey)) event.preventDefault();
    } else if (event.key === "Escape") {
      if (this.#scrub.escape())
        event.preventDefault(); // nothing else is to react to this Escape
      else this.#writeChosen();
    } else if (!isModifier(event)) this.#scrub.finish();
  }

  /** @param {PointerEvent} event */
  #onPointerDown(event) {
    this.#isGrabbed = event.button === 0 && this.#isAtRest;
    if (this.#isGrabbed) this.#scrub.press(null, event);
  }

  /** A drag has given the field the focus. It is taken away again, so that the next press is a drag too. */
  #onPointerUp() {
    this.#wasDragged = this.#isGrabbed && !this.#isAtRest;
    if (this.#wasDragged) this.field.blur();
  }

  /** A click without a drag begins to type. */
  #onClick() {
    if (!this.#isAtRest || this.#wasDragged) return;
    this.field.focus();
    this.field.select();
  }
}
