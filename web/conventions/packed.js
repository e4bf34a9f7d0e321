// Packed weights: one tensor for all heads, as each library has it, and the slice of each head.

import { accent, div, element, fill, operator, p, rich, span, symbol, titled } from "../kit/dom.js";
import { key, labelsOf, rowsOf, termsOf } from "../kit/graph.js";
import { arithmeticOf, headsLabel, matrixOf, placeOf } from "./matrix_cells.js";
import { choice, MatrixSection, terms } from "./sheet.js";

const LIBRARIES = ["packed", "torch", "keras", "linear"];
const MOST_CELLS = 12_000; // of one tensor; of a larger one only the first heads are drawn

/** @extends {MatrixSection<PackedModel>} */
export class PackedWeights extends MatrixSection {
  #letter = "q";
  #library = "packed";
  /** The tensors of the chosen letter and library. @type {ShownTensor[]} */
  #shown = [];
  /** How many heads of them are drawn. */
  #heads = 0;

  /** @param {PackedModel} model */
  constructor(model) {
    super(model, "packing");
  }

  pictures() {
    const { layouts, letters, missing } = this.model;
    if (!letters.includes(this.#letter)) this.#letter = "q";
    const chosen = layouts.filter(
      (layout) => layout.library === this.#library && layout.letters.includes(this.#letter),
    );
    this.#heads = Math.min(...chosen.map((layout) => fitting(layout, this.#letter)));
    this.#shown = chosen.map((layout) => cut(layout, this.#letter, this.#heads));
    const why = missing[this.#letter];
    return why ? [p("note", why)] : this.#tensors();
  }

  aboveLine() {
    const { words } = this.model;
    const letters = [...this.model.letters].map((value) => ({
      value,
      text: symbol(`W_${value.toUpperCase()}`),
    }));
    const libraries = LIBRARIES.map((value) => ({ value, text: words[`library_${value}`] }));
    const controls = div(
      "choices",
      choice(words.letter, letters, this.#letter, (letter) => this.#choose(letter, this.#library)),
      choice(words.library, libraries, this.#library, (library) => this.#choose(this.#letter, library)),
    );
    return [controls, this.tables];
  }

  /** @param {string} letter @param {string} library */
  #choose(letter, library) {
    this.#letter = letter;
    this.#library = library;
    this.draw();
  }

  #tensors() {
    const { words, refusals } = this.model;
    const reason = refusals[this.#library];
    const isPacked = this.#library === "packed";
    const verdict = reason === null ? words.takes : words.refuses.replace("{reason}", reason);
    const isCut = this.#shown.some(({ allHeads }) => allHeads);
    const nodes = [
      p("note", ...rich(words[`about_${this.#library}`])),
      div("box", div(isPacked ? "parts" : "parts apart", ...terms(this.#parts()))),
      isCut
        ? p("note", fill(words.first_heads, { shown: this.#heads, count: this.#shown[0].allHeads }))
        : null,
      isPacked ? null : p(`note ${reason === null ? "ok" : "refused"}`, verdict),
      element("h3", {}, words.slices, span("about", ` ${words.index_from_0}`)),
      div("slices", ...this.#slices()),
    ];
    return nodes.filter((node) => node !== null);
  }

  /** The tensors, or the product in which they stand. */
  #parts() {
    const [weight, bias, result] = ["weight", "bias", "result"].map((kind) =>
      this.#shown.find((layout) => layout.kind === kind),
    );
    const tensors = [weight, bias].map((layout) => (layout ? [this.#tensor(layout)] : []));
    if (!result?.source) return tensors.flat();
    const [ofWeight, ofBias] = tensors;
    return [
      this.matrix(result.source, null, this.model.matrices[result.source].symbol),
      operator("·"),
      ...ofWeight,
      ...(bias ? [operator("+"), ...ofBias] : []),
      operator("="),
      this.#tensor(result),
    ];
  }

  /** A tensor as a table: its blocks in place, and zeros where a head has no bias. @param {ShownTensor} layout */
  #tensor(layout) {
    const { model } = this;
    const { words } = model;
    const cells = this.#cellsOf(layout);
    const hasLetters = layout.letters.length > 1;
    /** @type {(group: TensorGroup) => SheetGroup} */
    const group = ({ letter, heads, start, stop }) => {
      const label = headsLabel(words, heads);
      return {
        label: hasLetters ? `${letter.toUpperCase()} · ${label}` : label,
        start,
        stop,
        accent: heads[0],
      };
    };
    const isPacked = layout.library === "packed";
    return this.sheet.table({
      sign: isPacked ? layout.tensor : layout.tensor.replaceAll("_", "\u200b_\u200b"),
      shape: layout.shape.join(" × "),
      label: titled(words, layout.tensor, layout.shape.join(" × ")),
      hue: hasLetters ? "" : model.matrices[`w_${this.#letter}`].hue,
      rowLabels: this.#rowLabels(layout),
      colLabels: numbered(layout.across, layout.cols),
      down: layout.down.map(group),
      across: layout.across.map(group),
      name: isPacked ? "" : "tensor",
      cell: (y, x) =>
        cells[y][x] ?? {
          key: `zero|${layout.tensor}|${y}|${x}`,
          text: "0",
          kind: "filler",
          info: { cell: null, at: indexOf(layout, y, x) },
        },
    });
  }

  /**
   * By row and column the numbers of the tensor's blocks.
   * @param {ShownTensor} layout
   */
  #cellsOf(layout) {
    /** @type {(SheetCell<MatrixInfo> | null)[][]} */
    const cells = Array.from({ length: layout.rows }, () => Array(layout.cols).fill(null));
    for (const { name, head, top, left, transposed } of layout.blocks) {
      const { rows, cell } = matrixOf(this.model, name, head);
      for (const [r, line] of rows.entries())
        for (const c of line.keys()) {
          const [y, x] = transposed ? [top + c, left + r] : [top + r, left + c];
          if (y >= layout.rows || x >= layout.cols) continue;
          const spec = cell(r, c);
          cells[y][x] = { ...spec, info: { ...spec.info, at: indexOf(layout, y, x) } };
        }
    }
    return cells;
  }

  /** @param {ShownTensor} layout */
  #rowLabels({ kind, rows, down }) {
    const { model } = this;
    if (kind === "result") return labelsOf(model, model.matrices[this.#letter].axes[0], rows);
    return kind === "bias" && rows === 1 ? [""] : numbered(down, rows);
  }

  #slices() {
    const weight = this.#shown.find(({ kind }) => kind === "weight");
    const groups = weight ? [...weight.down, ...weight.across] : [];
    const others = this.#shown.filter((layout) => layout !== weight);
    return groups.filter(({ letter }) => letter === this.#letter).map((group) => this.#slice(group, others));
  }

  /**
   * A head's slice: the code that takes it out, and its numbers.
   * @param {TensorGroup} group of the weight
   * @param {ShownTensor[]} others bias and result
   */
  #slice({ heads, code, start, stop }, others) {
    const label = headsLabel(this.model.words, heads);
    const codes = others
      .flatMap(({ down, across }) => [...down, ...across])
      .filter((group) => group.letter === this.#letter && group.heads[0] === heads[0])
      .map((group) => group.code);
    return element(
      "section",
      { class: "slice", style: accent(heads[0]), "aria-label": label },
      element("h4", {}, label),
      ...[code, ...codes].map((text) => element("code", {}, text)),
      div("box", div("parts", ...this.#matricesOf(heads[0], start, stop))),
    );
  }

  /**
   * A head's own matrices: its weight, its bias and, where a product is shown, its result.
   * @param {number} head
   * @param {number} start of W_O, which all heads share, the rows that are the head's
   * @param {number} stop
   */
  #matricesOf(head, start, stop) {
    const { model } = this;
    const letter = this.#letter;
    if (letter === "o") return [this.matrix("w_o", null, "W_O", { start, stop })];
    const nameOf = { weight: `w_${letter}`, bias: `b_${letter}`, result: letter };
    const names = this.#shown.map(({ kind }) => nameOf[kind]);
    return [...new Set(names)]
      .filter((name) => rowsOf(model, name, head))
      .map((name) => this.matrix(name, head, model.matrices[name].symbol));
  }

  /** @param {MatrixInfo} info @param {HTMLTableCellElement} td */
  explainCell({ cell, at }, td) {
    const { model, sheet } = this;
    const { words } = model;
    sheet.markOne(td, "current");
    /** @param {string} text */
    const code = (text) => element("code", {}, text);
    if (!cell) return [element("p", {}, code(at), " = 0 ", span("quiet-text", `(${words.zeros})`))];
    for (const operand of termsOf(model, cell).flat()) sheet.mark(key(operand), "operand");
    sheet.mark(key(cell), "twin", td);
    const index = at ?? this.#indexOf(cell);
    /** @param {Cell} place */
    const placed = (place) => placeOf(model, place, model.matrices[place.name].symbol);
    const number = element("p", {}, placed(cell), " = ", ...arithmeticOf(model, cell, false, placed));
    const library = span("tag", words[`library_${this.#library}`]);
    return index ? [number, element("p", {}, library, " ", code(index))] : [number];
  }

  /** The index in a tensor of a number of a head's own matrix; "" where no tensor has it. @param {Cell} cell */
  #indexOf({ name, head, row, col }) {
    for (const layout of this.#shown) {
      const block = layout.blocks.find((other) => other.name === name && other.head === head);
      if (block)
        return block.transposed
          ? indexOf(layout, block.top + col, block.left + row)
          : indexOf(layout, block.top + row, block.left + col);
    }
    return "";
  }
}

/** The groups of the axis that heads divide. @param {TensorLayout} layout */
const groupsOf = ({ down, across }) => (across.length ? across : down);

/** The group that a line is in. @type {(groups: TensorGroup[], at: number) => number} */
const groupAt = (groups, at) => groups.findIndex(({ start, stop }) => at >= start && at < stop);

/**
 * Numbers of lines, which count from 1 in each group.
 * @param {TensorGroup[]} groups
 * @param {number} count
 */
const numbered = (groups, count) =>
  Array.from({ length: count }, (_, at) => String(at - (groups[groupAt(groups, at)]?.start ?? 0) + 1));

/**
 * How many heads of a letter can be drawn of a tensor: all of them, unless it is very large.
 * @param {TensorLayout} layout
 * @param {string} letter
 */
function fitting(layout, letter) {
  const groups = groupsOf(layout).filter((group) => group.letter === letter);
  if (layout.rows * layout.cols <= MOST_CELLS) return groups.length;
  const lines = MOST_CELLS / (layout.across.length ? layout.rows : layout.cols);
  return Math.max(1, groups.filter(({ stop }) => stop - groups[0].start <= lines).length);
}

/**
 * A tensor with only the first heads of one letter, where not all are drawn.
 * @param {TensorLayout} layout
 * @param {string} letter
 * @param {number} heads
 * @returns {ShownTensor}
 */
function cut(layout, letter, heads) {
  const all = groupsOf(layout).filter((group) => group.letter === letter);
  if (heads >= all.length) return { ...layout, offset: 0, allHeads: 0 };
  const shown = all.slice(0, heads);
  const offset = shown[0].start;
  const end = shown[shown.length - 1].stop;
  const groups = shown.map((group) => ({ ...group, start: group.start - offset, stop: group.stop - offset }));
  const isAcross = layout.across.length > 0;
  /** @type {"left" | "top"} */
  const side = isAcross ? "left" : "top";
  const blocks = layout.blocks
    .filter(({ name, [side]: start }) => name !== "w_o" && start >= offset && start < end)
    .map((block) => ({ ...block, [side]: block[side] - offset }));
  const whole = layout.blocks.filter(({ name }) => name === "w_o"); // one block, of which the first lines are drawn
  const lines = isAcross ? { across: groups, cols: end - offset } : { down: groups, rows: end - offset };
  return { ...layout, ...lines, blocks: [...blocks, ...whole], offset, allHeads: all.length };
}

/**
 * A place in a tensor as Python writes it, from 0. An axis that is drawn divided counts within its part.
 * @param {ShownTensor} layout
 * @param {number} y
 * @param {number} x
 */
function indexOf({ tensor, shape, across, down, kind, offset }, y, x) {
  const [column, row] = [groupAt(across, x), groupAt(down, y)];
  let index = across.length ? [y, x + offset] : [y + offset, x];
  if (kind === "bias" && shape.length === 1) index = [x + offset];
  else if (kind === "bias") index = [column, x - across[column].start];
  else if (shape.length === 3)
    index = across.length ? [y, column, x - across[column].start] : [row, y - down[row].start, x];
  return `${tensor}[${index.join(", ")}]`;
}
