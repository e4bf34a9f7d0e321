// The menu of one matrix: copy, download, fill.

import { download, element } from "./dom.js";
import { isClaim, isEditable, rowsOf } from "./graph.js";
import { toCsv, toTsv } from "./numbers.js";

export class Menu {
  #seed = 0;

  constructor(bench, words) {
    this.bench = bench;
    this.words = words;
    this.root = element("div", {
      class: "popup",
      role: "menu",
      hidden: true,
      onkeydown: (event) => this.#key(event),
    });
  }

  toggle(button) {
    if (!this.root.hidden && this.button === button) this.close();
    else this.open(button);
  }

  open(button) {
    const name = button.dataset.matrix;
    const head = button.dataset.head === "" ? null : Number(button.dataset.head);
    const { model } = this.bench;
    const items = [
      [this.words.copy, () => this.#copy(toTsv(rowsOf(model, name, head)))],
      [this.words.csv, () => this.#csv(name, head)],
    ];
    if (isClaim(model, name)) {
      items.push([this.words.claim_text, () => this.#text(name, head)]);
      items.push([this.words.clear, () => this.bench.send({ op: "clear_claims", matrix: name, head })]);
    } else if (isEditable(model, name, head) && name !== "mask")
      for (const kind of ["zeros", "identity", "integers", "random"])
        items.push([
          this.words[`fill_${kind}`],
          () => this.bench.send({ op: "fill", matrix: name, head, with: kind, seed: this.#nextSeed() }),
        ]);
    this.root.replaceChildren(
      ...items.map(([label, act]) =>
        element(
          "button",
          {
            type: "button",
            role: "menuitem",
            onclick: () => {
              this.close();
              act();
            },
          },
          label,
        ),
      ),
    );
    this.button = button;
    this.#place(button);
    this.root.firstChild.focus();
  }

  /** Text to be read as a matrix, where there is no keyboard to paste with, or to look at it first. */
  #text(name, head) {
    const area = element("textarea", {
      rows: 6,
      cols: 34,
      placeholder: "[[1, 2], [3, 4]]",
      "aria-label": this.words.claim_text,
      "data-focus": "claim text",
    });
    const send = () => {
      const text = area.value;
      this.close();
      this.bench.send({ op: "claim_text", matrix: name, head, row: 0, col: 0, text, whole: true });
    };
    const button = element(
      "button",
      { type: "button", class: "send", "data-focus": "claim text send", onclick: send },
      this.words.fill_in,
    );
    this.root.replaceChildren(element("p", { class: "about" }, this.words.claim_formats), area, button);
    this.#place(this.button);
    area.focus();
  }

  #place(button) {
    this.root.hidden = false;
    const host = this.root.offsetParent.getBoundingClientRect();
    const at = button.getBoundingClientRect();
    const left = Math.max(0, Math.min(at.left - host.left, host.width - this.root.offsetWidth));
    this.root.style.left = `${left}px`;
    const below = at.bottom + this.root.offsetHeight + 8 <= window.innerHeight;
    this.root.style.top = `${below ? at.bottom - host.top + 2 : at.top - host.top - this.root.offsetHeight - 2}px`;
  }

  close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.button?.focus();
  }

  #key(event) {
    if (event.target.tagName === "TEXTAREA" && event.key !== "Escape") return;
    const items = [...this.root.children];
    const at = items.indexOf(event.target);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  async #copy(text) {
    await navigator.clipboard.writeText(text);
    this.bench.say(this.words.copied);
  }

  /** Another click gives other numbers, and the same clicks in the same order the same ones. */
  #nextSeed() {
    return ++this.#seed;
  }

  #csv(name, head) {
    const { model } = this.bench;
    const matrix = model.matrices[name];
    const rows = rowsOf(model, name, head);
    const labels = (axis, count) =>
      [...Array(count).keys()].map((i) => model.labels[axis]?.[i] ?? String(i + 1));
    const csv = toCsv(rows, labels(matrix.axes[0], rows.length), labels(matrix.axes[1], rows[0].length));
    download(
      `${name}${head === null ? "" : `_head${head + 1}`}.csv`,
      "text/csv;charset=utf-8",
      "\ufeff" + csv,
    );
  }
}
