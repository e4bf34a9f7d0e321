// A page before an audience: nothing else on it, large type, and as many of its parts at a time as the window has room
// for. The keys are the walkthrough's.

import {
  isBeforeAudience,
  onAudienceChange,
  onRedrawn,
  reportLaidOut,
  setBeforeAudience,
} from "../kit/audience.js";
import { announcer, button, div, element, fill, span } from "../kit/dom.js";
import { Help } from "../kit/help.js";
import { IdleControls } from "../kit/idle_controls.js";
import { isOwn, Keys } from "../kit/keys.js";
import { mounting } from "../kit/mount.js";
import { ofTab } from "../kit/storage.js";
import { isTeaching, onTeachingChange } from "../kit/teaching.js";
import { fits, liveAmong, mainOf, partsOf, show, showAll, tablesOfPage } from "./page_parts.js";
import { packed, screenOf } from "./screens.js";

const PLACE = "mha-hall-screen"; // in the tab's storage: a reload shows the same screen

/**
 * What the projector is sent (mha_ui/hall). `place`: what the page shows, `view`: "projector" while it is shown to an
 * audience.
 * @typedef {{ lang: string; words: Record<string, string>; title: string; place: string; view: string }} ProjectorData
 */

const SIGNS = /** @type {const} */ ({ previous: "←", next: "→", leave: "✕" });

