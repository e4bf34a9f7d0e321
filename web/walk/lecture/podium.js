// What a lecturer has besides the walk: a dark screen, a dot to point with, a closer look.

import { div, element, p } from "../../kit/dom.js";

const EDGES = { top: 0.03, bottom: 0.95 }; // of the window's height

/**
 * The edge of the window that the pointer is at, if any.
 * @param {PointerEvent} event
 */
export function edgeOf({ clientY }) {
  const at = clientY / innerHeight;
  return at <= EDGES.top ? "top" : at >= EDGES.bottom ? "bottom" : "";
}

export class Podium {
  dark = false;
  /** @type {HTMLElement} */
  dot;
  level = 0; // of a closer look; 0: none

  /**
   * @param {Record<string, string>} words
   * @param {Podium | null} before the one whose place it takes, with what it shows
   */
  constructor(words, before) {
    this.words = words;
    this.dot = element("div", { class: "dot", hidden: true, "aria-hidden": "true" });
    this.curtain = element("div", { class: "curtain", hidden: true, role: "status" }, p("told", words.dark));
    if (before) {
      this.darken(before.dark);
      this.dot.hidden = before.dot.hidden;
    }
    this.root = div("podium", this.dot, this.curtain);
  }

  darken(dark) {
    this.dark = dark;
    this.curtain.hidden = !dark;
  }

  toggleDot() {
    this.dot.hidden = !this.dot.hidden;
  }

  /** @param {PointerEvent} event */
  point({ clientX, clientY }) {
    this.dot.style.translate = `${clientX}px ${clientY}px`;
  }

  get isPointing() {
    return !this.dot.hidden;
  }

  get isClose() {
    return this.level > 0;
  }
}
