// The line of arithmetic: what a number is made of and what it goes into, in a sentence and as lit cells.

import { arithmetic, inBrief } from "./arithmetic.js";
import { active, button, div, element, fill, fillNodes, named, pressable, span, symbol } from "./dom.js";
import {
  canFollow,
  exists,
  fedBy,
  isClaim,
  isSame,
  key,
  nameOf,
  pairOf,
  pathOf,
  symbolOf,
  termsOf,
  tokensOf,
  valueAt,
} from "./graph.js";
import { jumps, stopsOf } from "./jumps.js";
import { changeText, isTarget, lensAt } from "./lens.js";
import { brief, exact, isRounded } from "./numbers.js";
import { Lights } from "./selection.js";

/**
 * A piece of arithmetic as a node; `placed` gives the nodes of a place. `quiet`: the class of what stands back, `also`:
 * further classes. `follow`: a number leads to its cell.
 * @param {Model} model
 * @param {Piece} piece
 * @param {(cell: Cell) => Child[]} placed
 * @param {{ quiet?: string; also?: string; follow?: (cell: Cell) => void }} [manner]
 */
export function pieceOf(model, piece, placed, { quiet = "quiet-text", also = "", follow } = {}) {
  const classes = (...names) => [also, ...names].filter(Boolean).join(" ") || null;
  if (piece.text !== undefined) return element("span", { class: classes(piece.quiet && quiet) }, piece.text);
  const of = piece.place ?? piece.cell;
  const hue = piece.place ? "" : `hue-${model.matrices[of.name].hue || "none"}`;
  const shown = piece.place ? placed(of) : [piece.power ?? piece.number];
  const tag = piece.power !== undefined ? "sup" : piece.strong ? "strong" : "span";
  if (!follow || piece.strong) return element(tag, { class: classes(hue && "number", hue) }, ...shown);
  const attributes = {
    class: classes(hue && "number", "term", hue),
    title: nameOf(model, of).replaceAll("_", ""),
  };
  const link = button({ ...attributes, onclick: () => follow(of) }, ...shown);
  return tag === "sup" ? element("sup", {}, link) : link;
}

/**
 * The same, each power in one line with what it is of.
 * @param {HTMLElement[]} nodes
 */
function unparted(nodes) {
  return nodes.map((node, at) => {
    const before = nodes[at - 1];
    if (node.localName !== "sup" || !before || before.childElementCount) return node;
    const [base] = before.textContent.match(/\S*$/);
    before.textContent = before.textContent.slice(0, before.textContent.length - base.length);
    return element(
      "span",
      { class: "power" },
      element("span", { class: before.className || null }, base),
      node,
    );
  });
}

export class Explain {
  #lights = new Lights();
  #whole = false; // all that the held number comes from and goes into is lit, and the rest steps back
  /** @type {Cell[]} */
  #trail = []; // the numbers that were followed, up to the one that is held
  /** @type {Cell | null} */
  #end = null; // the one that the trail leads to
  #shown = null;
  /** @type {Cell | null} */
  #solved = null; // the wrong number whose right calculation has been asked for
  /** @type {{ model: Model; held: Cell; cells: Cell[] } | null} */
  #path = null; // the last one that was followed

  /**
   * `unpin()` lets go of a number that is held, `hold(cell)` holds another and goes there, `go(cell)` goes there alone;
   * `traced(path, begun)`: these cells are lit as the whole path, or none, `begun` where that has just been asked for;
   * `mask(pair, hides)` hides a pair or lets it attend; `above`: what stands over the line. Without `hold` the numbers of
   * the line lead nowhere, without `mask` none can be hidden.
   * @param {Record<string, string>} words
   * @param {{ unpin: () => void; hold?: (cell: Cell) => void; go?: (cell: Cell) => void;
   *   traced?: (path: Cell[] | null, begun: boolean) => void; mask?: (pair: Cell, hides: boolean) => void }} host
   * @param {...Node} above
   */
  constructor(words, { unpin, hold, go, traced = () => {}, mask }, ...above) {
    this.words = words;
    this.unpin = unpin;
    this.hold = hold;
    this.go = go;
    this.traced = traced;
    this.mask = mask;
    this.line = div("line");
    // The focus stays where it is while a button of the line is pressed: the line would be drawn anew under the hand.
    this.line.addEventListener("mousedown", (event) => {
      if (/** @type {Element} */ (event.target).closest("button")) event.preventDefault();
    });
    this.root = div("explain", ...above, this.line);
    this.root.addEventListener("keydown", ({ key: pressed }) => pressed === "Escape" && this.unpin());
  }

