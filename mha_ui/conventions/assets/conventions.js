// The page Conventions: one component, mounted once for each section. Streamlit calls the default export with every
// answer. Every number shown is the server's; here it is only put in its place.

import { element } from "../mha.bench/dom.js";
import { Dead } from "./dead.js";
import { Masks } from "./masks.js";
import { Packed } from "./packed.js";
import { Rows } from "./rows.js";

const PARTS = { rows: Rows, packed: Packed, masks: Masks, dead: Dead };
const parts = new WeakMap();

export default function mount({ parentElement, data }) {
  let part = parts.get(parentElement);
  if (!part) {
    const root = element("div", { class: `bench conventions part-${data.part}`, role: "region" });
    parentElement.append(root);
    parts.set(parentElement, (part = new PARTS[data.part](root)));
  }
  part.root.lang = data.words.lang;
  part.root.setAttribute("aria-label", data.words[`section_${data.part}`]);
  part.update(data);
  return () => {
    if (parentElement.isConnected) return; // Streamlit cleans up after every answer that another has overtaken, too
    part.root.remove();
    parts.delete(parentElement);
  };
}
