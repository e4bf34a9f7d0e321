// The motion of a product: a row and a column meet; rows of values mix by their weights.

import { inBrief } from "../../kit/arithmetic.js";
import { key, termsOf, valueAt } from "../../kit/graph.js";
import { parenthesised } from "../../kit/numbers.js";
import { isCell, isWhole, stateAt, termsAt } from "../picture/scene.js";
import { arrowTracks } from "../picture/vectors.js";
import { along, BEAT, firstRows, inView, LONG, MOST, numberTrack, shown, track } from "./tracks.js";

/** @typedef {import("./tracks.js").MotionInput} MotionInput */
/** @typedef {import("./tracks.js").Made} Made */

/** @type {(input: MotionInput) => Made} */
export function multiplied(input) {
  const { scene, place, cells } = input;
  const [left] = scene.step.operands[0];
  const mixes = scene.model.matrices[left].scale === "weights";
  const single = !isWhole(scene, place) && (isCell(scene, place) || place.beat !== null);
  const made = single ? met(input, cells[0], mixes) : mixes ? mixed(input) : crossed(input);
  const stepwise = single && isCell(scene, place) && place.beat !== null;
  return stepwise ? made : { ...made, arrows: mixes ? arrowTracks(scene.model, cells[0]) : [] };
}

/**
 * One cell: its row turns upright and meets the column pair by pair; the products drop onto the cell and add up there.
 * @type {(input: MotionInput, cell: Cell, mixes: boolean) => Made}
 */
function met(input, cell, mixes) {
  const { scene, place, isShown } = input;
  const result = key(cell);
  const all = termsOf(scene.model, cell);
  const isFirst = (term) => key(term[0]) === key(all[0][0]);
  const seen = termsAt(scene, place, cell).filter((term) => term.every((one) => isShown(key(one))));
  const terms = seen.slice(0, MOST / 3);
  const lag = terms.length > 1 ? Math.min(0.12, 0.3 / (terms.length - 1)) : 0;
  const tracks = terms.flatMap((term, k) => {
    const [left, right] = term.length > 1 ? term : [null, term[0]];
    const start = k * lag;
    const meets = start + 0.3;
    const drops = meets + 0.1;
    const on = key(right);
    const share = mixes && left ? Number(valueAt(scene.model, left)) : 1;
    const sign = isFirst(term) ? "" : "+ ";
    const chip = track(
      "term",
      on,
      sign + written(scene.model, term),
      { at: left ? meets : start, on },
      { at: drops, on },
      { at: drops + 0.22, on: result, scale: 0.6 + 0.4 * share },
    );
    if (!left) return [chip];
    const from = { at: start, on: key(left) };
    return [numberTrack(input, left, from, { at: meets, on, dx: -0.7 }), chip];
  });
  const lands = 0.62 + lag * Math.max(0, terms.length - 1);
  const stands = stateAt(scene, place)(cell) === "now";
  return {
    tracks,
    shows: stands ? [shown(input, cell, lands)] : [],
    stations: [0.3 + lag * Math.max(0, terms.length - 1), lands],
    duration: place.beat !== null && isCell(scene, place) ? BEAT : Math.min(LONG, 1000 + 150 * terms.length),
  };
}

/** A term as the line of arithmetic writes it. */
function written(model, term) {
  const { show } = inBrief(model);
  return term.map((cell) => parenthesised(show(valueAt(model, cell)))).join(" · ");
}

/**
 * Many cells: the columns come down over the result, row by row, and each row slides in to meet them there.
 * @type {(input: MotionInput) => Made}
 */
