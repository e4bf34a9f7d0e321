// The line of arithmetic: what a number is computed from and what it goes into, in a sentence and as lit cells.

import { arithmetic, inBrief } from "./arithmetic.js";
import {
  active,
  button,
  div,
  element,
  fill,
  fillNodes,
  named,
  pressable,
  span,
  symbol,
  targetOf,
  titled,
} from "./dom.js";
import {
  canFollow,
  exists,
  fedBy,
  isClaim,
  isSame,
  key,
  nameOf,
  ofHead,
  pathOf,
  requireValue,
  symbolOf,
  termsOf,
  tokensOf,
} from "./graph.js";
import { jumps, stopsOf } from "./jumps.js";
import { changeText, isTarget, lensAt } from "./lens.js";
import { brief, exact, isRounded } from "./numbers.js";
import { Lights } from "./selection.js";

/**
 * A piece of arithmetic as a node; `placed` gives the nodes of a place. `quiet`: the class of quiet pieces; `also`:
 * further classes. `follow`: a number leads to its cell.
 * @param {Model} model
 * @param {Piece} piece
 * @param {(cell: Cell) => Child[]} placed
 * @param {{ quiet?: string; also?: string; follow?: (cell: Cell) => void }} [manner]
 */
export function pieceOf(model, piece, placed, { quiet = "quiet-text", also = "", follow } = {}) {
  /** @param {...(string | false | undefined)} names */
  const classes = (...names) => [also, ...names].filter(Boolean).join(" ") || null;
  const cell = piece.place ?? piece.cell;
  if (piece.text !== undefined || !cell)
    return element("span", { class: classes(piece.quiet && quiet) }, piece.text);
  const hue = piece.place ? "" : `hue-${model.matrices[cell.name].hue || "none"}`;
  const shown = piece.place ? placed(cell) : [piece.power ?? piece.number];
  const tag = piece.power !== undefined ? "sup" : piece.strong ? "strong" : "span";
  if (!follow || piece.strong) return element(tag, { class: classes(hue && "number", hue) }, ...shown);
  const attributes = {
    class: classes(hue && "number", "term", hue),
    title: nameOf(model, cell).replaceAll("_", ""),
  };
  const link = button({ ...attributes, onclick: () => follow(cell) }, ...shown);
  return tag === "sup" ? element("sup", {}, link) : link;
}

/**
 * The same nodes, each power together with its base, so that no line breaks between them.
 * @param {HTMLElement[]} nodes
 */
function withPowers(nodes) {
  return nodes.map((node, at) => {
    const before = nodes[at - 1];
    if (node.localName !== "sup" || !before || before.childElementCount) return node;
    const text = before.textContent ?? "";
    const [base] = text.match(/\S*$/) ?? [""];
    before.textContent = text.slice(0, text.length - base.length);
    return element(
      "span",
      { class: "power" },
      element("span", { class: before.className || null }, base),
      node,
    );
  });
}

/** @typedef {Pick<Host, "model" | "view">} Page the numbers, and the tables that show them */

export class Explain {
  #lights = new Lights();
  #whole = false; // the pinned number's whole path is lit, and the rest is dimmed
  /** @type {Cell[]} */
  #trail = []; // the numbers that were followed to the pinned one
  /** @type {Cell | null} */
  #end = null; // the one that the trail leads to
  /** @type {{ page: Page; cell: Cell | null; pinned: Cell | null } | null} */
  #shown = null;
  /** @type {Cell | null} */
  #drawn = null; // the cell that the line was last drawn for
  /** @type {Cell | null} */
  #solved = null; // the wrong number whose right calculation has been asked for
  /** @type {{ model: Model; cell: Cell; cells: Cell[] } | null} */
  #path = null; // the last one that was followed

