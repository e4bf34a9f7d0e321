// The parts that tables and stages are laid out with, on every page.

import { div, element, rich } from "./dom.js";

/**
 * A table: the heads of its columns over its rows; `groups`: a line above the heads.
 * @param {Attributes} attributes
 * @param {Child[]} columns
 * @param {Child[]} rows
 * @param {{ caption?: Child; groups?: Child }} [above]
 * @returns {HTMLTableElement}
 */
export const table = (attributes, columns, rows, { caption = null, groups = null } = {}) =>
  element(
    "table",
    attributes,
    caption,
    element("thead", {}, groups, element("tr", {}, ...columns)),
    element("tbody", {}, ...rows),
  );

/**
 * What a table of this matrix looks like, as a class.
 * @param {{ hue: string; scale: string }} matrix
 */
export const lookOf = ({ hue, scale }) => `matrix hue-${hue || "none"} scale-${scale}`;

/**
 * Give a label its head's colour; a label that belongs to no head stays as it is.
 * @type {(node: HTMLElement, head: number | undefined) => HTMLElement}
 */
export function accented(node, head) {
  if (head === undefined) return node;
  node.classList.add("accented");
  node.style.setProperty("--accent", `var(--mha-head-${head})`);
  return node;
}

/**
 * What a stage is called, and what happens there. A remark is shown even where there is no room for hints.
 * @type {(stage: Pick<Stage, "title" | "hint" | "remark">) => HTMLElement}
 */
export const stageTitle = ({ title, hint, remark }) =>
  div(
    "stage-title",
    element("h3", {}, ...rich(title)),
    element("p", remark ? { class: "remark" } : {}, ...rich(hint)),
  );

export const corner = () => element("td", { class: "corner" });
