// How the matrices of a stage are laid out: a product's factors left of it and above it, softmax with its exponentials,
// heads side by side, given matrices, the tokens, and in the end where each head looks.

import { div, element, operator, span, symbol } from "../../kit/dom.js";
import { key, requireRows, rowsOf, shownAs } from "../../kit/graph.js";
import { corner, table } from "../../kit/layout.js";
import { format } from "../../kit/numbers.js";
import {
  arrow,
  columnHead,
  gapCell,
  gapColumnHead,
  gapRow,
  gapText,
  labelsWithGaps,
  lengthOf,
  rowHead,
  shareWidth,
  sizeOf,
  underline,
  widthOf,
} from "./picture_tables.js";
import { hasStep, ownerOf, powersOf, printed } from "./scene.js";
import { around } from "./shown_indices.js";
import { hasPlane } from "./vectors.js";
import { Plane } from "./vectors_view.js";

/** @typedef {import("./picture.js").Picture} Picture */
/** @typedef {Picture & StepScene} StepPicture */

/**
 * The matrices of a picture's stage, laid out.
 * @param {Picture} picture
 * @returns {HTMLElement}
 */
export function layOut(picture) {
  const { kind } = picture.stage;
  if (kind === "tokens") return tokens(picture);
  if (kind === "closing") return closing(picture);
  if (!hasStep(picture)) return inputs(picture);
  const { layout } = picture.step;
  if (layout === "product") return product(picture);
  if (layout === "softmax") return softmax(picture);
  return beside(picture, layout === "concat");
}

/** @type {(picture: StepPicture) => HTMLElement} */
function product(picture) {
  const { model, step, head } = picture;
  const [left, right, ...bias] = step.operands.filter(([name]) =>
    rowsOf(model, name, ownerOf(picture, name)),
  );
  const factor = picture.matrix(left[0], head, { bars: isWeights(picture, left[0]) });
  const above = [
    picture.matrix(right[0], head, { turned: right[1] === "jk", above: true }),
    ...bias.map(([name]) => picture.matrix(name, head)),
  ];
  const result = picture.matrix(step.name, head, { result: true });
  shareWidth([...above, result], siblingWidth(picture));
  const isWide = requireRows(model, left[0], ownerOf(picture, left[0]))[0].length >= 8;
  const corner = div("corner");
  if (isWide) picture.slot = corner;
  else if (hasPlane(picture)) {
    picture.plane = new Plane(model);
    corner.append(picture.plane.root, span("plane-words", model.words.plane_short));
  }
  return div("product", corner, div("above", ...above), div("left", factor), div("result", result));
}

/** @type {(picture: Picture, name: string) => boolean} */
const isWeights = ({ model }, name) => model.matrices[name].scale === "weights";

/** @type {WeakMap<WalkModel, Map<string, number>>} */
const siblingWidths = new WeakMap();

/**
 * The width of numbers in all products that read the same left factor, such as queries, keys and values: their matrices
 * are then in the same places. The widest number in their right factors and results gives it.
 * @param {StepScene} scene
 */
function siblingWidth({ model, step, head }) {
  const widths = siblingWidths.get(model) ?? new Map();
  siblingWidths.set(model, widths);
  const [[left]] = step.operands;
  const kind = `${left} ${head}`;
  const width = widths.get(kind) ?? measuredSiblings(model, left, head);
  widths.set(kind, width);
  return width;
}

/** @type {(model: WalkModel, left: string, head: number | null) => number} */
function measuredSiblings(model, left, head) {
  const stages = model.stages.filter(({ kind }) => kind === "step");
  const texts = stages.flatMap((stage) =>
    stage.steps
      .filter(({ layout, operands }) => layout === "product" && operands[0][0] === left)
      .flatMap((step) =>
        [step.name, ...step.operands.slice(1).map(([name]) => name)].flatMap((name) => {
          const owner = ownerOf({ model, stage, step, head }, name);
          return (rowsOf(model, name, owner) ?? []).flat().map(printed(model, name, owner));
        }),
      ),
  );
  return widthOf(texts);
}

/**
 * Scores, right of them their exponentials, and below those the weights, so that each is above what it becomes.
 * @type {(picture: StepPicture) => HTMLElement}
 */
