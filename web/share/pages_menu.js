// The menu of pages of narrow screens, a <details> (mha_ui/shell.py). The browser opens it. It is closed by Escape and by
// a press anywhere, which may be on a link in it.

import { targetOf } from "../kit/dom.js";

/** @param {AbortSignal} signal */
export function closePagesMenu(signal) {
  const menu = () => {
    const node = document.querySelector(".mha-pages[open]");
    return node instanceof HTMLDetailsElement ? node : null;
  };
  /** @param {Event} event */
  const onClick = (event) => {
    const open = menu();
    if (open && !open.contains(targetOf(event))) open.open = false;
  };
  /** @param {KeyboardEvent} event */
  const onKey = ({ key }) => {
    const open = key === "Escape" ? menu() : null;
    if (!open) return;
    open.open = false;
    open.querySelector("summary")?.focus();
  };
  document.addEventListener("click", onClick, { signal });
  document.addEventListener("keydown", onKey, { signal });
}
