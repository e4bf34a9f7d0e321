// The toolbar: history and sizes, and two menus for what the layer has and how it is looked at.

import { button, element, fill, p, setText, span, symbol } from "../../kit/dom.js";
import { isOfTables } from "../ways_on.js";
import { Fold } from "./fold.js";
import { NumberField } from "./number_field.js";

/** @typedef {(model: ExploreModel) => void} Update */

/** @type {Resize["axis"][]} */
const SIZES = ["d_model", "d_context", "d_k", "d_a", "d_v", "d_out"];
const MOST_WINDOW = 1_000_000; // keys, as mha_core/example/band.py has it
const SOFTCAP = 5; // of scores that are capped for the first time
const EPS = 1e-6; // of a norm, as in mha_core/example/model.py
const DECIMALS = [0, 1, 2, 3, 4, 5, 6, 8, 10];

export class Toolbar {
  /** @type {Update[]} */
  #updates = [];

  /**
   * Where numbers are checked and not changed, only the history is offered; where only numbers can be changed, what is
   * left of the settings.
   * @param {import("./number_field.js").NumberFieldHost} host
   */
  constructor(host) {
    const { words, check, controls } = host.model;
    this.host = host;
    this.words = words;
    this.divisor = new NumberField(host, {
      name: "divisor",
      chosen: ({ scale }) => scale,
      edit: (value) => ({ op: "scale", value }),
      accepts: (value) => value !== 0,
      refused: words.not_a_divisor,
    });
    this.root = element(
      "div",
      { class: "controls", role: "toolbar", "aria-label": words.controls },
      this.#history(),
      ...(check || controls.fixed ? [] : [this.#sizes(), this.#layerMenu()]),
      ...(check ? [] : controls.fixed ? this.#fixedMenu(controls.fixed) : [this.#viewMenu()]),
    );
  }

  /** @param {ExploreModel} model */
  update(model) {
    for (const update of this.#updates) update(model);
  }

  /** @param {Edit} edit */
  #send(edit) {
    this.host.send(edit);
  }

  #history() {
    const { words } = this;
    return group(
      words.history,
      this.#historyButton("undo", "↶", ({ undo }) => undo),
      this.#historyButton("redo", "↷", ({ redo }) => redo),
      this.#historyButton("reset", "⟲", ({ undo, changed }) => undo || changed),
    );
  }

  #sizes() {
    const { words } = this;
    return group(
      words.sizes,
      this.#stepper("h", words.heads, (by) => ({ op: by > 0 ? "add_head" : "remove_head" })),
      this.#stepper("n_q", words.tokens, (by, count) =>
        by > 0
          ? { op: "add_token", which: "tokens" }
          : { op: "remove_token", which: "tokens", index: count - 1 },
      ),
      ...SIZES.map((axis) => this.#stepper(axis, null, (by) => ({ op: "resize", axis, by }))),
    );
  }

  #layerMenu() {
    const { words } = this;
    return this.#menu("layer", {
      scoring: this.#choice("scoring"),
      divisor: this.#scale(),
      norm: this.#norm(),
      softcap: this.#softcap(),
      sinks: this.#checkbox("sinks", words.sinks),
      mask: this.#mask(),
      corner: this.#corner(),
      head_masks: this.#headMasks(),
      positions: this.#choice("positions"),
      values: this.#checkbox("values", words.layer_values),
      w_o: this.#checkbox("w_o", words.layer_w_o),
      biases: this.#checkbox("biases", words.biases),
      context: this.#checkbox("context", words.context),
      kv_heads: this.#kvHeads(),
    });
  }

  /**
   * What is left of the menus where only numbers can be changed, and some settings: in a puzzle, without a server, or
   * through one lens.
   * @param {string[]} settings
   */
  #fixedMenu(settings) {
    const hasDivisor = this.host.model.constants.divisor !== null;
    return [
      settings.includes("scale") && hasDivisor ? this.#scale() : null,
      settings.includes("softcap") ? this.#softcap() : null,
      ...(settings.includes("mask") ? [this.#mask(), this.#corner()] : []),
      this.host.model.puzzle ? null : this.#decimals(),
      isOfTables(this.host.model) ? this.#baseline() : null,
    ];
  }

  #viewMenu() {
    return this.#menu("view", {
      decimals: this.#decimals(),
      lens: this.#lens(),
      baseline: this.#baseline(),
    });
  }

  /**
   * A menu of controls by name, each with a word of what it is for.
   * @param {"layer" | "view"} name
   * @param {Record<string, HTMLElement>} controls
   */
  #menu(name, controls) {
    const { words } = this;
    const options = Object.entries(controls).map(([control, node]) => {
      const option = element("div", { class: "option" }, node, p("quiet-text", words[`for_${control}`]));
      this.#updates.push(() => {
        option.hidden = node.hidden;
      });
      return option;
    });
    return new Fold(name, words[name], ...options).root;
  }

  /**
   * @param {"undo" | "redo" | "reset"} op
   * @param {string} sign
   * @param {(controls: ExploreModel["controls"]) => boolean} isEnabled
   */
  #historyButton(op, sign, isEnabled) {
    const label = this.words[op];
    const onclick = () => this.#send({ op });
    const node = button({ "aria-label": label, title: label, data: { focus: op }, onclick }, sign);
    this.#updates.push(({ controls }) => {
      node.disabled = !isEnabled(controls);
    });
    return node;
  }

  /**
   * Two buttons around a size. Steps are relative, so that quick clicks count before an answer has come.
   * @param {string} axis
   * @param {string | null} label null: the axis itself
   * @param {(by: number, count: number) => Edit} edit
   */
  #stepper(axis, label, edit) {
    const count = element("output", { "aria-live": "off" });
    const name = (label ?? axis).replaceAll("_", " ");
    const step = (/** @type {number} */ by, /** @type {string} */ sign, /** @type {string} */ focus) => {
      const attributes = { "aria-label": `${name} ${sign}1`, data: { focus: `${axis} ${focus}` } };
      const onclick = () => this.#send(edit(by, this.host.model.dims[axis]));
      return button({ ...attributes, onclick }, sign);
    };
    const less = step(-1, "−", "less");
    const more = step(+1, "+", "more");
    const attributes = { class: "stepper", role: "group", "aria-label": name };
    const node = element("span", attributes, symbol(label ?? axis), less, count, more);
    this.#updates.push(({ dims, controls, limits }) => {
      const size = dims[axis];
      node.hidden = axis !== "n_q" && !controls.sizes.includes(axis);
      setText(count, String(size));
      less.disabled = size <= 1;
      more.disabled = size >= (axis === "h" ? limits.heads : limits.size);
    });
    return node;
  }

  /**
   * @param {"sinks" | "values" | "w_o" | "biases" | "context"} op
   * @param {string} label
   */
  #checkbox(op, label) {
    const box = element("input", { type: "checkbox", data: { focus: op } });
    box.addEventListener("change", () => this.#send({ op, on: box.checked }));
    this.#updates.push(({ controls, dims }) => {
      box.checked = controls[op];
      box.disabled = (op === "context" && !dims.d_model) || (op === "w_o" && !controls.values);
    });
    return element("label", { class: "check" }, box, symbol(label));
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {string[][]} options [value, text] of each
   * @param {(model: ExploreModel) => string} chosen the value of the current option
   * @param {(value: string) => void} choose
   */
  #select(name, label, options, chosen, choose) {
    const select = element("select", { data: { focus: name } });
    select.addEventListener("change", () => choose(select.value));
    for (const [value, text] of options) select.append(element("option", { value }, text));
    this.#updates.push((model) => {
      select.value = chosen(model);
    });
    const title = element("span", {}, label);
    return { root: element("label", { class: "select" }, title, select), title, select };
  }

  /**
   * A menu whose choices the server sends: each by its name, with the edit that makes it.
   * @param {"scoring" | "mask" | "positions"} name
   */
  #choice(name) {
    const edits = this.host.model.choices[name];
    const options = Object.keys(edits).map((value) => [value, this.words[`${name}_${value}`]]);
    const choose = (/** @type {string} */ value) => this.#send(edits[value]);
    return this.#select(name, this.words[name], options, ({ controls }) => controls[name], choose).root;
  }

  /** How many heads have their own keys and values. Groups are of equal size, so only divisors are offered. */
  #kvHeads() {
    let offeredFor = 0;
    /** @param {ExploreModel} model */
    const chosen = ({ dims: { h }, controls }) => {
      const divisors = [...Array(h).keys()].map((n) => n + 1).filter((count) => h % count === 0);
      if (h !== offeredFor)
        select.replaceChildren(
          ...divisors.map((count) => element("option", { value: count }, String(count))),
        );
      offeredFor = h;
      root.hidden = h === 1;
      return String(controls.kv_heads);
    };
    const choose = (/** @type {string} */ count) => this.#send({ op: "kv_heads", count: Number(count) });
    const { root, select } = this.#select("kv_heads", this.words.kv_heads, [], chosen, choose);
    return root;
  }

  #scale() {
    const { words } = this;
    const options = [
      ["sqrt_dk", "√dₖ"],
      ...(this.host.model.controls.fixed ? [] : [["none", words.scale_none]]),
      ["number", words.scale_number],
    ];
    /** @param {ExploreModel} model */
    const chosen = ({ controls: { scale, temperature, is_product } }) => {
      const label = temperature ? words.temperature : words.divisor;
      setText(title, label);
      this.divisor.update(label);
      select.options[0].disabled = !is_product;
      return typeof scale === "number" ? "number" : scale;
    };
    const choose = (/** @type {string} */ kind) => {
      this.divisor.field.hidden = kind !== "number";
      this.#send({ op: "scale", value: this.#scaleOfKind(kind) });
    };
    const { root, title, select } = this.#select("scale", words.divisor, options, chosen, choose);
    return span("scale", root, this.divisor.field);
  }

  /**
   * @param {string} kind
   * @returns {ExploreModel["controls"]["scale"]}
   */
  #scaleOfKind(kind) {
    if (kind !== "number") return kind === "none" ? "none" : "sqrt_dk";
    return Number(this.host.model.constants.divisor ?? 1);
  }

  #softcap() {
    const { words } = this;
    return this.#switchedNumber({
      name: "softcap",
      label: words.softcap,
      first: SOFTCAP,
      refused: words.not_a_softcap,
      edit: (value) => ({ op: "softcap", value }),
    });
  }

  #norm() {
    const { words } = this;
    return this.#switchedNumber({
      name: "norm",
      label: words.norm,
      first: EPS,
      refused: words.not_an_eps,
      edit: (value) =>
        value === null ? { op: "norm", kind: "none" } : { op: "norm", kind: "rms", eps: value },
    });
  }

  /**
   * A switch, and beside it a number above 0, which is `first` once it is switched on. To `edit` null is: switched off.
   * @param {{
   *   name: "softcap" | "norm";
   *   label: string;
   *   first: number;
   *   refused: string;
   *   edit: (value: number | null) => Edit;
   * }} setting
   */
  #switchedNumber({ name, label, first, refused, edit }) {
    const number = new NumberField(this.host, {
      name,
      chosen: (controls) => controls[name],
      edit,
      accepts: (value) => value > 0,
      refused,
    });
    const box = element("input", { type: "checkbox", data: { focus: `${name} on` } });
    box.addEventListener("change", () => this.#send(edit(box.checked ? first : null)));
    this.#updates.push(({ controls }) => {
      box.checked = controls[name] !== null;
      number.update(label);
    });
    return span("scale", element("label", { class: "check" }, box, label), number.field);
  }

  /** The kinds of masks, and beside them how many keys a window has. */
  #mask() {
    const { words } = this;
    const number = new NumberField(this.host, {
      name: "window",
      chosen: ({ window }) => window,
      edit: (window) => ({ op: "mask", kind: this.host.model.controls.mask, window }),
      accepts: (value) => Number.isInteger(value) && value >= this.#leastWindow && value <= MOST_WINDOW,
      refused: words.not_a_window,
    });
    this.#updates.push(() => number.update(words.window));
    return span("scale", this.#choice("mask"), number.field);
  }

  /** A causal window has at least the key at the query's own position. */
  get #leastWindow() {
    return this.host.model.controls.mask === "causal_window" ? 1 : 0;
  }

  /** Where queries and keys are aligned; only where there are not as many of both. */
  #corner() {
    const { words } = this;
    const options = [
      ["top_left", words.corner_top_left],
      ["bottom_right", words.corner_bottom_right],
    ];
    /** @param {ExploreModel} model */
    const chosen = ({ controls: { corner } }) => {
      root.hidden = corner === null;
      return corner ?? "";
    };
    const choose = (/** @type {string} */ value) => {
      const corner = /** @type {SetMask["corner"]} */ (value);
      this.#send({ op: "mask", kind: this.host.model.controls.mask, corner });
    };
    const { root } = this.#select("corner", words.corner, options, chosen, choose);
    return root;
  }

  /** A box for each head, which gives it its own mask and takes it back. */
  #headMasks() {
    const { words } = this;
    const boxes = element("span", { class: "head-masks" });
    const attributes = { class: "check", role: "group", "aria-label": words.head_masks };
    const node = element("span", attributes, span("symbol", words.head_masks), boxes);
    let shown = "";
    this.#updates.push(({ controls: { head_masks } }) => {
      node.hidden = head_masks === null;
      if (shown === String(head_masks)) return;
      if (head_masks?.length !== boxes.children.length)
        boxes.replaceChildren(...(head_masks ?? []).map((_, head) => this.#headMask(head)));
      for (const [head, box] of boxes.querySelectorAll("input").entries())
        box.checked = Boolean(head_masks?.[head]);
      shown = String(head_masks);
    });
    return node;
  }

  /** @param {number} head */
  #headMask(head) {
    const label = fill(this.words.head_mask_of, { head: head + 1 });
    const box = element("input", {
      type: "checkbox",
      "aria-label": label,
      data: { focus: `head_mask ${head}` },
    });
    box.addEventListener("change", () => this.#send({ op: "head_mask", head, on: box.checked }));
    return element("label", {}, box, String(head + 1));
  }

  #decimals() {
    const options = [
      ["", this.words.decimals_fit],
      ...DECIMALS.map((count) => [String(count), String(count)]),
    ];
    const choose = (/** @type {string} */ value) =>
      this.#send({ op: "decimals", value: value === "" ? null : Number(value) });
    const chosen = (/** @type {ExploreModel} */ model) =>
      model.decimals_chosen ? String(model.decimals) : "";
    return this.#select("decimals", this.words.decimals, options, chosen, choose).root;
  }

  /** What the colours show. A page that has decided it offers no choice. */
  #lens() {
    const { words } = this;
    const options = [
      ["", words.lens_values],
      ["change", words.lens_change],
      ["gradient", words.lens_gradient],
    ];
    /** @param {ExploreModel} model */
    const chosen = ({ controls }) => {
      root.hidden = controls.lens === null;
      return controls.lens ?? "";
    };
    const choose = (/** @type {string} */ value) =>
      this.#send({ op: "lens", value: /** @type {ChooseLens["value"]} */ (value) });
    const { root } = this.#select("lens", words.lens, options, chosen, choose);
    return root;
  }

  #baseline() {
    const { words } = this;
    const pin = button({ data: { focus: "baseline" }, onclick: () => this.#send({ op: "baseline" }) });
    const label = { "aria-label": words.baseline_clear, title: words.baseline_clear };
    const clear = button({ class: "quiet", data: { focus: "baseline clear" }, ...label }, "✕");
    clear.addEventListener("click", () => {
      pin.focus(); // this button is about to disappear
      this.#send({ op: "baseline", clear: true });
    });
    const pinned = span("held", words.baseline_pinned);
    const attributes = { class: "baseline", role: "group", "aria-label": words.baseline };
    const node = element("span", attributes, pinned, pin, clear);
    this.#updates.push((model) => {
      const { lens, baseline } = model.controls;
      node.hidden = lens === null && model.lens?.kind !== "change";
      node.classList.toggle("pinned", baseline);
      pinned.hidden = !baseline;
      clear.hidden = !baseline || lens === null; // a page about the baseline always has one
      setText(pin, baseline ? words.baseline_again : words.baseline_pin);
    });
    return node;
  }
}

/**
 * @param {string} label
 * @param {...HTMLElement} children
 */
const group = (label, ...children) =>
  element("div", { class: "group", role: "group", "aria-label": label }, ...children);
