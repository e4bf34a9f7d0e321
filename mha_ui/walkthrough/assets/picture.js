// One stage as a picture: the matrices that it reads and the one that it makes. Built once for a stage, then shown at
// a place: which cells stand there already, which are lit, and what the line of arithmetic says so far.

import { div, element, fill, operator, shapeOf, span, symbol } from "../mha.web/dom.js";
import { isDead, isPerHead, key, labelsOf, marked, rowsOf, symbolOf, termsOf } from "../mha.web/graph.js";
import { exact, format, kindOf, largest, toneOf } from "../mha.web/numbers.js";
import { corner, table } from "../mha.web/pieces.js";
import { Lights } from "../mha.web/selection.js";
import { around } from "./around.js";
import { fillCell } from "./filled.js";
import { isFolded } from "./folds.js";
import { makeRoomForMaps, mapOf } from "./map.js";
import { hasPlane } from "./plane.js";
import { Plane } from "./planeview.js";
import { focusOf, isCell, isLarge, isProduct, ownerOf, powersOf, printed, stateAt } from "./scene.js";
import { siblingWidth } from "./siblings.js";
import {
  arrow,
  chainOf,
  gap,
  headOfColumn,
  headOfRow,
  hyphenated,
  lengthOf,
  shareWidth,
  sizeOf,
  underline,
} from "./sizes.js";

const MOST_FOLDED = 8; // rows or columns that are shown where not all are
const MOST_ASKED = 64; // fields at once; more are hidden without asking

/** So many rows and columns are shown of one matrix. */
export const ALL = { rows: Infinity, cols: Infinity };
export const FEW = { rows: 2, cols: 2 };

export class Picture {
  slot = null; // room in the picture for the words, where it has some
  /** @type {Map<string, HTMLElement[]>} */
  cells = new Map(); // key → the <td>s that show it
  #results = []; // [{td, cell, text, kind, tone}] of what the stage makes, in order
  #powerCells = new Map(); // "power|row|col" → its <td>
  /** @type {Plane | null} */
  plane = null; // the arrows, where there are two dimensions
  #extras = []; // of softmax: [{td, row, phase, text}]
  #dead = []; // [{th, row, text}] of what the stage makes: rows that are marked as dead
  #most = ALL; // rows and columns that are shown of one matrix
  #spoken = new Map(); // matrix → {head, row, col} of its cell that is spoken of
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
  lay(place, most = this.#most) {
    this.#most = most;
    this.#spoken = this.#spokenOf(place);
    const before = this.#shows;
    if (before === this.#choice()) return false;
    this.#redraw();
    return true;
  }

  #redraw() {
    this.cells.clear();
    this.#results = [];
    this.#powerCells.clear();
    this.plane = null;
    this.#extras = [];
    this.#dead = [];
    this.#lights.clear();
    this.slot = null;
    this.root.replaceChildren(...this.#chain(), this.#draw());
    makeRoomForMaps(this.root);
    this.#shows = this.#choice();
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

  /** What is left out of each matrix that this stage can show, as text that can be compared. */
  #choice() {
    const { model, stage } = this;
    const most = this.#most;
    const names = this.step ? [this.step.name, ...this.step.operands.map(([name]) => name)] : [];
    const shown = names.concat(
      stage.parts.map(([name]) => name),
      model.closing.matrix ?? [],
      "weights",
    );
    const choices = [...new Set(shown)].map((name) => {
      const rows = rowsOf(model, name, isPerHead(model, name) ? (ownerOf(this, name) ?? 0) : null);
      const both = (axis, count) => [
        this.#along(name, axis, count, most.rows),
        this.#along(name, axis, count, most.cols),
      ];
      return rows ? [name, both("row", rows.length), both("col", rows[0].length)] : name;
    });
    return JSON.stringify([choices, this.#heads(), this.#tokensShown(model.labels.n_q)]);
  }

  /** Which rows or columns of a matrix are shown. */
  #along(name, axis, count, most) {
    return around(
      count,
      count > most ? Math.min(most, MOST_FOLDED) : most,
      this.#spoken.get(name)?.[axis] ?? 0,
    );
  }

  #heads() {
    const [source] = this.step?.operands[0] ?? [];
    return around(this.model.dims.h, this.#most.cols, this.#spoken.get(source)?.head ?? 0);
  }

  #tokensShown(tokens) {
    return around(tokens.length, 2 * this.#most.rows, 0);
  }

  /** The cell that a place speaks of, and of what it is made of the term at hand. */
  #spokenOf(place) {
    const cell = focusOf(this, place);
    if (!cell) {
      const part = place.part === null ? null : this.stage.parts[place.part];
      return new Map(part ? [[part[0], { row: part[2], col: part[4] }]] : []);
    }
    const terms = termsOf(this.model, cell);
    const own = terms.length === rowsOf(this.model, cell.name, cell.head)[0].length; // as softmax reads a row of scores
    const summed = isProduct(this) && place.part !== null && isCell(this, place);
    const at = summed ? Math.min(place.beat ?? 0, terms.length - 1) : own && !isProduct(this) ? cell.col : 0;
    const found = new Map([[cell.name, cell]]);
    for (const term of [terms[at] ?? [], ...terms]) {
      for (const one of term) if (!found.has(one.name)) found.set(one.name, one);
    }
    return found;
  }

  #draw() {
    const { kind } = this.stage;
    if (kind === "tokens") return this.#tokens();
    if (kind === "closing") return this.#closing();
    if (kind === "inputs" || kind === "given") return this.#givens();
    const { layout } = this.step;
    if (layout === "product") return this.#product();
    if (layout === "softmax") return this.#softmax();
    return this.#beside(layout === "concat");
  }

