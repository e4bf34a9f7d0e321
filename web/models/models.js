// The page Models: where its visitor stands, what the server answers to that, and the parts that show it.

import { Address } from "../kit/address.js";
import { div, element, fill, p } from "../kit/dom.js";
import { mounting } from "../kit/mount.js";
import { quoted } from "../kit/quoted.js";
import { ofTab } from "../kit/storage.js";
import { Ask, fault } from "./ask.js";
import { Ablate } from "./effect/ablation.js";
import { Effect } from "./effect/effect.js";
import { Glance } from "./glance/glance.js";
import { One } from "./head/head.js";
import { isOvertaken, Refusal, Server } from "./requests.js";
import { counterpart } from "./runs.js";
import { beganHere, KeptWork } from "./stored_work.js";
import { Colours } from "./theme_colours.js";
import { Tokens } from "./tokens/token_strip.js";
import { Cut } from "./truncation.js";
import { fitted, missing, read, START, unread, written } from "./view_address.js";

/** Where the visitor stood who went to another page and comes back. @type {ModelPlace | null} */
let left = null;
/** Whether the page has not been shown since the browser's began. */
let isFirst = true;

const SENTENCES = 200; // characters of what was asked that are repeated
const NONE_MISSING = { head: "", by: "", only: "", off: "" };

class Models {
  /** @type {ModelPlace} */
  #place = START;
  /** @type {ModelRun | null} */
  #run = null;
  /** @type {HeadNumbers[] | null} */
  #numbers = null;
  /** Of each sentence; null where its word stands in the other alone. @type {(Guessed | null)[] | null} */
  #guesses = null;
  /** @type {Shuffled | null} */
  #shuffled = null;
  /** Whether the visitor has chosen a head: another sentence then shows the same one. */
  #chose = false;
  #refused = "";
  /** Whether heads were asked for on the bench. */
  #taken = false;
  /** What was wanted and is not there. */
  #missing = NONE_MISSING;
  /** What of the address was no place, until it has been said. */
  #unread = NONE_MISSING;
  /** What of the place is another once the model has read it. @type {Partial<ModelPlace>} */
  #coming = {};
  #lang = "";
  #address = new Address(() => ({ unsaved: false, ofModels: true })); // a link from here holds no work
  #work = new KeptWork(ofTab, isFirst && beganHere());
  /** @type {Server | null} */
  #server = null;
  #ours = {};
  /** @type {Promise<ModelCard[]>} */
  #cards = null;

  constructor(parent) {
    isFirst = false;
    this.root = element("div", { class: "bench models" });
    parent.append(this.root);
  }

