// The loss after each step, as a small drawing with a sentence for those who do not see it.

import { element, fill, setAttribute, setText } from "../../kit/dom.js";
import { significant } from "../../kit/numbers.js";

const [WIDTH, HEIGHT, EDGE] = [220, 56, 5];
const SVG = "http://www.w3.org/2000/svg";

/** @type {(name: string) => SVGElement} */
const svg = (name) => document.createElementNS(SVG, name);

export class LossCurve {
  root = element("figure", { class: "loss-curve" });
  #drawing = svg("svg");
  #line = svg("path");
  #dot = svg("circle");
  #most = element("span", { class: "quiet-text", "aria-hidden": "true" });

  /** @param {Record<string, string>} words */
  constructor(words) {
    this.words = words;
    setAttribute(this.#drawing, "viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    setAttribute(this.#drawing, "role", "img");
    setAttribute(this.#dot, "r", "3");
    this.#drawing.append(this.#line, this.#dot);
    this.root.append(this.#most, this.#drawing);
  }

  /** @param {number[]} losses the first one before any step */
  update(losses) {
    this.root.hidden = losses.length < 2;
    if (this.root.hidden) return;
    const points = pointsOf(losses);
    const last = points[points.length - 1];
    const path = points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L");
    setAttribute(this.#line, "d", `M${path}`);
    setAttribute(this.#dot, "cx", last[0].toFixed(1));
    setAttribute(this.#dot, "cy", last[1].toFixed(1));
    setText(this.#most, significant(Math.max(...losses), 3));
    setAttribute(this.#drawing, "aria-label", fill(this.words.loss_curve, valuesOf(losses)));
  }
}

/** The loss before the first step, after the last, and how many there were. @type {(losses: number[]) => Record<string, string | number>} */
export const valuesOf = (losses) => ({
  first: significant(losses[0], 4),
  last: significant(losses[losses.length - 1], 4),
  count: losses.length - 1,
});

/**
 * Where the points of the curve are: from 0 to the largest loss upwards.
 * @type {(losses: number[]) => [number, number][]}
 */
export function pointsOf(losses) {
  const most = Math.max(...losses) || 1;
  const [right, down] = [WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE];
  return losses.map((loss, at) => [
    EDGE + (right * at) / Math.max(1, losses.length - 1),
    EDGE + down * (1 - loss / most),
  ]);
}
