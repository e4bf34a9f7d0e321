// A motion as one animated SVG: a picture that needs no script, no style sheet and no network. No DOM here.

import { EASE } from "./pixel_tracks.js";

/** @typedef {{ x: number; y: number; text: string; size: number; weight: string; family: string; fill: string }} Label */
/** @typedef {{ x: number; y: number; width: number; height: number; fill: string; tone: number; bar: string; stroke: string }} Patch */
/**
 * @typedef {{
 *   look: string; width: number; height: number; fill: string; stroke: string; ink: string; text: string; tone: number; bar: string;
 *   steps: import("./pixel_tracks.js").Step[];
 * }} Moving
 */
/**
 * @typedef {{
 *   width: number; height: number; paper: string; font: string; size: number; lang: string; title: string; line: string; ink: string;
 *   patches: Patch[]; labels: Label[]; moving: Moving[]; duration: number;
 *   plane: { x: number; y: number; width: number; height: number; axes: string; axesInk: string; arrows: PlaneArrow[] } | null;
 * }} Scenery
 */
/**
 * An arrow in units of the plane's drawing, which is SIZE of them wide and high.
 * @typedef {{
 *   x: number; y: number; tip: string; turn: string; ink: string; stroke: number;
 *   steps: { at: number; x: number; y: number; scale: number; opacity: number }[];
 * }} PlaneArrow
 */

const SLOWER = 1.6; // on a slide nobody can stop it
const HOLD = 2000; // milliseconds that the end stands
const PLANE = 100;
const LOW = 0.18; // of a cell: its bar lies below its number

const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** @param {any} text */
const escaped = (text) =>
  String(text)
    .replace(/[&<>"']/g, (sign) => ESCAPES[sign])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what no XML may hold
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");

/** @type {(tag: string, attributes: Record<string, any>, ...inner: string[]) => string} */
function node(tag, attributes, ...inner) {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => ` ${name}="${escaped(typeof value === "number" ? round(value) : value)}"`);
  return `<${tag}${written.join("")}>${inner.join("")}</${tag}>`;
}

/** @param {number} number */
const round = (number) => Number(number.toFixed(3));

/** @type {(x: number, y: number, text: string, more: Record<string, any>) => string} */
const written = (x, y, text, more) =>
  node("text", { x, y, "dominant-baseline": "central", ...more }, escaped(text));

/** @param {Scenery} scenery */
export function drawing(scenery) {
  const { width, height, size, title, line, ink } = scenery;
  const [above, below] = [size * 2.4, size * 2.6];
  const lineSize = Math.min(size * 1.2, (1.75 * (width - size)) / Math.max(1, line.length)); // in one line
  const inside = [
    ...scenery.patches.map(patch),
    ...scenery.labels.map(({ x, y, text, size, weight, family, fill }) =>
      written(x, y, text, {
        "font-size": size,
        "font-weight": weight,
        "font-family": family,
        fill,
        "text-anchor": "middle",
      }),
    ),
    scenery.plane ? planeOf(scenery) : "",
    ...scenery.moving.map((one) => moved(one, scenery)),
  ];
  const all = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${round(width)} ${round(height + above + below)}`,
  };
  return node(
    "svg",
    { ...all, width, height: height + above + below, "font-family": scenery.font, "xml:lang": scenery.lang },
    node("title", {}, escaped(title)),
    node("rect", { width: "100%", height: "100%", fill: scenery.paper }),
    written(size / 2, above / 2, title, { "font-size": size * 1.5, "font-weight": 700, fill: ink }),
    node("g", { transform: `translate(0 ${round(above)})` }, ...inside),
    written(size / 2, above + height + below / 2, line, { "font-size": lineSize, fill: ink }),
  );
}

/** @param {Patch} patch */
function patch({ x, y, width, height, fill, tone, bar, stroke }) {
  const box = { x, y, width, height, rx: 4 };
  return (
    node("rect", { ...box, fill }) +
    (bar
      ? node("rect", { x, y: y + (1 - LOW) * height, width: tone * width, height: LOW * height, fill: bar })
      : "") +
    (stroke ? node("rect", { ...box, fill: "none", stroke, "stroke-width": 2 }) : "")
  );
}

/**
 * An attribute's way through the motion, and its standing at the end.
 * @type {(scenery: Pick<Scenery, "duration">, steps: { at: number }[], attributes: Record<string, any>, tag: string,
 *   value: (step: any) => string) => string}
 */
function animated({ duration }, steps, attributes, tag, value) {
  const all = SLOWER * duration + HOLD;
  const part = (SLOWER * duration) / all;
  const values = [...steps.map(value), value(steps.at(-1))];
  const times = [...steps.map(({ at }) => at * part), 1].map((time) => time.toFixed(4));
  return node(tag, {
    ...attributes,
    values: values.join(";"),
    keyTimes: times.join(";"),
    calcMode: "spline",
    keySplines: times
      .slice(1)
      .map(() => EASE.join(" "))
      .join(";"),
    dur: `${(all / 1000).toFixed(2)}s`,
    repeatCount: "indefinite",
  });
}

/** @type {(scenery: Scenery, steps: any[]) => string} */
const opacity = (scenery, steps) =>
  animated(scenery, steps, { attributeName: "opacity" }, "animate", (step) => String(round(step.opacity)));

/** @type {(scenery: Scenery, steps: any[], type: string, value: (step: any) => number[]) => string} */
const transform = (scenery, steps, type, value) =>
  animated(scenery, steps, { attributeName: "transform", type }, "animateTransform", (step) =>
    value(step).map(round).join(" "),
  );

/** @type {(moving: Moving, scenery: Scenery) => string} */
function moved({ look, width, height, fill, stroke, ink, text, tone, bar, steps }, scenery) {
  const left = look === "bar" ? 0 : -width / 2;
  const box = { x: left, y: -height / 2, width, height, fill, tone, bar, stroke };
  const shape =
    patch(box) +
    (text
      ? written(0, 0, text, {
          "font-size": scenery.size,
          "font-weight": 650,
          fill: ink,
          "text-anchor": "middle",
        })
      : "");
  const scaled = node(
    "g",
    {},
    transform(scenery, steps, "scale", ({ scale, stretch }) => [scale * stretch, scale]),
    shape,
  );
  return node(
    "g",
    { opacity: round(steps.at(-1).opacity) },
    transform(scenery, steps, "translate", ({ x, y }) => [x, y]),
    opacity(scenery, steps),
    scaled,
  );
}

/** @param {Scenery} scenery */
function planeOf(scenery) {
  const { x, y, width, height, axes, axesInk, arrows } = scenery.plane;
  const scale = Math.min(width, height) / PLANE;
  const corner = [x + (width - PLANE * scale) / 2, y + (height - PLANE * scale) / 2].map(round).join(" ");
  const drawn = arrows.map(({ x, y, tip, turn, ink, stroke, steps }) =>
    node(
      "g",
      {},
      transform(scenery, steps, "translate", (step) => [step.x, step.y]),
      opacity(scenery, steps),
      node(
        "g",
        {},
        transform(scenery, steps, "scale", (step) => [step.scale]),
        node("line", {
          x2: x,
          y2: y,
          stroke: ink,
          "stroke-width": stroke,
          "vector-effect": "non-scaling-stroke",
        }),
        node("path", { d: tip, transform: turn, fill: ink }),
      ),
    ),
  );
  const lines = node("path", { d: axes, stroke: axesInk, fill: "none", "stroke-width": 1 });
  return node("g", { transform: `translate(${corner}) scale(${round(scale)})` }, lines, ...drawn);
}
