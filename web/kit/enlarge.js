// A figure before an audience: type, margins, lines and marks are larger, and its panels lower where it would be too
// high. No DOM here.

const DATA = new Set(["x", "y", "z", "text", "hovertext", "ticktext", "tickvals", "range", "domain", "meta"]);
const LENGTHS = new Set(["size", "standoff", "thickness", "xshift", "yshift", "xgap", "ygap", "height"]);
/** @type {Record<string, Set<string>>} */
const IN = {
  margin: new Set(["l", "r", "t", "b", "pad"]),
  pad: new Set(["l", "r", "t", "b"]),
  line: new Set(["width"]),
  colorbar: new Set(["len"]),
};
const LOW = 0.6; // of its height: a panel is made no lower only to leave room for words
const LOWEST = 0.3; // of its height: a lower panel would show nothing

/**
 * The figure with all its lengths in pixels `by` times as large. It is at most `most` pixels high where its panels can
 * be that low, else at most `alone`.
 * @param {PlotFigure} figure
 * @param {number} by
 * @param {{ most: number; alone: number }} height
 * @returns {PlotFigure}
 */
export function enlarged(figure, by, height) {
  const { data, layout } = /** @type {PlotFigure} */ (scaled(figure, by, ""));
  return { data, layout: lowered(layout, height) };
}

/** @type {(value: unknown, by: number, inside: string) => unknown} */
function scaled(value, by, inside) {
  if (Array.isArray(value)) return value.map((item) => scaled(item, by, inside));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, item]) => {
    if (DATA.has(name)) return [name, item];
    const isLength = LENGTHS.has(name) || IN[inside]?.has(name);
    if (isLength && typeof item === "number") return [name, item * by];
    if (isLength && Array.isArray(item)) return [name, item.map((length) => length * by)];
    return [name, scaled(item, by, name)];
  });
  return Object.fromEntries(entries);
}

/** @type {(layout: PlotLayout, height: { most: number; alone: number }) => PlotLayout} */
function lowered(layout, { most, alone }) {
  const area = layout.height - layout.margin.t - layout.margin.b;
  const panels = panelsOf(layout);
  const all = panels.reduce((sum, [from, to]) => sum + (to - from), 0) * area;
  const { height } = layout;
  const cut = Math.min(
    Math.max(Math.min(height - most, all * (1 - LOW)), height - alone),
    all * (1 - LOWEST),
  );
  if (cut <= 0) return layout;
  const place = placing(panels, area, 1 - cut / all);
  /** @type {(mark: PlotMark, names: string[]) => PlotMark} */
  const onPaper = (mark, names) => {
    if (mark.yref !== "paper") return mark;
    const moved = names.flatMap((name) => {
      const share = mark[name];
      return typeof share === "number" ? [[name, place(share)]] : [];
    });
    return { ...mark, ...Object.fromEntries(moved) };
  };
  const axes = yAxes(layout).map(([name, axis]) => [
    name,
    { ...axis, domain: (axis.domain ?? FULL).map(place) },
  ]);
  return {
    ...layout,
    ...Object.fromEntries(axes),
    height: height - cut,
    annotations: (layout.annotations ?? []).map((mark) => onPaper(mark, ["y"])),
    shapes: (layout.shapes ?? []).map((mark) => onPaper(mark, ["y0", "y1"])),
  };
}

/** @typedef {[number, number]} Span from, to: shares of the plotting area, from below */

/** @type {Span} */
const FULL = [0, 1];

/** @type {(layout: PlotLayout) => [string, { domain?: Span }][]} */
const yAxes = (layout) =>
  Object.entries(layout).flatMap(([name, axis]) =>
    /^yaxis\d*$/.test(name) ? [[name, /** @type {{ domain?: Span }} */ (axis)]] : [],
  );

/**
 * The panels' places, from below, as shares of the plotting area.
 * @param {PlotLayout} layout
 */
function panelsOf(layout) {
  const domains = yAxes(layout).map(([, { domain = FULL }]) => domain);
  const rows = new Map(domains.map((domain) => [domain.join(), domain]));
  return [...rows.values()].sort(([one], [other]) => one - other);
}

/**
 * Maps a share of the plotting area, from below, to the one that it becomes when every panel gets `by` times its
 * height and the gaps between them keep theirs.
 * @param {Span[]} panels
 * @param {number} area
 * @param {number} by
 */
function placing(panels, area, by) {
  /** @param {number} share */
  const pixels = (share) =>
    area * (share - (1 - by) * panels.reduce((sum, panel) => sum + within(panel, share), 0));
  const all = pixels(1);
  return (/** @type {number} */ share) => pixels(share) / all;
}

/** @type {(panel: Span, share: number) => number} */
const within = ([from, to], share) => Math.max(0, Math.min(share, to) - from);
