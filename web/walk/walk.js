// The walkthrough: steps through what it holds, and asks the server for nothing.

import { active, announcer, button, div, download, element, fill, p, redrawn } from "../kit/dom.js";
import { Help } from "../kit/help.js";
import { Awake } from "../kit/idle_controls.js";
import { isField } from "../kit/keys.js";
import { Pacing } from "./autoplay.js";
import { Controls } from "./controls.js";
import { pressed } from "./keyboard.js";
import { edgeOf, Podium } from "./lecture/podium.js";
import { Notes } from "./lecture/presenter_notes.js";
import { Mover } from "./motion/motion_bar.js";
import { Outline } from "./outline.js";
import { Predictions } from "./picture/predictions.js";
import { Refused } from "./picture/refused.js";
import { Easel } from "./picture/renderer.js";
import { together } from "./place/pair_sync.js";
import { PlaceSync } from "./place/place_sync.js";
import { Way } from "./place/route.js";
import { holdLecture, lectureHeld, placeHeld } from "./place/stored_place.js";
import { Panel } from "./step_panel.js";

export class Walk {
  /** @type {WalkModel} */
  model = null;
  way = new Way();
  predictions = new Predictions();
  /** @type {"" | "projector" | "presenter"} */
  view = "";
  /** @type {number[] | null} */
  heads = null; // two that are shown beside each other
  /** @type {Mover} */
  mover = null;
  /** @type {Podium | null} */
  podium = null;
  /** @type {Help} */
  keys = null;
  #placeSync = new PlaceSync(this);
  #pacing = new Pacing({ next: () => this.next(), shown: (plays) => this.controls?.showPlaying(plays) });
  #fitting = new ResizeObserver(() => this.refit());
  #gone = new AbortController();

  /**
   * @param {HTMLElement} parent
   * @param {WalkHost} around
   */
  constructor(parent, around) {
    this.around = around;
    this.root = element("div", { class: "walk", role: "region" });
    this.awake = new Awake(this.root);
    parent.append(this.root);
    this.live = announcer();
    this.refused = new Refused(this);
    const { signal } = this.#gone;
    window.addEventListener("keydown", (event) => pressed(this, event), { signal });
    this.root.addEventListener("pointermove", (event) => this.#pointed(event), { signal });
    window.addEventListener("beforeunload", () => this.around.address.flush(), { signal });
    const elsewhere = (event) => event.composedPath().includes(this.root) || this.#placeSync.rests(); // what is done there may leave the page
    for (const kind of ["pointerdown", "focusin"])
      document.addEventListener(kind, elsewhere, { signal, capture: true });
    this.#fitting.observe(document.documentElement); // whose height is nothing on Streamlit's page
    window.addEventListener("resize", () => this.refit(), { signal });
  }

  unmount() {
    this.#pacing.stop();
    this.mover?.finish();
    this.#placeSync.stop();
    this.awake.rest();
    this.#gone.abort();
    document.documentElement.classList.remove("mha-projecting", "mha-predicting");
    this.#fitting.disconnect();
    this.around.address.stop();
    this.#placeSync.leave();
    this.around.unmount();
    this.notes?.stop();
    this.root.remove();
  }

  /** New numbers, another language, or the first: the place is kept where the same work is walked. */
  update({ data }) {
    const first = this.model === null;
    const known = placeHeld(data);
    const stood = first ? (known ?? data.place) : this.#placeSync.at;
    if (!first && this.model.opened !== data.opened) this.predictions.forget();
    else if (!first && this.model.revision !== data.revision) this.predictions.answers.clear(); // they were of other numbers
    const anew = !first && this.model.session !== data.session;
    this.model = this.way.model = data;
    if (first) this.way.minutes = lectureHeld() ?? this.way.usual;
    this.root.dataset.session = data.session;
    this.#show(stood.view);
    this.way.read(first || known ? stood : data.place); // of another example, or after a restart
    this.predictions.on = Boolean(stood.predict);
    this.#build();
    this.changed({ quiet: first, remote: true });
    this.#placeSync.join();
    if (anew) together.again();
  }

  /** @param {Walk["view"]} view */
  #show(view) {
    this.view = view;
    this.way.isBefore = Boolean(view);
  }

  // --- moving ----------------------------------------------------------------------------------------------------

  next() {
    if (this.easel.hiding) return this.reveal();
    const place = this.way.next;
    if (place) this.#go(place);
    else this.#pacing.stop();
  }

  previous() {
    const place = this.way.previous;
    if (place) this.#go(place);
  }

  /** Walk the way of a lecture of so many minutes from now on; 0: none. */
  teach(minutes) {
    this.way.minutes = minutes;
    holdLecture(minutes);
    together.teach(minutes);
    this.way.settle();
    this.changed();
  }

  into() {
    this.#go(this.way.deeper(1));
  }

  out() {
    this.#go(this.way.deeper(-1));
  }

  first() {
    this.jump(1);
  }

  last() {
    this.jump(this.model.stages.length);
  }

  jump(number) {
    if (number >= 1 && number <= this.model.stages.length) this.#go(this.way.first(number - 1));
  }

