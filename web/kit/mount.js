// How a component of ours stands on a page: Streamlit calls its default export with every answer.

import { arrived, inOrder } from "./leaving.js";

/** Where fingers point, what a sentence named "…_touch" says takes the place of the other: nothing is hovered there. */
const TOUCH = /_touch$/;

const FINGERS = "(hover: none), (pointer: coarse)";

/** @param {Record<string, any>} data */
function wordedForTouch(data) {
  if (!data?.words || !matchMedia(FINGERS).matches) return;
  for (const [name, text] of Object.entries(data.words))
    if (TOUCH.test(name)) data.words[name.replace(TOUCH, "")] = text;
}

/**
 * What Streamlit calls: `make` builds a part for an element, which is then told of every answer until it has left the
 * page.
 * @param {(component: Component) => Part} make
 */
export function mounting(make) {
  /** @type {WeakMap<HTMLElement, Part>} */
  const parts = new WeakMap();
  return (/** @type {Component} */ component) => {
    const { parentElement, data } = component;
    if (!parentElement.isConnected) return undefined; // its module came when another had taken its place already
    wordedForTouch(data);
    if (!parts.has(parentElement)) {
      arrived();
      parts.set(parentElement, make(component));
    }
    const part = parts.get(parentElement);
    part.update({ ...component, setStateValue: inOrder(component.setStateValue) });
    return () => {
      if (parentElement.isConnected) return; // Streamlit cleans up after every answer that another has overtaken, too
      part.unmount();
      parts.delete(parentElement);
    };
  };
}
