// When a motion plays, and the bar that stops it, reverses it and sets it to any time. It never delays a key press: the
// motion is removed before the walk shows anything else.

import { button, element, span } from "../../kit/dom.js";
import { ofBrowser } from "../../kit/storage.js";
import { motionOf } from "./motion.js";
import { Player } from "./player.js";
import { motionFile } from "./scenery.js";

/**
 * The place of the walk whose motion may play, and what a file of it says.
 * @typedef {{ picture: import("../picture/picture.js").Picture; place: Place; title: string; line: string }} MotionPlace
 */

const STORED = "mha.motion";
const QUICK = 400; // milliseconds: who walks faster is only passing by
const MARKS = 1000; // of the slider
const AGAIN = "↻"; // not ▶, which goes on through the walk

const prefersNoMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether motions play by themselves; this browser stores it. */
const stored = {
  get on() {
    return ofBrowser.text(STORED) !== "off";
  },
  set on(on) {
    ofBrowser.setText(STORED, on ? "on" : "off");
  },
};

export class MotionBar {
  /** @type {Player | null} */
  #player = null;
  /** @type {MotionPlace | null} */
  #current = null;
  #isReversed = false;
  #walked = -QUICK; // when the walk went on last
  #frame = 0; // the request for the slider's next frame

  /**
   * @param {Record<string, string>} words
   * @param {import("./player.js").Stage} stage
   * @param {{ played: () => void; download: (name: string, type: string, text: string) => void }} host
   */
  constructor(words, stage, host) {
    this.words = words;
    this.stage = stage;
    this.host = host;
    /** @type {(focus: string, act: () => void, attributes: Record<string, string>, ...parts: Child[]) => HTMLButtonElement} */
    const control = (focus, act, attributes, ...parts) => {
      /** @param {MouseEvent} event */
      const onclick = ({ detail, currentTarget }) => {
        if (detail > 0 && currentTarget instanceof HTMLElement) currentTarget.blur(); // keys move the walk again
        act();
      };
      return button({ class: "of-this", ...attributes, data: { focus }, onclick }, ...parts);
    };
    this.sign = span("sign", AGAIN);
    this.playing = control("motion", () => this.toggle(), {}, this.sign, " ", words.motion);
    /** @type {HTMLInputElement} */
    this.slider = element("input", {
      type: "range",
      class: "of-this",
      min: 0,
      max: MARKS,
      value: MARKS,
      "aria-label": words.motion_at,
      title: words.motion_at,
      data: { focus: "motion-at" },
      oninput: () => this.#seek(Number(this.slider.value) / MARKS),
      onchange: () => this.slider.matches(":focus-visible") || this.slider.blur(),
    });
    const turned = { title: words.motion_turned, "aria-pressed": "false" };
    this.reversing = control("motion-turned", () => this.reverse(), turned, words.motion_turned_short);
    const saved = { title: words.motion_svg_title };
    this.saving = control("motion-svg", () => this.#save(), saved, words.motion_svg);
    this.playsItself = element("input", {
      type: "checkbox",
      checked: stored.on,
      data: { focus: "motion-itself" },
      onchange: () => this.#store(),
    });
    this.reason = element("p", { class: "reason", hidden: true }, words.motion_of_one);
    this.root = element(
      "div",
      { class: "motion-bar", role: "group", "aria-label": words.motion },
      this.playing,
      this.slider,
      this.reversing,
      this.saving,
      element("label", { class: "switch" }, this.playsItself, words.motion_itself),
      this.reason,
    );
    this.#show();
  }

  #store() {
    stored.on = this.playsItself.checked;
    if (!stored.on) this.finish();
  }

  // --- with the walk ---------------------------------------------------------------------------------------------------

