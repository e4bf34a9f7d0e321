// Two heads side by side: what a step computes in each of them, in one scale of colours, and a sentence on how they
// differ. The server computes the numbers, and how much attention the heads share.

import { div, element, elementsOf, fill, fillNodes, p } from "../../kit/dom.js";
import { headOf, requireRows, rowsOf, shownAs, unkey } from "../../kit/graph.js";
import { largest, toneOf } from "../../kit/numbers.js";
import { namesOf } from "./cell_name.js";
import { makeRoomForMaps } from "./map.js";
import { Picture } from "./picture.js";
import { shareWidth } from "./picture_tables.js";
import { focusOf } from "./scene.js";

/** Whether both heads have this matrix. @type {(model: WalkModel, name: string, heads: number[]) => boolean} */
const has = (model, name, heads) =>
  model.matrices[name].perHead &&
  heads.every((head) => rowsOf(model, name, headOf(model, name, head)) !== undefined);

/**
 * The pair that shows a step. Null where no heads are compared, or they do not both have what the step computes.
 * @param {WalkModel} model
 * @param {WalkStage} stage
 * @param {WalkStep | null} step
 * @param {number[] | null} heads
 */
export const pairOf = (model, stage, step, heads) =>
  step && heads && has(model, step.name, heads) ? new Pair(model, stage, step, heads) : null;

/**
 * The two lists where heads are chosen to be compared; `show` sets them. Null where there is only one head.
 * @param {WalkModel} model
 * @param {(heads: number[] | null) => void} compare
 */
export function comparing({ dims, words }, compare) {
  if (dims.h < 2) return null;
  /** @type {(value: string | number, text: string) => HTMLElement} */
  const option = (value, text) => element("option", { value }, text);
  const heads = () =>
    Array.from({ length: dims.h }, (_, head) => option(head, fill(words.head_named, { head: head + 1 })));
  /** @type {(focus: string, label: string, ...options: HTMLElement[]) => HTMLSelectElement} */
  const list = (focus, label, ...options) =>
    element("select", { "aria-label": label, title: label, data: { focus } }, ...options);
  const first = list("compare first", words.compare_heads, option("", words.compare_none), ...heads());
  const second = list("compare second", words.compare_with, ...heads());
  /** @param {number[] | null} heads */
  const show = (heads) => {
    first.value = String(heads?.[0] ?? "");
    second.value = String(heads?.[1] ?? 1);
    second.hidden = !heads;
  };
  /** @type {(changed: HTMLSelectElement, other: HTMLSelectElement) => void} */
  const choose = (changed, other) => {
    if (first.value !== "" && first.value === second.value)
      other.value = String((Number(other.value) + 1) % dims.h);
    compare(first.value === "" ? null : [Number(first.value), Number(second.value)]);
    changed.blur(); // from here on keys move the walk again
  };
  first.addEventListener("change", () => choose(first, second));
  second.addEventListener("change", () => choose(second, first));
  return { root: element("span", { class: "group compare" }, first, second), show };
}

export class Pair {
  root = div("picture pair");
  slot = null; // it has no room for words
  #pictures;

  /**
   * @param {WalkModel} model
   * @param {WalkStage} stage
   * @param {WalkStep} step
   * @param {number[]} heads
   */
  constructor(model, stage, step, heads) {
    this.model = model;
    this.name = step.name;
    this.heads = heads;
    const ownerOf = (/** @type {number} */ head) => headOf(model, step.name, head); // heads may share keys and values
    this.#pictures = heads.map((head) => new Picture(model, { ...stage, head: ownerOf(head) }, step));
  }

  /** The picture of the first head, whose arithmetic is shown. */
  get first() {
    return this.#pictures[0];
  }

  /**
   * As a picture does.
   * @param {Place} place
   * @param {Limit} [most]
   */
  layOut(place, most) {
    const isChanged = this.#pictures.map((picture) => picture.layOut(place, most)).some(Boolean);
    if (!isChanged && this.root.firstChild) return false;
    this.#render();
    return true;
  }

