// The menu of one matrix: copy and download; an editor adds to it.

import { copyText } from "./copy.js";
import { button, childrenOf, download, element } from "./dom.js";
import { labelOf, requireRows } from "./graph.js";
import { toCsv, toTsv } from "./numbers.js";

/** @template {Pick<Host, "model" | "words" | "say">} [H=Host] */
export class Menu {
  /** @type {HTMLElement | null} */
  opener = null;

  /** @param {H} host */
  constructor(host) {
    this.host = host;
    this.root = element("div", { class: "popup", role: "menu", hidden: true });
    this.root.addEventListener("keydown", (event) => this.#onKey(event));
  }

  /** @param {HTMLElement} opener */
  toggle(opener) {
    if (!this.root.hidden && this.opener === opener) this.close();
    else this.open(opener);
  }

  /**
   * `opener` names its matrix in its data.
   * @param {HTMLElement} opener
   */
  open(opener) {
    const { matrix = "", head = "" } = opener.dataset;
    const items = this.items(matrix, head === "" ? null : Number(head));
    this.opener = opener;
    this.fill(
      ...items.map(([label, act]) => {
        const onclick = () => {
          this.close();
          act();
        };
        return button({ role: "menuitem", onclick }, label);
      }),
    );
    childrenOf(this.root)[0].focus();
  }

  /**
   * What can be done with a matrix: [label, act].
   * @param {string} name
   * @param {number | null} head
   * @returns {[string, () => void][]}
   */
  items(name, head) {
    const { model, words } = this.host;
    return [
      [words.copy, () => this.#copy(toTsv(requireRows(model, name, head)))],
      [words.csv, () => this.#csv(name, head)],
    ];
  }

  /**
   * Show these nodes at the button that opened the menu.
   * @param {...Node} nodes
   */
  fill(...nodes) {
    this.root.replaceChildren(...nodes);
    this.root.hidden = false;
    const { offsetParent } = this.root;
    if (!offsetParent || !this.opener) return;
    const host = offsetParent.getBoundingClientRect();
    const at = this.opener.getBoundingClientRect();
    const left = Math.max(0, Math.min(at.left - host.left, host.width - this.root.offsetWidth));
    this.root.style.left = `${left}px`;
    const below = at.bottom + this.root.offsetHeight + 8 <= window.innerHeight;
    this.root.style.top = `${below ? at.bottom - host.top + 2 : at.top - host.top - this.root.offsetHeight - 2}px`;
  }

  close() {
    if (this.root.hidden) return;
    this.root.hidden = true;
    this.opener?.focus();
  }

  /** @param {KeyboardEvent} event */
  #onKey(event) {
    if (event.target instanceof HTMLTextAreaElement && event.key !== "Escape") return;
    const items = childrenOf(this.root);
    const at = items.indexOf(/** @type {HTMLElement} */ (event.target));
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** @param {string} text */
  async #copy(text) {
    const { words } = this.host;
    this.host.say((await copyText(text)) ? words.copied : words.not_copied);
  }

  /**
   * @param {string} name
   * @param {number | null} head
   */
  #csv(name, head) {
    const { model } = this.host;
    const [down, across] = model.matrices[name].axes;
    const rows = requireRows(model, name, head);
    /** @type {(axis: string, line: unknown[]) => string[]} */
    const labels = (axis, line) => line.map((_, index) => labelOf(model, axis, index));
    const csv = toCsv(rows, labels(down, rows), labels(across, rows[0]));
    const file = `${name}${head === null ? "" : `_head${head + 1}`}.csv`;
    download(file, "text/csv;charset=utf-8", `\ufeff${csv}`);
  }
}