function crossed(input) {
  const { scene, cells } = input;
  const at = (row, col) => ({ ...cells[0], row, col });
  const [rows, cols] = [along(cells, "row"), along(cells, "col")];
  const read = (cell, side) => {
    const factors = termsOf(scene.model, cell).map((term) =>
      term.length > 1 ? term[side] : side ? term[0] : null,
    );
    return inView(input, factors.filter(Boolean)).slice(0, MOST / 2);
  };
  const lefts = rows.map((row) => read(at(row, cols[0]), 0));
  const rights = cols.map((col) => read(at(rows[0], col), 1)); // and its bias
  const depth = Math.max(1, rights[0].length);
  const wide = rights.slice(0, Math.max(1, Math.floor(MOST / 2 / depth)));
  const few = Math.max(1, Math.floor((MOST - depth * wide.length) / Math.max(1, lefts[0].length)));
  const meets = (index) => (rows.length > 1 ? 0.32 + (0.54 * index) / (rows.length - 1) : 0.7);
  const middle = at(0, cols[Math.floor((cols.length - 1) / 2)]).col;
  const off = cols.length % 2 ? 0 : 0.5; // of an even number of columns the middle lies between two
  const downwards = wide.flatMap((line, index) =>
    line.map((cell, k) => {
      const over = (row) => ({ on: key(at(row, cols[index])), dy: k - (line.length - 1) / 2, opacity: 0.85 });
      const stops = rows.map((row, index) => ({ ...over(row), at: meets(index) }));
      return numberTrack(input, cell, { at: 0.04, on: key(cell) }, ...stops);
    }),
  );
  const across = lefts.slice(0, few).flatMap((line, index) =>
    line.map((cell, m) => {
      const dx = off + m - (line.length - 1) / 2;
      const from = { at: Math.max(0.04, meets(index) - (rows.length > 1 ? 0.26 : 0.5)), on: key(cell) };
      return numberTrack(input, cell, from, { at: meets(index), on: key(at(rows[index], middle)), dx });
    }),
  );
  return {
    tracks: [...downwards, ...across],
    shows: cells.map((cell) => shown(input, cell, meets(rows.indexOf(cell.row)) + 0.03)),
    stations: rows.length > 6 ? [meets(0)] : rows.map((_, index) => meets(index)),
    duration: Math.min(LONG, 900 + 200 * rows.length),
  };
}

/**
 * Rows of values, each as strong as its weight, come together in a row of the output.
 * @type {(input: MotionInput) => Made}
 */
function mixed(input) {
  const { scene, cells } = input;
  const { model } = scene;
  const cost = along(cells, "col").length + 1;
  const most = Math.max(1, Math.floor(MOST / cost));
  /** @param {Cell[]} term */
  const share = ([weight]) => Number(valueAt(model, weight));
  const termsIn = (cell) => {
    const terms = termsOf(model, cell).filter(
      (term) => term.length > 1 && inView(input, term).length === term.length,
    );
    const heaviest = new Set([...terms].sort((a, b) => share(b) - share(a)).slice(0, most));
    return terms.filter((term) => heaviest.has(term));
  };
  const moving = firstRows(cells, termsIn(cells[0]).length * cost).slice(0, MOST);
  const rows = along(moving, "row");
  const lag = rows.length > 1 ? 0.3 / (rows.length - 1) : 0;
  const tracks = moving.flatMap((cell) => {
    const late = lag * rows.indexOf(cell.row);
    return termsIn(cell).flatMap(([weight, value]) => {
      const on = key(value);
      const strength = share([weight]);
      const way = numberTrack(
        input,
        value,
        { at: 0.24 + late, on },
        { at: 0.32 + late, on, opacity: 0.15 + 0.85 * strength },
        { at: 0.6 + late, on: key(cell), opacity: 0.1 + 0.9 * strength },
      );
      if (cell.col !== moving[0].col) return [way];
      const from = { at: late, on: key(weight) };
      return [numberTrack(input, weight, from, { at: 0.22 + late, on, dx: -0.8 }), way];
    });
  });
  const late = (row) => lag * Math.max(0, rows.includes(row) ? rows.indexOf(row) : rows.length - 1);
  return {
    tracks,
    shows: cells.map((cell) => shown(input, cell, 0.58 + late(cell.row))),
    stations: [0.22, 0.32, 0.6],
    duration: LONG,
  };
}
