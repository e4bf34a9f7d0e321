// Light, dark, or as the system has it. A page cannot set Streamlit's theme, but its hidden menu can be pressed.

import { button, div, redrawn } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { ofBrowser } from "../kit/storage.js";

const THEMES = ["System", "Light", "Dark"]; // as Streamlit calls them
const FRAMES = 60; // for which its menu may take to open

/** @param {string} name */
const item = (name) =>
  /** @type {HTMLElement | null} */ (document.querySelector(`[data-testid="stMainMenuItem-theme-${name}"]`));

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** The one that Streamlit keeps: none where it is as the system has it. */
function chosen() {
  const name = ofBrowser.get(ofBrowser.names.find((key) => key.startsWith("stActiveTheme")));
  return THEMES.includes(name) ? name : "System";
}

/** @param {string} name */
async function choose(name) {
  const opener = /** @type {HTMLElement | null} */ (document.querySelector(".stMainMenu button"));
  if (!item(name)) opener?.click();
  for (let waited = 0; waited < FRAMES && !item(name); waited++) await frame();
  item(name)?.click();
  await frame();
  if (item(name)) opener?.click();
}

class Theme {
  constructor(root) {
    this.root = div("themes");
    this.root.setAttribute("role", "group");
    root.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  update({ data: { words } }) {
    this.root.setAttribute("aria-label", words.theme);
    redrawn(this.root, () =>
      this.root.replaceChildren(
        ...THEMES.map((name) =>
          button({ data: { focus: name }, onclick: () => this.#choose(name) }, words[name]),
        ),
      ),
    );
    this.#mark();
  }

  #mark() {
    const now = chosen();
    for (const one of this.root.querySelectorAll("button"))
      one.setAttribute("aria-pressed", String(one.dataset.focus === now));
  }

  /** @param {string} name */
  async #choose(name) {
    await choose(name);
    this.#mark();
    /** @type {HTMLElement} */ (this.root.querySelector(`[data-focus="${name}"]`))?.focus();
  }
}

export default mounting(({ parentElement }) => new Theme(parentElement));
