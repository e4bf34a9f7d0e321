// How the matrices of a stage stand beside each other: a product's factors left of it and above it, softmax with its
// powers, heads side by side, what is given, the tokens, and where each of them looks in the end.

import { div, element, operator, span, symbol } from "../../kit/dom.js";
import { rowsOf } from "../../kit/graph.js";
import { corner, table } from "../../kit/layout.js";
import { format } from "../../kit/numbers.js";
import { ownerOf, powersOf } from "./scene.js";
import { around } from "./shown_indices.js";
import { siblingWidth } from "./siblings.js";
import {
  arrow,
  gap,
  headOfColumn,
  headOfRow,
  lengthOf,
  shareWidth,
  sizeOf,
  underline,
} from "./table_sizes.js";
import { hasPlane } from "./vectors.js";
import { Plane } from "./vectors_view.js";

/**
 * The matrices of a picture's stage, laid out.
 * @param {import("./picture.js").Picture} picture
 * @returns {HTMLElement}
 */
export function layOut(picture) {
  const { kind } = picture.stage;
  if (kind === "tokens") return tokens(picture);
  if (kind === "closing") return closing(picture);
  if (kind === "inputs" || kind === "given") return givens(picture);
  const { layout } = picture.step;
  if (layout === "product") return product(picture);
  if (layout === "softmax") return softmax(picture);
  return beside(picture, layout === "concat");
}

function product(picture) {
  const [left, right, ...bias] = picture.step.operands.filter(([name]) =>
    rowsOf(picture.model, name, ownerOf(picture, name)),
  );
  const factor = picture.matrix(left[0], picture.head, {
    bars: picture.model.matrices[left[0]].scale === "weights",
  });
  const above = [
    picture.matrix(right[0], picture.head, { turned: right[1] === "jk", above: true }),
    ...bias.map(([name]) => picture.matrix(name, picture.head)),
  ];
  const result = picture.matrix(picture.step.name, picture.head, { result: true });
  shareWidth([...above, result], siblingWidth(picture));
  const deep = rowsOf(picture.model, left[0], ownerOf(picture, left[0]))[0].length >= 8;
  const corner = div("corner");
  if (deep) picture.slot = corner;
  else if (hasPlane(picture)) {
    picture.plane = new Plane(picture.model);
    corner.append(picture.plane.root);
  }
  return div("product", corner, div("above", ...above), div("left", factor), div("result", result));
}

/** Scores, right of them their powers, and below those the weights: each power stands above what it becomes. */
function softmax(picture) {
  const [source] = picture.step.operands[0];
  const scores = picture.matrix(source, picture.head);
  const weights = picture.matrix(picture.step.name, picture.head, { result: true, bars: true });
  if (!picture.stage.powers) return div("beside", scores, arrow(), weights);
  const powers = powersTable(picture);
  shareWidth([powers, weights]);
  picture.slot = div("slot");
  const sum = span("operator", `↓ ÷ ${picture.words.sum}`);
  return div(
    "softmax",
    scores,
    arrow(),
    powers,
    picture.slot,
    element("span", {}),
    element("div", {}, sum, weights),
  );
}

/** The exponentials and their sum, row by row. */
function powersTable(picture) {
  const { powers } = picture.stage;
  const shownRows = picture.excerpt.along(picture.step.name, "row", powers.length, picture.excerpt.most.rows);
  const shownCols = picture.excerpt.along(
    picture.step.name,
    "col",
    powers[0].powers.length,
    picture.excerpt.most.cols,
  );
  const { rows: labels, cols: colLabels, texts, isShifted, text } = powersOf(picture);
  const body = shownRows.map((index) => {
    if (typeof index === "object") return picture.gaps.row(index, [...shownCols, null]);
    const row = powers[index];
    const tds = [...shownCols, row.powers.length].map((col) => {
      if (typeof col === "object") return gap();
      const phase = col === row.powers.length ? 1 : 0;
      const at = phase ? "sum" : col;
      const td = element("td", { "data-kind": phase ? "sum" : "power", "data-power": `${index}|${at}` });
      picture.powerCells.set(`power|${index}|${at}`, td);
      picture.extras.push({ td, row: index, phase, text: text(index, at) });
      return td;
    });
    return element("tr", {}, headOfRow(labels[index]), ...tds);
  });
  const power = span("symbol", "e", element("sup", {}, isShifted ? "s − max" : "s"));
  const high = [...picture.gaps.labels(shownCols, colLabels), picture.words.sum];
  const style = sizeOf(picture.gaps.labels(shownRows, labels), high, [texts]);
  const heads = shownCols.map((at) =>
    typeof at === "object" ? picture.gaps.head(at) : headOfColumn(colLabels[at]),
  );
  return table(
    { class: "matrix powers", style, "aria-label": picture.words.power },
    [corner(), ...heads, headOfColumn(picture.words.sum)],
    body,
    { caption: element("caption", {}, power) },
  );
}

