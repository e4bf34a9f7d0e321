// The toolbar: history and sizes; and, to be unfolded, what the layer has and how it is looked at.

import { button, element, p, requireElement, setText, span, symbol } from "../../kit/dom.js";
import { Divisor } from "./divisor.js";
import { Fold } from "./fold.js";

export class Controls {
  #update = [];

  /**
   * Where numbers are checked, not changed, only the history is wanted.
   * @param {Editor} host
   */
  constructor(host) {
    const { words, choices, check } = host.model;
    this.words = words;
    this.choices = choices;
    this.send = (edit) => host.send(edit);
    this.divisor = new Divisor(host);
    this.root = element(
      "div",
      { class: "controls", role: "toolbar", "aria-label": words.controls },
      this.#group(
        words.history,
        this.#button("undo", "↶", words.undo, (model) => model.controls.undo),
        this.#button("redo", "↷", words.redo, (model) => model.controls.redo),
        this.#button("reset", "⟲", words.reset, (model) => model.controls.undo || model.controls.changed),
      ),
      ...(check
        ? []
        : [
            this.#group(
              words.sizes,
              this.#stepper("h", words.heads, (by) => ({ op: by > 0 ? "add_head" : "remove_head" })),
              this.#stepper("n_q", words.tokens, (by, count) =>
                by > 0
                  ? { op: "add_token", which: "tokens" }
                  : { op: "remove_token", which: "tokens", index: count - 1 },
              ),
              ...["d_model", "d_context", "d_k", "d_a", "d_v", "d_out"].map((axis) =>
                this.#stepper(axis, null, (by) => ({ op: "resize", axis, by })),
              ),
            ),
            this.#fold("layer", {
              scoring: this.#choice("scoring"),
              divisor: this.#scale(),
              mask: this.#choice("mask"),
              positions: this.#choice("positions"),
              values: this.#check("values", "V"),
              w_o: this.#check("w_o", "W_O"),
              biases: this.#check("biases", words.biases),
              context: this.#check("context", words.context),
              kv_heads: this.#kvHeads(),
            }),
            this.#fold("view", {
              decimals: this.#decimals(),
              lens: this.#lens(),
              baseline: this.#baseline(),
            }),
          ]),
    );
  }

  update(model) {
    this.model = model;
    for (const update of this.#update) update(model);
  }

  #group(label, ...children) {
    return element("div", { class: "group", role: "group", "aria-label": label }, ...children);
  }

  /** Controls by name, each with a word of what it is for. */
  #fold(name, controls) {
    const { words } = this;
    const options = Object.entries(controls).map(([control, node]) => {
      const option = element("div", { class: "option" }, node, p("quiet-text", words[`for_${control}`]));
      this.#update.push(() => (option.hidden = node.hidden));
      return option;
    });
    return new Fold(name, words[name], ...options).root;
  }

  #button(op, sign, label, enabled) {
    const onclick = () => this.send({ op });
    const node = button({ "aria-label": label, title: label, data: { focus: op }, onclick }, sign);
    this.#update.push((model) => (node.disabled = !enabled(model)));
    return node;
  }

  /** Steps are relative, so that quick clicks count though no answer has come in between. */
  #stepper(axis, label, edit) {
    const count = element("output", { "aria-live": "off" });
    const name = (label ?? axis).replaceAll("_", " ");
    const step = (by, sign, focus) => {
      const attributes = { "aria-label": `${name} ${sign}1`, data: { focus: `${axis} ${focus}` } };
      return button({ ...attributes, onclick: () => this.send(edit(by, this.model.dims[axis])) }, sign);
    };
    const less = step(-1, "−", "less");
    const more = step(+1, "+", "more");
    const group = { class: "stepper", role: "group", "aria-label": name };
    const node = element("span", group, symbol(label ?? axis), less, count, more);
    this.#update.push((model) => {
      const size = model.dims[axis];
      node.hidden = axis !== "n_q" && !model.controls.sizes.includes(axis);
      setText(count, String(size));
      less.disabled = size <= 1;
      more.disabled = size >= (axis === "h" ? model.limits.heads : model.limits.size);
    });
    return node;
  }

  #check(op, label) {
    const onchange = () => this.send({ op, on: box.checked });
    const box = element("input", { type: "checkbox", data: { focus: op }, onchange });
    this.#update.push((model) => {
      box.checked = model.controls[op];
      box.disabled = (op === "context" && !model.dims.d_model) || (op === "w_o" && !model.controls.values);
    });
    return element("label", { class: "check" }, box, symbol(label));
  }

  /** `options`: [value, text]; `chosen(model)` is the value of the one that holds. */
  #select(name, label, options, chosen, choose) {
    const node = element("select", { data: { focus: name }, onchange: () => choose(node.value) });
    for (const [value, text] of options) node.append(element("option", { value }, text));
    this.#update.push((model) => (node.value = chosen(model)));
    return element("label", { class: "select" }, element("span", {}, label), node);
  }

  /** One of the menus that the server tells of: each choice by name, with the edit that it asks for. */
  #choice(name) {
    const edits = this.choices[name];
    const options = Object.keys(edits).map((value) => [value, this.words[`${name}_${value}`]]);
    const chosen = (model) => model.controls[name];
    return this.#select(name, this.words[name], options, chosen, (value) => this.send(edits[value]));
  }

  /** How many heads have keys and values of their own; groups are equal, so only divisors are offered. */
  #kvHeads() {
    let offered = 0;
    const chosen = ({ dims: { h }, controls }) => {
      const divisors = [...Array(h).keys()].map((n) => n + 1).filter((count) => h % count === 0);
      const options = () => divisors.map((count) => element("option", { value: count }, String(count)));
      if (h !== offered) label.lastElementChild.replaceChildren(...options());
      offered = h;
      label.hidden = h === 1;
      return String(controls.kv_heads);
    };
    const choose = (count) => this.send({ op: "kv_heads", count: Number(count) });
    const label = this.#select("kv_heads", this.words.kv_heads, [], chosen, choose);
    return label;
  }

  #scale() {
    const { words } = this;
    const options = [
      ["sqrt_dk", "√dₖ"],
      ["none", words.scale_none],
      ["number", words.scale_number],
    ];
    const chosen = ({ controls: { scale, temperature, is_product } }) => {
      const typed = typeof scale === "number";
      const named = temperature ? words.temperature : words.divisor;
      setText(label.firstChild, named);
      this.divisor.update(named, scale);
      requireElement(label, "[value=sqrt_dk]", HTMLOptionElement).disabled = !is_product;
      return typed ? "number" : scale;
    };
    const choose = (kind) => {
      this.divisor.field.hidden = kind !== "number";
      this.send({ op: "scale", value: kind === "number" ? (this.model.constants.divisor ?? 1) : kind });
    };
    const label = this.#select("scale", words.divisor, options, chosen, choose);
    return span("scale", label, this.divisor.field);
  }

  #decimals() {
    const options = [0, 1, 2, 3, 4, 5, 6, 8, 10].map((count) => [String(count), String(count)]);
    const choose = (value) => this.send({ op: "decimals", value: Number(value) });
    return this.#select("decimals", this.words.decimals, options, (model) => String(model.decimals), choose);
  }

  /** What the colours show; a page that has settled it offers no choice. */
  #lens() {
    const { words } = this;
    const options = [
      ["", words.lens_values],
      ["change", words.lens_change],
      ["gradient", words.lens_gradient],
    ];
    const chosen = ({ controls }) => {
      label.hidden = controls.lens === null;
      return controls.lens ?? "";
    };
    const label = this.#select("lens", words.lens, options, chosen, (value) =>
      this.send({ op: "lens", value }),
    );
    return label;
  }

  #baseline() {
    const { words } = this;
    const pin = button({ data: { focus: "baseline" }, onclick: () => this.send({ op: "baseline" }) });
    const named = { "aria-label": words.baseline_clear, title: words.baseline_clear };
    const clear = button({ class: "quiet", data: { focus: "baseline clear" }, ...named }, "✕");
    clear.addEventListener("click", () => {
      pin.focus(); // it stays where this one goes
      this.send({ op: "baseline", clear: true });
    });
    const held = span("held", words.baseline_pinned);
    const group = { class: "baseline", role: "group", "aria-label": words.baseline };
    const node = element("span", group, held, pin, clear);
    this.#update.push((model) => {
      const { lens, baseline } = model.controls;
      node.hidden = lens === null && model.lens?.kind !== "change";
      node.classList.toggle("pinned", baseline);
      held.hidden = !baseline;
      clear.hidden = !baseline || lens === null; // a page that is about the baseline has one always
      setText(pin, baseline ? words.baseline_again : words.baseline_pin);
    });
    return node;
  }
}
