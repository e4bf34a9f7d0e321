// The form that sets a goal in plain words: a token should look at another, or its row should become some numbers.

import { button, div, element, fill, fillNodes, redrawn } from "../../kit/dom.js";
import { read } from "../../kit/numbers.js";
import { quoted } from "../../kit/quoted.js";
import { headsOf, rowAsTyped, stepsOf, tokensAlong, withTarget } from "./goals.js";

/** @typedef {import("./goals.js").Aim} Aim */
/**
 * `say`: show a message.
 * @typedef {{ readonly model: ExploreModel; send: (edit: Edit) => void; say: (text: string, kind?: string) => void }} GoalFormHost
 */

export class GoalForm {
  root = element("form", { class: "goal-form" });
  /** @type {Aim & { key: number }} */
  #aim = { step: "weights", head: 0, row: Infinity, key: 0 }; // the last token, which any mask lets look at the first
  #typed = ""; // the numbers that a row should become
  #drawn = ""; // what the form was drawn for, as JSON

  /**
   * @param {GoalFormHost} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.host = host;
    this.words = words;
    this.root.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#submit();
    });
  }

  /** @param {ExploreModel} model */
  update(model) {
    this.#fit(model);
    const drawn = JSON.stringify([
      this.#aim,
      stepsOf(model),
      model.dims,
      model.labels,
      model.learning?.goal.step,
    ]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    redrawn(this.root, () => this.#draw(model));
  }

  /**
   * Begin with this row of the output or of Concat, to be typed over.
   * @param {Aim} aim
   */
  begin(aim) {
    this.#aim = { ...this.#aim, ...aim };
    this.#typed = rowAsTyped(this.host.model, aim);
    this.#drawn = "";
    this.update(this.host.model);
    const field = this.root.querySelector("input");
    field?.focus();
    field?.select();
  }

  /** Choose what the example has. @param {ExploreModel} model */
  #fit(model) {
    const [steps, heads] = [stepsOf(model), headsOf(model)];
    const aim = this.#aim;
    const { n_q, n_k } = model.dims;
    const step = steps.includes(aim.step) ? aim.step : (steps[0] ?? "weights");
    const head = step !== "weights" ? null : heads.includes(aim.head ?? -1) ? aim.head : (heads[0] ?? null);
    this.#aim = { step, head, row: Math.min(aim.row, n_q - 1), key: Math.min(aim.key, n_k - 1) };
    if (step !== "weights" && !this.#typed) this.#typed = rowAsTyped(model, this.#aim);
  }

  /** @param {ExploreModel} model */
  #draw(model) {
    const { words } = this;
    const { step, row, key } = this.#aim;
    this.root.hidden = stepsOf(model).length === 0;
    const kinds = stepsOf(model).map((name) => [name, words[`goal_about_${name}`]]);
    const about = this.#select("about", words.goal_about, kinds, step, (value) =>
      this.#choose(model, { step: /** @type {Aim["step"]} */ (value), head: 0 }),
    );
    const queries = numbered(tokensAlong(model, "n_q"));
    const query = this.#select("query", words.goal_query, queries, row, (value) =>
      this.#choose(model, { row: Number(value) }),
    );
    const sentence =
      step === "weights"
        ? fillNodes(model.dims.h > 1 ? words.goal_look_of_head : words.goal_look, {
            head: [this.#heads(model)],
            query: [query],
            key: [
              this.#select("key", words.goal_key, numbered(tokensAlong(model, "n_k")), key, (value) =>
                this.#choose(model, { key: Number(value) }),
              ),
            ],
          })
        : fillNodes(words[`goal_row_${step}`], { query: [query], numbers: [this.#numbers()] });
    const known = model.learning?.goal.step;
    const label = !known ? words.goal_set : known === step ? words.goal_add : words.goal_replace;
    const set = button({ class: "further", data: { focus: "goal set" } }, label);
    set.type = "submit";
    this.root.replaceChildren(kinds.length > 1 ? about : "", div("goal-sentence", ...sentence), set);
  }

  /** @param {ExploreModel} model */
  #heads(model) {
    const options = headsOf(model).map((head) => [String(head), String(head + 1)]);
    return this.#select("head", this.words.head, options, this.#aim.head ?? 0, (value) =>
      this.#choose(model, { head: Number(value) }),
    );
  }

  #numbers() {
    const field = element("input", {
      type: "text",
      class: "goal-numbers",
      autocomplete: "off",
      "aria-label": this.words.goal_numbers,
      placeholder: this.words.goal_numbers,
      data: { focus: "goal numbers" },
    });
    field.value = this.#typed;
    field.addEventListener("input", () => {
      this.#typed = field.value;
    });
    return field;
  }

  /**
   * @param {string} name
   * @param {string} label
   * @param {string[][]} options values and texts
   * @param {string | number} chosen
   * @param {(value: string) => void} choose
   */
  #select(name, label, options, chosen, choose) {
    const items = options.map(([value, text]) =>
      element("option", { value, selected: value === String(chosen) }, text),
    );
    const node = element("select", { "aria-label": label, data: { focus: `goal ${name}` } }, ...items);
    node.addEventListener("change", () => choose(node.value));
    return node;
  }

  /**
   * @param {ExploreModel} model
   * @param {Partial<Aim & { key: number }>} chosen
   */
  #choose(model, chosen) {
    this.#aim = { ...this.#aim, ...chosen };
    if (!("key" in chosen)) this.#typed = ""; // the numbers of another row
    this.update(model);
  }

  #submit() {
    const { model } = this.host;
    const { key, ...aim } = this.#aim;
    const target = aim.step === "weights" ? key : this.#row(model, aim.step);
    if (target !== null) this.host.send({ op: "learning", learning: withTarget(model, aim, target) });
  }

  /**
   * The numbers that were typed; null where they are none, or not as many as the row has, which is said.
   * @type {(model: ExploreModel, step: "output" | "concat") => number[] | null}
   */
  #row(model, step) {
    const { words } = this;
    const parts = this.#typed.split(/[\s;，；、|[\]()]+|,(?=\s)|(?<=\d),(?=-?\d)/).filter(Boolean);
    const readings = parts.map((text) => read(text, model.limits.number));
    const at = readings.findIndex(({ value }) => value === undefined);
    const width = step === "output" ? model.dims.d_out : model.dims.h * model.dims.d_v;
    const { wrong } = readings[at] ?? {};
    if (wrong) {
      const most = model.limits.number.toExponential().replace("+", "");
      const text = quoted(words, parts[at]);
      this.host.say(fill(words[`wrong_${wrong}`], { place: words.goal_numbers, text, most }), "error");
    } else if (readings.length !== width)
      this.host.say(fill(words.goal_width, { width, count: readings.length }), "error");
    else return readings.map(({ value }) => Number(value));
    this.root.querySelector("input")?.focus();
    return null;
  }
}

/** @type {(texts: string[]) => string[][]} options with the places in the list as their values */
const numbered = (texts) => texts.map((text, at) => [String(at), text]);
