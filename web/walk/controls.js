// What there is to press, and to choose from, besides the keys.

import { element, fill, span } from "../kit/dom.js";
import { comparing } from "./picture/two_heads.js";
import { lengthsOf } from "./place/lecture_route.js";

const SPEEDS = [0.5, 1, 2, 4, 8];

/** @typedef {import("./walk.js").Walk} Walk */

export class Controls {
  /** @type {HTMLSelectElement | null} */
  teaching = null;
  /** @type {HTMLAnchorElement | null} */
  presenting = null;

  /**
   * @param {Walk} walk
   * @param {number} seconds between two places of a walk that plays
   */
  constructor(walk, seconds) {
    this.walk = walk;
    const { model, view } = walk;
    const { words } = model;
    this.playing = this.#move("play", "▶");
    this.counter = span("counter");
    const predict = ({ target }) => walk.setPredicting(target.checked);
    const walkOn = ({ detail, target }) => detail > 0 && target.blur(); // after the pointer: as a button does
    const asked = { type: "checkbox", data: { focus: "predict" }, onchange: predict, onclick: walkOn };
    this.predicting = element("input", asked);
    const main = { class: "main-action", title: words.reveal };
    this.revealing = walk.button(
      "reveal",
      () => walk.reveal(),
      main,
      view ? words.reveal_short : words.reveal,
    );
    this.comparing = comparing(model, (heads) => walk.compare(heads));
    const own = view ? [this.#leave()] : this.#views();
    this.root = element(
      "div",
      { class: "controls", role: "group", "aria-label": words.controls },
      span("group", ...this.#moves(), this.playing, this.#speed(seconds)),
      model.lecture ? this.#lectures() : null,
      this.counter,
      element("label", { class: "switch" }, this.predicting, words.predict),
      this.revealing,
      this.comparing?.root,
      span("group end", ...walk.around.controls(walk, own)),
    );
  }

  #moves() {
    const signs = { previous: "←", next: "→", into: "↓", out: "↑" };
    return Object.entries(signs).map(([name, sign]) => this.#move(name, sign));
  }

  #move(name, sign) {
    const { words } = this.walk.model;
    const attributes = { class: "round", title: words[name], "aria-label": words[name] };
    return this.walk.button(name, () => this.walk[name](), attributes, sign);
  }

  #leave() {
    const { model, view } = this.walk;
    const label = view === "presenter" ? model.words.leave_presenter : model.words.leave;
    const attributes = { class: "round", title: label, "aria-label": label };
    return this.walk.button("leave", () => this.walk.leave(), attributes, "✕");
  }

  /** @param {number} chosen */
  #speed(chosen) {
    const { speed } = this.walk.model.words;
    const options = SPEEDS.map((seconds) =>
      element("option", { value: seconds, selected: seconds === chosen }, `${seconds} s`),
    );
    const onchange = ({ target }) => this.walk.pace(Number(target.value));
    const attributes = { "aria-label": speed, title: speed, data: { focus: "speed" }, onchange };
    return element("select", attributes, ...options);
  }

  /** The lectures that the two keys of a clicker can walk, and how often they are pressed in each. */
  #lectures() {
    const { model, way } = this.walk;
    const { words } = model;
    let shorter = { minutes: 0, presses: 0 };
    const ways = lengthsOf(model).map((minutes) => {
      const presses = way.lecture(minutes).length - 1;
      const isSame = presses === shorter.presses; // a longer one is never another of as many
      if (!isSame) shorter = { minutes, presses };
      const label = fill(isSame ? words.lecture_same : words.lecture_of, {
        minutes,
        presses,
        as: shorter.minutes,
      });
      return element("option", { value: minutes }, label);
    });
    const onchange = ({ target }) => {
      this.walk.teach(Number(target.value));
      target.blur(); // the keys walk on
    };
    const attributes = { "aria-label": words.lecture, title: words.lecture, data: { focus: "lecture" } };
    const free = element("option", { value: 0 }, words.lecture_free);
    this.teaching = element("select", { ...attributes, onchange }, free, ...ways);
    return element("label", { class: "teaching" }, span("of", words.lecture_label, " "), this.teaching);
  }

  /** The ways to show the walk to an audience. */
  #views() {
    const { words } = this.walk.model;
    const attributes = { class: "button", target: "_blank", data: { focus: "presenter" } };
    this.presenting = element("a", attributes, `${words.presenter} ↗`);
    const projector = this.walk.button("projector", () => this.walk.project(), {}, words.projector);
    return [projector, this.presenting];
  }

  /** @param {boolean} hiding */
  show(hiding) {
    const { way, model, predictions, heads, view } = this.walk;
    this.revealing.hidden = !hiding;
    this.predicting.checked = predictions.on;
    this.comparing?.show(heads);
    const isLine = view === "projector" && !way.presses; // of its steps, below: it says how far the walk has come
    this.counter.textContent = isLine ? "" : counted(way, model.words).join(" · ");
    if (this.teaching) this.teaching.value = String(way.minutes);
  }

  /** @param {boolean} playing */
  showPlaying(playing) {
    const { pause, play } = this.walk.model.words;
    const label = playing ? pause : play;
    this.playing.textContent = playing ? "❚❚" : "▶";
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.playing.setAttribute("aria-pressed", String(playing));
  }
}

/**
 * How far the walk has come, in words: by presses of a lecture, else by parts.
 * @param {import("./place/route.js").Way} way
 * @param {Record<string, string>} words
 */
function counted(way, words) {
  const { part, beat } = way.place;
  if (way.presses) return [fill(words.press_of, way.presses)];
  const parts = [words[`depth_${way.depth}`]];
  if (part !== null) parts.push(fill(words.part_of, { part: part + 1, parts: way.stage.parts.length }));
  if (beat !== null && way.beats > 1) parts.push(fill(words.part_of, { part: beat + 1, parts: way.beats }));
  return parts;
}
