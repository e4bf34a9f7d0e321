// What is pressed and renamed around the tables, and undo by keyboard.

import { active, fieldText, targetOf } from "../../kit/dom.js";
import { key } from "../../kit/graph.js";
import { cellAt } from "../../kit/selection.js";

/** The text fields that have an undo of the browser's own. */
const TEXT_FIELD = "input:not([type=checkbox], [type=radio]), textarea, [contenteditable]";

/** What handles Escape itself, by closing or by being left. */
const HANDLES_ESCAPE = [
  TEXT_FIELD,
  "select",
  "[aria-expanded=true]",
  "[role=dialog], [role=menu], [role=listbox]",
  "[data-baseweb=popover]",
].join();

/**
 * `toggleHead`: show a head's tables or hide them; `chooseHeads`: go to the chips that do; `explainSoon`: the tables
 * have changed, explain again.
 * @typedef {{
 *   readonly root: HTMLElement;
 *   readonly model: ExploreModel;
 *   readonly view: import("../../kit/tables.js").View;
 *   readonly menu: import("../editing/fill_menu.js").FillMenu;
 *   readonly pinned: Cell | null;
 *   send: (edit: Edit) => void;
 *   toggleHead: (head: number) => void;
 *   chooseHeads: () => void;
 *   explainSoon: () => void;
 *   unpin: () => void;
 * }} ActionsHost
 */

/** @type {(event: Event) => HTMLInputElement | null} the field of a token's name that an event is about */
function tokenField(event) {
  const target = targetOf(event);
  return target instanceof HTMLInputElement && target.classList.contains("token") ? target : null;
}

export class Actions {
  #textBefore = ""; // of the text field with the focus, before it was typed in

  /**
   * @param {ActionsHost} host
   * @param {import("../editing/table_editor.js").Grid} grid
   * @param {AbortSignal} signal removes the listeners outside the component
   */
  constructor(host, grid, signal) {
    this.host = host;
    this.grid = grid;
    const { root } = host;
    root.addEventListener("click", (event) => this.#onClick(event));
    root.addEventListener("change", (event) => this.#rename(event));
    root.addEventListener("keydown", (event) => this.#onTokenKey(event));
    for (const type of ["focusin", "change"])
      root.addEventListener(type, (event) => {
        this.#textBefore = fieldText(event);
      });
    document.addEventListener("keydown", (event) => this.#onUndoKey(event), { signal });
    document.addEventListener("keydown", (event) => this.#onEscape(event), { signal });
    document.addEventListener(
      "pointerdown",
      (event) => {
        if (!event.composedPath().includes(root)) host.menu.close();
      },
      { signal },
    );
  }

  /** @param {MouseEvent} event */
  #onClick(event) {
    const { host } = this;
    const button = targetOf(event)?.closest("button[data-do]");
    if (!(button instanceof HTMLElement)) {
      if (!event.composedPath().includes(host.menu.root)) host.menu.close();
      return;
    }
    const { do: action = "" } = button.dataset;
    if (event.detail > 1 && action.startsWith("remove")) return; // a double click removes one, not two
    if (action === "menu") host.menu.toggle(button);
    else if (action === "show_head") this.#showHead(button);
    else if (action === "heads") host.chooseHeads();
    else if (action === "all_decimals") host.send({ op: "decimals", value: host.model.decimals });
    else if (action === "fold" || action === "unfold") this.#refold(button);
    else this.#edit(button);
  }

  /** @param {HTMLElement} button that adds or removes a token or a head */
  #edit({ dataset }) {
    const which = dataset.which === "tokens" ? "tokens" : "context_tokens";
    const [index, head] = [Number(dataset.index), Number(dataset.head)];
    if (dataset.do === "add_token") this.host.send({ op: "add_token", which });
    else if (dataset.do === "remove_token") this.host.send({ op: "remove_token", which, index });
    else if (dataset.do === "copy_head") this.host.send({ op: "add_head", copy: head });
    else if (dataset.do === "remove_head") this.host.send({ op: "remove_head", head });
  }

  /** @param {HTMLElement} button It may disappear; then the head's table in its stage gets the focus. */
  #showHead({ dataset: { head, table: name } }) {
    this.host.toggleHead(Number(head));
    if (!name) return;
    const first = key({ name, head: Number(head), row: 0, col: 0 });
    this.host.view.cells.get(first)?.focus({ preventScroll: true });
  }

  /**
   * Unfold rows or columns of a table, or fold them again. If the button had the focus, the first cell that it stood
   * for gets it.
   * @param {HTMLElement} button
   */
  #refold(button) {
    const { root, view } = this.host;
    const { do: action, matrix: name = "", axis, from } = button.dataset;
    const head = button.dataset.head ? Number(button.dataset.head) : null;
    const hadFocus = active(root) === button;
    if (action === "fold") view.fold({ name, head });
    else view.unfold({ name, head }, axis === "row" ? "row" : "col");
    const at = action === "fold" ? 0 : Number(from);
    const [row, col] = axis === "col" ? [0, at] : [at, 0];
    if (hadFocus) view.cells.get(key({ name, head, row, col }))?.focus({ preventScroll: true });
    this.host.explainSoon();
  }

  /** @param {Event} event */
  #rename(event) {
    const field = tokenField(event);
    if (!field) return;
    const { which, index } = field.dataset;
    this.host.send({
      op: "rename_token",
      which: which === "tokens" ? "tokens" : "context_tokens",
      index: Number(index),
      text: field.value,
    });
  }