  /**
   * `unpin()` lets go of the pinned number, `hold(cell)` pins another and goes there, `go(cell)` goes there alone.
   * `traced(path, begun)`: these cells are lit as the whole path, or none; `begun` where that has just been asked for.
   * `acts(model, cell)`: buttons of the page for the pinned number. `above`: nodes above the line. Without `hold` the
   * numbers of the line lead nowhere.
   * @param {Record<string, string>} words
   * @param {{ unpin: () => void; hold?: (cell: Cell) => void; go?: (cell: Cell) => void;
   *   traced?: (path: Cell[] | null, begun: boolean) => void; acts?: OfCell<Child[]> }} host
   * @param {...Node} above
   */
  constructor(words, { unpin, hold, go = () => {}, traced = () => {}, acts = () => [] }, ...above) {
    this.words = words;
    this.unpin = unpin;
    this.hold = hold;
    this.go = go;
    this.traced = traced;
    this.acts = acts;
    this.line = div("line");
    // A press on a button of the line moves no focus: that would draw the line again under the pointer.
    this.line.addEventListener("mousedown", (event) => {
      if (targetOf(event)?.closest("button")) event.preventDefault();
    });
    this.root = div("explain", ...above, this.line);
    this.root.addEventListener("keydown", ({ key: pressed }) => pressed === "Escape" && this.unpin());
  }

