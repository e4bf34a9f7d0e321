// What there is to press, and to choose from, besides the keys.

import { element, fill, span } from "../kit/dom.js";
import { comparing } from "./picture/two_heads.js";
import { lengthsOf } from "./place/lecture_route.js";
import { walkButton } from "./room/buttons.js";

const SPEEDS = [0.5, 1, 2, 4, 8];

/**
 * `seconds`: between two places of a walk that plays; `pressesOf`: the presses of a lecture of so many minutes;
 * `hostControls`: the controls of the walk's host, given the walk's own ways to show itself.
 * @typedef {{
 *   model: WalkModel;
 *   view: WalkView;
 *   seconds: number;
 *   commands: Record<string, () => void>;
 *   pressesOf: (minutes: number) => number;
 *   hostControls: (own: Node[]) => Node[];
 *   predict: (on: boolean, isClicked: boolean) => void;
 *   teach: (minutes: number) => void;
 *   pace: (seconds: number) => void;
 *   compare: (heads: number[] | null) => void;
 * }} ControlsOptions
 */

export class Controls {
  /** @type {HTMLSelectElement | null} */
  teaching = null;
  /** @type {HTMLAnchorElement | null} */
  presenting = null;
  /** @type {HTMLElement | null} */
  others = null;

  /** @param {ControlsOptions} options */
  constructor(options) {
    const { model, view, commands } = options;
    const { words } = model;
    this.options = options;
    this.playing = this.#move("play", "▶");
    this.counter = span("counter");
    this.predicting = this.#predictSwitch();
    const main = { class: "main-action", title: words.reveal };
    const hasKeys = !matchMedia("(hover: none)").matches;
    const label = view || !hasKeys ? words.reveal_short : words.reveal;
    this.revealing = walkButton("reveal", () => commands.reveal(), main, label);
    this.comparing = comparing(model, (heads) => {
      this.#setOpen(false); // on a phone: the sentence about them needs the room
      options.compare(heads);
    });
    const own = view ? [this.#leaveButton()] : this.#viewButtons();
    this.root = element(
      "div",
      { class: "controls", role: "group", "aria-label": words.controls },
      span("group", ...this.#moves(), this.playing, this.#speed(), this.#moreButton()),
      model.lecture ? this.#lectures() : null,
      this.counter,
      element("label", { class: "switch" }, this.predicting, words.predict),
      this.revealing,
      this.comparing?.root,
      span("group end", ...options.hostControls(own)),
    );
  }

  #moves() {
    const signs = { previous: "←", next: "→", into: "↓", out: "↑" };
    const { words } = this.options.model;
    return Object.entries(signs).map(([name, sign]) => {
      const said = words[name].replace(/ ?[(（].*$/, ""); // without its key
      return this.#move(name, sign, span("move-name", said));
    });
  }

  /**
   * @param {string} name of a command
   * @param {...Child} signs
   */
  #move(name, ...signs) {
    const { commands, model } = this.options;
    const label = model.words[name];
    const attributes = { class: "round", title: label, "aria-label": label };
    return walkButton(name, () => commands[name](), attributes, ...signs);
  }

  /** On a phone it shows what there is no room for in one row. */
  #moreButton() {
    const label = this.options.model.words.more_controls;
    const attributes = { class: "round others", title: label, "aria-label": label, "aria-expanded": "false" };
    const toggle = () => this.#setOpen(!this.root.classList.contains("open"));
    this.others = walkButton("others", toggle, attributes, "⋯");
    return this.others;
  }

