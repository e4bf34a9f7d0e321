// The Share button: copies the address, or gives it to be copied by hand, and shows it as a QR code.

import { element } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { belowRoot } from "../kit/root.js";
import { sender } from "../kit/sender.js";
import { markHere } from "./current_page.js";
import { reachUnfolded } from "./popover_focus.js";

/** The address, once every part of the page that writes to it has done so; `unsaved`: it cannot hold the work. */
async function settled() {
  const asked = new CustomEvent("mha-address-asked", { detail: [] });
  window.dispatchEvent(asked);
  const late = new Promise((resolve) => setTimeout(resolve, 4000, []));
  return await Promise.race([Promise.all(asked.detail), late]);
}

const MOST_BYTES = 2900; // of a link, for a QR code: mha_api/codes.py says the same

class Share {
  data = null;
  setTriggerValue = null;
  gone = new AbortController();
  /** What the link is of, where that is no work: a suffix of the words that say so. */
  of = "";

  constructor(root) {
    this.button = root.querySelector(".share");
    this.status = root.querySelector("[role=status]");
    this.panel = root.querySelector(".panel");
    this.field = root.querySelector("input");
    this.close = root.querySelector(".close");
    this.paper = root.querySelector(".paper");
    this.message = root.querySelector("p");
    this.noCode = root.querySelector(".no-code");
    this.button.addEventListener("click", () => this.#share());
    this.close.addEventListener("click", () => this.#hide());
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.#hide());
    // It stands in no fragment, and on every page: what it triggers has the whole page run.
    const silence = () => root.isConnected && this.setTriggerValue("silence", true);
    const { signal } = this.gone;
    window.addEventListener("mha-silence", silence, { signal });
    window.addEventListener("mha-left", () => root.isConnected && this.#handOn(), { signal });
    const outside = (event) => event.composedPath().includes(root) || this.#hide(false);
    document.addEventListener("pointerdown", outside, { signal });
    reachUnfolded(signal);
  }

  unmount() {
    this.gone.abort();
  }

  update({ data, setTriggerValue }) {
    Object.assign(this, { data, setTriggerValue });
    document.documentElement.lang = data.lang;
    const { words } = data;
    this.button.querySelector(".name").textContent = words.share;
    this.button.querySelector(".done").textContent = `✓ ${words.copied}`;
    this.button.setAttribute("aria-label", words.share);
    this.panel.setAttribute("aria-label", words.share);
    this.noCode.textContent = words.no_code;
    this.close.setAttribute("aria-label", words.close);
    this.#handOn();
    markHere();
  }

  /** What was left behind for the server. */
  #handOn() {
    const left = sender.takeLeft();
    if (left) this.setTriggerValue("left", left);
  }

  async #share() {
    const answers = (await settled()).filter((one) => one.unsaved !== undefined);
    this.of = answers.some(({ ofModels }) => ofModels) ? "_models" : "";
    const unsaved = answers.length ? answers.some((one) => one.unsaved) : this.data.unsaved;
    if (unsaved) this.setTriggerValue("unsaved", true);
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
    this.field.setAttribute("aria-label", words[`field${this.of}`]);
    this.field.hidden = await this.#copied(link);
    this.message.textContent = this.field.hidden ? words[`said${this.of}`] : words.by_hand;
    if (this.field.hidden) this.#say();
  }

  /** The clipboard is for secure pages only: elsewhere the text is copied from a field, or by hand. */
  async #copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      this.field.hidden = false;
      this.field.value = text;
      this.field.focus();
      this.field.select();
      const copied = document.execCommand("copy");
      if (copied) this.button.focus();
      return copied;
    }
  }

  #hide(back = true) {
    this.panel.hidden = true;
    if (back) this.button.focus();
  }

  #say() {
    clearTimeout(this.timer);
    this.button.classList.add("copied");
    this.status.textContent = this.data.words[`said${this.of}`];
    this.timer = setTimeout(() => {
      this.button.classList.remove("copied");
      this.status.textContent = "";
    }, 4000);
  }
}

export default mounting(({ parentElement }) => new Share(parentElement));
