// The page Train: a recording or a training as it runs, the step of it that is shown, and what is asked of its model.

import { element, fill, p } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { Ask } from "./ask.js";
import { Channel, Refusal } from "./channel.js";
import { Curves } from "./curves.js";
import { Maps } from "./maps.js";
import { Recording } from "./recording.js";
import { OWN, Setup } from "./setup.js";
import { Switches } from "./switches.js";

const REST = 400; // ms that the slider rests before the model of its step is asked
const FIRST = "induction"; // the recording that the page opens with
const PART = 1_000_000; // bytes of a file that are sent in one message

class Train {
  /** @type {Recording | null} */
  #recording = null;
  /** The recording before, for comparison. @type {Recording | null} */
  #before = null;
  /** @type {TrainState} */
  #state = { name: "connecting" };
  /** Whether it was trained on this page. */
  #isLive = false;
  #step = 0;
  /** Whether the newest recording is shown as it comes. */
  #follows = true;
  /** @type {TrainHead} */
  #head = [0, 0];
  #choseHead = false;
  /** @type {TrainHead[]} */
  #off = [];
  /** @type {import("./ask.js").Answered | null} */
  #answered = null;
  /** @type {(TrainWithout & { step: number }) | null} */
  #measured = null;
  /** @type {TrainSwapped | null} */
  #swapped = null;
  #askFault = "";
  #timer = 0;
  #isDrawing = false;
  /** Whether the next recording that begins is of a training that was started here. */
  #isStarting = false;
  /** All that is made for one language. @type {ReturnType<Train["build"]>} */
  #parts;

  /** @param {Component<TrainData>} component */
  constructor({ parentElement, data, setTriggerValue }) {
    this.root = element("div", { class: "bench train" });
    parentElement.append(this.root);
    this.setTriggerValue = setTriggerValue;
    this.#parts = this.build(data, this.#connected(data));
    this.#open(FIRST);
  }

  unmount() {
    this.#stop();
    this.root.remove();
  }

  /** @param {Component<TrainData>} component */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    if (data.lang !== this.#parts.data.lang) this.#translate(data);
    if (data.refused) this.#parts.setup.refuse(data.refused);
  }

  #stop() {
    clearTimeout(this.#timer);
    this.#parts.curves.stop();
    this.#parts.channel.stop();
  }

