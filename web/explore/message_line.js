// The message above the line of arithmetic: what went wrong or what there is to know, and what can be done about it.

import { button, element, naming, symbol } from "../kit/dom.js";
import { sender } from "../kit/sender.js";

export class MessageLine {
  #dismissLabel = "";
  #since = -1; // the last edit before the page itself said something here

  /** @param {(edit: Edit) => void} accept does what a message offers */
  constructor(accept) {
    this.accept = accept;
    this.root = element("div", { class: "message", role: "alert", hidden: true });
  }

  /** The server's next message may replace what is shown. */
  forget() {
    this.#since = -1;
  }

  /**
   * Show a message. It stays until the server answers a later edit. `place`: names of places in the text.
   * @param {string} text
   * @param {string} kind
   * @param {string | string[]} place
   */
  say(text, kind, place) {
    this.#since = sender.last;
    this.#show({ text, kind, place });
  }

  /**
   * Show the server's message, unless the page has said something since the edit that the server answers.
   * @param {Pick<ExploreModel, "message" | "ack">} answer
   * @param {Record<string, string>} words
   */
  update({ message, ack }, words) {
    this.#dismissLabel = words.dismiss;
    if (message || ack > this.#since) this.#show(message);
  }

  clear() {
    this.root.hidden = true;
  }

  /** @param {{ text: string; kind: string; place?: string | string[]; offer?: OfferData | null } | null} message */
  #show(message) {
    this.root.hidden = !message;
    if (!message) return;
    this.root.className = `message ${message.kind}`;
    const { text, place = [], offer } = message;
    this.root.replaceChildren(
      element("span", {}, ...naming(text, [place].flat())),
      offer ? this.#offer(offer) : "",
      button({ class: "quiet", "aria-label": this.#dismissLabel, onclick: () => this.clear() }, "×"),
    );
  }

  /** @param {OfferData} offer */
  #offer({ label, edit }) {
    return button(
      { data: { focus: "offer" }, onclick: () => this.accept(edit) },
      ...symbol(label).childNodes,
    );
  }
}
