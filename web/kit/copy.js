// Copies a text. Only secure pages have a clipboard; elsewhere the text is copied from a field.

import { element } from "./dom.js";

/** Whether a text could be copied. @param {string} text */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyFromField(text);
  }
}

/** @param {string} text */
function copyFromField(text) {
  const focused = focusedElement();
  const field = element("textarea", { readonly: true, style: "position: fixed; opacity: 0" });
  field.value = text;
  document.body.append(field);
  field.select();
  const isCopied = Boolean(document.execCommand?.("copy"));
  field.remove();
  focused?.focus({ preventScroll: true });
  return isCopied;
}

/** The element that has the focus, in whichever component. */
function focusedElement() {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused instanceof HTMLElement ? focused : null;
}
