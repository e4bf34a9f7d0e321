// The overview gets lower once the page has been scrolled so far that the space would show the tables. The tables do
// not move by it: as much space is kept free below the overview. On a page about the tables it is low from the start.

import { element } from "../../kit/dom.js";

const BACK = 16; // px to scroll back before it grows again: without them it would flicker at the edge
const MOTION = { duration: 160, easing: "ease-out" };

export class Slim {
  #spared = 0; // px by which the slim form is lower
  #isWaiting = false; // for the next frame
  /** @type {Animation | null} */
  #motion = null;
  #gone = new AbortController();
  #sizes = new ResizeObserver(() => this.measure());

  /**
   * @param {HTMLElement} root
   * @param {() => void} changed its form has changed
   * @param {boolean} isAlways whether it is low from the start
   */
  constructor(root, changed, isAlways) {
    this.root = root;
    this.changed = changed;
    this.isAlways = isAlways;
    root.classList.toggle("slim", isAlways);
    this.place = element("div", { class: "overview-place" }); // where it is when nothing is scrolled
    this.#sizes.observe(root);
    const { signal } = this.#gone;
    const scrolled = () => this.#lookSoon();
    document.addEventListener("scroll", scrolled, { signal, capture: true, passive: true });
    window.addEventListener("resize", scrolled, { signal });
  }

  stop() {
    this.#gone.abort();
    this.#motion?.cancel();
    this.#sizes.disconnect();
    document.documentElement.style.removeProperty("--mha-overview");
  }

  get isSlim() {
    return this.root.classList.contains("slim");
  }

  /** Measure both forms. The page leaves room for the slim one where it scrolls to something. */
  measure() {
    const { style } = document.documentElement;
    if (!this.root.offsetHeight) {
      style.removeProperty("--mha-overview");
      return;
    }
    const { isSlim } = this;
    const [whole, slim] = [false, true].map((form) => {
      this.root.classList.toggle("slim", form);
      return this.root.getBoundingClientRect().height;
    });
    this.root.classList.toggle("slim", isSlim);
    this.#spared = this.isAlways ? 0 : whole - slim;
    this.root.style.setProperty("--spared", `${this.#spared}px`);
    style.setProperty("--mha-overview", `${slim}px`);
    this.#lookSoon();
  }

  /** The scroll position is read once a frame. */
  #lookSoon() {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      if (this.root.offsetParent) this.#look();
    });
  }

  #look() {
    const scrolled = this.root.getBoundingClientRect().top - this.place.getBoundingClientRect().top;
    const isSlim = this.isAlways || (this.#spared > 0 && scrolled >= this.#spared - (this.isSlim ? BACK : 0));
    if (isSlim === this.isSlim) return;
    this.root.classList.toggle("slim", isSlim);
    this.#move(isSlim);
    this.changed();
  }

  /**
   * Animate the change. The layout changes at once: else the tables would tremble by fractions of a pixel.
   * @param {boolean} closes
   */
  #move(closes) {
    this.#motion?.cancel();
    this.#motion = null;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const opening = { clipPath: [`inset(-5px -5px ${this.#spared}px)`, "inset(-5px)"] };
    const closing = { transform: ["none", "scaleY(0)"] };
    this.#motion = closes
      ? this.root.animate(closing, { ...MOTION, pseudoElement: "::after" })
      : this.root.animate(opening, MOTION);
  }
}
