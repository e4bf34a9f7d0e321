// The first steps: three small bubbles, each at the real thing, that move on once the visitor has done it.

import { active, announcer, button, element, fill, setText } from "../mha.web/dom.js";
import { isEditable, isSame, key } from "../mha.web/graph.js";
import { beside } from "./beside.js";

const SEEN = "mha.start"; // what the browser remembers

/** How far this page is: which request was answered last, and the step shown, -1 for none. The bench may be mounted anew. */
const progress = { asked: 0, step: -1 };

/**
 * The bench: its tables and overview, what it explains, what has moved most; `bring` scrolls something into view.
 * @typedef {{ model: Model; view: any; tables: HTMLElement; overview: any; explain: any; explained: Cell | null;
 *   moved: Cell | null; bring: (node: HTMLElement, behavior: ScrollBehavior) => void }} StartHost
 */

export class Start {
  /** @type {StartHost} */
  #host;
  /** @type {Cell | null} */
  #cell = null; // what the step points at; null: the overview
  #before = null; // what was explained when the step was shown
  #gone = new AbortController();
  #frame = 0;
  #sizes = new ResizeObserver(() => this.place()); // a table has its size once it is drawn

  /**
   * @param {StartHost} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.#host = host;
    this.words = words;
    this.text = element("p");
    this.count = element("span", { class: "start-count", "aria-hidden": "true" });
    this.next = button({ class: "start-next", onclick: () => this.#go(progress.step + 1) });
    const close = button({ class: "quiet", "aria-label": words.dismiss, onclick: () => this.#go(-1) }, "×");
    this.root = element(
      "div",
      { class: "start", role: "dialog", hidden: true },
      this.text,
      this.count,
      close,
      this.next,
    );
    this.ring = element("div", { class: "start-ring", "aria-hidden": "true", hidden: true });
    this.said = announcer();
    const { signal } = this.#gone;
    const escaped = (event) => event.key === "Escape" && progress.step >= 0 && this.#go(-1);
    document.addEventListener("keydown", escaped, { signal, capture: true });
    for (const type of ["scroll", "resize"])
      window.addEventListener(type, () => this.place(), { signal, capture: true });
  }

  stop() {
    this.#gone.abort();
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /** After an answer of the page: begin where this is a first visit, or where it was asked for. */
  update({ check, start }) {
    if (check) return this.#hide();
    if (start.asked > progress.asked) this.#go(0);
    else if (start.first && progress.step < 0 && !remembered()) this.#go(0);
    else if (progress.step >= 0) this.#show();
    progress.asked = start.asked;
  }

  /**
   * The visitor has done something: changed numbers, looked at the lines, or had a number explained.
   * @param {"edited" | "looked" | "explained"} what
   */
  did(what) {
    const { step } = progress;
    if (step < 0 || this.root.hidden) return;
    const done = {
      0: what === "edited",
      1: what === "edited" || what === "looked",
      2: what === "explained" && this.#isAnswered(),
    }[step];
    if (done) this.#go(step + 1);
  }

  /** Whether a computed number is explained that was not when the step was shown. */
  #isAnswered() {
    const { model, explained } = this.#host;
    return Boolean(
      explained && !isEditable(model, explained.name, explained.head) && !isSame(explained, this.#before),
    );
  }

  /** @param {number} step */
  #go(step) {
    progress.step = step < 3 ? step : -1;
    if (progress.step < 0) return this.#hide();
    remember();
    this.#cell = null;
    this.#before = this.#host.explained;
    this.#show();
    if (step === 2) this.#host.bring(this.#target(), gently());
  }

  /** The focus, where the bubble had it, goes to the tables. */
  #hide() {
    const focused = this.root.contains(active(this.root));
    this.root.hidden = this.ring.hidden = true;
    setText(this.said, "");
    const cell = /** @type {HTMLElement | null} */ (this.#host.tables.querySelector('td[tabindex="0"]'));
    if (focused) cell?.focus({ preventScroll: true });
  }

  #show() {
    const { step } = progress;
    if (!this.#target()) return this.#go(step + 1);
    const { words } = this;
    const texts = matchMedia("(hover: none)").matches
      ? [words.start_drag_touch, words.start_watch_touch, words.start_why_touch]
      : [words.start_drag, words.start_watch, words.start_why];
    const name = fill(words.start_step, { step: step + 1, all: texts.length });
    setText(this.text, texts[step]);
    setText(this.count, `${step + 1} / ${texts.length}`);
    setText(this.next, step < 2 ? words.start_next : words.start_end);
    setText(this.said, `${name}. ${texts[step]}`);
    this.root.setAttribute("aria-label", name);
    this.root.hidden = this.ring.hidden = false;
    this.#place();
  }

  /** What the step points at: a number that can be dragged, the overview, the weight that has moved most. */
  #target() {
    const { view, tables, overview, moved } = this.#host;
    if (progress.step === 1) return overview.root.hidden ? null : overview.root;
    this.#cell ??= progress.step === 2 ? moved : null;
    if (this.#cell && view.cells.has(key(this.#cell))) return view.cells.get(key(this.#cell));
    const selector = progress.step === 0 ? ".editable td[data-key]" : 'td[data-key^="weights|"]';
    return tables.querySelector(selector);
  }

  /** Things have moved: stand beside the target again. */
  place() {
    if (this.root.hidden || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.root.hidden) this.#place();
    });
  }

  #place() {
    const target = this.#target();
    if (!target) return;
    const { tables, overview, explain } = this.#host;
    const at = target.getBoundingClientRect();
    const whole = target.closest(".matrix") ?? target;
    this.#sizes.observe(whole);
    const anchor = whole.getBoundingClientRect();
    const [lines, line] = [overview.root, explain.root].map((node) => node.getBoundingClientRect());
    const first = tables.querySelector(".editable")?.getBoundingClientRect();
    const top = overview.root.hidden ? 0 : Math.max(0, lines.bottom);
    const room = { left: 8, right: document.documentElement.clientWidth - 8, top, bottom: line.top };
    const clear = [anchor, lines, line, ...(progress.step === 1 && first ? [first] : [])];
    const size = { width: this.root.offsetWidth, height: this.root.offsetHeight };
    const bubble = beside(anchor, size, room, clear);
    const here = /** @type {HTMLElement} */ (this.root.offsetParent).getBoundingClientRect();
    const inSight = target === overview.root || (at.bottom > top && at.top < line.top);
    for (const node of [this.root, this.ring]) node.style.visibility = inSight ? "" : "hidden";
    this.root.style.left = `${bubble.left - here.left}px`;
    this.root.style.top = `${bubble.top - here.top}px`;
    Object.assign(this.ring.style, {
      left: `${at.left - here.left}px`,
      top: `${at.top - here.top}px`,
      width: `${at.width}px`,
      height: `${at.height}px`,
    });
  }
}

const gently = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth");

/** A browser that keeps nothing shows the steps again. */
function remembered() {
  try {
    return localStorage.getItem(SEEN) !== null;
  } catch {
    return false;
  }
}

function remember() {
  try {
    localStorage.setItem(SEEN, "seen");
  } catch {}
}
