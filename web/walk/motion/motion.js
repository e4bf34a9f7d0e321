// A motion that explains a step: what moves from where to where, and when the result stands, as plain data read off the
// declared operation and the place. There is one for each way in which operands stand around a result, so that a new
// operation has one; none computes a number, all are the server's. No DOM here.

import { key } from "../../kit/graph.js";
import { cellsOf, isOneResult, isWhole, powersOf, printer, stateAt } from "../picture/scene.js";
import { carried, slid } from "./cell_motion.js";
import { multiplied } from "./product_motion.js";
import { shared } from "./softmax_motion.js";
import { BEAT, FADE, PART } from "./tracks.js";

/** @typedef {import("./tracks.js").Motion} Motion */
/** @typedef {import("./tracks.js").Track} Track */
/** @typedef {import("../picture/scene.js").Scene} Scene */

const MOST_COVERED = 64; // results that wait for their moment; the others stand from the beginning

/** By how the operands stand around the result (mha_core/walk/stages.py). */
const KINDS = { product: multiplied, softmax: shared, concat: slid, beside: carried };

/**
 * The motion of a place, or null where nothing is computed or in view.
 * @param {Scene} scene
 * @param {Place} place
 * @param {(on: string) => boolean} isShown whether a cell or an exponential is in the picture
 * @returns {Motion | null}
 */
export function motionOf(scene, place, isShown) {
  const { stage, step, model } = scene;
  if (!step || !["step", "head"].includes(stage.kind)) return null;
  const state = stateAt(scene, place);
  const cells = cellsOf(scene, place).filter((cell) => isShown(key(cell)));
  const now = cells.filter((cell) => state(cell) === "now");
  const makes = now.length || (!isWhole(scene, place) && isOneResult(scene, place)); // a term alone, or exponentials
  if (!makes || !cells.length) return null;
  const input = {
    scene,
    place,
    cells: now.length ? now : cells,
    isShown,
    print: printer(model),
    powers: stage.powers && powersOf(scene),
  };
  const made = KINDS[step.layout](input);
  if (!made.tracks.length) return null;
  const shows = made.shows.filter(({ on }) => isShown(on));
  const covers = shows.slice(0, MOST_COVERED).map(coverOf);
  return {
    kind: step.layout,
    duration: place.beat !== null ? BEAT : PART,
    arrows: [],
    ...made,
    shows,
    tracks: [...covers, ...made.tracks],
    stations: [0, ...made.stations, 1],
  };
}

/** @type {(show: Motion["shows"][number]) => Track} */
const coverOf = ({ on, at }) => ({
  look: "cover",
  of: on,
  text: "",
  frames: [
    { at: 0, on, opacity: 1 },
    { at, on, opacity: 1 },
    { at: Math.min(1, at + FADE), on, opacity: 0 },
    { at: 1, on, opacity: 0 },
  ],
});