  /** @param {boolean} isOpen */
  #setOpen(isOpen) {
    this.root.classList.toggle("open", isOpen);
    this.others?.setAttribute("aria-expanded", String(isOpen));
  }

  #leaveButton() {
    const { model, view, commands } = this.options;
    const label = view === "presenter" ? model.words.leave_presenter : model.words.leave;
    const attributes = { class: "round", title: label, "aria-label": label };
    return walkButton("leave", () => commands.close(), attributes, "✕");
  }

  /** @returns {HTMLInputElement} */
  #predictSwitch() {
    let isClicked = false;
    const onchange = () => {
      this.#setOpen(false); // on a phone: what reveals is in the row that is always there
      this.options.predict(input.checked, isClicked);
    };
    const onclick = (/** @type {MouseEvent} */ { detail }) => {
      isClicked = detail > 0;
      if (isClicked) input.blur(); // as a button does
    };
    /** @type {HTMLInputElement} */
    const input = element("input", { type: "checkbox", data: { focus: "predict" }, onchange, onclick });
    return input;
  }

  #speed() {
    const { seconds: chosen, pace, model } = this.options;
    const { speed } = model.words;
    const options = SPEEDS.map((seconds) =>
      element("option", { value: seconds, selected: seconds === chosen }, `${seconds} s`),
    );
    const onchange = () => pace(Number(select.value));
    const attributes = { "aria-label": speed, title: speed, data: { focus: "speed" }, onchange };
    /** @type {HTMLSelectElement} */
    const select = element("select", attributes, ...options);
    return select;
  }

  /** The lectures that the two keys of a clicker can walk, and how often they are pressed in each. */
  #lectures() {
    const { model, pressesOf, teach } = this.options;
    const { words } = model;
    let shorter = { minutes: 0, presses: 0 };
    const lectures = lengthsOf(model).map((minutes) => {
      const presses = pressesOf(minutes);
      const isSame = presses === shorter.presses; // a longer one is never another of as many
      if (!isSame) shorter = { minutes, presses };
      const template = isSame ? words.lecture_same : words.lecture_of;
      const label = fill(template, { minutes, presses, as: shorter.minutes });
      return element("option", { value: minutes }, label);
    });
    const onchange = () => {
      teach(Number(select.value));
      select.blur(); // the keys walk on
    };
    const attributes = { "aria-label": words.lecture, title: words.lecture, data: { focus: "lecture" } };
    const free = element("option", { value: 0 }, words.lecture_free);
    const select = element("select", { ...attributes, onchange }, free, ...lectures);
    this.teaching = select;
    return element("label", { class: "teaching" }, span("of", words.lecture_label, " "), select);
  }

  /** The ways to show the walk to an audience. */
  #viewButtons() {
    const { model, commands } = this.options;
    const { words } = model;
    const attributes = { class: "button", target: "_blank", data: { focus: "presenter" } };
    const presenting = element("a", attributes, `${words.presenter} ↗`);
    this.presenting = presenting;
    return [walkButton("projector", () => commands.project(), {}, words.projector), presenting];
  }

  /** @param {{ route: Route; hiding: boolean; predicting: boolean; heads: number[] | null }} state */
  show({ route, hiding, predicting, heads }) {
    const { model, view } = this.options;
    this.revealing.hidden = !hiding;
    this.predicting.checked = predicting;
    this.comparing?.show(heads);
    const hasLine = view === "projector" && !route.presses; // of the steps, below: it says how far the walk has come
    this.counter.textContent = hasLine ? "" : progress(route, model.words).join(" · ");
    if (this.teaching) this.teaching.value = String(route.minutes);
  }

  /** @param {boolean} playing */
  showPlaying(playing) {
    const { pause, play } = this.options.model.words;
    const label = playing ? pause : play;
    this.playing.textContent = playing ? "❚❚" : "▶";
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.playing.setAttribute("aria-pressed", String(playing));
  }
}

/** @typedef {import("./place/route.js").Route} Route */

/**
 * How far the walk has come, in words: by presses of a lecture, else by parts.
 * @param {Route} route
 * @param {Record<string, string>} words
 */
function progress(route, words) {
  const { part, beat } = route.place;
  if (route.presses) return [fill(words.press_of, route.presses)];
  const parts = [words[`depth_${route.depth}`]];
  if (part !== null) parts.push(fill(words.part_of, { part: part + 1, parts: route.stage.parts.length }));
  if (beat !== null && route.beats > 1)
    parts.push(fill(words.part_of, { part: beat + 1, parts: route.beats }));
  return parts;
}
