// The walkthrough: steps through what it holds, and asks the server for nothing.

import {
  active,
  announcer,
  button,
  div,
  download,
  element,
  fill,
  named,
  p,
  redrawn,
  rich,
  span,
  symbol,
} from "../mha.web/dom.js";
import { key } from "../mha.web/graph.js";
import { isField, Keys } from "../mha.web/keys.js";
import { isRight } from "./answers.js";
import { depthOf, indexIn, lecture, lengthsOf, planned } from "./lecture.js";
import { legendOf, legends } from "./legend.js";
import { Mover } from "./mover.js";
import { Notes } from "./notes.js";
import { comparing, pairOf } from "./pair.js";
import { after, atDepth, beatsOf, before, entry, isOnward, read, start, written } from "./path.js";
import { ALL, FEW, Picture } from "./picture.js";
import { ownOf } from "./plan.js";
import { Podium } from "./podium.js";
import { focusOf, isOneResult } from "./scene.js";
import { fitPicture, fits, fitWords } from "./stage.js";
import { together } from "./together.js";
import { lineOf } from "./told.js";

const HELD = "mha-walk-held";

/** Where this tab stood last: a page that comes back need not ask, nor one that is loaded again before its address follows. */
let held = isReload() ? JSON.parse(sessionStorage.getItem(HELD) ?? "null") : null;

function isReload() {
  const [navigation] = /** @type {PerformanceNavigationTiming[]} */ (
    performance.getEntriesByType("navigation")
  );
  return navigation?.type === "reload";
}

const SPEEDS = [0.5, 1, 2, 4, 8];
const MOST_TERMS = [10, 8, 6, 5, 4, 3, 2]; // of a sum in the line of arithmetic before an audience
const LECTURE = "mha-lecture"; // in the tab's own storage: a reload goes on with the lecture
const AWAKE = 3000; // milliseconds after the pointer has moved
const NAMES = ["step", "sub", "view", "predict"];

/**
 * The part of an address that says which work is walked.
 * @param {WalkModel} model
 */
const workOf = ({ address }) =>
  Object.fromEntries(Object.entries(address).filter(([name]) => !NAMES.includes(name)));

/**
 * Whether this tab has walked the same work: a server that was started anew knows only where the page was loaded.
 * @param {WalkModel} data
 */
function isKnown(data) {
  if (held?.session === data.session && held.opened === data.opened) return true;
  return held?.work === JSON.stringify(workOf(data));
}

/**
 * What stands around a walk: the address that holds the work, what else there is to press and to see, and who is told
 * of every place. `own`: the walk's ways to show itself.
 * @typedef {{
 *   address: { keep(query: Record<string, string>): void; flush(): void; stop(): void };
 *   controls(walk: Walk, own: Node[]): Node[];
 *   parts(walk: Walk): Node[];
 *   told(walk: Walk, at: Stood, remote: boolean): void;
 *   change?(): void;
 *   shares?(): Record<string, any>;
 *   shared?(at: Record<string, any>): void;
 *   unmount(): void;
 * }} Around
 */

export class Walk {
  /** @type {WalkModel} */
  model = null;
  place = start();
  depth = 0;
  /** @type {"" | "projector" | "presenter"} */
  view = "";
  predict = false;
  /** @type {Mover} */
  mover = null;
  #plays = 0; // how often the motion of a place was asked for
  minutes = 0; // of the lecture whose way the two keys walk; 0 where they walk at the depth that was chosen
  /** @type {number[] | null} */
  heads = null; // two that are shown beside each other
  #pair = null;
  /** @type {Podium} */
  #podium = null;
  /** @type {Set<string>} */
  #revealed = new Set();
  /** @type {Map<string, { text: string; right: boolean }>} */
  #answers = new Map();
  #asked = [];
  /** @type {Picture} */
  #picture = null;
  #drawn = "";
  #measured = ""; // for which words and which window the boxes of the words are
  #keys = new Keys();
  #resting = 0;
  #waking = 0;
  #timer = 0;
  #seconds = 2;
  #fitting = new ResizeObserver(() => this.#resized());
  #gone = new AbortController();

