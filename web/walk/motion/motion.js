// A motion that explains a step: what moves from where to where, and when each result appears, as plain data. It is read
// off the declared operation and the place. There is one kind for each layout of a step, so a new operation has one. The
// server computes all numbers. No DOM here.

import { key } from "../../kit/graph.js";
import { cellsOf, hasStep, isOneResult, isWhole, powersOf, printer, stateAt } from "../picture/scene.js";
import { besideMotion, concatMotion } from "./cell_motion.js";
import { productMotion } from "./product_motion.js";
import { softmaxMotion } from "./softmax_motion.js";
import { BEAT, FADE, PART } from "./tracks.js";

const MOST_COVERED = 64; // results that are hidden until their moment; the others are visible from the beginning

/** By a step's layout (mha_core/walk/stages.py). @type {Record<string, (input: MotionInput) => MotionParts>} */
const KINDS = {
  product: productMotion,
  softmax: softmaxMotion,
  concat: concatMotion,
  beside: besideMotion,
};

/**
 * The motion of a place. Null where nothing is computed or in view.
 * @param {Scene} scene
 * @param {Place} place
 * @param {(on: string) => boolean} isShown whether a cell or an exponential is in the picture
 * @returns {Motion | null}
 */
export function motionOf(scene, place, isShown) {
  const { stage, model } = scene;
  if (!hasStep(scene) || !["step", "head"].includes(stage.kind)) return null;
  const state = stateAt(scene, place);
  const cells = cellsOf(scene, place).filter((cell) => isShown(key(cell)));
  const now = cells.filter((cell) => state(cell) === "now");
  const isPartial = !isWhole(scene, place) && isOneResult(scene, place); // one term, or exponentials
  if (!cells.length || !(now.length || isPartial)) return null;
  const { layout } = scene.step;
  const parts = KINDS[layout]({
    scene,
    place,
    cells: now.length ? now : cells,
    isShown,
    print: printer(model),
    powers: powersOf(scene),
  });
  if (!parts.tracks.length) return null;
  const shows = parts.shows.filter(({ on }) => isShown(on));
  const covers = shows.slice(0, MOST_COVERED).map(coverOf);
  return {
    kind: layout,
    duration: place.beat !== null ? BEAT : PART,
    arrows: [],
    ...parts,
    shows,
    tracks: [...covers, ...parts.tracks],
    stations: [0, ...parts.stations, 1],
  };
}

/** What hides a result until it appears. @type {(result: MotionResult) => MotionTrack} */
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
