// When a motion plays, and the bar by which it is stopped, turned round and set to any moment. It never holds up a key
// press: whatever the walk shows next, the motion is gone before.

import { button, element, span } from "../../kit/dom.js";
import { ofBrowser } from "../../kit/storage.js";
import { motionOf } from "./motion.js";
import { drawn } from "./picture_colours.js";
import { Player } from "./player.js";

/** @typedef {{ picture: import("../picture/picture.js").Picture; place: Place; title: string; line: string }} Standing */

const KEPT = "mha.motion";
const QUICK = 400; // milliseconds: who walks faster is on the way to somewhere
const MARKS = 1000; // of the slider

const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** Whether motions play by themselves, as this browser keeps it. */
const kept = {
  get on() {
    return ofBrowser.text(KEPT) !== "off";
  },
  set on(on) {
    ofBrowser.setText(KEPT, on ? "on" : "off");
  },
};

export class Mover {
  /** @type {Player | null} */
  #player = null;
  /** @type {Standing | null} */
  #standing = null;
  #backwards = false;
  #moved = -QUICK; // when the walk moved last
  #drawing = 0; // the next frame of the slider

  /**
   * @param {Record<string, string>} words
   * @param {{ root: HTMLElement; zone: HTMLElement }} where the walk, and the part of it that motions are over
   * @param {{ played: () => void; download: (name: string, type: string, text: string) => void }} host
   */
  constructor(words, where, host) {
    this.words = words;
    this.where = where;
    this.host = host;
    const pressed = (focus, act, attributes, ...parts) => {
      const onclick = (event) => {
        if (event.detail > 0) event.currentTarget.blur(); // the keys walk on
        act();
      };
      return button({ class: "of-this", ...attributes, data: { focus }, onclick }, ...parts);
    };
    this.sign = span("sign", "▶");
    this.playing = pressed("motion", () => this.toggle(), {}, this.sign, " ", words.motion);
    const named = { "aria-label": words.motion_at, title: words.motion_at };
    const oninput = () => this.#seek(Number(this.slider.value) / MARKS);
    const onchange = () => this.slider.matches(":focus-visible") || this.slider.blur();
    this.slider = element("input", {
      type: "range",
      class: "of-this",
      min: 0,
      max: MARKS,
      value: MARKS,
      ...named,
      data: { focus: "motion-at" },
      oninput,
      onchange,
    });
    const round = {
      class: "of-this round",
      title: words.motion_turned,
      "aria-label": words.motion_turned,
      "aria-pressed": "false",
    };
    this.reason = element("p", { class: "reason", hidden: true }, words.motion_of_one);
    this.turning = pressed("motion-turned", () => this.turn(), round, "⇄");
    this.itself = element("input", {
      type: "checkbox",
      checked: kept.on,
      data: { focus: "motion-itself" },
      onchange: () => this.#keep(),
    });
    this.draws = pressed("motion-svg", () => this.#draw(), {}, words.motion_svg);
    const auto = element("label", { class: "switch" }, this.itself, words.motion_itself);
    this.root = element(
      "div",
      { class: "motion-bar", role: "group", "aria-label": words.motion },
      this.playing,
      this.slider,
      this.turning,
      this.draws,
      auto,
      this.reason,
    );
    this.#show();
  }

  #keep() {
    kept.on = this.itself.checked;
    if (!kept.on) this.finish();
  }

  // --- with the walk ---------------------------------------------------------------------------------------------------

