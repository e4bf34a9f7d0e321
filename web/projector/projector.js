// A page before an audience: nothing else on it, large type, and as many of its parts at a time as the window holds.
// The keys are the walkthrough's.

import { enterHall, hallLaidOut, isInHall, onDrawn, onHall } from "../kit/audience.js";
import { announcer, button, div, element, fill, span } from "../kit/dom.js";
import { Help } from "../kit/help.js";
import { Awake } from "../kit/idle_controls.js";
import { isOwn, Keys } from "../kit/keys.js";
import { mounting } from "../kit/mount.js";
import { ofTab } from "../kit/storage.js";
import { benches, fits, liveAmong, mainOf, partsOf, show, showAll } from "./page_parts.js";
import { packed, screenOf } from "./screens.js";

const PLACE = "mha-hall-screen"; // in the tab's own storage: a reload shows the same screen

class Hall {
  /** @type {any} */
  #data = null;
  /** @type {(name: string, value: unknown) => void} */
  #send = null;
  #keys = new Keys();
  /** @type {Help | null} */
  #help = null;
  #gone = new AbortController();
  /** @type {import("./page_parts.js").Shown[][]} */
  #screens = [];
  #at = 0;
  #begins = 0; // the screen that is shown until one goes on: parts of the page may come in any order
  #hasMoved = false;
  #first = undefined; // the node that begins the screen shown
  #asked = 0; // the frame in which the page is packed
  /** @type {Element | null} */
  #watched = null;
  #changes = new MutationObserver((records) => {
    if (records.some(({ target }) => movesParts(target))) this.#pack();
  });

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.opener = button({ class: "opener", onclick: () => this.project() });
    this.title = span("title");
    this.counter = span("counter");
    this.more = element("p", { class: "more", hidden: true });
    this.moves = ["previous", "next", "leave"].map((name) =>
      button({ data: { focus: name }, onclick: (event) => this.#pressed(event, name) }),
    );
    this.bar = div("hall-bar", this.title, span("moves", ...this.moves), this.counter);
    this.awake = new Awake(this.bar);
    this.live = announcer();
    this.root = div("hall", this.opener, this.bar, this.more, this.live);
    parent.append(this.root);
    const { signal } = this.#gone;
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    window.addEventListener("resize", () => this.#pack(), { signal });
    window.addEventListener("pointermove", () => this.awake.wake(), { signal });
    window.addEventListener("pointerup", () => isInHall() && setTimeout(letGo), { signal });
    onDrawn(() => this.#pack(), signal);
    onHall(() => this.root.classList.toggle("on", isInHall()), signal);
  }

  unmount() {
    this.#gone.abort();
    this.#changes.disconnect();
    cancelAnimationFrame(this.#asked);
    this.awake.rest();
    showAll();
    if (isInHall()) enterHall(false);
    this.root.remove();
  }

  update({ data, setStateValue }) {
    const first = this.#data === null;
    this.#send = setStateValue;
    if (!first && this.#data.place !== data.place) this.#start();
    this.#data = data;
    this.#say();
    if (first && data.view === "projector") {
      this.#begins = placed(data.place);
      enterHall(true);
    }
    this.#pack();
  }

  #say() {
    const { words, title, lang } = this.#data;
    const signs = { previous: "←", next: "→", leave: "✕" };
    this.root.lang = lang;
    const isShown = Boolean(this.#help?.isShown);
    this.#help?.root.remove();
    this.#help = new Help(this.root, { label: words.help, keys: words.keys, isShown });
    this.root.append(this.#help.root);
    this.opener.textContent = words.projector;
    this.opener.title = words.project;
    this.title.textContent = liveAmong(this.#screens[this.#at]) || title;
    this.more.textContent = words.scroll;
    for (const move of this.moves) {
      const name = move.dataset.focus;
      move.textContent = signs[name];
      move.title = words[name];
      move.setAttribute("aria-label", words[name]);
    }
  }

  // --- what keys and buttons do --------------------------------------------------------------------------------------

  /** What had the focus lets go of it: the keys walk from here on. */
  project() {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.#start();
    this.#turn("projector");
  }

  leave() {
    this.#turn("");
  }

  next() {
    this.#go(this.#at + 1);
  }

  previous() {
    this.#go(this.#at - 1);
  }

  first() {
    this.#go(0);
  }

  last() {
    this.#go(this.#screens.length - 1);
  }

  help() {
    this.#help.show();
  }

  fillScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {}); // a browser may forbid it
  }

  #onKey(event) {
    if (!this.root.isConnected) return;
    if (!isOwn(event) && this.#help?.close()) return event.preventDefault();
    if (isInHall() && event.key === "Escape" && letGo()) return;
    const meant = this.#keys.read(event, isInHall());
    if (!meant || isInHall() === (meant.move === "project")) return;
    const act = meant.jump ? () => this.#go(meant.jump - 1) : this[meant.move];
    if (!act) return;
    event.preventDefault();
    this.awake.rest();
    act.call(this);
  }

  /** After a click with the pointer the keys walk on: a focused button would take them. */
  #pressed(event, name) {
    if (event.detail > 0) event.currentTarget.blur();
    this[name]();
  }

  /** @param {string} view */
  #turn(view) {
    this.#help.close();
    enterHall(view === "projector");
    this.#send("view", view);
    this.#pack();
    if (!view) this.opener.focus({ preventScroll: true });
  }

  #start() {
    this.#at = this.#begins = 0;
    this.#hasMoved = false;
    this.#first = undefined;
  }

  #go(at) {
    if (at < 0 || at >= this.#screens.length) return;
    this.#at = at;
    this.#hasMoved = true;
    this.#show();
    this.live.textContent = this.counter.textContent;
  }

  // --- screens -------------------------------------------------------------------------------------------------------

  /** Once a frame at most: a page of Streamlit's comes in many pieces. */
  #pack() {
    cancelAnimationFrame(this.#asked);
    this.#asked = requestAnimationFrame(() => this.#packNow());
  }

  #packNow() {
    const main = mainOf();
    if (!this.root.isConnected || !main) return;
    this.#watch(main);
    showAll();
    if (!isInHall()) return;
    const zone = main.parentElement;
    scale(1);
    hallLaidOut();
    const parts = partsOf(main);
    this.#screens = packed(parts, (some) => {
      show(parts, some);
      return fits(zone);
    });
    const standing = parts.find(({ nodes }) => nodes[0] === this.#first);
    const { length } = this.#screens;
    this.#at = this.#hasMoved
      ? screenOf(this.#screens, standing, this.#at)
      : Math.max(0, Math.min(this.#begins, length - 1));
    this.#show();
  }

  #show() {
    const screen = this.#screens[this.#at] ?? [];
    const zone = mainOf().parentElement;
    show(this.#screens.flat(), screen);
    enlarge(zone);
    this.#first = screen.find(({ kept }) => !kept)?.nodes[0];
    this.more.hidden = fits(zone);
    this.title.textContent = liveAmong(screen) || this.#data.title;
    zone.scrollTo(0, 0);
    const { words, place } = this.#data;
    const of = { screen: this.#at + 1, screens: this.#screens.length };
    this.counter.textContent = this.#screens.length > 1 ? fill(words.screen_of, of) : "";
    this.root.dataset.screen = `${of.screen} ${of.screens}`;
    ofTab.set(PLACE, [place, this.#at]);
  }

  /** What changes on the page is packed anew; our own components say so themselves. */
  #watch(main) {
    if (main === this.#watched) return;
    this.#watched = main;
    this.#changes.observe(main, { childList: true, subtree: true });
  }
}

const SCALES = [1.6, 1.4, 1.25, 1.1, 1];

/** @param {number} by of the type */
const scale = (by) => document.documentElement.style.setProperty("--mha-hall-scale", String(by));

/**
 * The largest type in which all that is shown has room; heads that stand side by side would make room by going.
 * @param {Element} zone
 */
function enlarge(zone) {
  const isSettled = benches().every((bench) => bench.classList.contains("board"));
  const fitting = (by) => {
    scale(by);
    return fits(zone);
  };
  if (!isSettled || !SCALES.some(fitting)) scale(1);
}

/** The screen where this tab stood, where it was at this place. */
function placed(place) {
  const [held, at] = ofTab.get(PLACE) ?? [];
  return held === place ? at : 0;
}

/** A slider that has the focus lets go of it, and the keys walk on; whether there was one. */
function letGo() {
  let held = document.activeElement;
  while (held?.shadowRoot?.activeElement) held = held.shadowRoot.activeElement;
  if (!held?.matches("[role=slider], input[type=range]")) return false;
  /** @type {HTMLElement} */ (held).blur();
  return true;
}

/** Whether what has changed may need another room: a drawing keeps its own. @type {(node: Node) => boolean} */
const movesParts = (node) =>
  !(node instanceof Element ? node : node.parentElement)?.closest(".mha-plot, .hall");

export default mounting(({ parentElement }) => new Hall(parentElement));
