// The Share button: copies the address, or gives it to be copied by hand, and shows it as a QR code.

import { copyText } from "../kit/copy.js";
import { element, requireElement, targetOf } from "../kit/dom.js";
import { isLeaving, mounting } from "../kit/mount.js";
import { belowRoot } from "../kit/root.js";
import { sender } from "../kit/sender.js";
import { isTeaching, onTeachingChange, setTeaching, showTeaching } from "../kit/teaching.js";
import { markCurrentPage } from "./current_page.js";
import { closePagesMenu } from "./pages_menu.js";
import { reachPopovers } from "./popover_focus.js";

const PATIENCE = 4000; // ms to wait for the parts of the page
const COPIED = 4000; // ms for which the button says that the link was copied
const MENU = ".st-key-frame-menu button";
const MOST_BYTES = 2900; // of a link, for a QR code: mha_api/qr_code.py says the same

/**
 * What the button is sent (mha_ui/share). `teaches`: whether the page has something for a lecturer.
 * @typedef {{ words: Record<string, string>; teaches: boolean; puzzle: boolean; lang: string; unsaved: boolean; session: string; ack: number }} ShareData
 */

/**
 * What a part of the page says of the address. `unsaved`: whether it is too short for the work, `ofModels`: whether it
 * leads to models.
 * @typedef {{ unsaved?: boolean; ofModels?: boolean }} AddressAnswer
 */

/** What the parts of the page say once all have written to the address. @returns {Promise<AddressAnswer[]>} */
async function settled() {
  /** @type {Promise<AddressAnswer>[]} */
  const answers = [];
  window.dispatchEvent(new CustomEvent("mha-address-asked", { detail: answers }));
  /** @type {Promise<AddressAnswer[]>} */
  const late = new Promise((resolve) => setTimeout(resolve, PATIENCE, []));
  return await Promise.race([Promise.all(answers), late]);
}

/** Whether it is the menu's own Share, which narrow screens have instead. @param {Event} event */
const isInMenu = (event) => !!targetOf(event)?.closest(".st-key-frame-menu-share button");

class Share {
  #stopped = new AbortController();
  #timer = 0;
  /** The ending of the words for this link: "_models" where it holds no work. */
  #kind = "";

  /** @param {Component<ShareData>} component */
  constructor({ parentElement: root, data, setTriggerValue }) {
    this.data = data;
    this.setTriggerValue = setTriggerValue;
    this.teach = requireElement(root, ".teach");
    this.button = requireElement(root, ".share");
    this.name = requireElement(root, ".share .name");
    this.done = requireElement(root, ".share .done");
    this.status = requireElement(root, "[role=status]");
    this.panel = requireElement(root, ".panel");
    this.field = requireElement(root, "input", HTMLInputElement);
    this.close = requireElement(root, ".close");
    this.paper = requireElement(root, ".paper");
    this.message = requireElement(root, "p");
    this.noCode = requireElement(root, ".no-code");
    this.button.addEventListener("click", () => this.#share());
    document.addEventListener("click", (event) => isInMenu(event) && this.#share(), {
      signal: this.#stopped.signal,
    });
    this.close.addEventListener("click", () => this.#hide());
    this.teach.addEventListener("click", () => setTeaching(!isTeaching()));
    onTeachingChange(() => this.#markTeaching(), this.#stopped.signal);
    this.#listen(root);
    reachPopovers(this.#stopped.signal);
    closePagesMenu(this.#stopped.signal);
  }

  /** @param {HTMLElement} root */
  #listen(root) {
    const { signal } = this.#stopped;
    // This button is in no fragment, and on every page: what it triggers makes Streamlit run the whole page.
    const silence = () => root.isConnected && this.setTriggerValue("silence", true);
    window.addEventListener("mha-silence", silence, { signal });
    for (const kind of ["mha-left", "mha-arrived"])
      window.addEventListener(kind, () => root.isConnected && this.#sendLeft(), { signal });
    /** @param {Event} event */
    const outside = (event) => event.composedPath().includes(root) || this.#hide(false);
    document.addEventListener("pointerdown", outside, { signal });
    // The focus may be on a part of the page that a run has just drawn again, or on the button.
    const closing = (/** @type {KeyboardEvent} */ { key }) =>
      key === "Escape" && !this.panel.hidden && this.#hide();
    document.addEventListener("keydown", closing, { signal });
  }

  unmount() {
    this.#stopped.abort();
  }

  /** @param {Component<ShareData>} component */
  update({ data, setTriggerValue }) {
    Object.assign(this, { data, setTriggerValue });
    document.documentElement.lang = data.lang;
    const { words } = data;
    this.teach.textContent = words.teach;
    this.teach.title = words.teach_title ?? "";
    this.teach.hidden = !data.teaches; // it is the first of its group: nothing beside it moves
    this.#markTeaching();
    this.name.textContent = words.share;
    this.done.textContent = `✓ ${words.copied}`;
    this.button.setAttribute("aria-label", words.share);
    this.panel.setAttribute("aria-label", words.share);
    this.noCode.textContent = words.no_code;
    this.close.setAttribute("aria-label", words.close);
    sender.confirm(data);
    this.#sendLeft();
    markCurrentPage(data.puzzle);
  }

  #markTeaching() {
    showTeaching();
    this.teach.setAttribute("aria-pressed", String(isTeaching()));
  }

  /** Send edits that a page was left with, once the next one is here. */
  #sendLeft() {
    if (isLeaving()) return;
    const left = sender.takeLeft();
    if (left) this.setTriggerValue("left", left);
  }

  async #share() {
    const answers = (await settled()).filter(({ unsaved }) => unsaved !== undefined);
    this.#kind = answers.some(({ ofModels }) => ofModels) ? "_models" : "";
    const isUnsaved = answers.length ? answers.some(({ unsaved }) => unsaved) : this.data.unsaved;
    if (isUnsaved) this.setTriggerValue("unsaved", true);
    else await this.#give(location.href);
  }

  /** @param {string} link */
  async #give(link) {
    const { words } = this.data;
    const fits = link.length <= MOST_BYTES; // an address is ASCII
    const src = belowRoot(`api/qr?${new URLSearchParams({ link })}`).href;
    this.paper.replaceChildren(...(fits ? [element("img", { class: "code", alt: words.code, src })] : []));
    this.noCode.hidden = fits;
    this.panel.hidden = false;
    this.field.setAttribute("aria-label", words[`field${this.#kind}`]);
    const isCopied = await copyText(link);
    this.message.textContent = isCopied ? words[`said${this.#kind}`] : words.by_hand;
    this.field.hidden = isCopied;
    if (isCopied) this.#say();
    else this.#offer(link);
  }

  /** Show a text that could not be copied, to be copied by hand. @param {string} text */
  #offer(text) {
    this.field.hidden = false;
    this.field.value = text;
    this.field.focus();
    this.field.select();
  }

  #hide(back = true) {
    this.panel.hidden = true;
    const opener = this.button.checkVisibility() ? this.button : document.querySelector(MENU);
    if (back && opener instanceof HTMLElement) opener.focus();
  }

  #say() {
    clearTimeout(this.#timer);
    this.button.classList.add("copied");
    this.status.textContent = this.data.words[`said${this.#kind}`];
    this.#timer = setTimeout(() => {
      this.button.classList.remove("copied");
      this.status.textContent = "";
    }, COPIED);
  }
}

export default mounting((/** @type {Component<ShareData>} */ component) => new Share(component));
