// How a component of ours stands on a page: Streamlit calls its default export with every answer.

import { arrived, inOrder } from "./leaving.js";

/** Where fingers point, what a sentence named "…_touch" says takes the place of the other: nothing is hovered there. */
const TOUCH = /_touch$/;

const FINGERS = "(hover: none), (pointer: coarse)";

/** @param {unknown} data what the page's Python has sent, with `words` or without */
function wordedForTouch(data) {
  if (!data || typeof data !== "object" || !("words" in data) || !matchMedia(FINGERS).matches) return;
  const words = /** @type {Record<string, string> | null} */ (data.words) ?? {};
  for (const [name, text] of Object.entries(words))
    if (TOUCH.test(name)) words[name.replace(TOUCH, "")] = text;
}

/**
 * What Streamlit calls: `make` builds a part for an element, which is then told of every answer until it has left the
 * page.
 * @template Data
 * @param {(component: Component<Data>) => Part<Data>} make
 */
export function mounting(make) {
  /** @type {WeakMap<HTMLElement, Part<Data>>} */
  const parts = new WeakMap();
  return (/** @type {Component<Data>} */ component) => {
    const { parentElement, data } = component;
    if (!parentElement.isConnected) return undefined; // its module came when another had taken its place already
    wordedForTouch(data);
    let part = parts.get(parentElement);
    if (!part) {
      arrived();
      part = make(component);
      parts.set(parentElement, part);
    }
    part.update({ ...component, setStateValue: inOrder(component.setStateValue) });
    return () => {
      if (parentElement.isConnected) return; // Streamlit cleans up after every answer that another has overtaken, too
      part?.unmount();
      parts.delete(parentElement);
    };
  };
}