  unmount() {
    left = this.#place;
    if (this.#taken) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // the bench opens at its top
    this.#address.stop();
    this.#server?.stop();
    this.one?.stop();
    this.glance?.stop();
  }

  /** @param {Component} component */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    this.#ours = data.address;
    const lost = this.#work.update(data.session, data.work);
    if (lost) setTriggerValue("work", lost);
    this.#refused = data.refused;
    if (data.refused) this.#taken = false;
    if (data.lang !== this.#lang) this.#begin(data);
    else this.#show();
  }

  // --- building ------------------------------------------------------------------------------------------------------

  /** All anew in a language; where the visitor stands stays. */
  #begin({ lang, tag, words, examples, limits }) {
    this.one?.stop();
    this.glance?.stop();
    this.#lang = lang;
    this.words = words;
    this.#server?.stop();
    this.#server = new Server(lang, words.unreachable);
    this.#cards = this.#server.cards();
    const asks = { asked: (what) => this.#asked(what), typed: () => this.#faultless() };
    this.ask = new Ask(asks, words, examples);
    this.fault = fault();
    this.cut = new Cut(words, (texts) => {
      this.ask.show({ ...this.#place, texts });
      this.#asked({ texts });
    });
    this.stale = p("hint stale-told");
    this.colours = new Colours(() => this.#show());
    const host = {
      go: (change) => this.#go(change),
      open: (heads, start) => this.#take(heads, start),
      shuffle: () => this.#shuffle(),
      reveal: () => this.#reveal(),
    };
    this.tokens = new Tokens(host, words);
    this.glance = new Glance(host, words, this.colours);
    this.one = new One(host, words, this.colours, limits);
    this.ablate = new Ablate(host, words);
    this.effect = new Effect(words);
    this.answers = div(
      "answers",
      div("above", this.tokens.root, this.effect.root),
      div("panes", this.glance.root, this.one.root, this.ablate.root),
    );
    this.answers.hidden = true;
    document.documentElement.lang = this.root.lang = tag; // Share says it too, which an embedded page lacks
    this.root.replaceChildren(
      this.ask.root,
      this.fault,
      this.cut.root,
      this.stale,
      this.answers,
      this.colours.root,
    );
    this.#offer();
    this.#open({ ...START, texts: examples[0].texts });
  }

  /** Where the visitor stood, or where the address leads; else, and where nothing is there, `first`. */
  async #open(first) {
    const query = new URLSearchParams(location.search);
    const asked = this.#run ? this.#place : (read(query) ?? left ?? first);
    if (!this.#run) this.#unread = unread(query);
    this.#chose ||= asked.head !== null;
    const place = { ...asked, texts: asked.texts.length ? asked.texts : first.texts };
    this.ask.show(place);
    await this.#look(place);
    if (this.#run || place === first) return;
    this.ask.show(first);
    await this.#look(first);
  }

  async #offer() {
    await this.#attempt(async () => {
      this.ask.offer(await this.#cards);
      this.ask.mark(this.#run?.model ?? this.#place.model);
    });
  }

  // --- asking --------------------------------------------------------------------------------------------------------

  /** A sentence, or another model: what was chosen in another sentence is chosen no more. */
  #asked({ model = this.#place.model, texts = this.#place.texts, ...more }) {
    this.#faultless();
    const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);
    const ofTwo = texts.length > 1 && !this.#chose ? { head: null } : {};
    const ofText = isSame(texts, this.#place.texts)
      ? {}
      : { token: null, guess: null, pair: null, ...ofTwo, ...more };
    const ofModel = isSame(model, this.#place.model)
      ? {}
      : { head: null, off: [], token: null, guess: null, pair: null, ...more };
    this.#look({ ...ofText, ...ofModel, model, texts });
  }

  /** Somewhere else in the same answer, or with other heads switched off, which are shown so at once. */
  #go(change) {
    if (!this.cut.isOffered) this.#faultless(); // what is too long still stands there
    if ("by" in change || "only" in change || "head" in change) this.#missing = NONE_MISSING;
    this.#chose ||= Boolean(change.head || change.off);
    const { pair } = this.#place;
    const isOfAnother = pair && change.token != null && change.token !== pair.query; // whose numbers stand there no more
    this.#stand({ ...this.#place, ...(isOfAnother ? { pair: null } : {}), ...change });
    if (change.off) this.#look({});
  }

  /**
   * Have the model read what is to be read, and then stand there, as far as the visitor has not gone on meanwhile; where
   * it refuses, all stays.
   * @param {Partial<ModelPlace>} change
   */
  async #look(change) {
    this.#coming = { ...this.#coming, ...change };
    this.#busy(true);
    const { model, texts, off } = { ...this.#place, ...this.#coming };
    const settle = () => {
      this.#coming = {};
      this.#busy(false);
    };
    await this.#attempt(
      async () => {
        const asked = { model: model || (await this.#first()), texts, without: off };
        const { run, without } = await this.#read(asked);
        this.#run = run;
        this.#shuffled = null;
        this.answers.hidden = false;
        this.#age(this.cut.isOffered);
        const wanted = { ...this.#place, ...this.#coming };
        const there = fitted(wanted, run);
        this.#missing = either(this.#unread, missing(wanted, there, run));
        this.#unread = NONE_MISSING;
        settle();
        this.#stand(there, true);
        if (there.off.length !== without.length) this.#again(); // it was answered without other heads
      },
      ({ fits }) => {
        settle();
        this.cut.offer(texts, fits);
        this.#age(Boolean(this.#run));
      },
    );
  }

  /** All heads; where there are none such as are to be switched off, with all of them on. */
  async #read(asked) {
    try {
      return { run: await this.#server.run(asked), without: asked.without };
    } catch (error) {
      if (!(error instanceof Refusal && error.place === "without")) throw error;
      return { run: await this.#server.run({ ...asked, without: [] }), without: [] };
    }
  }

  /** Have the same read once more; what was missing is still said. */
  #again() {
    this.#unread = this.#missing;
    this.#look({});
  }

  #faultless() {
    this.fault.textContent = "";
    this.cut.offer([], 0);
  }

  /** Say that what stands there is no answer to what was asked last, or that it is. */
  #age(on) {
    this.root.classList.toggle("stale", on);
    this.stale.textContent = on
      ? fill(this.words.stale, { text: quoted(this.words, this.#place.texts.join(" / "), SENTENCES) })
      : "";
  }

  async #first() {
    const [{ key }] = await this.#cards;
    return key;
  }

  /** Stand here: ask for what is not at hand, and show it. */
  #stand(place, anew = false) {
    const before = this.#place;
    this.#place = place;
    this.ask.mark(place.model);
    const other = (name) => anew || JSON.stringify(before[name]) !== JSON.stringify(place[name]);
    if (other("head")) this.#numbersOf(place);
    if (other("guess")) this.#guess(place);
    this.#show();
  }

  async #numbersOf({ model, texts, head: [layer, head], off }) {
    this.#numbers = null;
    await this.#attempt(async () => {
      const asked = texts.map((text) => ({ model, text, layer, head, without: off }));
      this.#numbers = await this.#server.head(asked);
      this.#show();
    });
  }

  async #guess({ model, texts, guess, off }) {
    this.#guesses = null;
    if (guess === null) return;
    const { causal, sentences } = this.#run;
    const places = [guess, counterpart(this.#run, guess)];
    const asked = sentences.map(({ special }, at) => {
      const place = places[at];
      const isThere = place !== null && (causal || !special[place]);
      return isThere ? { model, text: texts[at], place, without: off } : null;
    });
    await this.#attempt(async () => {
      this.#guesses = await this.#server.guesses(asked);
      this.#show();
    });
  }

