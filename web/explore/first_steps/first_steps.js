// The first steps: three small bubbles, each at the real thing, that move on once the visitor has done it.

import { active, announcer, button, element, fill, setText } from "../../kit/dom.js";
import { isEditable, isSame, key, nameOf, unkey } from "../../kit/graph.js";
import { ofBrowser } from "../../kit/storage.js";
import { beginningOf, gently, isInSight } from "../viewport.js";
import { beside, covered } from "./bubble_position.js";

const SEEN = "mha.start"; // what the browser remembers
const EDGE = 8; // px between the bubble and the edge of the window
/** What lies over the bench for a while: the steps wait, unseen (bench.css). */
const UNFOLDED = ".popup:not([hidden]), .folded-in:not([hidden])";
/** What a bubble leaves in sight as far as there is room elsewhere: what can be pressed. */
const SPARED = ".controls > *, .head-chips, .head-title";

/** How far this page is: which request was answered last, and the step shown, -1 for none. The bench may be mounted anew. */
const progress = { asked: 0, step: -1 };

/**
 * The bench: its tables and overview, what it explains, what has moved most; `bring` scrolls something into view.
 * @typedef {{ model: Model; view: any; tables: HTMLElement; overview: any; explain: any; explained: Cell | null;
 *   moved: Cell | null;
 *   bring: (node: HTMLElement, behavior: ScrollBehavior, block: ScrollLogicalPosition) => void }} StartHost
 */