  /** End the motion at once: the picture is as it is without one. */
  finish() {
    cancelAnimationFrame(this.#frame);
    this.#player?.remove();
    this.#player = null;
    this.#show();
  }

  /**
   * The walk is at a place, or at one whose numbers are hidden: null. `onward`: it has just come there from the one
   * before.
   * @param {MotionPlace | null} current
   * @param {{ onward: boolean }} how
   */
  setPlace(current, { onward }) {
    const isQuick = performance.now() - this.#walked < QUICK;
    if (onward) this.#walked = performance.now();
    this.#current = current?.picture.step ? current : null;
    this.root.classList.toggle("idle", !this.#current);
    this.#enable(!this.#current || this.#current.picture.root.isConnected);
    if (onward && !isQuick && stored.on && !prefersNoMotion() && this.#isInView()) this.play();
  }

  /** Where two heads are side by side nothing moves, and a sentence says why. @param {boolean} isEnabled */
  #enable(isEnabled) {
    for (const control of [this.playing, this.slider, this.reversing, this.saving])
      control.disabled = !isEnabled;
    this.reason.hidden = isEnabled;
  }

  #isInView() {
    const { top, bottom } = this.stage.zone.getBoundingClientRect();
    return !document.hidden && bottom > 0 && top < innerHeight;
  }

  // --- what the bar and the keys do --------------------------------------------------------------------------------------

  toggle() {
    if (this.#player?.isPlaying) return this.#stop(this.#player);
    if (prefersNoMotion()) this.station(this.#isReversed ? -1 : 1);
    else if (this.#player) this.#run(this.#player);
    else this.play();
    this.host.played();
  }

  /** Play from the beginning, or in reverse from the end. */
  play() {
    if (prefersNoMotion()) return this.#seek(0);
    const player = this.#getPlayer();
    if (player) this.#run(player);
  }

  reverse() {
    this.#isReversed = !this.#isReversed;
    this.reversing.setAttribute("aria-pressed", String(this.#isReversed));
    if (!prefersNoMotion()) this.play();
  }

  /** Go to the next station or the one before, without moving there. @param {1 | -1} direction */
  station(direction) {
    const isFirst = !this.#player;
    const player = this.#getPlayer();
    if (!player) return;
    const { stations } = player.motion;
    const at = isFirst ? -direction : player.at;
    const target =
      direction > 0
        ? stations.find((station) => station > at + 0.001)
        : stations.findLast((station) => station < at - 0.001);
    if (target === undefined || target === 1) this.finish();
    else this.#seek(target);
  }

  /** The player of this place, created where there is none. Null where nothing moves here. */
  #getPlayer() {
    this.#player ??= this.#createPlayer();
    return this.#player;
  }

  #createPlayer() {
    const current = this.#current;
    const motion = current && this.#motionAt(current);
    if (!motion) return null;
    /** @type {Player} */
    const player = new Player(current.picture, motion, {
      ...this.stage,
      ended: () => (this.#isReversed ? this.#stop(player) : this.finish()),
    });
    return player;
  }

  /** @param {MotionPlace} current */
  #motionAt({ picture, place }) {
    if (!picture.root.isConnected) return null; // two heads are on the stage
    return motionOf(picture, place, (on) => picture.anchor(on) !== undefined);
  }

  /** @param {Player} player */
  #run(player) {
    player.play(this.#isReversed);
    this.#follow();
    this.#show();
  }

  /** @param {Player} player */
  #stop(player) {
    player.stop();
    this.#show();
  }

  /** @param {number} at */
  #seek(at) {
    const player = this.#getPlayer();
    if (!player) return;
    player.seek(at);
    this.#show();
  }

  /** Move the slider along while the motion plays. */
  #follow() {
    cancelAnimationFrame(this.#frame);
    const move = () => {
      if (!this.#player?.isPlaying) return;
      this.slider.value = String(this.#player.at * MARKS);
      this.#frame = requestAnimationFrame(move);
    };
    this.#frame = requestAnimationFrame(move);
  }

  #show() {
    const isPlaying = Boolean(this.#player?.isPlaying);
    const label = isPlaying ? this.words.motion_stop : this.words.motion_play;
    this.sign.textContent = isPlaying ? "❚❚" : AGAIN;
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.slider.value = String((this.#player?.at ?? 1) * MARKS);
    this.stage.root.dataset.motion = isPlaying ? "plays" : this.#player ? "stands" : "";
  }

  // --- a file ------------------------------------------------------------------------------------------------------------

  /** Save the motion of this place as an animated SVG. */
  #save() {
    this.finish();
    const current = this.#current;
    const motion = current && this.#motionAt(current);
    if (!motion) return;
    const { picture, title, line } = current;
    const text = motionFile(picture, motion, this.stage, { title, line });
    this.host.download(`${picture.step?.name}.svg`, "image/svg+xml", text);
  }
}