function beside(picture, concat) {
  const heads = concat ? picture.excerpt.heads() : [picture.head];
  const left = (gap) => span("operator gap", picture.gaps.more(gap));
  const operands = picture.step.operands.flatMap(([name]) =>
    heads.map((head) =>
      head !== null && typeof head === "object" ? left(head) : picture.matrix(name, head),
    ),
  );
  const { signs } = picture.step;
  const [, by] = signs.at(-1).split("÷ ");
  const divisor = by ? [span("operator", "÷ ", symbol(by))] : [];
  const result = picture.matrix(picture.step.name, picture.head, { result: true });
  const plus = signs[1] === "+";
  const laid = operands.flatMap((node, i) => (i && plus ? [span("operator", "+"), node] : [node]));
  shareWidth(concat ? [result] : [operands[0], result]); // also where one stands below the other
  if (operands.length === 1)
    return div("beside", ...laid, span("by", ...divisor, ...(by ? [" "] : []), operator("=")), result);
  picture.slot = div("slot");
  return div("rows", div(concat ? "beside heads" : "beside", ...laid), div("beside", result, picture.slot));
}

function givens(picture) {
  const names = [...new Set(picture.stage.parts.map(([name]) => name))];
  return div(
    "beside",
    ...names.map((name) =>
      picture.matrix(name, picture.head, {
        result: true,
        bars: picture.model.matrices[name].scale === "weights",
      }),
    ),
  );
}

function tokens(picture) {
  const { labels, matrices } = picture.model;
  const two = matrices.context || labels.n_k.length !== labels.n_q.length;
  const rows = two ? [labels.n_q, labels.n_k] : [labels.n_q];
  return div(
    "tokens",
    ...rows.map((tokens) =>
      element(
        "ol",
        {},
        ...picture.excerpt
          .tokens(tokens)
          .map((at) =>
            typeof at === "object"
              ? element("li", { class: "gap" }, picture.gaps.more(at))
              : element("li", {}, element("bdi", {}, tokens[at])),
          ),
      ),
    ),
  );
}

function closing(picture) {
  const { matrix, looked } = picture.model.closing;
  const shownRows = picture.excerpt.along(
    "weights",
    "row",
    rowsOf(picture.model, "weights", 0).length,
    picture.excerpt.most.rows,
  );
  const shownHeads = around(looked.length, picture.excerpt.most.cols, 0);
  const rows = shownRows.map((query) =>
    typeof query === "object"
      ? picture.gaps.row(query, shownHeads)
      : element(
          "tr",
          {},
          headOfRow(picture.model.labels.n_q[query]),
          ...shownHeads.map((head) =>
            typeof head === "object" ? gap() : lookCell(picture, looked[head][query]),
          ),
        ),
  );
  const heads = shownHeads.map((head) =>
    typeof head === "object"
      ? picture.gaps.head(head)
      : element("th", { scope: "col", style: underline(head) }, `${picture.words.head} ${head + 1}`),
  );
  const caption = element("caption", {}, picture.words.looks_at);
  const texts = looked.flat().map((look) => (look ? lookText(picture, look) : ""));
  const most = (some) => Math.max(...some.map(lengthOf));
  const words = texts.flatMap((text) => text.split(" "));
  const style = `--widest: ${most(texts)}; --longest: ${most(words)}`; // all bars have one scale
  const looks = table({ class: "matrix looks", style }, [corner(), ...heads], rows, { caption });
  picture.slot = div("slot");
  const output = matrix ? [picture.matrix(matrix, null)] : [];
  const beside = div("beside", ...output, picture.slot);
  return div("rows", beside, looks);
}

function lookCell(picture, look) {
  if (!look) return element("td", {}, picture.words.nothing);
  const { name, weight } = look;
  return element(
    "td",
    { "data-kind": "bar", style: `--tone: ${weight.toFixed(3)}` },
    element("bdi", {}, name),
    ` ${format(weight, picture.model.decimals)}`,
  );
}

function lookText(picture, { name, weight }) {
  return `${name} ${format(weight, picture.model.decimals)}`;
}
