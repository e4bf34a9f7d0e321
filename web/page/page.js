// A page without a server: Explore and the tour, and above them what the page is called and what can be done with it. Its
// address holds what has been changed, so that a reload or a link shows it too.

import { button, download, element, fill, p, redrawn, requireElement, span } from "../kit/dom.js";
import { SchemeButton } from "../kit/scheme_button.js";
import { sender } from "../kit/sender.js";
import { ofBrowser } from "../kit/storage.js";
import { AppLink } from "./app_link.js";
import { hashOf, readHash } from "./kept.js";
import { LocalHost } from "./local_host.js";
import { Parts } from "./parts.js";
import { Task } from "./task.js";

const LANGUAGE = "mha.page.lang"; // by which this browser stores the language that was chosen

/** The page's source as it was opened, with nothing shown yet. */
const SOURCE = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));

class Page {
  #data;
  #host;
  #scheme = new SchemeButton("mha.page.theme", () => this.#parts.update());
  #app;
  #head = element("header", {});
  #opening = p("opening"); // for whoever opens such a page for the first time
  #hasToured = false;
  #task; // which the start of the page leads to
  #parts;
  #isExercise; // its sheet is shown, and nothing else

  /**
   * @param {HTMLElement} root
   * @param {PageData} data
   */
  constructor(root, data) {
    this.#data = data;
    this.#app = data.app ? new AppLink(data.app) : null;
    this.#host = new LocalHost(data, firstLanguage(data), () => this.#answered());
    this.#isExercise = this.#host.isExercise;
    this.#task = new Task(() => this.#host.goals);
    this.#parts = new Parts(this.#host, {
      shown: () => this.#partShown(),
      controls: (own) => own.slice(0, 1), // the large view; nobody presents from here
      below: () => (this.#host.goals.length ? [this.#taskLink()] : []),
    });
    root.replaceChildren(this.#head, this.#opening, this.#task.root, this.#parts.root);
    const { part, kept = data.kept } = readHash(location.hash);
    this.#host.restore(kept);
    this.#showHead();
    this.#parts.show(part === "walk" && !this.#isExercise ? "walk" : "explore");
  }

  get #texts() {
    return this.#data.languages[this.#host.language];
  }

  // --- the parts ---------------------------------------------------------------------------------------------------

  #partShown() {
    this.#hasToured ||= this.#parts.part === "walk";
    this.#showBeside();
    this.#keep();
  }

  #answered() {
    if (this.#isExercise !== this.#host.isExercise) return this.#exerciseEnded();
    this.#parts.update();
    this.#keep();
    this.#showTask();
  }

  /** After the tour Explore has a task. */
  #showTask() {
    const isOffered = this.#hasToured && !this.#isExercise && this.#parts.part === "explore";
    this.#task.show(isOffered ? this.#host.explore : null, this.#texts.words);
  }

  /** What is shown is in the address, for a reload, and in the link to an app. */
  #keep() {
    history.replaceState(null, "", hashOf(this.#parts.part, this.#host.kept));
    this.#linkToApp();
  }

  #exerciseEnded() {
    this.#isExercise = false;
    this.#showHead();
    this.#parts.show("explore");
  }

  #linkToApp() {
    const { file, language } = this.#host;
    if (this.#isExercise) return;
    this.#app?.show({ file, part: this.#parts.part, lang: language, label: this.#texts.words.in_app });
  }

  /** At the end of the tour: the way to the task. */
  #taskLink() {
    const onclick = () => this.#parts.show("explore");
    return p("to-task", button({ data: { focus: "task" }, onclick }, `▶ ${this.#texts.words.task_link}`));
  }

  // --- above them --------------------------------------------------------------------------------------------------

  #showHead() {
    const { words, walk } = this.#texts;
    document.documentElement.lang = words.lang;
    document.title = walk.title;
    this.#scheme.say(words);
    const title = element("h1", {}, element("bdi", {}, walk.title));
    const way = this.#isExercise ? this.#fileButton() : this.#parts.nav(words);
    const choices = span("choices", ...this.#languageButtons(), this.#moreButton());
    const extras = span("extras", this.#app?.root, this.#copyButton(), this.#scheme.root);
    redrawn(this.#head, () => this.#head.replaceChildren(title, way, choices, extras));
    this.#showOpening();
    this.#showBeside();
  }

  /** What this page is, and where to begin. */
  #showOpening() {
    const { words, walk } = this.#texts;
    const onclick = () => this.#parts.show("walk");
    const label = fill(words.start, { count: walk.stages.length });
    this.#opening.replaceChildren(
      words.about_page,
      " ",
      button({ data: { focus: "start" }, onclick }, `▶ ${label}`),
    );
  }

  /** On a phone it shows what there is no room for beside it. */
  #moreButton() {
    const onclick = () => {
      const isOpen = this.#head.classList.toggle("open");
      node.setAttribute("aria-expanded", String(isOpen));
    };
    const label = this.#texts.words.extras;
    const isOpen = this.#head.classList.contains("open");
    const attributes = { class: "more", "aria-label": label, title: label, "aria-expanded": String(isOpen) };
    const node = button({ ...attributes, data: { focus: "more" }, onclick }, "⋯");
    return node;
  }

  /** Saves what has been filled in as a file, which `mha check` reads. */
  #fileButton() {
    const onclick = () => {
      sender.hurry(); // what was filled in last
      download("attention.mha.json", "application/json", JSON.stringify(this.#host.file));
    };
    return button({ data: { focus: "own file" }, onclick }, this.#texts.words.own_file);
  }

  /** Saves the page as it is now: its numbers are those of whoever opens it. */
  #copyButton() {
    const onclick = () => {
      sender.hurry();
      download("attention.html", "text/html", copyWith({ ...this.#data, kept: this.#host.kept }));
    };
    return button({ data: { focus: "copy" }, onclick }, this.#texts.words.save_copy);
  }

  /** The opening sentence goes once the tour has been seen. */
  #showBeside() {
    this.#opening.hidden = this.#isExercise || this.#hasToured;
    this.#showTask();
  }

  #languageButtons() {
    const others = Object.entries(this.#data.languages).filter(([code]) => code !== this.#host.language);
    return others.map(([code, { words }]) => {
      const onclick = () => this.#setLanguage(code);
      return button({ lang: words.lang, data: { focus: "language" }, onclick }, words.name);
    });
  }

  /** @param {string} code */
  #setLanguage(code) {
    ofBrowser.setText(LANGUAGE, code);
    sender.hurry();
    this.#host.language = code;
    this.#showHead();
    this.#answered();
  }
}

/** The page with other data. @param {Omit<PageData, "kept"> & { kept: object[] }} data */
function copyWith(data) {
  const copy = /** @type {HTMLElement} */ (SOURCE.cloneNode(true));
  for (const node of copy.querySelectorAll(".unpacked")) node.remove();
  requireElement(copy, "#data").textContent = JSON.stringify(data).replaceAll("<", "\\u003c"); // never markup
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

/** The language chosen before, else the browser's, else the page's. @param {PageData} data */
function firstLanguage({ languages, first }) {
  const wanted = [ofBrowser.text(LANGUAGE), ...navigator.languages.map((tag) => tag.split("-")[0])];
  return wanted.find((code) => code && code in languages) ?? first;
}

window.addEventListener("hashchange", () => location.reload()); // another link to this page, opened in its place
new Page(requireElement(document, "#page"), JSON.parse(requireElement(document, "#data").textContent ?? ""));