  /** Where a cell stands, or an exponential, "power|row|col"; undefined where it is folded away. */
  anchor(on) {
    if (!on.startsWith("power|")) return this.cells.get(on)?.[0];
    return this.#powerCells.get(on);
  }

  // --- matrices --------------------------------------------------------------------------------------------------

  /**
   * A table; `turned` lays rows across, `result` makes its cells those that the stage makes; one that stands `above` has
   * as many rows as the one to its left has columns.
   */
  matrix(name, head, { turned = false, result = false, bars = false, above = false } = {}) {
    const { model } = this;
    const most = this.#most;
    const of = ownerOf(this, name, head);
    const { axes, word, hue } = model.matrices[name];
    const rows = rowsOf(model, name, of);
    const shown = printed(model, name, of);
    const texts = rows.map((row) => row.map(shown));
    const down = labelsOf(model, axes[0], rows.length);
    const across = labelsOf(model, axes[1], rows[0].length);
    const dead = (index) => !turned && isDead(model, name, of, index);
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const shownRows = this.#along(
      name,
      turned ? "col" : "row",
      rowLabels.length,
      above ? most.cols : most.rows,
    );
    const shownCols = this.#along(name, turned ? "row" : "col", colLabels.length, most.cols);
    const top = bars ? 1 : largest(rows);
    const body = shownRows.map((r) => {
      if (typeof r === "object") return this.#gapRow(r, shownCols);
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
      if (typeof c === "object") return this.#gapHead(c);
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
    const wide = this.#wide(
      shownRows,
      rowLabels.map((text, r) => marked(text, dead(r))),
    );
    const style = sizeOf(wide, this.#high(shownCols, colLabels), texts);
    const label = `${word} ${sign.replaceAll("_", "")}, ${shape}`;
    const attributes = { class: `matrix ${hue ? `hue-${hue}` : ""}`, style, "aria-label": label };
    return table(attributes, [corner(), ...heads], body, { caption });
  }

  /** The labels of the rows that are shown, and of the gaps between them. */
  #wide(shown, labels) {
    return shown.map((at) => (typeof at === "object" ? this.#more(at) : labels[at]));
  }

  /** The same of columns. */
  #high(shown, labels) {
    return shown.map((at) => (typeof at === "object" ? `… ${at.count}` : labels[at]));
  }

  /** @param {{ count: number }} left */
  #more({ count }) {
    return fill(this.words.more_rows, { count });
  }

  #gapRow(left, shownCols) {
    const th = headOfRow(this.#more(left));
    th.classList.add("gap");
    return element("tr", {}, th, ...shownCols.map(gap));
  }

  #gapHead(left) {
    return headOfColumn(`… ${left.count}`, { class: "gap", title: this.#more(left) });
  }

  /** A row's label; a query that may attend to nothing is marked. */
  #label(th, text, dead) {
    th.title = dead ? this.words.dead_row : text;
    th.firstChild.textContent = marked(hyphenated(text), dead);
  }

