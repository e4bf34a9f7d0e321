// Buttons in a row that are one stop of the Tab key: arrows move along them.

/** @param {HTMLElement} root what holds the buttons */
export function roving(root) {
  root.addEventListener("keydown", (event) => {
    const all = [...root.querySelectorAll("button")];
    const at = all.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const [back, on] = [at - 1, at + 1];
    /** @type {Record<string, number>} */
    const targets = {
      ArrowLeft: back,
      ArrowUp: back,
      ArrowRight: on,
      ArrowDown: on,
      Home: 0,
      End: all.length - 1,
    };
    const to = targets[event.key];
    if (!all[to]) return;
    event.preventDefault();
    stopAt(all, to);
    all[to].focus();
  });
}

/**
 * Have the Tab key stop at one of them.
 * @param {HTMLElement[]} all
 * @param {number} at
 */
export function stopAt(all, at) {
  for (const [index, node] of all.entries()) node.tabIndex = index === at ? 0 : -1;
}
