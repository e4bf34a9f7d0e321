// One stage as a picture: the matrices that it reads and the one that it makes. Built once for a stage, then shown at
// a place: which cells stand there already, which are lit, and what the line of arithmetic says so far.

import { arithmetic, exponents, inBrief, joined } from "../mha.web/arithmetic.js";
import { div, element, fill, operator, shapeOf, span, symbol } from "../mha.web/dom.js";
import {
  isDead,
  isPerHead,
  key,
  labelsOf,
  marked,
  rowsOf,
  shownAs,
  symbolOf,
  termsOf,
} from "../mha.web/graph.js";
import { pieceOf } from "../mha.web/line.js";
import { format, kindOf, largest, toneOf } from "../mha.web/numbers.js";
import { Lights } from "../mha.web/selection.js";
import { corner, table } from "../mha.web/tables.js";

const MOST_TOLD = 6; // cells of a softmax row that the line of arithmetic tells
const MOST_ASKED = 64; // fields at once; more are hidden without asking

export class Picture {
  slot = null; // room in the picture for the words, where it has some
  /** @type {Map<string, number>} */
  owners = new Map(); // matrix that is read → its head
  /** @type {Map<string, HTMLElement[]>} */
  cells = new Map(); // key → the <td>s that show it
  #results = []; // [{td, cell, text, kind, tone}] of what the stage makes, in order
  #extras = []; // of softmax: [{td, row, phase, text}]
  #dead = []; // [{th, row, text}] of what the stage makes: rows that are marked as dead

