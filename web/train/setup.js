// What is trained: the task and its rule, the model, how it learns, and the buttons that start and stop it.

import {
  announcer,
  button,
  div,
  element,
  fill,
  p,
  pressable,
  prose,
  rich,
  setAttribute,
  setRich,
  setText,
  span,
} from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { modelText } from "./curves.js";

/** The task of somebody's own lines. */
export const OWN = "own";
const NUMBERS = ["layers", "heads", "d_model", "rate", "weight_decay", "dropout", "seed", "steps"];
/** Whether a setting is a whole number. @param {string} name */
const isWhole = (name) => !["weight_decay", "dropout", "rate"].includes(name);
const REST = 250; // ms that the fields rest before their model is counted
const CHOICES = { architecture: ["decoder", "encoder-decoder"], optimizer: ["adam", "sgd"] };

/** @typedef {{ recording: import("./recording.js").Recording | null; state: TrainState; isLive: boolean; isStopping: boolean; isBusy: boolean;
 *   hasKept: boolean; isLast: boolean; isFound: boolean; size: number | null }} SetupValues */
/** @typedef {{ open: (task: string) => void; last: () => void; start: (wish: Record<string, unknown>) => void; send: (command: string) => void;
 *   more: (steps: number) => void; save: () => void; file: (file: File) => void; exercise: () => void;
 *   changed: (wish: Record<string, unknown>) => void }} SetupHost */

export class Setup {
  /** The task that is chosen. @type {TrainTask | null} */
  #task = null;
  /** The state that a screen reader was told of. */
  #saidOf = "";
  #timer = 0;
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #fields = new Map();

  /** @param {TrainData} data @param {SetupHost} host @param {HTMLButtonElement} play */
  constructor({ words, tag, tasks, limits, goal }, host, play) {
    this.goal = goal.task;
    this.words = words;
    this.tag = tag;
    this.play = play;
    this.tasks = tasks;
    this.limits = limits;
    this.host = host;
    this.last = pressable(
      false,
      { data: { focus: "last" }, onclick: () => host.last() },
      words.last_training,
    );
    this.chips = div("tasks", ...tasks.map((task) => this.#chip(task)), this.last);
    this.chips.setAttribute("role", "group");
    this.chips.setAttribute("aria-label", words.tasks);
    this.title = element("h2");
    this.rule = p("hint rule");
    this.about = span("pill");
    const sample = tasks.find(({ task }) => task === OWN)?.sample;
    this.lines = element("textarea", {
      placeholder: sample,
      rows: 6,
      data: { focus: "lines" },
      spellcheck: "false",
    });
    this.own = element(
      "label",
      { class: "own" },
      span("name", words.own_lines),
      this.lines,
      span("hint", words.own_about),
    );
    this.fault = p("fault");
    this.fault.setAttribute("role", "alert");
    this.state = p("state");
    this.said = announcer();
    this.bar = element("progress", { max: 1, value: 0, "aria-label": words.progress });
    this.start = this.#button("start", "main", () => this.#start());
    this.pause = this.#button("pause", "", () => host.send("pause"));
    this.resume = this.#button("resume", "main", () => host.send("resume"));
    this.step = this.#button("one_step", "", () => host.send("step"));
    this.stop = this.#button("stop", "", () => host.send("stop"));
    this.more = this.#button("more", "", () => host.more(this.#task?.steps ?? 100));
    this.other = this.#button("other_heads", "", () => this.#withOtherHeads());
    this.exercise = this.#button("exercise", "", () => host.exercise());
    this.save = this.#button("save", "", () => host.save());
    this.file = element("input", {
      type: "file",
      accept: ".safetensors",
      class: "visually-hidden",
      data: { focus: "file" },
      onchange: () => {
        const [file] = this.file.files ?? [];
        if (file) host.file(file);
        this.file.value = "";
      },
    });
    this.opening = element("label", { class: "open-file" }, this.file, span("like-button", words.open_file));
    this.size = p("hint");
    this.details = this.#settings();
    this.root = element(
      "section",
      { class: "setup", "aria-label": words.setup },
      this.chips,
      div("task-head", this.title, this.about),
      this.rule,
      this.own,
      div(
        "acts",
        play,
        this.start,
        this.resume,
        this.pause,
        this.step,
        this.stop,
        this.more,
        this.other,
        this.exercise,
        this.save,
        this.bar,
        this.state,
        this.details,
      ),
      this.fault,
      this.said,
    );
  }

  /** @type {(name: string, look: string, onclick: () => void) => HTMLButtonElement} */
  #button(name, look, onclick) {
    return button({ class: look, data: { focus: name }, onclick }, this.words[name]);
  }

  /** @param {TrainTask} task */
  #chip({ key, title }) {
    return pressable(
      false,
      { data: { key, focus: `task ${key}` }, onclick: () => this.host.open(key) },
      title,
    );
  }

