// Other numbers in a figure that stays as it is otherwise: Plotly's drawing is changed in place. Plotly itself lays
// out the whole figure again, which takes 20 to 150 ms where this takes one to ten. What Plotly keeps of the numbers is
// changed as well, so that hovering, resizing and downloading show the new ones.

import { setAttribute, setText } from "./dom.js";

const CELLS = "mha-cells"; // our rectangles over a heatmap's picture
const SVG = "http://www.w3.org/2000/svg";

/**
 * What must be equal for a figure to be changed in place: all but its numbers and their texts.
 * @param {PlotFigure} figure
 */
export const frameOf = ({ data, layout }) =>
  JSON.stringify([layout, data.map(({ z, y, text, hovertext, ...others }) => [others, emptyOf(z)])]);

/** Which cells have no colour. @type {(z: (number | null)[][] | undefined) => unknown} */
const emptyOf = (z) => z?.map((row) => row.map((cell) => Number(cell === null)).join("")) ?? null;

/**
 * Show these numbers in the figure drawn; false, with nothing changed, where that cannot be done in place. The figures'
 * frames are equal.
 * @param {PlotCanvas} canvas
 * @param {PlotTrace[]} data
 */
export function restyled(canvas, data) {
  const changes = data.map((trace, at) => changeOf(canvas, trace, canvas.calcdata?.[at]));
  if (!changes.every((change) => change !== null)) return false;
  for (const change of changes) change();
  canvas.data = data;
  return true;
}

/**
 * Remove what Plotly knows nothing of, before it draws.
 * @param {PlotCanvas} canvas
 */
export function cleared(canvas) {
  for (const cells of canvas.querySelectorAll(`.${CELLS}`)) cells.remove();
}

/**
 * @param {PlotCanvas} canvas
 * @param {PlotTrace} trace
 * @param {PlotPoint[]} [points]
 * @returns {(() => void) | null}
 */
function changeOf(canvas, trace, points) {
  const group = points?.[0]?.node3?.node();
  if (!points || !group) return null;
  if (trace.type === "heatmap")
    return heatmapChange(canvas, /** @type {HeatmapTrace} */ (trace), points[0], group);
  return trace.type === "bar" ? barsChange(canvas, /** @type {BarTrace} */ (trace), points, group) : null;
}

// --- heatmaps ------------------------------------------------------------------------------------------------------

/**
 * @param {PlotCanvas} canvas
 * @param {HeatmapTrace} trace
 * @param {PlotPoint} point
 * @param {Element} group
 */
function heatmapChange(canvas, { z, text, hovertext, xaxis, yaxis, xgap }, point, group) {
  const labels = [...group.querySelectorAll(".heatmap-label text")];
  const image = group.querySelector("image");
  const written = text?.flat() ?? [];
  const axes = canvas._fullLayout;
  const [x, y] = [axes[axisName(xaxis, "x")], axes[axisName(yaxis, "y")]];
  if (!z || !image || labels.length !== written.length) return null;
  return () => {
    const cells = group.querySelector(`.${CELLS}`) ?? rectangles(z, x, y, Number(xgap), image);
    const colour = colours(canvas._fullLayout.coloraxis);
    const numbers = z.flat().filter((number) => number !== null);
    for (const [at, number] of numbers.entries()) setAttribute(cells.children[at], "fill", colour(number));
    for (const [at, label] of labels.entries()) setText(label, written[at]);
    Object.assign(point.trace, { z, text, hovertext });
    Object.assign(point, { z: z.map((row) => row.map((number) => number ?? undefined)), text, hovertext });
  };
}

/**
 * A rectangle for each cell that has a colour, just where Plotly's picture of the cells has it.
 * @param {(number | null)[][]} z
 * @param {PlotAxis} x
 * @param {PlotAxis} y
 * @param {number} gap
 * @param {Element} image
 */
function rectangles(z, x, y, gap, image) {
  const cells = document.createElementNS(SVG, "g");
  cells.setAttribute("class", CELLS);
  for (const [row, numbers] of z.entries())
    for (const [col, number] of numbers.entries())
      if (number !== null) cells.append(rectangle(edges(x, col), edges(y, row), gap));
  image.after(cells);
  return cells;
}

