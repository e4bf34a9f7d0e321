// Explore and the tour, of which one is shown at a time, with its stylesheet, and the buttons that lead to them. Both are
// the app's own; what the server does there, LocalHost does here.

import { default as mountExplore } from "../explore/explore.js";
import { button, element, requireElement, setAttribute } from "../kit/dom.js";
import { NO_ADDRESS } from "../kit/no_address.js";
import { sender } from "../kit/sender.js";
import { Walk } from "../walk/walk.js";

const NAMES = { explore: "bench", walk: "walk" }; // by what each part is called in the words

/** @typedef {keyof typeof NAMES} PartName */
/** What is shown: it is shown again where there is something new, and removed. @typedef {{ update: () => void; remove: () => void }} Shown */

/**
 * `shown`: another part is shown. `controls`: those of the tour's own controls that are wanted. `below`: what the tour has
 * below its pictures.
 * @typedef {{
 *   shown: (part: PartName) => void;
 *   controls: WalkHost["controls"];
 *   below: () => HTMLElement[];
 * }} Surroundings
 */

export class Parts {
  root = element("main", {});
  /** @type {PartName} */
  part = "explore";
  #host;
  #around;
  #nav = element("nav", {});
  /** @type {Shown | null} */
  #shown = null;

  /**
   * @param {import("./local_host.js").LocalHost} host
   * @param {Surroundings} around
   */
  constructor(host, around) {
    this.#host = host;
    this.#around = around;
  }

  /** @param {PartName} part */
  show(part) {
    sender.hurry(); // what has been edited in the part that is left
    this.#shown?.remove();
    this.part = part;
    for (const name of Object.keys(NAMES))
      requireElement(document, `#style-${name}`, HTMLStyleElement).media = name === part ? "all" : "not all";
    const place = element("div", {});
    this.root.replaceChildren(place);
    this.#shown = part === "walk" ? this.#walk(place) : this.#explore(place);
    this.#mark();
    this.#around.shown(part);
  }

  /** There is something new. */
  update() {
    this.#shown?.update();
  }

  /** The buttons, in the language of the words. @param {Record<string, string>} words */
  nav(words) {
    const names = /** @type {PartName[]} */ (Object.keys(NAMES));
    this.#nav = element(
      "nav",
      { "aria-label": words.parts },
      ...names.map((part) => this.#button(part, words)),
    );
    this.#mark();
    return this.#nav;
  }

  /** @type {(part: PartName, words: Record<string, string>) => HTMLElement} */
  #button(part, words) {
    /** @param {MouseEvent} event */
    const onclick = ({ detail, currentTarget }) => {
      if (detail > 0 && currentTarget instanceof HTMLElement) currentTarget.blur(); // keys are the tour's from here on
      this.show(part);
    };
    return button({ data: { focus: part }, onclick }, words[NAMES[part]]);
  }

  #mark() {
    for (const node of this.#nav.querySelectorAll("button"))
      setAttribute(node, "aria-current", node.dataset.focus === this.part && "page");
  }

  /** @type {(place: HTMLElement) => Shown} */
  #explore(place) {
    const component = { parentElement: place, setStateValue: this.#host.receive, setTriggerValue() {} };
    const mount = () => mountExplore({ ...component, data: this.#host.explore });
    let unmount = mount();
    const remove = () => {
      place.remove();
      unmount?.();
    };
    return { update: () => (unmount = mount()), remove };
  }

  /** @type {(place: HTMLElement) => Shown} */
  #walk(place) {
    const walk = new Walk(place, () => this.#walkHost(), this.#host.walk);
    const update = () => walk.update({ data: this.#host.walk });
    update();
    return { update, remove: () => walk.unmount() };
  }

  /** @returns {WalkHost} */
  #walkHost() {
    return {
      address: NO_ADDRESS,
      controls: (own) => this.#around.controls(own),
      parts: () => this.#around.below(),
      placeChanged() {},
      undo: (redo) => this.#host.undo(redo),
      unmount() {},
    };
  }
}
