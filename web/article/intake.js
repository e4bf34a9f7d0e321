// Where a text comes from: it is pasted, or a file is dropped or chosen.

import { button, div, element, fill, p, setText } from "../kit/dom.js";

/** @typedef {{ name: string; text: string } | { name: string; bytes: string }} Sent a file's bytes in base64 */

export class Intake {
  /**
   * @param {ArticleData} data
   * @param {string} draft a text that is not read yet
   * @param {(text: Sent) => void} send
   */
  constructor({ words, most, formats }, draft, send) {
    this.words = words;
    this.most = most;
    this.send = send;
    this.field = element("textarea", {
      "aria-label": words.paste,
      placeholder: words.paste,
      rows: 8,
      spellcheck: "false",
    });
    this.field.value = draft;
    this.file = element("input", {
      type: "file",
      accept: formats.map((one) => `.${one}`).join(","),
      hidden: true,
    });
    this.file.addEventListener("change", () => this.#chosen());
    this.status = element("p", { class: "status", role: "status" });
    const onread = () => this.field.value.trim() && this.#open({ name: "", text: this.field.value });
    const onsample = () => {
      this.field.value = words.sample_text;
      onread();
    };
    this.root = element(
      "section",
      { class: "intake" },
      p("lead", words.lead),
      this.field,
      div(
        "row",
        button({ class: "primary", onclick: onread }, words.read),
        button({ onclick: () => this.file.click() }, words.choose),
        button({ onclick: onsample }, words.sample),
        this.file,
        this.status,
      ),
      p("note", fill(words.formats, { formats: formats.map((one) => `.${one}`).join(" "), most })),
    );
  }

  get draft() {
    return this.field.value;
  }

  /** @param {boolean} isRead whether a text is open */
  update(isRead) {
    this.root.hidden = isRead;
    setText(this.status, "");
  }

  #chosen() {
    const file = this.file.files?.[0];
    if (file) this.openFile(file);
    this.file.value = ""; // the same file can be chosen again
  }

  /** @param {File} file */
  async openFile(file) {
    const { name } = file;
    if (file.size > this.most * 1_000_000) {
      setText(this.status, fill(this.words.too_large, { name, most: this.most }));
      return;
    }
    try {
      this.#open({ name, bytes: base64(new Uint8Array(await file.arrayBuffer())) });
    } catch {
      setText(this.status, fill(this.words.unreadable, { name }));
    }
  }

  /** @param {Sent} text */
  #open(text) {
    setText(this.status, this.words.reading);
    this.send(text);
  }
}

/** @param {Uint8Array} bytes */
function base64(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 8192)
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 8192)));
  return btoa(parts.join(""));
}

/**
 * A file that is dropped anywhere in this element is opened.
 * @param {HTMLElement} place
 * @param {(file: File) => void} open
 */
export function receiveDrops(place, open) {
  place.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    place.classList.add("receiving");
  });
  place.addEventListener("dragleave", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && place.contains(relatedTarget)))
      place.classList.remove("receiving");
  });
  place.addEventListener("drop", (event) => {
    place.classList.remove("receiving");
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    open(file);
  });
}
