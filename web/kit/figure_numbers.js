// A figure with other numbers, worked out in the browser as mha_view/figures does in Python. It is done only where
// every point of the figure is a cell of a matrix (points_of in layout.py) and its axes and colours stay as they are.
// No DOM here.

import { isHidden, numberOf, rowsOf } from "./graph.js";
import { fixed, significant } from "./numbers.js";

const MOST = 4096; // cells of a figure
const EXACT = 4; // significant digits on hover

/** @typedef {{ number: number; text: string; exact: string } | null} Point null: nothing is drawn, a sign at most */

/**
 * Whether every point of a figure is a cell of a matrix.
 * @param {PlotFigure} figure
 */
export const isOfCells = ({ data }) =>
  data.every(({ type, meta }) => meta?.matrix && (type === "heatmap" || type === "bar"));

/**
 * The same figure with a model's numbers; null where Plotly's axes, colours or other points would change as well.
 * @param {PlotFigure} figure
 * @param {Model} model
 * @returns {PlotFigure | null}
 */
export function withNumbersOf(figure, model) {
  const { data, layout } = figure;
  const cells = data.reduce((sum, { z, y }) => sum + (z ? z.length * z[0].length : (y?.length ?? 0)), 0);
  if (cells > MOST || !isOfCells(figure)) return null;
  const traces = data.map((trace) => (trace.z ? withCells : withBars)(trace, layout, model));
  return traces.every((trace) => trace !== null) ? { data: traces, layout } : null;
}

/**
 * @param {PlotTrace} trace
 * @param {PlotLayout} layout
 * @param {Model} model
 * @returns {PlotTrace | null}
 */
function withCells(trace, layout, model) {
  const { z = [], hovertext, text } = /** @type {HeatmapTrace} */ (trace);
  const { cmin, cmax } = /** @type {ColourAxis} */ (layout.coloraxis);
  const read = rowsOfTrace(trace, model).map((cells, row) => pointsOf(cells, row, trace, model));
  if (!isLike(z, read) || !read.flat().every((point) => fits(point, cmin, cmax))) return null;
  const changed = {
    ...trace,
    z: read.map((points) => points.map((point) => point?.number ?? null)),
    hovertext: read.map((points, row) => hovers(points, hovertext[row])),
  };
  return text ? { ...changed, text: read.map((points, row) => texts(points, text[row])) } : changed;
}

/**
 * @param {PlotTrace} trace
 * @param {PlotLayout} layout
 * @param {Model} model
 * @returns {PlotTrace | null}
 */
function withBars(trace, layout, model) {
  const { y = [], yaxis = "y", meta, hovertext, text } = /** @type {BarTrace} */ (trace);
  const { range } = /** @type {{ range: [number, number] }} */ (layout[yaxis.replace("y", "yaxis")]);
  const row = meta?.row ?? 0;
  const points = pointsOf(rowsOfTrace(trace, model)[row] ?? [], row, trace, model);
  const isSame = points.length === y.length && points.every((point, at) => isEmpty(point) === (y[at] === 0));
  if (!isSame || !points.every((point) => fits(point, ...range))) return null;
  const changed = {
    ...trace,
    y: points.map((point) => point?.number ?? 0),
    hovertext: hovers(points, hovertext),
  };
  return text ? { ...changed, text: texts(points, text) } : changed;
}

/** @type {(trace: PlotTrace, model: Model) => Rows} */
const rowsOfTrace = ({ meta }, model) => rowsOf(model, meta?.matrix ?? "", meta?.head ?? null) ?? [];

/**
 * @param {Rows[number]} cells
 * @param {number} row
 * @param {PlotTrace} trace
 * @param {Model} model
 * @returns {Point[]}
 */
function pointsOf(cells, row, { meta }, model) {
  const { matrix: name = "", head = null } = meta ?? {};
  return cells.map((value, col) => {
    const number = numberOf(value);
    if (number === -Infinity || isHidden(model, { name, head, row, col }, value)) return null;
    const text = name === "weights" ? weightText(number) : numberText(number);
    return { number, text, exact: significant(number, EXACT) };
  });
}

/**
 * Whether the same cells are drawn as before.
 * @param {(number | null)[][]} z
 * @param {Point[][]} read
 */
const isLike = (z, read) =>
  z.length === read.length &&
  z.every(
    (cells, row) =>
      cells.length === read[row].length &&
      cells.every((cell, col) => (cell === null) === (read[row][col] === null)),
  );

/** @type {(point: Point, low: number, high: number) => boolean} */
const fits = (point, low, high) => !point || (point.number >= low && point.number <= high);

/** A bar without height. @param {Point} point */
const isEmpty = (point) => !point?.number;

/** A hover text ends with its number. @type {(points: Point[], before: string[]) => string[]} */
const hovers = (points, before) =>
  points.map((point, at) => (point ? before[at].replace(/[^>]*$/, point.exact) : before[at]));

/** @type {(points: Point[], before: string[]) => string[]} */
const texts = (points, before) => points.map((point, at) => point?.text ?? before[at]);

/**
 * A number in a cell, as mha_view's labels.number.
 * @param {number} number
 */
export function numberText(number) {
  const size = Math.abs(number);
  if (size < 0.005 || size >= 1e4) return significant(number, 2);
  return fixed(number, 2)
    .replace(/\.?0+$/, "")
    .replace("-", "−");
}

/** A weight in a cell: always two decimals. @type {(number: number) => string} */
const weightText = (number) => (number >= 0 && number <= 1 ? fixed(number, 2) : numberText(number));
