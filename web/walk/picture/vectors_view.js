// The arrows of two dimensions, drawn.

import { arrowsOf, reachOf } from "./vectors.js";

const SIZE = 100; // of the drawing, in its own units
const EDGE = 8;
const HEAD = 5;

/** @type {(tag: string, attributes: Record<string, any>, ...children: Node[]) => SVGElement} */
function svg(tag, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export class Plane {
  #arrows = new Map();
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

  /**
   * The arrows of a cell's row; of null none.
   * @param {Cell | null} cell
   */
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
    const axes = svg("path", {
      class: "axes",
      d: `M${EDGE / 2} ${y}H${SIZE - EDGE / 2}M${x} ${EDGE / 2}V${SIZE - EDGE / 2}`,
    });
    this.root.replaceChildren(axes, ...arrows.map((arrow) => this.#draw(arrow)));
  }

  #draw({ of, vector, share, from, isSum }) {
    const [x, y] = [vector[0] * this.#unit, -vector[1] * this.#unit];
    const length = Math.hypot(x, y);
    const angle = (Math.atan2(y, x) * 180) / Math.PI;
    const head = Math.min(HEAD, length / 2);
    const tip = svg("path", {
      d: `M0 0L${-head} ${head / 2}V${-head / 2}Z`,
      transform: `translate(${x} ${y}) rotate(${angle})`,
    });
    const line = svg("line", { x1: 0, y1: 0, x2: x, y2: y });
    const arrow = svg("g", { class: isSum ? "arrow sum" : "arrow" }, ...(length ? [line, tip] : []));
    arrow.style.transform = this.transform(from[0], from[1], share);
    this.#arrows.set(of, arrow);
    return arrow;
  }

  /** @param {string} of the row of values that it is, or the sum's */
  arrow(of) {
    return this.#arrows.get(of);
  }

  /** The same for a drawing: where it stands, its axes, and what each arrow does. */
  scenery(tracks, box, colour) {
    const axes = this.root.querySelector(".axes");
    const arrows = tracks.flatMap(({ of, frames }) => {
      const arrow = this.arrow(of);
      if (!arrow?.firstChild) return [];
      const [line, tip] = arrow.children;
      const [left, top] = this.#origin;
      const steps = frames.map((step) => ({
        ...step,
        x: left + step.x * this.#unit,
        y: top - step.y * this.#unit,
      }));
      const [x, y] = ["x2", "y2"].map((name) => Number(line.getAttribute(name)));
      const stroke = arrow.classList.contains("sum") ? 3.5 : 2.5;
      const ink = colour(getComputedStyle(arrow).color);
      return [{ x, y, tip: tip.getAttribute("d"), turn: tip.getAttribute("transform"), ink, stroke, steps }];
    });
    const axesInk = colour(getComputedStyle(axes).stroke);
    return { ...box(this.root.getBoundingClientRect()), axes: axes.getAttribute("d"), axesInk, arrows };
  }

  /** As CSS: an arrow that begins there, so large. */
  transform(x, y, scale) {
    const [left, top] = this.#origin;
    return `translate(${(left + x * this.#unit).toFixed(2)}px, ${(top - y * this.#unit).toFixed(2)}px) scale(${scale.toFixed(4)})`;
  }
}
