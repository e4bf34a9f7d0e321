// The walkthrough: goes from place to place through what it was sent, and asks the server for nothing.

import {
  active,
  announcer,
  div,
  download,
  element,
  fill,
  p,
  prose,
  redrawn,
  span,
  titled,
} from "../kit/dom.js";
import { Help } from "../kit/help.js";
import { IdleControls } from "../kit/idle_controls.js";
import { isAnswerField } from "../kit/keys.js";
import { Pacing } from "./autoplay.js";
import { Controls } from "./controls.js";
import { onKey } from "./keyboard.js";
import { edgeOf, Podium } from "./lecture/podium.js";
import { Notes } from "./lecture/presenter_notes.js";
import { MotionBar } from "./motion/motion_bar.js";
import { Outline } from "./outline.js";
import { Predictions } from "./picture/predictions.js";
import { Refused } from "./picture/refused.js";
import { Renderer } from "./picture/renderer.js";
import { pairSync } from "./place/pair_sync.js";
import { PlaceSync } from "./place/place_sync.js";
import { Route } from "./place/route.js";
import { lectureStored, placeStored, storeLecture } from "./place/stored_place.js";
import { walkButton } from "./room/buttons.js";
import { Panel } from "./step_panel.js";

/**
 * What is built for a model and a view, and replaced with the next.
 * @typedef {{
 *   outline: Outline;
 *   panel: Panel;
 *   controls: Controls;
 *   renderer: Renderer;
 *   motionBar: MotionBar;
 *   help: Help;
 * }} Parts
 */

