// Explore and the tour in a notebook's cell: a page without a server that stores nothing and offers no downloads. Where it
// belongs to a widget, it gets its data from the notebook around it, and says there what has been edited.

import { element, redrawn, requireElement } from "../kit/dom.js";
import { sender } from "../kit/sender.js";
import { LocalHost } from "../page/local_host.js";
import { Parts } from "../page/parts.js";

/**
 * `version`: which example of the widget's it is, counted; `data`: `PageData` as JSON; `edits`: those made in it so far.
 * @typedef {{ version: number; data: string; edits: unknown }} Sent
 */

class Cell {
  #data;
  #host;
  #parts;
  #head = element("header", {});
  #isExercise;
  #version;
  #told; // what the notebook knows has been edited, as JSON

  /**
   * @param {HTMLElement} root
   * @param {Sent} sent
   */
  constructor(root, { data, version, edits }) {
    this.#data = /** @type {PageData} */ (JSON.parse(data));
    this.#version = version;
    this.#host = new LocalHost(this.#data, this.#data.first, () => this.#answered());
    this.#parts = new Parts(this.#host, { shown() {}, controls: () => [], below: () => [] });
    root.replaceChildren(this.#head, this.#parts.root);
    this.#isExercise = this.#host.isExercise;
    this.#host.restore(edits);
    this.#told = this.#edits;
    this.#showHead();
    this.#parts.show("explore");
    window.addEventListener("mha-colors", () => this.#parts.update()); // of theme.js: pictures are painted in them
  }

  get #edits() {
    return JSON.stringify(this.#host.kept);
  }

  #showHead() {
    const { words, walk } = this.#data.languages[this.#data.first];
    document.documentElement.lang = words.lang;
    const title = element("h1", {}, element("bdi", {}, walk.title));
    const nav = this.#host.isExercise ? [] : [this.#parts.nav(words)];
    redrawn(this.#head, () => this.#head.replaceChildren(title, ...nav));
  }

  /** Explore is shown again where an exercise begins or ends. */
  #update() {
    if (this.#isExercise === this.#host.isExercise) return this.#parts.update();
    this.#isExercise = this.#host.isExercise;
    this.#showHead();
    this.#parts.show("explore");
  }

  #answered() {
    this.#update();
    if (this.#edits === this.#told) return;
    this.#told = this.#edits;
    tell({ version: this.#version, edits: this.#host.kept });
  }

  /** The notebook has other numbers: another example, or other edits of this one. @param {Sent} sent */
  receive({ data, version, edits }) {
    if (version === this.#version && JSON.stringify(edits) === this.#told) return;
    sender.hurry(); // what was edited before belongs to the numbers before
    this.#version = version;
    this.#data = JSON.parse(data);
    this.#host.open(this.#data);
    this.#host.restore(edits);
    this.#told = this.#edits;
    this.#showHead();
    this.#update();
  }
}

/** @param {object} message to the notebook around this frame */
const tell = (message) => window.parent.postMessage({ mha: message }, "*"); // it has nothing that others may not know

const root = requireElement(document, "#page");
const data = document.querySelector("#data")?.textContent;
if (data) new Cell(root, { version: 0, data, edits: [] });
else {
  /** @type {Cell | null} */
  let cell = null;
  window.addEventListener("message", ({ source, data }) => {
    if (source !== window.parent || !data?.mha) return;
    if (cell) cell.receive(data.mha);
    else cell = new Cell(root, data.mha);
  });
  tell({ ready: true });
}
