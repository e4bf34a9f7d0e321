// The motion of a product: a row and a column meet, and rows of values are mixed by their weights.

import { inBrief } from "../../kit/arithmetic.js";
import { key, requireValue, termsOf } from "../../kit/graph.js";
import { parenthesised } from "../../kit/numbers.js";
import { isCell, isWhole, stateAt, termsAt } from "../picture/scene.js";
import { arrowTracks } from "../picture/vectors.js";
import { along, BEAT, firstRows, inView, LONG, MOST, numberTrack, resultAt, track } from "./tracks.js";

/** @type {(input: MotionInput) => MotionParts} */
export function productMotion(input) {
  const { scene, place, cells } = input;
  const [left] = scene.step.operands[0];
  const isMixing = scene.model.matrices[left].scale === "weights";
  const isInCell = isCell(scene, place);
  const isSingle = !isWhole(scene, place) && (isInCell || place.beat !== null);
  const parts = isSingle
    ? oneCell(input, cells[0], isMixing)
    : isMixing
      ? mixedRows(input)
      : manyCells(input);
  if (isSingle && isInCell && place.beat !== null) return parts; // one term moves no arrow
  return { ...parts, arrows: isMixing ? arrowTracks(scene.model, cells[0]) : [] };
}

/**
 * One cell: the numbers of its row meet those of the column pair by pair; the products drop into the cell and add up.
 * @type {(input: MotionInput, cell: Cell, isMixing: boolean) => MotionParts}
 */
function oneCell(input, cell, isMixing) {
  const { scene, place, isShown } = input;
  const result = key(cell);
  const firstTerm = termsOf(scene.model, cell)[0];
  const visible = termsAt(scene, place, cell).filter((term) => term.every((factor) => isShown(key(factor))));
  const terms = visible.slice(0, MOST / 3);
  const lag = terms.length > 1 ? Math.min(0.12, 0.3 / (terms.length - 1)) : 0;
  const tracks = terms.flatMap((term, k) => {
    const left = term.length > 1 ? term[0] : null; // a bias is a term of one number
    const right = term.length > 1 ? term[1] : term[0];
    const start = k * lag;
    const meets = start + 0.3;
    const drops = meets + 0.1;
    const on = key(right);
    const share = isMixing && left ? Number(requireValue(scene.model, left)) : 1;
    const sign = key(term[0]) === key(firstTerm[0]) ? "" : "+ ";
    const product = track(
      "term",
      on,
      sign + termText(scene.model, term),
      { at: left ? meets : start, on },
      { at: drops, on },
      { at: drops + 0.22, on: result, scale: 0.6 + 0.4 * share },
    );
    if (!left) return [product];
    const from = { at: start, on: key(left) };
    return [numberTrack(input, left, from, { at: meets, on, dx: -0.7 }), product];
  });
  const lastLag = lag * Math.max(0, terms.length - 1);
  const lands = 0.62 + lastLag;
  const isResultShown = stateAt(scene, place)(cell) === "now";
  return {
    tracks,
    shows: isResultShown ? [resultAt(input, cell, lands)] : [],
    stations: [0.3 + lastLag, lands],
    duration: place.beat !== null && isCell(scene, place) ? BEAT : Math.min(LONG, 1000 + 150 * terms.length),
  };
}

/** A term as the line of arithmetic writes it. @type {(model: WalkModel, term: Cell[]) => string} */
function termText(model, term) {
  const { show } = inBrief(model);
  return term.map((cell) => parenthesised(show(requireValue(model, cell)))).join(" · ");
}

/**
 * Many cells: the columns come down over the result, row by row, and each row moves in to meet them there.
 * @type {(input: MotionInput) => MotionParts}
 */
