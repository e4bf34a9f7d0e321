// The order of what a page still says and of the link that leads away from it. Streamlit sends what a component sets in
// a task of its own and a link's request at once; and what comes for a fragment after its page was left empties the new
// page. So a link waits for what was set before it, and what is set behind it is not sent: the senders keep it.

const WAY = 1000; // ms that another page may be on its way
let setting = false;
let left = Number.NEGATIVE_INFINITY;

/**
 * A component's setter, in that order.
 * @template {unknown[]} T
 * @param {(...values: T) => void} set
 */
export function inOrder(set) {
  return (/** @type {T} */ ...values) => {
    if (performance.now() - left < WAY) return;
    set(...values);
    setting = true;
    setTimeout(() => (setting = false)); // behind Streamlit's own
  };
}

/** The page is there: what it says is heard. */
export function arrived() {
  left = Number.NEGATIVE_INFINITY;
}

function follow(/** @type {MouseEvent} */ event) {
  const { target } = event;
  const link = target instanceof Element && target.closest('[data-testid="stPageLink-NavLink"]');
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (setting) {
    event.preventDefault();
    event.stopImmediatePropagation();
    setTimeout(() => link.click());
  } else if (link.pathname !== location.pathname) left = performance.now();
}

document.addEventListener("click", follow, { capture: true });
