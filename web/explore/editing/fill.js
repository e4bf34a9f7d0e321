// The menu of a matrix on the bench: besides copying, what fills it.

import { button, element, p } from "../../kit/dom.js";
import { isClaim, isEditable } from "../../kit/graph.js";
import { Menu } from "../../kit/menu.js";

/** @extends {Menu<Editor>} */
export class FillMenu extends Menu {
  #seed = 0; // another click gives other numbers, and the same clicks in the same order the same ones

  items(name, head) {
    const { model, words } = this.host;
    const send = (edit) => this.host.send({ matrix: name, head, ...edit });
    const items = super.items(name, head);
    if (isClaim(model, name)) {
      items.push([words.claim_text, () => this.#text(send)]);
      items.push([words.clear, () => send({ op: "clear_claims" })]);
    } else if (isEditable(model, name, head) && name !== "mask")
      for (const kind of ["zeros", "identity", "integers", "random"])
        items.push([words[`fill_${kind}`], () => send({ op: "fill", with: kind, seed: ++this.#seed })]);
    return items;
  }

  /** Text to be read as a matrix, where there is no keyboard to paste with, or to look at it first. */
  #text(send) {
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
      send({ op: "claim_text", row: 0, col: 0, text, whole: true });
    };
    const data = { focus: "claim text send" };
    this.fill(p("about", words.claim_formats), area, button({ class: "send", data, onclick }, words.fill_in));
    area.focus();
  }
}
