// A number of an input, changed where the walk shows it, without leaving the projector: double-click it, or press E for
// the first that stands there; Enter takes it, Tab goes on to the next, Escape leaves it; where there is none it is said
// where there are some. It is the bench's own edit, so that undo, the other window and those who follow have it too.

import { active, element, elementsOf, fill, rich, targetOf } from "../../kit/dom.js";
import { isClaim, isEditable, unkey, valueAt } from "../../kit/graph.js";
import { exact, read } from "../../kit/numbers.js";
import { sender } from "../../kit/sender.js";
import { nameText } from "./cell_name.js";
import { inputsFor } from "./inputs.js";

const MOST = 1e12;

export class Change {
  /** @type {import("../walk.js").Walk} */
  #walk;
  #at = ""; // key of the cell that is being changed
  #text = "";

  /** @param {import("../walk.js").Walk} walk */
  constructor(walk) {
    this.#walk = walk;
    walk.root.addEventListener("dblclick", (event) => this.#open(targetOf(event)?.closest("td[data-key]")));
  }

  /** Begin with the first number that can be changed; where none stands, say where there are some. */
  begin() {
    const [first] = this.#cells();
    if (first) return this.#open(first);
    const { easel, live } = this.#walk;
    easel.refuse(this.#nothing(), rich);
    live.textContent = easel.refused.replaceAll("_", "");
  }

  #nothing() {
    const { model, way } = this.#walk;
    const { words, stages } = model;
    const inputs = inputsFor(model, way.place.stage);
    if (!inputs) return words.change_none;
    const { stage, symbols } = inputs;
    return fill(words.change_where, {
      matrices: symbols.join(", "),
      number: stage + 1,
      step: stages[stage].title,
    });
  }

  /** The walk was drawn anew: what was being typed goes on. */
  again() {
    if (!this.#at || this.#field) return;
    const cell = this.#cells().find((td) => td.dataset.key === this.#at);
    if (cell) this.#open(cell, this.#text);
    else this.#at = "";
  }

  get #field() {
    return this.#walk.root.querySelector("input.change");
  }

  #cells() {
    return elementsOf(this.#walk.root, ".stage td[data-key]").filter((td) => this.#isInput(td));
  }

  #isInput(td) {
    const { model } = this.#walk;
    const { name, head, ...at } = unkey(td.dataset.key);
    const given = isEditable(model, name, head) && !isClaim(model, name);
    return given && typeof valueAt(model, { name, head, ...at }) === "number";
  }

  #open(td, text = null) {
    if (!td || td.querySelector("input") || !this.#isInput(td)) return;
    const { model } = this.#walk;
    const cell = unkey(td.dataset.key);
    const kept = [...td.childNodes];
    const field = element("input", {
      class: "change",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": nameText(model, cell),
    });
    field.value = text ?? exact(valueAt(model, cell));
    this.#at = td.dataset.key;
    this.#text = field.value;
    field.addEventListener("input", () => (this.#text = field.value));
    const close = () => {
      if (this.#at === td.dataset.key) this.#at = "";
      this.#walk.refused.takeBack(field);
      if (field.isConnected) td.replaceChildren(...kept);
    };
    field.addEventListener("keydown", (event) => this.#key(event, { field, cell, td, close }));
    const left = () => field.isConnected && active(field) !== field && this.#take(field, cell) && close();
    field.addEventListener("blur", () => setTimeout(left)); // a walk that is drawn anew takes the field away, too
    td.replaceChildren(field);
    field.focus();
    if (text === null) field.select();
  }

  #key(event, { field, cell, td, close }) {
    if (event.isComposing || !["Enter", "Tab", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Escape" && !this.#take(field, cell)) return;
    const cells = this.#cells();
    const next = cells[cells.indexOf(td) + (event.shiftKey ? -1 : 1)];
    close();
    if (event.key === "Tab") this.#open(next);
  }

  /** Whether what was typed is a number; a new one is sent. */
  #take(field, { name, head, row, col }) {
    const { value, wrong } = read(field.value, MOST);
    const { refused, model } = this.#walk;
    if (wrong) {
      refused.say(field, wrong, { most: MOST, follows: model.words.still_counts });
      return false;
    }
    if (value !== valueAt(model, { name, head, row, col }))
      sender.send({ op: "set", matrix: name, head, row, col, values: [[value]] });
    return true;
  }
}
