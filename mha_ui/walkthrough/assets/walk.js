// The walkthrough: steps through what it holds, and asks the server for nothing.

import { Address } from "../mha.web/address.js";
import {
  active,
  announcer,
  button,
  div,
  element,
  fill,
  p,
  redrawn,
  rich,
  span,
  symbol,
} from "../mha.web/dom.js";
import { key } from "../mha.web/graph.js";
import { mounting } from "../mha.web/mount.js";
import { isRight } from "./answers.js";
import { isField, Keys } from "./keys.js";
import { Notes } from "./notes.js";
import { after, atDepth, beatsOf, before, entry, read, start, written } from "./path.js";
import { Picture } from "./picture.js";
import { together } from "./together.js";

/** Where this tab stood last: a page that comes back need not ask. */
let held = null;

const SPEEDS = [0.5, 1, 2, 4, 8];
// Pixels: a picture before an audience takes the largest type with which it fits, and no smaller one than these.
const SIZES = [34, 30, 27, 24, 22, 20, 18];
const TIGHT = { projector: [18], presenter: [18, 16, 14] }; // a presenter has his own screen before him
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

class Walk {
  /** @type {WalkModel} */
  model = null;
  place = start();
  depth = 0;
  view = "";
  predict = false;
  /** @type {Set<string>} */
  #revealed = new Set();
  /** @type {Map<string, { text: string; right: boolean }>} */
  #answers = new Map();
  #asked = [];
  /** @type {Picture} */
  #picture = null;
  #drawn = "";
  #keys = new Keys();
  #address = new Address();
  #resting = 0;
  #timer = 0;
  #seconds = 2;
  #fitting = new ResizeObserver(() => this.#fit());
  #gone = new AbortController();