  /**
   * @param {HTMLElement} parent
   * @param {Around} around
   */
  constructor(parent, around) {
    this.around = around;
    this.root = element("div", { class: "walk", role: "region" });
    parent.append(this.root);
    this.live = announcer();
    const { signal } = this.#gone;
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    this.root.addEventListener("pointermove", (event) => this.#wake(event), { signal });
    window.addEventListener("beforeunload", () => this.#keep(), { signal });
    const elsewhere = (event) => event.composedPath().includes(this.root) || this.#rests(); // what is done there may leave the page
    for (const kind of ["pointerdown", "focusin"])
      document.addEventListener(kind, elsewhere, { signal, capture: true });
    this.#fitting.observe(document.documentElement);
  }

  #keep() {
    this.around.address.flush();
    sessionStorage.setItem(HELD, JSON.stringify(held));
  }

  unmount() {
    this.#pause();
    this.mover?.finish();
    clearTimeout(this.#resting);
    clearTimeout(this.#waking);
    this.#gone.abort();
    document.documentElement.classList.remove("mha-projecting", "mha-predicting");
    this.#fitting.disconnect();
    this.around.address.stop();
    together.leave(this.goTo);
    this.around.unmount();
    this.notes?.stop();
    this.root.remove();
  }

  /** New numbers, another language, or the first: the place is kept where the same work is walked. */
  update({ data }) {
    const first = this.model === null;
    if (first) this.minutes = Number(sessionStorage.getItem(LECTURE) ?? data.lecture?.own.minutes ?? 0);
    const known = isKnown(data);
    const stood = first ? (known ? held.at : data.place) : this.#at();
    const other = !first && !known;
    if (!first && this.model.revision !== data.revision) this.#forget();
    const anew = !first && this.model.session !== data.session;
    this.model = data;
    this.root.dataset.session = data.session;
    const { place, depth } = read(data.stages, other ? data.place : stood); // of another example, or after a restart
    Object.assign(this, { place, depth, view: stood.view, predict: Boolean(stood.predict) });
    this.#build();
    this.#changed({ quiet: first, remote: true });
    this.#join();
    if (anew) together.again();
  }

  #forget() {
    this.#answers.clear();
    this.#revealed.clear();
  }

  #at() {
    return { ...written(this.model.stages, this.place, this.depth), view: this.view, predict: this.predict };
  }

  // --- moving ----------------------------------------------------------------------------------------------------

  next() {
    if (this.#hiding()) return this.reveal();
    const place = this.#after();
    if (place) this.#go(place);
    else this.#pause();
  }

  previous() {
    const place = this.#places() ? this.#along(-1) : before(this.model.stages, this.place, this.depth);
    if (place) this.#go(place);
  }

  #after() {
    return this.#places() ? this.#along(1) : after(this.model.stages, this.place, this.depth);
  }

  /** The places of the lecture, or null where none is walked. */
  #places() {
    return this.view && this.minutes ? this.#lecture(this.minutes) : null;
  }

  #lecture(minutes) {
    return lecture(this.model.stages, minutes, this.#ownMinutes);
  }

  #ownMinutes = (step) => ownOf(this.model, step).minutes;

