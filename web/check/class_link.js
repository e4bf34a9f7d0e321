// A link to hand out: in one line, to be copied by the button beside it.

import { button, element, setAttribute, setText, span } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";

class Link {
  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.field = element("input", { type: "text", readonly: true, onfocus: () => this.field.select() });
    this.button = button({ onclick: () => this.#copy() });
    this.status = span("said");
    this.status.setAttribute("role", "status");
    this.root = element("div", { class: "link" }, this.field, this.button, this.status);
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  update({ data: { words, link } }) {
    this.words = words;
    if (this.field.value !== link) {
      this.field.value = link;
      setText(this.status, "");
    }
    setAttribute(this.field, "aria-label", words.link);
    setText(this.button, words.copy);
  }

  /** The clipboard is for secure pages only: elsewhere the link stands there, selected. */
  async #copy() {
    this.field.select();
    await navigator.clipboard?.writeText(this.field.value).then(
      () => setText(this.status, `✓ ${this.words.copied}`),
      () => {},
    );
  }
}

export default mounting(({ parentElement }) => new Link(parentElement));
