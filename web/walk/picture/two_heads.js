// Two heads beside each other: what a step makes in one and in the other, in one scale of colours, and a sentence on how
// they differ. The numbers, and how much attention the heads share, are the server's.

import { div, element, fill, fillNodes, p } from "../../kit/dom.js";
import { headOf, rowsOf, shownAs } from "../../kit/graph.js";
import { largest, toneOf } from "../../kit/numbers.js";
import { namesOf } from "./cell_name.js";
import { makeRoomForMaps } from "./map.js";
import { Picture } from "./picture.js";
import { focusOf } from "./scene.js";
import { shareWidth } from "./table_sizes.js";

/** Whether both heads have this matrix. @type {(model: WalkModel, name: string, heads: number[]) => boolean} */
const has = (model, name, heads) =>
  model.matrices[name].perHead && heads.every((head) => rowsOf(model, name, headOf(model, name, head)));

/**
 * The pair that shows a step, or null where it is nothing that two heads have.
 * @param {WalkModel} model
 * @param {WalkStage} stage
 * @param {WalkStep | null} step
 * @param {number[] | null} heads
 */
export const pairOf = (model, stage, step, heads) =>
  step && heads && has(model, step.name, heads) ? new Pair(model, stage, step, heads) : null;

/**
 * Where two heads are chosen that are compared, and `show` which; nothing where there is but one.
 * @param {WalkModel} model
 * @param {(heads: number[] | null) => void} compare
 */
export function comparing({ dims, words }, compare) {
  if (dims.h < 2) return null;
  const choice = (focus, label, none) => {
    const option = (value, text) => element("option", { value }, text);
    const all = Array.from({ length: dims.h }, (_, head) =>
      option(head, fill(words.head_named, { head: head + 1 })),
    );
    return element(
      "select",
      { "aria-label": label, title: label, data: { focus } },
      ...(none ? [option("", none)] : []),
      ...all,
    );
  };
  const first = choice("compare first", words.compare_heads, words.compare_none);
  const second = choice("compare second", words.compare_with, "");
  /** @param {number[] | null} heads */
  const show = (heads) => {
    first.value = String(heads?.[0] ?? "");
    second.value = String(heads?.[1] ?? 1);
    second.hidden = !heads;
  };
  const onchange = ({ target }) => {
    if (first.value !== "" && first.value === second.value)
      (target === first ? second : first).value = String((Number(target.value) + 1) % dims.h);
    compare(first.value === "" ? null : [Number(first.value), Number(second.value)]);
    target.blur(); // the keys walk on
  };
  for (const select of [first, second]) select.addEventListener("change", onchange);
  return { root: element("span", { class: "group compare" }, first, second), show };
}

export class Pair {
  root = div("picture pair");
  slot = null;
  /** @type {Picture[]} */
  #pictures;

  constructor(model, stage, step, heads) {
    this.model = model;
    this.name = step.name;
    this.heads = heads;
    this.#pictures = heads.map((head) => new Picture(model, { ...stage, head }, step));
  }

  /** As of a picture. */
  lay(place, most) {
    const [one, other] = this.#pictures.map((picture) => picture.lay(place, most));
    if (!one && !other && this.root.firstChild) return false;
    this.#draw();
    return true;
  }

  /** The cell that is spoken of, in both. */
  show(place) {
    const { row, col } = focusOf(this.#pictures[0], place) ?? {};
    for (const td of cellsOf(this.root))
      td.classList.toggle("current", place.part !== null && td.dataset.key.endsWith(`|${row}|${col}`));
  }

  #draw() {
    const { model, name } = this;
    const bars = model.matrices[name].scale === "weights";
    const rows = this.heads.map((head) => rowsOf(model, name, headOf(model, name, head)));
    const top = bars ? 1 : largest(rows);
    const tables = this.heads.map((head, at) => {
      const table = this.#pictures[at].matrix(name, headOf(model, name, head), { bars });
      for (const td of cellsOf(table)) {
        const [row, col] = td.dataset.key.split("|").slice(-2).map(Number);
        td.style.setProperty("--tone", toneOf(rows[at][row][col], top).toFixed(3));
      }
      return table;
    });
    shareWidth(tables);
    const named = (head, table) =>
      div(
        "of-head",
        element("strong", { style: `color: var(--mha-head-${head})` }, this.#called(head)),
        table,
      );
    this.root.replaceChildren(
      div("beside", ...this.heads.map((head, at) => named(head, tables[at]))),
      p("differ", ...this.#sentence(rows)),
    );
    makeRoomForMaps(this.root);
  }

  #called(head) {
    return fill(this.model.words.head_named, { head: head + 1 });
  }

  /** How the two differ, as far as the numbers say. */
  #sentence(rows) {
    const { words } = this.model;
    const [one, other] = this.heads.map((head) => head + 1);
    const most = mostApart(rows);
    if (!most) return [words.pair_same];
    if (this.model.matrices[this.name].scale === "weights") return this.#looks(one, other);
    const [left, right] = rows.map(([...of], at) => {
      const head = headOf(this.model, this.name, this.heads[at]);
      return shownAs(this.model, this.name, head)(of[most.row][most.col]);
    });
    const cell = { name: this.name, head: headOf(this.model, this.name, this.heads[0]), ...most };
    const place = `[${namesOf(this.model, cell).join(", ")}]`;
    const { alike: count } = most;
    return [fill(count > 1 ? words.pair_cells : words.pair_cell, { count, place, one, other, left, right })];
  }

  /** Of weights: how much attention they share, and for which query the least. */
  #looks(one, other) {
    const { words, compare, closing, labels } = this.model;
    const pair = compare[one - 1][other - 1];
    if (!pair) return [words.pair_none];
    const [share, query, alike] = pair;
    const looked = [one, other].map((head) => closing.looked[head - 1][query]);
    const bdi = (text) => element("bdi", {}, text);
    const values = {
      one: [String(one)],
      other: [String(other)],
      share: [share],
      count: [String(alike)],
      query: [bdi(labels.n_q[query])],
      left: [bdi(looked[0]?.name)],
      right: [bdi(looked[1]?.name)],
    };
    const areSame = String(looked[0]?.keys) === String(looked[1]?.keys);
    const template = areSame ? "pair_both" : "pair_looks";
    return fillNodes(words[alike > 1 ? `${template}_alike` : template], values);
  }
}

/** @type {(root: HTMLElement) => NodeListOf<HTMLElement>} */
const cellsOf = (root) => root.querySelectorAll("td[data-key]");

const NEAR = 1e-12; // of the larger of two differences that are alike but for rounding

/** The first cell in which two matrices differ most, and in how many they do; null where they are alike. */
function mostApart([one, other]) {
  const all = one.flatMap((numbers, row) =>
    numbers.map((number, col) => ({ row, col, apart: Math.abs(Number(number) - Number(other[row][col])) })),
  );
  const most = Math.max(...all.map(({ apart }) => apart || 0)); // of two that are both −∞ there is no difference
  const alike = all.filter(({ apart }) => apart === most || apart > most * (1 - NEAR));
  return most > 0 ? { ...alike[0], alike: alike.length } : null;
}