  /** @param {KeyboardEvent} event */
  #onTokenKey(event) {
    const field = tokenField(event);
    if (!field || event.isComposing) return;
    const { which, index } = field.dataset;
    if (event.key === "Escape")
      field.value = this.host.model.labels[which === "tokens" ? "n_q" : "n_k"][Number(index)];
    if (event.key === "Enter" || event.key === "Escape") field.blur();
  }

  /**
   * Undo and redo by keyboard, wherever the focus is. What is being typed goes first: the editor of a number then
   * closes as with Escape; any other text is left to the browser's undo.
   * @param {KeyboardEvent} event
   */
  #onUndoKey(event) {
    const letter = event.key?.toLowerCase(); // a browser that fills in a field sends an event without a key
    if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(letter)) return;
    const isRedo = letter === "y" || event.shiftKey;
    const [target] = event.composedPath();
    if (target instanceof Element && this.#isForOthers(target)) return;
    if (this.grid.editing) {
      event.preventDefault();
      if (this.grid.changed && isRedo) return; // redo does not discard what is typed
      if (this.grid.cancel()) return;
    } else if (target instanceof Element && this.#isBeingTyped(target)) return;
    event.preventDefault();
    this.host.send({ op: isRedo ? "redo" : "undo" });
  }

  /** @param {Element} target a text field or a dialog outside the component */
  #isForOthers(target) {
    if (this.host.root.contains(target)) return false;
    return target.matches(TEXT_FIELD) || target.closest("[role=dialog]") !== null;
  }

  /** @param {Element} target a text field of ours that has been typed in */
  #isBeingTyped(target) {
    return (
      this.host.root.contains(target) &&
      target.matches(TEXT_FIELD) &&
      /** @type {HTMLInputElement} */ (target).value !== this.#textBefore
    );
  }

  /**
   * Escape unpins the number, wherever the focus is. In a table, a selected range goes first.
   * @param {KeyboardEvent} event
   */
  #onEscape(event) {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing || !this.host.pinned) return;
    const path = event.composedPath();
    const isHandled = path.some((node) => node instanceof Element && node.matches(HANDLES_ESCAPE));
    if (cellAt(path[0]) || isHandled) return;
    event.preventDefault();
    this.host.unpin();
  }
}
