// One stage as a picture: the matrices that it reads and the one that it computes. It is laid out for a stage and then
// shown at a place: which cells have their numbers already, which are highlighted, and which are asked for.

import {
  div,
  element,
  elementsOf,
  fill,
  setAttribute,
  setText,
  shapeOf,
  span,
  symbol,
  titled,
} from "../../kit/dom.js";
import {
  isDead,
  isHidden,
  key,
  kindAt,
  labelsOf,
  marked,
  requireRows,
  symbolOf,
  termsOf,
  unkey,
} from "../../kit/graph.js";
import { corner, lookOf, table } from "../../kit/layout.js";
import { exact, largest, toneOf } from "../../kit/numbers.js";
import { cellIn, Lights } from "../../kit/selection.js";
import { Excerpt } from "./excerpt.js";
import { exponentOf, layOut } from "./layouts.js";
import { makeRoomForMaps, mapOf } from "./map.js";
import {
  chainOf,
  columnHead,
  gapCell,
  gapColumnHead,
  gapRow,
  hyphenated,
  labelsWithGaps,
  rowHead,
  sizeOf,
  underline,
  widen,
} from "./picture_tables.js";
import { fillCell } from "./result_cell.js";
import {
  focusOf,
  hasStep,
  isCell,
  isLarge,
  isProduct,
  ownerOf,
  powersOf,
  printed,
  stateAt,
} from "./scene.js";
import { isFolded } from "./shown_indices.js";

const MOST_FIELDS = 64; // at once; where more numbers are asked for, they are hidden without a field

/**
 * `turned` lays rows across. `result` makes the cells those that the stage computes. A table `above` another has as many
 * rows as that one has columns. `bars` draws weights as bars.
 * @typedef {{ turned?: boolean; result?: boolean; bars?: boolean; above?: boolean }} MatrixOptions
 */

export class Picture {
  /** @type {Cell | null} */
  followed = null; // the number of the token that is followed, where there is one
  /** @type {Cell | null} */
  about = null; // the number that somebody asks about, until the walk moves
  /** @type {HTMLElement | null} */
  slot = null; // where the picture has room for the words of the step
  /** @type {Map<string, HTMLElement[]>} */
  cells = new Map(); // key → the <td>s that show it
  /** @type {{ node: HTMLElement; name: string; head: number | null; bars: boolean }[]} */
  #tables = [];
  /** @type {ResultCell[]} */
  #results = []; // in order
  /** @type {Map<string, HTMLElement>} */
  powerCells = new Map(); // "power|row|col" → its <td>
  /** @type {import("./vectors_view.js").Plane | null} */
  plane = null; // the arrows, where values have two dimensions
  /** @type {PowerCell[]} */
  powers = []; // the same cells in order
  /** @type {{ th: HTMLElement; row: number; text: string }[]} */
  #deadRows = []; // heads of the result's rows for queries that may attend to nothing
  #shown = ""; // the excerpt that is laid out
  #lights = new Lights();

  /**
   * `step` is null where nothing is computed. `inShort`: it is the last of the stage's steps, and the others are named.
   * Nothing is shown until the picture is laid out.
   * @param {WalkModel} model
   * @param {WalkStage} stage
   * @param {WalkStep | null} step
   * @param {{ inShort?: boolean }} [how]
   */
  constructor(model, stage, step, { inShort = false } = {}) {
    this.model = model;
    this.words = model.words;
    this.stage = stage;
    this.step = step;
    this.head = stage.head;
    this.inShort = inShort;
    this.excerpt = new Excerpt(this);
    this.root = div("picture");
  }

