// The parts that tables and stages are laid out with, on every page.

import { button, div, element, rich, titled } from "./dom.js";

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
 * What a stage is called, what happens there, and a button for the glossary's entries. A remark is shown even where
 * there is no room for hints.
 * @type {(stage: Stage, words: Record<string, string>) => HTMLElement}
 */
export const stageTitle = ({ title, hint, remark, terms }, words) =>
  div(
    "stage-title",
    ...(terms.length ? titleWithTerms(title, terms, words) : [element("h3", {}, ...rich(title))]),
    element("p", remark ? { class: "remark" } : {}, ...rich(hint)),
  );

/**
 * A title that opens its terms' entries in the glossary, above the page.
 * @type {(title: string, terms: string[], words: Record<string, string>) => HTMLElement[]}
 */
function titleWithTerms(title, terms, words) {
  const id = `terms-${terms.join("-")}`;
  const opener = button({ class: "terms-opener", popovertarget: id, title: words.glossary }, ...rich(title));
  const entries = terms.flatMap((term) => [
    element("dt", {}, ...rich(words[`term_${term}`])),
    element("dd", {}, ...rich(words[`means_${term}`])),
  ]);
  const name = titled(words, words.glossary, title);
  return [
    element("h3", {}, opener),
    element("dl", { id, class: "terms", popover: "auto", "aria-label": name }, ...entries),
  ];
}

export const corner = () => element("td", { class: "corner" });
