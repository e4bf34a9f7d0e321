// A link to hand out, with a button that copies it.

import { copyText } from "../kit/copy.js";
import { button, element, setAttribute, setText, span } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";

class Link {
  /** @type {Record<string, string>} */
  #words = {};

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.field = element("input", { type: "text", readonly: true });
    this.field.addEventListener("focus", () => this.field.select());
    this.button = button({ onclick: () => this.#copy() });
    this.status = span("said");
    this.status.setAttribute("role", "status");
    this.root = element("div", { class: "link" }, this.field, this.button, this.status);
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  /** @param {{ data: { words: Record<string, string>; link: string } }} component */
  update({ data: { words, link } }) {
    this.#words = words;
    if (this.field.value !== link) {
      this.field.value = link;
      setText(this.status, "");
    }
    setAttribute(this.field, "aria-label", words.link);
    setText(this.button, words.copy);
  }

  /** Where it cannot be copied, the link is left selected, to be copied by hand. */
  async #copy() {
    if (await copyText(this.field.value)) setText(this.status, `✓ ${this.#words.copied}`);
    this.field.select();
  }
}

export default mounting(({ parentElement }) => new Link(parentElement));