export class Walk {
  root = element("div", { class: "walk", role: "region" });
  predictions = new Predictions();
  /** @type {WalkView} */
  view = "";
  /** @type {number[] | null} */
  heads = null; // two that are compared
  /** @type {Podium | null} */
  podium = null; // before an audience
  /** @type {Notes | null} */
  notes = null; // on the presenter's page
  /** @type {Parts | null} */
  #parts = null; // from the first update on
  #placeSync = new PlaceSync(this);
  #autoplay = new Pacing({
    next: () => this.#next(),
    shown: (plays) => this.#parts?.controls.showPlaying(plays),
  });
  #width = 0; // of the page; its height follows each picture
  #resizing = new ResizeObserver(([{ contentRect }]) => this.#onWidth(contentRect.width));
  #removal = new AbortController();
  #live = announcer();
  #awake = new IdleControls(this.root);

  /**
   * What keys and buttons do, by the names that kit/keys.js gives to keys.
   * @type {Record<string, () => void>}
   */
  #commands = {
    next: () => this.#next(),
    previous: () => this.#previous(),
    into: () => this.#go(this.route.deeper(1)),
    out: () => this.#go(this.route.deeper(-1)),
    first: () => this.#jump(1),
    last: () => this.#jump(this.model.stages.length),
    play: () => this.#autoplay.toggle(),
    reveal: () => this.#reveal(),
    leave: () => this.#escape(),
    close: () => this.#close(),
    project: () => this.#setView("projector"),
    // before an audience
    ask: () => this.host.ask?.(),
    askFirst: () => this.setPredicting(!this.predictions.on),
    change: () => this.host.change?.(),
    code: () => this.host.code?.(),
    countHands: () => this.host.countHands?.(),
    compareHeads: () => this.#compareNext(),
    darken: () => this.#darken(),
    fillScreen,
    help: () => this.#built.help.show(),
    point: () => this.podium?.toggleDot(),
    closer: () => this.#closeUp(1),
    further: () => this.#closeUp(-1),
    // motion
    animate: () => this.#built.motionBar.toggle(),
    stationBefore: () => this.#built.motionBar.station(-1),
    stationAfter: () => this.#built.motionBar.station(1),
  };

  /**
   * @param {HTMLElement} parent
   * @param {(walk: HostedWalk) => WalkHost} makeHost
   * @param {WalkModel} model which `update` shows
   */
  constructor(parent, makeHost, model) {
    this.model = model;
    this.route = new Route(model);
    parent.append(this.root);
    this.refused = new Refused({
      root: this.root,
      model: () => this.model,
      refuse: (sentence) => this.refuse(sentence),
    });
    this.host = makeHost(this);
    const { signal } = this.#removal;
    const keyTarget = this.#keyTarget();
    window.addEventListener("keydown", (event) => onKey(keyTarget, event), { signal });
    this.root.addEventListener("pointermove", (event) => this.#onPointer(event), { signal });
    this.root.addEventListener("pointerdown", (event) => this.#onTouch(event), { signal });
    this.root.addEventListener("click", (event) => this.#explain(event), { signal });
    window.addEventListener("beforeunload", () => this.host.address.flush(), { signal });
    const onElsewhere = (/** @type {Event} */ event) => {
      // What is done elsewhere may leave the page.
      if (!event.composedPath().includes(this.root)) this.#placeSync.sendRest();
    };
    for (const kind of ["pointerdown", "focusin"])
      document.addEventListener(kind, onElsewhere, { signal, capture: true });
    this.#resizing.observe(document.documentElement);
    window.addEventListener("resize", () => this.refit(), { signal });
  }

  unmount() {
    this.#autoplay.stop();
    this.#parts?.motionBar.finish();
    this.#placeSync.stop();
    this.#awake.rest();
    this.#removal.abort();
    document.documentElement.classList.remove("mha-projecting", "mha-predicting");
    this.#resizing.disconnect();
    this.host.address.stop();
    this.#placeSync.leave();
    this.host.unmount();
    this.notes?.stop();
    this.root.remove();
  }

  /**
   * New numbers, another language, or the first of all: the place stays where the same work is walked.
   * @param {{ data: WalkModel }} component
   */
  update({ data: model }) {
    const isFirst = this.#parts === null;
    const stored = placeStored(model);
    const position = isFirst ? (stored ?? model.place) : this.#placeSync.position;
    if (!isFirst && this.model.opened !== model.opened) this.predictions.forget();
    else if (!isFirst && this.model.revision !== model.revision) this.predictions.answers.clear(); // of other numbers
    const isNewSession = !isFirst && this.model.session !== model.session;
    this.model = this.route.model = model;
    if (isFirst) this.route.minutes = lectureStored() ?? this.route.usual;
    this.root.dataset.session = model.session;
    this.#become(position.view);
    this.route.read(isFirst || stored ? position : model.place); // of another example, or after a restart
    this.predictions.on = Boolean(position.predict);
    this.#build();
    this.changed({ quiet: isFirst, remote: true });
    this.#placeSync.join();
    if (isNewSession) pairSync.reconnect();
  }

  /** What the first update has built; raises before that. */
  get #built() {
    if (!this.#parts) throw new Error("the walk has not been updated yet");
    return this.#parts;
  }

  get #renderer() {
    return this.#built.renderer;
  }

  get controls() {
    return this.#built.controls;
  }

  // --- moving ----------------------------------------------------------------------------------------------------

  #next() {
    if (this.#renderer.hiding) return this.#reveal();
    const place = this.route.next;
    if (place) return this.#go(place);
    this.#autoplay.stop();
    this.refuse(this.model.words.last);
  }

  #previous() {
    const place = this.route.previous;
    if (place) this.#go(place);
  }

  /** @param {number} number of a stage, from 1 */
  #jump(number) {
    if (number >= 1 && number <= this.model.stages.length) this.#go(this.route.first(number - 1));
  }

  /** @param {Place} place */
  #go(place) {
    if (this.host.withholds?.(place)) return this.host.comeBack?.();
    const onward = this.route.go(place);
    this.predictions.goOn();
    this.host.goesOn?.();
    this.changed({ onward });
  }

  /** Go where another window, or a room, is. @param {ReceivedPlace} place */
  goTo(place) {
    this.#placeSync.goTo(place);
  }

  /** Walk a lecture of so many minutes from now on; 0: none. @param {number} minutes */
  #teach(minutes) {
    this.route.minutes = minutes;
    storeLecture(minutes);
    pairSync.teach(minutes);
    this.route.settle();
    this.changed();
  }

  /** The name of the stage of the place. */
  get step() {
    return this.route.stage.id;
  }

  // --- keys and pointer ------------------------------------------------------------------------------------------

  /** @returns {import("./keyboard.js").KeyTarget} */
  #keyTarget() {
    return {
      root: this.root,
      commands: this.#commands,
      isOnStage: () => Boolean(this.view),
      isHiding: () => this.#renderer.hiding,
      uncover: () => this.#uncover(),
      rest: () => this.#awake.rest(),
      jump: (number) => this.#jump(number),
      wholePicture: () => this.#closeUp(0),
      isNumber: (field) => this.refused.takes(field),
      undo: this.host.undo && ((redo) => this.host.undo?.(redo)),
    };
  }

  /** Take away what covers the walk, the list of keys or a dark screen; whether there was anything. */
  #uncover() {
    if (this.#built.help.close()) return true;
    if (!this.podium?.dark) return false;
    this.#darken();
    return true;
  }

  /** @param {PointerEvent} event */
  #onPointer(event) {
    this.podium?.point(event);
    if (this.podium?.isPointing) return; // nothing is to lie over what the dot points at
    const edge = this.view === "projector" ? this.#edge(event) : "all";
    this.root.dataset.edge = edge;
    if (edge) this.#awake.wake();
    else this.#awake.rest();
  }

  /** A finger points nowhere before it touches: the half that it touches is the edge. @param {PointerEvent} event */
  #onTouch({ pointerType, clientY }) {
    if (pointerType !== "touch" || this.view !== "projector") return;
    this.root.dataset.edge = clientY < innerHeight / 2 ? "top" : "bottom";
    this.#awake.wake();
  }

  /** A click on a number shows how it is computed. @param {MouseEvent} event */
  #explain({ target }) {
    const isField = target instanceof Element && target.closest("input, button, .spin");
    const td = !isField && target instanceof Element && target.closest("td");
    if (td instanceof HTMLElement && !this.podium?.isPointing && this.#renderer.explain(td))
      this.announce(this.#renderer.lineText);
  }

  /**
   * The edge of the projector whose bar is wanted: the pointer is there, or on the way to that bar, or on it while it
   * is visible.
   * @param {PointerEvent} event
   */
  #edge(event) {
    const { edge } = this.root.dataset;
    if (!this.#awake.isAwake || !edge) return edgeOf(event);
    const isTop = edge === "top";
    const bar = isTop ? this.#built.controls : this.#built.motionBar;
    const { top, bottom } = bar.root.getBoundingClientRect();
    const isTowards = isTop ? event.clientY <= bottom : event.clientY >= top;
    return isTowards ? edge : edgeOf(event);
  }

  /** Close what lies over the walk; where nothing does, leave its view. */
  #close() {
    if (!this.host.closes?.()) this.#setView("");
  }

  /** Escape leaves a field, or closes; but a presenter's view, which moves the projector, only its button leaves. */
  #escape() {
    const field = active(this.root);
    if (isAnswerField(field)) return field.blur();
    if (this.view !== "presenter") return this.#close();
    if (!this.host.closes?.()) this.refuse(this.model.words.presenter_stays);
  }

  /**
   * Say in the line of arithmetic why something was not done, and read it out; "" takes it back.
   * @type {Refuse}
   */
  refuse(sentence, { nodes, spoken = sentence } = {}) {
    this.#renderer.refuse(sentence, nodes);
    if (sentence) this.announce(spoken);
  }

  /** Read a sentence out. @param {string} sentence */
  announce(sentence) {
    this.#live.textContent = sentence;
  }

  // --- before an audience ----------------------------------------------------------------------------------------

  /** The screen is dark, or not any more: in both windows. */
  #darken() {
    if (!this.podium) return;
    this.podium.darken(!this.podium.dark);
    this.#placeSync.publish();
  }

  /** Go together with the other windows from now on, where the walk is to. */
  join() {
    this.#placeSync.join();
  }

  /** Something that the host shows has changed, and the other window is to show it. */
  share() {
    this.#placeSync.publish();
  }

  /** @param {number} steps nearer; 0 for the whole picture again */
  #closeUp(steps) {
    this.#built.motionBar.finish();
    if (this.podium) this.#setCloseness(steps && this.podium.level + steps);
  }

  /** @param {number} level the picture is alone, and beyond 1 its type is larger */
  #setCloseness(level) {
    if (!this.podium) return;
    this.podium.level = this.#renderer.closeUp(Math.max(0, level));
    this.#scrollToPlace();
  }

  /** @param {WalkView} view */
  #setView(view) {
    this.#become(view);
    this.#build();
    this.changed({ remote: true });
    this.#placeSync.join();
  }

  /** @param {WalkView} view */
  #become(view) {
    this.view = view;
    this.route.isBefore = Boolean(view);
  }

  /** Compare the head of this place with the next one, or show it alone again. */
  #compareNext() {
    const { h } = this.model.dims;
    const head = this.route.stage.head ?? 0;
    if (h > 1) this.#compare(this.heads ? null : [head, (head + 1) % h]);
  }

  /** Show two heads beside each other from now on, or one. @param {number[] | null} heads */
  #compare(heads) {
    this.heads = heads;
    this.changed();
  }

  /** Another window has played the motion of this place. */
  playMotion() {
    this.#built.motionBar.play();
  }

  // --- predicting ------------------------------------------------------------------------------------------------

  /**
   * Numbers are asked for before they are shown, or no longer; `once`: at this place alone.
   * @param {boolean} on
   * @param {{ once?: boolean }} [how]
   */
  setPredicting(on, { once = false } = {}) {
    this.predictions.turn(on, once);
    this.changed();
  }

  /**
   * After a click with a mouse the first number can be typed at once. Before an audience the keys stay the walk's.
   * @param {boolean} on
   * @param {boolean} isClicked
   */
  #startPredicting(on, isClicked) {
    this.setPredicting(on);
    const field = this.root.querySelector("input.answer");
    const isTyped = isClicked && !this.view && !matchMedia("(hover: none)").matches;
    if (isTyped && field instanceof HTMLElement) field.focus();
  }

  /** The cell whose arithmetic is explained here, and whether its number is still to be found. */
  get focus() {
    return { cell: this.#renderer.focus, hiding: this.#renderer.hiding };
  }

  #reveal() {
    if (!this.#renderer.hiding || this.host.withholds?.(this.route.place)) return;
    this.predictions.revealed.add(this.#renderer.question);
    const hasMarks = this.predictions.answers.size > 0; // over which nothing is to fly
    this.changed({ onward: !hasMarks });
    this.#renderer.explainMarks();
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    const { words } = this.model;
    this.root.setAttribute("aria-label", words.walk);
    document.documentElement.lang = this.root.lang = words.lang; // Share sets it too, which an embedded page lacks
    this.root.dataset.view = this.view || "page";
    document.documentElement.classList.toggle("mha-projecting", Boolean(this.view));
    const outline = new Outline(this.model, (at, attributes, children) =>
      walkButton(`step ${at}`, () => this.#jump(at + 1), attributes, ...children),
    );
    const panel = new Panel(this.model, this.view);
    const controls = new Controls({
      model: this.model,
      view: this.view,
      seconds: this.#autoplay.seconds,
      commands: this.#commands,
      pressesOf: (minutes) => this.route.lecture(minutes).length - 1,
      hostControls: (own) => this.host.controls(own),
      predict: (on, isClicked) => this.#startPredicting(on, isClicked),
      teach: (minutes) => this.#teach(minutes),
      pace: (seconds) => this.#autoplay.set(seconds),
      compare: (heads) => this.#compare(heads),
    });
    const renderer = new Renderer({
      root: this.root,
      model: this.model,
      view: this.view,
      route: this.route,
      predictions: this.predictions,
      panel,
      heads: () => this.heads,
      withholds: (place) => Boolean(this.host.withholds?.(place)),
    });
    this.#parts?.motionBar.finish();
    const motionBar = new MotionBar(
      words,
      { root: this.root, zone: renderer.root },
      { played: () => this.#placeSync.played(), download },
    );
    this.notes?.stop();
    this.notes = this.view === "presenter" ? new Notes(words) : null;
    this.podium = this.view ? new Podium(words, this.podium) : null;
    const isShown = Boolean(this.#parts?.help.isShown);
    const help = new Help(this.root, { label: words.help, keys: this.#keyList(), isShown });
    this.#parts = { outline, panel, controls, renderer, motionBar, help };
    redrawn(this.root, () => this.root.replaceChildren(...this.#children()));
  }

  /** The keys and what they do here, a line each. */
  #keyList() {
    const { walk_keys, page_keys, stage_keys, leave_key, presenter_key } = this.model.words;
    const last = this.view === "presenter" ? presenter_key : leave_key;
    return [walk_keys, ...(this.view ? [] : [page_keys]), stage_keys, last].join("\n");
  }

  #children() {
    const { outline, panel, controls, renderer, motionBar, help } = this.#built;
    const { click, keys } = this.model.words;
    const hint = this.view ? [] : [p("hint", click, " ", span("keyboard", keys))];
    const main = div(
      "main",
      ...panel.above,
      renderer.root,
      motionBar.root,
      renderer.more,
      renderer.line,
      ...hint,
    );
    return [
      outline.bar,
      outline.root,
      controls.root,
      main,
      ...(this.notes ? [this.notes.root] : []),
      ...(this.podium ? [this.podium.root] : []),
      help.root,
      ...this.host.parts(),
      this.#live,
    ];
  }

  // --- showing ---------------------------------------------------------------------------------------------------

  /**
   * `quiet`: nobody has moved; `remote`: another window has; `onward`: it is the next place, and its motion plays.
   * @param {{ quiet?: boolean; remote?: boolean; onward?: boolean }} [how]
   */
  changed({ quiet = false, remote = false, onward = false } = {}) {
    const { route, podium } = this;
    const { renderer, controls, outline, motionBar } = this.#built;
    motionBar.finish();
    const isAnother = renderer.draw();
    document.documentElement.classList.toggle("mha-predicting", this.predictions.on);
    renderer.show();
    if (isAnother) this.#fit();
    else if (podium && renderer.isTooSmall) podium.isClose ? this.#setCloseness(podium.level) : this.#fit();
    renderer.writeLine();
    controls.show({ route, hiding: renderer.hiding, predicting: this.predictions.on, heads: this.heads });
    outline.show(route);
    this.#showNotes();
    this.root.classList.toggle("moving", !isAnother);
    this.#scrollToPlace();
    this.#placeSync.publish({ quiet, remote });
    this.#live.textContent = quiet ? "" : prose(isAnother && this.#opening(), renderer.lineText);
    this.root.dataset.at = `${route.stage.id} ${route.written.sub}`.trim();
    motionBar.setPlace(renderer.hiding ? null : this.#movable(), { onward: onward && this.#mayMove() });
  }

  /** What a screen reader is told of a step as the walk comes there. */
  #opening() {
    const { stages, words } = this.model;
    const count = fill(words.step_of, { step: this.route.place.stage + 1, steps: stages.length });
    const { title, what } = this.#built.panel;
    return prose(`${titled(words, count, title.textContent ?? "")}${words.stop}`, what.textContent);
  }

  /** What can move here, and its title. */
  #movable() {
    const { picture, lineText: line } = this.#renderer;
    return { picture, place: this.route.place, title: this.#built.panel.title.textContent ?? "", line };
  }

  /** A presenter reads; and a walk that plays by itself may be faster than what moves. */
  #mayMove() {
    return this.view !== "presenter" && !this.#autoplay.isFast;
  }

  /**
   * The model's numbers have changed in place, and nothing else has.
   * @param {Cell | null} about the result whose arithmetic is shown where all are
   */
  repaint(about) {
    this.#built.motionBar.finish();
    this.#renderer.repaint(about);
  }

  /** The links that lead on from this place. @param {{ presenter: string; lesson: (topic: string) => string }} links */
  linkTo({ presenter, lesson }) {
    const { controls, panel } = this.#built;
    if (controls.presenting) controls.presenting.href = presenter;
    panel.lesson.href = lesson(panel.lesson.dataset.topic ?? "");
  }

  /** The line of arithmetic again, where the host decides otherwise than before what it says. */
  rewriteLine() {
    this.#renderer.writeLine();
  }

  /** On the presenter's page: what to say here, how the time goes, and what comes next. */
  #showNotes() {
    if (!this.notes) return;
    const { walked, stage, place, next, times } = this.route;
    this.notes.show(this.model, walked ?? stage, place, next, times);
    this.notes.fit();
  }

  /** @param {number} width of the page */
  #onWidth(width) {
    if (width === this.#width) return;
    this.#width = width;
    this.refit();
  }

  /** The window has another size, or something beside the stage has come or gone. */
  refit() {
    if (!this.#parts) return;
    this.#parts.motionBar.finish();
    this.#fit();
    if (this.view) this.#renderer.writeLine();
    this.host.resized?.();
  }

  #fit() {
    this.notes?.fit();
    if (this.podium) this.podium.level = 0;
    this.root.classList.remove("close");
    const hasWords = !this.root.classList.contains("asking");
    if (this.view && hasWords) this.#built.panel.fit();
    this.#renderer.fit();
  }

  /** What is new is scrolled into view; before an audience the step's name always is. */
  #scrollToPlace() {
    const isWhole = this.route.depth === 0 && !this.podium?.isClose;
    if (!isWhole) this.#renderer.follow();
    if (!isWhole || this.view) this.#built.outline.follow();
    this.#built.outline.center();
  }
}

function fillScreen() {
  if (document.fullscreenElement) document.exitFullscreen();
  else document.documentElement.requestFullscreen().catch(() => {}); // a browser may forbid it
}