  /** Highlight the cell in focus, in both. @param {Place} place */
  show(place) {
    const focus = focusOf(this.#pictures[0], place);
    for (const { td, cell } of cellsIn(this.root)) {
      const isFocus = cell.row === focus?.row && cell.col === focus?.col;
      td.classList.toggle("current", place.part !== null && isFocus);
    }
  }

  #render() {
    const { model, name } = this;
    const bars = model.matrices[name].scale === "weights";
    const matrices = this.heads.map((head) => requireRows(model, name, headOf(model, name, head)));
    const top = bars ? 1 : largest(matrices);
    const tables = this.heads.map((head, at) => {
      const table = this.#pictures[at].matrix(name, headOf(model, name, head), { bars });
      for (const { td, cell } of cellsIn(table))
        td.style.setProperty("--tone", toneOf(matrices[at][cell.row][cell.col], top).toFixed(3));
      return table;
    });
    shareWidth(tables);
    const named = this.heads.map((head, at) => {
      const title = fill(model.words.head_named, { head: head + 1 });
      const style = `color: var(--mha-head-${head})`;
      return div("of-head", element("strong", { style }, title), tables[at]);
    });
    this.root.replaceChildren(div("beside", ...named), p("differ", ...this.#sentence(matrices)));
    makeRoomForMaps(this.root);
  }

  /**
   * How the two differ, as far as the numbers say.
   * @param {Value[][][]} matrices
   * @returns {Child[]}
   */
  #sentence(matrices) {
    const { words } = this.model;
    const [one, other] = this.heads.map((head) => head + 1);
    const most = mostApart(matrices[0], matrices[1]);
    if (!most) return [words.pair_same];
    if (this.model.matrices[this.name].scale === "weights") return this.#looks(one, other);
    const [left, right] = matrices.map((rows, at) => {
      const head = headOf(this.model, this.name, this.heads[at]);
      return shownAs(this.model, this.name, head)(rows[most.row][most.col]);
    });
    const cell = { name: this.name, head: headOf(this.model, this.name, this.heads[0]), ...most };
    const place = `[${namesOf(this.model, cell).join(", ")}]`;
    const { alike: count } = most;
    return [fill(count > 1 ? words.pair_cells : words.pair_cell, { count, place, one, other, left, right })];
  }

  /**
   * Of weights: how much attention the heads share, and for which query the least.
   * @param {number} one
   * @param {number} other
   * @returns {Child[]}
   */
  #looks(one, other) {
    const { words, compare, closing, labels } = this.model;
    const pair = compare[one - 1][other - 1];
    if (!pair) return [words.pair_none];
    const [share, query, alike] = pair;
    const [left, right] = [one, other].map((head) => closing.looked[head - 1][query]);
    /** @param {string | undefined} text */
    const bdi = (text) => element("bdi", {}, text);
    const values = {
      one: [String(one)],
      other: [String(other)],
      share: [share],
      count: [String(alike)],
      query: [bdi(labels.n_q[query])],
      left: [bdi(left?.name)],
      right: [bdi(right?.name)],
    };
    const template = String(left?.keys) === String(right?.keys) ? "pair_both" : "pair_looks";
    return fillNodes(words[alike > 1 ? `${template}_alike` : template], values);
  }
}

/** @type {(root: HTMLElement) => { td: HTMLElement; cell: Cell }[]} */
const cellsIn = (root) =>
  elementsOf(root, "td[data-key]").map((td) => ({ td, cell: unkey(td.dataset.key ?? "") }));

const NEAR = 1e-12; // of two differences that are equal but for rounding, as a share of the larger

/**
 * The first cell in which two matrices differ most, and how many cells differ as much. Null where they are equal.
 * @param {Value[][]} one
 * @param {Value[][]} other
 */
function mostApart(one, other) {
  const all = one.flatMap((numbers, row) =>
    numbers.map((number, col) => ({ row, col, apart: Math.abs(Number(number) - Number(other[row][col])) })),
  );
  const most = Math.max(...all.map(({ apart }) => apart || 0)); // two that are both −∞ do not differ
  const alike = all.filter(({ apart }) => apart === most || apart > most * (1 - NEAR));
  return most > 0 ? { ...alike[0], alike: alike.length } : null;
}
