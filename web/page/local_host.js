// Answers in the server's place where there is none: it receives the edits that Explore sends, and answers as the page does
// elsewhere. The tour gets its numbers here too.

import { fill } from "../kit/dom.js";
import { withDivisor, withNumbers } from "../kit/local_edits.js";
import { exact } from "../kit/numbers.js";
import { toldAgain } from "../walk/told_again.js";
import { fileOf } from "./file.js";
import { goalsOf } from "./goal.js";
import { changesBetween, checked, keptOf } from "./kept.js";
import { looksOf } from "./looks.js";
import { Sheet } from "./sheet.js";
import { Work } from "./work.js";

const SESSION = String(performance.timeOrigin); // each time the page is opened is one

/** What the menus would say that are not there. */
const NO_MENUS = {
  ...{ baseline: false, values: true, w_o: true, biases: false, context: false, sizes: [] },
  ...{
    scoring: "",
    positions: "",
    kv_heads: 1,
    softcap: null,
    sinks: false,
    norm: null,
    mask: /** @type {const} */ ("none"),
    window: null,
    corner: null,
    head_masks: null,
    rate: null,
    lens: null,
  },
};
/** @type {HistoryState} */
const NO_HISTORY = { examples: [0], at: 0, starts: [[0, 0, null]], texts: [] }; // it is kept here

/** @typedef {import("../kit/answers.js").Whole} Whole */

export class LocalHost {
  #data;
  #work;
  /** @type {Sheet | null} */
  #sheet; // of an exercise, until it is ended
  #opened = 0; // how often something else has been shown
  #acknowledged = 0;
  #answers = 0;
  /** @type {Cell | null} */
  #pinned = null;
  #decimals;
  #hasDecimals = false; // whether the reader has chosen them
  /** @type {MessageData | null} */
  #message = null;
  #isAnswering = false;
  /** @type {import("./goal.js").Goal[] | null} */
  #goals = null;

  /**
   * @param {PageData} data
   * @param {string} language
   * @param {() => void} answered there is something new to show
   */
  constructor(data, language, answered) {
    this.#data = data;
    this.language = language;
    this.answered = answered;
    const { explore } = this.#texts;
    this.#work = this.#newWork();
    this.#sheet = this.#newSheet();
    this.#decimals = explore.decimals;
  }

  #newWork() {
    return new Work({ model: this.#texts.explore, scale: this.#data.scale });
  }

  #newSheet() {
    const { exercise, explore } = this.#texts;
    return exercise && new Sheet(exercise, explore);
  }

  /** Another example takes the place of this one. @param {PageData} data */
  open(data) {
    this.#data = data;
    this.#work = this.#newWork();
    this.#sheet = this.#newSheet();
    this.#opened += 1;
    this.#pinned = this.#message = this.#goals = null;
  }

  /** Edits that were kept, by this page's address or in a copy of it. @param {unknown} kept */
  restore(kept) {
    const { now } = this.#shown;
    const edits = checked(kept, now, this.#data);
    for (const edit of edits ?? []) this.#apply(edit);
    this.#shown.forgetHistory();
    if (!edits) this.#message = { text: this.#texts.words.unreadable, kind: "error", place: "", offer: null };
  }

  /** What was changed, for the page's address and a copy of it. */
  get kept() {
    return keptOf(this.#shown.start, this.#shown.now);
  }

  get #shown() {
    return this.#sheet?.work ?? this.#work;
  }

  get #texts() {
    return this.#data.languages[this.language];
  }

  /** Streamlit's `setStateValue`: what a component sends. @type {Component["setStateValue"]} */
  receive = (_name, value) => {
    const { session, edits } = /** @type {import("../kit/sender.js").Sent} */ (value);
    if (session !== SESSION) return;
    const unknown = edits.filter(({ seq }) => seq > this.#acknowledged);
    if (unknown.length) this.#message = null;
    for (const edit of unknown) this.#apply(edit);
    this.#acknowledged = Math.max(this.#acknowledged, ...edits.map(({ seq }) => seq));
    this.#answerSoon();
  };

  /** Whether there is an exercise, whose answers the rest of the page would show. */
  get isExercise() {
    return this.#sheet !== null;
  }

  /** @param {Edit} edit */
  #apply(edit) {
    if (edit.op === "end_exercise") this.#endExercise();
    else if (edit.op === "pin") this.#pinned = edit.cell ?? null;
    else if (edit.op === "decimals") this.#setDecimals(edit.value);
    const refusal = (this.#sheet ?? this.#work).apply(edit);
    if (!refusal) return;
    const { words } = this.#texts;
    const text = fill(words.nothing_changed, { what: refusal(words) });
    this.#message = { text, kind: "error", place: "", offer: null };
  }

  /** With the changes so far. */
  get #puzzle() {
    const { puzzle } = this.#texts;
    return puzzle && { ...puzzle, changed: changesBetween(this.#work.start, this.#work.now) };
  }

  /** What can be set besides numbers. */
  get #settings() {
    const change = this.#texts.puzzle?.change ?? [];
    return change.length && !change.includes("scale") ? [] : ["scale"];
  }

  /** @param {number | null | undefined} count null: as many as fit */
  #setDecimals(count) {
    this.#hasDecimals = typeof count === "number";
    this.#decimals = count ?? this.#texts.explore.decimals;
  }

