// Where the walk is, and where the keys lead from there: place by place at the depth that was chosen, or along the
// places of a lecture. No DOM here.

import { depthOf, indexIn, lecture, ownOf, planned } from "./lecture_route.js";
import { after, atDepth, beatsOf, before, entry, isOnward, read, start, written } from "./path.js";

const DEEPEST = 2;

export class Route {
  place = start();
  depth = 0;
  minutes = 0; // of the lecture that is walked; 0 where the walk goes at the depth that was chosen
  isBefore = false; // before an audience: there the lecture is walked

  /** @param {WalkModel} model */
  constructor(model) {
    this.model = model;
  }

  get stages() {
    return this.model.stages;
  }

  /** The stage of the place. */
  get stage() {
    return this.stages[this.place.stage];
  }

  /**
   * The step of the place; of a further head in short its last.
   * @returns {WalkStep | null}
   */
  get step() {
    const { kind, steps } = this.stage;
    return kind === "head" ? steps[this.place.part ?? steps.length - 1] : (steps[0] ?? null);
  }

  /** The step whose parts are walked here; null where it is only shown in short. */
  get walked() {
    const { kind } = this.stage;
    return kind === "step" || (kind === "head" && this.place.part !== null) ? this.step : null;
  }

  /** The place as an address has it. */
  get written() {
    return written(this.stages, this.place, this.depth);
  }

  /**
   * Go where an address says, or as near as can be; whether that leads on.
   * @param {AddressPlace} address
   */
  read(address) {
    const from = this.place;
    Object.assign(this, read(this.stages, address));
    return isOnward(from, this.place);
  }

  // --- the places of a lecture -------------------------------------------------------------------------------------

  /** The minutes of the lecture that is walked where none has been chosen. */
  get usual() {
    return this.model.lecture?.own.minutes ?? 0;
  }

  #ownMinutes = (/** @type {string} */ step) => ownOf(this.model, step).minutes;

  /**
   * The places of a lecture of so many minutes.
   * @param {number} minutes
   */
  lecture(minutes) {
    return lecture(this.stages, minutes, this.#ownMinutes);
  }

  /** The places of the lecture that is walked, or null. */
  get places() {
    return this.isBefore && this.minutes ? this.lecture(this.minutes) : null;
  }

  /**
   * The time that each of its steps has, and all of it; null where no lecture is walked.
   * @returns {LectureTimes | null}
   */
  get times() {
    const { places, minutes } = this;
    return (
      places && { times: planned(this.stages, places, minutes, this.#ownMinutes), all: 60_000 * minutes }
    );
  }

  /** How often a key was pressed so far, and how often it is in all; null where no lecture is walked. */
  get presses() {
    const { places, place } = this;
    return places && { press: indexIn(places, place), presses: places.length - 1 };
  }

  // --- where the keys lead -----------------------------------------------------------------------------------------

  /** @returns {Place | null} */
  get next() {
    const { places } = this;
    return places ? this.#inLecture(places, 1) : after(this.stages, this.place, this.depth);
  }

  /** @returns {Place | null} */
  get previous() {
    const { places } = this;
    return places ? this.#inLecture(places, -1) : before(this.stages, this.place, this.depth);
  }

  /**
   * @param {Place[]} places
   * @param {number} presses
   */
  #inLecture(places, presses) {
    return places[indexIn(places, this.place) + presses] ?? null;
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

  /** Go to the nearest place of the lecture that is walked from now on. */
  settle() {
    const { places } = this;
    if (places) this.go(places[indexIn(places, this.place)]);
  }

  /**
   * Go there; whether that leads on.
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

  /** How many beats the part of the place has. */
  get beats() {
    return beatsOf(this.stages, this.place);
  }
}