export class Start {
  /** @type {StartHost} */
  #host;
  /** @type {Cell | null} */
  #cell = null; // what the step points at; null: the overview
  #before = null; // what was explained when the step was shown
  #gone = new AbortController();
  #frame = 0;
  #brought = false; // the page is on its way to what the step points at
  #reached = false; // that has been in sight
  #opening = false; // the page has just opened, at its top: where there is no room for the bubble it waits
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
    this.ring = ringed("start-ring");
    this.also = ringed("start-ring also"); // around the number that moves what the step points at
    this.live = announcer();
    const { signal } = this.#gone;
    const escaped = (event) => {
      const isOpen = progress.step >= 0 && !this.root.parentElement.querySelector(UNFOLDED);
      if (event.key !== "Escape" || !isOpen) return;
      event.preventDefault(); // a number that is held stays so
      this.#go(-1);
    };
    document.addEventListener("keydown", escaped, { signal, capture: true });
    window.addEventListener("scroll", () => (this.#opening = false), { signal, capture: true });
    for (const type of ["scroll", "resize", "scrollend"])
      window.addEventListener(type, () => this.place(), { signal, capture: true });
    window.addEventListener("scrollend", () => this.#arrived(), { signal, capture: true });
    for (const type of ["wheel", "touchmove", "pointerdown"]) // the visitor goes somewhere himself
      window.addEventListener(type, () => (this.#brought = false), { signal, capture: true, passive: true });
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
    else if (start.first && progress.step < 0 && ofBrowser.text(SEEN) === null) this.#go(0, true);
    else if (progress.step >= 0) this.#show();
    progress.asked = start.asked;
  }

  /**
   * The visitor has done something: changed numbers, looked at the lines, or had a number explained; or put words of
   * his own in the place of all that the steps speak of, which ends them.
   * @param {"edited" | "looked" | "explained" | "rewritten"} what
   */
  did(what) {
    const { step } = progress;
    if (step < 0 || this.root.hidden) return;
    const done = {
      0: what === "edited",
      1: what === "edited" || what === "looked",
      2: what !== "explained" || this.#isAnswered(),
    }[step];
    if (what === "rewritten") this.#go(-1);
    else if (done) this.#go(step + 1);
  }

  /** Whether a computed number is explained that was not when the step was shown. */
  #isAnswered() {
    const { model, explained } = this.#host;
    return Boolean(
      explained && !isEditable(model, explained.name, explained.head) && !isSame(explained, this.#before),
    );
  }

  /**
   * @param {number} step
   * @param {boolean} [opening] the page opens with it, and stays at its top
   */
  #go(step, opening = false) {
    this.#opening = opening;
    progress.step = step < 3 ? step : -1;
    if (progress.step < 0) return this.#hide();
    ofBrowser.setText(SEEN, "seen");
    this.#cell = null;
    this.#before = this.#host.explained;
    this.#reached = false;
    this.#show();
    if (progress.step !== step || this.root.hidden) return;
    this.#brought = !opening && (step === 2 || this.#isInTheWay());
    if (this.#brought) this.#bring(gently());
  }

  /** Have the table that the step is about below the overview, where there is room for the bubble beside it. */
  #bring(behavior) {
    const cell = progress.step === 1 ? this.#number() : this.#target();
    this.#host.bring(beginningOf(cell), behavior, "start");
  }

  /** Tables that have come into view on the way have taken their true size, and may have pushed it away again. */
  #arrived() {
    if (!this.#brought || this.root.hidden) return;
    this.#brought = false;
    if (this.#isInTheWay()) this.#bring("auto");
  }

  /** The focus, where the bubble had it, goes to the tables. */
  #hide() {
    const focused = this.root.contains(active(this.root));
    for (const node of [this.root, this.ring, this.also]) node.hidden = true;
    setText(this.live, "");
    const cell = /** @type {HTMLElement | null} */ (this.#host.tables.querySelector('td[tabindex="0"]'));
    if (focused) cell?.focus({ preventScroll: true });
  }

  #show() {
    const { step } = progress;
    if (!this.#target()) return this.#go(step + 1);
    const { words } = this;
    const texts = [words.start_drag, words.start_watch, words.start_why];
    const name = fill(words.start_step, { step: step + 1, all: texts.length });
    const text = fill(texts[step], { place: this.#numberName() });
    setText(this.text, text);
    setText(this.count, `${step + 1} / ${texts.length}`);
    setText(this.next, step < 2 ? words.start_next : words.start_end);
    setText(this.live, `${name}. ${text}`);
    this.root.setAttribute("aria-label", name);
    this.root.hidden = this.ring.hidden = false;
    this.also.hidden = step !== 1;
    this.#place();
  }

  /** @returns {HTMLElement | null} the number that the first two steps are about */
  #number() {
    return this.#host.tables.querySelector(".editable td[data-key]");
  }

  #numberName() {
    const number = this.#number();
    return number ? nameOf(this.#host.model, unkey(number.dataset.key)).replaceAll("_", "") : "";
  }

  /** What the step points at: a number that can be dragged, the overview, the weight that has moved most. */
  #target() {
    const { view, tables, overview, moved } = this.#host;
    if (progress.step === 0) return this.#number();
    if (progress.step === 1) return overview.root.hidden || !this.#number() ? null : overview.root;
    this.#cell ??= moved;
    if (this.#cell && view.cells.has(key(this.#cell))) return view.cells.get(key(this.#cell));
    return tables.querySelector('td[data-key^="weights|"]');
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
    if (this.#isLeft(target)) return this.#go(-1);
    this.#sizes.observe(target.closest(".matrix") ?? target);
    const anchor = (progress.step === 1 ? this.#number() : target).closest(".matrix").getBoundingClientRect();
    const bubble = beside(anchor, this.#size, this.#room, ...this.#clear);
    const here = /** @type {HTMLElement} */ (this.root.offsetParent).getBoundingClientRect();
    this.root.style.translate = `${bubble.left - here.left}px ${bubble.top - here.top}px`;
    const about = progress.step === 1 ? this.#number() : target;
    const isShown = this.#isInSight(about) && !(this.#opening && this.#isInTheWay());
    this.root.style.visibility = isShown ? "" : "hidden";
    this.#surround(this.ring, target, here);
    if (progress.step === 1) this.#surround(this.also, this.#number(), here);
  }

  /** Whether the visitor has gone on from the last step, as if it were done. */
  #isLeft(target) {
    const isThere = this.#isInSight(target);
    const isLeft = progress.step === 2 && this.#reached && !this.#brought && !isThere;
    this.#reached ||= isThere;
    return isLeft;
  }

  /** Put a ring around something. */
  #surround(ring, node, here) {
    const { left, top, width, height } = node.getBoundingClientRect();
    Object.assign(ring.style, {
      translate: `${left - here.left}px ${top - here.top}px`,
      width: `${width}px`,
      height: `${height}px`,
      visibility: this.#isInSight(node) ? "" : "hidden",
    });
  }

  get #size() {
    return { width: this.root.offsetWidth, height: this.root.offsetHeight };
  }

  /** From where the overview begins to the foot of the window; what lies in it and is to stay clear says `#clear`. */
  get #room() {
    const { clientWidth, clientHeight } = document.documentElement;
    const { overview } = this.#host;
    const top = overview.root.hidden ? EDGE : Math.max(EDGE, boxed(overview.root).top);
    return { left: EDGE, right: clientWidth - EDGE, top, bottom: clientHeight - EDGE };
  }

  /**
   * What the bubble must not cover: what the step points at, the overview and the line; what it should not: the tables
   * that the step is about; and what it rather leaves in sight as well.
   */
  get #clear() {
    const { tables, overview, explain } = this.#host;
    const number = progress.step < 2 ? this.#number() : null;
    const about = number
      ? [number.closest(".matrix")]
      : tables.querySelectorAll('.matrix:has(table[data-matrix="weights"])');
    const within = /** @type {HTMLElement} */ (this.root.parentElement);
    const tiers = [
      [overview.root, explain.root, this.#target(), number],
      about,
      within.querySelectorAll(SPARED),
    ];
    return tiers.map((nodes) =>
      [...nodes]
        .filter((node) => node?.checkVisibility())
        .map(boxed)
        .filter(isOnScreen),
    );
  }

  /** Whether the bubble covers what it should not, or what it speaks of is not all in sight. */
  #isInTheWay() {
    const about = progress.step === 1 ? this.#number() : this.#target();
    return !this.#isInSight(about, 1) || covered(boxed(this.root), this.#clear.flat()) > 0;
  }

  #isInSight(node, share = 0) {
    return node === this.#host.overview.root || isInSight(node, this.#host, share);
  }
}

const ringed = (name) => element("div", { class: name, "aria-hidden": "true", hidden: true });

/** @param {Element} node */
const boxed = (node) => node.getBoundingClientRect();

/** @param {import("./bubble_position.js").Box} box */
const isOnScreen = ({ top, bottom }) => bottom > 0 && top < document.documentElement.clientHeight;
