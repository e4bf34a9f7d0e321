// Lighting up operands, and the line of arithmetic.

import { element, fill, fillNodes, symbol } from "./dom.js";
import { arithmetic, exists, fedBy, isClaim, key, termsOf, valueOf } from "./graph.js";
import { changeTold, isTarget, lensAt, Legend } from "./lens.js";
import { brief, exact, isRounded } from "./numbers.js";
import { nameOf, symbolOf } from "./view.js";

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
      const list = [...counts].flatMap(([name, count], i) => [
        i ? ", " : "",
        symbol(symbolOf(model.matrices[name], cell.head)),
        ` (${count})`,
      ]);
      const [before, after] = this.words.feeds.split("{list}");
      if (list.length) parts.push(element("span", { class: "feeds" }, ` → ${before}`, ...list, after));
    }
    if (pinned)
      parts.push(
        element(
          "button",
          { type: "button", class: "quiet", "data-focus": "unpin", onclick: () => this.bench.unpin() },
          `✕ ${this.words.unpin}`,
        ),
      );
    return parts;
  }

  /** What the lens says of this cell, on a line of its own. */
  #throughLens(model, cell) {
    if (!model.lens || (model.lens.kind === "gradient" && !model.lens.target)) return [];
    const { words } = this;
    const line = (...parts) => [element("div", { class: "through-lens" }, ...parts)];
    if (model.lens.kind === "change") return line(changeTold(model, cell));
    const { target } = model.lens;
    const by = lensAt(model, cell);
    if (isTarget(model, cell)) return line(differential(model, target), ": ", words.derivative_target);
    if (by === null) {
      const [before, after] = words.derivative_later.split("{place}");
      return cell.name === "mask"
        ? line(words.derivative_mask)
        : line(before, symbol(nameOf(model, target)), after);
    }
    const equals = isRounded(by, model.decimals) ? " ≈ " : " = ";
    return line(
      differential(model, target),
      " ÷ ",
      differential(model, cell),
      equals,
      element("strong", {}, brief(by, model.decimals)),
    );
  }

  /** What was written down, and what is known of it. */
  #claimed(model, cell, place) {
    const mark = model.marks?.[key(cell)];
    const step = model.matrices[cell.name];
    const parts = [place, " = ", element("strong", {}, exact(valueOf(model, cell)) || "?")];
    if (mark)
      parts.push(element("span", { class: `verdict-mark ${mark}` }, ` ${this.words[`mark_${mark}`]}. `));
    else if (step.formula)
      parts.push(
        element("span", { class: "quiet-text" }, "  = "),
        element("span", { class: "formula" }, symbol(step.formula)),
      );
    const note = model.notes?.[key(cell)];
    if (note)
      parts.push(
        element("span", { class: "quiet-text" }, `${this.words.right}: `),
        element("span", { class: "number" }, note),
      );
    return parts;
  }

  /** The cell's name, and the tokens that it is about. */
  #place(model, cell) {
    const { axes } = model.matrices[cell.name];
    const name = symbol(nameOf(model, cell));
    const tokens = [cell.row, cell.col]
      .map((at, n) => model.labels[axes[n]]?.[at])
      .filter((token) => token !== undefined);
    if (!tokens.length) return [name];
    const between = tokens.flatMap((token, n) => [n ? " → " : "", element("bdi", {}, token)]);
    return fillNodes(this.words.place_with_tokens, { place: [name], tokens: between });
  }

  #piece(model, piece) {
    if (piece.text !== undefined)
      return element("span", { class: piece.quiet ? "quiet-text" : null }, piece.text);
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

/** ∂X[1, 2], or ∂(A[1, 3] of head 2): a name of several words is held together. */
function differential(model, cell) {
  const name = nameOf(model, cell);
  return symbol(name.includes("] ") || !/^\S+\[/.test(name) ? `∂(${name})` : `∂${name}`);
}
