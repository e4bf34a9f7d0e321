// What a lecturer has before an audience: a dark screen, a dot to point with, a closer look.

import { div, element, p } from "../../kit/dom.js";

const EDGES = { top: 0.03, bottom: 0.95 }; // of the window's height

/** The edge of the window that the pointer is at, or "". @param {PointerEvent} event */
export function edgeOf({ clientY }) {
  const at = clientY / innerHeight;
  return at <= EDGES.top ? "top" : at >= EDGES.bottom ? "bottom" : "";
}

export class Podium {
  dark = false;
  dot = element("div", { class: "dot", hidden: true, "aria-hidden": "true" });
  level = 0; // how close the picture is looked at; 0: as it is

  /**
   * @param {Record<string, string>} words
   * @param {Podium | null} previous the one that it replaces, whose state it takes over
   */
  constructor(words, previous) {
    this.words = words;
    this.curtain = element("div", { class: "curtain", hidden: true, role: "status" }, p("told", words.dark));
    if (previous) {
      this.darken(previous.dark);
      this.dot.hidden = previous.dot.hidden;
    }
    this.root = div("podium", this.dot, this.curtain);
  }

  /** @param {boolean} dark */
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
