// What the tables of a picture are made of, and how wide their columns are.

import { div, element, fill, operator, span, symbol } from "../../kit/dom.js";

const LONG = 8; // characters of a name in one line, at most, where room is scarce

/** @type {(text: string, attributes?: Record<string, string>) => HTMLElement} */
export const rowHead = (text, attributes = {}) => head("row", text, attributes);

/** @type {(text: string, attributes?: Record<string, string | null>) => HTMLElement} */
export const columnHead = (text, attributes = {}) => head("col", text, attributes);

/** @type {(scope: string, text: string, attributes: Record<string, string | null>) => HTMLElement} */
const head = (scope, text, attributes) =>
  element("th", { scope, title: text, ...attributes }, element("bdi", {}, hyphenated(text)));

/** The style of a column that belongs to a head. @param {number} head */
export const underline = (head) => `box-shadow: inset 0 -3px 0 var(--mha-head-${head})`;

export const arrow = () => operator("→");

/** The steps of a further head by their letters. @param {WalkStep[]} steps */
export const chainOf = (steps) =>
  div("chain", ...steps.flatMap((step, i) => [i ? arrow() : null, span("link", symbol(step.symbol))]));

// --- rows and columns that are left out ------------------------------------------------------------------------------

/** The cell for numbers that are left out. A screen reader skips it. @returns {HTMLElement} */
export const gapCell = () => element("td", { class: "gap", "aria-hidden": "true" }, "⋯");

/** @param {Gap} gap */
const gapLabel = ({ count }) => `… ${count}`;

/**
 * The labels of the rows or columns that are shown, and of the gaps between them.
 * @type {(shown: IndexOrGap[], labels: string[]) => string[]}
 */
export const labelsWithGaps = (shown, labels) =>
  shown.map((at) => (typeof at === "object" ? gapLabel(at) : labels[at]));

/** How much a gap leaves out, in words. @type {(words: Record<string, string>, gap: Gap) => string} */
export const gapText = (words, { count }) => fill(words.more_rows, { count });

/**
 * A row in place of those that are left out.
 * @type {(words: Record<string, string>, gap: Gap, columns: number) => HTMLElement}
 */
export const gapRow = (words, gap, columns) =>
  element(
    "tr",
    {},
    rowHead(gapLabel(gap), { class: "gap", title: gapText(words, gap) }),
    ...Array.from({ length: columns }, gapCell),
  );

/**
 * The head of a column in place of those that are left out.
 * @type {(words: Record<string, string>, gap: Gap) => HTMLElement}
 */
export const gapColumnHead = (words, gap) =>
  columnHead(gapLabel(gap), { class: "gap", title: gapText(words, gap) });

// --- widths ----------------------------------------------------------------------------------------------------------

/** A long name in two halves, the first of which ends with a soft hyphen. @param {string} text */
function halvesOf(text) {
  const characters = [...text];
  if (characters.length <= LONG) return [text];
  const middle = Math.ceil(characters.length / 2);
  return [`${characters.slice(0, middle).join("")}\u00ad`, characters.slice(middle).join("")];
}

/** A name that may break in the middle where it has no room in one line. @param {string} text */
export const hyphenated = (text) => halvesOf(text).join("");

/**
 * Widths in digits as custom properties of a table, so that tables that belong together can share them.
 * @type {(rowLabels: string[], colLabels: string[], texts: string[][]) => string}
 */
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

/** @type {CanvasRenderingContext2D | null} */
let ruler = null;
/** @type {Map<string, number>} */
const widths = new Map();

/** How wide a text is, in digits of the page's own font. @param {string} text */
function width(text) {
  ruler ??= document.createElement("canvas").getContext("2d");
  if (!ruler) return text.length;
  if (!widths.size) ruler.font = `16px ${getComputedStyle(document.body).fontFamily}`;
  if (!widths.has(text)) widths.set(text, ruler.measureText(text).width / ruler.measureText("0").width);
  if (widths.size > 20_000) widths.clear();
  return widths.get(text) ?? text.length;
}

/** The texts that can be the widest: of many numbers only the longest are measured. @param {string[]} texts */
function longest(texts) {
  const most = texts.reduce((length, text) => Math.max(length, text.length), 0);
  return [...new Set(texts.filter((text) => text.length >= most - 1))].slice(0, 40);
}

/** @type {WeakMap<HTMLElement, HTMLElement[]>} */
const sharing = new WeakMap(); // a table → those that share its widths

/**
 * Tables above one another share the widths of their columns.
 * @param {HTMLElement[]} tables
 * @param {number} [number] the least width of a number
 */
export function shareWidth(tables, number = 0) {
  for (const table of tables) sharing.set(table, tables);
  for (const name of ["--number", "--above", "--broken", "--beside"]) {
    const widths = tables.map((table) => Number(table.style.getPropertyValue(name)));
    const most = Math.max(...widths, name === "--number" ? number : 0);
    for (const table of tables) table.style.setProperty(name, String(most));
  }
}

/**
 * Make a table's columns wide enough for other numbers, and those of the tables that share their width. Returns whether
 * they have become wider.
 * @type {(table: HTMLElement, texts: string[]) => boolean}
 */
export function widen(table, texts) {
  const number = widthOf(texts);
  if (number <= Number(table.style.getPropertyValue("--number"))) return false;
  shareWidth(sharing.get(table) ?? [table], number);
  return true;
}

/** About how many digits wide a text is: a Chinese character takes two. @param {string} text */
export const lengthOf = (text) =>
  [...text].reduce((sum, character) => sum + (/[\u2e80-\uffef]/.test(character) ? 2 : 1), 0);