  #go(place) {
    if (this.around.withholds?.(place)) return this.around.comeBack();
    const onward = this.way.go(place);
    this.predictions.goOn();
    this.around.goesOn?.();
    this.changed({ onward });
  }

  play() {
    this.#pacing.toggle();
  }

  /** @param {number} seconds between two places of a walk that plays */
  pace(seconds) {
    this.#pacing.set(seconds);
  }

  #pointed(event) {
    this.podium?.point(event);
    if (this.podium?.isPointing) return; // who points at the wall wants nothing to lie over it
    const edge = this.view === "projector" ? this.#edge(event) : "all";
    this.root.dataset.edge = edge;
    if (edge) this.awake.wake();
    else this.awake.rest();
  }

  /** The edge of the wall whose bar is wanted: there, and on the way to that bar and on it as long as it is seen. */
  #edge(event) {
    const { edge } = this.root.dataset;
    if (!this.awake.isAwake || !edge) return edgeOf(event);
    const isTop = edge === "top";
    const { top, bottom } = (isTop ? this.controls : this.mover).root.getBoundingClientRect();
    const isTowards = isTop ? event.clientY <= bottom : event.clientY >= top;
    return isTowards ? edge : edgeOf(event);
  }

  /** What lies over the walk is closed; where nothing does, its view. */
  leave() {
    if (!this.around.closes?.()) this.look("");
  }

  /** Escape leaves a field, and what `leave` does; but a presenter's view, which moves the wall, by its button alone. */
  escape() {
    const field = active(this.root);
    if (isField(field)) return field.blur();
    if (this.view !== "presenter") return this.leave();
    if (this.around.closes?.()) return;
    this.easel.refuse(this.model.words.presenter_stays);
    this.live.textContent = this.easel.refused;
  }

  // --- motion ----------------------------------------------------------------------------------------------------

  animate() {
    this.mover.toggle();
  }

  stationBefore() {
    this.mover.station(-1);
  }

  stationAfter() {
    this.mover.station(1);
  }

  // --- before an audience ----------------------------------------------------------------------------------------

  /** The wall is dark, or not any more: in both windows. */
  darken() {
    this.podium.darken(!this.podium.dark);
    this.#placeSync.publish();
  }

  fillScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {}); // a browser may forbid it
  }

  /** Go together with the other windows from now on, where the walk is to. */
  join() {
    this.#placeSync.join();
  }

  /** What stands around the walk has changed, and the other window is to show it. */
  share() {
    this.#placeSync.publish();
  }

  help() {
    this.keys.show();
  }

  project() {
    this.look("projector");
  }

  /** Change a number of what stands here, where it is anybody's to change. */
  change() {
    this.around.change?.();
  }

  /** Numbers are asked for before they are shown, or no longer. */
  askFirst() {
    this.setPredicting(!this.predictions.on);
  }

  /** Answers are given with hands, where a lecturer counts them. */
  countHands() {
    this.around.countHands?.();
  }

  /** Telephones are asked, where a lecturer has any. */
  ask() {
    this.around.ask?.();
  }

  /** The head that stands here beside the next one, or alone again. */
  compareHeads() {
    const { h } = this.model.dims;
    const one = this.way.stage.head ?? 0;
    if (h > 1) this.compare(this.heads ? null : [one, (one + 1) % h]);
  }

  /** How those who follow get in, where a room is open. */
  code() {
    this.around.code?.();
  }

  point() {
    this.podium.toggleDot();
  }

  closer() {
    this.closeUp(1);
  }

  further() {
    this.closeUp(-1);
  }

  /** @param {number} steps nearer; 0 for the whole picture again */
  closeUp(steps) {
    this.mover.finish();
    this.#look(steps && this.podium.level + steps);
  }

  /** @param {number} level of closeness: the picture is alone, and beyond that its type is larger */
  #look(level) {
    this.podium.level = this.easel.closeUp(Math.max(0, level));
    this.#follow();
  }

  look(view) {
    this.#show(view);
    this.#build();
    this.changed({ remote: true });
    this.#placeSync.join();
  }

  /** Numbers are asked for before they are shown, or no longer; `once`: at this place alone. */
  setPredicting(on, { once = false } = {}) {
    this.predictions.turn(on, once);
    this.changed();
  }

  // --- predicting ------------------------------------------------------------------------------------------------

  /** The name of the stage where the walk stands. */
  get step() {
    return this.way.stage.id;
  }

  /** The cell whose arithmetic is told here, and whether its number is still to be found. */
  get asked() {
    return { cell: this.easel.focus, hiding: this.easel.hiding };
  }

  reveal() {
    if (!this.easel.hiding || this.around.withholds?.(this.way.place)) return;
    this.predictions.revealed.add(this.easel.question);
    this.changed({ onward: true });
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    const { words } = this.model;
    this.root.setAttribute("aria-label", words.walk);
    document.documentElement.lang = this.root.lang = words.lang; // Share says it too, which an embedded page lacks
    this.root.dataset.view = this.view || "page";
    document.documentElement.classList.toggle("mha-projecting", Boolean(this.view));
    this.outline = new Outline(this.model, (at, attributes, parts) =>
      this.button(`step ${at}`, () => this.jump(at + 1), attributes, ...parts),
    );
    this.panel = new Panel(this.model, this.view);
    this.controls = new Controls(this, this.#pacing.seconds);
    this.easel = new Easel(this);
    this.mover?.finish();
    this.mover = new Mover(
      words,
      { root: this.root, zone: this.easel.root },
      { played: () => this.#placeSync.played(), download },
    );
    this.notes?.stop();
    this.notes = this.view === "presenter" ? new Notes(words) : null;
    this.podium = this.view ? new Podium(words, this.podium) : null;
    const { help: label, walk_keys, page_keys, stage_keys, leave_key, presenter_key } = words;
    const last = this.view === "presenter" ? presenter_key : leave_key;
    const keys = `${walk_keys}\n${this.view ? "" : `${page_keys}\n`}${stage_keys}\n${last}`;
    this.keys = new Help(this.root, { label, keys, isShown: Boolean(this.keys?.isShown) });
    redrawn(this.root, () => this.root.replaceChildren(...this.#parts()));
  }

  #parts() {
    const hint = this.view ? [] : [p("hint", this.model.words.keys)];
    const { root: motion } = this.mover;
    const { root: stage, more, line } = this.easel;
    const main = div("main", ...this.panel.above, stage, motion, more, line, ...hint);
    return [
      this.outline.bar,
      this.outline.root,
      this.controls.root,
      main,
      this.notes?.root,
      this.podium?.root,
      this.keys.root,
      ...this.around.parts(this),
      this.live,
    ].filter(Boolean);
  }

  /** A button; `focus`: the name by which the focus comes back to it. */
  button(focus, act, attributes, ...parts) {
    const onclick = (event) => this.#pressed(event, act);
    return button({ ...attributes, data: { focus }, onclick }, ...parts);
  }

  /** After a click with the pointer the keys walk on: a focused button would take the space bar. */
  #pressed(event, act) {
    if (event.detail > 0) event.currentTarget.blur();
    act();
  }

  // --- showing ---------------------------------------------------------------------------------------------------

  /** `quiet`: nobody has moved; `remote`: it was another window; `onward`: it is the next place, and its motion plays. */
  changed({ quiet = false, remote = false, onward = false } = {}) {
    const { easel, way } = this;
    this.mover.finish();
    const isAnother = easel.draw();
    document.documentElement.classList.toggle("mha-predicting", this.predictions.on);
    easel.show();
    if (isAnother) this.#fit();
    else if (this.view && easel.isTooSmall) this.podium.isClose ? this.#look(this.podium.level) : this.#fit();
    easel.writeLine();
    this.controls.show(easel.hiding);
    this.outline.show(way);
    this.#showNotes();
    this.root.classList.toggle("moving", !isAnother);
    this.#follow();
    this.#placeSync.publish({ quiet, remote });
    this.live.textContent = quiet ? "" : `${isAnother ? this.#opening() : ""} ${easel.lineText}`.trim();
    this.root.dataset.at = `${way.stage.id} ${way.written.sub}`.trim();
    this.mover.stands(easel.hiding ? null : this.#standing(), { onward: onward && this.#mayMove() });
  }

  /** What is told of a step as the walk comes there. */
  #opening() {
    const { stages, words } = this.model;
    const count = fill(words.step_of, { step: this.way.place.stage + 1, steps: stages.length });
    return `${count}: ${this.panel.title.textContent}. ${this.panel.what.textContent}`;
  }

  /** What moves here, and what it is called. */
  #standing() {
    const { picture, lineText: line } = this.easel;
    return { picture, place: this.way.place, title: this.panel.title.textContent, line };
  }

  /** A presenter reads; and a walk that plays by itself may be faster than what moves. */
  #mayMove() {
    return this.view !== "presenter" && !this.#pacing.isFast;
  }

  /** Show two heads beside each other from now on, or one. */
  compare(heads) {
    this.heads = heads;
    this.changed();
  }

  /** On the presenter's page: what to say here, how the time goes, and what comes next. */
  #showNotes() {
    if (!this.notes) return;
    const { walked, stage, place, next, times } = this.way;
    this.notes.show(this.model, walked ?? stage, place, next, times);
    this.notes.fit();
  }

  /** The window has another size, or what stands beside the stage has come or gone. */
  refit() {
    if (!this.model) return;
    this.mover.finish();
    this.#fit();
    if (this.view) this.easel.writeLine();
    this.around.resized?.();
  }

  #fit() {
    this.notes?.fit();
    if (this.podium) this.podium.level = 0;
    this.root.classList.remove("close");
    if (this.view && !this.root.classList.contains("asking")) this.panel.fit(); // then the words are away
    this.easel.fit();
  }

  /** What is new is in sight; before an audience the step's name always is. */
  #follow() {
    const isWhole = this.way.depth === 0 && !this.podium?.isClose;
    if (!isWhole) this.easel.follow();
    if (!isWhole || this.view) this.outline.follow();
  }

  /** Go where another window, or a room, stands. */
  goTo(at) {
    this.#placeSync.goTo(at);
  }
}
