// What is pressed and renamed around the tables, and undo by keyboard.

import { active, fieldText } from "../../kit/dom.js";
import { key } from "../../kit/graph.js";
import { cellAt } from "../../kit/selection.js";

/** The fields of text whose own undo the browser has. */
const WRITTEN = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable]";

/** What Escape closes or leaves itself. */
const OPENED = [
  WRITTEN,
  "select",
  "[aria-expanded=true]",
  "[role=dialog], [role=menu], [role=listbox]",
  "[data-baseweb=popover]",
].join();

export class Acts {
  #held = null; // what the text field that has the focus held before it was typed in

  /**
   * @param {import("../explore.js").Bench} bench
   * @param {import("../editing/grid.js").Grid} grid
   * @param {AbortSignal} signal takes the listeners outside the bench away
   */
  constructor(bench, grid, signal) {
    this.bench = bench;
    this.grid = grid;
    const { root } = bench;
    root.addEventListener("click", (event) => this.#pressed(event));
    root.addEventListener("change", (event) => this.#renamed(event));
    root.addEventListener("keydown", (event) => this.#tokenKey(event));
    for (const type of ["focusin", "change"])
      root.addEventListener(type, (event) => (this.#held = fieldText(event)));
    document.addEventListener("keydown", (event) => this.#undone(event), { signal });
    document.addEventListener("keydown", (event) => this.#escaped(event), { signal });
    const outside = (event) => event.composedPath().includes(root) || bench.menu?.close();
    document.addEventListener("pointerdown", outside, { signal });
  }

  #pressed(event) {
    const { bench } = this;
    const button = event.target.closest?.("button[data-do]");
    if (!button) {
      if (!event.composedPath().includes(bench.menu?.root)) bench.menu?.close();
      return;
    }
    const { do: what, which, index, head } = button.dataset;
    const edits = {
      add_token: () => ({ op: "add_token", which }),
      remove_token: () => ({ op: "remove_token", which, index: Number(index) }),
      copy_head: () => ({ op: "add_head", copy: Number(head) }),
      remove_head: () => ({ op: "remove_head", head: Number(head) }),
    };
    if (event.detail > 1 && what.startsWith("remove")) return; // a double click means one
    if (what === "menu") bench.menu.toggle(button);
    else if (what === "show_head") this.#showHead(button);
    else if (what === "heads") this.#chooseHeads();
    else if (what === "fold" || what === "unfold") this.#refold(button);
    else bench.send(edits[what]());
  }

  /** Show a head, or no longer; what was pressed beside a stage is gone then, and the head's table there has the focus. */
  #showHead({ dataset: { head, table: name } }) {
    const { bench } = this;
    bench.shown.toggle(Number(head));
    if (!name) return;
    bench.view.cells.get(key({ name, head: Number(head), row: 0, col: 0 }))?.focus({ preventScroll: true });
  }

  /** Go to the choice of heads. */
  #chooseHeads() {
    const { bench } = this;
    bench.bring(bench.chips.root);
    bench.chips.root.querySelector("button").focus({ preventScroll: true });
  }

  /** Unfold rows or columns of a table, or fold it again; a focus that stood on the button goes to what stands there now. */
  #refold(button) {
    const { root, view, looking } = this.bench;
    const { do: what, matrix: name, head: of, axis, from } = button.dataset;
    const head = of === "" ? null : Number(of);
    const hadFocus = active(root) === button;
    if (what === "fold") view.fold({ name, head });
    else view.unfold({ name, head }, axis);
    const at = what === "fold" ? 0 : Number(from);
    const [row, col] = axis === "col" ? [0, at] : [at, 0];
    if (hadFocus) view.cells.get(key({ name, head, row, col })).focus({ preventScroll: true });
    looking.rest();
  }

  #renamed(event) {
    const input = event.target;
    if (!input.classList?.contains("token")) return;
    const { which, index } = input.dataset;
    this.bench.send({ op: "rename_token", which, index: Number(index), text: input.value });
  }

  #tokenKey(event) {
    const input = event.target;
    if (!input.classList?.contains("token") || event.isComposing) return;
    const { which, index } = input.dataset;
    if (event.key === "Escape")
      input.value = this.bench.model.labels[which === "tokens" ? "n_q" : "n_k"][index];
    if (event.key === "Enter" || event.key === "Escape") input.blur();
  }

  /**
   * Undo and redo by keyboard, wherever on the page the focus is. What is being typed goes first: a number's editor
   * then closes as with Escape; any other text is left to the browser's own undo.
   */
  #undone(event) {
    const letter = event.key?.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(letter)) return;
    const redo = letter === "y" || event.shiftKey;
    const [target] = event.composedPath();
    const ours = this.bench.root.contains(target);
    const written = target.matches?.(WRITTEN);
    if (!ours && (written || target.closest?.("[role=dialog]"))) return;
    if (this.grid.editing) {
      event.preventDefault();
      if (this.grid.changed && redo) return; // what is typed is not thrown away for it
      if (this.grid.cancel()) return;
    } else if (ours && written && target.value !== this.#held) return;
    event.preventDefault();
    this.bench.send({ op: redo ? "redo" : "undo" });
  }

  /** Escape lets go of the number that is held wherever the focus is; in a table a selected range goes first. */
  #escaped(event) {
    const { looking } = this.bench;
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !looking.pinned) return;
    const path = event.composedPath();
    if (cellAt(path[0]) || path.some((node) => node instanceof Element && node.matches(OPENED))) return;
    event.preventDefault();
    looking.unpin();
  }
}