  #cell(cell, text, value, { top, result, bars }) {
    const of = key(cell);
    const tone = toneOf(value, top).toFixed(3);
    const sign = kindOf(value);
    const kind = bars && sign === "positive" ? "bar" : sign;
    const title = isLarge(value) ? exact(value) : null; // the whole of it
    const attributes = { data: { key: of, kind }, style: `--tone: ${tone}`, title };
    const td = element("td", attributes, element("span", {}, text));
    if (!this.cells.has(of)) this.cells.set(of, []);
    this.cells.get(of).push(td);
    if (result) this.#results.push({ td, cell, text, value, kind, tone });
    return td;
  }

  // --- layouts ---------------------------------------------------------------------------------------------------

  #product() {
    const [left, right, ...bias] = this.step.operands.filter(([name]) =>
      rowsOf(this.model, name, ownerOf(this, name)),
    );
    const factor = this.matrix(left[0], this.head, {
      bars: this.model.matrices[left[0]].scale === "weights",
    });
    const above = [
      this.matrix(right[0], this.head, { turned: right[1] === "jk", above: true }),
      ...bias.map(([name]) => this.matrix(name, this.head)),
    ];
    const result = this.matrix(this.step.name, this.head, { result: true });
    shareWidth([...above, result], siblingWidth(this));
    const deep = rowsOf(this.model, left[0], ownerOf(this, left[0]))[0].length >= 8;
    const corner = div("corner");
    if (deep) this.slot = corner;
    else if (hasPlane(this)) {
      this.plane = new Plane(this.model);
      corner.append(this.plane.root);
    }
    return div("product", corner, div("above", ...above), div("left", factor), div("result", result));
  }

  /** Scores, right of them their powers, and below those the weights: each power stands above what it becomes. */
  #softmax() {
    const [source] = this.step.operands[0];
    const scores = this.matrix(source, this.head);
    const weights = this.matrix(this.step.name, this.head, { result: true, bars: true });
    if (!this.stage.powers) return div("beside", scores, arrow(), weights);
    const powers = this.#powers();
    shareWidth([powers, weights]);
    this.slot = div("slot");
    const sum = span("operator", `↓ ÷ ${this.words.sum}`);
    return div(
      "softmax",
      scores,
      arrow(),
      powers,
      this.slot,
      element("span", {}),
      element("div", {}, sum, weights),
    );
  }

  /** The exponentials and their sum, row by row. */
  #powers() {
    const { powers } = this.stage;
    const shownRows = this.#along(this.step.name, "row", powers.length, this.#most.rows);
    const shownCols = this.#along(this.step.name, "col", powers[0].powers.length, this.#most.cols);
    const { rows: labels, cols: colLabels, texts, isShifted, text } = powersOf(this);
    const body = shownRows.map((index) => {
      if (typeof index === "object") return this.#gapRow(index, [...shownCols, null]);
      const row = powers[index];
      const tds = [...shownCols, row.powers.length].map((col) => {
        if (typeof col === "object") return gap();
        const phase = col === row.powers.length ? 1 : 0;
        const at = phase ? "sum" : col;
        const td = element("td", { "data-kind": phase ? "sum" : "power", "data-power": `${index}|${at}` });
        this.#powerCells.set(`power|${index}|${at}`, td);
        this.#extras.push({ td, row: index, phase, text: text(index, at) });
        return td;
      });
      return element("tr", {}, headOfRow(labels[index]), ...tds);
    });
    const power = span("symbol", "e", element("sup", {}, isShifted ? "s − max" : "s"));
    const high = [...this.#high(shownCols, colLabels), this.words.sum];
    const style = sizeOf(this.#wide(shownRows, labels), high, [texts]);
    const heads = shownCols.map((at) =>
      typeof at === "object" ? this.#gapHead(at) : headOfColumn(colLabels[at]),
    );
    return table(
      { class: "matrix powers", style, "aria-label": this.words.power },
      [corner(), ...heads, headOfColumn(this.words.sum)],
      body,
      { caption: element("caption", {}, power) },
    );
  }

  #beside(concat) {
    const heads = concat ? this.#heads() : [this.head];
    const left = (gap) => span("operator gap", this.#more(gap));
    const operands = this.step.operands.flatMap(([name]) =>
      heads.map((head) => (head !== null && typeof head === "object" ? left(head) : this.matrix(name, head))),
    );
    const { signs } = this.step;
    const [, by] = signs.at(-1).split("÷ ");
    const divisor = by ? [span("operator", "÷ ", symbol(by))] : [];
    const result = this.matrix(this.step.name, this.head, { result: true });
    const plus = signs[1] === "+";
    const laid = operands.flatMap((node, i) => (i && plus ? [span("operator", "+"), node] : [node]));
    shareWidth(concat ? [result] : [operands[0], result]); // also where one stands below the other
    if (operands.length === 1)
      return div("beside", ...laid, span("by", ...divisor, ...(by ? [" "] : []), operator("=")), result);
    this.slot = div("slot");
    return div("rows", div(concat ? "beside heads" : "beside", ...laid), div("beside", result, this.slot));
  }

  #givens() {
    const names = [...new Set(this.stage.parts.map(([name]) => name))];
    return div(
      "beside",
      ...names.map((name) =>
        this.matrix(name, this.head, { result: true, bars: this.model.matrices[name].scale === "weights" }),
      ),
    );
  }

  #tokens() {
    const { labels, matrices } = this.model;
    const two = matrices.context || labels.n_k.length !== labels.n_q.length;
    const rows = two ? [labels.n_q, labels.n_k] : [labels.n_q];
    return div(
      "tokens",
      ...rows.map((tokens) =>
        element(
          "ol",
          {},
          ...this.#tokensShown(tokens).map((at) =>
            typeof at === "object"
              ? element("li", { class: "gap" }, this.#more(at))
              : element("li", {}, element("bdi", {}, tokens[at])),
          ),
        ),
      ),
    );
  }

  #closing() {
    const { matrix, looked } = this.model.closing;
    const shownRows = this.#along("weights", "row", rowsOf(this.model, "weights", 0).length, this.#most.rows);
    const shownHeads = around(looked.length, this.#most.cols, 0);
    const rows = shownRows.map((query) =>
      typeof query === "object"
        ? this.#gapRow(query, shownHeads)
        : element(
            "tr",
            {},
            headOfRow(this.model.labels.n_q[query]),
            ...shownHeads.map((head) =>
              typeof head === "object" ? gap() : this.#looked(looked[head][query]),
            ),
          ),
    );
    const heads = shownHeads.map((head) =>
      typeof head === "object"
        ? this.#gapHead(head)
        : element("th", { scope: "col", style: underline(head) }, `${this.words.head} ${head + 1}`),
    );
    const caption = element("caption", {}, this.words.looks_at);
    const texts = looked.flat().map((found) => (found ? this.#lookedText(found) : ""));
    const widest = `--widest: ${Math.max(...texts.map(lengthOf))}`; // all bars have one scale
    const looks = table({ class: "matrix looks", style: widest }, [corner(), ...heads], rows, { caption });
    this.slot = div("slot");
    const output = matrix ? [this.matrix(matrix, null)] : [];
    const beside = div("beside", ...output, this.slot);
    return div("rows", beside, looks);
  }

  #looked(found) {
    if (!found) return element("td", {}, this.words.nothing);
    const { name, weight } = found;
    return element(
      "td",
      { "data-kind": "bar", style: `--tone: ${weight.toFixed(3)}` },
      element("bdi", {}, name),
      ` ${format(weight, this.model.decimals)}`,
    );
  }

  #lookedText({ name, weight }) {
    return `${name} ${format(weight, this.model.decimals)}`;
  }

  // --- showing a place -------------------------------------------------------------------------------------------

  /**
   * Bring the picture to a place. `hiding`: what this place makes is asked for, not shown; `answers`: what was filled
   * in; `ask` is called with a cell's field when it is made.
   */
  show(place, { hiding, revealed, answers, onAnswer }) {
    const state = stateAt(this, place, hiding || revealed);
    const asked = hiding || revealed ? this.#results.filter((one) => state(one.cell) === "now") : [];
    const asking = !hiding ? "told" : asked.length <= MOST_ASKED ? "field" : "hidden";
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
    for (const { td, row, phase, text } of this.#extras) {
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
