// The section "Backward": the goal, a step toward it, many steps, the loss, and the tables of the backward pass.

import { lossOf } from "../../kit/descent.js";
import { Disclosure } from "../../kit/disclosure.js";
import { button, div, element, fill, p, rich, setText, span, symbol } from "../../kit/dom.js";
import { isFixed } from "../../kit/graph.js";
import { brief } from "../../kit/numbers.js";
import { isolated } from "../../kit/quoted.js";
import { NumberField } from "../toolbar/number_field.js";
import { gently, isInSight } from "../viewport.js";
import { GoalForm } from "./goal_form.js";
import { targetsOf, tokensAlong, without, withTarget } from "./goals.js";
import { LossCurve, valuesOf } from "./loss_curve.js";
import { Run } from "./run.js";
import { Ways } from "./ways.js";

const MOST_RATE = 1e6; // as in mha_core/example/learning.py
const SAME = 1e-9; // of a loss, or of the first one, by which the browser's and the server's may differ
const LATE = 600; // ms after a run has ended by itself, in which a click was still meant for Pause
const MOST_NUMBERS = 6; // of a target that is listed

/**
 * Whether the section is open, the losses of the steps, and at which of them the present numbers are: an older answer, or
 * undo, goes back, and the newest one, or redo, comes again. `starts`: at which of them each edit began. It outlives the
 * component, which may be mounted again.
 * @type {{ isOpen: boolean | null; losses: number[]; at: number; starts: number[] }}
 */
const stored = { isOpen: null, losses: [], at: -1, starts: [] };

/** @typedef {import("./goals.js").Aim} Aim */
/**
 * `isKept`: whether the page has every edit, and none is being made; `isBusy`: whether the numbers shown answer an earlier
 * edit; `settled`: once the page has answered every edit.
 * @typedef {import("../toolbar/number_field.js").NumberFieldHost & {
 *   isKept: () => boolean; isBusy: () => boolean; settled: () => unknown; clearMessage: () => void;
 *   overview: { root: HTMLElement; say: (pieces: import("../moved_sentence.js").MovedPiece[]) => void }; explain: { root: HTMLElement };
 *   bring: (node: Element, behavior: ScrollBehavior, block: ScrollLogicalPosition) => void;
 * }} LearningHost
 */

export class Learning {
  #host;
  #words;
  #form;
  #rate;
  #curve;
  #run;
  #goals = element("ul", { class: "goals" });
  #loss = element("p", { class: "loss" });
  #ended = element("p", { class: "quiet-text", role: "status" }); // why the last run has ended by itself
  #endedAt = Number.NEGATIVE_INFINITY;
  #step;
  #play;
  #back;
  #ways;
  #way; // what can be done with a goal
  #notes = element("div", { class: "learning-notes" });
  #tables = div("backward-tables");
  #disclosure;
  #drawn = ""; // the goal that is listed, as JSON
  #hasNewGoal = false; // one was set, and the page has not answered yet