class Projector {
  /** @type {ProjectorData} */
  #data;
  /** @type {Component["setStateValue"]} */
  #send;
  #isNew = true;
  #keys = new Keys();
  /** @type {Help} */
  #help;
  #stopped = new AbortController();
  /** @type {import("./page_parts.js").Shown[][]} */
  #screens = [];
  #at = 0;
  /** The screen to begin with: as parts of the page arrive in any order, it may not exist yet. */
  #begin = 0;
  #hasMoved = false;
  /** The first node on the screen. @type {Element | undefined} */
  #first;
  /** The frame in which the page is to be packed. */
  #frame = 0;
  /** The element that is watched for changes. @type {Element | null} */
  #watched = null;
  #changes = new MutationObserver((records) => {
    if (records.some(({ target }) => movesParts(target))) this.#pack();
  });
  /** What keys and buttons do, by name. @type {Record<string, () => void>} */
  #actions = {
    project: () => this.#project(),
    leave: () => this.#turn(""),
    next: () => this.#go(this.#at + 1),
    previous: () => this.#go(this.#at - 1),
    first: () => this.#go(0),
    last: () => this.#go(this.#screens.length - 1),
    help: () => this.#help.show(),
    fillScreen,
  };

  /** @param {Component<ProjectorData>} component */
  constructor({ parentElement, data, setStateValue }) {
    this.#data = data;
    this.#send = setStateValue;
    this.opener = button({ class: "opener", onclick: () => this.#project() });
    this.title = span("title");
    this.counter = span("counter");
    this.more = element("p", { class: "more", hidden: true });
    this.moves = Object.entries(SIGNS).map(([name, sign]) => {
      const onclick = (/** @type {MouseEvent} */ event) => this.#onPress(event, name);
      return { name, node: button({ data: { focus: name }, onclick }, sign) };
    });
    const moves = this.moves.map(({ node }) => node);
    this.bar = div("hall-bar", this.title, span("moves", ...moves), this.counter);
    this.awake = new IdleControls(this.bar);
    this.live = announcer();
    this.root = div("hall", this.opener, this.bar, this.more, this.live);
    this.#help = this.#makeHelp(false);
    parentElement.append(this.root);
    const { signal } = this.#stopped;
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    window.addEventListener("resize", () => this.#pack(), { signal });
    window.addEventListener("pointermove", () => this.awake.wake(), { signal });
    window.addEventListener("pointerup", () => isBeforeAudience() && setTimeout(blurSlider), { signal });
    onRedrawn(() => this.#pack(), signal);
    const showTeaching = () => this.root.classList.toggle("teaching", isTeaching());
    onTeachingChange(showTeaching, signal);
    showTeaching();
    onAudienceChange(() => this.root.classList.toggle("on", isBeforeAudience()), signal);
  }

  unmount() {
    this.#stopped.abort();
    this.#changes.disconnect();
    cancelAnimationFrame(this.#frame);
    this.awake.rest();
    showAll();
    if (isBeforeAudience()) setBeforeAudience(false);
    this.root.remove();
  }

  /** @param {Component<ProjectorData>} component */
  update({ data, setStateValue }) {
    this.#send = setStateValue;
    if (this.#data.place !== data.place) this.#restart();
    this.#data = data;
    this.#label();
    if (this.#isNew && data.view === "projector") {
      this.#begin = storedScreen(data.place);
      setBeforeAudience(true);
    }
    this.#isNew = false;
    this.#pack();
  }

  #label() {
    const { words, title, lang } = this.#data;
    this.root.lang = lang;
    const { isShown } = this.#help;
    this.#help.root.remove();
    this.#help = this.#makeHelp(isShown);
    this.root.append(this.#help.root);
    this.opener.textContent = words.projector;
    this.opener.title = words.project;
    this.title.textContent = liveAmong(this.#screens[this.#at]) || title;
    this.more.textContent = words.scroll;
    for (const { name, node } of this.moves) {
      node.title = words[name];
      node.setAttribute("aria-label", words[name]);
    }
  }

  /** @param {boolean} isShown */
  #makeHelp(isShown) {
    const { words } = this.#data;
    return new Help(this.root, { label: words.help, keys: words.keys, isShown });
  }

  // --- keys and buttons ----------------------------------------------------------------------------------------------

  /** Show the page to an audience. The keys are read from now on, so nothing has the focus. */
  #project() {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    this.#restart();
    this.#turn("projector");
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (!this.root.isConnected) return;
    if (!isOwn(event) && this.#help.close()) return event.preventDefault();
    if (isBeforeAudience() && event.key === "Escape" && blurSlider()) return;
    const act = this.#actionOf(event);
    if (!act) return;
    event.preventDefault();
    this.awake.rest();
    act();
  }

  /** What a key does here, if anything. @param {KeyboardEvent} event */
  #actionOf(event) {
    /** @type {{ move?: string; jump?: number } | null} */
    const meaning = this.#keys.read(event, isBeforeAudience());
    const { move, jump } = meaning ?? {};
    if (isBeforeAudience() === (move === "project")) return undefined;
    return jump ? () => this.#go(jump - 1) : this.#actions[move ?? ""];
  }

  /**
   * A button is pressed. After a click it loses the focus, because it would take the keys.
   * @param {MouseEvent} event
   * @param {string} name
   */
  #onPress(event, name) {
    if (event.detail > 0 && event.currentTarget instanceof HTMLElement) event.currentTarget.blur();
    this.#actions[name]();
  }

  /** @param {string} view "projector", or "" for the page as it is */
  #turn(view) {
    this.#help.close();
    setBeforeAudience(view === "projector");
    this.#send("view", view);
    this.#pack();
    if (!view) this.opener.focus({ preventScroll: true });
  }

  #restart() {
    this.#at = this.#begin = 0;
    this.#hasMoved = false;
    this.#first = undefined;
  }

  /** @param {number} at */
  #go(at) {
    if (at < 0 || at >= this.#screens.length) return;
    this.#at = at;
    this.#hasMoved = true;
    this.#show();
    this.live.textContent = this.counter.textContent;
  }

  // --- screens -------------------------------------------------------------------------------------------------------

  /** Pack the page into screens, at most once a frame: Streamlit's pages arrive in many pieces. */
  #pack() {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#packNow());
  }

  #packNow() {
    const main = mainOf();
    const zone = main?.parentElement;
    if (!this.root.isConnected || !zone) return;
    this.#watch(main);
    showAll();
    if (!isBeforeAudience()) return;
    setScale(1);
    reportLaidOut();
    const parts = partsOf(main);
    this.#screens = packed(parts, (some) => {
      show(parts, some);
      return fits(zone);
    });
    const first = parts.find(({ nodes }) => nodes[0] === this.#first);
    const { length } = this.#screens;
    this.#at = this.#hasMoved
      ? screenOf(this.#screens, first, this.#at)
      : Math.max(0, Math.min(this.#begin, length - 1));
    this.#show();
  }

  #show() {
    const zone = mainOf()?.parentElement;
    if (!zone) return;
    const screen = this.#screens[this.#at] ?? [];
    show(this.#screens.flat(), screen);
    enlarge(zone);
    this.#first = screen.find(({ kept }) => !kept)?.nodes[0];
    this.more.hidden = fits(zone);
    this.title.textContent = liveAmong(screen) || this.#data.title;
    zone.scrollTo(0, 0);
    const { words, place } = this.#data;
    const values = { screen: this.#at + 1, screens: this.#screens.length };
    this.counter.textContent = this.#screens.length > 1 ? fill(words.screen_of, values) : "";
    this.root.dataset.screen = `${values.screen} ${values.screens}`;
    ofTab.set(PLACE, [place, this.#at]);
  }

  /** Pack again after changes of the page. Our own components announce theirs. @param {Element} main */
  #watch(main) {
    if (main === this.#watched) return;
    this.#watched = main;
    this.#changes.observe(main, { childList: true, subtree: true });
  }
}

function fillScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {}); // a browser may forbid it
}

const SCALES = [1.6, 1.4, 1.25, 1.1, 1];

/** @param {number} by of the type */
const setScale = (by) => document.documentElement.style.setProperty("--mha-hall-scale", String(by));

/**
 * Choose the largest type in which everything on the screen has room. Tables that can hide heads keep the smallest:
 * they would hide some to make room.
 * @param {Element} zone
 */
function enlarge(zone) {
  const tables = tablesOfPage();
  const canHideHeads = tables && !tables.classList.contains("board");
  /** @param {number} by */
  const hasRoomAt = (by) => {
    setScale(by);
    return fits(zone);
  };
  if (canHideHeads || !SCALES.some(hasRoomAt)) setScale(1);
}

/** The screen that this tab showed at a place. @param {string} place */
function storedScreen(place) {
  const stored = ofTab.get(PLACE);
  const [storedPlace, at] = Array.isArray(stored) ? stored : [];
  return storedPlace === place ? Number(at) : 0;
}

/** Have a focused slider lose the focus, so that the keys change screens. Whether one had it. */
function blurSlider() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  if (!(focused instanceof HTMLElement) || !focused.matches("[role=slider], input[type=range]")) return false;
  focused.blur();
  return true;
}

/** Whether a change may need other room. A drawing always has the same. @param {Node} node */
const movesParts = (node) =>
  !(node instanceof Element ? node : node.parentElement)?.closest(".mha-plot, .hall");

export default mounting((/** @type {Component<ProjectorData>} */ component) => new Projector(component));