function softmax(picture) {
  const { step, head, words } = picture;
  const [scores, ...sink] = step.operands.map(([name]) => picture.matrix(name, head));
  const read = sink.length ? element("div", {}, ...sink, scores) : scores; // the powers are beside the scores
  const weights = picture.matrix(step.name, head, { result: true, bars: true });
  const powers = powersTable(picture);
  if (!powers) return div("beside", read, arrow(), weights);
  shareWidth([powers, weights]);
  picture.slot = div("slot");
  const divide = span("operator", `↓ ÷ ${words.sum}`);
  const below = element("div", {}, divide, weights);
  return div("softmax", read, arrow(), powers, picture.slot, element("span", {}), below);
}

/**
 * The exponentials and their sum, row by row. Null where the walk has none.
 * @type {(picture: StepPicture) => HTMLElement | null}
 */
function powersTable(picture) {
  const printedPowers = powersOf(picture);
  if (!printedPowers) return null;
  const { step, words, excerpt } = picture;
  const { rows: rowLabels, cols: colLabels, texts, isShifted, text } = printedPowers;
  const shownRows = excerpt.along(step.name, "row", rowLabels.length, excerpt.most.rows);
  const shownCols = excerpt.along(step.name, "col", colLabels.length, excerpt.most.cols);
  /** @type {(row: number, col: number | "sum") => HTMLElement} */
  const cell = (row, col) => {
    const isSum = col === "sum";
    const data = { "data-kind": isSum ? "sum" : "power", "data-power": `${row}|${col}` };
    const td = element("td", data);
    picture.powerCells.set(`power|${row}|${col}`, td);
    picture.powers.push({ td, row, phase: isSum ? 1 : 0, text: text(row, col) });
    return td;
  };
  const body = shownRows.map((row) => {
    if (typeof row === "object") return gapRow(words, row, shownCols.length + 1);
    const powers = shownCols.map((col) => (typeof col === "object" ? gapCell() : cell(row, col)));
    return element("tr", {}, rowHead(rowLabels[row]), ...powers, cell(row, "sum"));
  });
  const power = span("symbol", "e", element("sup", {}, exponentOf(isShifted)));
  const above = [...labelsWithGaps(shownCols, colLabels), words.sum];
  const style = sizeOf(labelsWithGaps(shownRows, rowLabels), above, [texts]);
  const heads = shownCols.map((at) =>
    typeof at === "object" ? gapColumnHead(words, at) : columnHead(colLabels[at]),
  );
  return table(
    { class: "matrix powers", style, "aria-label": words.power },
    [corner(), ...heads, columnHead(words.sum)],
    body,
    { caption: element("caption", {}, power) },
  );
}

/** How the exponents of softmax are written above their table. @param {boolean} isShifted */
export const exponentOf = (isShifted) => (isShifted ? "s − max" : "s");

const CELL_BY_CELL = ["+", "÷", "∘"]; // signs between tables that are read cell by cell

/** @type {(picture: StepPicture, isConcat: boolean) => HTMLElement} */
function beside(picture, isConcat) {
  const { step, words } = picture;
  const { signs } = step;
  /** @type {(name: string) => HTMLElement[]} of every head */
  const ofHeads = (name) =>
    picture.excerpt
      .heads()
      .map((head) =>
        typeof head === "object" ? span("operator gap", gapText(words, head)) : picture.matrix(name, head),
      );
  const operands = step.operands.flatMap(([name]) =>
    isConcat ? ofHeads(name) : [picture.matrix(name, picture.head)],
  );
  const divisor = signs.at(-1)?.split("÷ ")[1];
  const divide = divisor ? [span("operator", "÷ ", symbol(divisor)), " "] : [];
  const result = picture.matrix(step.name, picture.head, { result: true });
  const isWritten = signs.slice(1, -1).every((sign) => CELL_BY_CELL.includes(sign));
  const line = operands.flatMap((node, i) => (i && isWritten ? [operator(signs[i]), node] : [node]));
  shareWidth(isConcat ? [result] : [operands[0], result]); // the two may be above one another
  if (operands.length === 1) return div("beside", ...line, span("by", ...divide, operator("=")), result);
  return div("rows", div(isConcat ? "beside heads" : "beside", ...line), div("beside", result));
}

