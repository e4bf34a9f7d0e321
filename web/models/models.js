// The page Models: where its visitor is, what the server answers, and the parts that show it.

import { Address } from "../kit/address.js";
import { div, element, fill, p } from "../kit/dom.js";
import { storePlace } from "../kit/last_work.js";
import { mounting } from "../kit/mount.js";
import { quoted } from "../kit/quoted.js";
import { ofTab } from "../kit/storage.js";
import { Ablation } from "./effect/ablation.js";
import { Effect } from "./effect/effect.js";
import { NextToken } from "./effect/next_token.js";
import { OpenInExplore } from "./head/open_in_explore.js";
import { Heads } from "./heads.js";
import { CutOffer, fault, openingOf, QuestionForm } from "./question_form.js";
import { isOvertaken, Refusal, Server, stepsOf } from "./requests.js";
import { counterpart } from "./runs.js";
import { beganHere, StoredWork } from "./stored_work.js";
import { Colours } from "./theme_colours.js";
import { fitted, missingFrom, NONE_MISSING, placeIn, queryOf, START, unreadableIn } from "./view_address.js";

/** @typedef {ReturnType<typeof build>} Parts */

/**
 * What the parts call.
 * @typedef {ConstructorParameters<typeof QuestionForm>[0] & ModelsHost} Callbacks
 */

/** A model's answer, and the place in it that is shown. @typedef {{ run: ModelRun; place: FittedPlace }} Answer */

/** Where the visitor was who left this page and may come back. @type {ModelPlace | null} */
let left = null;
/** Whether this page has not been shown since the browser loaded it. */
let isFirst = true;

/** @param {string[]} texts */
const inALine = (texts) => texts.join(" / ");

const MOST_QUOTED = 200; // characters of a question that are repeated

/** @type {(one: unknown, other: unknown) => boolean} */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

class Models {
  /** @type {Answer | null} */
  #answer = null;
  /** For each sentence; null where the word has no counterpart in it. @type {(Guessed | null)[] | null} */
  #guesses = null;
  /** @type {Shuffled | null} */
  #shuffled = null;
  /** Whether the visitor has chosen a head: another sentence then shows the same one. */
  #choseHead = false;
  /** The examples' sentences. @type {string[]} */
  #offered = [];
  /** Why Explore could not open the heads. */
  #refused = "";
  /** Whether Explore was asked to open heads. */
  #isOpening = false;
  /** What was wanted and does not exist in the answer. */
  #missing = NONE_MISSING;
  /** Parts of the address that cannot be read, until that has been said. */
  #unread = NONE_MISSING;
  /** What of the place changes once the model has read it. @type {Partial<ModelPlace>} */
  #coming = {};
  #address = new Address(() => ({ unsaved: false, ofModels: true })); // a link from here holds no work
  #work = new StoredWork(ofTab, isFirst && beganHere());
  /** What the address repeats of that of the work. @type {Record<string, string>} */
  #workAddress = {};
  /** All that is made for one language. @type {Parts} */
  #parts;

  /** @param {Component<ModelsData>} component */
  constructor({ parentElement, data, setTriggerValue }) {
    isFirst = false;
    this.root = element("div", { class: "bench models" });
    parentElement.append(this.root);
    this.setTriggerValue = setTriggerValue;
    this.#parts = this.#build(data);
    this.#begin(data);
  }

