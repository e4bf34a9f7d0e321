// What a lecturer has besides the walk: a dark screen, the keys on the wall, a dot to point with, a closer look.

import { div, element, p } from "../mha.web/dom.js";

const OWN_KEYS = /^(F\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/; // the browser's, and those that are held
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
  /** @type {HTMLElement} */
  help;
  level = 0; // of a closer look; 0: none

  /**
   * @param {Record<string, string>} words
   * @param {Podium | null} before the one whose place it takes, with what it shows
   */
  constructor(words, before) {
    this.words = words;
    this.dot = element("div", { class: "dot", hidden: true, "aria-hidden": "true" });
    this.help = this.#help();
    this.curtain = element("div", { class: "curtain", hidden: true, role: "status" }, p("told", words.dark));
    if (before) {
      this.darken(before.dark);
      this.dot.hidden = before.dot.hidden;
      this.help.hidden = before.help.hidden;
    }
    this.root = div("podium", this.dot, this.help, this.curtain);
  }

  #help() {
    const rows = this.words.stage_keys.split("\n").map((line) => {
      const [keys, does] = line.split(/: |：/);
      return element("tr", {}, element("th", { scope: "row" }, keys), element("td", {}, does));
    });
    const named = {
      class: "help",
      role: "dialog",
      "aria-label": this.words.help,
      tabindex: -1,
      hidden: true,
    };
    return element("div", named, element("table", {}, element("tbody", {}, ...rows)));
  }

  /**
   * Whether a key press is meant for what covers the stage: any key takes it away.
   * @param {KeyboardEvent} event
   */
  takes({ key, ctrlKey, altKey, metaKey }) {
    if (ctrlKey || altKey || metaKey || OWN_KEYS.test(key)) return false;
    if (!this.help.hidden) {
      this.help.hidden = true;
      return true;
    }
    return this.dark;
  }

  darken(dark) {
    this.dark = dark;
    this.curtain.hidden = !dark;
  }

  showKeys() {
    this.help.hidden = false;
    this.help.focus();
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
