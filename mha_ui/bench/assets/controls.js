// The toolbar: history, sizes, and what the layer has.

import { element, fill, setText, symbol } from "./dom.js";
import { read } from "./numbers.js";

export class Controls {
  #update = [];

  /** `check`: numbers are checked, not changed, so that only the history is wanted. */
  constructor(words, send, say, check) {
    this.words = words;
    this.say = say;
    this.send = send;
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
              ...["d_model", "d_context", "d_k", "d_a", "d_v", "d_out"].map((axis) =>
                this.#stepper(axis, null, (by) => ({ op: "resize", axis, by })),
              ),
            ),
            this.#group(words.view, this.#decimals(), this.#lens(), this.#baseline()),
            this.#group(
              words.layer,
              this.#scoring(),
              this.#scale(),
              this.#positions(),
              this.#mask(),
              this.#kvHeads(),
              this.#check("values", "V"),
              this.#check("w_o", "W_O"),
              this.#check("biases", words.biases),
              this.#check("context", words.context),
            ),
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

  #button(op, sign, label, enabled) {
    const node = element(
      "button",
      {
        type: "button",
        "data-focus": op,
        "aria-label": label,
        title: label,
        onclick: () => this.send({ op }),
      },
      sign,
    );
    this.#update.push((model) => (node.disabled = !enabled(model)));
    return node;
  }

  /** Steps are relative, so that quick clicks count though no answer has come in between. */
  #stepper(axis, label, edit) {
    const count = element("output", { "aria-live": "off" });
    const step = (by) => () => this.send(edit(by));
    const name = (label ?? axis).replaceAll("_", " ");
    const less = element(
      "button",
      { type: "button", "aria-label": `${name} −1`, "data-focus": `${axis} less`, onclick: step(-1) },
      "−",
    );
    const more = element(
      "button",
      { type: "button", "aria-label": `${name} +1`, "data-focus": `${axis} more`, onclick: step(+1) },
      "+",
    );
    const node = element(
      "span",
      { class: "stepper", role: "group", "aria-label": name },
      symbol(label ?? axis),
      less,
      count,
      more,
    );
    this.#update.push((model) => {
      const size = model.dims[axis];
      node.hidden =
        !size ||
        (axis === "d_context" && !model.controls.context) ||
        (axis === "d_a" && model.controls.scoring !== "additive");
      setText(count, String(size));
      less.disabled = size <= 1;
      more.disabled = size >= (axis === "h" ? model.limits.heads : model.limits.size);
    });
    return node;
  }

  #check(op, label) {
    const box = element("input", {
      type: "checkbox",
      "data-focus": op,
      onchange: () => this.send({ op, on: box.checked }),
    });
    this.#update.push((model) => {
      box.checked = model.controls[op];
      box.disabled = (op === "context" && !model.dims.d_model) || (op === "w_o" && !model.controls.values);
    });
    return element("label", { class: "check" }, box, symbol(label));
  }

  #select(name, label, options, choose) {
    const node = element("select", { "data-focus": name, onchange: () => choose(node.value) });
    for (const [value, text] of options) node.append(element("option", { value }, text));
    return [node, element("label", { class: "select" }, element("span", {}, label), node)];
  }

  #mask() {
    const { words } = this;
    const [node, label] = this.#select(
      "mask",
      words.mask,
      [
        ["none", words.mask_none],
        ["causal", words.mask_causal],
        ["painted", words.mask_painted],
      ],
      (kind) => this.send({ op: "mask", kind }),
    );
    this.#update.push((model) => (node.value = model.controls.mask));
    return label;
  }

  #scoring() {
    const { words } = this;
    const [node, label] = this.#select(
      "scoring",
      words.scoring,
      [
        ["scaled_dot", words.scoring_scaled_dot],
        ["dot", words.scoring_dot],
        ["bilinear", words.scoring_bilinear],
        ["additive", words.scoring_additive],
        ["cosine", words.scoring_cosine],
      ],
      (kind) =>
        this.send({
          op: "scoring",
          ...({ scaled_dot: { kind: "dot", scale: "sqrt_dk" }, dot: { kind, scale: "none" } }[kind] ?? {
            kind,
          }),
        }),
    );
    this.#update.push((model) => (node.value = model.controls.scoring));
    return label;
  }

  #positions() {
    const { words } = this;
    const [node, label] = this.#select(
      "positions",
      words.positions,
      [
        ["none", words.positions_none],
        ["sinusoidal", words.positions_sinusoidal],
        ["rotary", words.positions_rotary],
        ["alibi", words.positions_alibi],
      ],
      (kind) => this.send({ op: "positions", kind }),
    );
    this.#update.push((model) => (node.value = model.controls.positions));
    return label;
  }

  /** How many heads have keys and values of their own; groups are equal, so only divisors are offered. */
  #kvHeads() {
    const [node, label] = this.#select("kv_heads", this.words.kv_heads, [], (count) =>
      this.send({ op: "kv_heads", count: Number(count) }),
    );
    let offered = 0;
    this.#update.push((model) => {
      const { h } = model.dims;
      if (h !== offered) {
        const divisors = [...Array(h).keys()].map((n) => n + 1).filter((count) => h % count === 0);
        node.replaceChildren(...divisors.map((count) => element("option", { value: count }, String(count))));
        offered = h;
      }
      node.value = String(model.controls.kv_heads);
      label.hidden = h === 1;
    });
    return label;
  }

  #scale() {
    const { words } = this;
    const divisor = element("input", {
      class: "divisor",
      type: "text",
      inputmode: "decimal",
      "aria-label": words.divisor,
      "data-focus": "divisor",
    });
    const commit = () => {
      const { value, wrong } = read(divisor.value, this.model.limits.number);
      if (value) {
        if (value !== this.model.controls.scale) this.send({ op: "scale", value });
        return;
      }
      const named = wrong && wrong !== "not_a_number" ? words[`wrong_${wrong}`] : words.not_a_divisor;
      const most = this.model.limits.number.toExponential().replace("+", "");
      const one = fill(named, { text: divisor.value, place: label.firstChild.textContent, most });
      this.say(fill(words.still_counts, { what: one }), "error");
      restore();
    };
    const restore = () => (divisor.value = String(this.model.controls.scale));
    divisor.addEventListener("change", commit);
    divisor.addEventListener("keydown", (event) => event.key === "Escape" && restore());
    const [node, label] = this.#select(
      "scale",
      words.divisor,
      [
        ["sqrt_dk", "√dₖ"],
        ["none", words.scale_none],
        ["number", words.scale_number],
      ],
      (kind) => {
        divisor.hidden = kind !== "number";
        if (kind === "number") this.send({ op: "scale", value: this.model.constants.divisor ?? 1 });
        else this.send({ op: "scale", value: kind });
      },
    );
    this.#update.push((model) => {
      const { scale } = model.controls;
      const { scoring } = model.controls;
      const named = scoring === "cosine" ? words.temperature : words.divisor;
      setText(label.firstChild, named);
      divisor.setAttribute("aria-label", named);
      node.querySelector("[value=sqrt_dk]").disabled = scoring === "additive" || scoring === "cosine"; // no products of d_k numbers
      node.value = typeof scale === "number" ? "number" : scale;
      divisor.hidden = typeof scale !== "number";
      if (typeof scale === "number" && divisor.getRootNode().activeElement !== divisor)
        divisor.value = String(scale);
    });
    return element("span", { class: "scale" }, label, divisor);
  }

  #decimals() {
    const [node, label] = this.#select(
      "decimals",
      this.words.decimals,
      [0, 1, 2, 3, 4, 5, 6, 8, 10].map((count) => [String(count), String(count)]),
      (value) => this.send({ op: "decimals", value: Number(value) }),
    );
    this.#update.push((model) => (node.value = String(model.decimals)));
    return label;
  }

  /** What the colours show; a page that has settled it offers no choice. */
  #lens() {
    const { words } = this;
    const [node, label] = this.#select(
      "lens",
      words.lens,
      [
        ["", words.lens_values],
        ["change", words.lens_change],
        ["gradient", words.lens_gradient],
      ],
      (value) => this.send({ op: "lens", value }),
    );
    this.#update.push((model) => {
      label.hidden = model.controls.lens === null;
      node.value = model.controls.lens ?? "";
    });
    return label;
  }

  #baseline() {
    const { words } = this;
    const pin = element("button", {
      type: "button",
      "data-focus": "baseline",
      onclick: () => this.send({ op: "baseline" }),
    });
    const clear = element(
      "button",
      {
        type: "button",
        class: "quiet",
        "data-focus": "baseline clear",
        "aria-label": words.baseline_clear,
        title: words.baseline_clear,
      },
      "✕",
    );
    clear.addEventListener("click", () => {
      pin.focus(); // it stays where this one goes
      this.send({ op: "baseline", clear: true });
    });
    const held = element("span", { class: "held" }, words.baseline_pinned);
    const node = element(
      "span",
      { class: "baseline", role: "group", "aria-label": words.baseline },
      held,
      pin,
      clear,
    );
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