  /** What the heads do with the words in other orders is shown beside, or no more. */
  async #shuffle() {
    const { model, texts, off } = this.#place;
    const run = this.#run;
    if (this.#shuffled) this.#shuffled = null;
    else
      await this.#attempt(async () => {
        const shuffled = await this.#server.shuffled({ model, text: texts[0], without: off });
        if (run === this.#run) this.#shuffled = shuffled;
      });
    this.#show();
  }

  #busy(on) {
    this.root.setAttribute("aria-busy", String(on));
    this.ask.wait(on);
  }

  /**
   * Do it; where it is refused, say so, and do `refused`.
   * @param {() => Promise<void>} act
   * @param {(error: { fits?: number }) => void} [refused]
   */
  async #attempt(act, refused = () => {}) {
    try {
      await act();
    } catch (error) {
      if (isOvertaken(error)) return;
      refused(error);
      if (!(error instanceof Refusal)) throw error;
      this.fault.textContent = capital(error.message);
    }
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  #show() {
    const [run, place] = [this.#run, this.#place];
    if (!run) return;
    this.tokens.update(run, place);
    this.glance.update(run, place, this.#shuffled, this.#missing);
    this.one.update(run, place, this.#numbers, this.#shuffled, this.#refused);
    this.effect.update(run, place, this.#guesses);
    this.ablate.update(run, place, this.#guesses);
    this.root.dataset.shown = `${run.model} ${place.texts.join(" / ")}`;
    this.#address.keep({ ...this.#ours, ...written(place) });
  }

  /** Where one head stands below all of them, bring it into sight. */
  #reveal() {
    const [all, one] = [this.glance.root, this.one.root].map((node) => node.getBoundingClientRect());
    if (one.top >= all.bottom) this.one.root.scrollIntoView();
  }

  #take(heads, start) {
    this.#taken = true;
    const { model, texts, head, off } = this.#place;
    this.setTriggerValue("bench", { model, text: texts[0], layer: head[0], heads, start, without: off });
  }
}

/** The first of two where it says something, else the second, name by name. */
const either = (one, other) => ({
  head: one.head || other.head,
  by: one.by || other.by,
  only: one.only || other.only,
  off: one.off || other.off,
});

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export default mounting(({ parentElement }) => new Models(parentElement));