  unmount() {
    left = this.#place;
    if (this.#isOpening) document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // Explore opens at its top
    this.#address.stop();
    stop(this.#parts);
  }

  /** @param {Component<ModelsData>} component */
  update({ data, setTriggerValue }) {
    this.setTriggerValue = setTriggerValue;
    this.#workAddress = data.address;
    const lost = this.#work.update(data.session, data.work);
    if (lost) setTriggerValue("work", lost);
    this.#refused = data.refused;
    if (data.refused) this.#isOpening = false;
    if (data.lang === this.#parts.lang) return this.#show();
    stop(this.#parts);
    this.#parts = this.#build(data);
    this.#begin(data);
  }

  /** What is shown. Before there is an answer, nothing in particular. @returns {ModelPlace} */
  get #place() {
    return this.#answer?.place ?? START;
  }

  // --- building ------------------------------------------------------------------------------------------------------

  /** Everything in one language, put on the page. @param {ModelsData} data */
  #build(data) {
    const parts = build(data, {
      ask: (question) => this.#ask(question),
      typed: () => this.#clearFault(),
      cut: (texts) => {
        this.#parts.form.show({ ...this.#place, texts });
        this.#ask({ texts });
      },
      recoloured: () => this.#show(),
      go: (change) => this.#go(change),
      write: (steps) => this.#write(steps),
      open: (heads, start) => this.#openInExplore(heads, start),
      shuffle: () => this.#shuffle(),
      reveal: () => this.#parts.heads.reveal(),
    });
    document.documentElement.lang = this.root.lang = data.tag; // an embedded page has no Share, which says it too
    const { form, fault, cut, stale, answers, colours } = parts;
    this.root.replaceChildren(form.root, fault, cut.root, stale, answers, colours.root);
    return parts;
  }

  /** Ask for the models and for what is to be shown. The visitor's place stays. @param {ModelsData} data */
  #begin({ examples }) {
    this.#offered = examples.map(({ texts }) => inALine(texts));
    this.#offerModels();
    this.#open({ ...START, ...openingOf(examples[0]), texts: examples[0].texts });
  }

  /**
   * Open the visitor's place, or where the address leads. If there is neither, or nothing there, open `first`.
   * @param {ModelPlace} first
   */
  async #open(first) {
    const query = new URLSearchParams(location.search);
    const wanted = this.#answer?.place ?? placeIn(query) ?? left ?? first;
    if (!this.#answer) this.#unread = unreadableIn(query);
    this.#choseHead ||= wanted.head !== null;
    const place = { ...wanted, texts: wanted.texts.length ? wanted.texts : first.texts };
    this.#parts.form.show(place);
    await this.#askModel(place);
    if (this.#answer || place === first) return;
    this.#parts.form.show(first);
    await this.#askModel(first);
  }

  async #offerModels() {
    await this.#attempt(async () => {
      const { form, cards } = this.#parts;
      form.offer(await cards);
      form.mark(this.#place.model);
    });
  }

  // --- asking the server ---------------------------------------------------------------------------------------------

  /**
   * Ask for a sentence or another model. What was chosen in another sentence is no longer chosen.
   * @param {import("./question_form.js").Question} question
   */
  #ask({ model = this.#place.model, texts = this.#place.texts, ...opening }) {
    this.#clearFault();
    const ofTwo = texts.length > 1 && !this.#choseHead ? { head: null } : {};
    const ofText = isSame(texts, this.#place.texts)
      ? {}
      : { token: null, guess: null, pair: null, steps: 0, ...ofTwo };
    const ofModel = isSame(model, this.#place.model)
      ? {}
      : { head: null, off: [], token: null, guess: null, pair: null, steps: 0 };
    this.#askModel({ ...ofText, ...ofModel, ...opening, model, texts });
  }

  /**
   * Go to another place in the same answer. Switched heads are shown at once, and the model is asked again.
   * @param {Partial<FittedPlace>} change
   */
  #go(change) {
    if (!this.#answer) return;
    const { run, place } = this.#answer;
    if (!this.#parts.cut.isOffered) this.#clearFault(); // a text that is too long is still too long
    if ("by" in change || "only" in change || "head" in change) this.#missing = NONE_MISSING;
    this.#choseHead ||= Boolean(change.head || change.off);
    const { pair } = place;
    const isOfAnother = pair && change.token != null && change.token !== pair.query; // its numbers are no longer shown
    const ofAnother = isOfAnother ? { pair: null } : {};
    if (change.off) this.#guesses = null; // they are without other heads
    this.#goTo({ run, place: { ...place, ...ofAnother, ...sameWord(run, change), ...change } });
    if (change.off) this.#askModel({});
  }

  /** Have the model add so many tokens to the text. The last one is chosen: its row is the new one. @param {number} steps */
  #write(steps) {
    if (!this.#answer) return;
    const { run, place } = this.#answer;
    const last = run.sentences[0].n - 1 + steps - place.steps;
    this.#askModel({ steps, token: steps ? last : null, guess: last, pair: null });
  }

  /**
   * Have the model read what is asked for, then go there; changes that the visitor makes meanwhile count. If the model
   * refuses, everything stays.
   * @param {Partial<ModelPlace>} change
   */
  async #askModel(change) {
    this.#coming = { ...this.#coming, ...change };
    this.#setBusy(true);
    const { model, texts, off, steps } = { ...this.#place, ...this.#coming };
    const settle = () => {
      this.#coming = {};
      this.#setBusy(false);
    };
    await this.#attempt(
      async () => {
        const request = {
          model: model || (await this.#firstModel()),
          texts,
          without: off,
          ...stepsOf(steps),
        };
        const { run, without } = await this.#read(request);
        this.#shuffled = null;
        this.#parts.answers.hidden = false;
        this.#markStale(this.#parts.cut.isOffered);
        const wanted = { ...this.#place, ...this.#coming };
        const place = fitted(wanted, run);
        this.#missing = firstOf(this.#unread, missingFrom(wanted, place, run));
        this.#unread = NONE_MISSING;
        settle();
        this.#goTo({ run, place }, true);
        if (place.off.length !== without.length) this.#readAgain(); // the answer is without other heads
      },
      (fits) => {
        settle();
        this.#parts.cut.offer(texts, fits);
        this.#markStale(Boolean(this.#answer));
        this.#stopWaiting();
      },
    );
  }

  /**
   * The model's answer. If heads that are to be switched off do not exist, all are left on.
   * @param {RunRequest} request
   */
  async #read(request) {
    const { server } = this.#parts;
    try {
      return { run: await server.run(request), without: request.without };
    } catch (error) {
      if (!(error instanceof Refusal && error.place === "without")) throw error;
      return { run: await server.run({ ...request, without: [] }), without: [] };
    }
  }

  /** Have the same read once more. What was missing is still said. */
  #readAgain() {
    this.#unread = this.#missing;
    this.#askModel({});
  }

  #clearFault() {
    this.#parts.fault.textContent = "";
    this.#parts.cut.offer([], 0);
  }

