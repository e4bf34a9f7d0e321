// The bar with which one number is changed on a phone: less and more, a slider, and a field. All are large enough for a
// thumb, which the cells of a picture are not.

import { active, button, element, setAttribute, setText, setValue } from "../kit/dom.js";

/**
 * `step`: so many steps from here; `slide`: to this number; `type`: what was typed, whether it is a number.
 * @typedef {{ step(steps: number): void; slide(number: number): void; type(text: string): boolean }} DialHost
 */

/**
 * What the dial shows: a number, what it is called, and the scale of its matrix.
 * @typedef {{
 *   value: number; text: string; name: (Node | string)[]; label: string;
 *   scale: { places: number; least: number; most: number };
 * }} Dialled
 */

export class Dial {
  #text = ""; // the number that is shown
  /** @type {Record<string, string>} */
  #words = {};

  /** @param {DialHost} host */
  constructor(host) {
    this.host = host;
    this.name = element("span", { class: "name" });
    this.hint = element("span", { class: "how", role: "status" });
    this.less = button({ data: { focus: "less" }, onclick: () => host.step(-1) }, "−");
    this.more = button({ data: { focus: "more" }, onclick: () => host.step(1) }, "+");
    /** @type {HTMLInputElement} */
    this.slider = element("input", {
      type: "range",
      data: { focus: "slide" },
      oninput: () => host.slide(Number(this.slider.value)),
    });
    /** @type {HTMLInputElement} */
    this.field = element("input", {
      inputmode: "text", // a keyboard of digits alone may lack the minus sign
      autocomplete: "off",
      spellcheck: "false",
      enterkeyhint: "done",
      data: { focus: "value" },
      onfocus: () => this.field.select(),
      oninput: () => this.#setInvalid(false),
      onchange: () => this.#take(),
      onblur: () => this.#take(), // a character typed in the picture, which begins the typing, causes no change event
    });
    this.field.addEventListener("keydown", ({ key }) => {
      if (key === "Escape") this.#takeBack();
      if (key === "Enter" || key === "Escape") this.field.blur(); // which takes what was typed
    });
    const labels = element("p", {}, this.name, this.hint);
    this.root = element(
      "div",
      { class: "dial", role: "group", hidden: true },
      labels,
      this.less,
      this.slider,
      this.more,
      this.field,
    );
  }

  #take() {
    const { value } = this.field;
    this.#setInvalid(value !== this.#text && !this.host.type(value));
  }

  #takeBack() {
    this.field.value = this.#text;
    this.#setInvalid(false);
  }

  /** @param {boolean} isInvalid */
  #setInvalid(isInvalid) {
    setAttribute(this.field, "aria-invalid", isInvalid && "true");
    setText(this.hint, isInvalid ? this.#words.no_number : this.#words.play_hint);
  }

  /** @param {Record<string, string>} words */
  say(words) {
    this.#words = words;
    this.less.setAttribute("aria-label", words.play_less);
    this.more.setAttribute("aria-label", words.play_more);
    this.#setInvalid(this.field.hasAttribute("aria-invalid"));
  }

  /** @param {Dialled} dialled */
  show({ value, text, name, label, scale }) {
    this.#text = text;
    this.root.hidden = false;
    this.name.replaceChildren(...name);
    for (const node of [this.root, this.slider, this.field]) node.setAttribute("aria-label", label);
    const [least, most] = [Math.min(scale.least, value), Math.max(scale.most, value)];
    const step = 10 ** -scale.places;
    for (const [at, bound] of Object.entries({ min: least, max: most, step }))
      if (this.slider.getAttribute(at) !== String(bound)) this.slider.setAttribute(at, String(bound));
    if (Number(this.slider.value) !== value) this.slider.value = String(value);
    setAttribute(this.slider, "aria-valuetext", text);
    if (active(this.field) !== this.field) this.#setInvalid(false);
    setValue(this.field, text);
  }
}
