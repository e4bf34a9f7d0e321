// A motion as a file: what the picture and its pieces look like is read off the page, and drawn as an animated SVG.

import { elementsOf } from "../../kit/dom.js";
import { drawing } from "./motion_svg.js";
import { Player } from "./player.js";
import { placed } from "./tracks.js";

/** @typedef {import("../picture/picture.js").Picture} Picture */
/** Any colour as #rrggbb. @typedef {(colour: string) => string} Paint */

/**
 * The motion of a picture as the text of an animated SVG, in the colours of the page.
 * @param {Picture} picture
 * @param {Motion} motion
 * @param {import("./player.js").Stage} stage
 * @param {{ title: string; line: string }} words
 */
export function motionFile(picture, motion, stage, words) {
  const player = new Player(picture, motion, { ...stage, ended: () => {} });
  player.seek(0);
  try {
    return drawing(sceneryOf(picture, player, words));
  } finally {
    player.remove();
  }
}

/**
 * @param {Picture} picture
 * @param {Player} player at the beginning of the motion
 * @param {{ title: string; line: string }} words
 * @returns {Scenery}
 */
function sceneryOf(picture, { motion, pieces, size }, words) {
  const frame = picture.root.getBoundingClientRect();
  const style = getComputedStyle(picture.root);
  const paint = painter(picture.root);
  const [left, top] = [frame.x - size, frame.y - size / 2];
  /** A place on the page as one in the file. @type {(rect: Box) => Box} */
  const box = ({ x, y, width, height }) => ({ x: x - left, y: y - top, width, height });
  /** @param {string} on */
  const boxOf = (on) => box(picture.requireAnchor(on).getBoundingClientRect());
  const hasArrows = motion.arrows.some(({ key }) => picture.plane?.arrow(key));
  return {
    width: frame.width + 2 * size,
    height: frame.height + size,
    paper: paint("var(--paper)"),
    font: style.fontFamily,
    size,
    lang: picture.words.lang,
    ink: paint(style.color),
    ...words,
    patches: elementsOf(picture.root, "td[data-kind]").map((td) => ({
      ...box(td.getBoundingClientRect()),
      ...coloursOf(td, paint),
    })),
    labels: labelsIn(picture.root, box, paint, size),
    moving: motion.tracks.map((track, index) => {
      const node = pieces[index];
      const { width, height, steps } = placed(track, boxOf);
      const isTerm = track.look === "term"; // as large as its text
      const colours = coloursOf(node, paint);
      return {
        look: track.look,
        text: track.text,
        ...colours,
        fill: track.look === "bar" ? paint(style.getPropertyValue("--mha-weight")) : colours.fill,
        ink: paint(getComputedStyle(node).color),
        width: isTerm ? node.offsetWidth : width,
        height: isTerm ? node.offsetHeight : height,
        steps,
      };
    }),
    duration: motion.duration,
    plane: picture.plane && hasArrows ? picture.plane.scenery(motion.arrows, box, paint) : null,
  };
}

/**
 * The colours of a cell, or of a piece: its paper, its bar and its outline.
 * @type {(node: HTMLElement, paint: Paint) => Colours}
 */
function coloursOf(node, paint) {
  const style = getComputedStyle(node);
  const isBar = node.dataset.kind === "bar";
  const isOutlined = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
  return {
    fill: paint(isBar ? style.getPropertyValue("--cell-paper") : style.backgroundColor),
    tone: Number(style.getPropertyValue("--tone")) || 0,
    bar: isBar ? paint(style.getPropertyValue("--mha-weight")) : "",
    stroke: isOutlined ? paint(style.outlineColor) : "",
  };
}

/**
 * Every piece of text that is visible, where it is.
 * @type {(root: HTMLElement, box: (rect: Box) => Box, paint: Paint, size: number) => SceneryLabel[]}
 */
function labelsIn(root, box, paint, size) {
  const family = getComputedStyle(root).fontFamily;
  const labels = [];
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (nodes.nextNode()) {
    const text = nodes.currentNode;
    const parent = text.parentElement;
    const label = text.textContent?.trim();
    if (!parent || !label || parent.closest(".text")) continue;
    if (!parent.checkVisibility({ opacityProperty: true })) continue;
    range.selectNodeContents(text);
    const { x, y, width, height } = box(range.getBoundingClientRect());
    const style = getComputedStyle(parent);
    labels.push({
      x: x + width / 2,
      y: y + height / 2,
      text: label.replaceAll("\u00ad", ""), // a soft hyphen, where a name may break
      size: Number.parseFloat(style.fontSize) || size,
      weight: style.fontWeight,
      family: style.fontFamily === family ? "" : style.fontFamily,
      fill: paint(style.color),
    });
  }
  return labels;
}

/**
 * Any colour as #rrggbb, as it looks on the paper of a part of the page.
 * @param {HTMLElement} root
 * @returns {Paint}
 */
function painter(root) {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  if (!canvas) throw new Error("no canvas to read colours from");
  const probe = document.createElement("i");
  /** @type {Map<string, string>} */
  const painted = new Map();
  /** @param {string} colour which may be written with light-dark() or color-mix() */
  const computed = (colour) => {
    probe.style.color = colour;
    root.append(probe);
    const rgb = getComputedStyle(probe).color;
    probe.remove();
    return rgb;
  };
  const paper = computed("var(--paper)");
  return (colour) => {
    const known = painted.get(colour);
    if (known) return known;
    for (const layer of [paper, computed(colour)]) {
      canvas.fillStyle = layer;
      canvas.fillRect(0, 0, 1, 1);
    }
    const rgb = [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
    const hex = `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    painted.set(colour, hex);
    return hex;
  };
}