  /** Everything in another language; a training goes on. @param {TrainData} data */
  #translate(data) {
    this.#parts.curves.stop();
    this.#parts.channel.speak(data.lang, data.words.unreachable);
    this.#parts = this.build(data, this.#parts.channel);
    const begun = this.#recording?.begun;
    if (begun) {
      this.#parts.setup.choose(begun.key, begun.settings, begun.lines);
      this.#parts.ask.begin(begun);
    }
    this.#show();
  }

  /** The page's socket. @param {TrainData} data */
  #connected({ lang, words }) {
    return new Channel(lang, words.unreachable, {
      told: (message) => this.#told(message),
      stepped: (header, arrays) => this.#stepped(header, arrays),
      lost: () => this.#lost(),
    });
  }

  /** Everything in one language. @param {TrainData} data @param {Channel} channel */
  build(data, channel) {
    const { words, tag } = data;
    this.root.lang = tag;
    const setup = new Setup(data, {
      open: (key) => this.#open(key),
      start: (wish) => this.#wish({ do: "start", ...wish }),
      send: (name) => channel.send({ do: name }),
      more: () => this.#wish({ do: "more", steps: this.#tasksSteps }),
      save: () => this.#save(),
      file: (file) => this.#openFile(file),
    });
    setup.choose(FIRST);
    const go = (/** @type {number} */ step) => this.#go(step);
    const curves = new Curves(words, go);
    const maps = new Maps(words, {
      choose: (head) => {
        this.#head = head;
        this.#choseHead = true;
        this.#show();
      },
      go,
      open: () => this.#openInExplore(),
    });
    const ask = new Ask(words, (prompt) => this.#ask(prompt));
    const switches = new Switches(words, {
      toggle: (head, isOn) => this.#toggle(head, isOn),
      swap: (heads) => this.#swap(heads),
    });
    const shown = element(
      "div",
      { class: "shown", hidden: true },
      curves.root,
      maps.root,
      element("div", { class: "side" }, switches.root, ask.root),
    );
    this.root.replaceChildren(p("lead", words.lead), setup.root, shown);
    return { data, channel, setup, curves, maps, ask, switches, shown };
  }

  get #tasksSteps() {
    const task = this.#parts.data.tasks.find((one) => one.task === this.#recording?.begun.task);
    return task?.steps ?? 100;
  }

  /** The step whose model is asked: the one that is shown, or the last that can be asked. */
  get #asked() {
    const asks = this.#recording?.begun.asks;
    return !asks || asks.includes(this.#step) ? this.#step : (asks.at(-1) ?? this.#step);
  }

  // --- what the server sends -----------------------------------------------------------------------------------

  /** @param {{ begun?: TrainBegun; goes_on?: { steps: number }; state?: TrainState }} message */
  #told({ begun, goes_on, state }) {
    if (begun) this.#begin(begun);
    if (goes_on && this.#recording) {
      this.#recording.begun = { ...this.#recording.begun, ...goes_on };
      this.#follows = this.#isLive = true;
    }
    if (state) this.#state = state;
    this.#draw();
    if (state?.name === "ended" || state?.name === "paused") this.#measureSoon();
  }

  /** @param {TrainBegun} begun */
  #begin(begun) {
    const before = this.#recording;
    this.#recording = new Recording(begun);
    const isComparable = this.#isStarting && before?.begun.task === begun.task && before.records.length;
    this.#before = isComparable ? before : null;
    this.#isLive = this.#isStarting;
    if (this.#isLive) this.#state = { name: "starting" };
    this.#isStarting = false;
    this.#step = 0;
    this.#follows = true;
    this.#off = [];
    this.#answered = this.#measured = this.#swapped = null;
    this.#askFault = "";
    if (!this.#choseHead || !this.#recording.all.some((head) => String(head) === String(this.#head)))
      this.#head = this.#recording.best;
    this.#parts.setup.choose(begun.key, begun.settings, begun.lines);
    this.#parts.ask.begin(begun);
  }

  /** @param {TrainSteps} header @param {Record<string, any>} arrays */
  #stepped(header, arrays) {
    const recording = this.#recording;
    if (!recording) return;
    recording.add(header, /** @type {any} */ (arrays));
    if (this.#follows) this.#step = recording.frames.at(-1)?.step ?? 0;
    if (!this.#choseHead) this.#head = recording.best;
    this.#draw();
  }

  #lost() {
    const wasGoing = ["running", "paused", "waiting", "starting"].includes(this.#state.name);
    this.#state = { name: "ended", why: wasGoing ? this.#parts.data.words.lost : "", more: false };
    this.#draw();
  }

  // --- what the visitor does -----------------------------------------------------------------------------------

  /** @param {Record<string, unknown>} wish */
  async #wish(wish) {
    this.#isStarting = wish.do === "start";
    return this.#attempt(() => this.#parts.channel.ask(wish));
  }

  /** Open a recording, which one's own lines do not have. @param {string} key */
  async #open(key) {
    this.#recording = null;
    this.#state = { name: key === OWN ? "ended" : "connecting" };
    this.#show();
    if (key === OWN || (await this.#wish({ do: "open", key }))) return;
    this.#state = { name: "ended" };
    this.#show();
  }

  /** Do it, or say why it is refused. @template T @param {() => Promise<T>} act @returns {Promise<T | null>} */
  async #attempt(act) {
    this.#parts.setup.refuse("");
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#parts.setup.refuse(capital(error.message));
      return null;
    }
  }

  /** Show another step. @param {number} step */
  #go(step) {
    if (!this.#recording) return;
    this.#step = step;
    this.#follows = step === this.#recording.frames.at(-1)?.step;
    this.#show();
    this.#measureSoon();
  }

  /** Once the step has rested: what is right without each head. */
  #measureSoon() {
    if (this.#measured?.step === this.#asked) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#measure(), REST);
  }

  async #measure() {
    const [step, recording] = [this.#asked, this.#recording];
    if (!recording || this.#state.name === "waiting" || (this.#state.name === "running" && this.#follows))
      return;
    try {
      const { all, off, alone } = await this.#parts.channel.ask({ do: "without", step, off: this.#off });
      if (recording !== this.#recording) return;
      this.#measured = { step, all, off, alone };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#measured = null;
    }
    this.#show();
  }

  /** @param {TrainHead} head @param {boolean} isOn */
  #toggle(head, isOn) {
    this.#off = this.#off.filter((other) => String(other) !== String(head));
    if (!isOn) this.#off.push(head);
    this.#show();
    this.#measure();
    if (this.#answered) this.#ask(this.#answered.prompt.join(" "));
  }

  /** @param {TrainHead[]} heads */
  async #swap(heads) {
    const step = this.#asked;
    const answer = await this.#attempt(() => this.#parts.channel.ask({ do: "swap", step, heads }));
    if (answer) this.#swapped = { step, heads, before: answer.before, after: answer.after };
    this.#show();
  }

  /** @param {string} prompt */
  async #ask(prompt) {
    const [step, off] = [this.#asked, this.#off];
    this.#askFault = "";
    try {
      const { prompt: tokens, said } = await this.#parts.channel.ask({ do: "say", step, prompt, off: [] });
      const without = off.length
        ? (await this.#parts.channel.ask({ do: "say", step, prompt, off })).said
        : null;
      this.#answered = { step, prompt: tokens, said, without };
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#askFault = capital(error.message);
    }
    this.#show();
  }

  async #openInExplore() {
    const wish = { do: "example", step: this.#asked, layer: this.#head[0] };
    const answer = await this.#attempt(() => this.#parts.channel.ask(wish));
    if (answer) this.setTriggerValue("bench", answer.example);
  }

  async #save() {
    const file = await this.#attempt(() => this.#parts.channel.file());
    if (!file) return;
    const href = URL.createObjectURL(file);
    const { task } = /** @type {Recording} */ (this.#recording).begun;
    element("a", { href, download: `${task}.safetensors` }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  /** @param {File} file */
  async #openFile(file) {
    const data = await file.arrayBuffer();
    for (let at = 0; at < data.byteLength; at += PART) this.#parts.channel.send(data.slice(at, at + PART));
    await this.#wish({ do: "file" });
  }

  // --- showing -------------------------------------------------------------------------------------------------

  /** Show what has come, once a frame. */
  #draw() {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#show();
    });
  }

  #show() {
    const recording = this.#recording;
    this.#parts.setup.update({ recording, state: this.#state, isLive: this.#isLive });
    this.#parts.shown.hidden = !recording?.frames.length;
    if (!recording?.frames.length) return;
    const values = { recording, step: this.#step, head: this.#head, off: this.#off };
    this.#parts.curves.update({ ...values, before: this.#before });
    this.#parts.maps.update({ ...values, asked: this.#asked });
    const asked = { ...values, step: this.#asked };
    this.#parts.switches.update({ ...asked, measured: this.#measured, swapped: this.#swapped });
    this.#parts.ask.update({ ...asked, answered: this.#answered, fault: this.#askFault });
    this.root.dataset.shown = fill("{task} {step}", { task: recording.begun.task, step: this.#step });
  }
}

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export default mounting((component) => new Train(component));
