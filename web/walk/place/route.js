// Where the walk stands, and where the keys lead from there: place by place at the depth that was chosen, or along the
// way of a lecture. No DOM here.

import { depthOf, indexIn, lecture, ownOf, planned } from "./lecture_route.js";
import { after, atDepth, beatsOf, before, entry, isOnward, read, start, written } from "./path.js";

const DEEPEST = 2;

export class Way {
  /** @type {WalkModel} */
  model = null;
  place = start();
  depth = 0;
  minutes = 0; // of the lecture whose way is walked; 0 where it is walked at the depth that was chosen
  isBefore = false; // an audience: there a lecture is walked

  get stages() {
    return this.model.stages;
  }

  /** The stage where it stands. */
  get stage() {
    return this.stages[this.place.stage];
  }

  /**
   * The step that stands here: of a further head in short its last.
   * @returns {WalkStep | null}
   */
  get step() {
    const { kind, steps } = this.stage;
    return kind === "head" ? steps[this.place.part ?? steps.length - 1] : (steps[0] ?? null);
  }

  /** The step whose parts are walked here, and not only seen in short. */
  get walked() {
    const { kind } = this.stage;
    return kind === "step" || (kind === "head" && this.place.part !== null) ? this.step : null;
  }

  /** As an address has it. */
  get written() {
    return written(this.stages, this.place, this.depth);
  }

  /**
   * Stand where an address says, or as near as can be.
   * @param {any} at
   */
  read(at) {
    const from = this.place;
    Object.assign(this, read(this.stages, at));
    return isOnward(from, this.place);
  }

  // --- the way of a lecture ----------------------------------------------------------------------------------------

  /** The lecture that is walked where none has been chosen. */
  get usual() {
    return this.model.lecture?.own.minutes ?? 0;
  }

  #own = (step) => ownOf(this.model, step).minutes;

  /**
   * The places of a lecture of so many minutes.
   * @param {number} minutes
   */
  lecture(minutes) {
    return lecture(this.stages, minutes, this.#own);
  }

  /** The places of the lecture that is walked, or null. */
  get places() {
    return this.isBefore && this.minutes ? this.lecture(this.minutes) : null;
  }

  /** How much time its steps have, and it in all; null where there is none. */
  get times() {
    const { places, minutes } = this;
    return places && { times: planned(this.stages, places, minutes, this.#own), all: 60_000 * minutes };
  }

  /** How often a key was pressed so far, and how often it is in all; null where there is no lecture. */
  get presses() {
    const { places, place } = this;
    return places && { press: indexIn(places, place), presses: places.length - 1 };
  }

  // --- where the keys lead -----------------------------------------------------------------------------------------

  /** @returns {Place | null | undefined} */
  get next() {
    return this.#along(1) ?? (this.places ? null : after(this.stages, this.place, this.depth));
  }

  /** @returns {Place | null | undefined} */
  get previous() {
    return this.#along(-1) ?? (this.places ? null : before(this.stages, this.place, this.depth));
  }

  /** @param {number} presses */
  #along(presses) {
    const { places } = this;
    return places?.[indexIn(places, this.place) + presses];
  }

  /**
   * The first place of a stage.
   * @param {number} stage
   */
  first(stage) {
    return this.places?.find((place) => place.stage === stage) ?? entry(this.stages, stage, this.depth);
  }

  /**
   * The same place so much further in, or out.
   * @param {number} steps
   */
  deeper(steps) {
    this.depth = Math.max(0, Math.min(DEEPEST, this.depth + steps));
    return atDepth(this.stages, this.place, this.depth);
  }

  /** Stand at a place of the lecture that is walked from now on: the nearest. */
  settle() {
    const { places } = this;
    if (places) this.go(places[indexIn(places, this.place)]);
  }

  /**
   * Stand there; whether that is further on than before.
   * @param {Place} place
   */
  go(place) {
    const onward = isOnward(this.place, place);
    if (this.places) this.depth = depthOf(place);
    this.place = place;
    return onward;
  }

  // --- how far it has come -----------------------------------------------------------------------------------------

  /** The share of the stage that has been walked. */
  get within() {
    const { part, beat } = this.place;
    if (part === null) return 1;
    return (part + (beat === null ? 0 : beat / this.beats)) / this.stage.parts.length;
  }

  /** Of the part where it stands. */
  get beats() {
    return beatsOf(this.stages, this.place);
  }
}
