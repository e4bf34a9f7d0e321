// The words of a sentence one by one: dragged or moved by keyboard into another order, rewritten, split and joined.

import { announcer, button, element, fill } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { joined, reordered, rewritten } from "./segments.js";

const THRESHOLD = 4; // px after which a press is a drag

export class WordChips {
  /** @type {string[]} */
  #list = [];
  /** @type {{ at: number; x: number; isMoving: boolean; to: number } | null} */
  #drag = null;
  #wasDragged = false; // the click that ends a drag does nothing

  /**
   * @param {(list: string[]) => void} changed
   * @param {Record<string, string>} words
   */
  constructor(changed, words) {
    this.changed = changed;
    this.words = words;
    this.row = element("span", { class: "chips", role: "list", "aria-label": words.overview_tokens });
    this.live = announcer();
    this.root = element("span", { class: "chips-told" }, this.row, this.live);
    this.row.addEventListener("pointermove", (event) => this.#onMove(event));
    this.row.addEventListener("pointerup", () => this.#drop());
    this.row.addEventListener("pointercancel", () => this.#cancelDrag());
  }

  get list() {
    return this.#list;
  }

  /**
   * Show these words.
   * @param {string[]} list
   */
  set(list) {
    this.#list = list;
    this.row.replaceChildren(...list.map((word, at) => this.#chip(word, at)));
  }

  // --- one word ----------------------------------------------------------------------------------------------------

  /**
   * @param {string} word
   * @param {number} at
   */
  #chip(word, at) {
    const node = button({ class: "word", title: this.words.chip_hint }, element("bdi", {}, word));
    node.addEventListener("click", () => {
      if (!this.#wasDragged) this.#edit(at);
    });
    node.addEventListener("keydown", (event) => this.#onKey(event, at));
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#wasDragged = false;
      this.#drag = { at, x: event.clientX, isMoving: false, to: at };
    });
    return element("span", { role: "listitem" }, node);
  }

  /**
   * Alt and an arrow move a word, arrows alone the focus.
   * @param {KeyboardEvent} event
   * @param {number} at
   */
  #onKey(event, at) {
    const step = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const to = at + step;
    if (step && event.altKey && this.#list[to] !== undefined) this.#become(reordered(this.#list, at, to), to);
    else if (step) this.#focus(to);
    else if (event.key === "Delete") this.#become(this.#list.toSpliced(at, 1), at);
    else if (event.key === "Backspace") this.#become(joined(this.#list, at), at - 1);
    else return;
    event.preventDefault();
  }

  /** @param {number} at of the word, or beyond an end of the list */
  #focus(at) {
    const last = this.#list.length - 1;
    this.row.children[Math.max(0, Math.min(at, last))]?.querySelector("button")?.focus();
  }

  /**
   * Take these words, and give the one at `at` the focus.
   * @param {string[]} list
   * @param {number} at
   */
  #become(list, at) {
    const isSame = list === this.#list;
    if (!isSame) this.#change(list);
    this.#focus(at);
    const place = Math.max(0, Math.min(at, list.length - 1));
    if (!isSame && list.length)
      this.live.textContent = fill(this.words.chip_place, {
        word: isolated(list[place]),
        at: place + 1,
        count: list.length,
      });
  }

  /** @param {string[]} list */
  #change(list) {
    this.set(list);
    this.changed(list);
  }

  // --- rewritten ---------------------------------------------------------------------------------------------------

  /**
   * Open a field in the place of a word.
   * @param {number} at
   */
  #edit(at) {
    const word = this.#list[at];
    if (word === undefined) return;
    const field = element("input", {
      class: "word",
      type: "text",
      value: word,
      maxlength: 80,
      "aria-label": word,
      autocomplete: "off",
      spellcheck: "false",
      size: Math.max(2, [...word].length + 1),
    });
    const finish = (/** @type {string[]} */ list, /** @type {number | null} */ focus) => {
      if (!field.isConnected || field.disabled) return;
      field.disabled = true; // removing it causes a blur, which must not finish it twice
      if (list === this.#list) this.set(list);
      if (focus !== null) this.#become(list, focus);
      else if (list !== this.#list) this.#change(list);
    };
    const written = () => rewritten(this.#list, at, field.value);
    field.addEventListener("blur", () => finish(written(), null));
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const isAtStart = field.selectionStart === 0 && field.selectionEnd === 0;
      if (event.key === "Enter") finish(written(), at);
      else if (event.key === "Escape") finish(this.#list, at);
      else if (event.key === "Backspace" && isAtStart && at > 0) finish(joined(written(), at), at - 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.row.children[at].replaceChildren(field);
    field.focus();
    field.select();
  }

  // --- dragged -----------------------------------------------------------------------------------------------------

  /** @param {PointerEvent} event */
  #onMove(event) {
    const drag = this.#drag;
    if (!drag) return;
    if (!drag.isMoving && Math.abs(event.clientX - drag.x) < THRESHOLD) return;
    if (!drag.isMoving) this.row.setPointerCapture(event.pointerId);
    drag.isMoving = true;
    drag.to = this.#placeAt(event.clientX, event.clientY, drag.at);
    for (const [at, node] of [...this.row.children].entries()) {
      node.classList.toggle("dragged", at === drag.at);
      node.classList.toggle("before", drag.to < drag.at && at === drag.to);
      node.classList.toggle("after", drag.to > drag.at && at === drag.to);
    }
  }

  /**
   * Where among the words a pointer is: after those that end above it, or begin beside it to the left.
   * @param {number} x
   * @param {number} y
   * @param {number} from the place of the word that is dragged
   */
  #placeAt(x, y, from) {
    const boxes = [...this.row.children].map((node) => node.getBoundingClientRect());
    const passed = boxes.filter(
      (box, at) => at !== from && (y > box.bottom || (y > box.top && x > box.left + box.width / 2)),
    );
    return passed.length;
  }

  #drop() {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag?.isMoving) return;
    this.#wasDragged = true;
    if (drag.to === drag.at) this.set(this.#list);
    else this.#become(reordered(this.#list, drag.at, drag.to), drag.to);
  }

  /** The browser has taken the pointer: the words stay in their order. */
  #cancelDrag() {
    this.#drag = null;
    this.set(this.#list);
  }
}