  /** The place so many presses further on the lecture's way, or undefined. */
  #along(presses) {
    const places = this.#places();
    return places[indexIn(places, this.place) + presses];
  }

  /** Walk the way of a lecture of so many minutes from now on; 0: none. */
  teach(minutes) {
    this.minutes = minutes;
    sessionStorage.setItem(LECTURE, String(minutes));
    this.#changed();
  }

  into() {
    this.#goDeep(Math.min(2, this.depth + 1));
  }

  out() {
    this.#goDeep(Math.max(0, this.depth - 1));
  }

  first() {
    this.#enter(0);
  }

  last() {
    this.#enter(this.model.stages.length - 1);
  }

  jump(number) {
    if (number >= 1 && number <= this.model.stages.length) this.#enter(number - 1);
  }

  #enter(stage) {
    const { stages } = this.model;
    this.#go(this.#places()?.find((place) => place.stage === stage) ?? entry(stages, stage, this.depth));
  }

  #goDeep(depth) {
    this.depth = depth;
    this.#go(atDepth(this.model.stages, this.place, depth));
  }

  #go(place) {
    const onward = isOnward(this.place, place);
    if (this.#places()) this.depth = depthOf(place);
    this.place = place;
    this.#changed({ onward });
  }

  play() {
    if (this.#timer) return this.#pause();
    this.#timer = setInterval(() => this.next(), this.#seconds * 1000);
    this.#showPlaying();
  }

  #pause() {
    clearInterval(this.#timer);
    this.#timer = 0;
    if (this.model) this.#showPlaying();
  }

  #pace(seconds) {
    this.#seconds = seconds;
    if (!this.#timer) return;
    this.#pause();
    this.play();
  }

  /** Before an audience the controls are seen only while the pointer moves. */
  #wake(event) {
    this.#podium?.point(event);
    clearTimeout(this.#waking);
    this.root.classList.add("awake");
    this.#waking = setTimeout(() => this.root.classList.remove("awake"), AWAKE);
  }

  leave() {
    const field = active(this.root);
    if (isField(field)) return field.blur();
    if (this.view) this.look("");
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

  /** Somebody plays the motion here: on the wall it plays as well. */
  #played() {
    this.#plays += 1;
    this.#tell(false, false);
  }

  // --- before an audience ----------------------------------------------------------------------------------------

  /** The wall is dark, or not any more: in both windows. */
  darken() {
    this.#podium.darken(!this.#podium.dark);
    this.#tell(false, false);
  }

  fillScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else document.documentElement.requestFullscreen().catch(() => {}); // a browser may forbid it
  }

  /** What stands around the walk has changed, and the other window is to show it. */
  share() {
    this.#tell(false, false);
  }

  help() {
    this.#podium.showKeys();
  }

  project() {
    this.look("projector");
  }

  /** Change a number of what stands here, where it is anybody's to change. */
  change() {
    this.around.change?.();
  }

  point() {
    this.#podium.toggleDot();
  }

  closer() {
    this.#look(1);
  }

  further() {
    this.#look(-1);
  }

  #look(steps) {
    this.mover.finish();
    this.#podium.look(steps);
    this.#follow();
  }

  look(view) {
    this.view = view;
    this.#build();
    this.#changed({ remote: true });
    this.#join();
  }

  foretell(on) {
    this.predict = on;
    this.#forget();
    this.#changed();
  }

  #onKey(event) {
    if (!this.root.isConnected) return;
    if (this.view && this.#podium.takes(event)) {
      event.preventDefault();
      if (this.#podium.dark) this.darken();
      return;
    }
    const meant = this.#keys.read(event, Boolean(this.view));
    if (!meant) return this.#fieldKey(event);
    if (meant.move === "leave" && !this.view) return;
    if (meant.move === "reveal" && !this.#hiding()) return;
    if (meant.move === "project" && !named(this.root, "projector")) return; // a telephone that follows
    event.preventDefault();
    if (meant.jump === 0 && this.view) this.#look(0);
    else if (meant.jump !== undefined) this.jump(meant.jump);
    else this[meant.move]();
  }

  /** In a field Enter goes on to the next that is empty, and reveals after the last; Escape leaves it. */
  #fieldKey(event) {
    const field = event.composedPath()[0];
    if (!isField(field) || event.isComposing) return;
    if (event.key === "Escape") field.blur();
    if (event.key !== "Enter") return;
    event.preventDefault();
    const empty = [...this.root.querySelectorAll("input.answer")].find((input) => !input.value.trim());
    if (empty) empty.focus();
    else this.reveal();
  }

  // --- predicting ------------------------------------------------------------------------------------------------

  /** The question of this place: beats that only lead to one result share it, so it is asked before the first. */
  #key() {
    const { stage, part, beat } = this.place;
    return `${stage}|${part}|${beat !== null && isOneResult(this.#picture, this.place) ? null : beat}`;
  }

  /** The step that this place shows: of a further head in short its last. */
  #step() {
    const { kind, steps } = this.model.stages[this.place.stage];
    return kind === "head" ? steps[this.place.part ?? steps.length - 1] : (steps[0] ?? null);
  }

  /** Every result is asked for, but those of a concatenation: its numbers stand above it already. */
  #asks() {
    const step = this.#step();
    return this.predict && step !== null && step.layout !== "concat";
  }

  #hiding() {
    return this.#asks() && !this.#revealed.has(this.#key());
  }

  /** The name of the stage where the walk stands. */
  get step() {
    return this.model.stages[this.place.stage].id;
  }

  /** The cell whose arithmetic is told here, and whether its number is still to be found. */
  get asked() {
    return { cell: focusOf(this.#picture, this.place), hiding: this.#hiding() };
  }

  reveal() {
    if (!this.#hiding()) return;
    this.#revealed.add(this.#key());
    this.#changed({ onward: true });
  }

  #answered(one, text) {
    const of = key(one.cell);
    const right = isRight(text, one.value);
    if (text.trim()) this.#answers.set(of, { text: text.trim(), right: right === true });
    else this.#answers.delete(of);
  }

  #verdict() {
    const given = this.#asked.map(({ cell }) => this.#answers.get(key(cell))).filter(Boolean);
    const right = given.filter((answer) => answer.right).length;
    return given.length ? fill(this.model.words.verdict, { right, asked: given.length }) : "";
  }

  // --- building --------------------------------------------------------------------------------------------------

  #build() {
    const { words, stages } = this.model;
    this.root.setAttribute("aria-label", words.walk);
    this.root.lang = words.lang;
    this.root.dataset.view = this.view || "page";
    document.documentElement.classList.toggle("mha-projecting", Boolean(this.view));
    this.bar = element("div", { class: "bar", "aria-hidden": "true" }, element("div", {}));
    this.outline = element("ol", {}, ...stages.map((stage, index) => this.#chip(stage, index)));
    const nav = element("nav", { class: "outline", "aria-label": words.outline }, this.outline);
    this.title = element("h2", {});
    this.what = p("what");
    this.why = p("why");
    this.formula = p("formula");
    this.lesson = element("a", { class: "lesson", data: { focus: "lesson" } }, words.lesson);
    this.legend = p("legend");
    const said = [this.formula, this.what, this.why, this.view ? this.legend : this.lesson];
    this.text = div("text", ...(this.view ? said : [this.title, ...said]));
    this.stand = div("stand");
    this.line = div("line");
    this.about = p("about");
    this.stage = element("div", { class: "stage", tabindex: -1 }, this.stand);
    this.more = element("p", { class: "more", hidden: true }, words.scroll);
    this.mover?.finish();
    this.mover = new Mover(
      words,
      { root: this.root, zone: this.stage },
      { played: () => this.#played(), download },
    );
    const before = this.view ? [this.title, this.about, this.text] : [];
    const main = div(
      "main",
      ...before,
      this.stage,
      this.mover.root,
      this.more,
      this.line,
      this.view ? null : p("hint", words.keys),
    );
    this.notes?.stop();
    this.notes = this.view === "presenter" ? new Notes(words) : null;
    this.#podium = this.view ? new Podium(words, this.stage, this.#podium) : null;
    const parts = [
      this.bar,
      nav,
      this.#controls(),
      main,
      this.notes?.root,
      this.#podium?.root,
      ...this.around.parts(this),
      this.live,
    ];
    redrawn(this.root, () => this.root.replaceChildren(...parts.filter(Boolean)));
    this.#drawn = this.#measured = "";
  }

  #chip(stage, index) {
    const { words } = this.model;
    const given = this.#given(stage);
    const label = { tokens: words.tokens, closing: words.closing, inputs: given, given }[stage.kind];
    const sign = stage.kind === "head" ? `head_${stage.head + 1}` : (stage.steps[0]?.symbol ?? label);
    const attributes = { title: stage.title, "aria-label": `${index + 1} ${stage.title}` };
    const parts = [span("count", String(index + 1)), label ? element("span", {}, label) : symbol(sign)];
    const chip = this.#button(`step ${index}`, () => this.jump(index + 1), attributes, ...parts);
    return element("li", {}, chip);
  }

  #given(stage) {
    return [...new Set(stage.parts.map(([name]) => this.model.matrices[name].symbol))].join(", ");
  }

  #controls() {
    const { words } = this.model;
    const move = (name, sign) => {
      const attributes = { class: "round", title: words[name], "aria-label": words[name] };
      return this.#button(name, () => this[name](), attributes, sign);
    };
    const moves = [move("previous", "←"), move("next", "→"), move("into", "↓"), move("out", "↑")];
    this.playing = move("play", "▶");
    this.counter = span("counter");
    const speeds = SPEEDS.map((seconds) =>
      element("option", { value: seconds, selected: seconds === this.#seconds }, `${seconds} s`),
    );
    const pace = ({ target }) => this.#pace(Number(target.value));
    const named = { "aria-label": words.speed, title: words.speed };
    const speed = element("select", { data: { focus: "speed" }, ...named, onchange: pace }, ...speeds);
    const onchange = ({ target }) => this.foretell(target.checked);
    this.predicting = element("input", { type: "checkbox", data: { focus: "predict" }, onchange });
    this.revealing = this.#button("reveal", () => this.reveal(), { class: "main-action" }, words.reveal);
    return element(
      "div",
      { class: "controls", role: "group", "aria-label": words.controls },
      span("group", ...moves, this.playing, speed),
      this.view ? this.#lectures() : null,
      this.counter,
      element("label", { class: "switch" }, this.predicting, words.predict),
      this.revealing,
      comparing(this.model, this.heads, (heads) => this.compare(heads)),
      span("group end", ...this.around.controls(this, this.view ? [move("leave", "✕")] : this.#views())),
    );
  }

  /** The lectures that the two keys of a clicker can walk, and how often they are pressed in each. */
  #lectures() {
    const { words } = this.model;
    const ways = lengthsOf(this.model).map((minutes) => {
      const presses = this.#lecture(minutes).length - 1;
      return element("option", { value: minutes }, fill(words.lecture_of, { minutes, presses }));
    });
    const onchange = ({ target }) => {
      this.teach(Number(target.value));
      target.blur(); // the keys walk on
    };
    const named = { "aria-label": words.lecture, title: words.lecture, data: { focus: "lecture" } };
    const free = element("option", { value: 0 }, words.lecture_free);
    this.teaching = element("select", { ...named, onchange }, free, ...ways);
    return this.teaching;
  }

  /** The ways to show the walk to an audience. */
  #views() {
    const { words } = this.model;
    const attributes = { class: "button", target: "_blank", data: { focus: "presenter" } };
    this.presenting = element("a", attributes, `${words.presenter} ↗`);
    return [this.#button("projector", () => this.project(), {}, words.projector), this.presenting];
  }

  #button(focus, act, attributes, ...parts) {
    const onclick = (event) => this.#pressed(event, act);
    return button({ ...attributes, data: { focus }, onclick }, ...parts);
  }

  /** After a click with the pointer the keys walk on: a focused button would take the space bar. */
  #pressed(event, act) {
    if (event.detail > 0) event.currentTarget.blur();
    act();
  }

  // --- showing ---------------------------------------------------------------------------------------------------

  #changed({ quiet = false, remote = false, onward = false } = {}) {
    const { stages, words } = this.model;
    this.mover.finish();
    const stage = stages[this.place.stage];
    const inHead = stage.kind === "head" && this.place.part !== null;
    const step = stage.kind === "step" || inHead ? this.#step() : null;
    const { stage: at } = this.place;
    const drawn = [
      this.model.revision,
      this.model.lang,
      at,
      step?.name,
      this.view,
      this.predict,
      this.heads,
    ].join(" ");
    const anew = drawn !== this.#drawn;
    if (anew) this.#draw(stage, step, drawn);
    else this.#shown.lay(this.place);
    document.documentElement.classList.toggle("mha-predicting", this.predict);
    const hiding = this.#hiding();
    this.#showPicture();
    if (anew || (this.view && !this.#podium.isClose && !fits(this.stage))) this.#fit();
    this.#showLine(stage, hiding);
    this.revealing.hidden = !hiding;
    this.predicting.checked = this.predict;
    this.#showPlace(stage);
    this.#showNotes(step ?? stage);
    this.root.classList.toggle("moving", !anew);
    this.#follow();
    this.#tell(quiet, remote);
    const count = fill(words.step_of, { step: this.place.stage + 1, steps: stages.length });
    const opening = anew ? `${count}: ${this.title.textContent}. ${this.what.textContent}` : "";
    this.live.textContent = quiet ? "" : `${opening} ${this.#spoken()}`.trim();
    this.root.dataset.at = `${stage.id} ${written(stages, this.place, this.depth).sub}`.trim();
    const standing = {
      picture: this.#picture,
      place: this.place,
      title: this.title.textContent,
      line: this.#spoken(),
    };
    this.mover.stands(hiding ? null : standing, { onward: onward && this.#mayMove() });
  }

  /** A presenter reads; and a walk that plays by itself may be faster than what moves. */
  #mayMove() {
    return this.view !== "presenter" && !(this.#timer && this.#seconds < 2);
  }

  #showPicture() {
    const hiding = this.#hiding();
    this.#asked = this.#picture.show(this.place, {
      hiding,
      revealed: this.#asks() && !hiding,
      answers: this.#answers,
      onAnswer: (one, text) => this.#answered(one, text),
    });
    this.#pair?.show(this.place);
  }

  /** What stands on the stage: the picture of the step, or what it makes in two heads. */
  get #shown() {
    return this.#pair ?? this.#picture;
  }

  /** Show two heads beside each other from now on, or one. */
  compare(heads) {
    this.heads = heads;
    this.#changed();
  }

  /** On the presenter's page: what to say here, how the time goes, and what comes next. */
  #showNotes(told) {
    if (!this.notes) return;
    const { stages } = this.model;
    const places = this.#places();
    const times = places && planned(stages, places, this.minutes, this.#ownMinutes);
    this.notes.show(
      this.model,
      told,
      this.place,
      this.#after(),
      times && { times, all: 60_000 * this.minutes },
    );
    this.notes.fit();
  }

  /** The line of arithmetic; before an audience with as many terms as there is room for. */
  #showLine(stage, hiding) {
    (this.view ? MOST_TERMS : [Infinity]).some((most) => {
      const line = lineOf(this.#picture, this.place, { hiding, most, named: Boolean(this.view) });
      this.line.replaceChildren(...line, ...this.#remarks(stage, hiding));
      return fits(this.line);
    });
  }

  /** The line of arithmetic without the terms that are still to come. */
  #spoken() {
    return [...this.line.children]
      .filter((node) => !node.classList.contains("unseen"))
      .map((node) => node.textContent)
      .join("");
  }

  #draw(stage, step, drawn) {
    this.#drawn = drawn;
    const told = this.#told(stage, step);
    this.title.textContent = told.title;
    this.what.replaceChildren(...rich(told.what));
    this.why.replaceChildren(...rich(told.why));
    this.formula.replaceChildren(...(step ? [symbol(told.formula)] : []));
    this.formula.hidden = !step && !this.view;
    this.legend.replaceChildren(...legendOf(this.model.words, legends(this.model)[this.place.stage]));
    this.#showAbout(stage);
    this.lesson.hidden = !stage.lesson;
    this.lesson.dataset.topic = stage.lesson ?? "";
    const inShort = stage.kind === "head" && !step;
    this.#picture = new Picture(this.model, stage, this.#step(), { inShort });
    this.#picture.lay(this.place, this.view ? FEW : ALL);
    this.#pair = this.predict ? null : pairOf(this.model, stage, this.#step(), this.heads);
    this.#pair?.lay(this.place, this.view ? FEW : ALL);
    this.stand.replaceChildren(this.#shown.root);
    if (this.view) return;
    if (this.#shown.slot && this.root.clientWidth > 1000) this.#picture.slot.append(this.text);
    else this.stage.prepend(this.text);
  }

  /** What is said of a stage, or of one of its steps. */
  #told(stage, step) {
    const { words } = this.model;
    const { title, what, why } = step ?? stage;
    const head = `${words.head} ${stage.head + 1}`;
    return {
      title:
        stage.kind === "head" && step
          ? `${head} · ${title}`
          : stage.head !== null && stage.kind === "step" && !this.view
            ? `${stage.title} · ${head}`
            : stage.title,
      formula: step ? `${step.symbol} = ${step.formula}` : "",
      what,
      why,
    };
  }

  /** Before an audience: which example this is, and which head. */
  #showAbout({ head }) {
    const { words, title, dims } = this.model;
    const of = { head: Number(head) + 1, heads: dims.h };
    const parts = [element("bdi", {}, title)];
    if (head !== null)
      parts.push(element("strong", { style: `color: var(--mha-head-${head})` }, fill(words.head_of, of)));
    this.about.replaceChildren(...parts);
  }

  #remarks(stage, hiding) {
    const { words } = this.model;
    const found = [];
    if (stage.powers?.some((row) => row.shift)) found.push(words.shifted);
    if (hiding) found.push(words.asked);
    const verdict = this.#asks() && !hiding ? this.#verdict() : "";
    return [
      ...(verdict ? [element("strong", { class: "verdict" }, verdict)] : []),
      ...found.map((text) => span("remark", text)),
    ];
  }

  #showPlace(stage) {
    const { stages, words } = this.model;
    const { part, beat } = this.place;
    const all = stage.parts.length;
    const within =
      part === null ? 0 : (part + (beat === null ? 0 : beat / beatsOf(stages, this.place))) / all;
    this.bar.firstChild.style.width = `${(100 * (this.place.stage + (part === null ? 1 : within))) / stages.length}%`;
    for (const [index, item] of [...this.outline.children].entries()) {
      const current = index === this.place.stage;
      item.firstChild.classList.toggle("done", index < this.place.stage);
      item.style.setProperty(
        "--done",
        String(index < this.place.stage ? 1 : current ? (part === null ? 1 : within) : 0),
      );
      if (current) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    }
    const counts = part === null ? [] : [fill(words.part_of, { part: part + 1, parts: all })];
    if (beat !== null && beatsOf(stages, this.place) > 1)
      counts.push(fill(words.part_of, { part: beat + 1, parts: beatsOf(stages, this.place) }));
    const places = this.#places();
    const presses = places && { press: indexIn(places, this.place), presses: places.length - 1 };
    const way = presses ? [fill(words.press_of, presses)] : [words[`depth_${this.depth}`], ...counts];
    this.counter.textContent = way.join(" · ");
    if (this.teaching) this.teaching.value = String(this.minutes);
  }

  #showPlaying() {
    const { words } = this.model;
    const label = this.#timer ? words.pause : words.play;
    this.playing.textContent = this.#timer ? "❚❚" : "▶";
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.playing.setAttribute("aria-pressed", String(Boolean(this.#timer)));
  }

  #resized() {
    if (!this.model) return;
    this.mover.finish();
    this.#fit();
    if (this.view) this.#showLine(this.model.stages[this.place.stage], this.#hiding());
  }

  /** Before an audience nothing sticks out of its zone; where the window is too small for that one scrolls, and is told so. */
  #fit() {
    if (!this.model) return;
    this.stage.style.removeProperty("--size");
    this.stage.classList.remove("tight", "stacked");
    this.more.hidden = true;
    this.notes?.fit();
    if (!this.view) return;
    this.#podium.look(0);
    this.#fitWords();
    const draw = (rows, cols) => {
      if (this.#shown.lay(this.place, { rows, cols })) this.#showPicture();
    };
    this.more.hidden = fitPicture(this.stage, this.view, draw);
  }

  #fitWords() {
    const { revision, lang, stages } = this.model;
    const measured = `${revision} ${lang} ${innerWidth} ${innerHeight}`;
    if (measured === this.#measured) return;
    this.#measured = measured;
    const told = stages.flatMap((stage) => {
      const steps =
        stage.kind === "head" ? [null, ...stage.steps] : [stage.kind === "step" ? stage.steps[0] : null];
      return steps.map((step) => this.#told(stage, step));
    });
    const box = (node, texts, nodes) => ({
      box: node,
      texts,
      fill: (text) => node.replaceChildren(...nodes(text)),
    });
    const boxes = [
      box(
        this.formula,
        told.map(({ formula }) => formula),
        (text) => [symbol(text)],
      ),
      box(
        this.what,
        told.map(({ what }) => what),
        rich,
      ),
      box(
        this.why,
        told.map(({ why }) => why),
        rich,
      ),
      box(
        this.legend,
        legends(this.model).map((colours) => colours.join(" ")),
        (text) => legendOf(this.model.words, text.split(" ").filter(Boolean)),
      ),
    ];
    const shown = boxes.map(({ box }) => [...box.childNodes]);
    fitWords(this.text, boxes);
    boxes.forEach(({ box }, i) => box.replaceChildren(...shown[i]));
  }

  /** What is new is in sight, also where the picture is larger than the window. */
  #follow() {
    if (this.depth === 0 && !this.#podium?.isClose) return;
    const { root } = this.#shown;
    const spoken = root.querySelector("td.current, td.now") ?? root.querySelector(".result td");
    spoken?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.outline.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // --- telling: the address, the server, a second window --------------------------------------------------------------

  #tell(quiet, remote) {
    const at = this.#at();
    const query = workOf(this.model);
    held = { session: this.model.session, opened: this.model.opened, work: JSON.stringify(query), at };
    for (const [name, value] of Object.entries(at)) if (value) query[name] = value === true ? "1" : value;
    this.around.address.keep(query);
    const link = (values) => `?${new URLSearchParams(values)}`;
    if (this.presenting) this.presenting.href = link({ ...query, view: "presenter" });
    const { step: _step, sub: _sub, view: _view, predict: _predict, ...rest } = query;
    this.lesson.href = `lessons${link({ lesson: this.lesson.dataset.topic, ...rest })}`;
    const stood = { step: at.step, sub: at.sub, predict: this.predict, revealed: [...this.#revealed] };
    this.around.told(this, stood, remote);
    if (quiet) return;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rests(), 500);
    const { minutes, heads } = this;
    const dark = Boolean(this.#podium?.dark);
    const plays = this.#plays;
    if (!remote) together.tell({ ...stood, minutes, heads, dark, plays, ...this.around.shares?.() });
  }

  /** The server is told of the last place only, once the walk rests there. */
  #rests() {
    if (this.#resting) window.dispatchEvent(new CustomEvent("mha-place", { detail: this.#at() }));
    clearTimeout(this.#resting);
    this.#resting = 0;
  }

  /** A projector and a presenter's page of the same walk, in two windows, go together. */
  #join() {
    if (this.view) together.join(this.goTo);
    else together.leave(this.goTo);
  }

  /** Go where another window, or a room, stands. */
  goTo = (at) => {
    const { place, depth } = read(this.model.stages, at);
    const onward = isOnward(this.place, place);
    const again = at.plays > this.#plays && this.view === "projector";
    this.#plays = at.plays ?? this.#plays;
    Object.assign(this, { place, depth, predict: at.predict, minutes: at.minutes ?? this.minutes });
    if (at.heads !== undefined) this.heads = at.heads;
    this.#podium?.darken(Boolean(at.dark));
    this.around.shared?.(at);
    this.#revealed = new Set(at.revealed);
    this.#changed({ remote: true, onward });
    if (again) this.mover.play();
  };
}