  /**
   * Go to a term of the number that is held, which stays in the trail.
   * @param {Cell} from
   * @param {Cell} to
   */
  #follow(from, to) {
    this.#trail = [...this.#trail, from];
    this.#end = to;
    this.hold(to);
  }

  /** @param {number} at of the trail, where to go back to */
  #return(at) {
    const to = this.#trail[at];
    this.#trail = this.#trail.slice(0, at);
    this.#end = to;
    this.hold(to);
  }

  #toggleWhole() {
    this.#whole = !this.#whole;
    const { shown, cell, held } = this.#shown;
    this.show(shown, cell, held, true);
    named(this.line, "whole path")?.focus({ preventScroll: true }); // the page may be on its way to the terms
  }

  /**
   * Draw the line anew, and give the focus back to the button of it that had it.
   * @param {...Child} parts
   */
  #draw(...parts) {
    const focused = active(this.line);
    const focus = this.line.contains(focused) && focused.dataset.focus;
    this.line.replaceChildren(...parts);
    if (focus) named(this.line, focus)?.focus({ preventScroll: true });
  }

  /**
   * Show where a cell of a view comes from and where it goes, and whether it is the one that is held.
   * @param {Pick<Host, "model" | "view">} shown
   * @param {Cell} cell
   * @param {Cell} held
   * @param {boolean} [asked] whether its whole path has just been asked for, or no longer
   */
  show(shown, cell, held, asked = false) {
    const { model, view } = shown;
    this.#shown = { shown, cell, held };
    if (!isSame(held, this.#end)) this.#trail = [];
    const known = cell && exists(model, cell);
    const pinned = known && isSame(cell, held);
    this.root.classList.toggle("is-pinned", Boolean(pinned));
    if (!known) {
      this.#lights.clear();
      this.#draw(span("hint", model.check ? this.words.hint_check : this.words.hint));
      this.traced(null, false);
      return;
    }
    const terms = termsOf(model, cell);
    const fed = fedBy(model, cell);
    const light = (cells, name) =>
      this.#lights.light(cells.map((of) => view.cells.get(key(of))).filter(Boolean), name);
    const path = this.#pathOf(model, held);
    if (path && pinned) view.reveal(path);
    this.#lights.anew(() => {
      light([cell], pinned ? "pinned" : "current");
      light(terms.flat(), "operand");
      light(fed, "fed");
      if (!path) return;
      light(path, "path");
      light([held], "pinned");
      this.#lights.light([view.root], "tracing");
    });
    this.#draw(...this.#sentence(model, cell, terms, fed, pinned), "");
    this.traced(path, asked && path !== null);
  }

  /**
   * All that the held number comes from and goes into, where that is wanted; other numbers may be pointed at meanwhile.
   * @param {Model} model
   * @param {Cell | null} held
   */
  #pathOf(model, held) {
    if (!this.#whole || !held || !exists(model, held) || !canFollow(model)) return null;
    if (this.#path?.model !== model || !isSame(this.#path.held, held))
      this.#path = { model, held, cells: pathOf(model, held) };
    return this.#path.cells;
  }

  /** The same as plain text, for a screen reader. */
  text() {
    return this.line.textContent.replace(/\s+/g, " ").trim();
  }

  /**
   * @param {Model} model
   * @param {Cell} cell
   * @param {Cell[][]} terms
   * @param {Cell[]} fed
   * @param {boolean} pinned
   * @returns {Child[]}
   */
  #sentence(model, cell, terms, fed, pinned) {
    const place = span("place", ...this.#place(model, cell));
    if (isClaim(model, cell.name)) return this.#claimed(model, cell, place);
    const parts = [...this.#throughLens(model, cell), place, " = "];
    if (terms.length) {
      const { formula } = model.matrices[cell.name];
      const step = model.steps[cell.name];
      if (formula) parts.push(span("formula", symbol(formula)), " = ");
      const pieces = arithmetic(model, cell, inBrief(model, pinned ? Infinity : 10));
      const follow = pinned && this.hold && ((to) => this.#follow(cell, to));
      const nodes = pieces.map((piece) => pieceOf(model, piece, (of) => this.#place(model, of), { follow }));
      parts.push(...unparted(nodes));
      if (step.shifts && model.shifts[cell.head][cell.row])
        parts.push(span("quiet-text", ` (${this.words.shifted})`));
    } else {
      parts.push(element("strong", {}, exact(valueAt(model, cell))));
      if (fed.length) parts.push(span("feeds", " → ", ...this.#feeds(model, cell, fed)));
    }
    if (pinned) parts.push(...this.#ways(model, cell));
    return pinned ? [...this.#crumbs(model), ...parts] : parts;
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
      return [at ? words.feeds_and : "", ...fillNodes(text, { count: [String(count)], table })];
    });
    return fillNodes(words.feeds, { list });
  }

  /**
   * What can be done with the number that is held.
   * @param {Model} model
   * @param {Cell} cell
   * @returns {Child[]}
   */
  #ways(model, cell) {
    const unpin = { data: { focus: "unpin" }, onclick: this.unpin };
    const whole = { data: { focus: "whole path" }, onclick: () => this.#toggleWhole() };
    const ways = [
      this.#masking(model, cell),
      this.hold && canFollow(model) ? pressable(this.#whole, whole, this.words.whole_path) : null,
      button(unpin, `✕ ${this.words.unpin}`),
    ];
    return [span("ways", ...ways), this.#jumps(model, cell)].filter(Boolean);
  }

  /** @type {OfCell<Node>} */
  #jumps(model, cell) {
    const path = this.#pathOf(model, cell);
    return path && jumps(model, stopsOf(path, cell, this.#shown.shown.view), this.words, this.go);
  }

  /**
   * Hide the pair that the number is about, in every head, or let it attend again.
   * @param {Model} model
   * @param {Cell} cell
   */
  #masking(model, cell) {
    const pair = this.mask && pairOf(model, cell);
    if (!pair) return null;
    const { words } = this;
    const onclick = () => this.mask(pair.cell, !pair.hidden);
    return button({ data: { focus: "mask pair" }, onclick }, pair.hidden ? words.unmask : words.mask_this);
  }

  /**
   * The way back along the numbers that were followed.
   * @param {Model} model
   * @returns {Child[]}
   */
  #crumbs(model) {
    const crumbs = this.#trail
      .map((cell, at) => [cell, at])
      .filter(([cell]) => exists(model, /** @type {Cell} */ (cell)))
      .flatMap(([cell, at]) => {
        const back = {
          class: "quiet crumb",
          data: { focus: `crumb ${at}` },
          onclick: () => this.#return(Number(at)),
        };
        return [button(back, ...symbol(nameOf(model, /** @type {Cell} */ (cell))).childNodes), " › "];
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
    if (!model.lens || (model.lens.kind === "gradient" && !model.lens.target)) return [];
    const { words } = this;
    const line = (...parts) => [div("through-lens", ...parts)];
    if (model.lens.kind === "change") return line(changeText(model, cell));
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
    const parts = [place, " = ", element("strong", {}, exact(valueAt(model, cell)) || "?")];
    const isCopy = mark === "follows" && cell.name === "concat";
    const markText = isCopy ? this.words.mark_copied : this.words[`mark_${mark}`];
    if (mark) parts.push(span(`verdict-mark ${mark}`, ` ${fill(this.words.mark_told, { mark: markText })} `));
    else if (step.formula) parts.push(span("quiet-text", "  = "), span("formula", symbol(step.formula)));
    const kind = model.kinds?.[key(cell)];
    if (kind) parts.push(span("kind", symbol(kind)), " ");
    const note = model.notes?.[key(cell)];
    if (note && isSame(cell, this.#solved))
      parts.push(span("quiet-text", `${this.words.right}: `), span("number", note));
    else if (note) parts.push(this.#solving());
    return parts;
  }

  /** What is right is told to who asks for it. */
  #solving() {
    const keys = { "aria-keyshortcuts": "?", title: `${this.words.solution} (?)` };
    return button({ data: { focus: "solution" }, ...keys, onclick: () => this.solve() }, this.words.solution);
  }

  /** Tell what is right where the number that is shown is wrong. */
  solve() {
    if (!this.#shown) return;
    const { shown, cell, held } = this.#shown;
    this.#solved = cell;
    this.show(shown, cell, held);
  }

  /**
   * The cell's name, and the tokens that it is about.
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
 * ∂X[1, 2], or ∂(A[1, 3] of head 2): a name of several words is held together.
 * @param {Model} model
 * @param {Cell} cell
 */
function differential(model, cell) {
  const name = nameOf(model, cell);
  return symbol(name.includes("] ") || !/^\S+\[/.test(name) ? `∂(${name})` : `∂${name}`);
}
