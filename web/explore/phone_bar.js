// The bar at the foot of a small screen: undo, the overview, and the stages of the computation one by one.

import { button, div, element, rich, setText } from "../kit/dom.js";
import { gently, inSight, lookedAt } from "./viewport.js";

/**
 * `overview`: can be hidden to make room.
 * @typedef {{
 *   send: (edit: Edit) => void; tables: HTMLElement;
 *   overview: { root: HTMLElement }; explain: { root: HTMLElement };
 * }} PhoneBarHost
 */

export class PhoneBar {
  #current = 0; // the stage that is looked at
  #isWaiting = false; // for the next frame

  /**
   * @param {PhoneBarHost} host
   * @param {Record<string, string>} words
   * @param {AbortSignal} gone
   */
  constructor(host, words, gone) {
    this.host = host;
    this.words = words;
    this.undo = iconButton(words.undo, "↶", "undo", () => host.send({ op: "undo" }));
    this.before = iconButton(words.stage_before, "‹", "before", () => this.#go(-1));
    this.next = iconButton(words.stage_next, "›", "next", () => this.#go(+1));
    this.stage = element("span", { class: "at-hand-stage", "aria-live": "polite" });
    this.overview = button(
      { data: { focus: "bar overview" }, onclick: () => this.#toggleOverview() },
      words.hide_overview,
    );
    this.root = div("at-hand", this.undo, this.before, this.stage, this.next, this.overview);
    this.root.setAttribute("role", "toolbar");
    this.root.setAttribute("aria-label", words.at_hand);
    const onScroll = () => this.#lookSoon();
    document.addEventListener("scroll", onScroll, { signal: gone, capture: true, passive: true });
  }

  /** @param {ExploreModel} model */
  update(model) {
    this.undo.disabled = !model.controls.undo;
    this.overview.hidden = this.host.overview.root.hidden;
    this.#lookSoon();
  }

  /** Those that can be gone to: not the ones in a folded section. @returns {Element[]} */
  get #stages() {
    const stages = [...this.host.tables.querySelectorAll("section.stage")];
    return stages.filter((stage) => !stage.closest("[hidden]"));
  }

  /** The scroll position is read once a frame. */
  #lookSoon() {
    if (this.#isWaiting || !this.root.offsetParent) return;
    this.#isWaiting = true;
    requestAnimationFrame(() => {
      this.#isWaiting = false;
      this.#look();
    });
  }

  /** Find the stage that is looked at, and name it. */
  #look() {
    const stages = this.#stages;
    const tops = stages.map((stage) => stage.getBoundingClientRect().top);
    this.#current = lookedAt(tops, inSight(this.host));
    this.before.disabled = this.#current === 0;
    this.next.disabled = this.#current === stages.length - 1;
    const title = stages[this.#current]?.ariaLabel ?? "";
    if (this.stage.dataset.title === title) return;
    this.stage.dataset.title = title;
    this.stage.replaceChildren(...rich(title));
  }

  /** @param {number} by */
  #go(by) {
    const stage = this.#stages[this.#current + by];
    stage?.scrollIntoView({ block: "start", behavior: gently() });
  }

  #toggleOverview() {
    const isAway = this.host.overview.root.classList.toggle("away");
    setText(this.overview, isAway ? this.words.show_overview : this.words.hide_overview);
  }
}

/**
 * @param {string} label
 * @param {string} sign
 * @param {string} focus
 * @param {() => void} onclick
 */
const iconButton = (label, sign, focus, onclick) =>
  button({ "aria-label": label, title: label, data: { focus: `bar ${focus}` }, onclick }, sign);
