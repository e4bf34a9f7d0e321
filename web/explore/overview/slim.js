// The overview takes less room once the page has been scrolled so far that what it gives up would show the tables.
// Where they stand never changes by it: what it is lower by is kept free below it.

import { element } from "../../kit/dom.js";

const BACK = 16; // px that it is scrolled back by before it grows again: at the very edge it would flicker
const MOTION = { duration: 160, easing: "ease-out" };

export class Slim {
  #spared = 0; // px by which the slim form is lower
  #waiting = false;
  /** @type {Animation | null} */
  #motion = null;
  #gone = new AbortController();
  #sizes = new ResizeObserver(() => this.measure());

  /**
   * @param {HTMLElement} root
   * @param {() => void} changed it has become slim, or is whole again
   */
  constructor(root, changed) {
    this.root = root;
    this.changed = changed;
    this.place = element("div", { class: "overview-place" }); // where it stands when nothing is scrolled
    this.#sizes.observe(root);
    const [{ signal }, scrolled] = [this.#gone, () => this.#later()];
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

  /** How high it is in either form; what the page scrolls to must not lie beneath the slim one. */
  measure() {
    const { style } = document.documentElement;
    if (!this.root.offsetHeight) return style.removeProperty("--mha-overview");
    const { isSlim } = this;
    const [whole, slim] = [false, true].map((form) => {
      this.root.classList.toggle("slim", form);
      return this.root.getBoundingClientRect().height;
    });
    this.root.classList.toggle("slim", isSlim);
    this.#spared = whole - slim;
    this.root.style.setProperty("--spared", `${this.#spared}px`);
    style.setProperty("--mha-overview", `${slim}px`);
    this.#later();
  }

  /** What is scrolled to is read once a frame. */
  #later() {
    if (this.#waiting) return;
    this.#waiting = true;
    requestAnimationFrame(() => {
      this.#waiting = false;
      if (this.root.offsetParent) this.#look();
    });
  }

  #look() {
    const scrolled = this.root.getBoundingClientRect().top - this.place.getBoundingClientRect().top;
    const isSlim = this.#spared > 0 && scrolled >= this.#spared - (this.isSlim ? BACK : 0);
    if (isSlim === this.isSlim) return;
    this.root.classList.toggle("slim", isSlim);
    this.#move(isSlim);
    this.changed();
  }

  /** It is seen to open or close, but is laid out at once: tables would tremble by fractions of a pixel. */
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
