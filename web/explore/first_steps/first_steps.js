// The first steps: three small bubbles, each beside the thing that it is about. They move on once the visitor has done
// what they say. Where a puzzle is offered too, they wait until a number is touched or they are asked for: a visitor has
// one thing to begin with.

import { active, announcer, button, element, fill, prose, setText } from "../../kit/dom.js";
import { isEditable, isSame, key, nameOf } from "../../kit/graph.js";
import { cellIn } from "../../kit/selection.js";
import { ofBrowser } from "../../kit/storage.js";
import { beginningOf, gently, isInSight } from "../viewport.js";
import { isOfTables } from "../ways_on.js";
import { beside, covered } from "./bubble_position.js";

const SEEN = "mha.start"; // stored in the browser once the steps have been shown
const EDGE = 8; // px between the bubble and the edge of the window
/** What opens over the page for a while: the steps wait, unseen (explore.css). */
const OPEN = ".popup:not([hidden]), .folded-in:not([hidden])";
/** What can be pressed: a bubble does not cover it where there is room elsewhere. */
const CONTROLS = ".controls > *, .head-chips, .head-title";
const NUMBER = ".editable td[data-key]"; // that can be changed
const [DRAG, WATCH, WHY] = [0, 1, 2]; // the three steps

/**
 * How far this page is: the last request for the steps, and the step that is shown, −1 for none. It outlives the
 * component, which may be mounted again.
 */
const progress = { requests: 0, step: -1 };

/**
 * `explained`: the cell that is explained; `moved`: the weight that the last edit moved most; `bring`: scroll an
 * element into view.
 * @typedef {{
 *   readonly model: Model;
 *   readonly view: { cells: Map<string, HTMLElement> };
 *   readonly tables: HTMLElement;
 *   readonly overview: { root: HTMLElement };
 *   readonly explain: { root: HTMLElement };
 *   readonly explained: Cell | null;
 *   readonly moved: Cell | null;
 *   bring: (node: Element, behavior: ScrollBehavior, block: ScrollLogicalPosition) => void;
 * }} FirstStepsHost
 */

export class FirstSteps {
  /** @type {FirstStepsHost} */
  #host;
  /** @type {Cell | null} */
  #cell = null; // what the last step points at
  /** @type {Cell | null} */
  #explainedBefore = null; // what was explained when the step was shown
  #gone = new AbortController();
  #frame = 0;
  #isScrolling = false; // the page is on its way to what the step points at
  #hasEdited = false; // a number was changed in the first step
  #wasReached = false; // what the step points at has been in sight
  #isOpening = false; // the page has just opened, at its top: the bubble waits where there is no room for it
  #isWaiting = false; // a first visit has not begun them yet
  /** @type {Cell | null} */
  #touched = null; // the number with which the visitor began
  #isPressed = false; // a pointer is down: no bubble opens below it
  #sizes = new ResizeObserver(() => this.#placeSoon()); // a table has its size once it is drawn

  /**
   * @param {FirstStepsHost} host
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
    this.tour = button(
      { class: "quiet tour", hidden: true, onclick: () => this.#go(DRAG) },
      words.start_tour,
    );
    this.ring = ringOf("start-ring");
    this.also = ringOf("start-ring also"); // around the number that moves what the step points at
    this.live = announcer();
    this.#listen();
  }

  /** The elements that belong on the page, in order. */
  get elements() {
    return [this.live, this.root, this.ring, this.also];
  }