  /** The settings, behind a line that opens them. */
  #settings() {
    const { words, limits } = this;
    const numbers = NUMBERS.map((name) => {
      const [min, max] = limits[name];
      return this.#field(
        name,
        element("input", {
          type: "number",
          min,
          max,
          step: isWhole(name) ? 1 : "any",
          data: { focus: name },
        }),
      );
    });
    const choices = Object.entries(CHOICES).map(([name, values]) => {
      const options = values.map((value) => element("option", { value }, words[value]));
      return this.#field(name, element("select", { data: { focus: name } }, ...options));
    });
    return element(
      "details",
      { class: "settings" },
      element("summary", {}, words.settings),
      div("fields", ...numbers, ...choices),
      this.size,
      this.opening,
    );
  }

  /** Open the settings, at the first one that changes a model's size. */
  showSettings() {
    this.details.open = true;
    this.#fields.get("layers")?.focus();
  }

  /** Once the fields rest: how large their model would be. */
  #changed() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.host.changed(this.#wish()), REST);
  }

  /** Nothing is counted any more. */
  rest() {
    clearTimeout(this.#timer);
  }

  /** @param {string} name @param {HTMLInputElement | HTMLSelectElement} field */
  #field(name, field) {
    this.#fields.set(name, field);
    field.addEventListener("input", () => this.#changed());
    return element("label", {}, element("span", { class: "name" }, ...rich(this.words[name])), field);
  }

  /** Show a task with its settings. @param {string} key @param {TrainSettings} [settings] @param {string} [lines] */
  choose(key, settings, lines) {
    const task = this.tasks.find((one) => one.key === key) ?? this.tasks[0];
    this.#task = task;
    for (const chip of this.chips.querySelectorAll("button"))
      chip.setAttribute("aria-pressed", String(chip.dataset.key === key));
    setText(this.title, task.title);
    setText(this.rule, task.rule);
    this.own.hidden = key !== OWN;
    if (lines) this.lines.value = lines;
    /** @type {TrainSettings} */
    const all = { steps: task.steps, ...task.settings, ...settings };
    for (const [name, field] of this.#fields) if (name in all) field.value = String(all[name]);
  }

  /** @param {string} text @param {string} [place] a field, with whose name the text begins */
  refuse(text, place = "") {
    const isField = place && this.#fields.has(place) && text.toLowerCase().startsWith(place);
    setRich(this.fault, isField ? this.words[place] + text.slice(place.length) : text);
  }

  /** What is set, as the server takes it. Fields that are empty are left to the server. */
  #wish() {
    /** @type {Record<string, unknown>} */
    const settings = {};
    for (const [name, field] of this.#fields)
      if (field.value !== "")
        settings[name] = field instanceof HTMLSelectElement ? field.value : Number(field.value);
    const { steps, ...others } = settings;
    return {
      task: this.#task?.task,
      settings: others,
      steps,
      lines: this.#task?.key === OWN ? this.lines.value : undefined,
    };
  }

  #start() {
    this.refuse("");
    const name = NUMBERS.find((one) => !this.#isInRange(one));
    if (name) return this.#refuseField(name);
    this.details.open = false; // the plots and maps are in view again
    this.host.start(this.#wish());
  }

  /** @param {string} name */
  #isInRange(name) {
    const value = this.#fields.get(name)?.value;
    const [low, high] = this.limits[name];
    if (!value) return true; // it is left to the server
    const number = Number(value);
    return number >= low && number <= high && (!isWhole(name) || Number.isInteger(number));
  }

  /** @param {string} name */
  #refuseField(name) {
    const [low, high] = this.limits[name];
    const template = isWhole(name) ? this.words.out_of_range_whole : this.words.out_of_range;
    this.refuse(fill(template, { field: this.words[name], low, high }));
    this.details.open = true;
    this.#fields.get(name)?.focus();
  }

  /** The same once more with one head, or with four where it has one. */
  #withOtherHeads() {
    const field = /** @type {HTMLInputElement} */ (this.#fields.get("heads"));
    field.value = field.value === "1" ? "4" : "1";
    this.#start();
  }

  /** @param {SetupValues} values */
  update({ recording, state, isLive, isStopping, isBusy, hasKept, isLast, isFound, size }) {
    const { words } = this;
    const { name } = state;
    const isGoing = name === "connecting" || isTraining(state);
    const begun = recording?.begun;
    for (const chip of this.chips.querySelectorAll("button")) chip.disabled = isTraining(state);
    this.opening.hidden = this.start.hidden = isGoing;
    this.play.hidden = isGoing || !recording?.frames.length;
    setText(this.start, isLive ? words.again : words.start);
    this.start.classList.toggle("main", this.play.hidden);
    this.pause.hidden = name !== "running";
    this.resume.hidden = this.step.hidden = name !== "paused";
    this.stop.hidden = !isTraining(state);
    this.pause.disabled = this.resume.disabled = this.step.disabled = this.stop.disabled = isStopping;
    this.start.disabled = this.more.disabled = this.other.disabled = isBusy;
    this.last.hidden = !hasKept;
    if (isLast) for (const chip of this.chips.children) setAttribute(chip, "aria-pressed", "false");
    setAttribute(this.last, "aria-pressed", String(isLast));
    this.more.hidden = name !== "ended" || !state.more;
    this.other.hidden = name !== "ended" || !begun;
    this.exercise.hidden = isGoing || this.#task?.task !== this.goal;
    setText(this.other, begun?.settings.heads === 1 ? words.four_heads : words.one_head);
    this.save.hidden = !begun || !(["running", "paused"].includes(name) || state.more);
    setRich(this.about, begun ? aboutText(words, begun, this.tag) : "");
    setText(this.size, size === null ? "" : fill(words.size, { count: size.toLocaleString(this.tag) }));
    const total = begun ? Math.max(begun.steps, recording.steps, 1) : 1;
    this.bar.value = recording ? recording.steps / total : 0;
    this.bar.hidden = !isGoing;
    const text = isStopping
      ? words.stopping
      : isBusy
        ? words.is_starting
        : prose(stateText(words, { recording, state, isLive }), isFound ? words.found : "");
    setText(this.state, text);
    const said = isStopping ? "stopping" : isBusy ? "starting" : name;
    if (said !== this.#saidOf) setText(this.said, text); // not at every step
    this.#saidOf = said;
  }
}

/** Whether a training has begun and has not ended. @param {TrainState} state */
export const isTraining = ({ name }) => ["waiting", "starting", "running", "paused"].includes(name);

/** What the training does now, in a sentence. @type {(words: Record<string, string>, values: Pick<SetupValues, "recording" | "state" | "isLive">) => string} */
function stateText(words, { recording, state, isLive }) {
  if (state.name === "connecting") return words.is_connecting;
  if (state.name === "elsewhere") return words.is_elsewhere;
  if (!recording) return "";
  const { steps, begun } = recording;
  const left = recording.left(Math.max(0, begun.steps - steps));
  const values = {
    step: steps,
    most: begun.steps,
    place: state.place,
    seconds: left === null ? "" : format(left, 0),
  };
  if (state.name === "waiting") return fill(words.is_waiting, values);
  if (state.name === "paused") return fill(words.is_paused, values);
  if (state.name === "starting") return words.is_starting;
  if (state.name === "running")
    return prose(fill(left === null ? words.is_running : words.is_running_left, values), words.going_on);
  if (state.why) return fill(words.has_ended, { why: state.why, step: steps });
  const seconds = recording.records.at(-1)?.seconds ?? 0;
  return fill(isLive ? words.has_trained : words.is_recording, { step: steps, seconds: format(seconds, 1) });
}

/** @type {(words: Record<string, string>, begun: TrainBegun, tag: string) => string} */
function aboutText(words, begun, tag) {
  const { architecture, optimizer, rate, seed, feed_forward, positions } = begun.settings;
  const learning = fill(words.learning, {
    optimizer: words[String(optimizer)],
    rate: String(rate),
    seed: String(seed),
    count: begun.parameters.toLocaleString(tag),
  });
  const built = fill(words.built, {
    architecture: words[String(architecture)],
    model: modelText(words, begun),
  });
  const inside = fill(words.inside, {
    mlp: feed_forward ? words.with_mlp : words.without_mlp,
    positions: words[`positions_${positions}`],
    vocabulary: begun.vocabulary,
    longest: begun.longest,
  });
  return [built, inside, learning].join(" · ");
}