  /**
   * @param {LearningHost} host
   * @param {Record<string, string>} words
   */
  constructor(host, words) {
    this.#host = host;
    this.#words = words;
    const form = {
      get model() {
        return host.model;
      },
      send: (/** @type {Edit} */ edit) => this.#set(edit),
      say: host.say,
    };
    this.#form = new GoalForm(form, words);
    this.#curve = new LossCurve(words);
    this.#rate = new NumberField(host, {
      name: "rate",
      chosen: ({ rate }) => rate,
      edit: (rate) => ({
        op: "learning",
        learning: host.model.learning && { ...host.model.learning.goal, rate },
      }),
      accepts: (value) => value > 0 && value <= MOST_RATE,
      refused: words.not_a_rate,
    });
    const run = {
      get model() {
        return host.model;
      },
      send: host.send,
      preview: host.preview,
      stepped: (/** @type {number} */ loss) => this.#stepped(loss),
      ended: (/** @type {import("./run.js").Why} */ why, /** @type {number} */ steps) =>
        this.#showEnd(why, steps),
    };
    this.#run = new Run(run);
    this.#step = button(
      { class: "further", data: { focus: "learn step" }, onclick: () => this.#takeStep() },
      words.learn_step,
    );
    this.#play = button({ data: { focus: "learn play" }, onclick: () => this.#togglePlay() });
    const back = { data: { focus: "learn back" }, onclick: () => this.#goBack() };
    this.#back = button(back, `↶ ${words.learn_back}`);
    this.#ways = new Ways(host, words);
    const rate = element("label", { class: "rate" }, words.learn_rate, this.#rate.field);
    const told = [this.#loss, this.#curve.root, this.#ended];
    this.#way = div("learning-way", rate, this.#step, this.#play, this.#back, ...told);
    const content = [
      p("quiet-text", symbol(words.backward_about)),
      this.#goals,
      this.#form.root,
      this.#way,
      this.#notes,
      this.#ways.root,
      this.#tables,
    ];
    const label = [element("strong", {}, words.backward), " ", span("quiet-text", words.backward_hint)];
    const toggled = (/** @type {boolean} */ isOpen) => this.#toggled(isOpen);
    this.#disclosure = new Disclosure({ name: "learning", focus: "backward", toggled }, label, ...content);
    this.root = this.#disclosure.root;
    this.root.setAttribute("role", "region");
    this.root.setAttribute("aria-label", words.backward);
  }

  stop() {
    this.#run.stop();
  }

  /** Another edit is about to be made: the steps so far come before it. */
  interrupt() {
    this.#run.pause();
  }

  /** Put these tables into the section. @param {HTMLElement} tables */
  place(tables) {
    this.#tables.replaceChildren(tables);
  }

  /** After an answer of the page. @param {ExploreModel} model */
  update(model) {
    const isPage = !model.asks && Boolean(model.learning); // without a server only the goal that it came with
    const canAim = !isFixed(model) && model.asks && model.controls.lens !== null;
    this.root.hidden = !isPage && !canAim;
    if (this.root.hidden) return;
    this.#disclosure.show(stored.isOpen ?? Boolean(model.learning));
    if (canAim) this.#form.update(model);
    else this.#form.root.hidden = true;
    this.#list(model);
    this.#rate.update(this.#words.learn_rate);
    this.#way.hidden = !model.learning;
    this.#step.disabled = this.#play.disabled = !model.learning || Boolean(model.learning.refused);
    const { refused = "", remarks = [] } = model.learning ?? {};
    const notes = [
      refused && element("p", { class: "refused", role: "alert" }, refused),
      ...remarks.map((text) => p("remark", ...rich(text))),
    ];
    this.#notes.replaceChildren(...notes.filter((note) => note !== ""));
    this.#ways.update(model);
    if (this.#host.isKept()) this.#settle(lossOf(model));
    this.#showPlay();
    this.#showLoss();
    if (this.#hasNewGoal && model.learning) this.#showWay();
  }

  /** A goal was set: what can be done with it must not be below or above the part in sight. */
  #showWay() {
    this.#hasNewGoal = false;
    requestAnimationFrame(() => {
      if (!isInSight(this.#way, this.#host, 1)) this.#host.bring(this.#way, gently(), "center");
    });
  }

  /** The numbers have changed before any answer. @param {ExploreModel} model */
  follow(model) {
    if (!model.learning || this.#run.isPlaying) return;
    const loss = lossOf(model);
    if (placeOf(loss) === stored.at) this.#showLoss();
    else setText(this.#loss, fill(this.#words.loss_now, valuesOf([loss])));
  }

  /** Open the section, so that its tables can be gone to. @param {ExploreModel} model @param {string} name of a matrix */
  reach({ learning }, name) {
    if (learning?.stages.some(({ matrices }) => matrices.includes(name))) this.#open();
  }

  /**
   * Make a number's row the goal: a weight is to become 1; a row of numbers is to be typed over.
   * @param {Cell} cell
   */
  aimAt({ name, head, row, col }) {
    const step = /** @type {Aim["step"]} */ (name);
    this.#open();
    if (step !== "weights") return this.#form.begin({ step, head: null, row });
    this.#host.bring(this.#disclosure.opener, gently(), "start"); // at once: the goal is listed after the answer
    this.#set({ op: "learning", learning: withTarget(this.#host.model, { step, head, row }, col) });
  }

  /** @param {Edit} edit that sets a goal */
  #set(edit) {
    this.#hasNewGoal = true;
    this.#host.send(edit);
  }

  #open() {
    if (!this.#disclosure.isOpen) this.#disclosure.toggle();
  }

  /** @param {boolean} isOpen */
  #toggled(isOpen) {
    stored.isOpen = isOpen;
    if (!isOpen) this.#run.pause();
  }

  // --- the goal ------------------------------------------------------------------------------------------------------

  /** List the targets, each with a button that removes it. @param {ExploreModel} model */
  #list(model) {
    const drawn = JSON.stringify([model.learning?.goal, model.labels]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const lines = targetsOf(model.learning?.goal).map(({ aim, target }) => this.#line(model, aim, target));
    this.#goals.replaceChildren(...lines);
    this.#goals.hidden = lines.length === 0;
  }

  /** @type {(model: ExploreModel, aim: Aim, target: import("./goals.js").Target) => HTMLElement} */
  #line(model, aim, target) {
    const words = this.#words;
    const text = this.#sentence(model, aim, target);
    const label = fill(words.titled, { name: words.goal_remove, text });
    const onclick = () => {
      this.#host.send({ op: "learning", learning: without(this.#host.model, aim) });
      this.#disclosure.opener.focus();
    };
    const focus = `goal remove ${aim.head} ${aim.row}`;
    const remove = { class: "quiet", "aria-label": label, title: label, data: { focus }, onclick };
    return element("li", {}, text, ...(model.asks ? [" ", button(remove, "✕")] : []));
  }

  /** @type {(model: ExploreModel, aim: Aim, target: import("./goals.js").Target) => string} */
  #sentence(model, { step, head, row }, target) {
    const words = this.#words;
    const query = isolated(tokensAlong(model, "n_q")[row]);
    if (typeof target === "number") {
      const key = isolated(tokensAlong(model, "n_k")[target]);
      const template = model.dims.h > 1 ? words.goal_look_of_head : words.goal_look;
      return fill(template, { head: (head ?? 0) + 1, query, key });
    }
    const shown = target.slice(0, MOST_NUMBERS).map((number) => brief(number, model.decimals));
    const numbers = `(${shown.join(", ")}${target.length > MOST_NUMBERS ? ", …" : ""})`;
    if (step === "weights") return fill(words.goal_shares, { head: (head ?? 0) + 1, query, numbers });
    return fill(words[`goal_row_${step}`], { query, numbers });
  }

  // --- steps ---------------------------------------------------------------------------------------------------------

  #takeStep() {
    this.#run.pause();
    const isNew = !this.#host.isBusy(); // else the numbers to come are not those of this step
    this.#begin();
    this.#host.send({ op: "learn", steps: 1 });
    if (isNew) this.#stepped(lossOf(this.#host.model));
  }

  async #togglePlay() {
    if (this.#run.isPlaying) return this.#run.pause();
    if (performance.now() - this.#endedAt < LATE) return;
    if (this.#host.isBusy()) await this.#host.settled();
    this.#host.clearMessage(); // what is said of the edit before is not true of the run
    this.#host.overview.say([]);
    this.#begin();
    this.#run.play();
    this.#showPlay();
  }

  /** An edit of one step or more begins here. */
  #begin() {
    stored.starts = [...startsSoFar(), Math.max(0, stored.at)];
  }

  /** Undo every edit since the first of the losses. */
  #goBack() {
    this.#run.pause();
    for (const _ of startsSoFar()) this.#host.send({ op: "undo" });
    this.#step.focus();
  }

  #showPlay() {
    const { isPlaying } = this.#run;
    setText(this.#play, isPlaying ? `❚❚ ${this.#words.learn_pause}` : `▶ ${this.#words.learn_play}`);
  }

  /** @param {import("./run.js").Why} why @param {number} steps */
  #showEnd(why, steps) {
    if (why) this.#endedAt = performance.now();
    const words = this.#words;
    const sentences = { enough: words.run_enough, flat: words.run_flat, risen: words.run_risen };
    setText(this.#ended, why && fill(sentences[why], { count: steps }));
    this.#showPlay();
  }

  /** @param {number} loss after one more step */
  #stepped(loss) {
    setText(this.#ended, "");
    if (Number.isFinite(loss)) {
      stored.losses = [...lossesSoFar(), loss];
      stored.at += 1;
    }
    this.#showLoss();
  }

  /**
   * The numbers are at rest. Steps that were undone are no longer part of the curve; other edits begin a new one.
   * @param {number} loss
   */
  #settle(loss) {
    const at = placeOf(loss);
    if (at < stored.at) setText(this.#ended, ""); // those steps are no longer the last ones
    if (at < 0) [stored.losses, stored.starts] = [Number.isFinite(loss) ? [loss] : [], []];
    stored.at = at < 0 ? stored.losses.length - 1 : at;
  }

  #showLoss() {
    const losses = lossesSoFar();
    const text = losses.length > 1 ? this.#words.loss_after : this.#words.loss_now;
    this.#loss.hidden = losses.length === 0;
    this.#back.hidden = startsSoFar().length === 0;
    if (losses.length) setText(this.#loss, fill(text, valuesOf(losses)));
    this.#curve.update(losses);
  }
}

/** At which of the losses the edits up to the present numbers began. */
const startsSoFar = () => stored.starts.filter((at) => at < stored.at);

/** The losses up to the present numbers. */
const lossesSoFar = () => stored.losses.slice(0, stored.at + 1);

/** Which of the losses this is, the last of them; −1 for none. @param {number} loss */
function placeOf(loss) {
  const { losses } = stored;
  return losses.findLastIndex((known) => Math.abs(known - loss) <= SAME * Math.max(losses[0], known, loss));
}
