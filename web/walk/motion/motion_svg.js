// A motion as one animated SVG: a picture that needs no script, no style sheet and no network. No DOM here.

import { BAR_HEIGHT, EASE } from "./tracks.js";

const SLOWER = 1.6; // nobody can stop it on a slide
const HOLD = 2000; // milliseconds for which the end stays
const PLANE = 100; // units of the plane

/** @typedef {Record<string, string | number | undefined>} SvgAttributes */

/** @type {Record<string, string>} */
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** @param {string | number} text */
const escaped = (text) =>
  String(text)
    .replace(/[&<>"']/g, (character) => ESCAPES[character])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what XML may not contain
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "");

/**
 * An element as text. Attributes that are empty or undefined are left out.
 * @type {(tag: string, attributes: SvgAttributes, ...children: string[]) => string}
 */
function node(tag, attributes, ...children) {
  const pairs = Object.entries(attributes).flatMap(([name, value]) =>
    value === "" || value === undefined
      ? []
      : [` ${name}="${escaped(typeof value === "number" ? round(value) : value)}"`],
  );
  return `<${tag}${pairs.join("")}>${children.join("")}</${tag}>`;
}

/** @param {number} number */
const round = (number) => Number(number.toFixed(3));

/** @type {(x: number, y: number, text: string, attributes: SvgAttributes) => string} */
const textNode = (x, y, text, attributes) =>
  node("text", { x, y, "dominant-baseline": "central", ...attributes }, escaped(text));

/** @param {Scenery} scenery */
export function drawing(scenery) {
  const { width, height, size, title, line, ink } = scenery;
  const [above, below] = [size * 2.4, size * 2.6];
  const lineSize = Math.min(size * 1.2, (1.75 * (width - size)) / Math.max(1, line.length)); // in one line
  const children = [
    ...scenery.patches.map(patchNode),
    ...scenery.labels.map(({ x, y, text, size, weight, family, fill }) =>
      textNode(x, y, text, {
        "font-size": size,
        "font-weight": weight,
        "font-family": family,
        fill,
        "text-anchor": "middle",
      }),
    ),
    scenery.plane ? planeNode(scenery.plane, scenery.duration) : "",
    ...scenery.moving.map((piece) => pieceNode(piece, scenery)),
  ];
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${round(width)} ${round(height + above + below)}`,
    width,
    height: height + above + below,
    "font-family": scenery.font,
    "xml:lang": scenery.lang,
  };
  return node(
    "svg",
    attributes,
    node("title", {}, escaped(title)),
    node("rect", { width: "100%", height: "100%", fill: scenery.paper }),
    textNode(size / 2, above / 2, title, { "font-size": size * 1.5, "font-weight": 700, fill: ink }),
    node("g", { transform: `translate(0 ${round(above)})` }, ...children),
    textNode(size / 2, above + height + below / 2, line, { "font-size": lineSize, fill: ink }),
  );
}

/** @param {Box & Colours} patch */
function patchNode({ x, y, width, height, fill, tone, bar, stroke }) {
  const box = { x, y, width, height, rx: 4 };
  const barBox = { x, y: y + (1 - BAR_HEIGHT) * height, width: tone * width, height: BAR_HEIGHT * height };
  return [
    node("rect", { ...box, fill }),
    bar ? node("rect", { ...barBox, fill: bar }) : "",
    stroke ? node("rect", { ...box, fill: "none", stroke, "stroke-width": 2 }) : "",
  ].join("");
}

/**
 * An attribute through the motion, and as it stays at the end.
 * @template {{ at: number }} Frame
 * @param {number} duration of the motion
 * @param {Frame[]} frames
 * @param {string} tag
 * @param {SvgAttributes} attributes
 * @param {(frame: Frame) => number[]} value
 */
function animated(duration, frames, tag, attributes, value) {
  const all = SLOWER * duration + HOLD;
  const part = (SLOWER * duration) / all;
  const values = [...frames, ...frames.slice(-1)].map((frame) => value(frame).map(round).join(" "));
  const times = [...frames.map(({ at }) => at * part), 1].map((time) => time.toFixed(4));
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

/** @type {(duration: number, frames: { at: number; opacity: number }[]) => string} */
const opacity = (duration, frames) =>
  animated(duration, frames, "animate", { attributeName: "opacity" }, (frame) => [frame.opacity]);

/**
 * @template {{ at: number }} Frame
 * @param {number} duration
 * @param {Frame[]} frames
 * @param {"translate" | "scale"} type
 * @param {(frame: Frame) => number[]} value
 */
const transform = (duration, frames, type, value) =>
  animated(duration, frames, "animateTransform", { attributeName: "transform", type }, value);

/** @type {(piece: SceneryPiece, scenery: Scenery) => string} */
function pieceNode(piece, { size, duration }) {
  const { look, width, height, ink, text, steps } = piece;
  const x = look === "bar" ? 0 : -width / 2;
  const label = { "font-size": size, "font-weight": 650, fill: ink, "text-anchor": "middle" };
  const shape = patchNode({ ...piece, x, y: -height / 2 }) + (text ? textNode(0, 0, text, label) : "");
  const scaled = node(
    "g",
    {},
    transform(duration, steps, "scale", ({ scale, stretch }) => [scale * stretch, scale]),
    shape,
  );
  return node(
    "g",
    { opacity: steps.at(-1)?.opacity },
    transform(duration, steps, "translate", ({ x, y }) => [x, y]),
    opacity(duration, steps),
    scaled,
  );
}

/** @type {(plane: PlaneScenery, duration: number) => string} */
function planeNode({ x, y, width, height, axes, axesInk, arrows }, duration) {
  const scale = Math.min(width, height) / PLANE;
  const corner = [x + (width - PLANE * scale) / 2, y + (height - PLANE * scale) / 2].map(round).join(" ");
  const lines = node("path", { d: axes, stroke: axesInk, fill: "none", "stroke-width": 1 });
  const place = { transform: `translate(${corner}) scale(${round(scale)})` };
  return node("g", place, lines, ...arrows.map((arrow) => arrowNode(arrow, duration)));
}

/** @type {(arrow: SceneryArrow, duration: number) => string} */
function arrowNode({ x, y, tip, turn, ink, stroke, steps }, duration) {
  const line = { x2: x, y2: y, stroke: ink, "stroke-width": stroke, "vector-effect": "non-scaling-stroke" };
  const scaled = node(
    "g",
    {},
    transform(duration, steps, "scale", (step) => [step.scale]),
    node("line", line),
    node("path", { d: tip, transform: turn, fill: ink }),
  );
  const moves = transform(duration, steps, "translate", (step) => [step.x, step.y]);
  return node("g", {}, moves, opacity(duration, steps), scaled);
}
