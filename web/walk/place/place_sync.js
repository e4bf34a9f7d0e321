// Tells where the walk stands: the address and what it leads to, the server once the walk rests, a second window, and
// whoever stands around it; and goes where another window or a room stands.

import { together } from "./pair_sync.js";
import { hold, holdLecture, lectureHeld, workOf } from "./stored_place.js";

const REST = 500; // milliseconds at a place, after which the server is told of it

/** @typedef {import("../walk.js").Walk} Walk */

export class PlaceSync {
  #plays = 0; // how often the motion of a place was asked for
  #resting = 0;

  /** @param {Walk} walk */
  constructor(walk) {
    this.walk = walk;
  }

  /** As an address has it. */
  get at() {
    const { way, view, predictions } = this.walk;
    return { ...way.written, view, predict: predictions.on };
  }

  /**
   * `quiet`: nobody has moved; `remote`: it was another window or a room that did.
   * @param {{ quiet?: boolean; remote?: boolean }} [how]
   */
  publish({ quiet = false, remote = false } = {}) {
    const { walk, at } = this;
    const { on: predict, revealed } = walk.predictions;
    const stood = { step: at.step, sub: at.sub, predict, revealed: [...revealed] };
    hold(walk.model, at);
    this.#address(at);
    walk.around.placeChanged(walk, stood, remote);
    if (quiet) return;
    clearTimeout(this.#resting);
    this.#resting = Number(setTimeout(() => this.rests(), REST));
    if (!remote) together.publish({ ...stood, ...this.#shared });
  }

  /** What both windows of a pair show besides the place. */
  get #shared() {
    const { heads, podium, predictions, around } = this.walk;
    const dark = Boolean(podium?.dark);
    const { once } = predictions;
    return { heads, dark, once, plays: this.#plays, ...around.shares?.() };
  }

  /** Somebody plays the motion here: on the wall it plays as well. */
  played() {
    this.#plays += 1;
    this.publish();
  }

  /** The address of this place, and the links that lead on from it. */
  #address(at) {
    const { model, around, controls, panel } = this.walk;
    const work = workOf(model);
    const place = Object.entries(at).filter(([, value]) => value);
    const named = place.map(([name, value]) => [name, value === true ? "1" : value]);
    const { minutes, usual } = this.walk.way;
    const lecture = minutes === usual ? {} : { lecture: String(minutes) };
    const query = { ...work, ...Object.fromEntries(named), ...lecture };
    around.address.keep(query);
    const link = (values) => `?${new URLSearchParams(values)}`;
    if (controls.presenting) controls.presenting.href = link({ ...query, view: "presenter" });
    panel.lesson.href = `lessons${link({ lesson: panel.lesson.dataset.topic, ...work })}`;
  }

  /** The server is told of the last place only, once the walk rests there. */
  rests() {
    if (this.#resting) window.dispatchEvent(new CustomEvent("mha-place", { detail: this.at }));
    this.stop();
  }

  stop() {
    clearTimeout(this.#resting);
    this.#resting = 0;
  }

  /** A projector and a presenter's page of the same walk, in two windows, go together; a walk that is followed as well. */
  join() {
    if (this.walk.view || this.walk.around.isFollowed) together.join(this, lectureHeld());
    else this.leave();
  }

  leave() {
    together.leave(this);
  }

  /** Another window has chosen the lecture. @param {number} minutes */
  taught(minutes) {
    if (minutes === this.walk.way.minutes) return;
    this.walk.way.minutes = minutes;
    holdLecture(minutes);
    this.walk.changed({ remote: true });
  }

  /** Go where another window, or a room, stands. */
  goTo(at) {
    const { walk } = this;
    const { way, predictions } = walk;
    const onward = way.read(at);
    const again = at.plays > this.#plays && walk.view === "projector";
    this.#plays = at.plays ?? this.#plays;
    if (at.heads !== undefined) walk.heads = at.heads;
    walk.podium?.darken(Boolean(at.dark));
    walk.around.shared?.(at);
    predictions.on = at.predict;
    predictions.once = Boolean(at.once);
    predictions.revealed = new Set(at.revealed);
    walk.changed({ remote: true, onward });
    if (again) walk.mover.play();
  }
}
