// The page Train: a recording or a training as it runs, the step of it that is shown, and what is asked of its model.

import { download, element, fill, p } from "../kit/dom.js";
import { storePlace } from "../kit/last_work.js";
import { mounting } from "../kit/mount.js";
import { Channel, Refusal } from "./channel.js";
import { beforeAudience } from "./hall.js";
import { isFindable, keep, keepTicket, kept, ticketOfRunning } from "./kept.js";
import { Leaving } from "./leaving.js";
import { partsOf } from "./parts.js";
import { LAST, Place } from "./place.js";
import { capital, Questions } from "./questions.js";
import { Recording } from "./recording.js";
import { isTraining, OWN } from "./setup.js";

const FIRST = "induction"; // the recording that the page opens with

/** The page whose training goes on while another page of the app is shown. @type {Train | null} */
let absent = null;
/** The page that is shown. Streamlit may make its new element before it removes the old one. @type {Train | null} */
let shown = null;

class Train {
  /** @type {Recording | null} */
  #recording = null;
  /** Of a training that starts; the recording before is shown until its first steps have come. @type {Recording | null} */
  #coming = null;
  /** What the address calls the recording; "" where no address leads to it. */
  #key = "";
  /** The step that the address asks for. @type {number | null} */
  #wanted = null;
  #isStopping = false;
  /** Whether this browser has kept a training, and whether it could not keep this one. */
  #hasKept = false;
  #isUnsaved = false;
  #place = new Place();
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
  #isDrawing = false;
  #off = new AbortController();
  /** Whether the next recording that begins is of a training that was started here. */
  #isStarting = false;
  /** Whether the training went on while its page was closed. */
  #isFound = false;
  /** Whether the server has not answered yet that a training starts or goes on. */
  #isBusy = false;
  /** All that is made for one language. @type {ReturnType<Train["build"]>} */
  #parts;

  /** The training that went on while other pages were shown, or a new page. @param {Component<TrainData>} component */
  static on(component) {
    const page = absent ?? shown ?? new Train(component);
    [absent, shown] = [null, page];
    component.parentElement.append(page.root);
    return page;
  }

