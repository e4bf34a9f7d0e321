// The parts of a table of the walk, and how wide they stand.

import { div, element, operator, span, symbol } from "../../kit/dom.js";

const LONG = 8; // characters of a name in one line, at most, where room is scarce

/** What stands for the numbers that are left out: nothing that a screen reader would have to hear of each. */
export const gap = () => element("td", { class: "gap", "aria-hidden": "true" }, "⋯");
export const headOfRow = (text, attributes = {}) =>
  element("th", { scope: "row", title: text, ...attributes }, element("bdi", {}, hyphenated(text)));
export const headOfColumn = (text, attributes = {}) =>
  element("th", { scope: "col", title: text, ...attributes }, element("bdi", {}, hyphenated(text)));
export const underline = (head) => `box-shadow: inset 0 -3px 0 var(--mha-head-${head})`;
export const arrow = () => operator("→");

/**
 * The steps of a further head by their letters.
 * @param {WalkStep[]} steps
 */
export const chainOf = (steps) =>
  div("chain", ...steps.flatMap((step, i) => [i ? arrow() : null, span("link", symbol(step.symbol))]));

/** A long name as it stands in two lines, where there is no room for one; a soft hyphen parts it. @param {string} text */
function halvesOf(text) {
  const signs = [...text];
  if (signs.length <= LONG) return [text];
  const middle = Math.ceil(signs.length / 2);
  return [`${signs.slice(0, middle).join("")}\u00ad`, signs.slice(middle).join("")];
}

/** A name that can be parted where it has no room for one line. @param {string} text */
export const hyphenated = (text) => halvesOf(text).join("");

/** Widths in characters, so that tables that belong together can share them: of numbers, and of names by them. */
export function sizeOf(rowLabels, colLabels, texts) {
  const number = widthOf(texts.flat());
  const above = Math.max(0, ...colLabels.map(width)) - 0.8;
  const halves = colLabels.flatMap((text) => halvesOf(text).map((half) => half.replace("\u00ad", "-")));
  const broken = Math.max(0, ...halves.map(width)) - 0.6;
  const beside = Math.max(1, ...rowLabels.map(width)) + 0.3;
  const sizes = { cols: colLabels.length, number, above, broken, beside };
  return Object.entries(sizes)
    .map(([name, size]) => `--${name}: ${size.toFixed(1)}`)
    .join("; ");
}

/** The width of a column of these numbers. @param {string[]} texts */
export const widthOf = (texts) => Math.max(2.2, ...longest(texts).map(width));

/** How wide a text stands, in digits of the page's own font. */
function width(text) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!widths.size) ruler.font = `16px ${getComputedStyle(document.body).fontFamily}`;
  if (!widths.has(text)) widths.set(text, ruler.measureText(text).width / ruler.measureText("0").width);
  if (widths.size > 20_000) widths.clear();
  return widths.get(text) ?? text.length;
}
/** Of numbers it is enough to measure the longest. */
function longest(texts) {
  const most = texts.reduce((length, text) => Math.max(length, text.length), 0);
  return [...new Set(texts.filter((text) => text.length >= most - 1))].slice(0, 40);
}
let ruler = null;
const widths = new Map();

/** Tables that stand above one another share their columns. `number`: they are so wide at least. */
export function shareWidth(tables, number = 0) {
  for (const name of ["--number", "--above", "--broken", "--beside"]) {
    const widths = tables.map((table) => Number(table.style.getPropertyValue(name)));
    const most = Math.max(...widths, name === "--number" ? number : 0);
    for (const table of tables) table.style.setProperty(name, most);
  }
}

/**
 * About how many digits wide a text is: a Chinese character takes two.
 * @param {string} text
 */
export const lengthOf = (text) =>
  [...text].reduce((sum, sign) => sum + (/[\u2e80-\uffef]/.test(sign) ? 2 : 1), 0);
