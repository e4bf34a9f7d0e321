// What Streamlit unfolds below a button stands at the end of the document, where Tab does not lead: who opens it by
// keyboard is brought there once something stands in it, and ↑ and ↓ lead through its buttons.

const BODY = '[data-testid="stPopoverBody"]';
const OPENER = '[data-testid="stPopoverButton"]';
const OPENING = ["Enter", " "];
const FIELDS = "button, input, textarea";

/** @param {AbortSignal} signal */
export function reachUnfolded(signal) {
  /** @type {MutationObserver | null} */
  let waiting = null;
  const enter = () => {
    const first = /** @type {HTMLElement | null} */ (document.querySelector(`${BODY} :is(${FIELDS})`));
    first?.focus({ preventScroll: true });
    if (first) waiting?.disconnect();
  };
  const keyed = (event) => {
    waiting?.disconnect();
    const opener = event.target.closest?.(OPENER);
    if (opener?.ariaExpanded === "false" && OPENING.includes(event.key)) {
      waiting = new MutationObserver(enter);
      waiting.observe(document.body, { childList: true, subtree: true });
    } else step(event);
  };
  document.addEventListener("keydown", keyed, { signal });
  document.addEventListener("pointerdown", () => waiting?.disconnect(), { signal });
  signal.addEventListener("abort", () => waiting?.disconnect());
}

/** @param {KeyboardEvent} event */
function step(event) {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const button = /** @type {HTMLElement} */ (event.target).closest(`${BODY} button`);
  if (!by || !button) return;
  const all = [...button.closest(BODY).querySelectorAll("button")].filter((one) => one.checkVisibility());
  event.preventDefault();
  all[(all.indexOf(/** @type {HTMLButtonElement} */ (button)) + by + all.length) % all.length].focus();
}
