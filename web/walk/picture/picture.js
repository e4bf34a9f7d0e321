// One stage as a picture: the matrices that it reads and the one that it makes. Built once for a stage, then shown at
// a place: which cells stand there already, which are lit, and what the line of arithmetic says so far.

import { div, element, fill, setAttribute, shapeOf, span, symbol } from "../../kit/dom.js";
import {
  isDead,
  isHidden,
  key,
  kindAt,
  labelsOf,
  marked,
  rowsOf,
  symbolOf,
  termsOf,
} from "../../kit/graph.js";
import { corner, lookOf, table } from "../../kit/layout.js";
import { exact, largest, toneOf } from "../../kit/numbers.js";
import { Lights } from "../../kit/selection.js";
import { Excerpt } from "./excerpt.js";
import { Gaps } from "./gaps.js";
import { layOut } from "./layouts.js";
import { makeRoomForMaps, mapOf } from "./map.js";
import { fillCell } from "./result_cell.js";
import { focusOf, isCell, isLarge, isProduct, ownerOf, printed, stateAt } from "./scene.js";
import { isFolded } from "./shown_part.js";
import { chainOf, gap, headOfColumn, headOfRow, hyphenated, sizeOf, underline } from "./table_sizes.js";

const MOST_ASKED = 64; // fields at once; more are hidden without asking

export class Picture {
  slot = null; // room in the picture for the words, where it has some
  /** @type {Map<string, HTMLElement[]>} */
  cells = new Map(); // key → the <td>s that show it
  #results = []; // [{td, cell, text, kind, tone}] of what the stage makes, in order
  powerCells = new Map(); // "power|row|col" → its <td>
  /** @type {import("./vectors_view.js").Plane | null} */
  plane = null; // the arrows, where there are two dimensions
  extras = []; // of softmax: [{td, row, phase, text}]
  #dead = []; // [{th, row, text}] of what the stage makes: rows that are marked as dead
  excerpt = new Excerpt(this);
  #shows = ""; // which rows, columns and heads are shown

  /**
   * `step` is null where nothing is computed; `inShort`: it is the last of the stage's steps, the others are named.
   * Nothing is shown until it is laid out.
   * @param {WalkModel} model
   * @param {WalkStage} stage
   * @param {WalkStep} step
   * @param {{ inShort?: boolean }} [how]
   */
  constructor(model, stage, step, { inShort = false } = {}) {
    this.model = model;
    this.words = model.words;
    this.gaps = new Gaps(model.words);
    this.stage = stage;
    this.step = step;
    this.head = stage.head;
    this.inShort = inShort;
    this.root = div("picture");
  }

  /**
   * Lay out so many rows, columns and heads at most, and among them those that this place speaks of. Returns whether
   * anything else stands there than before.
   * @param {Place} place
   * @param {{ rows: number; cols: number }} [most]
   */
  lay(place, most = this.excerpt.most) {
    this.excerpt.choose(place, most);
    if (this.#shows === this.excerpt.text) return false;
    this.#redraw();
    return true;
  }

  #redraw() {
    this.cells.clear();
    this.#results = [];
    this.powerCells.clear();
    this.plane = null;
    this.extras = [];
    this.#dead = [];
    this.#lights.clear();
    this.slot = null;
    this.root.replaceChildren(...this.#chain(), layOut(this));
    makeRoomForMaps(this.root);
    this.#shows = this.excerpt.text;
  }

  /** Of a further head the steps before its last; the first head leaves room for them, so that its matrices stand there too. */
  #chain() {
    const { stage, step, inShort, model } = this;
    if (inShort) return [chainOf(stage.steps)];
    const further = model.stages.find(
      ({ kind, steps }) => kind === "head" && steps.at(-1).name === step?.name,
    );
    if (!further || stage.kind !== "step") return [];
    const chain = chainOf(further.steps);
    chain.classList.add("room");
    chain.setAttribute("aria-hidden", "true");
    return [chain];
  }

