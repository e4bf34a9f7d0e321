// The Share button: copies the address, or gives it to be copied by hand.

import { mounting } from "../mha.web/mount.js";

/** The address, once every part of the page that writes to it has done so; `unsaved`: it cannot hold the work. */
async function settled() {
  const asked = new CustomEvent("mha-address-asked", { detail: [] });
  window.dispatchEvent(asked);
  const late = new Promise((resolve) => setTimeout(resolve, 4000, []));
  return await Promise.race([Promise.all(asked.detail), late]);
}

class Share {
  data = null;
  setTriggerValue = null;
  gone = new AbortController();

  constructor(root) {
    this.button = root.querySelector(".share");
    this.status = root.querySelector("[role=status]");
    this.panel = root.querySelector(".panel");
    this.field = root.querySelector("input");
    this.close = root.querySelector(".close");
    this.button.addEventListener("click", () => this.#share());
    this.close.addEventListener("click", () => this.#hide());
    this.panel.addEventListener("keydown", (event) => event.key === "Escape" && this.#hide());
    // It stands in no fragment, and on every page: what it triggers has the whole page run.
    const silence = () => root.isConnected && this.setTriggerValue("silence", true);
    window.addEventListener("mha-silence", silence, { signal: this.gone.signal });
  }

  unmount() {
    this.gone.abort();
  }

  update({ data, setTriggerValue }) {
    Object.assign(this, { data, setTriggerValue });
    const { words } = data;
    this.button.querySelector(".name").textContent = words.share;
    this.button.querySelector(".done").textContent = `✓ ${words.copied}`;
    this.button.setAttribute("aria-label", words.share);
    this.field.setAttribute("aria-label", words.field);
    this.panel.querySelector("p").textContent = words.by_hand;
    this.close.setAttribute("aria-label", words.close);
  }

  async #share() {
    const told = (await settled()).filter((one) => one.unsaved !== undefined);
    const unsaved = told.length ? told.some((one) => one.unsaved) : this.data.unsaved;
    if (unsaved) this.setTriggerValue("unsaved", true);
    else if (await this.#copied(location.href)) this.#say();
  }

  /** The clipboard is for secure pages only: elsewhere the text is copied from a field, or by hand. */
  async #copied(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      this.panel.hidden = false;
      this.field.value = text;
      this.field.focus();
      this.field.select();
      if (!document.execCommand("copy")) return false;
      this.#hide();
      return true;
    }
  }

  #hide() {
    this.panel.hidden = true;
    this.button.focus();
  }

  #say() {
    clearTimeout(this.timer);
    this.button.classList.add("copied");
    this.status.textContent = this.data.words.said;
    this.timer = setTimeout(() => {
      this.button.classList.remove("copied");
      this.status.textContent = "";
    }, 4000);
  }
}

export default mounting(({ parentElement }) => new Share(parentElement));