function manyCells(input) {
  const { scene, cells } = input;
  /** @type {(row: number, col: number) => Cell} */
  const at = (row, col) => ({ ...cells[0], row, col });
  const [rows, cols] = [along(cells, "row"), along(cells, "col")];
  /** The left or right factors of a cell, a bias with the right ones. @type {(cell: Cell, side: "left" | "right") => Cell[]} */
  const factorsOf = (cell, side) => {
    const factors = termsOf(scene.model, cell).flatMap((term) => {
      if (term.length > 1) return [side === "left" ? term[0] : term[1]];
      return side === "left" ? [] : [term[0]];
    });
    return inView(input, factors).slice(0, MOST / 2);
  };
  const lefts = rows.map((row) => factorsOf(at(row, cols[0]), "left"));
  const rights = cols.map((col) => factorsOf(at(rows[0], col), "right"));
  const depth = Math.max(1, rights[0].length);
  const movingCols = rights.slice(0, Math.max(1, Math.floor(MOST / 2 / depth)));
  const room = Math.floor((MOST - depth * movingCols.length) / Math.max(1, lefts[0].length));
  const movingRows = lefts.slice(0, Math.max(1, room));
  /** @param {number} index of a row */
  const meets = (index) => (rows.length > 1 ? 0.32 + (0.54 * index) / (rows.length - 1) : 0.7);
  const middle = cols[Math.floor((cols.length - 1) / 2)];
  const offset = cols.length % 2 ? 0 : 0.5; // with an even number of columns the middle is between two
  const downwards = movingCols.flatMap((column, index) =>
    column.map((cell, k) => {
      const dy = k - (column.length - 1) / 2;
      const stops = rows.map((row, r) => ({
        at: meets(r),
        on: key(at(row, cols[index])),
        dy,
        opacity: 0.85,
      }));
      return numberTrack(input, cell, { at: 0.04, on: key(cell) }, ...stops);
    }),
  );
  const across = movingRows.flatMap((line, index) =>
    line.map((cell, m) => {
      const dx = offset + m - (line.length - 1) / 2;
      const from = { at: Math.max(0.04, meets(index) - (rows.length > 1 ? 0.26 : 0.5)), on: key(cell) };
      return numberTrack(input, cell, from, { at: meets(index), on: key(at(rows[index], middle)), dx });
    }),
  );
  return {
    tracks: [...downwards, ...across],
    shows: cells.map((cell) => resultAt(input, cell, meets(rows.indexOf(cell.row)) + 0.03)),
    stations: rows.length > 6 ? [meets(0)] : rows.map((_, index) => meets(index)),
    duration: Math.min(LONG, 900 + 200 * rows.length),
  };
}

/**
 * Rows of values, each as opaque as its weight is large, come together in a row of the output.
 * @type {(input: MotionInput) => MotionParts}
 */
function mixedRows(input) {
  const { scene, cells } = input;
  const { model } = scene;
  const cost = along(cells, "col").length + 1;
  const most = Math.max(1, Math.floor(MOST / cost));
  /** @param {Cell} weight */
  const share = (weight) => Number(requireValue(model, weight));
  /** @param {Cell} cell */
  const heaviestTerms = (cell) => {
    const terms = termsOf(model, cell).filter(
      (term) => term.length > 1 && inView(input, term).length === term.length,
    );
    const heaviest = new Set([...terms].sort(([a], [b]) => share(b) - share(a)).slice(0, most));
    return terms.filter((term) => heaviest.has(term));
  };
  const moving = firstRows(cells, heaviestTerms(cells[0]).length * cost).slice(0, MOST);
  const rows = along(moving, "row");
  const lag = rows.length > 1 ? 0.3 / (rows.length - 1) : 0;
  const tracks = moving.flatMap((cell) => {
    const delay = lag * rows.indexOf(cell.row);
    return heaviestTerms(cell).flatMap(([weight, value]) => {
      const on = key(value);
      const strength = share(weight);
      const valueTrack = numberTrack(
        input,
        value,
        { at: 0.24 + delay, on },
        { at: 0.32 + delay, on, opacity: 0.15 + 0.85 * strength },
        { at: 0.6 + delay, on: key(cell), opacity: 0.1 + 0.9 * strength },
      );
      if (cell.col !== moving[0].col) return [valueTrack]; // each weight moves once
      const from = { at: delay, on: key(weight) };
      return [numberTrack(input, weight, from, { at: 0.22 + delay, on, dx: -0.8 }), valueTrack];
    });
  });
  /** @param {number} row */
  const delayOf = (row) => lag * Math.max(0, rows.includes(row) ? rows.indexOf(row) : rows.length - 1);
  return {
    tracks,
    shows: cells.map((cell) => resultAt(input, cell, 0.58 + delayOf(cell.row))),
    stations: [0.22, 0.32, 0.6],
    duration: LONG,
  };
}
