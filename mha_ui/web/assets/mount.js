// How a component of ours stands on a page: Streamlit calls its default export with every answer.

/**
 * What Streamlit calls: `make` builds a part for an element, which is then told of every answer until it has left the
 * page.
 * @param {(component: Component) => Part} make
 */
export function mounting(make) {
  /** @type {WeakMap<HTMLElement, Part>} */
  const parts = new WeakMap();
  return (/** @type {Component} */ component) => {
    const { parentElement } = component;
    const part = parts.get(parentElement) ?? make(component);
    parts.set(parentElement, part);
    part.update(component);
    return () => {
      if (parentElement.isConnected) return; // Streamlit cleans up after every answer that another has overtaken, too
      part.unmount();
      parts.delete(parentElement);
    };
  };
}
