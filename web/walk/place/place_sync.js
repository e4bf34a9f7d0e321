// Says where the walk is: to the address and the links that lead on from it, to the server once the walk rests, to the
// other windows, and to the walk's host. Goes where another window or a room is.

import { pairSync } from "./pair_sync.js";
import { lectureStored, storeLecture, storePlace, workOf } from "./stored_place.js";

const REST = 500; // milliseconds at a place until the server is sent it

/**
 * What it reads of the walk and calls.
 * @typedef {"changed" | "host" | "linkTo" | "playMotion"} Used
 * @typedef {"heads" | "model" | "podium" | "predictions" | "view" | "route"} Read
 * @typedef {Pick<import("../walk.js").Walk, Used | Read>} SyncedWalk
 */

export class PlaceSync {
  #plays = 0; // how often the motion of a place was asked for
  #restTimer = 0;

  /** @param {SyncedWalk} walk */
  constructor(walk) {
    this.walk = walk;
  }

  /**
   * The position as an address has it.
   * @returns {WalkPosition}
   */
  get position() {
    const { route, view, predictions } = this.walk;
    return { ...route.written, view, predict: predictions.on };
  }

  /**
   * `quiet`: nobody has moved; `remote`: another window or a room has.
   * @param {{ quiet?: boolean; remote?: boolean }} [how]
   */
  publish({ quiet = false, remote = false } = {}) {
    const { walk, position } = this;
    const { on: predict, revealed } = walk.predictions;
    const place = { step: position.step, sub: position.sub, predict, revealed: [...revealed] };
    storePlace(walk.model, position);
    this.#writeAddress(position);
    walk.host.placeChanged(place, remote);
    if (quiet) return;
    clearTimeout(this.#restTimer);
    this.#restTimer = Number(setTimeout(() => this.sendRest(), REST));
    if (!remote) pairSync.publish({ ...place, ...this.#shared });
  }

  /** What both windows of a pair show besides the place. */
  get #shared() {
    const { heads, podium, predictions, host } = this.walk;
    const dark = Boolean(podium?.dark);
    const { once } = predictions;
    return { heads, dark, once, plays: this.#plays, ...host.shares?.() };
  }

  /** Somebody plays the motion here: the projector plays it as well. */
  played() {
    this.#plays += 1;
    this.publish();
  }

  /**
   * The address of this place, and the links that lead on from it.
   * @param {WalkPosition} position
   */
  #writeAddress(position) {
    const { model, host, route } = this.walk;
    const work = workOf(model);
    /** @type {[string, string][]} */
    const named = Object.entries(position)
      .filter(([, value]) => value)
      .map(([name, value]) => [name, value === true ? "1" : String(value)]);
    const query = { ...work, ...Object.fromEntries(named) };
    if (route.minutes !== route.usual) query.lecture = String(route.minutes);
    host.address.keep(query, model);
    const link = (/** @type {Record<string, string>} */ values) => `?${new URLSearchParams(values)}`;
    this.walk.linkTo({
      presenter: link({ ...query, view: "presenter" }),
      lesson: (topic) => `lessons${link({ lesson: topic, ...work })}`,
    });
  }

  /** Send the server the last place alone, once the walk rests there. */
  sendRest() {
    if (this.#restTimer) window.dispatchEvent(new CustomEvent("mha-place", { detail: this.position }));
    this.stop();
  }

  stop() {
    clearTimeout(this.#restTimer);
    this.#restTimer = 0;
  }

  /** A projector and a presenter's page of one walk, in two windows, go together; so does a walk that is followed. */
  join() {
    if (this.walk.view || this.walk.host.isFollowed) pairSync.join(this, lectureStored());
    else this.leave();
  }

  leave() {
    pairSync.leave(this);
  }

  /** Another window has chosen the lecture. @param {number} minutes */
  teach(minutes) {
    if (minutes === this.walk.route.minutes) return;
    this.walk.route.minutes = minutes;
    storeLecture(minutes);
    this.walk.changed({ remote: true });
  }

  /** Go where another window, or a room, is. @param {ReceivedPlace} place */
  goTo(place) {
    const { walk } = this;
    const { route, predictions } = walk;
    const onward = route.read(place);
    const { plays = this.#plays } = place;
    const playsAgain = plays > this.#plays && walk.view === "projector";
    this.#plays = plays;
    if (place.heads !== undefined) walk.heads = place.heads;
    walk.podium?.darken(Boolean(place.dark));
    walk.host.shared?.(place);
    predictions.on = place.predict;
    predictions.once = Boolean(place.once);
    predictions.revealed = new Set(place.revealed);
    walk.changed({ remote: true, onward });
    if (playsAgain) walk.playMotion();
  }
}