  constructor(parent) {
    this.root = element("div", { class: "walk", role: "region" });
    parent.append(this.root);
    this.live = announcer();
    const { signal } = this.#gone;
    window.addEventListener("keydown", (event) => this.#onKey(event), { signal });
    window.addEventListener("beforeunload", () => this.#address.flush(), { signal });
    const elsewhere = (event) => event.composedPath().includes(this.root) || this.#rests(); // what is done there may leave the page
    for (const kind of ["pointerdown", "focusin"])
      document.addEventListener(kind, elsewhere, { signal, capture: true });
    this.#fitting.observe(document.documentElement);
  }

  unmount() {
    this.#pause();
    clearTimeout(this.#resting);
    this.#gone.abort();
    document.documentElement.classList.remove("mha-projecting", "mha-predicting");
    this.#fitting.disconnect();
    this.#address.stop();
    together.leave(this.#show);
    this.notes?.stop();
    this.root.remove();
  }

  /** New numbers, another language, or the first: the place is kept where the same work is walked. */
  update({ data }) {
    const first = this.model === null;
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
    const place = after(this.model.stages, this.place, this.depth);
    if (place) this.#go(place);
    else this.#pause();
  }

  previous() {
    const place = before(this.model.stages, this.place, this.depth);
    if (place) this.#go(place);
  }

  into() {
    this.#goDeep(Math.min(2, this.depth + 1));
  }

  out() {
    this.#goDeep(Math.max(0, this.depth - 1));
  }

  first() {
    this.#go(entry(this.model.stages, 0, this.depth));
  }

  last() {
    this.#go(entry(this.model.stages, this.model.stages.length - 1, this.depth));
  }

  jump(number) {
    if (number >= 1 && number <= this.model.stages.length)
      this.#go(entry(this.model.stages, number - 1, this.depth));
  }

  #goDeep(depth) {
    this.depth = depth;
    this.#go(atDepth(this.model.stages, this.place, depth));
  }

  #go(place) {
    this.place = place;
    this.#changed();
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

  leave() {
    const field = active(this.root);
    if (isField(field)) return field.blur();
    if (this.view) this.look("");
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
    const meant = this.#keys.read(event);
    if (!meant) return this.#fieldKey(event);
    if (meant.move === "leave" && !this.view) return;
    if (meant.move === "reveal" && !this.#hiding()) return;
    event.preventDefault();
    if (meant.jump !== undefined) this.jump(meant.jump);
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
    return `${stage}|${part}|${beat !== null && this.#picture.isOneResult(this.place) ? null : beat}`;
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

  reveal() {
    if (!this.#hiding()) return;
    this.#revealed.add(this.#key());
    this.#changed();
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
    this.text = div("text", this.title, this.formula, this.what, this.why, this.lesson);
    this.stand = div("stand");
    this.line = div("line");
    this.stage = element("div", { class: "stage", tabindex: -1 }, this.text, this.stand);
    this.more = element("p", { class: "more", hidden: true }, words.scroll);
    const main = div("main", this.stage, this.more, this.line, this.view ? null : p("hint", words.keys));
    this.notes?.stop();
    this.notes = this.view === "presenter" ? new Notes(words) : null;
    const parts = [this.bar, nav, this.#controls(), main, this.notes?.root, this.live];
    redrawn(this.root, () => this.root.replaceChildren(...parts.filter(Boolean)));
    this.#drawn = "";
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
      this.counter,
      element("label", { class: "switch" }, this.predicting, words.predict),
      this.revealing,
      span("group end", ...(this.view ? [move("leave", "✕")] : this.#views())),
    );
  }

  /** The ways to show the walk to an audience. */
  #views() {
    const { words } = this.model;
    const attributes = { class: "button", target: "_blank", data: { focus: "presenter" } };
    this.presenting = element("a", attributes, `${words.presenter} ↗`);
    return [this.#button("projector", () => this.look("projector"), {}, words.projector), this.presenting];
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

  #changed({ quiet = false, remote = false } = {}) {
    const { stages, words } = this.model;
    const stage = stages[this.place.stage];
    const inHead = stage.kind === "head" && this.place.part !== null;
    const step = stage.kind === "step" || inHead ? this.#step() : null;
    const drawn = `${this.model.revision} ${this.model.lang} ${this.place.stage} ${step?.name ?? ""} ${this.view}`;
    const anew = drawn !== this.#drawn;
    if (anew) this.#draw(stage, step, drawn);
    document.documentElement.classList.toggle("mha-predicting", this.predict);
    const hiding = this.#hiding();
    this.#asked = this.#picture.show(this.place, {
      hiding,
      revealed: this.#asks() && !hiding,
      answers: this.#answers,
      onAnswer: (one, text) => this.#answered(one, text),
    });
    this.line.replaceChildren(...this.#picture.line(this.place, { hiding }), ...this.#remarks(stage, hiding));
    this.revealing.hidden = !hiding;
    this.predicting.checked = this.predict;
    this.#showPlace(stage);
    this.notes?.show(this.model, this.place, after(stages, this.place, this.depth), step ?? stage);
    this.root.classList.toggle("moving", !anew);
    // A longer line of arithmetic leaves the picture less room.
    if (anew || (this.view && !this.#fits())) this.#fit();
    else this.notes?.fit();
    this.#follow();
    this.#tell(quiet, remote);
    const count = fill(words.step_of, { step: this.place.stage + 1, steps: stages.length });
    const opening = anew ? `${count}: ${this.title.textContent}. ${this.what.textContent}` : "";
    this.live.textContent = quiet ? "" : `${opening} ${this.#spoken()}`.trim();
    this.root.dataset.at = `${stage.id} ${written(stages, this.place, this.depth).sub}`.trim();
  }

  /** The line of arithmetic without the terms that are still to come. */
  #spoken() {
    return [...this.line.children]
      .filter((node) => !node.classList.contains("unseen"))
      .map((node) => node.textContent)
      .join("");
  }

  #draw(stage, step, drawn) {
    const { words } = this.model;
    this.#drawn = drawn;
    const told = step ?? stage;
    const head = stage.head !== null && stage.kind === "step" ? ` · ${words.head} ${stage.head + 1}` : "";
    this.title.textContent =
      stage.kind === "head" && step ? `${words.head} ${stage.head + 1} · ${step.title}` : stage.title + head;
    this.what.replaceChildren(...rich(told.what));
    this.why.replaceChildren(...rich(told.why));
    this.formula.replaceChildren(...(step ? [symbol(`${step.symbol} = ${step.formula}`)] : []));
    this.formula.hidden = !step;
    this.lesson.hidden = !stage.lesson;
    this.lesson.dataset.topic = stage.lesson ?? "";
    const inShort = stage.kind === "head" && !step;
    this.#picture = new Picture(this.model, stage, this.#step(), { inShort });
    if (this.notes) this.notes.tell(this.text);
    else if (this.#picture.slot && this.root.clientWidth > 1000) this.#picture.slot.append(this.text);
    else this.stage.prepend(this.text);
    this.stand.replaceChildren(this.#picture.root);
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
      if (current) item.firstChild.setAttribute("aria-current", "step");
      else item.firstChild.removeAttribute("aria-current");
    }
    const counts = part === null ? [] : [fill(words.part_of, { part: part + 1, parts: all })];
    if (beat !== null && beatsOf(stages, this.place) > 1)
      counts.push(fill(words.part_of, { part: beat + 1, parts: beatsOf(stages, this.place) }));
    this.counter.textContent = [words[`depth_${this.depth}`], ...counts].join(" · ");
  }

  #showPlaying() {
    const { words } = this.model;
    const label = this.#timer ? words.pause : words.play;
    this.playing.textContent = this.#timer ? "❚❚" : "▶";
    this.playing.title = label;
    this.playing.setAttribute("aria-label", label);
    this.playing.setAttribute("aria-pressed", String(Boolean(this.#timer)));
  }

  /** Before an audience: the largest type with which nothing sticks out; where none is, one scrolls, and is told so. */
  #fit() {
    if (!this.model) return;
    this.stage.style.removeProperty("--size");
    this.stage.classList.remove("tight", "stacked");
    this.more.hidden = true;
    this.notes?.fit();
    if (!this.view) return;
    const tight = TIGHT[this.view];
    if (!this.#fitsAt([tight.at(-1)], true)) this.more.hidden = false;
    else if (!this.#fitsAt(SIZES, false)) this.#fitsAt(tight, true);
  }

  #fitsAt(sizes, tight) {
    this.stage.classList.toggle("tight", tight);
    return sizes.some((size) => {
      this.stage.style.setProperty("--size", `${size}px`);
      return [false, true].some((stacked) => {
        this.stage.classList.toggle("stacked", stacked);
        return this.#fits();
      });
    });
  }

  #fits() {
    const { scrollHeight, clientHeight, scrollWidth, clientWidth } = this.stage;
    return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
  }

  /** What is new is in sight, also where the picture is larger than the window. */
  #follow() {
    if (this.depth === 0) return;
    this.#picture.root
      .querySelector("td.current, td.now")
      ?.scrollIntoView({ block: "nearest", inline: "nearest" });
    this.outline.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  // --- telling: the address, the server, a second window --------------------------------------------------------------

  #tell(quiet, remote) {
    const at = this.#at();
    const query = workOf(this.model);
    held = { session: this.model.session, opened: this.model.opened, work: JSON.stringify(query), at };
    for (const [name, value] of Object.entries(at)) if (value) query[name] = value === true ? "1" : value;
    this.#address.keep(query);
    const link = (values) => `?${new URLSearchParams(values)}`;
    if (this.presenting) this.presenting.href = link({ ...query, view: "presenter" });
    const { step: _step, sub: _sub, view: _view, predict: _predict, ...rest } = query;
    this.lesson.href = `lessons${link({ lesson: this.lesson.dataset.topic, ...rest })}`;
    if (quiet) return;
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rests(), 500);
    if (!remote)
      together.tell({ step: at.step, sub: at.sub, predict: this.predict, revealed: [...this.#revealed] });
  }

  /** The server is told of the last place only, once the walk rests there. */
  #rests() {
    if (this.#resting) window.dispatchEvent(new CustomEvent("mha-place", { detail: this.#at() }));
    clearTimeout(this.#resting);
    this.#resting = 0;
  }

  /** A projector and a presenter's page of the same walk, in two windows, go together. */
  #join() {
    if (this.view) together.join(this.#show);
    else together.leave(this.#show);
  }

  #show = (at) => {
    const { place, depth } = read(this.model.stages, at);
    Object.assign(this, { place, depth, predict: at.predict });
    this.#revealed = new Set(at.revealed);
    this.#changed({ remote: true });
  };
}

export default mounting(({ parentElement }) => new Walk(parentElement));