  /**
   * Lay out at most so many rows, columns and heads, and among them those that this place is about. Returns whether the
   * layout has changed.
   * @param {Place} place
   * @param {Limit} [most]
   */
  layOut(place, most = this.excerpt.most) {
    this.excerpt.choose(place, most);
    if (this.#shown === this.excerpt.text) return false;
    this.#render();
    return true;
  }

  #render() {
    this.cells.clear();
    this.#tables = [];
    this.#results = [];
    this.powerCells.clear();
    this.plane = null;
    this.powers = [];
    this.#deadRows = [];
    this.#lights.clear();
    this.slot = null;
    this.root.replaceChildren(...this.#chain(), layOut(this));
    makeRoomForMaps(this.root);
    this.#shown = this.excerpt.text;
  }

  /**
   * Of a further head the steps before its last. The first head leaves the same room, so that its matrices are in the
   * same place.
   */
  #chain() {
    const { stage, step, inShort, model } = this;
    if (inShort) return [chainOf(stage.steps)];
    const further = model.stages.find(
      ({ kind, steps }) => kind === "head" && steps.at(-1)?.name === step?.name,
    );
    if (!further || stage.kind !== "step") return [];
    const chain = chainOf(further.steps);
    chain.classList.add("room");
    chain.setAttribute("aria-hidden", "true");
    return [chain];
  }

  /**
   * The element of a cell by its key, or of an exponential by "power|row|col". Undefined where it is folded away.
   * @param {string} on
   */
  anchor(on) {
    if (!on.startsWith("power|")) return this.cells.get(on)?.[0];
    return this.powerCells.get(on);
  }

  /** The same. Raises where it is folded away. @param {string} on */
  requireAnchor(on) {
    const td = this.anchor(on);
    if (!td) throw new Error(`${on} is not in the picture`);
    return td;
  }

  /**
   * The number that a cell of a table shows, or that comes of it; null where it is not shown yet.
   * @param {HTMLElement} td
   * @returns {Cell | null}
   */
  numberIn(td) {
    const result = this.#results.find((shown) => shown.td === td);
    if (td.matches(".later") || (result && isUnknown(result))) return null;
    const { key: shown = td.dataset.weight } = td.dataset;
    if (shown) return unkey(shown);
    const [row, col] = (td.dataset.power ?? "").split("|");
    if (!hasStep(this) || !col) return null;
    return { name: this.step.name, head: this.head, row: Number(row), col: col === "sum" ? 0 : Number(col) };
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  /**
   * A matrix as a table.
   * @param {string} name
   * @param {number | null} head
   * @param {MatrixOptions} [options]
   */
  matrix(name, head, { turned = false, result = false, bars = false, above = false } = {}) {
    const { model, words } = this;
    const { most } = this.excerpt;
    const owner = ownerOf(this, name, head);
    const { axes, word } = model.matrices[name];
    const rows = requireRows(model, name, owner);
    const print = printed(model, name, owner);
    const texts = rows.map((row) => row.map(print));
    const down = labelsOf(model, axes[0], rows.length);
    const across = labelsOf(model, axes[1], rows[0].length);
    /** @param {number} index */
    const dead = (index) => !turned && isDead(model, name, owner, index);
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const shownRows = this.excerpt.along(
      name,
      turned ? "col" : "row",
      rowLabels.length,
      above ? most.cols : most.rows,
    );
    const shownCols = this.excerpt.along(name, turned ? "row" : "col", colLabels.length, most.cols);
    const top = bars ? 1 : largest(rows);
    const body = shownRows.map((r) => {
      if (typeof r === "object") return gapRow(words, r, shownCols.length);
      const tds = shownCols.map((c) => {
        if (typeof c === "object") return gapCell();
        const [row, col] = turned ? [c, r] : [r, c];
        const cell = { name, head: owner, row, col };
        return this.#cell(cell, texts[row][col], rows[row][col], { top, result, bars });
      });
      const text = rowLabels[r];
      const th = rowHead(text);
      if (dead(r) && result) this.#deadRows.push({ th, row: r, text });
      else this.#label(th, text, dead(r));
      return element("tr", {}, th, ...tds);
    });
    const isConcat = axes[1] === "h·d_v" && !turned;
    const heads = shownCols.map((c) => {
      if (typeof c === "object") return gapColumnHead(words, c);
      return columnHead(colLabels[c], {
        style: isConcat ? underline(Math.floor(c / model.dims.d_v)) : null,
      });
    });
    const sign = `${symbolOf(model, name, owner)}${turned ? "ᵀ" : ""}`;
    const shape = shapeOf(rowLabels.length, colLabels.length);
    const map = isFolded(shownRows, shownCols)
      ? mapOf(
          fill(words.map, { matrix: sign.replaceAll("_", ""), shape }),
          turned ? rows[0].map((_, c) => rows.map((row) => row[c])) : rows,
          { rows: shownRows, cols: shownCols },
          model.matrices[name].scale,
        )
      : null;
    const caption = element("caption", {}, symbol(sign), span("shape", ` ${shape}`), map);
    const markedLabels = rowLabels.map((text, r) => marked(text, dead(r)));
    const style = sizeOf(
      labelsWithGaps(shownRows, markedLabels),
      labelsWithGaps(shownCols, colLabels),
      texts,
    );
    const label = titled(words, `${word} ${sign.replaceAll("_", "")}`, shape);
    const attributes = { class: lookOf(model.matrices[name]), style, "aria-label": label };
    const node = table(attributes, [corner(), ...heads], body, { caption });
    this.#tables.push({ node, name, head: owner, bars });
    return node;
  }

  /**
   * Label a row. That of a query that may attend to nothing is marked.
   * @param {HTMLElement} th
   * @param {string} text
   * @param {boolean} dead
   */
  #label(th, text, dead) {
    th.title = dead ? this.words.dead_row : text;
    if (th.firstChild) th.firstChild.textContent = marked(hyphenated(text), dead);
  }

