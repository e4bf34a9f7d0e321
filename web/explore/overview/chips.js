// The words of a sentence one by one: dragged or moved by keyboard into another order, renamed, split and joined.

import { announcer, button, element, fill } from "../../kit/dom.js";
import { isolated } from "../../kit/quoted.js";
import { joined, reordered, rewritten } from "./segments.js";

const THRESHOLD = 4; // px after which a press is a drag

export class Chips {
  /** @type {string[]} */
  #list = [];
  /** @type {{ at: number; x: number; moving: boolean; to: number } | null} */
  #held = null;

  #dragged = false; // the click that follows a drag is none

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
    this.row.addEventListener("pointermove", (event) => this.#drag(event));
    this.row.addEventListener("pointerup", () => this.#drop());
    this.row.addEventListener("pointercancel", () => this.#take());
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

  #chip(word, at) {
    const node = button({ class: "word", title: this.words.chip_hint }, element("bdi", {}, word));
    node.addEventListener("click", () => this.#dragged || this.#edit(at));
    node.addEventListener("keydown", (event) => this.#key(event, at));
    node.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      this.#dragged = false;
      this.#held = { at, x: event.clientX, moving: false, to: at };
    });
    return element("span", { role: "listitem" }, node);
  }

  /** Alt and an arrow move a word, arrows alone the focus. */
  #key(event, at) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = at + step;
    if (step && event.altKey && this.#list[to] !== undefined) this.#become(reordered(this.#list, at, to), to);
    else if (step) this.#focus(to);
    else if (event.key === "Delete") this.#become(this.#list.toSpliced(at, 1), at);
    else if (event.key === "Backspace") this.#become(joined(this.#list, at), at - 1);
    else return;
    event.preventDefault();
  }

  #focus(at) {
    const last = this.#list.length - 1;
    /** @type {HTMLElement | null} */
    const node = this.row.children[Math.max(0, Math.min(at, last))]?.querySelector("button");
    node?.focus();
  }

  /** These are the words now, and the one at `at` has the focus. */
  #become(list, at) {
    const same = list === this.#list;
    if (!same) this.#change(list);
    this.#focus(at);
    const place = Math.max(0, Math.min(at, list.length - 1));
    if (!same && list.length)
      this.live.textContent = fill(this.words.chip_place, {
        word: isolated(list[place]),
        at: place + 1,
        count: list.length,
      });
  }

  #change(list) {
    this.set(list);
    this.changed(list);
  }

  // --- written anew ------------------------------------------------------------------------------------------------

  #edit(at) {
    if (this.#list[at] === undefined) return;
    const word = this.#list[at];
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
    const finish = (list, focus) => {
      if (!field.isConnected || field.disabled) return;
      field.disabled = true; // it goes, and losing the focus must not finish it twice
      if (list === this.#list) this.set(list);
      if (focus !== null) this.#become(list, focus);
      else if (list !== this.#list) this.#change(list);
    };
    const written = () => rewritten(this.#list, at, field.value);
    field.addEventListener("blur", () => finish(written(), null));
    field.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      const start = field.selectionStart === 0 && field.selectionEnd === 0;
      if (event.key === "Enter") finish(written(), at);
      else if (event.key === "Escape") finish(this.#list, at);
      else if (event.key === "Backspace" && start && at > 0) finish(joined(written(), at), at - 1);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
    this.row.children[at].replaceChildren(field);
    field.focus();
    field.select();
  }

  // --- dragged -----------------------------------------------------------------------------------------------------

  #drag(event) {
    const held = this.#held;
    if (!held) return;
    if (!held.moving && Math.abs(event.clientX - held.x) < THRESHOLD) return;
    if (!held.moving) this.row.setPointerCapture(event.pointerId);
    held.moving = true;
    held.to = this.#placeAt(event.clientX, event.clientY, held.at);
    for (const [at, node] of [...this.row.children].entries()) {
      node.classList.toggle("dragged", at === held.at);
      node.classList.toggle("before", held.to < held.at && at === held.to);
      node.classList.toggle("after", held.to > held.at && at === held.to);
    }
  }

  /** Where among the words a pointer is: the last one that begins above it, or beside it to the left. */
  #placeAt(x, y, from) {
    const boxes = [...this.row.children].map((node) => node.getBoundingClientRect());
    const passed = boxes.filter(
      (box, at) => at !== from && (y > box.bottom || (y > box.top && x > box.left + box.width / 2)),
    );
    return passed.length;
  }

  #drop() {
    const { moving, at, to } = this.#held ?? {};
    this.#held = null;
    if (!moving) return;
    this.#dragged = true;
    if (to === at) this.set(this.#list);
    else this.#become(reordered(this.#list, at, to), to);
  }

  /** What was dragged is taken from the hand. */
  #take() {
    this.#held = null;
    this.set(this.#list);
  }
}
