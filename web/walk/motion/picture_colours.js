// What a picture and its motion look like on the page, read off it for a drawing.

import { drawing } from "./motion_svg.js";
import { placed } from "./pixel_tracks.js";
import { Player } from "./player.js";

/** @typedef {import("../picture/picture.js").Picture} Picture */

/**
 * The motion of a picture as the text of an animated SVG, in the colours of the page.
 * @param {Picture} picture
 * @param {import("./tracks.js").Motion} motion
 * @param {{ root: HTMLElement; zone: HTMLElement }} where
 * @param {{ title: string; line: string }} words
 */
export function drawn(picture, motion, where, words) {
  const player = new Player(picture, motion, { ...where, ended: () => {} });
  player.seek(0);
  try {
    return drawing(scenery(picture, motion, player, words));
  } finally {
    player.leave();
  }
}

function scenery(picture, motion, player, words) {
  const frame = picture.root.getBoundingClientRect();
  const style = getComputedStyle(picture.root);
  const colour = painter(picture.root);
  const size = Number.parseFloat(player.layer.style.fontSize);
  const [left, top] = [frame.x - size, frame.y - size / 2];
  const box = ({ x, y, width, height }) => ({ x: x - left, y: y - top, width, height });
  const boxOf = (on) => box(picture.anchor(on).getBoundingClientRect());
  return {
    width: frame.width + 2 * size,
    height: frame.height + size,
    paper: colour("var(--paper)"),
    font: style.fontFamily,
    size,
    lang: picture.words.lang,
    ink: colour(style.color),
    ...words,
    patches: [...picture.root.querySelectorAll("td[data-kind]")].map((td) => ({
      ...box(td.getBoundingClientRect()),
      ...coloursOf(td, colour),
    })),
    labels: labelsIn(picture.root, box, colour, size),
    moving: motion.tracks.map((track, index) => {
      const node = player.layer.children[index];
      const { width, height, steps } = placed(track, boxOf);
      const wide = track.look === "term" ? node.offsetWidth : width;
      const high = track.look === "term" ? node.offsetHeight : height;
      const fill = track.look === "bar" ? colour(style.getPropertyValue("--mha-weight")) : null;
      const ink = colour(getComputedStyle(node).color);
      const text = track.text;
      return {
        look: track.look,
        text,
        ...coloursOf(node, colour),
        ...(fill && { fill }),
        ink,
        width: wide,
        height: high,
        steps,
      };
    }),
    duration: motion.duration,
    plane: motion.arrows.some(({ of }) => picture.plane?.arrow(of))
      ? picture.plane.scenery(motion.arrows, box, colour)
      : null,
  };
}

/** The colours of a cell, or of a piece: its paper, its bar and its outline. */
function coloursOf(node, colour) {
  const style = getComputedStyle(node);
  const isBar = node.dataset.kind === "bar";
  const outlined = style.outlineStyle !== "none" && Number.parseFloat(style.outlineWidth) > 0;
  return {
    fill: colour(isBar ? style.getPropertyValue("--cell-paper") : style.backgroundColor),
    tone: Number(style.getPropertyValue("--tone")) || 0,
    bar: isBar ? colour(style.getPropertyValue("--mha-weight")) : "",
    stroke: outlined ? colour(style.outlineColor) : "",
  };
}

/** Every piece of text that is seen, where it stands. */
function labelsIn(root, box, colour, size) {
  const family = getComputedStyle(root).fontFamily;
  const labels = [];
  const nodes = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (
    let text = /** @type {Text} */ (nodes.nextNode());
    text;
    text = /** @type {Text} */ (nodes.nextNode())
  ) {
    const parent = text.parentElement;
    if (!text.data.trim() || parent.closest(".text") || !parent.checkVisibility({ opacityProperty: true }))
      continue;
    range.selectNodeContents(text);
    const { x, y, width, height } = box(range.getBoundingClientRect());
    const style = getComputedStyle(parent);
    labels.push({
      x: x + width / 2,
      y: y + height / 2,
      text: text.data.trim().replaceAll("\u00ad", ""), // where a name may be parted
      size: Number.parseFloat(style.fontSize) || size,
      weight: style.fontWeight,
      family: style.fontFamily === family ? "" : style.fontFamily,
      fill: colour(style.color),
    });
  }
  return labels;
}

/**
 * Any colour as #rrggbb, as it looks on the paper of a part of the page.
 * @param {HTMLElement} root
 * @returns {(colour: string) => string}
 */
function painter(root) {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const probe = document.createElement("i");
  const known = new Map();
  const computed = (colour) => {
    probe.style.color = colour; // which may be written with light-dark() or color-mix()
    root.append(probe);
    const rgb = getComputedStyle(probe).color;
    probe.remove();
    return rgb;
  };
  const paper = computed("var(--paper)");
  return (colour) => {
    if (!known.has(colour)) {
      for (const one of [paper, computed(colour)]) {
        canvas.fillStyle = one;
        canvas.fillRect(0, 0, 1, 1);
      }
      const rgb = [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)];
      known.set(colour, `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`);
    }
    return known.get(colour);
  };
}
