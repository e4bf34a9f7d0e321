// Lighting up operands, and the line of arithmetic.

import { element, symbol } from "./dom.js";
import { arithmetic, exists, fedBy, isClaim, key, termsOf, valueOf } from "./graph.js";
import { changeTold, isTarget, lensAt, Legend } from "./lens.js";
import { brief, exact, isRounded } from "./numbers.js";
import { symbolOf } from "./view.js";

export class Explain {
  #lit = [];

  constructor(bench, words) {
    this.bench = bench;
    this.words = words;
    this.line = element("div", { class: "line" });
    this.legend = new Legend(words);
    this.root = element("div", { class: "explain" }, bench.message, this.legend.root, this.line);
  }

  /** Show where a cell comes from and where it goes; `pinned` marks the cell as held. */
  show(cell, pinned = false) {
    this.#clear();
    const { model, view } = this.bench;
    if (!cell || !exists(model, cell)) {
      this.line.replaceChildren(element("span", { class: "hint" }, this.words.hint));
      return;
    }
    this.#mark([cell], pinned ? "pinned" : "current");
    const terms = termsOf(model, cell);
    this.#mark(terms.flat(), "operand");
    const fed = fedBy(model, cell);
    this.#mark(fed, "fed");
    this.line.replaceChildren(...this.#sentence(model, cell, terms, fed, pinned), "");
    this.root.classList.toggle("is-pinned", pinned);
  }

  /** The same as plain text, for a screen reader. */
  text() {
    return this.line.textContent.replace(/\s+/g, " ").trim();
  }

  #sentence(model, cell, terms, fed, pinned) {
    const place = element("span", { class: "place" }, ...this.#place(model, cell));
    if (isClaim(model, cell.name)) return this.#claimed(model, cell, place);
    const parts = [...this.#throughLens(model, cell), place, " = "];
    const how = {
      show: (number) => brief(number, model.decimals),
      rounds: (number) => isRounded(number, model.decimals),
      most: pinned ? Infinity : 10,
    };
    if (terms.length) {
      const step = model.matrices[cell.name];
      if (step.formula) parts.push(element("span", { class: "formula" }, symbol(step.formula)), " = ");
      for (const piece of arithmetic(model, cell, how)) parts.push(this.#piece(model, piece));
    } else {
      parts.push(element("strong", {}, exact(valueOf(model, cell))));
      const counts = new Map();
      for (const of of fed) counts.set(of.name, (counts.get(of.name) ?? 0) + 1);
      const list = [...counts].flatMap(([name, count], i) => [i ? ", " : "", symbol(symbolOf(model.matrices[name], cell.head)), ` (${count})`]);
      const [before, after] = this.words.feeds.split("{list}");
      if (list.length) parts.push(element("span", { class: "feeds" }, ` → ${before}`, ...list, after));
    }
    if (pinned)
      parts.push(element("button", { type: "button", class: "quiet", "data-focus": "unpin", onclick: () => this.bench.unpin() }, `✕ ${this.words.unpin}`));
    return parts;
  }

  /** What the lens says of this cell, on a line of its own. */
  #throughLens(model, cell) {
    if (!model.lens || (model.lens.kind === "gradient" && !model.lens.target)) return [];
    const { words } = this;
    const line = (...parts) => [element("div", { class: "through-lens" }, ...parts)];
    if (model.lens.kind === "change") return line(changeTold(model, cell));
    const of = () => element("span", {}, ...this.#place(model, model.lens.target));
    const by = lensAt(model, cell);
    if (isTarget(model, cell)) return line("∂", of(), ": ", words.derivative_target);
    if (by === null) {
      const [before, after] = words.derivative_later.split("{place}");
      return cell.name === "mask" ? line(words.derivative_mask) : line(before, of(), after);
    }
    const here = element("span", {}, ...this.#place(model, cell));
    const equals = isRounded(by, model.decimals) ? " ≈ " : " = ";
    return line("∂", of(), " ÷ ∂", here, equals, element("strong", {}, brief(by, model.decimals)));
  }

  /** What was written down, and what is known of it. */
  #claimed(model, cell, place) {
    const mark = model.marks?.[key(cell)];
    const step = model.matrices[cell.name];
    const parts = [place, " = ", element("strong", {}, exact(valueOf(model, cell)) || "?")];
    if (mark) parts.push(element("span", { class: `verdict-mark ${mark}` }, ` ${this.words[`mark_${mark}`]}. `));
    else if (step.formula) parts.push(element("span", { class: "quiet-text" }, "  = "), element("span", { class: "formula" }, symbol(step.formula)));
    const note = model.notes?.[key(cell)];
    if (note) parts.push(element("span", { class: "quiet-text" }, `${this.words.right}: `), element("span", { class: "number" }, note));
    return parts;
  }

  #place(model, cell) {
    const matrix = model.matrices[cell.name];
    const label = (axis, index) => model.labels[axis]?.[index] ?? String(index + 1);
    const row = matrix.axes[0] === "1" ? "" : `${label(matrix.axes[0], cell.row)}, `;
    const named = matrix.symbol.includes("{h}") || cell.head === null;
    const head = named ? "" : ` ${this.words.head} ${cell.head + 1} `;
    const column = label(matrix.axes[1], cell.col);
    return [symbol(symbolOf(matrix, cell.head)), head, "[", element("bdi", {}, row), element("bdi", {}, column), "]"];
  }

  #piece(model, piece) {
    if (piece.text !== undefined) return element("span", { class: piece.quiet ? "quiet-text" : null }, piece.text);
    if (piece.place) return element("span", {}, ...this.#place(model, piece.place));
    const hue = `hue-${model.matrices[piece.cell.name].hue || "none"}`;
    const tag = piece.power !== undefined ? "sup" : piece.strong ? "strong" : "span";
    return element(tag, { class: `number ${hue}` }, piece.power ?? piece.number);
  }

  #mark(cells, name) {
    for (const cell of cells) {
      const td = this.bench.view.cells.get(key(cell));
      if (!td) continue;
      td.classList.add(name);
      this.#lit.push([td, name]);
    }
  }

  #clear() {
    for (const [td, name] of this.#lit) td.classList.remove(name);
    this.#lit = [];
    this.root.classList.remove("is-pinned");
  }
}