  #listen() {
    const { signal } = this.#gone;
    document.addEventListener("keydown", (event) => this.#onEscape(event), { signal, capture: true });
    this.#host.tables.addEventListener("focusin", ({ target }) => this.#onTouch(target), { signal });
    window.addEventListener("pointerdown", () => (this.#isPressed = true), { signal, capture: true });
    for (const type of ["pointerup", "pointercancel"]) // after the tables, for which a drag is an edit by then
      window.addEventListener(type, () => this.#onRelease(), { signal });
    window.addEventListener("scroll", () => (this.#isOpening = false), { signal, capture: true });
    for (const type of ["scroll", "resize", "scrollend"])
      window.addEventListener(type, () => this.#placeSoon(), { signal, capture: true });
    window.addEventListener("scrollend", () => this.#arrived(), { signal, capture: true });
    const visitorScrolls = () => (this.#isScrolling = false);
    for (const type of ["wheel", "touchmove", "pointerdown"])
      window.addEventListener(type, visitorScrolls, { signal, capture: true, passive: true });
  }

  /** @param {KeyboardEvent} event */
  #onEscape(event) {
    const isOpen = progress.step >= 0 && !this.root.parentElement?.querySelector(OPEN);
    if (event.key !== "Escape" || !isOpen) return;
    event.preventDefault(); // the pinned number stays pinned
    this.#go(-1);
  }

  /** @param {EventTarget | null} target that has got the focus */
  #onTouch(target) {
    const number = target instanceof Element ? target.closest(NUMBER) : null;
    if (!this.#isWaiting || !(number instanceof HTMLElement)) return;
    this.#touched = cellIn(number);
    if (!this.#isPressed) this.#go(DRAG, false);
  }

  #onRelease() {
    this.#isPressed = false;
    if (this.#isWaiting && this.#touched) this.#go(DRAG, false);
  }

  stop() {
    this.#gone.abort();
    this.#sizes.disconnect();
    cancelAnimationFrame(this.#frame);
  }

  /**
   * After an answer of the page: begin where this is a first visit, or where it was requested.
   * @param {ExploreModel} model
   */
  update(model) {
    const { check, start } = model;
    if (check || isOfTables(model)) return this.#hide();
    if (start.asked > progress.requests) this.#go(DRAG);
    else if (start.first && progress.step < 0 && ofBrowser.text(SEEN) === null) this.#begin(start);
    else if (progress.step >= 0) this.#show();
    progress.requests = start.asked;
  }

  /**
   * A first visit. Escape and the last step do not lead here again: SEEN is stored.
   * @param {ExploreModel["start"]} start
   */
  #begin({ puzzles }) {
    this.#isWaiting = puzzles.length > 0;
    this.tour.hidden = !this.#isWaiting;
    this.#isOpening = !this.#isWaiting;
    if (this.#isOpening) this.#go(DRAG, false);
  }

  /**
   * The visitor has done something: changed numbers, looked at the lines, had a number explained, or replaced the
   * sentence, which ends the steps.
   * @param {"edited" | "looked" | "explained" | "rewritten"} what
   */
  did(what) {
    const isFirst = what === "edited" && this.#isWaiting && this.#touched !== null; // a drag, before any bubble
    if (isFirst) progress.step = DRAG;
    const { step } = progress;
    if (step < 0 || (this.root.hidden && !isFirst)) return;
    this.#hasEdited = what === "edited" || (this.#hasEdited && step !== DRAG);
    if (what === "rewritten") this.#go(-1);
    else if (this.#isDone(step, what)) this.#go(step + 1, !isFirst);
  }

  /**
   * @param {number} step
   * @param {"edited" | "looked" | "explained"} what the visitor has done
   */
  #isDone(step, what) {
    if (step === DRAG) return what === "edited";
    if (step === WATCH) return what !== "explained";
    return what !== "explained" || this.#hasOtherExplanation();
  }

  /** Whether a computed number is explained that was not when the step was shown. */
  #hasOtherExplanation() {
    const { model, explained } = this.#host;
    return Boolean(
      explained &&
        !isEditable(model, explained.name, explained.head) &&
        !isSame(explained, this.#explainedBefore),
    );
  }

  /**
   * @param {number} step after the last one, or −1: none
   * @param {boolean} [scrolls] false: the page stays where it is
   */
  #go(step, scrolls = true) {
    this.#isOpening &&= !scrolls;
    this.#isWaiting = false;
    progress.step = step <= WHY ? step : -1;
    if (progress.step < 0) return this.#hide();
    ofBrowser.setText(SEEN, "seen");
    this.#cell = null;
    this.#explainedBefore = this.#host.explained;
    this.#wasReached = false;
    this.#show();
    if (progress.step !== step || this.root.hidden) return;
    this.#isScrolling = scrolls && (step === WHY || this.#isInTheWay());
    if (this.#isScrolling) this.#bring(gently());
  }

  /**
   * Scroll the table that the step is about below the overview, where there is room for the bubble beside it.
   * @param {ScrollBehavior} behavior
   */
  #bring(behavior) {
    const cell = this.#subject;
    if (cell) this.#host.bring(beginningOf(cell), behavior, "start");
  }

  /** Tables that came into view on the way have taken their true size, and may have pushed the target away again. */
  #arrived() {
    if (!this.#isScrolling || this.root.hidden) return;
    this.#isScrolling = false;
    if (this.#isInTheWay()) this.#bring("auto");
  }

  /** If the bubble had the focus, the tables get it. */
  #hide() {
    const hadFocus = this.root.contains(active(this.root));
    for (const node of [this.root, this.ring, this.also]) node.hidden = true;
    setText(this.live, "");
    const cell = this.#host.tables.querySelector('td[tabindex="0"]');
    if (hadFocus && cell instanceof HTMLElement) cell.focus({ preventScroll: true });
  }

  #show() {
    const { step } = progress;
    if (!this.#target) return this.#go(step + 1);
    const { words } = this;
    const watch = this.#hasEdited ? words.start_watch_again : words.start_watch;
    const texts = [words.start_drag, watch, words.start_why];
    const name = fill(words.start_step, { step: step + 1, all: texts.length });
    const text = fill(texts[step], { place: this.#numberName });
    setText(this.text, text);
    setText(this.count, `${step + 1} / ${texts.length}`);
    setText(this.next, step < WHY ? words.start_next : words.start_end);
    setText(this.live, prose(`${name}${words.stop}`, text));
    this.root.setAttribute("aria-label", name);
    this.root.hidden = this.ring.hidden = false;
    this.also.hidden = step !== WATCH;
    this.#place();
  }

  // --- what the steps point at -------------------------------------------------------------------------------------

  /** The number that the first two steps are about. @returns {HTMLElement | null} */
  get #number() {
    const { view, tables } = this.#host;
    return (this.#touched && view.cells.get(key(this.#touched))) ?? tables.querySelector(NUMBER);
  }

  get #numberName() {
    const number = this.#number;
    return number ? nameOf(this.#host.model, cellIn(number)).replaceAll("_", "") : "";
  }

  /** What the step points at: a number that can be dragged, the overview, the weight that has moved most. */
  get #target() {
    const { overview } = this.#host;
    if (progress.step === DRAG) return this.#number;
    if (progress.step === WATCH) return overview.root.hidden || !this.#number ? null : overview.root;
    return this.#weight;
  }

  /** The weight that has moved most, else the first one. @returns {HTMLElement | null} */
  get #weight() {
    const { view, tables, moved } = this.#host;
    this.#cell ??= moved;
    const td = this.#cell && view.cells.get(key(this.#cell));
    return td ?? tables.querySelector('td[data-key^="weights|"]');
  }

  /** The cell that the step is about: the one that it points at, or the one that moves what it points at. */
  get #subject() {
    return progress.step === WATCH ? this.#number : this.#target;
  }

  // --- where the bubble stands -------------------------------------------------------------------------------------

  /** Things have moved: place the bubble again, with the next frame. */
  #placeSoon() {
    if (this.root.hidden || this.#frame) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.root.hidden) this.#place();
    });
  }

  #place() {
    const [target, subject] = [this.#target, this.#subject];
    const { offsetParent } = this.root;
    if (!target || !subject || !offsetParent) return;
    if (this.#hasGoneOn(target)) return this.#go(-1);
    this.#sizes.observe(target.closest(".matrix") ?? target);
    const anchor = boxOf(subject.closest(".matrix") ?? subject);
    const bubble = beside(anchor, this.#size, this.#room, ...this.#clear);
    const origin = boxOf(offsetParent);
    this.root.style.translate = `${bubble.left - origin.left}px ${bubble.top - origin.top}px`;
    const isShown = this.#isInSight(subject) && !(this.#isOpening && this.#isInTheWay());
    this.root.style.visibility = isShown ? "" : "hidden";
    this.#surround(this.ring, target, origin);
    if (progress.step === WATCH) this.#surround(this.also, subject, origin);
  }

  /**
   * Whether the visitor has gone on from the last step as if it were done.
   * @param {Element} target
   */
  #hasGoneOn(target) {
    const isSeen = this.#isInSight(target);
    const hasGoneOn = progress.step === WHY && this.#wasReached && !this.#isScrolling && !isSeen;
    this.#wasReached ||= isSeen;
    return hasGoneOn;
  }

  /**
   * Put a ring around an element that is wholly in sight: it would lie over what covers the rest.
   * @param {HTMLElement} ring
   * @param {Element} node
   * @param {DOMRect} origin
   */
  #surround(ring, node, origin) {
    const { left, top, width, height } = boxOf(node);
    Object.assign(ring.style, {
      translate: `${left - origin.left}px ${top - origin.top}px`,
      width: `${width}px`,
      height: `${height}px`,
      visibility: this.#isInSight(node, 1) ? "" : "hidden",
    });
  }

  get #size() {
    return { width: this.root.offsetWidth, height: this.root.offsetHeight };
  }

  /** From the top of the overview to the foot of the window; `#clear` says what in it is to stay clear. */
  get #room() {
    const { clientWidth, clientHeight } = document.documentElement;
    const { overview } = this.#host;
    const top = overview.root.hidden ? EDGE : Math.max(EDGE, boxOf(overview.root).top);
    return { left: EDGE, right: clientWidth - EDGE, top, bottom: clientHeight - EDGE };
  }

  /**
   * What the bubble is not to cover. First what the step points at, the overview and the line; then the tables that the
   * step is about; then the controls.
   */
  get #clear() {
    const { tables, overview, explain } = this.#host;
    const number = progress.step < WHY ? this.#number : null;
    const about = number
      ? [number.closest(".matrix")]
      : tables.querySelectorAll('.matrix:has(table[data-matrix="weights"])');
    const tiers = [
      [overview.root, explain.root, this.#target, number],
      about,
      this.root.parentElement?.querySelectorAll(CONTROLS) ?? [],
    ];
    return tiers.map((nodes) =>
      [...nodes]
        .filter((node) => node !== null)
        .filter((node) => node.checkVisibility())
        .map(boxOf)
        .filter(isOnScreen),
    );
  }

  /** Whether the bubble covers what is to stay clear, or what it is about is not wholly in sight. */
  #isInTheWay() {
    const subject = this.#subject;
    const isSeen = subject !== null && this.#isInSight(subject, 1);
    return !isSeen || covered(boxOf(this.root), this.#clear.flat()) > 0;
  }

  /**
   * @param {Element} node
   * @param {number} [share]
   */
  #isInSight(node, share = 0) {
    return node === this.#host.overview.root || isInSight(node, this.#host, share);
  }
}

/** @param {string} name */
const ringOf = (name) => element("div", { class: name, "aria-hidden": "true", hidden: true });

/** @param {Element} node */
const boxOf = (node) => node.getBoundingClientRect();

/** @param {import("./bubble_position.js").Box} box */
const isOnScreen = ({ top, bottom }) => bottom > 0 && top < document.documentElement.clientHeight;
