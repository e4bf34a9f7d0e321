// Trying it oneself on a phone: the numbers that a step reads are dragged in the picture, moved by keys, or changed with
// the dial, and the picture follows. Everything stays on this phone.

import { elementsOf, setAttribute, symbol, titled } from "../kit/dom.js";
import { isModifier, Scrub, stepOf } from "../kit/drag.js";
import { fedBy, isSame, key, symbolOf, valueAt } from "../kit/graph.js";
import { given, moved, read } from "../kit/numbers.js";
import { cellAt, cellIn, makeTabStop } from "../kit/selection.js";
import { SpinButton } from "../kit/spinbutton.js";
import { namesOf, nameText } from "../walk/picture/cell_name.js";
import { Dial } from "./dial.js";
import { copied, differs, isPlayable, playable, scaleOf, set } from "./play.js";

const MOST = 1e6; // so that no product gets too large

export class Player {
  /** @type {WalkModel | null} */
  #lecture = null; // with the lecturer's numbers
  /** @type {WalkModel | null} */
  #model = null; // with this phone's, while somebody plays
  /** @type {Cell | null} */
  #selected = null;
  #scale = { places: 0, least: 0, most: 0 }; // of the number that is selected
  /** @type {Scrub<Cell>} */
  #scrub = new Scrub({
    slides: true,
    valueOf: (cell) => this.#numberAt(cell),
    moved: (start, steps) => moved(start, steps, MOST, this.#scale.places),
    element: (cell) => this.#cellOf(cell),
    show: (cell, number) => this.#set(cell, number),
    commit: (cell, number) => this.#set(cell, number),
    cancel: (cell, number) => this.#set(cell, number),
  });

  /**
   * @param {HTMLElement} stage around the walk
   * @param {() => import("../walk/walk.js").Walk | null} walk
   */
  constructor(stage, walk) {
    this.stage = stage;
    this.walk = walk;
    this.dial = new Dial({
      step: (steps) => this.#step(steps),
      slide: (number) => this.#selected && this.#set(this.#selected, number),
      type: (text) => this.#type(text),
    });
    this.spin = new SpinButton(stage, (td) => this.#ariaOf(td));
    const onCell = (/** @type {(cell: Cell, event: any) => void} */ act) => (/** @type {Event} */ event) => {
      const td = cellAt(event.target);
      if (td && this.#numberAt(cellIn(td)) !== undefined) act(cellIn(td), event);
    };
    const on = (/** @type {string} */ name, /** @type {(cell: Cell, event: any) => void} */ act) =>
      stage.addEventListener(name, onCell(act));
    on("pointerdown", (cell, event) => {
      this.select(cell);
      this.#scrub.press(cell, event);
    });
    on("click", (cell) => this.select(cell));
    on("focusin", (cell) => this.select(cell));
    on("keydown", (cell, event) => this.#onKey(cell, event));
    this.#scrub.listen(stage);
  }

  get isOn() {
    return this.#model !== null;
  }

  /** Whether there is a number to play with where the walk is. */
  get canPlay() {
    const walk = this.walk();
    if (!walk || !isPlayable(walk.model)) return false;
    return this.#cells(walk.model).length > 0;
  }

  // --- whose numbers are shown -----------------------------------------------------------------------------------------

  /**
   * Begin with the lecturer's numbers, or go on with others.
   * @type {(lecture: WalkModel, numbers?: WalkModel | null) => WalkModel}
   */
  begin(lecture, numbers) {
    this.#lecture = lecture;
    this.#model = copied({ ...lecture, revision: lecture.revision + 0.5 }, numbers ?? lecture);
    return this.#model;
  }

  /** Give the focus to the number that is selected. */
  focus() {
    this.spin.focus((this.#selected && this.#cellOf(this.#selected)) ?? undefined);
  }

  /** Back to the lecturer's numbers. Returns those that were played with. */
  end() {
    const model = this.#model;
    this.#scrub.finish();
    this.spin.leave();
    this.#model = this.#selected = null;
    this.dial.root.hidden = true;
    return model;
  }

  // --- in the picture --------------------------------------------------------------------------------------------------

  /** The walk is at a place: mark the numbers that may be changed there. */
  mark() {
    const model = this.#model;
    if (!model) return;
    const cells = this.#cells(model);
    const tables = new Set();
    for (const td of cells) {
      td.classList.add("playable");
      td.tabIndex = tables.has(td.closest("table")) ? -1 : 0;
      tables.add(td.closest("table"));
    }
    const isShown = cells.some((td) => isSame(cellIn(td), this.#selected));
    if (!isShown) this.#selected = null;
    this.dial.root.hidden = !cells.length;
    if (!isShown && cells[0]) return this.select(cellIn(cells[0]));
    this.#repaint();
    this.#markSelected();
  }

  /** Mark the numbers that are not the lecturer's. */
  #markDifferent() {
    const [model, lecture] = [this.#model, this.#lecture];
    if (!model || !lecture) return;
    for (const td of elementsOf(this.stage, "td[data-key]"))
      td.classList.toggle("differs", differs(model, lecture, cellIn(td)));
  }

  /** @param {WalkModel} model */
  #cells(model) {
    const { route } = /** @type {import("../walk/walk.js").Walk} */ (this.walk());
    const names = playable(route.stage, route.step);
    return elementsOf(this.stage, ".stage td[data-key]:not(.later)").filter((td) => {
      const cell = cellIn(td);
      return names.includes(cell.name) && typeof valueAt(model, cell) === "number";
    });
  }

  /** The number of a cell that may be changed; undefined of any other. @param {Cell} cell */
  #numberAt(cell) {
    if (!this.#model || !this.#cellOf(cell)?.classList.contains("playable")) return undefined;
    const value = valueAt(this.#model, cell);
    return typeof value === "number" ? value : undefined;
  }

  /** @type {(cell: Cell) => HTMLTableCellElement | null} */
  #cellOf = (cell) => this.stage.querySelector(`.stage td[data-key="${CSS.escape(key(cell))}"]`);

  /** @param {HTMLElement} td */
  #ariaOf(td) {
    const value = this.#numberAt(cellIn(td));
    if (value === undefined || !this.#model) return null;
    return { "aria-label": nameText(this.#model, cellIn(td)), "aria-valuenow": String(value) };
  }

  // --- changing a number -----------------------------------------------------------------------------------------------

  /** @param {Cell} cell */
  select(cell) {
    if (!this.#model || isSame(cell, this.#selected)) return;
    this.dial.field.blur(); // what is typed there is of the number before
    this.#selected = cell;
    this.#scale = scaleOf(this.#model, cell);
    const td = this.#cellOf(cell);
    if (td) makeTabStop(td);
    this.#repaint();
    this.#markSelected();
  }

  /** Show the numbers again, with the arithmetic of a result that reads the one which is selected. */
  #repaint() {
    const [walk, model, cell] = [this.walk(), this.#model, this.#selected];
    if (!walk || !model) return;
    const { step, stage } = walk.route;
    const isHere = (/** @type {Cell} */ { name, head }) =>
      name === step?.name && (head === null || head === stage.head);
    walk.repaint((cell && fedBy(model, cell).find(isHere)) ?? null);
    this.#markDifferent();
  }

  #markSelected() {
    for (const td of elementsOf(this.stage, "td.playable"))
      td.classList.toggle("selected", isSame(cellIn(td), this.#selected));
    this.#showDial();
  }

  #showDial() {
    const [model, cell] = [this.#model, this.#selected];
    const value = cell && this.#numberAt(cell);
    if (!model || !cell || typeof value !== "number") return;
    const text = given(value, model.decimals);
    const name = [symbol(symbolOf(model, cell.name, cell.head)), `[${namesOf(model, cell).join(", ")}]`];
    this.dial.show({ value, text, name, label: nameText(model, cell), scale: this.#scale });
  }

  /** @type {(cell: Cell, value: Value) => void} */
  #set(cell, value) {
    if (!this.#model || valueAt(this.#model, cell) === value) return;
    set(this.#model, cell, value);
    this.#repaint();
    const spin = this.#cellOf(cell)?.querySelector(".spin");
    if (spin) setAttribute(spin, "aria-valuenow", String(value));
    this.#showDial();
  }

  /** @param {number} steps */
  #step(steps) {
    const [model, cell] = [this.#model, this.#selected];
    const value = cell && this.#numberAt(cell);
    if (!model || !cell || typeof value !== "number") return;
    const next = moved(value, steps, MOST, this.#scale.places);
    this.#set(cell, next);
    this.walk()?.announce(titled(model.words, nameText(model, cell), given(next, model.decimals)));
  }

  /** Take what was typed; whether it is a number. @param {string} text */
  #type(text) {
    const { value } = read(text);
    if (value === undefined) return false;
    if (this.#selected) this.#set(this.#selected, Math.min(MOST, Math.max(-MOST, value)));
    return true;
  }

  /**
   * ↑ and ↓ move a number, ← and → lead to the next one of its table, and a digit begins to type it.
   * @type {(cell: Cell, event: KeyboardEvent) => void}
   */
  #onKey(cell, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || isModifier(event)) return;
    if (!this.#keyed(cell, event)) return this.#scrub.finish();
    event.preventDefault();
    event.stopPropagation(); // the walk stays where it is
  }

  /** Whether a key does something here. @type {(cell: Cell, event: KeyboardEvent) => boolean} */
  #keyed(cell, event) {
    const step = stepOf(event);
    if (step) return this.#scrub.nudge(cell, step, event.shiftKey);
    if (event.key === "Escape") return this.#scrub.escape();
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (aside) this.#goAside(cell, aside);
    else if (event.key === "Enter" || /^[-−.\d]$/.test(event.key)) this.#beginTyping(event.key);
    else return false;
    return true;
  }

  /** @type {(cell: Cell, steps: number) => void} */
  #goAside(cell, steps) {
    this.#scrub.finish();
    const table = this.#cellOf(cell)?.closest("table");
    const cells = table ? elementsOf(table, "td.playable") : [];
    const at = cells.findIndex((td) => isSame(cellIn(td), cell));
    this.spin.focus(cells[at + steps] ?? cells[at]);
  }

  /** @param {string} character */
  #beginTyping(character) {
    this.#scrub.finish();
    const { field } = this.dial;
    field.focus();
    if (character !== "Enter") field.value = character;
  }
}