  /** Whatever moves is done: the picture stands as it is. */
  finish() {
    cancelAnimationFrame(this.#drawing);
    this.#player?.leave();
    this.#player = null;
    this.#show();
  }

  /**
   * The walk stands at a place; of null nothing may be shown of it. `onward`: it has just come there from one before.
   * @param {Standing | null} standing
   * @param {{ onward: boolean }} how
   */
  stands(standing, { onward }) {
    const quick = performance.now() - this.#moved < QUICK;
    if (onward) this.#moved = performance.now();
    this.#standing = standing?.picture.step ? standing : null;
    this.root.classList.toggle("idle", !this.#standing);
    this.#mayPlay(!this.#standing || this.#standing.picture.root.isConnected);
    if (onward && !quick && kept.on && !isStill() && this.#isSeen()) this.play();
  }

  /** Where two heads stand beside each other nothing moves, and it is said why. */
  #mayPlay(can) {
    for (const one of [this.playing, this.slider, this.turning, this.draws]) one.disabled = !can;
    this.reason.hidden = can;
  }

  #isSeen() {
    const { top, bottom } = this.where.zone.getBoundingClientRect();
    return !document.hidden && bottom > 0 && top < innerHeight;
  }

  // --- what the bar and the keys do --------------------------------------------------------------------------------------

  toggle() {
    if (this.#player?.isPlaying) return this.#stop();
    if (isStill()) this.station(this.#backwards ? -1 : 1);
    else if (this.#player) this.#run();
    else this.play();
    this.host.played();
  }

  /** From its beginning, or backwards from its end. */
  play() {
    if (!this.#make()) return;
    if (isStill()) this.#seek(0);
    else this.#run();
  }

  turn() {
    this.#backwards = !this.#backwards;
    this.turning.setAttribute("aria-pressed", String(this.#backwards));
    if (this.#player?.isPlaying) this.#run();
  }

  /**
   * To where something stands next, or before, without moving there.
   * @param {1 | -1} way
   */
  station(way) {
    const begins = !this.#player;
    if (!this.#make()) return;
    const { stations } = this.#player.motion;
    const at = begins ? (way > 0 ? -1 : 1) : this.#player.at;
    const target =
      way > 0 ? stations.find((one) => one > at + 0.001) : stations.findLast((one) => one < at - 0.001);
    if (target === undefined || target === 1) this.finish();
    else this.#seek(target);
  }

  /** The player of this place, made where there is none. */
  #make() {
    if (this.#player) return this.#player;
    const motion = this.#motion();
    if (!motion) return null;
    const ended = () => (this.#backwards ? this.#stop() : this.finish());
    this.#player = new Player(this.#standing.picture, motion, { ...this.where, ended });
    return this.#player;
  }

  #motion() {
    if (!this.#standing?.picture.root.isConnected) return null; // something else stands on the stage
    const { picture, place } = this.#standing;
    const isShown = (on) => Boolean(picture.anchor(on));
    return motionOf(picture, place, isShown);
  }

  #run() {
    this.#player.play(this.#backwards);
    this.#follow();
    this.#show();
  }

  #stop() {
    this.#player.stop();
    this.#show();
  }

  /** @param {number} at */
  #seek(at) {
    if (!this.#make()) return;
    this.#player.seek(at);
    this.#show();
  }

  #follow() {
    cancelAnimationFrame(this.#drawing);
    const draw = () => {
      if (!this.#player?.isPlaying) return;
      this.slider.value = String(this.#player.at * MARKS);
      this.#drawing = requestAnimationFrame(draw);
    };
    this.#drawing = requestAnimationFrame(draw);
  }

  #show() {
    const plays = Boolean(this.#player?.isPlaying);
    const label = plays ? this.words.motion_stop : this.words.motion_play;
    this.sign.textContent = plays ? "❚❚" : "▶";
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.slider.value = String((this.#player?.at ?? 1) * MARKS);
    this.where.root.dataset.motion = plays ? "plays" : this.#player ? "stands" : "";
  }

  // --- to take away -----------------------------------------------------------------------------------------------------

  /** The motion of this place as a picture that moves, in a file. */
  #draw() {
    this.finish();
    const motion = this.#motion();
    if (!motion) return;
    const { picture, title, line } = this.#standing;
    const text = drawn(picture, motion, this.where, { title, line });
    this.host.download(`${picture.step.name}.svg`, "image/svg+xml", text);
  }
}