  /** @param {Component<TrainData>} component */
  constructor({ parentElement, data, setTriggerValue }) {
    this.root = element("div", { class: "bench train" });
    parentElement.append(this.root);
    this.setTriggerValue = setTriggerValue;
    this.#parts = this.build(data, this.#connected(data));
    this.questions = new Questions({
      goal: data.goal.task,
      send: (wish) => this.#parts.channel.ask(wish),
      show: () => this.#show(),
      at: () => ({
        recording: this.#recording,
        step: this.#asked,
        isMoving: this.#state.name === "waiting" || (this.#state.name === "running" && this.#follows),
      }),
    });
    const hall = { show: () => this.#show(), play: () => this.#parts.curves.play() };
    beforeAudience(this.root, hall, this.#off.signal);
    this.leaving = new Leaving(() => this.#loss);
    this.#enter();
  }

  /** Another page is shown. What would be lost goes on and is shown when the visitor comes back. */
  unmount() {
    if (this.root.isConnected) return; // it is in a new element by now
    shown = null;
    this.#place.stop();
    this.root.remove();
    if (this.#isAtWork || this.#parts.curves.isPlaying) absent = this;
    else this.#stop();
  }

  /** @param {Component<TrainData>} component */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    if (data.lang !== this.#parts.data.lang) this.#translate(data);
    if (data.refused) this.#parts.setup.refuse(data.refused);
    this.#show();
  }

  #stop() {
    if (absent === this) absent = null;
    this.#off.abort();
    this.leaving.stop();
    this.#parts.setup.rest();
    this.questions.stop();
    this.#parts.channel.stop();
  }

  /** Everything in another language; a training goes on. @param {TrainData} data */
  #translate(data) {
    this.#parts.curves.stop();
    this.#parts.channel.speak(data.lang, data.words.unreachable);
    this.#parts = this.build(data, this.#parts.channel);
    const begun = this.#recording?.begun;
    if (begun) {
      this.#parts.setup.choose(begun.key, { ...begun.settings, steps: begun.steps }, begun.lines);
      this.#parts.ask.begin(begun);
    }
    this.#show();
  }

  /** Show what the address says, else the training that runs, else the training that was kept, else the first recording. */
  async #enter() {
    const { task, step } = Place.read();
    this.#wanted = step;
    const isReady = this.#parts.data.tasks.some(({ key }) => key === task);
    this.#hasKept = Boolean(ticketOfRunning() || (await kept()));
    if (!this.root.isConnected) return; // another page is open by now
    if (!isReady && this.#hasKept) await this.#openLast();
    else this.#open(isReady ? task : FIRST);
  }

  /** Whether something would be lost if the page were removed. */
  get #isAtWork() {
    return isTraining(this.#state) || this.#isUnsaved;
  }

  /** What is lost where the tab is closed now, as a question; "" for nothing. */
  get #loss() {
    const { words } = this.#parts.data;
    if (isTraining(this.#state) && !isFindable()) return words.leaving;
    return this.#isUnsaved ? words.leaving_unsaved : "";
  }

  /** The page's socket. @param {TrainData} data */
  #connected({ lang, words }) {
    return new Channel(lang, words.unreachable, {
      told: (message) => this.#told(message),
      stepped: (header, arrays) => this.#stepped(header, arrays),
      lost: (isTaken) => this.#lost(isTaken),
    });
  }

  /** Everything in one language. @param {TrainData} data @param {Channel} channel */
  build(data, channel) {
    this.root.lang = data.tag;
    const parts = partsOf(data, {
      open: (key) => this.#open(key),
      last: () => this.#openLast(),
      start: (wish) => this.#wish({ do: "start", ...wish }),
      send: (name) => this.#send(name),
      more: (steps) => this.#wish({ do: "more", steps }),
      save: () => this.#save(false),
      handIn: () => this.#save(true),
      changed: (wish) => this.questions.count(wish),
      file: (file) => this.#openFile(file),
      go: (step) => this.#go(step),
      choose: (head) => {
        this.#head = head;
        this.#choseHead = true;
        this.#show();
      },
      explore: () => this.#openInExplore(),
      ask: (prompt) => this.questions.ask(prompt),
      toggle: (heads, isOn) => this.questions.toggle(heads, isOn),
      swap: (heads) => this.questions.swap(heads),
    });
    this.root.replaceChildren(p("lead", data.words.lead), parts.setup.root, parts.shown);
    return { data, channel, ...parts };
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
    if (begun || goes_on || state?.name === "ended") this.#isStopping = false;
    if (goes_on && this.#recording) {
      this.#recording.begun = { ...this.#recording.begun, ...goes_on };
      this.#follows = this.#isLive = true;
    }
    if (state) this.#state = state;
    if (this.#isLive && (begun || goes_on)) keepTicket(this.#parts.channel.ticket);
    if (this.#isLive && state?.name === "ended") keepTicket(null);
    this.#draw();
    if (state?.name === "ended") this.#end(state);
    if (state?.name === "ended" || state?.name === "paused") this.questions.measureSoon();
  }

  /** Keep the training that has ended; show again what was shown where it had not begun. @param {TrainState} state */
  #end({ more, why }) {
    const hadBegun = !this.#coming;
    this.#coming = null;
    if (hadBegun && this.#isLive && more) this.#keep();
    if (hadBegun || why || !this.#key) return;
    if (this.#key === LAST) this.#openLast();
    else this.#open(this.#key);
  }

  async #keep() {
    const file = await this.#attempt(() => this.#parts.channel.file());
    const hasKept = file !== null && (await keep(file));
    this.#isUnsaved = !hasKept;
    if (hasKept) {
      [this.#hasKept, this.#key] = [true, LAST];
      storePlace("train", {}, this.#parts.setup.title.textContent ?? "");
    }
    if (hasKept && absent === this) return this.#stop(); // the page opens it when it is shown again
    if (!hasKept) this.#parts.setup.refuse(this.#parts.data.words.not_kept);
    this.#show();
  }

  /** @param {TrainBegun} begun */
  #begin(begun) {
    const recording = new Recording(begun);
    this.#isLive = this.#isStarting;
    this.#isStarting = false;
    if (this.#isLive) this.#state = { name: "starting" };
    this.questions.size = begun.parameters;
    this.#parts.setup.choose(begun.key, { ...begun.settings, steps: begun.steps }, begun.lines);
    if (this.#isLive && this.#recording?.frames.length) this.#coming = recording;
    else this.#adopt(recording);
  }

  /** @param {Recording} recording */
  #adopt(recording) {
    const { begun } = recording;
    const before = this.#recording;
    this.#recording = recording;
    this.#coming = null;
    const isComparable = this.#isLive && before?.begun.task === begun.task && before.records.length;
    this.#before = isComparable ? before : null;
    if (this.#isLive) this.#key = "";
    this.#isUnsaved = false;
    this.#step = 0;
    this.#follows = true;
    this.questions.forget();
    if (!this.#choseHead || !this.#recording.all.some((head) => String(head) === String(this.#head)))
      this.#head = this.#recording.best;
    this.#parts.ask.begin(begun);
  }

  /** @param {TrainSteps} header @param {Record<string, any>} arrays */
  #stepped(header, arrays) {
    if (this.#coming) this.#adopt(this.#coming);
    const recording = this.#recording;
    if (!recording) return;
    recording.add(header, /** @type {any} */ (arrays));
    if (this.#follows) this.#step = recording.frames.at(-1)?.step ?? 0;
    if (this.#wanted !== null && !this.#isLive) {
      this.#step = recording.frames[recording.nearest(this.#wanted)]?.step ?? 0;
      this.#follows = false;
    }
    this.#wanted = null;
    if (!this.#choseHead) this.#head = recording.best;
    this.#draw();
  }

  /** @param {boolean} isTaken */
  async #lost(isTaken) {
    const wasTraining = isTraining(this.#state);
    this.#coming = null;
    this.#isStopping = this.#isFound = false;
    this.#state = { name: isTaken ? "elsewhere" : "ended", more: false };
    this.#draw();
    if (isTaken || !wasTraining || (await this.#goOn())) return;
    this.#state = { name: "ended", why: this.#parts.data.words.lost, more: false };
    this.#draw();
  }

  /** Go on with the training of this browser that still runs. Returns whether there is one. */
  async #goOn() {
    const ticket = ticketOfRunning();
    if (!ticket) return false;
    this.#parts.channel.goOn(ticket);
    const answer = await this.#wish({ do: "again" });
    this.#isFound = Boolean(answer?.found);
    if (answer && !answer.found) keepTicket(null);
    this.#isStarting &&= this.#isFound;
    this.#draw();
    return this.#isFound;
  }

  // --- what the visitor does -----------------------------------------------------------------------------------

  /** The server answers in turn: what it measures comes first. @param {Record<string, unknown>} wish */
  async #wish(wish) {
    this.#isStarting = ["start", "again"].includes(String(wish.do));
    this.#isBusy = ["start", "more"].includes(String(wish.do));
    if (this.#isBusy) this.questions.stop();
    this.#isFound = false;
    this.#show();
    const answer = await this.#attempt(() => this.#parts.channel.ask(wish));
    this.#isBusy = false;
    if (!answer) this.#isStarting = false;
    this.#show();
    return answer;
  }

  /** @param {string} name */
  #send(name) {
    this.#isStopping = name === "stop";
    this.#parts.channel.send({ do: name });
    this.#show();
  }

  /** Open a recording, which one's own lines do not have. @param {string} key */
  async #open(key) {
    if (this.#isUnsaved && !this.leaving.mayLeave()) return;
    this.#parts.setup.choose(key);
    this.#key = key;
    this.#isLive = this.#isUnsaved = false;
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
      this.#parts.setup.refuse(capital(error.message), error.place);
      return null;
    }
  }

  /** Show another step. @param {number} step */
  #go(step) {
    if (!this.#recording) return;
    this.#step = step;
    this.#follows = step === this.#recording.frames.at(-1)?.step;
    this.#show();
    this.questions.measureSoon();
  }

  async #openInExplore() {
    const [layer, head] = this.#head;
    const wish = { do: "example", step: this.#asked, layer, head };
    const answer = await this.#attempt(() => this.#parts.channel.ask(wish));
    if (answer) this.setTriggerValue("bench", answer.example);
  }

  /** Have the browser save the training, or the model alone, which is light enough for a teacher's mail. @param {boolean} isLight */
  async #save(isLight) {
    const file = await this.#attempt(() => this.#parts.channel.file(isLight));
    if (!file) return;
    const { task, parameters } = /** @type {Recording} */ (this.#recording).begun;
    this.#isUnsaved &&= isLight;
    download(`${task}${isLight ? `-${parameters}` : ""}.safetensors`, file.type, file);
  }

  /** The training of this browser that runs, or the one that it has kept. */
  async #openLast() {
    if (await this.#goOn()) return;
    const file = await kept();
    const isOpened = file && (await this.#openFile(file));
    this.#hasKept = Boolean(isOpened);
    if (!isOpened) return this.#open(FIRST);
    this.#key = LAST;
    this.#show();
  }

  /** @param {Blob} file */
  async #openFile(file) {
    if (this.#isUnsaved && !this.leaving.mayLeave()) return null;
    const [key, state] = [this.#key, this.#state];
    [this.#key, this.#state] = ["", { name: "connecting" }];
    this.#show();
    await this.#parts.channel.upload(file);
    const answer = await this.#wish({ do: "file" });
    if (!answer) [this.#key, this.#state] = [key, state]; // what is shown stays as it was
    this.#show();
    return answer;
  }

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
    if (!this.root.isConnected) return;
    const recording = this.#recording;
    this.#parts.setup.update({
      recording: this.#coming ?? recording,
      state: this.#state,
      isLive: this.#isLive,
      isStopping: this.#isStopping,
      isBusy: this.#isBusy,
      hasKept: this.#hasKept,
      isLast: this.#key === LAST,
      isFound: this.#isFound,
      size: this.questions.size,
    });
    this.#parts.side.inert = this.#parts.maps.open.disabled = Boolean(this.#coming);
    if (!this.#coming && recording?.frames.length) this.#place.write(this.#key, this.#step);
    this.#parts.shown.hidden = !recording?.frames.length;
    if (!recording?.frames.length) return;
    this.#parts.show({
      recording,
      before: this.#before,
      step: this.#step,
      asked: this.#asked,
      head: this.#head,
      questions: this.questions,
      isPast: Boolean(this.#coming),
      canHandIn: this.#state.name === "ended" && Boolean(this.#state.more),
    });
    this.root.dataset.shown = fill("{task} {step}", { task: recording.begun.task, step: this.#step });
  }
}

export default mounting(Train.on);
