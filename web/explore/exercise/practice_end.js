// The end of an exercise: what came out of it, who attends to whom, and what can be done next.

import { copyText } from "../../kit/copy.js";
import { curve, middle } from "../../kit/curves.js";
import { accent, button, div, element, p, span } from "../../kit/dom.js";
import { svgElement } from "../overview/row_bars.js";

const ROW = 24; // px

/** @typedef {NonNullable<PracticeState["end"]>} PracticeEnd */

/**
 * `classLink`: the query of a link with which others get numbers of their own; `another`: begin another exercise like
 * this one; `announce`: to a screen reader.
 * @typedef {{
 *   texts: Record<string, string>; head: string; classLink: string | undefined;
 *   another: () => void; announce: (text: string) => void;
 * }} EndOptions
 */

/**
 * What is shown once every number is right.
 * @param {PracticeEnd} end
 * @param {EndOptions} options
 * @returns {HTMLElement[]}
 */
export function endOf({ result, weights, looks, queries, keys }, { texts, head, classLink, ...acts }) {
  const heads = weights.map((rows, at) => {
    const title = `${head} ${at + 1}`;
    return element(
      "figure",
      { class: "practice-head-look", style: accent(at) },
      element("figcaption", {}, element("strong", {}, title), ` ${looks[at]}`),
      attentionPicture(rows, queries, keys, `${title}: ${looks[at]}`),
    );
  });
  const parts = [
    element("h3", {}, `✓ ${texts.finished}`),
    p("practice-result", result),
    div("practice-looks", ...heads),
  ];
  if (!classLink) return parts;
  const again = button({ data: { focus: "another" }, onclick: acts.another }, texts.another);
  return [...parts, div("practice-after", again, classShare(classLink, texts, acts.announce))];
}

/**
 * A button that copies the link for a class, and shows it.
 * @param {string} query
 * @param {Record<string, string>} texts
 * @param {(text: string) => void} announce
 */
function classShare(query, texts, announce) {
  const link = new URL(`?${query}`, window.location.href).href;
  const field = element("input", { type: "text", readonly: true, "aria-label": texts.for_class_about });
  field.value = link;
  const about = element("p", { class: "for-class", hidden: true }, `${texts.for_class_about} `, field);
  const onclick = async () => {
    about.hidden = false;
    if (await copyText(link)) announce(texts.copied);
    field.select(); // to be copied by hand where it could not be
  };
  return div("practice-share", button({ data: { focus: "for class" }, onclick }, texts.for_class), about);
}

/**
 * A head's weights as lines from each query to each key, as thick as the weight.
 * @param {number[][]} weights
 * @param {string[]} queries
 * @param {string[]} keys
 * @param {string} label for a screen reader
 */
function attentionPicture(weights, queries, keys, label) {
  const height = ROW * Math.max(queries.length, keys.length);
  const box = { viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", height, "aria-hidden": "true" };
  const svg = svgElement("svg", box);
  for (const [query, row] of weights.entries())
    for (const [at, weight] of row.entries()) {
      if (!(weight > 0)) continue;
      const [from, to] = [middle(query, queries.length, height), middle(at, keys.length, height)];
      svg.append(
        svgElement("path", {
          d: curve(from, to, 100),
          "stroke-width": (1 + 9 * weight).toFixed(1),
          "stroke-opacity": (0.14 + 0.76 * weight).toFixed(2),
        }),
      );
    }
  const names = (/** @type {string} */ side, /** @type {string[]} */ tokens) =>
    div(side, ...tokens.map((token) => span("token", token)));
  const attributes = { class: "threads", role: "img", "aria-label": label, style: `height: ${height}px` };
  return element("div", attributes, names("from", queries), svg, names("to", keys));
}
