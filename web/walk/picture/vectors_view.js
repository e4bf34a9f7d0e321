// The arrows of two dimensions as an SVG.

import { arrowsOf, reachOf } from "./vectors.js";

const SIZE = 100; // of the drawing, in its own units
const EDGE = 8;
const HEAD = 5;

/** @type {(tag: string, attributes: Record<string, string | number>, ...children: Node[]) => SVGElement} */
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return /** @type {SVGElement} */ (node);
}

export class Plane {
  /** @type {Map<string, { node: SVGElement; x: number; y: number; tip: string; turn: string; isSum: boolean }>} */
  #arrows = new Map();
  #axes = ""; // their path
  #unit = 1;
  #origin = [0, 0];

  /** @param {WalkModel} model */
  constructor(model) {
    this.model = model;
    this.root = svg("svg", {
      class: "plane",
      viewBox: `0 0 ${SIZE} ${SIZE}`,
      role: "img",
      "aria-label": model.words.plane,
    });
  }

  /** Show the arrows of a cell's row; of null none. @param {Cell | null} cell */
  show(cell) {
    this.#arrows.clear();
    this.root.toggleAttribute("hidden", !cell);
    if (!cell) return this.root.replaceChildren();
    const arrows = arrowsOf(this.model, cell);
    const [left, right, bottom, top] = reachOf(arrows);
    const room = SIZE - 2 * EDGE;
    this.#unit = room / (Math.max(right - left, top - bottom) || 1);
    this.#origin = [(SIZE - (left + right) * this.#unit) / 2, (SIZE + (bottom + top) * this.#unit) / 2];
    const [x, y] = this.#origin;
    this.#axes = `M${EDGE / 2} ${y}H${SIZE - EDGE / 2}M${x} ${EDGE / 2}V${SIZE - EDGE / 2}`;
    const axes = svg("path", { class: "axes", d: this.#axes });
    this.root.replaceChildren(axes, ...arrows.map((arrow) => this.#draw(arrow)));
  }

  /** @param {VectorArrow} arrow */
  #draw({ key, vector, share, from, isSum }) {
    const [x, y] = [vector[0] * this.#unit, -vector[1] * this.#unit];
    const length = Math.hypot(x, y);
    const angle = (Math.atan2(y, x) * 180) / Math.PI;
    const head = Math.min(HEAD, length / 2);
    const tip = `M0 0L${-head} ${head / 2}V${-head / 2}Z`;
    const turn = `translate(${x} ${y}) rotate(${angle})`;
    const shapes = [svg("line", { x1: 0, y1: 0, x2: x, y2: y }), svg("path", { d: tip, transform: turn })];
    const node = svg("g", { class: isSum ? "arrow sum" : "arrow" }, ...(length ? shapes : []));
    node.style.transform = this.transform(from[0], from[1], share);
    this.#arrows.set(key, { node, x, y, tip, turn, isSum });
    return node;
  }

  /** @param {string} key of the arrow's first cell */
  arrow(key) {
    return this.#arrows.get(key)?.node;
  }

  /**
   * The same as data for a file: where the plane is, its axes, and how each arrow moves.
   * @param {ArrowTrack[]} tracks
   * @param {(rect: Box) => Box} box a place on the page as one in the file
   * @param {(colour: string) => string} colour
   * @returns {PlaneScenery}
   */
  scenery(tracks, box, colour) {
    const [left, top] = this.#origin;
    const arrows = tracks.flatMap(({ key, frames }) => {
      const arrow = this.#arrows.get(key);
      if (!arrow?.node.firstChild) return [];
      const { node, x, y, tip, turn, isSum } = arrow;
      const steps = frames.map((frame) => ({
        ...frame,
        x: left + frame.x * this.#unit,
        y: top - frame.y * this.#unit,
      }));
      const ink = colour(getComputedStyle(node).color);
      return [{ x, y, tip, turn, ink, stroke: isSum ? 3.5 : 2.5, steps }];
    });
    const axes = this.root.querySelector(".axes");
    const axesInk = axes ? colour(getComputedStyle(axes).stroke) : "";
    return { ...box(this.root.getBoundingClientRect()), axes: this.#axes, axesInk, arrows };
  }

  /**
   * As CSS: an arrow that begins at a point, at a scale.
   * @param {number} x
   * @param {number} y
   * @param {number} scale
   */
  transform(x, y, scale) {
    const [left, top] = this.#origin;
    const to = `${(left + x * this.#unit).toFixed(2)}px, ${(top - y * this.#unit).toFixed(2)}px`;
    return `translate(${to}) scale(${scale.toFixed(4)})`;
  }
}