  /** Say whether the answer on the page is to an earlier question. @param {boolean} isStale */
  #markStale(isStale) {
    const { words, stale } = this.#parts;
    this.root.classList.toggle("stale", isStale);
    stale.textContent = isStale
      ? fill(words.stale, { text: quoted(words, inALine(this.#place.texts), MOST_QUOTED) })
      : "";
  }

  async #firstModel() {
    const [{ key }] = await this.#parts.cards;
    return key;
  }

  /**
   * Show a place. QuestionForm for the numbers and guesses that it needs.
   * @param {Answer} answer
   * @param {boolean} [isNew] whether the run is new
   */
  #goTo(answer, isNew = false) {
    const before = this.#place;
    const { place } = answer;
    this.#answer = answer;
    this.#parts.form.mark(place.model);
    /** @param {"head" | "guess"} name */
    const differs = (name) => isNew || !isSame(before[name], place[name]);
    if (differs("head")) this.#askNumbers(place);
    if (differs("guess")) this.#askGuesses(answer);
    this.#show();
  }

  /** @param {FittedPlace} place */
  async #askNumbers(place) {
    await this.#attempt(async () => {
      await this.#parts.heads.read(place);
      this.#show();
    });
  }

  /** @param {Answer} answer */
  async #askGuesses({ run, place: { model, texts, guess, off, steps } }) {
    this.#guesses = null;
    if (guess === null) return;
    const places = [guess, counterpart(run, guess)];
    const requests = run.sentences.map(({ special }, at) => {
      const place = places[at];
      const canGuess = place !== null && (run.causal || !special[place]);
      return canGuess ? { model, text: texts[at], place, without: off, ...stepsOf(steps) } : null;
    });
    await this.#attempt(
      async () => {
        const guesses = await this.#parts.server.guesses(requests);
        if (!isSame(off, this.#place.off)) return; // others are on their way
        this.#guesses = guesses;
        this.#show();
      },
      () => this.#stopWaiting(),
    );
  }

  /** Guesses that were refused do not come. */
  #stopWaiting() {
    this.#guesses ??= [];
    this.#show();
  }

  /** Show what the heads do on the same words in other orders, or stop showing it. */
  async #shuffle() {
    const { model, texts, off, steps } = this.#place;
    const run = this.#answer?.run;
    if (this.#shuffled) this.#shuffled = null;
    else
      await this.#attempt(async () => {
        const shuffled = await this.#parts.server.shuffled({
          model,
          text: texts[0],
          without: off,
          ...stepsOf(steps),
        });
        if (run === this.#answer?.run) this.#shuffled = shuffled;
      });
    this.#show();
  }

  /** @param {boolean} isBusy */
  #setBusy(isBusy) {
    this.root.setAttribute("aria-busy", String(isBusy));
    this.#parts.form.wait(isBusy);
  }

  /**
   * Do it. If it is refused, say so and call `refused` with how many characters of a text that is too long are read.
   * @param {() => Promise<void>} act
   * @param {(fits: number) => void} [refused]
   */
  async #attempt(act, refused = () => {}) {
    try {
      await act();
    } catch (error) {
      if (isOvertaken(error)) return;
      refused(error instanceof Refusal ? error.fits : 0);
      if (!(error instanceof Refusal)) throw error;
      this.#parts.fault.textContent = capital(error.message);
    }
  }

  // --- showing -------------------------------------------------------------------------------------------------------

  #show() {
    if (!this.#answer) return;
    const { run, place } = this.#answer;
    const { heads, next, effect, ablation } = this.#parts;
    heads.update({ run, place, shuffled: this.#shuffled, missing: this.#missing, refused: this.#refused });
    next.update(run, place);
    effect.update(run, place, this.#guesses);
    ablation.update(run, place, this.#guesses);
    const sentences = inALine(place.texts);
    this.root.dataset.shown = `${run.model} ${sentences}`;
    this.#address.keep({ ...this.#workAddress, ...queryOf(place) });
    const isOwn = place.off.length > 0 || !this.#offered.includes(sentences);
    if (isOwn) storePlace("models", queryOf(place), sentences);
  }

  /** @param {number[]} heads @param {string} start */
  #openInExplore(heads, start) {
    if (!this.#answer) return;
    this.#isOpening = true;
    const { model, texts, head, off, steps } = this.#answer.place;
    const shown = { model, text: texts[0], layer: head[0], without: off, steps };
    this.setTriggerValue("bench", { ...shown, heads, start });
  }
}

/**
 * All parts of the page in one language, and the server's answers in it.
 * @param {ModelsData} data
 * @param {Callbacks & { cut: (texts: string[]) => void; recoloured: () => void; write: (steps: number) => void }} page
 */
function build({ lang, words, examples, limits }, page) {
  const server = new Server(lang, words.unreachable);
  const colours = new Colours(page.recoloured);
  const opening = new OpenInExplore(page, words, limits);
  const heads = new Heads(server, page, words, { colours, limits, opening });
  const ablation = new Ablation(page, words);
  const next = new NextToken(words, page.write);
  const effect = new Effect(words);
  const answers = div(
    "answers",
    div("above", heads.tokens.root, next.root, effect.root),
    div("panes", heads.overview.root, heads.head.root, ablation.root),
  );
  answers.hidden = true;
  return {
    lang,
    words,
    server,
    cards: server.cards(),
    form: new QuestionForm(page, words, examples),
    fault: fault(),
    cut: new CutOffer(words, page.cut),
    stale: p("hint stale-told"),
    colours,
    heads,
    ablation,
    next,
    effect,
    answers,
  };
}

/** @param {Parts} parts */
function stop({ server, heads }) {
  server.stop();
  heads.stop();
}

/**
 * The word that is chosen in the maps is the one that is guessed, and the other way round, where the model can guess it.
 * @type {(run: ModelRun, change: Partial<FittedPlace>) => Partial<FittedPlace>}
 */
function sameWord({ guesses, causal, sentences: [{ special }] }, { token, guess }) {
  if (guess != null) return { token: guess };
  return guesses && token != null && (causal || !special[token]) ? { guess: token } : {};
}

/** By name, the first text that is not empty. @type {(one: MissingParts, other: MissingParts) => MissingParts} */
const firstOf = (one, other) => ({
  head: one.head || other.head,
  by: one.by || other.by,
  only: one.only || other.only,
  off: one.off || other.off,
});

/** @param {string} text */
const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export default mounting((component) => new Models(component));
