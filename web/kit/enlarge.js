// A figure for a hall: type, margins, lines and marks so many times as large, its panels lower where it would be too
// high. No DOM here.

const DATA = new Set(["x", "y", "z", "text", "hovertext", "ticktext", "tickvals", "range", "domain", "meta"]);
const LENGTHS = new Set(["size", "standoff", "thickness", "xshift", "yshift", "xgap", "ygap", "height"]);
const IN = {
  margin: new Set(["l", "r", "t", "b", "pad"]),
  pad: new Set(["l", "r", "t", "b"]),
  line: new Set(["width"]),
  colorbar: new Set(["len"]),
};
const LOW = 0.6; // of a panel's height, below which it had rather stand alone on a screen
const LOWEST = 0.3; // below which it shows nothing

/** @typedef {{ data: any[]; layout: any }} Drawing */

/**
 * The same figure, all its lengths in pixels `by` times as large. It is at most `most` pixels high where its panels can
 * be so low, else at most `alone`.
 * @param {Drawing} figure
 * @param {number} by
 * @param {{ most: number; alone: number }} height
 * @returns {Drawing}
 */
export function enlarged(figure, by, height) {
  const { data, layout } = scaled(figure, by, "");
  return { data, layout: lowered(layout, height) };
}

/** @type {(value: any, by: number, inside: string) => any} */
function scaled(value, by, inside) {
  if (Array.isArray(value)) return value.map((one) => scaled(one, by, inside));
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).map(([name, held]) => {
    if (DATA.has(name)) return [name, held];
    const isLength = LENGTHS.has(name) || IN[inside]?.has(name);
    if (isLength && typeof held === "number") return [name, held * by];
    if (isLength && Array.isArray(held)) return [name, held.map((one) => one * by)];
    return [name, scaled(held, by, name)];
  });
  return Object.fromEntries(entries);
}

/** @type {(layout: any, height: { most: number; alone: number }) => any} */
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
  const put = (one, names) => {
    const moved = names.filter((name) => typeof one[name] === "number");
    return { ...one, ...Object.fromEntries(moved.map((name) => [name, place(one[name])])) };
  };
  const onPaper = (names) => (one) => (one.yref === "paper" ? put(one, names) : one);
  const axes = Object.entries(layout).map(([name, axis]) =>
    /^yaxis\d*$/.test(name) ? [name, { ...axis, domain: axis.domain.map(place) }] : [name, axis],
  );
  return {
    ...Object.fromEntries(axes),
    height: height - cut,
    annotations: (layout.annotations ?? []).map(onPaper(["y"])),
    shapes: (layout.shapes ?? []).map(onPaper(["y0", "y1"])),
  };
}

/**
 * Where panels stand, from below, as shares of the plotting area.
 * @param {any} layout
 * @returns {[number, number][]}
 */
function panelsOf(layout) {
  const domains = Object.keys(layout)
    .filter((name) => /^yaxis\d*$/.test(name))
    .map((name) => layout[name].domain ?? [0, 1]);
  const rows = new Map(domains.map((domain) => [domain.join(), domain]));
  return [...rows.values()].sort(([one], [other]) => one - other);
}

/**
 * What is made of a share of the plotting area, from below, where every panel has `by` of its height and what stands
 * between them all of it.
 * @param {[number, number][]} panels
 * @param {number} area
 * @param {number} by
 */
function placing(panels, area, by) {
  const pixels = (share) =>
    area * (share - (1 - by) * panels.reduce((sum, panel) => sum + within(panel, share), 0));
  const all = pixels(1);
  return (share) => pixels(share) / all;
}

/** @type {(panel: [number, number], share: number) => number} */
const within = ([from, to], share) => Math.max(0, Math.min(share, to) - from);
