// The message above the line of arithmetic: what went wrong or what there is to know, and what it offers to do.

import { button, element, naming, symbol } from "../kit/dom.js";
import { sender } from "../kit/sender.js";

export class MessageLine {
  dismiss = "";
  #at = -1; // the last edit before something was said here

  /** @param {(edit: Edit) => void} accept does what a message offers */
  constructor(accept) {
    this.accept = accept;
    this.root = element("div", { class: "message", role: "alert", hidden: true });
  }

  /** Nothing that was said is about what comes now. */
  forget() {
    this.#at = -1;
  }

  /**
   * `place`: the name of a place in the text, or several. It stays until an edit that is still to come is answered.
   * @param {string} text
   * @param {string} kind
   * @param {string | string[]} place
   */
  say(text, kind, place) {
    this.#at = sender.last;
    this.#show({ text, kind, place });
  }

  /** The page's own message, unless something has been said since the edit that it answers. */
  update({ message, ack }, words) {
    this.dismiss = words.dismiss;
    if (message || ack > this.#at) this.#show(message);
  }

  clear() {
    this.root.hidden = true;
  }

  #show(message) {
    this.root.hidden = !message;
    if (!message) return;
    this.root.className = `message ${message.kind}`;
    const { text, place, offer } = message;
    const accept = () => this.accept(offer.edit);
    this.root.replaceChildren(
      element("span", {}, ...naming(text, [place].flat())),
      offer ? button({ data: { focus: "offer" }, onclick: accept }, ...symbol(offer.label).childNodes) : "",
      button({ class: "quiet", "aria-label": this.dismiss, onclick: () => this.clear() }, "×"),
    );
  }
}
