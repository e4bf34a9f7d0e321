// Streamlit puts a popover at the end of the document, where Tab does not lead. If it is opened by keyboard, the focus
// moves into it as soon as it has content. ↑ and ↓ move through its buttons.

import { targetOf } from "../kit/dom.js";

const BODY = '[data-testid="stPopoverBody"]';
const OPENER = '[data-testid="stPopoverButton"]';
const OPENING = ["Enter", " "];
const FIELDS = "button, input, textarea";

/** @param {AbortSignal} signal */
export function reachPopovers(signal) {
  /** @type {MutationObserver | null} */
  let waiting = null;
  const enter = () => {
    const fields = document.querySelectorAll(`${BODY} :is(${FIELDS})`);
    const first = [...fields].find((field) => field.checkVisibility());
    if (!(first instanceof HTMLElement)) return;
    first.focus({ preventScroll: true });
    waiting?.disconnect();
  };
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    waiting?.disconnect();
    const opener = targetOf(event)?.closest(OPENER);
    if (opener?.ariaExpanded === "false" && OPENING.includes(event.key)) {
      waiting = new MutationObserver(enter);
      waiting.observe(document.body, { childList: true, subtree: true });
    } else step(event);
  };
  document.addEventListener("keydown", onKey, { signal });
  document.addEventListener("pointerdown", () => waiting?.disconnect(), { signal });
  signal.addEventListener("abort", () => waiting?.disconnect());
}

/** @param {KeyboardEvent} event */
function step(event) {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
  const button = targetOf(event)?.closest("button");
  const body = button?.closest(BODY);
  if (!button || !body) return;
  const all = [...body.querySelectorAll("button")].filter((other) => other.checkVisibility());
  const by = event.key === "ArrowDown" ? 1 : -1;
  event.preventDefault();
  all[(all.indexOf(button) + by + all.length) % all.length].focus();
}
