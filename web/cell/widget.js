// The widget's view in the notebook: the frame with the page, which gets its example from the model and tells it the edits.
// Only messages of that frame count, which has no origin since it is in a sandbox.

/**
 * What a front end passes to a view (anywidget.dev), as far as it is used here.
 * @typedef {{
 *   get(name: string): any;
 *   set(name: string, value: unknown): void;
 *   save_changes(): void;
 *   on(event: string, listener: () => void): void;
 *   off(event: string, listener: () => void): void;
 * }} WidgetModel
 */

const SHOWN = "change:_shown";
const EDITED = "change:_edited";

/** @param {{ model: WidgetModel; el: HTMLElement }} view */
export function render({ model, el }) {
  el.innerHTML = model.get("_frame");
  const frame = /** @type {HTMLIFrameElement} */ (el.querySelector("iframe"));
  let isTelling = false; // what the frame tells is shown there already
  const show = () => {
    if (isTelling) return;
    const { version, data } = model.get("_shown");
    const edited = model.get("_edited"); // of this example, or of one before
    const edits = edited.version === version ? edited.edits : [];
    frame.contentWindow?.postMessage({ mha: { version, data, edits } }, "*");
  };
  /** @param {MessageEvent} message */
  const listen = ({ source, origin, data }) => {
    if (source !== frame.contentWindow || origin !== "null" || !data?.mha) return;
    if (data.mha.ready) return show();
    isTelling = true;
    model.set("_edited", data.mha);
    isTelling = false;
    model.save_changes();
  };
  window.addEventListener("message", listen);
  for (const change of [SHOWN, EDITED]) model.on(change, show);
  return () => {
    window.removeEventListener("message", listen);
    for (const change of [SHOWN, EDITED]) model.off(change, show);
  };
}
