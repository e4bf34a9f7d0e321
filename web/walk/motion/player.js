// Plays a motion over a picture. The pieces are in a layer of their own, which is removed with the motion; the picture
// below stays as it is. Only transforms and opacities change, by the browser's own animations, so that they can be
// stopped, reversed and set to any time.

import { div, element } from "../../kit/dom.js";
import { unkey } from "../../kit/graph.js";
import { EASE, placed } from "./tracks.js";

const EASING = `cubic-bezier(${EASE})`;

/** @type {(frame: PixelFrame, look: string) => Keyframe} */
function keyframe({ at, x, y, scale, stretch, opacity }, look) {
  const middle = look === "bar" ? "translate(0, -50%)" : "translate(-50%, -50%)";
  const size = `scale(${(scale * stretch).toFixed(4)}, ${scale})`;
  const transform = `translate(${x.toFixed(2)}px, ${y.toFixed(2)}px) ${middle} ${size}`;
  return { offset: at, opacity, transform, easing: EASING };
}

/** What a motion is played over: the walk, and the part of it that the layer covers. @typedef {{ root: HTMLElement; zone: HTMLElement }} Stage */

export class Player {
  /** @type {Animation[]} */
  #animations;
  /** @type {Map<string, Box>} */
  #boxes = new Map();
  #removed = new AbortController();
  #fixed; // a cell, and where it was when the motion began: how far the picture has scrolled since

  /**
   * @param {import("../picture/picture.js").Picture} picture
   * @param {Motion} motion
   * @param {Stage & { ended: () => void }} stage
   */
  constructor(picture, motion, { root, zone, ended }) {
    this.motion = motion;
    this.picture = picture;
    this.layer = element("div", { class: "motion-layer", "aria-hidden": "true" });
    const td = picture.requireAnchor(motion.tracks[0].frames[0].on);
    this.size = Number.parseFloat(getComputedStyle(td).fontSize);
    this.origin = this.#layOut(root, zone);
    this.#fixed = { td, at: td.getBoundingClientRect() };
    const pieces = motion.tracks.map((track) => this.#piece(track)); // all are measured before any is on the page
    this.pieces = pieces.map(({ node }) => node);
    this.layer.append(...this.pieces);
    root.append(this.layer);
    this.#animations = pieces.map(({ node, frames }) => node.animate(frames, this.#timing));
    this.#animations.push(...this.#arrows());
    this.#animations[0].addEventListener("finish", ended);
    root.addEventListener("scroll", () => this.#scrolled(), { capture: true, signal: this.#removed.signal });
  }

  /** @returns {KeyframeAnimationOptions} */
  get #timing() {
    return { duration: this.motion.duration, fill: "both" };
  }

  /**
   * Lay the layer over the zone, and a little around it. Returns its top left corner.
   * @param {HTMLElement} root
   * @param {HTMLElement} zone
   */
  #layOut(root, zone) {
    const [outer, inner] = [root, zone].map((node) => node.getBoundingClientRect());
    const { size } = this;
    const left = Math.max(Math.min(0, inner.left), inner.left - size); // never wider than the page
    const right = Math.min(Math.max(document.documentElement.clientWidth, inner.right), inner.right + size);
    const origin = { x: left, y: inner.y - size };
    Object.assign(this.layer.style, {
      left: `${origin.x - outer.x}px`,
      top: `${origin.y - outer.y}px`,
      width: `${right - left}px`,
      height: `${inner.height + 2 * size}px`,
      fontSize: `${size}px`,
    });
    return origin;
  }

  #scrolled() {
    const { td, at } = this.#fixed;
    const now = td.getBoundingClientRect();
    for (const piece of this.pieces) piece.style.translate = `${now.x - at.x}px ${now.y - at.y}px`;
  }

  /** Where a cell or an exponential is in the layer. @param {string} on */
  #box(on) {
    const known = this.#boxes.get(on);
    if (known) return known;
    const { x, y, width, height } = this.picture.requireAnchor(on).getBoundingClientRect();
    const box = { x: x - this.origin.x, y: y - this.origin.y, width, height };
    this.#boxes.set(on, box);
    return box;
  }

  /** @param {MotionTrack} track */
  #piece(track) {
    const { look, of, text } = track;
    const name = of.startsWith("power|") ? "" : unkey(of).name;
    const hue = this.picture.model.matrices[name]?.hue;
    const { width, height, steps } = placed(track, (on) => this.#box(on));
    const over = look === "cover" ? 1 : 0; // the edges of cells are between pixels
    const node = div(`piece ${look} ${hue ? `hue-${hue}` : ""}`, text);
    if (look !== "term")
      Object.assign(node.style, { width: `${width + over}px`, height: `${height + over}px` });
    if (look === "number") {
      const td = this.picture.requireAnchor(of);
      node.dataset.kind = td.dataset.kind;
      node.style.setProperty("--tone", td.style.getPropertyValue("--tone"));
    }
    return { node, frames: steps.map((step) => keyframe(step, look)) };
  }

  #arrows() {
    const { plane } = this.picture;
    if (!plane) return [];
    return this.motion.arrows.flatMap(({ key, frames }) => {
      const arrow = plane.arrow(key);
      if (!arrow) return [];
      const keyframes = frames.map(({ at, x, y, scale, opacity }) => ({
        offset: at,
        opacity,
        transform: plane.transform(x, y, scale),
        easing: EASING,
      }));
      return [arrow.animate(keyframes, this.#timing)];
    });
  }

  get isPlaying() {
    return this.#animations[0].playState === "running";
  }

  /** The time, 0 to 1. */
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

  remove() {
    this.#removed.abort();
    for (const animation of this.#animations) animation.cancel();
    this.layer.remove();
  }
}
