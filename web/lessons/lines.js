// Attention as lines from queries, on the left, to keys, on the right: the thicker, the larger the weight. The queries
// have no labels: they are the rows of the table beside.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 176;
const ROW = 28;
const [LEFT, RIGHT] = [4, 76]; // where the lines begin and end
const THICKEST = 14;

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 * @param {string} [text]
 */
function svg(tag, attributes, text = "") {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

/** @type {(at: number) => number} */
const heightOf = (at) => ROW * (at + 0.5);

/**
 * @param {SceneLines} lines
 * @returns {Element}
 */
export function linesOf({ queries, keys, weights, marked, about }) {
  const height = ROW * Math.max(queries.length, keys.length);
  const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": about });
  const middle = (LEFT + RIGHT) / 2;
  for (const [i, row] of weights.entries())
    for (const [j, weight] of row.entries()) {
      const [from, to] = [heightOf(i), heightOf(j)];
      const path = `M${LEFT} ${from}C${middle} ${from} ${middle} ${to} ${RIGHT} ${to}`;
      const isMarked = marked === null || i === marked;
      const width = Math.max(0.6, THICKEST * weight);
      root.append(svg("path", { d: path, "stroke-width": width, class: isMarked ? "line" : "line other" }));
    }
  for (const [j, token] of keys.entries())
    root.append(svg("text", { x: RIGHT + 8, y: heightOf(j) + 4 }, token));
  return root;
}
