// Plays a motion over a picture: pieces in a layer of their own, which goes when the motion does; the picture below is
// left as it is. Only transforms and opacities move, by the browser's own animations: they can be stopped, turned round
// and set to any time.

import { childrenOf, div, element } from "../../kit/dom.js";
import { unkey } from "../../kit/graph.js";
import { EASE, placed } from "./pixel_tracks.js";

const EASING = `cubic-bezier(${EASE})`;

/** @type {(step: import("./pixel_tracks.js").Step, look: string) => Keyframe} */
function keyframe({ at, x, y, scale, stretch, opacity }, look) {
  const middle = look === "bar" ? "translate(0, -50%)" : "translate(-50%, -50%)";
  const size = `scale(${(scale * stretch).toFixed(4)}, ${scale})`;
  const transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) ${middle} ${size}`;
  return { offset: at, opacity, transform, easing: EASING };
}

export class Player {
  /** @type {Animation[]} */
  #animations = [];
  #anchors = new Map();
  #gone = new AbortController();

  /**
   * @param {import("../picture/picture.js").Picture} picture
   * @param {import("./tracks.js").Motion} motion
   * @param {{ root: HTMLElement; zone: HTMLElement; ended: () => void }} where the walk, and what the layer covers
   */
  constructor(picture, motion, { root, zone, ended }) {
    this.motion = motion;
    this.picture = picture;
    this.zone = zone;
    this.layer = element("div", { class: "motion-layer", "aria-hidden": "true" });
    this.#lay(root);
    const pieces = motion.tracks.map((track) => this.#piece(track)); // all are measured before any stands in the page
    this.layer.append(...pieces.map(({ node }) => node));
    root.append(this.layer);
    const timing = { duration: motion.duration, fill: /** @type {FillMode} */ ("both") };
    this.#animations = pieces.map(({ node, frames }) => node.animate(frames, timing));
    this.#animations.push(...this.#arrows());
    this.#animations[0].addEventListener("finish", ended);
    root.addEventListener("scroll", () => this.#scrolled(), { capture: true, signal: this.#gone.signal });
  }

  /** The layer lies over the zone, and a little around it. */
  #lay(root) {
    const [outer, inner] = [root, this.zone].map((node) => node.getBoundingClientRect());
    const [first] = this.motion.tracks;
    const td = this.picture.anchor(first.frames[0].on);
    const size = Number.parseFloat(getComputedStyle(td).fontSize);
    const left = Math.max(Math.min(0, inner.left), inner.left - size); // never wider than the page
    const right = Math.min(Math.max(document.documentElement.clientWidth, inner.right), inner.right + size);
    this.origin = { x: left, y: inner.y - size };
    Object.assign(this.layer.style, {
      left: `${this.origin.x - outer.x}px`,
      top: `${this.origin.y - outer.y}px`,
      width: `${right - left}px`,
      height: `${inner.height + 2 * size}px`,
      fontSize: `${size}px`,
    });
    this.fixed = { td, at: td.getBoundingClientRect() };
  }

  #scrolled() {
    const now = this.fixed.td.getBoundingClientRect();
    for (const piece of childrenOf(this.layer))
      piece.style.translate = `${now.x - this.fixed.at.x}px ${now.y - this.fixed.at.y}px`;
  }

  /** @param {string} on */
  #box(on) {
    if (!this.#anchors.has(on)) {
      const { x, y, width, height } = this.picture.anchor(on).getBoundingClientRect();
      this.#anchors.set(on, { x: x - this.origin.x, y: y - this.origin.y, width, height });
    }
    return this.#anchors.get(on);
  }

  /** @param {import("./tracks.js").Track} track */
  #piece(track) {
    const { look, of, text } = track;
    const td = this.picture.anchor(of);
    const name = of.startsWith("power|") ? "" : unkey(of).name;
    const hue = this.picture.model.matrices[name]?.hue;
    const { width, height, steps } = placed(track, (on) => this.#box(on));
    const over = look === "cover" ? 1 : 0; // cells stand between pixels
    const node = div(`piece ${look} ${hue ? `hue-${hue}` : ""}`, text);
    if (look !== "term")
      Object.assign(node.style, { width: `${width + over}px`, height: `${height + over}px` });
    if (look === "number") {
      node.dataset.kind = td.dataset.kind;
      node.style.setProperty("--tone", td.style.getPropertyValue("--tone"));
    }
    return { node, frames: steps.map((step) => keyframe(step, look)) };
  }

  #arrows() {
    const { plane } = this.picture;
    if (!plane) return [];
    return this.motion.arrows.flatMap(({ of, frames }) => {
      const arrow = plane.arrow(of);
      if (!arrow) return [];
      const steps = frames.map(({ at, x, y, scale, opacity }) => ({
        offset: at,
        opacity,
        transform: plane.transform(x, y, scale),
        easing: EASING,
      }));
      return [arrow.animate(steps, { duration: this.motion.duration, fill: "both" })];
    });
  }

  get isPlaying() {
    return this.#animations[0].playState === "running";
  }

  /** Where it is, 0 to 1. */
  get at() {
    return Number(this.#animations[0].currentTime ?? 0) / this.motion.duration;
  }

  /** @param {boolean} backwards */
  play(backwards) {
    if (!backwards && this.at >= 1) this.seek(0);
    if (backwards && this.at <= 0) this.seek(1);
    for (const animation of this.#animations) {
      animation.updatePlaybackRate(backwards ? -1 : 1);
      animation.play();
    }
  }

  stop() {
    for (const animation of this.#animations) animation.pause();
  }

  /** @param {number} at 0 to 1 */
  seek(at) {
    for (const animation of this.#animations) {
      animation.pause();
      animation.currentTime = at * this.motion.duration;
    }
  }

  leave() {
    this.#gone.abort();
    for (const animation of this.#animations) animation.cancel();
    this.layer.remove();
  }
}