  /**
   * @param {Cell} cell
   * @param {string} text
   * @param {Value} value
   * @param {{ top: number; result: boolean; bars: boolean }} options
   */
  #cell(cell, text, value, { top, result, bars }) {
    const { kind, tone, title, description } = this.#lookOf(cell, value, top, bars);
    const attributes = { data: { key: key(cell), kind }, style: `--tone: ${tone}`, title };
    const td = element("td", attributes, element("span", {}, text));
    const others = this.cells.get(key(cell));
    if (others) others.push(td);
    else this.cells.set(key(cell), [td]);
    setAttribute(td, "aria-description", description);
    if (result) this.#results.push({ td, cell, text, value, kind, tone, description });
    return td;
  }

  /** @type {(cell: Cell, value: Value, top: number, bars: boolean) => { kind: string; tone: string; title: string | null; description: string }} */
  #lookOf(cell, value, top, bars) {
    const sign = kindAt(this.model, cell, value);
    return {
      kind: bars && sign === "positive" ? "bar" : sign,
      tone: toneOf(value, top).toFixed(3),
      title: isLarge(value) ? exact(value) : null, // all its digits
      description: isHidden(this.model, cell, value) ? this.words.hidden : "",
    };
  }

  // --- other numbers ---------------------------------------------------------------------------------------------

  /**
   * The model's numbers have changed in place: write them into the cells that are there, so that a finger or the focus
   * keeps its cell. Returns whether a column has become wider. `show` then shows the place.
   */
  repaint() {
    const results = new Map(this.#results.map((result) => [result.td, result]));
    const isWider = this.#tables.map((shown) => this.#repaintTable(shown, results));
    return [...isWider, this.#repaintPowers()].some(Boolean);
  }

  /** @type {(shown: { node: HTMLElement; name: string; head: number | null; bars: boolean }, results: Map<HTMLElement, ResultCell>) => boolean} */
  #repaintTable({ node, name, head, bars }, results) {
    const rows = requireRows(this.model, name, head);
    const print = printed(this.model, name, head);
    const top = bars ? 1 : largest(rows);
    const texts = elementsOf(node, "td[data-key]").map((td) => {
      const cell = cellIn(td);
      const value = rows[cell.row][cell.col];
      const { title, ...look } = this.#lookOf(cell, value, top, bars);
      const text = print(value);
      setAttribute(td, "title", title);
      const result = results.get(td);
      if (result) Object.assign(result, { text, value, ...look });
      if (!result || !isUnknown(result)) writeNumber(td, text, look);
      return text;
    });
    return widen(node, texts);
  }

  #repaintPowers() {
    const printedPowers = hasStep(this) ? powersOf(this) : null;
    const node = this.powers[0]?.td.closest("table");
    if (!printedPowers || !node) return false;
    for (const power of this.powers) {
      const [row, col] = (power.td.dataset.power ?? "").split("|");
      power.text = printedPowers.text(Number(row), col === "sum" ? col : Number(col));
    }
    const exponent = node.querySelector("caption sup");
    if (exponent) exponent.textContent = exponentOf(printedPowers.isShifted);
    return widen(node, printedPowers.texts);
  }

  // --- showing a place -------------------------------------------------------------------------------------------

  /**
   * Show a place. Returns the results that are asked for there.
   * @param {Place} place
   * @param {ShowOptions} options
   */
  show(place, { hiding, revealed, answers, onAnswer }) {
    const isAsked = hiding || revealed;
    const state = stateAt(this, place, isAsked);
    const asked = isAsked ? this.#results.filter(({ cell }) => state(cell) === "now") : [];
    const askedMode = !hiding ? "checked" : asked.length <= MOST_FIELDS ? "field" : "hidden";
    for (const result of this.#results) {
      const { td, cell } = result;
      const when = state(cell);
      td.classList.toggle("later", when === "later");
      td.classList.toggle("now", when === "now" && place.part !== null);
      const mode = isAsked && when === "now" ? askedMode : when === "later" ? "hidden" : "shown";
      fillCell(this.model, result, mode, answers, onAnswer);
    }
    const unknownRows = new Set(this.#results.filter(isUnknown).map(({ cell }) => cell.row));
    for (const { th, row, text } of this.#deadRows) this.#label(th, text, !unknownRows.has(row));
    this.#showPowers(place, hiding);
    this.#showPlane(place);
    this.#highlight(place);
    return asked;
  }

  /** Show the arrows of the row in focus, once all its numbers are shown. @param {Place} place */
  #showPlane(place) {
    if (!this.plane) return;
    const focus = focusOf(this, place);
    const cell = focus &&
      this.step && { ...focus, name: this.step.name, head: ownerOf(this, this.step.name) };
    const isRow = focus?.name === cell?.name || this.model.matrices[focus?.name ?? ""]?.scale === "weights";
    if (!isRow) return; // a value is explained, which is in every row: the arrows stay
    const row = this.#results.filter((result) => result.cell.row === cell?.row);
    const isShown =
      row.length && row.every((result) => !isUnknown(result) && !result.td.classList.contains("later"));
    this.plane.show(isShown ? cell : null);
  }

  /**
   * @param {Place} place
   * @param {boolean} hiding
   */
  #showPowers(place, hiding) {
    const part = place.part ?? Infinity;
    for (const { td, row, phase, text } of this.powers) {
      const isReached = row < part || (row === part && (place.beat === null || place.beat >= phase));
      const isLater = !isReached || (hiding && (place.part === null || row === part));
      td.classList.toggle("later", isLater);
      td.replaceChildren(element("span", {}, isLater ? "" : text));
      td.classList.toggle("now", row === part);
    }
  }

  /**
   * Highlight the cell in focus and its operands, of a sum that is shown term by term those that are reached.
   * @param {Place} place
   */
  #highlight(place) {
    this.#lights.clear();
    if (!this.about && (place.part === null || this.stage.kind === "head")) return;
    const cell = focusOf(this, place);
    if (!cell) return;
    const current =
      !this.about && isProduct(this) && isCell(this, place) ? (place.beat ?? Infinity) : Infinity;
    termsOf(this.model, cell).forEach((term, k) => {
      if (k > current) return;
      for (const operand of term) this.#light(operand, k === current ? "term" : "operand");
    });
    this.#light(cell, "current");
  }

  /**
   * @param {Cell} cell
   * @param {string} name of the class
   */
  #light(cell, name) {
    this.#lights.light(this.cells.get(key(cell)) ?? [], name);
  }
}

/**
 * Write a number into a cell, around which a spinbutton may be.
 * @type {(td: HTMLElement, text: string, look: { kind: string; tone: string; description: string }) => void}
 */
function writeNumber(td, text, { kind, tone, description }) {
  const number = td.querySelector("span:not(.spin)");
  if (number) setText(number, text);
  td.dataset.kind = kind;
  td.style.setProperty("--tone", tone);
  setAttribute(td, "aria-description", description);
}

/** @param {ResultCell} result */
const isUnknown = ({ look }) => look === "field" || look === "hidden";
