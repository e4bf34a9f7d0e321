// Who attends to whom, as a small still picture.

import { curve, middle } from "../../kit/curves.js";
import { div, element, span } from "../../kit/dom.js";

const SVG = "http://www.w3.org/2000/svg";
const ROW = 24; // px

/**
 * A head's weights as lines from each query to each key, as thick as the weight.
 * @param {number[][]} weights
 * @param {string[]} queries
 * @param {string[]} keys
 * @param {string} label what it shows, for who cannot see it
 */
export function looking(weights, queries, keys, label) {
  const height = ROW * Math.max(queries.length, keys.length);
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", `0 0 100 ${height}`);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("height", String(height));
  svg.setAttribute("aria-hidden", "true");
  for (const [query, row] of weights.entries())
    for (const [at, weight] of row.entries()) {
      if (!(weight > 0)) continue;
      const path = document.createElementNS(SVG, "path");
      const [from, to] = [middle(query, queries.length, height), middle(at, keys.length, height)];
      path.setAttribute("d", curve(from, to, 100));
      path.setAttribute("stroke-width", (1 + 9 * weight).toFixed(1));
      path.setAttribute("stroke-opacity", (0.14 + 0.76 * weight).toFixed(2));
      svg.append(path);
    }
  const names = (kind, tokens) => div(kind, ...tokens.map((token) => span("token", token)));
  const attributes = { class: "threads", role: "img", "aria-label": label, style: `height: ${height}px` };
  return element("div", attributes, names("from", queries), svg, names("to", keys));
}
