// Packed weights: one tensor for all heads, as each library holds it, and the slice of each head.

import { accent, div, element, fill, operator, p, rich, span, symbol } from "../kit/dom.js";
import { key, labelsOf, termsOf } from "../kit/graph.js";
import { arithmeticOf, headsLabel, matrixOf, placeOf } from "./matrix_cells.js";
import { choice, Section } from "./sheet.js";

const LIBRARIES = ["packed", "torch", "keras", "linear"];
const MOST_CELLS = 12_000; // of one tensor: of a larger one the first heads are drawn

export class Packed extends Section {
  #letter = "q";
  #library = "packed";

  constructor(part) {
    super(part, "packing");
  }

  pictures() {
    const { layouts, letters: all, missing } = this.model;
    if (!all.includes(this.#letter)) this.#letter = "q";
    const held = layouts.filter(
      ({ library, letters }) => library === this.#library && letters.includes(this.#letter),
    );
    this.heads = Math.min(...held.map((layout) => fitting(layout, this.#letter)));
    this.shown = held.map((layout) => cut(layout, this.#letter, this.heads));
    const why = missing[this.#letter];
    return why ? [p("note", why)] : this.#tensors();
  }

  around() {
    const { letters: all, words } = this.model;
    const letters = [...all].map((value) => ({ value, text: symbol(`W_${value.toUpperCase()}`) }));
    const libraries = LIBRARIES.map((value) => ({ value, text: words[`library_${value}`] }));
    const controls = div(
      "choices",
      choice(words.letter, letters, this.#letter, (letter) => this.#choose(letter, this.#library)),
      choice(words.library, libraries, this.#library, (library) => this.#choose(this.#letter, library)),
    );
    return [controls, this.tables];
  }

  #choose(letter, library) {
    this.#letter = letter;
    this.#library = library;
    this.draw();
  }

  #tensors() {
    const { words, refusals } = this.model;
    const reason = refusals[this.#library];
    const verdict =
      this.#library === "packed"
        ? ""
        : reason === null
          ? words.takes
          : words.refuses.replace("{reason}", reason);
    return [
      p("note", ...rich(words[`about_${this.#library}`])),
      div("box", div(this.#library === "packed" ? "parts" : "parts apart", ...this.#parts())),
      this.shown.some((layout) => layout.of)
        ? p("note", fill(words.first_heads, { shown: this.heads, count: this.shown[0].of }))
        : null,
      verdict ? p(`note ${reason === null ? "ok" : "refused"}`, verdict) : null,
      element("h3", {}, words.slices, span("about", ` ${words.index_from_0}`)),
      div("slices", ...this.#slices()),
    ].filter(Boolean);
  }

  #parts() {
    const of = (kind) => this.shown.find((layout) => layout.kind === kind);
    const [weight, bias, result] = ["weight", "bias", "result"].map(of);
    if (!result) return [weight, bias].filter(Boolean).map((layout) => this.#tensor(layout));
    const { source } = result;
    const sum = bias ? [operator("+"), this.#tensor(bias)] : [];
    return [
      this.matrix(source, null, this.model.matrices[source].symbol),
      operator("·"),
      this.#tensor(weight),
      ...sum,
      operator("="),
      this.#tensor(result),
    ];
  }

  /** A tensor as a table: its blocks put in their places, and nothing where a head has no bias. */
  #tensor(layout) {
    const { model } = this;
    const { words } = model;
    const grid = Array.from({ length: layout.rows }, () => Array(layout.cols).fill(null));
    for (const { name, head, top, left, transposed } of layout.blocks) {
      const { rows, cell } = matrixOf(model, name, head);
      rows.forEach((line, r) =>
        line.forEach((_, c) => {
          const [y, x] = transposed ? [top + c, left + r] : [top + r, left + c];
          if (y >= layout.rows || x >= layout.cols) return;
          const spec = cell(r, c);
          grid[y][x] = { ...spec, info: { ...spec.info, at: indexOf(layout, y, x) } };
        }),
      );
    }
    const several = layout.letters.length > 1;
    const group = ({ letter, heads, start, stop }) => ({
      label: several ? `${letter.toUpperCase()} · ${headsLabel(words, heads)}` : headsLabel(words, heads),
      start,
      stop,
      accent: heads[0],
    });
    const own = (groups, at) => {
      const group = groups.find(({ start, stop }) => at >= start && at < stop);
      return String(at - (group?.start ?? 0) + 1);
    };
    const tokens =
      layout.kind === "result" ? labelsOf(model, model.matrices[this.#letter].axes[0], layout.rows) : null;
    const numbered = (groups, count) => Array.from({ length: count }, (_, at) => own(groups, at));
    const rowLabels =
      tokens ?? (layout.rows === 1 && layout.kind === "bias" ? [""] : numbered(layout.down, layout.rows));
    const zero = (y, x) => ({
      key: `zero|${layout.tensor}|${y}|${x}`,
      text: "0",
      kind: "filler",
      info: { at: indexOf(layout, y, x), zero: true },
    });
    return this.sheet.table({
      sign: layout.library === "packed" ? layout.tensor : layout.tensor.replaceAll("_", "\u200b_\u200b"),
      shape: layout.shape.join(" × "),
      label: `${layout.tensor}, ${layout.shape.join(" × ")}`,
      hue: several ? "" : model.matrices[`w_${this.#letter}`].hue,
      rowLabels,
      colLabels: numbered(layout.across, layout.cols),
      down: layout.down.map(group),
      across: layout.across.map(group),
      name: layout.library === "packed" ? "" : "tensor",
      cell: (y, x) => grid[y][x] ?? zero(y, x),
    });
  }

  #slices() {
    const { words } = this.model;
    const weight = this.shown.find(({ kind }) => kind === "weight");
    const groups = [...weight.down, ...weight.across].filter(({ letter }) => letter === this.#letter);
    const others = this.shown.filter((layout) => layout !== weight);
    return groups.map((group) => {
      const { heads, code } = group;
      const codes = [
        code,
        ...others.flatMap(({ down, across }) =>
          [...down, ...across]
            .filter(({ letter, heads: of }) => letter === this.#letter && of[0] === heads[0])
            .map((one) => one.code),
        ),
      ];
      return element(
        "section",
        { class: "slice", style: accent(heads[0]), "aria-label": headsLabel(words, heads) },
        element("h4", {}, headsLabel(words, heads)),
        ...codes.map((text) => element("code", {}, text)),
        div("box", div("parts", ...this.#owned(heads[0], group))),
      );
    });
  }

  /** What a head has for itself: its weight, its bias and, of the product, its result. */
  #owned(head, { start, stop }) {
    const { model } = this;
    const letter = this.#letter;
    if (letter === "o") return [this.matrix("w_o", null, "W_O", { start, stop })];
    const names = this.shown.map(
      ({ kind }) => ({ weight: `w_${letter}`, bias: `b_${letter}`, result: letter })[kind],
    );
    return [...new Set(names)]
      .filter((name) => model.matrices[name].values[head])
      .map((name) => this.matrix(name, head, model.matrices[name].symbol));
  }

  explainCell({ cell, at, zero }, td) {
    const { model, sheet } = this;
    const { words } = model;
    sheet.markOne(td, "current");
    const code = (text) => element("code", {}, text);
    if (zero) return [element("p", {}, code(at), " = 0 ", span("quiet-text", `(${words.zeros})`))];
    for (const of of termsOf(model, cell).flat()) sheet.mark(key(of), "operand");
    sheet.mark(key(cell), "twin", td);
    const where = at ?? this.#held(cell);
    const placed = (of) => placeOf(model, of, model.matrices[of.name].symbol);
    const number = element("p", {}, placed(cell), " = ", ...arithmeticOf(model, cell, false, placed));
    const library = span("tag", words[`library_${this.#library}`]);
    return where ? [number, element("p", {}, library, " ", code(where))] : [number];
  }

  /** Where the tensor shown holds a number of a head's own matrix. */
  #held({ name, head, row, col }) {
    for (const layout of this.shown) {
      const block = layout.blocks.find((one) => one.name === name && one.head === head);
      if (block)
        return block.transposed
          ? indexOf(layout, block.top + col, block.left + row)
          : indexOf(layout, block.top + row, block.left + col);
    }
    return "";
  }
}

const groupsOf = ({ down, across }) => (across.length ? across : down);

/** How many heads of a letter a tensor can show: all of them, unless it is very large. */
function fitting(layout, letter) {
  const groups = groupsOf(layout).filter((group) => group.letter === letter);
  if (layout.rows * layout.cols <= MOST_CELLS) return groups.length;
  const lines = MOST_CELLS / (layout.across.length ? layout.rows : layout.cols);
  return Math.max(1, groups.filter(({ stop }) => stop - groups[0].start <= lines).length);
}

/** A tensor with the first heads of one letter alone, where not all are drawn; `offset` lines stand before them. */
function cut(layout, letter, heads) {
  const all = groupsOf(layout).filter((group) => group.letter === letter);
  if (heads >= all.length) return layout;
  const kept = all.slice(0, heads);
  const offset = kept[0].start;
  const end = kept.at(-1).stop;
  const shifted = kept.map((group) => ({ ...group, start: group.start - offset, stop: group.stop - offset }));
  const [side, count, corner] = layout.across.length ? ["across", "cols", "left"] : ["down", "rows", "top"];
  const inside = layout.blocks.filter(
    (block) => block[corner] >= offset && block[corner] < end && block.name !== "w_o",
  );
  const whole = layout.blocks.filter(({ name }) => name === "w_o"); // one block, of which the first lines are shown
  const blocks = [...inside.map((block) => ({ ...block, [corner]: block[corner] - offset })), ...whole];
  return { ...layout, [side]: shifted, [count]: end - offset, blocks, offset, of: all.length };
}

/** A place in a tensor as Python writes it, from 0; an axis that is drawn divided counts within its part. */
function indexOf({ tensor, shape, across, down, kind, offset = 0 }, y, x) {
  const group = (groups, at) => groups.findIndex(({ start, stop }) => at >= start && at < stop);
  const groupAt = { across: group(across, x), down: group(down, y) };
  let index = across.length ? [y, x + offset] : [y + offset, x];
  if (kind === "bias" && shape.length === 1) index = [x + offset];
  else if (kind === "bias") index = [groupAt.across, x - across[groupAt.across].start];
  else if (shape.length === 3)
    index = across.length
      ? [y, groupAt.across, x - across[groupAt.across].start]
      : [groupAt.down, y - down[groupAt.down].start, x];
  return `${tensor}[${index.join(", ")}]`;
}
