// The file to hand in: a name or a number, and a button that saves. The server makes the file after it has the name, so
// that the file has it, and every number that was filled in before.

import { button, download, element, fill, setAttribute, setText, span } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";

/**
 * `saved` counts the files that were made; `file`: the newest one, "" where it was saved before; `name`: what it is called.
 * @typedef {{ words: Record<string, string>; student: string; saved: number; file: string; name: string }} HandInData
 */

class HandIn {
  #saved = 0;
  /** @type {(sent: { student: string }) => void} */
  #send = () => {};

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.field = element("input", { type: "text", maxlength: 200, autocomplete: "off" });
    this.button = button({ onclick: () => this.#send({ student: this.field.value }) });
    this.status = span("said");
    this.status.setAttribute("role", "status");
    this.root = element("div", { class: "link" }, this.field, this.button, this.status);
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  /** @param {{ data: HandInData; setTriggerValue: Component["setTriggerValue"] }} component */
  update({ data: { words, student, saved, file, name }, setTriggerValue }) {
    this.#send = (sent) => setTriggerValue("save", sent);
    setAttribute(this.field, "aria-label", words.student);
    setAttribute(this.field, "placeholder", words.student);
    if (!this.field.value) this.field.value = student;
    setText(this.button, words.save);
    if (file && saved !== this.#saved) {
      download(name, "application/json", file);
      setText(this.status, `✓ ${fill(words.saved, { name })}`);
    }
    this.#saved = saved;
  }
}

export default mounting(({ parentElement }) => new HandIn(parentElement));