  /**
   * `step` is null where nothing is computed; `inShort`: it is the last of the stage's steps, the others are named.
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
    this.root = div("picture", inShort ? this.#chain() : null);
    this.root.append(this.#draw());
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

  // --- matrices --------------------------------------------------------------------------------------------------

  /** The head that a matrix belongs to which this stage reads: as its cells' own terms say. */
  #owner(name, head) {
    if (!isPerHead(this.model, name)) return null;
    if (!this.step || name === this.step.name || this.step.layout === "concat") return head;
    if (!this.owners.size) {
      const of = isPerHead(this.model, this.step.name) ? head : null;
      const first = { name: this.step.name, head: of, row: 0, col: 0 };
      for (const cell of termsOf(this.model, first).flat()) this.owners.set(cell.name, cell.head);
    }
    return this.owners.get(name) ?? head;
  }

  /** A table; `turned` lays rows across, `result` makes its cells those that the stage makes. */
  matrix(name, head, { turned = false, result = false, bars = false } = {}) {
    const { model } = this;
    const of = this.#owner(name, head);
    const { axes, word, hue } = model.matrices[name];
    const rows = rowsOf(model, name, of);
    const shown = shownAs(model, name, of);
    const texts = rows.map((row) => row.map(shown));
    const down = labelsOf(model, axes[0], rows.length);
    const across = labelsOf(model, axes[1], rows[0].length);
    const dead = (index) => !turned && isDead(model, name, of, index);
    const [rowLabels, colLabels] = turned ? [across, down] : [down, across];
    const top = bars ? 1 : largest(rows);
    const body = rowLabels.map((text, r) => {
      const tds = colLabels.map((_, c) => {
        const [row, col] = turned ? [c, r] : [r, c];
        const cell = { name, head: of, row, col };
        return this.#cell(cell, texts[row][col], rows[row][col], { top, result, bars });
      });
      const th = headOfRow(text);
      if (dead(r) && result) this.#dead.push({ th, row: r, text });
      else this.#label(th, text, dead(r));
      return element("tr", {}, th, ...tds);
    });
    const blocks = axes[1] === "h·d_v" && !turned;
    const heads = colLabels.map((text, c) =>
      headOfColumn(text, { title: text, style: blocks ? underline(Math.floor(c / model.dims.d_v)) : null }),
    );
    const sign = `${symbolOf(model, name, of)}${turned ? "ᵀ" : ""}`;
    const shape = shapeOf(rowLabels.length, colLabels.length);
    const caption = element("caption", {}, symbol(sign), span("shape", ` ${shape}`));
    const wide = rowLabels.map((text, r) => marked(text, dead(r)));
    const style = sizeOf(wide, colLabels, texts);
    const label = `${word} ${sign.replaceAll("_", "")}, ${shape}`;
    const attributes = { class: `matrix ${hue ? `hue-${hue}` : ""}`, style, "aria-label": label };
    return table(attributes, [corner(), ...heads], body, { caption });
  }

  /** A row's label; a query that may attend to nothing is marked. */
  #label(th, text, dead) {
    th.title = dead ? this.words.dead_row : text;
    th.firstChild.textContent = marked(text, dead);
  }

  #cell(cell, text, value, { top, result, bars }) {
    const of = key(cell);
    const tone = toneOf(value, top).toFixed(3);
    const sign = kindOf(value);
    const kind = bars && sign === "positive" ? "bar" : sign;
    const attributes = { data: { key: of, kind }, style: `--tone: ${tone}` };
    const td = element("td", attributes, element("span", {}, text));
    if (!this.cells.has(of)) this.cells.set(of, []);
    this.cells.get(of).push(td);
    if (result) this.#results.push({ td, cell, text, value, kind, tone });
    return td;
  }

  // --- layouts ---------------------------------------------------------------------------------------------------

  #product() {
    const [left, right, ...bias] = this.step.operands.filter(([name]) =>
      rowsOf(this.model, name, this.#owner(name, this.head)),
    );
    const factor = this.matrix(left[0], this.head, {
      bars: this.model.matrices[left[0]].scale === "weights",
    });
    const above = [
      this.matrix(right[0], this.head, { turned: right[1] === "jk" }),
      ...bias.map(([name]) => this.matrix(name, this.head)),
    ];
    const result = this.matrix(this.step.name, this.head, { result: true });
    shareWidth([...above, result]);
    const deep = rowsOf(this.model, left[0], this.#owner(left[0], this.head))[0].length >= 8;
    const corner = div("corner");
    if (deep) this.slot = corner;
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
    const flat = powers.flatMap((row) => [...row.powers, row.total]);
    const whole = flat.every(Number.isInteger);
    const show = (value) => format(value, whole ? 0 : this.model.decimals);
    const [rows, cols] = this.model.matrices[this.step.name].axes;
    const columns = [...labelsOf(this.model, cols, powers[0].powers.length), this.words.sum];
    const labels = labelsOf(this.model, rows, powers.length);
    const shifted = powers.some((row) => row.shift);
    const body = powers.map((row, index) => {
      const tds = [...row.powers, row.total].map((value, col) => {
        const phase = col === row.powers.length ? 1 : 0;
        const td = element("td", {
          "data-kind": phase ? "sum" : "power",
          "data-power": `${index}|${phase ? "sum" : col}`,
        });
        this.#extras.push({ td, row: index, phase, text: show(value) });
        return td;
      });
      return element("tr", {}, headOfRow(labels[index]), ...tds);
    });
    const power = span("symbol", "e", element("sup", {}, shifted ? "s − max" : "s"));
    const style = sizeOf(labels, columns, [flat.map(show)]);
    return table(
      { class: "matrix powers", style, "aria-label": this.words.power },
      [corner(), ...columns.map((text) => headOfColumn(text))],
      body,
      { caption: element("caption", {}, power) },
    );
  }

  #beside(concat) {
    const heads = concat ? [...Array(this.model.dims.h).keys()] : [this.head];
    const operands = this.step.operands.flatMap(([name]) => heads.map((head) => this.matrix(name, head)));
    const { signs } = this.step;
    const [, by] = signs.at(-1).split("÷ ");
    const divisor = by ? [span("operator", "÷ ", symbol(by))] : [];
    const result = this.matrix(this.step.name, this.head, { result: true });
    const plus = signs[1] === "+";
    const laid = operands.flatMap((node, i) => (i && plus ? [span("operator", "+"), node] : [node]));
    if (operands.length === 1) return div("beside", ...laid, ...divisor, operator("="), result);
    this.slot = div("slot");
    shareWidth(concat ? [result] : [operands[0], result]);
    return div("rows", div("beside", ...laid), div("beside", result, this.slot));
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
        element("ol", {}, ...tokens.map((token) => element("li", {}, element("bdi", {}, token)))),
      ),
    );
  }

  /** The steps of a further head by their letters. */
  #chain() {
    return div(
      "chain",
      ...this.stage.steps.flatMap((step, i) => [i ? arrow() : null, span("link", symbol(step.symbol))]),
    );
  }

  #closing() {
    const { matrix, looked, keys } = this.model.closing;
    const shown = rowsOf(this.model, "weights", 0);
    const rows = shown.map((_, query) =>
      element(
        "tr",
        {},
        headOfRow(this.model.labels.n_q[query]),
        ...looked.map((head) => this.#looked(head[query], keys)),
      ),
    );
    const heads = looked.map((_, head) =>
      element("th", { scope: "col", style: underline(head) }, `${this.words.head} ${head + 1}`),
    );
    const caption = element("caption", {}, this.words.looks_at);
    const looks = table({ class: "matrix looks" }, [corner(), ...heads], rows, { caption });
    this.slot = div("slot");
    const output = matrix ? [this.matrix(matrix, null)] : [];
    const beside = div("beside", ...output, this.slot);
    return div("rows", beside, looks);
  }

  #looked(found, keys) {
    if (!found) return element("td", {}, this.words.nothing);
    const [index, weight] = found;
    return element(
      "td",
      { "data-kind": "bar", style: `--tone: ${weight.toFixed(3)}` },
      element("bdi", {}, keys[index]),
      ` ${format(weight, this.model.decimals)}`,
    );
  }

  // --- showing a place -------------------------------------------------------------------------------------------

  /**
   * Bring the picture to a place. `hiding`: what this place makes is asked for, not shown; `answers`: what was filled
   * in; `ask` is called with a cell's field when it is made.
   */
  show(place, { hiding, revealed, answers, onAnswer }) {
    const state = this.#stateAt(place, hiding || revealed);
    const asked = hiding || revealed ? this.#results.filter((one) => state(one.cell) === "now") : [];
    const asking = !hiding ? "told" : asked.length <= MOST_ASKED ? "field" : "hidden";
    const asks = new Set(asked);
    for (const one of this.#results) {
      const when = state(one.cell);
      const { td } = one;
      td.classList.toggle("later", when === "later");
      td.classList.toggle("now", when === "now" && place.part !== null);
      this.#fillCell(one, asks.has(one) ? asking : when === "later" ? "hidden" : "shown", answers, onAnswer);
    }
    const unknown = new Set(
      this.#results.filter((one) => ["field", "hidden"].includes(one.look)).map(({ cell }) => cell.row),
    );
    for (const { th, row, text } of this.#dead) this.#label(th, text, !unknown.has(row));
    this.#showPhases(place, hiding);
    this.#light(place);
    return asked;
  }

  #fillCell(one, how, answers, onAnswer) {
    const of = key(one.cell);
    const answer = answers.get(of);
    const look = how === "told" ? `told ${answer?.text ?? ""}` : how;
    if (one.look === look || (one.look === undefined && look === "shown")) return;
    one.look = look;
    one.td.classList.remove("right", "wrong", "asked");
    const { words } = this;
    const unknown = how === "field" || how === "hidden"; // then neither the colour nor the bar may tell
    one.td.dataset.kind = unknown ? "unknown" : one.kind;
    one.td.style.setProperty("--tone", unknown ? 0 : one.tone);
    if (how === "field") {
      one.td.classList.add("asked");
      const place = `[${one.cell.row + 1}, ${one.cell.col + 1}]`;
      const input = element("input", {
        class: "answer",
        inputmode: "decimal",
        autocomplete: "off",
        spellcheck: "false",
        size: 4,
        "data-of": of,
        "aria-label": fill(words.your_number, { place }),
      });
      input.value = answer?.text ?? "";
      input.addEventListener("input", () => onAnswer(one, input.value));
      one.td.replaceChildren(input);
    } else if (how === "told" && answer?.text) {
      one.td.classList.add(answer.right ? "right" : "wrong");
      const mark = element(
        "span",
        { class: "mark", role: "img", "aria-label": answer.right ? words.right : words.wrong },
        answer.right ? "✓" : "✗",
      );
      const was = answer.right
        ? null
        : element("s", { "aria-label": fill(words.was, { text: answer.text }) }, answer.text);
      one.td.replaceChildren(mark, element("span", {}, one.text), was ?? "");
    } else if (how === "hidden") {
      one.td.replaceChildren(
        element("span", { class: "unknown", role: "img", "aria-label": words.unfilled }, "·"),
      );
    } else one.td.replaceChildren(element("span", {}, one.text));
  }

  /** Whether the beats of a part lead to one result, as terms to their sum: not to a cell each. */
  isOneResult(place) {
    return this.step.layout === "softmax" || (this.step.layout !== "concat" && this.#isCell(place));
  }

  /** cell → "before", "now" or "later", at this place; `asked`: a result is asked for before what leads to it. */
  #stateAt(place, asked) {
    if (place.part === null || this.stage.kind === "head") return () => "now";
    const { parts } = this.stage;
    /** @type {(cell: Cell, part: WalkPart) => boolean} */
    const holds = ({ name, row, col }, [matrix, , top, bottom, left, right]) =>
      matrix === name && row >= top && row < bottom && col >= left && col < right;
    return (cell) => {
      if (!holds(cell, parts[place.part]))
        return parts.findIndex((part) => holds(cell, part)) < place.part ? "before" : "later";
      return asked && this.isOneResult(place) ? "now" : this.#beatState(cell, place);
    };
  }

  #beatState(cell, { part, beat }) {
    if (beat === null || !this.step) return "now";
    const [, , top, , left, , beats] = this.stage.parts[part];
    const concat = this.step.layout === "concat";
    if (this.isOneResult({ part })) return beat === beats - 1 ? "now" : "later";
    const at = concat ? cell.row - top : cell.col - left;
    return at < beat ? "before" : at === beat ? "now" : "later";
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

  /** The cell whose arithmetic is told at this place: the part's own, or the first of what appears now. */
  focus(place) {
    if (!this.step || this.stage.kind === "closing") return null;
    const { name, layout } = this.step;
    const head = this.#owner(name, this.head);
    if (place.part === null || this.stage.kind === "head") return { name, head, row: 0, col: 0 };
    const [, , row, , left, right] = this.stage.parts[place.part];
    if (layout === "concat") return { name, head, row: row + (place.beat ?? 0), col: left };
    const col = right - left === 1 || layout === "softmax" ? left : left + (place.beat ?? 0);
    return { name, head, row, col };
  }

  #lights = new Lights();

  #light(place) {
    this.#lights.clear();
    if (place.part === null || this.stage.kind === "head") return;
    const cell = this.focus(place);
    if (!cell) return;
    const summed = this.step.layout === "product" && this.#isCell(place);
    termsOf(this.model, cell).forEach((term, k) => {
      const name =
        !summed || place.beat === null || k < place.beat ? "operand" : k === place.beat ? "term" : null;
      if (name) for (const one of term) this.#mark(one, name);
    });
    this.#mark(cell, "current");
  }

  #isCell({ part }) {
    const [, , top, bottom, left, right] = this.stage.parts[part];
    return bottom - top === 1 && right - left === 1;
  }

  #mark(cell, name) {
    this.#lights.light(this.cells.get(key(cell)) ?? [], name);
  }

  /** The arithmetic of a place as nodes: terms not yet reached keep their room, unseen; what is asked for, not at all. */
  line(place, { hiding }) {
    const cell = this.focus(place);
    if (!cell || (hiding && place.part === null)) return [];
    const how = inBrief(this.model, place.part === null ? 10 : Infinity);
    const terms = termsOf(this.model, cell).length;
    const reached =
      this.step.layout === "product" && place.beat !== null && this.#isCell(place) ? place.beat : Infinity;
    const sign = symbolOf(this.model, cell.name, this.head);
    const softmax = this.step.layout === "softmax" && place.part !== null && this.stage.powers;
    const where = softmax ? `[${cell.row + 1}, …]` : `[${cell.row + 1}, ${cell.col + 1}]`;
    if (hiding) return [span("place", symbol(sign), `${where} = ?`)];
    const leading = softmax && ["", `${this.words.sum} ${cell.row + 1} = `][place.beat]; // up to the weights themselves
    const nodes = [
      span("place", ...(typeof leading === "string" ? [leading] : [symbol(sign), `${where} = `])),
    ];
    let group = 0;
    const pieces = this.#pieces(cell, how, place);
    pieces.forEach((piece, index) => {
      if (piece.text === " + ") group += 1;
      const last = index >= pieces.length - 2 && pieces.at(-1).strong;
      const unseen = last ? reached < terms - 1 : group > reached;
      nodes.push(this.#piece(piece, unseen, group === reached && !last && piece.text !== " + "));
    });
    return nodes;
  }

  /**
   * Softmax is told as it is computed, for the whole row: powers, their sum, the divisions.
   * @returns {Piece[]}
   */
  #pieces(cell, how, place) {
    const powers = this.step.layout === "softmax" && place.part !== null && this.stage.powers?.[cell.row];
    if (!powers?.total) return arithmetic(this.model, cell, how);
    const told = (number) => ({ number: how.show(number), cell });
    const equals = (number) => ({ text: how.rounds(number) ? " ≈ " : " = " });
    const each = powers.powers
      .slice(0, MOST_TOLD)
      .map((power, col) => this.#told({ ...cell, col }, power, powers, place.beat, { ...how, told, equals }));
    if (place.beat === 1) {
      const terms = powers.powers.map((power) => [told(power)]);
      return [...joined(terms, " + "), equals(powers.total), { ...told(powers.total), strong: true }];
    }
    const more = powers.powers.length > MOST_TOLD ? [{ text: ", …", quiet: true }] : [];
    return [...joined(each, ", "), ...more];
  }

  /** One cell of a softmax row: its power, or its division. */
  #told(cell, power, powers, beat, { show, told, equals }) {
    const value = rowsOf(this.model, cell.name, cell.head)[cell.row][cell.col];
    if (beat !== 0)
      return [
        told(power),
        { text: ` ÷ ${show(powers.total)}` },
        equals(value),
        { ...told(value), strong: true },
      ];
    return [
      { text: "e" },
      { power: exponents(this.model, cell, show)[cell.col], cell },
      equals(power),
      told(power),
    ];
  }

  #piece(piece, unseen, fresh) {
    const also = [unseen ? "unseen" : "", fresh ? "fresh" : ""].join(" ").trim();
    const placed = ({ name, head, row, col }) => [
      symbol(symbolOf(this.model, name, head)),
      `[${row + 1}, ${col + 1}]`,
    ];
    return pieceOf(this.model, piece, placed, { quiet: "quiet", also });
  }
}

const headOfRow = (text) => element("th", { scope: "row", title: text }, element("bdi", {}, text));
const headOfColumn = (text, attributes = {}) =>
  element("th", { scope: "col", title: text, ...attributes }, element("bdi", {}, text));
const underline = (head) => `box-shadow: inset 0 -3px 0 var(--mha-head-${head})`;
const arrow = () => operator("→");

/** Widths in characters, so that tables that belong together can share them: of numbers, and of names by them. */
function sizeOf(rowLabels, colLabels, texts) {
  const number = Math.max(2.2, ...longest(texts.flat()).map(width));
  const above = Math.max(0, ...colLabels.map(width)) - 0.8;
  const beside = Math.max(1, ...rowLabels.map(width)) + 0.3;
  const sizes = { cols: colLabels.length, number, above, beside };
  return Object.entries(sizes)
    .map(([name, size]) => `--${name}: ${size.toFixed(1)}`)
    .join("; ");
}

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

/** Tables that stand above one another share their columns. */
function shareWidth(tables) {
  for (const name of ["--number", "--above", "--beside"]) {
    const most = Math.max(...tables.map((table) => Number(table.style.getPropertyValue(name))));
    for (const table of tables) table.style.setProperty(name, most);
  }
}
