// Which lessons this browser has shown to their end, and whose question was answered: marks in the list of lessons,
// and a count below it. What was answered is chosen again. Where a browser stores nothing, that lasts as long as the page.

import { element, fill, setAttribute, setText } from "../kit/dom.js";
import { storePlace } from "../kit/last_work.js";
import { mounting } from "../kit/mount.js";
import { ofBrowser } from "../kit/storage.js";

const NAME = "mha.lessons";
const ANSWERS = "mha.answers";
const LIST = ".st-key-lesson-list";
const END = ".st-key-lesson-steps"; // the links to the lessons before and after: who scrolls to them has read this one
const SCROLLER = ".stMain"; // what Streamlit scrolls, which keeps its place when another lesson is drawn

/** What is known of a lesson; "answered" includes "read". @typedef {"read" | "answered"} Done */

/** @type {() => Record<string, Done>} */
const known = () => ofBrowser.get(NAME) ?? {};

/** @type {(topic: string, done: Done) => void} */
function store(topic, done) {
  const lessons = known();
  if (lessons[topic] !== "answered") ofBrowser.set(NAME, { ...lessons, [topic]: done });
}

/** By topic, which answer was chosen. @type {() => Record<string, unknown>} */
const answers = () => ofBrowser.get(ANSWERS) ?? {};

/** Forget what was answered in a lesson. @param {string} topic */
function clear(topic) {
  const { [topic]: _, ...others } = answers();
  ofBrowser.set(ANSWERS, others);
  if (known()[topic] === "answered") ofBrowser.set(NAME, { ...known(), [topic]: "read" });
}

/**
 * What the part is sent. `place`: what the lesson's address says, controls included. `chosen`: the answer, null where none
 * is; `isCleared`: the reader has cleared it.
 * @typedef {{
 *   title: string; place: Record<string, string>;
 *   topics: string[]; topic: string; isAnswered: boolean; chosen: number | null; isCleared: boolean;
 *   words: Record<string, string>;
 * }} ProgressData
 */

class Progress {
  /** @type {ProgressData | null} */
  #data = null;
  #isAtEnd = false;
  #end = new IntersectionObserver((entries) => {
    this.#isAtEnd = entries[entries.length - 1].isIntersecting;
    this.#scrolled();
  });
  #scrolled = () => {
    if (this.#isAtEnd && Number(document.querySelector(SCROLLER)?.scrollTop) > 0) this.#store("read");
  };
  /** Streamlit puts new links into the list, without marks. */
  #links = new MutationObserver(() => this.#show());

  /** @param {Component<ProgressData>} component */
  constructor({ parentElement }) {
    this.told = element("p", { class: "mha-progress" });
    parentElement.append(this.told);
  }

  /** @param {Component<ProgressData>} component */
  update({ data, setStateValue }) {
    const { topic, chosen, isCleared } = data;
    if (this.#data && this.#data.topic !== topic) this.#begin();
    this.#data = data;
    this.#watch();
    if (chosen !== null) ofBrowser.set(ANSWERS, { ...answers(), [topic]: chosen });
    else if (isCleared) clear(topic);
    else if (topic in answers()) setStateValue("restored", { topic, chosen: answers()[topic] });
    storePlace("lessons", data.place, data.title);
    if (data.isAnswered) this.#store("answered");
    this.#show();
  }

  unmount() {
    this.#end.disconnect();
    this.#links.disconnect();
    document.removeEventListener("scroll", this.#scrolled, true);
  }

  /** Another lesson is opened: at its top, wherever the link to it was. */
  #begin() {
    this.#isAtEnd = false; // until the new end is watched
    document.querySelector(SCROLLER)?.scrollTo(0, 0);
  }

  /** Watch the list and the end of this lesson, which Streamlit may have drawn again. */
  #watch() {
    this.unmount();
    document.addEventListener("scroll", this.#scrolled, true); // of any part of the page
    const [list, end] = [LIST, END].map((selector) => document.querySelector(selector));
    if (list) this.#links.observe(list, { childList: true, subtree: true });
    if (end) this.#end.observe(end);
    else requestAnimationFrame(() => this.told.isConnected && this.#watch()); // it is drawn after this part
  }

  /** @param {Done} done */
  #store(done) {
    if (!this.#data) return;
    store(this.#data.topic, done);
    this.#show();
  }

  #show() {
    if (!this.#data) return;
    const { topics, words } = this.#data;
    const lessons = known();
    for (const link of document.querySelectorAll(`${LIST} a`)) {
      const topic = new URL(/** @type {HTMLAnchorElement} */ (link).href).searchParams.get("lesson") ?? "";
      const done = lessons[topic] ?? "";
      setAttribute(link, "data-done", done);
      setAttribute(link, "aria-description", done && words[done]);
      setAttribute(link, "title", done && words[done]);
    }
    const all = topics.filter((topic) => topic in lessons);
    const answered = all.filter((topic) => lessons[topic] === "answered");
    const values = { read: all.length, answered: answered.length, all: topics.length };
    setText(this.told, all.length ? fill(words.told, values) : "");
  }
}

export default mounting((/** @type {Component<ProgressData>} */ component) => new Progress(component));
