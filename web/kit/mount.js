// How Streamlit puts a component of ours on the page, and what the component may still send when the page is left.
//
// Streamlit sends what a component sets in a task of its own, but a link's request at once. An answer to a component
// that arrives after its page was left empties the new page, and what a component sends after the link's request names
// the page that is being left, which takes the request back. So a link waits until everything that was set before it is
// sent, and nothing that is set after it is sent: the sender keeps that for the next page.
//
// While a component's module is being loaded, Streamlit may call it with a newer answer before it calls it with the
// older one, which it cleans up at once.

/** Where nothing can be hovered, the words named "…_touch" replace those without that ending. */
const TOUCH = /_touch$/;
const IS_TOUCH = "(hover: none), (pointer: coarse)";

const LEAVING = 1000; // ms that the next page may take
let isSetting = false; // something has been set, and Streamlit has not sent it yet
let leftAt = Number.NEGATIVE_INFINITY;

/** Whether another page has been requested and is not here yet. */
export const isLeaving = () => performance.now() - leftAt < LEAVING;

/** @param {unknown} data what the page's Python has sent, with `words` or without */
function useTouchWords(data) {
  if (!data || typeof data !== "object" || !("words" in data) || !matchMedia(IS_TOUCH).matches) return;
  const words = /** @type {Record<string, string> | null} */ (data.words) ?? {};
  for (const [name, text] of Object.entries(words))
    if (TOUCH.test(name)) words[name.replace(TOUCH, "")] = text;
}

/**
 * A component's default export, which Streamlit calls with every answer. `make` builds a part for an element; the part
 * is updated with every answer until it has left the page.
 * @template Data
 * @param {(component: Component<Data>) => Part<Data>} make
 */
export function mounting(make) {
  /** @type {WeakMap<HTMLElement, Part<Data>>} */
  const parts = new WeakMap();
  /** @type {WeakMap<HTMLElement, Component<Data>>} */
  const answers = new WeakMap(); // the newest one of each element
  return (/** @type {Component<Data>} */ component) => {
    const { parentElement, data } = component;
    if (!parentElement.isConnected) return undefined; // another element had replaced it when the module was loaded
    useTouchWords(data);
    const isNew = !parts.has(parentElement);
    if (isNew) leftAt = Number.NEGATIVE_INFINITY; // this page is here: what it sets is sent
    const part = parts.get(parentElement) ?? make(component);
    parts.set(parentElement, part);
    const before = answers.get(parentElement);
    const answer = {
      ...component,
      setStateValue: inOrder(component.setStateValue),
      setTriggerValue: inOrder(component.setTriggerValue),
    };
    answers.set(parentElement, answer);
    part.update(answer);
    if (isNew) window.dispatchEvent(new CustomEvent("mha-arrived"));
    let isJustCalled = true;
    setTimeout(() => (isJustCalled = false));
    return () => {
      if (!parentElement.isConnected) {
        part.unmount();
        parts.delete(parentElement);
      } else if (isJustCalled && before && answers.get(parentElement) === answer) {
        answers.set(parentElement, before); // it has overtaken this one
        part.update(before);
      }
    };
  };
}

/**
 * A component's setter, which sets nothing once the page is being left.
 * @template {unknown[]} T
 * @param {(...values: T) => void} set
 */
function inOrder(set) {
  return (/** @type {T} */ ...values) => {
    if (isLeaving()) return;
    set(...values);
    isSetting = true;
    setTimeout(() => (isSetting = false)); // after Streamlit's own task
  };
}

/**
 * A link to another page is followed, once what was set before it is sent.
 * @param {MouseEvent} event
 */
function follow(event) {
  const { target } = event;
  const link = target instanceof Element && target.closest('[data-testid="stPageLink-NavLink"]');
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (isSetting) {
    event.preventDefault();
    event.stopImmediatePropagation();
    setTimeout(() => link.click());
  } else if (link.pathname !== location.pathname) leftAt = performance.now();
}

document.addEventListener("click", follow, { capture: true });