/** Inputs, and matrices that are given where others are computed. @type {(picture: Picture) => HTMLElement} */
function inputs(picture) {
  const names = [...new Set(picture.stage.parts.map(([name]) => name))];
  const options = (/** @type {string} */ name) => ({ result: true, bars: isWeights(picture, name) });
  return div("beside", ...names.map((name) => picture.matrix(name, picture.head, options(name))));
}

/** @type {(picture: Picture) => HTMLElement} */
function tokens({ model, words, excerpt }) {
  const { labels, matrices } = model;
  const hasTwo = matrices.context || labels.n_k.length !== labels.n_q.length;
  /** @type {(name: string, tokens: string[], at: IndexOrGap) => HTMLElement} */
  const item = (name, tokens, at) =>
    typeof at === "object"
      ? element("li", { class: "gap" }, gapText(words, at))
      : element("li", {}, element("bdi", {}, tokens[at]), rowBelow(model, name, at));
  /** @type {[string, string[]][]} */
  const lists = [
    ["x", labels.n_q],
    ...(hasTwo ? [/** @type {[string, string[]]} */ (["context", labels.n_k])] : []),
  ];
  return div(
    "tokens",
    ...lists.map(([name, tokens]) =>
      element("ol", {}, ...excerpt.tokens(tokens).map((at) => item(name, tokens, at))),
    ),
  );
}

const MOST_IN_ROW = 4; // numbers below a token

/**
 * A token's numbers, of which the next step is made: the row that it has in a matrix, or its beginning.
 * @type {(model: WalkModel, name: string, at: number) => HTMLElement | null}
 */
function rowBelow(model, name, at) {
  const row = rowsOf(model, name, null)?.[at];
  if (!row) return null;
  const show = shownAs(model, name, null);
  const numbers = row.slice(0, MOST_IN_ROW).map(show);
  return span("given-row", `↓ (${[...numbers, ...(row.length > MOST_IN_ROW ? ["…"] : [])].join(", ")})`);
}

/** @typedef {WalkModel["closing"]["looked"][number][number]} Look */

/** @type {(picture: Picture) => HTMLElement} */
function closing(picture) {
  const { model, words, excerpt } = picture;
  const { matrix, looked } = model.closing;
  const queries = requireRows(model, "weights", 0).length;
  const shownRows = excerpt.along("weights", "row", queries, excerpt.most.rows);
  const shownHeads = around(looked.length, excerpt.most.cols, 0);
  /** @type {(query: number, head: IndexOrGap) => HTMLElement} */
  const cell = (query, head) =>
    typeof head === "object" ? gapCell() : lookCell(picture, { head, query }, looked[head][query]);
  const rows = shownRows.map((query) => {
    if (typeof query === "object") return gapRow(words, query, shownHeads.length);
    const cells = shownHeads.map((head) => cell(query, head));
    return element("tr", {}, rowHead(model.labels.n_q[query]), ...cells);
  });
  const heads = shownHeads.map((head) =>
    typeof head === "object"
      ? gapColumnHead(words, head)
      : element("th", { scope: "col", style: underline(head) }, `${words.head} ${head + 1}`),
  );
  const caption = element("caption", {}, words.looks_at);
  const texts = looked.flat().map((look) => (look ? `${look.name} ${weightText(picture, look)}` : ""));
  /** @param {string[]} texts */
  const most = (texts) => Math.max(...texts.map(lengthOf));
  const style = `--widest: ${most(texts)}; --longest: ${most(texts.flatMap((text) => text.split(" ")))}`; // one scale for all bars
  const looks = table({ class: "matrix looks", style }, [corner(), ...heads], rows, { caption });
  picture.slot = div("slot");
  const output = matrix ? [picture.matrix(matrix, null)] : [];
  return div("rows", div("beside", picture.slot, ...output), looks);
}

/** @type {(picture: Picture, at: { head: number; query: number }, look: Look) => HTMLElement} */
function lookCell(picture, { head, query }, look) {
  if (!look) return element("td", {}, picture.words.nothing);
  const data = { kind: "bar", weight: key({ name: "weights", head, row: query, col: look.keys[0] }) };
  const attributes = { data, style: `--tone: ${look.weight.toFixed(3)}` };
  return element("td", attributes, element("bdi", {}, look.name), ` ${weightText(picture, look)}`);
}

/** @type {(picture: Picture, look: NonNullable<Look>) => string} */
const weightText = ({ model }, { weight }) => format(weight, model.decimals);
