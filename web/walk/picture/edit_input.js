// Changing a number of an input where the walk shows it, without leaving the projector. A double click opens its cell,
// E the first that can be changed; Enter takes the number, Tab goes on to the next, Escape leaves it. Where the step
// shows no input, a sentence says which step does. The edit is the same as in Explore, so undo, the second window and
// those who follow get it too.

import { active, element, elementsOf, fill, rich, targetOf } from "../../kit/dom.js";
import {
  isClaim,
  isEditable,
  requireValue,
  rowsOf,
  sourcesOf,
  symbolOf,
  unkey,
  valueAt,
} from "../../kit/graph.js";
import { exact, read } from "../../kit/numbers.js";
import { sender } from "../../kit/sender.js";
import { nameText } from "./cell_name.js";
import { ownerOf } from "./scene.js";

const MOST = 1e12;

export class InputEditor {
  #host;
  #key = ""; // of the cell that is being changed
  #text = "";

  /** @param {InputEditorHost} host */
  constructor(host) {
    this.#host = host;
    host.root.addEventListener("dblclick", (event) => {
      const td = targetOf(event)?.closest("td");
      if (td?.dataset.key) this.#open(td);
    });
  }

  /** Open the first number that can be changed; where there is none, say which step has some. */
  begin() {
    const [first] = this.#cells();
    if (first) return this.#open(first);
    const sentence = this.#whereInputsAre();
    this.#host.refuse(sentence, { nodes: rich, spoken: sentence.replaceAll("_", "") });
  }

  #whereInputsAre() {
    const { words, stages } = this.#host.model();
    const inputs = inputsFor(this.#host.model(), this.#host.stage());
    if (!inputs) return words.change_none;
    const { stage, symbols } = inputs;
    return fill(words.change_where, {
      matrices: symbols.join(", "),
      number: stage + 1,
      step: stages[stage].title,
    });
  }

  /** The walk was rendered again: what was being typed goes on. */
  again() {
    if (!this.#key || this.#host.root.querySelector("input.change")) return;
    const cell = this.#cells().find((td) => td.dataset.key === this.#key);
    if (cell) this.#open(cell, this.#text);
    else this.#key = "";
  }

  #cells() {
    return elementsOf(this.#host.root, ".stage td[data-key]").filter((td) => this.#isInput(td));
  }

  /** @param {HTMLElement} td */
  #isInput(td) {
    const model = this.#host.model();
    const cell = cellOf(td);
    const isEditableInput = isEditable(model, cell.name, cell.head) && !isClaim(model, cell.name);
    return isEditableInput && typeof valueAt(model, cell) === "number";
  }

  /**
   * @param {HTMLElement} td
   * @param {string} [text] what was typed before the walk was rendered again
   */
  #open(td, text) {
    if (td.querySelector("input") || !this.#isInput(td)) return;
    const model = this.#host.model();
    const cell = cellOf(td);
    const previous = [...td.childNodes];
    const key = td.dataset.key ?? "";
    const field = element("input", {
      class: "change",
      inputmode: "decimal",
      autocomplete: "off",
      spellcheck: "false",
      "aria-label": nameText(model, cell),
    });
    field.value = text ?? exact(requireValue(model, cell));
    this.#key = key;
    this.#text = field.value;
    field.addEventListener("input", () => (this.#text = field.value));
    const close = () => {
      if (this.#key === key) this.#key = "";
      this.#host.refused.takeBack(field);
      if (field.isConnected) td.replaceChildren(...previous);
    };
    field.addEventListener("keydown", (event) => this.#onKey(event, { field, cell, td, close }));
    const left = () => field.isConnected && active(field) !== field && this.#take(field, cell) && close();
    field.addEventListener("blur", () => setTimeout(left)); // a walk that is rendered again removes the field, too
    td.replaceChildren(field);
    field.focus();
    if (text === undefined) field.select();
  }

  /**
   * @param {KeyboardEvent} event
   * @param {{ field: HTMLInputElement; cell: Cell; td: HTMLElement; close: () => void }} editor
   */
  #onKey(event, { field, cell, td, close }) {
    if (event.isComposing || !["Enter", "Tab", "Escape"].includes(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Escape" && !this.#take(field, cell)) return;
    const cells = this.#cells();
    const next = cells[cells.indexOf(td) + (event.shiftKey ? -1 : 1)];
    close();
    if (event.key === "Tab" && next) this.#open(next);
  }

  /**
   * Whether the text is a number. One that is new is sent.
   * @param {HTMLInputElement} field
   * @param {Cell} cell
   */
  #take(field, cell) {
    const { value, wrong } = read(field.value, MOST);
    const model = this.#host.model();
    if (value === undefined) {
      this.#host.refused.say(field, wrong ?? "", { most: MOST, follows: model.words.still_counts });
      return false;
    }
    const { name, head, row, col } = cell;
    if (value !== valueAt(model, cell))
      sender.send({ op: "set", matrix: name, head, row, col, values: [[value]] });
    return true;
  }
}

/** @type {(td: HTMLElement) => Cell} */
const cellOf = (td) => unkey(td.dataset.key ?? "");

/**
 * The matrices that can be changed where a stage shows them.
 * @type {(model: WalkModel, stage: WalkStage) => { name: string; head: number | null }[]}
 */
function inputsOf(model, stage) {
  const { kind, head, steps, parts } = stage;
  if (kind === "head" || kind === "closing") return [];
  const scene = { model, stage, step: steps[0] ?? null, head };
  const names = steps[0] ? steps[0].operands.map(([name]) => name) : parts.map(([name]) => name);
  return [...new Set(names)]
    .map((name) => ({ name, head: ownerOf(scene, name) }))
    .filter(
      ({ name, head }) => rowsOf(model, name, head) && isEditable(model, name, head) && !isClaim(model, name),
    );
}

/**
 * Where numbers can be changed that a stage depends on, or any numbers where it depends on none. Gives a stage, one that
 * computes something if there is one, and the symbols of its inputs. Null where nothing can be changed.
 * @type {(model: WalkModel, at: number) => { stage: number; symbols: string[] } | null}
 */
function inputsFor(model, at) {
  const { steps, head } = model.stages[at];
  const needed = steps.flatMap(({ name }) => sourcesOf(model, name, head));
  const inputs = model.stages.map((stage) =>
    inputsOf(model, stage).map(({ name, head }) => symbolOf(model, name, head)),
  );
  const neededInputs = inputs.map((symbols) => symbols.filter((symbol) => needed.includes(symbol)));
  for (const byStage of [neededInputs, inputs]) {
    const stages = [...byStage.keys()].filter((stage) => byStage[stage].length > 0);
    const stage = stages.find((index) => model.stages[index].kind === "step") ?? stages[0];
    if (stage !== undefined) return { stage, symbols: byStage[stage] };
  }
  return null;
}