  /**
   * Go to a term of the pinned number, which stays in the trail.
   * @param {Cell} from
   * @param {Cell} to
   */
  #follow(from, to) {
    this.#trail = [...this.#trail, from];
    this.#end = to;
    this.hold?.(to);
  }

  /** @param {number} at of the trail, where to go back to */
  #return(at) {
    const to = this.#trail[at];
    this.#trail = this.#trail.slice(0, at);
    this.#end = to;
    this.hold?.(to);
  }

  /** The numbers are about to be others: no path is wanted of them. */
  forget() {
    this.#whole = false;
  }

  #toggleWhole() {
    if (!this.#shown) return;
    this.#whole = !this.#whole;
    const { page, cell, pinned } = this.#shown;
    this.show(page, cell, pinned, true);
    named(this.line, "whole path")?.focus({ preventScroll: true }); // the page may be scrolling to the terms
  }

  /**
   * Draw the line again, and give the focus back to the button of it that had it.
   * @param {...(Node | string)} parts
   */
  #draw(...parts) {
    const focused = active(this.line);
    const focus = this.line.contains(focused) && focused?.dataset.focus;
    const { cell = null } = this.#shown ?? {};
    if (!isSame(cell, this.#drawn)) this.line.scrollTop = 0; // another number is read from its beginning
    this.#drawn = cell;
    this.line.replaceChildren(...parts);
    if (focus) named(this.line, focus)?.focus({ preventScroll: true });
  }

  /**
   * Show what a cell is computed from and what it goes into, and whether it is pinned.
   * @param {Page} page
   * @param {Cell | null} cell
   * @param {Cell | null} pinned
   * @param {boolean} [toggled] whether the whole path has just been asked for, or no longer
   */
  show(page, cell, pinned, toggled = false) {
    const { model, view } = page;
    this.#shown = { page, cell, pinned };
    if (!isSame(pinned, this.#end)) this.#trail = [];
    const known = cell && exists(model, cell);
    const isPinned = Boolean(known && isSame(cell, pinned));
    this.root.classList.toggle("is-pinned", isPinned);
    if (!known) {
      this.#lights.clear();
      this.#draw(span("hint", model.check ? this.words.hint_check : this.words.hint));
      this.traced(null, false);
      return;
    }
    const terms = termsOf(model, cell);
    const fed = fedBy(model, cell);
    /** @type {(cells: (Cell | null)[], name: string) => void} */
    const light = (cells, name) => {
      const tds = cells.map((lit) => lit && view.cells.get(key(lit))).filter((td) => td instanceof Element);
      this.#lights.light(tds, name);
    };
    const path = this.#pathOf(model, pinned);
    if (path && isPinned) view.reveal(path);
    this.#lights.lightOnly(() => {
      light([cell], isPinned ? "pinned" : "current");
      light(terms.flat(), "operand");
      light(fed, "fed");
      if (!path) return;
      light(path, "path");
      light([pinned], "pinned");
      this.#lights.light([view.root, view.backward], "tracing");
    });
    const parts = this.#sentence(model, cell, terms, fed, isPinned);
    this.#draw(...parts.filter((part) => part !== null && part !== undefined), "");
    this.traced(path, toggled && path !== null);
  }

  /**
   * All that the pinned number comes from and goes into, where that is wanted, whatever number is pointed at.
   * @param {Model} model
   * @param {Cell | null} cell
   */
  #pathOf(model, cell) {
    if (!this.#whole || !cell || !exists(model, cell) || !canFollow(model)) return null;
    if (this.#path?.model !== model || !isSame(this.#path.cell, cell))
      this.#path = { model, cell, cells: pathOf(model, cell) };
    return this.#path.cells;
  }

  /** The same as plain text, for a screen reader. */
  text() {
    return (this.line.textContent ?? "").replace(/\s+/g, " ").trim();
  }

  /**
   * @param {Model} model
   * @param {Cell} cell
   * @param {Cell[][]} terms
   * @param {Cell[]} fed
   * @param {boolean} isPinned
   * @returns {Child[]}
   */
  #sentence(model, cell, terms, fed, isPinned) {
    const place = span("place", ...this.#place(model, cell));
    if (isClaim(model, cell.name)) return this.#claimed(model, cell, place);
    const parts = [...this.#throughLens(model, cell), place, " = "];
    if (terms.length) {
      const { formula } = model.matrices[cell.name];
      const step = model.steps[cell.name];
      if (formula) parts.push(span("formula", symbol(formula)), " = ");
      const masked = (/** @type {number} */ count) => fill(this.words.masked_terms, { count });
      const pieces = arithmetic(model, cell, { ...inBrief(model, isPinned ? Infinity : 10), masked });
      const follow = isPinned && this.hold ? (/** @type {Cell} */ to) => this.#follow(cell, to) : undefined;
      const nodes = pieces.map((piece) => pieceOf(model, piece, (at) => this.#place(model, at), { follow }));
      parts.push(...withPowers(nodes));
      if (step.shifts && ofHead(model.shifts, cell.head)?.[cell.row])
        parts.push(span("quiet-text", ` (${this.words.shifted})`));
    } else {
      parts.push(element("strong", {}, exact(requireValue(model, cell))));
      if (fed.length) parts.push(span("feeds", " → ", ...this.#feeds(model, cell, fed)));
    }
    if (isPinned) return [...this.#crumbs(model), ...parts, ...this.#acts(model, cell)];
    const isPathLit = this.#pathOf(model, this.#shown?.pinned ?? null) !== null;
    return isPathLit ? [...parts, this.#ways(model, [])] : parts;
  }

  /**
   * How many numbers of which tables a number goes into.
   * @param {Model} model
   * @param {Cell} cell
   * @param {Cell[]} fed
   * @returns {Child[]}
   */
  #feeds(model, cell, fed) {
    const { words } = this;
    const counts = new Map();
    for (const { name } of fed) counts.set(name, (counts.get(name) ?? 0) + 1);
    const list = [...counts].flatMap(([name, count], at) => {
      const text = at ? words.feeds_also : count === 1 ? words.feeds_one : words.feeds_many;
      const table = [symbol(symbolOf(model, name, cell.head))];
      return [at ? words.comma : "", ...fillNodes(text, { count: [String(count)], table })];
    });
    const heads = new Set(fed.map(({ head }) => head)).size;
    return fillNodes(heads > 1 ? words.feeds_heads : words.feeds, { list, heads: [String(heads)] });
  }

  /**
   * What can be done with the pinned number.
   * @param {Model} model
   * @param {Cell} cell
   * @returns {Child[]}
   */
  #acts(model, cell) {
    return [this.#ways(model, this.acts(model, cell)), this.#jumps(model, cell)];
  }

  /**
   * Buttons to light the whole path of the pinned number, and to let go of it. While the path is lit they are there
   * whatever number is explained.
   * @param {Model} model
   * @param {Child[]} others
   */
  #ways(model, others) {
    const unpin = { data: { focus: "unpin" }, onclick: this.unpin };
    const whole = { data: { focus: "whole path" }, onclick: () => this.#toggleWhole() };
    const path = this.hold && canFollow(model) ? pressable(this.#whole, whole, this.words.whole_path) : null;
    const acts = others.filter((act) => act);
    return span(
      "ways",
      path,
      button(unpin, `✕ ${this.words.unpin}`),
      acts.length ? span("ways-acts", ...acts) : null,
    );
  }

  /** @type {OfCell<Node | null>} */
  #jumps(model, cell) {
    const path = this.#pathOf(model, cell);
    if (!path || !this.#shown) return null;
    return jumps(model, stopsOf(path, cell, this.#shown.page.view), this.words, this.go);
  }

  /**
   * The way back along the numbers that were followed.
   * @param {Model} model
   * @returns {Child[]}
   */
  #crumbs(model) {
    const crumbs = this.#trail.flatMap((cell, at) => {
      if (!exists(model, cell)) return [];
      const data = { focus: `crumb ${at}` };
      const onclick = () => this.#return(at);
      return [
        button({ class: "quiet crumb", data, onclick }, ...symbol(nameOf(model, cell)).childNodes),
        " › ",
      ];
    });
    return crumbs.length
      ? [element("nav", { class: "crumbs", "aria-label": this.words.crumbs }, ...crumbs)]
      : [];
  }

  /**
   * What the lens says of this cell, on a line of its own.
   * @type {OfCell<Child[]>}
   */
  #throughLens(model, cell) {
    if (!model.lens) return [];
    const { words } = this;
    /** @param {...Child} parts */
    const line = (...parts) => [div("through-lens", ...parts)];
    if (model.lens.kind === "change") return line(changeText(model, cell));
    const { target } = model.lens;
    if (!target) return [];
    const by = lensAt(model, cell);
    if (isTarget(model, cell)) return line(differential(model, target), ": ", words.derivative_target);
    if (by === null || by === undefined) {
      const [before, after] = words.derivative_later.split("{place}");
      return cell.name === "mask" || cell.name === "head_mask"
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

  /**
   * What was written down, and what is known of it.
   * @param {Model} model
   * @param {Cell} cell
   * @param {Node} place
   * @returns {Child[]}
   */
  #claimed(model, cell, place) {
    const mark = model.marks?.[key(cell)];
    const step = model.matrices[cell.name];
    const parts = [place, " = ", element("strong", {}, exact(requireValue(model, cell)) || "?")];
    const isCopy = mark === "follows" && cell.name === "concat";
    const markText = isCopy ? this.words.mark_copied : this.words[`mark_${mark}`];
    if (mark) parts.push(span(`verdict-mark ${mark}`, ` ${fill(this.words.mark_told, { mark: markText })} `));
    else if (step.formula) parts.push(span("quiet-text", "  = "), span("formula", symbol(step.formula)));
    const kind = model.kinds?.[key(cell)];
    if (kind) parts.push(span("kind", symbol(kind)), " ");
    const note = model.notes?.[key(cell)];
    if (note && isSame(cell, this.#solved))
      parts.push(span("quiet-text", titled(this.words, this.words.right, "")), span("number", note));
    else if (note) parts.push(this.#solving());
    return parts;
  }

  /** A button that shows the right calculation. */
  #solving() {
    const keys = { "aria-keyshortcuts": "?", title: `${this.words.solution} (?)` };
    return button({ data: { focus: "solution" }, ...keys, onclick: () => this.solve() }, this.words.solution);
  }

  /** Show the right calculation of the number that is shown, where it is wrong. */
  solve() {
    if (!this.#shown) return;
    const { page, cell, pinned } = this.#shown;
    this.#solved = cell;
    this.show(page, cell, pinned);
  }

  /**
   * The cell's name with its tokens.
   * @type {OfCell<Child[]>}
   */
  #place(model, cell) {
    const name = symbol(nameOf(model, cell));
    const tokens = tokensOf(model, cell);
    if (!tokens.length) return [name];
    const between = tokens.flatMap((token, n) => [n ? " → " : "", element("bdi", {}, token)]);
    return fillNodes(this.words.place_with_tokens, { place: [name], tokens: between });
  }
}

/**
 * ∂X[1, 2], or ∂(A[1, 3] of head 2): a name of several words stands in parentheses.
 * @param {Model} model
 * @param {Cell} cell
 */
function differential(model, cell) {
  const name = nameOf(model, cell);
  return symbol(name.includes("] ") || !/^\S+\[/.test(name) ? `∂(${name})` : `∂${name}`);
}