  /** Where a cell stands, or an exponential, "power|row|col"; undefined where it is folded away. */
  anchor(on) {
    if (!on.startsWith("power|")) return this.cells.get(on)?.[0];
    return this.powerCells.get(on);
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  /**
   * A table; `turned` lays rows across, `result` makes its cells those that the stage makes; one that stands `above` has
   * as many rows as the one to its left has columns.
   */
  matrix(name, head, { turned = false, result = false, bars = false, above = false } = {}) {
    const { model } = this;
    const { most } = this.excerpt;
    const of = ownerOf(this, name, head);
    const { axes, word } = model.matrices[name];
    const rows = rowsOf(model, name, of);
    const shown = printed(model, name, of);
    const texts = rows.map((row) => row.map(shown));
    const down = labelsOf(model, axes[0], rows.length);
    const across = labelsOf(model, axes[1], rows[0].length);
    const dead = (index) => !turned && isDead(model, name, of, index);
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
      if (typeof r === "object") return this.gaps.row(r, shownCols);
      const tds = shownCols.map((c) => {
        if (typeof c === "object") return gap();
        const [row, col] = turned ? [c, r] : [r, c];
        const cell = { name, head: of, row, col };
        return this.#cell(cell, texts[row][col], rows[row][col], { top, result, bars });
      });
      const text = rowLabels[r];
      const th = headOfRow(text);
      if (dead(r) && result) this.#dead.push({ th, row: r, text });
      else this.#label(th, text, dead(r));
      return element("tr", {}, th, ...tds);
    });
    const blocks = axes[1] === "h·d_v" && !turned;
    const heads = shownCols.map((c) => {
      if (typeof c === "object") return this.gaps.head(c);
      const text = colLabels[c];
      return headOfColumn(text, {
        title: text,
        style: blocks ? underline(Math.floor(c / model.dims.d_v)) : null,
      });
    });
    const sign = `${symbolOf(model, name, of)}${turned ? "ᵀ" : ""}`;
    const shape = shapeOf(rowLabels.length, colLabels.length);
    const map = isFolded(shownRows, shownCols)
      ? mapOf(
          fill(this.words.map, { matrix: sign.replaceAll("_", ""), shape }),
          turned ? rows[0].map((_, c) => rows.map((row) => row[c])) : rows,
          { rows: shownRows, cols: shownCols },
          model.matrices[name].scale,
        )
      : null;
    const caption = element("caption", {}, symbol(sign), span("shape", ` ${shape}`), map);
    const wide = this.gaps.labels(
      shownRows,
      rowLabels.map((text, r) => marked(text, dead(r))),
    );
    const style = sizeOf(wide, this.gaps.labels(shownCols, colLabels), texts);
    const label = `${word} ${sign.replaceAll("_", "")}, ${shape}`;
    const attributes = { class: lookOf(model.matrices[name]), style, "aria-label": label };
    return table(attributes, [corner(), ...heads], body, { caption });
  }

  /** A row's label; a query that may attend to nothing is marked. */
  #label(th, text, dead) {
    th.title = dead ? this.words.dead_row : text;
    th.firstChild.textContent = marked(hyphenated(text), dead);
  }

  #cell(cell, text, value, { top, result, bars }) {
    const of = key(cell);
    const tone = toneOf(value, top).toFixed(3);
    const sign = kindAt(this.model, cell, value);
    const kind = bars && sign === "positive" ? "bar" : sign;
    const title = isLarge(value) ? exact(value) : null; // the whole of it
    const attributes = { data: { key: of, kind }, style: `--tone: ${tone}`, title };
    const td = element("td", attributes, element("span", {}, text));
    if (!this.cells.has(of)) this.cells.set(of, []);
    this.cells.get(of).push(td);
    const told = isHidden(this.model, cell, value) ? this.words.hidden : "";
    setAttribute(td, "aria-description", told);
    if (result) this.#results.push({ td, cell, text, value, kind, tone, told });
    return td;
  }

  // --- showing a place -------------------------------------------------------------------------------------------

  /**
   * Bring the picture to a place. `hiding`: what this place makes is asked for, not shown; `answers`: what was filled
   * in; `ask` is called with a cell's field when it is made.
   */
  show(place, { hiding, revealed, answers, onAnswer }) {
    const state = stateAt(this, place, hiding || revealed);
    const asked = hiding || revealed ? this.#results.filter((one) => state(one.cell) === "now") : [];
    const asking = !hiding ? "checked" : asked.length <= MOST_ASKED ? "field" : "hidden";
    const asks = new Set(asked);
    for (const one of this.#results) {
      const when = state(one.cell);
      const { td } = one;
      td.classList.toggle("later", when === "later");
      td.classList.toggle("now", when === "now" && place.part !== null);
      fillCell(
        this.model,
        one,
        asks.has(one) ? asking : when === "later" ? "hidden" : "shown",
        answers,
        onAnswer,
      );
    }
    const unknown = new Set(
      this.#results.filter((one) => ["field", "hidden"].includes(one.look)).map(({ cell }) => cell.row),
    );
    for (const { th, row, text } of this.#dead) this.#label(th, text, !unknown.has(row));
    this.#showPhases(place, hiding);
    this.#showPlane(place);
    this.#light(place);
    return asked;
  }

  /** The arrows of the row that is spoken of, once its numbers stand. */
  #showPlane(place) {
    const cell = this.plane && focusOf(this, place);
    const row = this.#results.filter((one) => one.cell.row === cell?.row);
    const stands =
      row.length &&
      row.every(({ look, td }) => look !== "field" && look !== "hidden" && !td.classList.contains("later"));
    this.plane?.show(stands ? cell : null);
  }

  #showPhases(place, hiding) {
    for (const { td, row, phase, text } of this.extras) {
      const part = place.part ?? Infinity;
      const reached = row < part || (row === part && (place.beat === null || place.beat >= phase));
      const later = !reached || (hiding && (place.part === null || row === part));
      td.classList.toggle("later", later);
      td.replaceChildren(element("span", {}, later ? "" : text));
      td.classList.toggle("now", row === part);
    }
  }

  #lights = new Lights();

  #light(place) {
    this.#lights.clear();
    if (place.part === null || this.stage.kind === "head") return;
    const cell = focusOf(this, place);
    if (!cell) return;
    const summed = isProduct(this) && isCell(this, place);
    termsOf(this.model, cell).forEach((term, k) => {
      const name =
        !summed || place.beat === null || k < place.beat ? "operand" : k === place.beat ? "term" : null;
      if (name) for (const one of term) this.#mark(one, name);
    });
    this.#mark(cell, "current");
  }

  #mark(cell, name) {
    this.#lights.light(this.cells.get(key(cell)) ?? [], name);
  }
}
