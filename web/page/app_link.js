// The link that opens the page's numbers in an app with a server, at the same part.

import { element } from "../kit/dom.js";
import { tokenOf } from "./file.js";

const MOST = 30_000; // characters of a token in a link: mha_core/example/share_link.py says the same
const PAGES = { explore: "", walk: "walkthrough" }; // of the app, by the part of this page

export class AppLink {
  #wanted = 0; // counts what was to be shown: a token takes a while
  root = element("a", { target: "_blank", rel: "noreferrer", hidden: true });

  /** @param {string} app its address */
  constructor(app) {
    this.app = app.replace(/\/*$/, "/");
  }

  /** @type {(shown: { file: import("./file.js").ExampleFile; part: keyof typeof PAGES; lang: string; label: string }) => Promise<void>} */
  async show({ file, part, lang, label }) {
    const wanted = ++this.#wanted;
    this.root.textContent = `${label} ↗`;
    const token = await tokenOf(file);
    if (wanted !== this.#wanted) return;
    const query = new URLSearchParams({ s: token, lang });
    this.root.hidden = token.length > MOST;
    this.root.setAttribute("href", `${this.app}${PAGES[part]}?${query}`);
  }
}
