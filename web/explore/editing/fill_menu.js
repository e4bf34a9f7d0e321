// The menu of a matrix on this page: besides copying, what fills it.

import { button, element, p } from "../../kit/dom.js";
import { isClaim, isEditable } from "../../kit/graph.js";
import { Menu } from "../../kit/menu.js";

/** @type {Fill["with"][]} */
const FILLS = ["zeros", "identity", "integers", "random"];

/** @extends {Menu<Pick<EditingHost, "model" | "words" | "say" | "send">>} */
export class FillMenu extends Menu {
  #seed = 0; // each click gives other random numbers, and the same clicks in the same order the same ones

  /**
   * @param {string} name
   * @param {number | null} head
   * @returns {[string, () => void][]}
   */
  items(name, head) {
    const { model, words } = this.host;
    const send = (/** @type {Edit} */ edit) => this.host.send(edit);
    const items = super.items(name, head);
    if (isClaim(model, name)) {
      items.push([words.claim_text, () => this.#askForText(name, head)]);
      items.push([words.clear, () => send({ op: "clear_claims", matrix: name, head })]);
    } else if (isEditable(model, name, head) && name !== "mask" && name !== "head_mask")
      for (const kind of FILLS)
        items.push([
          words[`fill_${kind}`],
          () => send({ op: "fill", matrix: name, head, with: kind, seed: ++this.#seed }),
        ]);
    return items;
  }

  /**
   * Show a field for a text that is read as a matrix, for those who cannot paste by keyboard or want to see it first.
   * @param {string} name
   * @param {number | null} head
   */
  #askForText(name, head) {
    const { words } = this.host;
    const area = element("textarea", {
      rows: 6,
      cols: 34,
      placeholder: "[[1, 2], [3, 4]]",
      "aria-label": words.claim_text,
      data: { focus: "claim text" },
    });
    const onclick = () => {
      const text = area.value;
      this.close();
      this.host.send({ op: "claim_text", matrix: name, head, row: 0, col: 0, text, whole: true });
    };
    const data = { focus: "claim text send" };
    this.fill(p("about", words.claim_formats), area, button({ class: "send", data, onclick }, words.fill_in));
    area.focus();
  }
}