/** @type {(axis: PlotAxis, index: number) => number[]} */
const edges = (axis, index) =>
  [index - 0.5, index + 0.5].map((at) => Math.round(axis.d2p(at))).sort((one, other) => one - other);

/** @type {(x: number[], y: number[], gap: number) => SVGRectElement} */
function rectangle([left, right], [top, bottom], gap) {
  const rect = document.createElementNS(SVG, "rect");
  const size = { x: left, y: top, width: right - left - gap, height: bottom - top - gap };
  for (const [name, value] of Object.entries(size)) rect.setAttribute(name, String(Math.max(0, value)));
  return rect;
}

/**
 * The colour of a number, as Plotly mixes it.
 * @param {ColourAxis} axis
 * @returns {(number: number) => string}
 */
function colours({ cmin, cmax, colorscale }) {
  const stops = colorscale.map(([at, hex]) => ({
    at,
    rgb: [1, 3, 5].map((from) => Number.parseInt(hex.slice(from, from + 2), 16)),
  }));
  return (number) => {
    const share = Math.min(1, Math.max(0, (number - cmin) / (cmax - cmin)));
    const above = Math.max(
      1,
      stops.findIndex(({ at }) => at >= share),
    );
    const [low, high] = [stops[above - 1], stops[above]];
    const part = (share - low.at) / (high.at - low.at);
    return `rgb(${low.rgb.map((from, channel) => Math.round(from + part * (high.rgb[channel] - from)))})`;
  };
}

// --- bars ----------------------------------------------------------------------------------------------------------

/**
 * @param {PlotCanvas} canvas
 * @param {BarTrace} trace
 * @param {PlotPoint[]} points
 * @param {Element} group
 */
function barsChange(canvas, { y, text, hovertext, yaxis }, points, group) {
  const bars = [...group.querySelectorAll(".point")];
  const shapes = bars.map((bar) =>
    /^M([^,]+),[^V]+V([^H]+)H([^V]+)V/.exec(pathOf(bar).getAttribute("d") ?? ""),
  );
  if (!y || bars.length !== y.length || !shapes.every((shape) => shape !== null)) return null;
  const axis = canvas._fullLayout[axisName(yaxis, "y")];
  return () => {
    for (const [at, bar] of bars.entries()) {
      const [left, before, right] = shapes[at].slice(1).map(Number);
      const end = axis.d2p(y[at]);
      const base = visible(axis.d2p(0), end);
      const top = visible(end, base);
      setAttribute(pathOf(bar), "d", `M${left},${base}V${top}H${right}V${base}Z`);
      const label = bar.querySelector("text");
      if (label) move(label, top - before, text?.[at] ?? "");
      Object.assign(points[at], { y: y[at], s: y[at], s1: y[at], htx: hovertext[at], tx: text?.[at] });
    }
    Object.assign(points[0].trace, { y, text, hovertext });
  };
}

/** @type {(bar: Element) => Element} */
const pathOf = (bar) => /** @type {Element} */ (bar.querySelector("path"));

/**
 * The end of a bar; where it is less than two pixels high it is drawn higher, as Plotly does.
 * @type {(end: number, other: number) => number}
 */
function visible(end, other) {
  if (end === other || Math.abs(end - other) >= 2) return end;
  return end > other ? Math.ceil(end) : Math.floor(end);
}

/**
 * @param {Element} label
 * @param {number} down in pixels
 * @param {string} text
 */
function move(label, down, text) {
  const transform = label.getAttribute("transform") ?? "";
  const place = transform.replace(
    /(translate\([^,]+,)([^)]+)/,
    (_, before, y) => before + (Number(y) + down),
  );
  if (down) setAttribute(label, "transform", place);
  setText(label, text);
}

/** `xaxis2` for `x2`. @type {(id: string | undefined, letter: string) => string} */
const axisName = (id, letter) => (id ?? letter).replace(letter, `${letter}axis`);