  /** The tasks that the numbers with which the page opened allow; none besides a puzzle. */
  get goals() {
    if (this.#texts.puzzle) return [];
    this.#goals ??= goalsOf(this.#work.start.model);
    return this.#goals;
  }

  #endExercise() {
    this.#sheet = null;
    this.#opened += 1;
  }

  /** Once whoever sends is done: an answer changes what has been sent. */
  #answerSoon() {
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    queueMicrotask(() => {
      this.#isAnswering = false;
      this.answered();
    });
  }

  /** Undo in the tour. @param {boolean} redo */
  undo(redo) {
    this.#work.apply({ op: redo ? "redo" : "undo" });
    this.#answerSoon();
  }

  /** The example with the present numbers, as a file has it. */
  get file() {
    const { file } = this.#data;
    if (this.#sheet) return { ...file, claimed: this.#sheet.claimed, attempt: this.#sheet.attempt };
    return fileOf(file, this.#work.now, this.#work.start);
  }

  /** What Explore shows: in an exercise the sheet. @returns {Whole} */
  get explore() {
    const { exercise } = this.#texts;
    return this.#sheet && exercise ? this.#asked(this.#sheet, exercise) : this.#tables;
  }

  get #tables() {
    const { explore, words } = this.#texts;
    const { model, scale } = this.#work.now;
    const { isChanged } = this.#work;
    const tables = withNumbers({ ...explore, words }, model);
    const looks = isChanged ? looksOf(tables, this.#data.tokens) : explore.looks;
    const note = isChanged ? { about: words.plainly, about_ours: true } : {}; // of the example's numbers
    const { learning = null } = model;
    const answer = this.#answer(this.#work, scale);
    const controls = { ...answer.controls, rate: learning?.goal.rate ?? null };
    return { ...tables, ...note, looks, learning, pinned: this.#pinned, ...answer, controls };
  }

  /** @type {(sheet: Sheet, exercise: PageExercise) => Whole} */
  #asked(sheet, exercise) {
    const { explore, words } = this.#texts;
    const { looks } = explore;
    return {
      ...withNumbers({ ...exercise.tables, words }, sheet.work.now.model),
      ...sheet.shown(exercise, words, { looks, tokens: this.#data.tokens }),
      ...{ about: "", about_ours: true, looks: [], pinned: null, learning: null },
      ...this.#answer(sheet.work, "none"),
    };
  }

  /**
   * What an answer has besides what is shown.
   * @param {Work} work
   * @param {Scale} scale
   */
  #answer({ canUndo, canRedo, isChanged, revision }, scale) {
    return {
      ...{
        session: SESSION,
        ack: this.#acknowledged,
        answer: ++this.#answers,
        revision,
        opened: this.#opened,
      },
      ...{ address: {}, bar: null, whole: null, unsaved: false, history: NO_HISTORY, choices: {} },
      ...{
        start: { first: false, asked: 0, puzzles: [] },
        asks: null,
        message: this.#message,
        puzzle: this.#puzzle,
      },
      decimals: this.#decimals,
      decimals_chosen: this.#hasDecimals,
      limits: { number: this.#data.most, size: 0, heads: 0 },
      controls: {
        ...{
          ...NO_MENUS,
          fixed: this.#settings,
          scale,
          undo: canUndo,
          redo: canRedo,
          changed: isChanged,
        },
        temperature: this.#data.temperature,
        is_product: this.#data.scale === "sqrt_dk",
      },
    };
  }

  /** The last step says that there is a task. @param {Record<string, string>} words */
  #wordsOfTour(words) {
    return this.goals.length ? { ...words, last: words.last_task } : words;
  }

  /** What the tour shows. @returns {WalkModel} */
  get walk() {
    const { explore, walk, words } = this.#texts;
    const { model, scale } = this.#work.now;
    const { isChanged, revision } = this.#work;
    /** @type {WalkModel} */
    const tour = {
      ...withNumbers({ ...explore, words: this.#wordsOfTour(words) }, model),
      ...{ ...walk, address: {}, session: SESSION, opened: 0, revision, decimals: this.#decimals },
      place: { step: "", sub: "", view: "", predict: false },
    };
    const told = isChanged ? toldAgain(tour) : tour;
    return typeof scale === "number" && scale !== this.#data.scale ? dividedBy(told, scale) : told;
  }
}

/**
 * A tour whose words and formulas name another divisor.
 * @param {WalkModel} tour
 * @param {number} divisor
 * @returns {WalkModel}
 */
function dividedBy(tour, divisor) {
  const { words } = tour;
  const said = { what: fill(words.divided, { divisor: exact(divisor) }), why: words.divided_why };
  const renamed = (/** @type {string} */ text) => withDivisor(text, divisor);
  const stages = tour.stages.map((stage) => {
    const divides = stage.steps.some(({ name }) => tour.steps[name].constant === "divisor");
    const steps = stage.steps.map((step) => ({
      ...step,
      ...(tour.steps[step.name].constant === "divisor" && said),
      symbol: renamed(step.symbol),
      formula: renamed(step.formula),
      signs: step.signs.map(renamed),
    }));
    return { ...stage, ...(divides && stage.kind === "step" && said), steps };
  });
  return { ...tour, stages };
}
