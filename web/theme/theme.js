// Light, dark, or as the system has it. A page cannot set Streamlit's theme, but its hidden menu can be pressed.

import { button, div, named, redrawn } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { ofBrowser } from "../kit/storage.js";

const THEMES = ["System", "Light", "Dark"]; // as Streamlit calls them
const FRAMES = 60; // for which its menu may take to open

/** @type {(selector: string) => HTMLElement | null} */
const find = (selector) => document.querySelector(selector);

/** The menu's item for a theme, while the menu is open. @param {string} name */
const itemFor = (name) => find(`[data-testid="stMainMenuItem-theme-${name}"]`);

const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));

/** The theme that Streamlit has stored. It stores none for the system's. */
function chosen() {
  const key = ofBrowser.names.find((name) => name.startsWith("stActiveTheme"));
  const stored = key ? ofBrowser.get(key) : null;
  return THEMES.find((name) => name === stored) ?? "System";
}

/** @param {string} name */
async function choose(name) {
  const opener = find(".stMainMenu button");
  if (!itemFor(name)) opener?.click();
  for (let waited = 0; waited < FRAMES && !itemFor(name); waited++) await frame();
  itemFor(name)?.click();
  await frame();
  if (itemFor(name)) opener?.click();
}

/** What the buttons are sent (mha_ui/theme). @typedef {{ words: Record<string, string> }} ThemeData */

class Theme {
  /** @type {Component<ThemeData>["setStateValue"]} */
  #send = () => {};

  /** @param {HTMLElement} parent */
  constructor(parent) {
    this.root = div("themes");
    this.root.setAttribute("role", "group");
    parent.append(this.root);
  }

  unmount() {
    this.root.remove();
  }

  /** @param {Component<ThemeData>} component */
  update({ data: { words }, setStateValue }) {
    this.#send = setStateValue;
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
    const current = chosen();
    for (const node of this.root.querySelectorAll("button"))
      node.setAttribute("aria-pressed", String(node.dataset.focus === current));
  }

  /** @param {string} name */
  async #choose(name) {
    await choose(name);
    this.#send("chosen", name); // figures have their colours from the server
    this.#mark();
    named(this.root, name)?.focus();
  }
}

export default mounting((/** @type {Component<ThemeData>} */ { parentElement }) => new Theme(parentElement));
