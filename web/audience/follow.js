// The page of a telephone that follows a lecture: the walk as the projector shows it, in this telephone's own language
// and colours, without a Streamlit session. Whoever looks around alone, or plays with the numbers, comes back with one
// press.

import { button, div, element, fill, p, prose, redrawn, requireElement, span } from "../kit/dom.js";
import { NO_ADDRESS } from "../kit/no_address.js";
import { SchemeButton } from "../kit/scheme_button.js";
import { ofBrowser } from "../kit/storage.js";
import { asksForMany, mayShow } from "../walk/picture/scene.js";
import { Route } from "../walk/place/route.js";
import { pause, Stream } from "../walk/room/stream.js";
import { Walk } from "../walk/walk.js";
import { PhoneQuestion } from "./phone_question.js";
import { Player } from "./player.js";

const FINAL = ["none", "gone", "ended"];
const ASKS_FOR_CODE = ["none", "unnamed", "gone", "ended"];

/** @typedef {StreamState | "waiting" | "unnamed"} State "unnamed": the address has no room's code */

/** @param {string} path */
const server = (path) => new URL(`api/rooms/${path}`, document.baseURI).href;

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const stored = {
  /** @param {string} name */
  get: (name) => ofBrowser.text(`mha.follow.${name}`),
  /** @type {(name: string, text: string) => void} */
  set: (name, text) => ofBrowser.setText(`mha.follow.${name}`, text),
};

/**
 * @param {string} code
 * @param {import("./phone_question.js").SentAnswer & { listener: string }} answer
 */
const send = (code, answer) =>
  fetch(server(`${code}/answers`), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(answer),
  });

class Follower {
  /** @type {Record<string, Record<string, string>>} */
  #texts = JSON.parse(requireElement(document, "#words").textContent ?? ""); // by language
  #lang = this.#firstLanguage();
  #scheme = new SchemeButton("mha.follow.theme");
  #listener = stored.get("listener") ?? ""; // by which this browser may answer: the server gives it with the stream
  /** @type {Stream | null} */
  #stream = null;
  #code = decodeURIComponent(location.pathname.split("/follow/")[1] ?? "").toUpperCase();
  /** @type {State} */
  #state = "waiting";
  #isAlone = false; // this telephone is at another place than the projector
  /** @type {RoomPlace | null} */
  #place = null;
  /** @type {Question | null} */
  #question = null;
  #shown = { walk: "", lang: "" };
  #revision = 0;
  #loading = 0;
  /** @type {Walk | null} */
  #walk = null;
  /** @type {WalkModel | null} */
  #lecture = null; // the walk with the lecturer's numbers
  /** @type {RoomPlace | null} */
  #playedFrom = null; // where the lecturer was when this telephone began to play
  /** @type {{ walk: string; numbers: WalkModel } | null} */
  #setAside = null; // what a question has interrupted

  /** @param {HTMLElement} page */
  constructor(page) {
    this.status = element("p", { class: "status", role: "status" });
    this.head = element("header", {});
    this.question = new PhoneQuestion((answer) => send(this.#code, { ...answer, listener: this.#listener }));
    this.back = button({ class: "back", hidden: true, onclick: () => this.#pressBack() });
    const onsubmit = (/** @type {SubmitEvent} */ event) => this.#enter(event);
    this.entry = element("form", { class: "entry", hidden: true, onsubmit });
    this.exercise = element("a", { class: "exercise", hidden: true });
    this.stage = element("main", {});
    this.player = new Player(this.stage, () => this.#walk);
    this.try = button({ class: "try", hidden: true, onclick: () => this.#play() });
    page.replaceChildren(
      this.head,
      div("bar-of-state", this.status, this.try, this.back),
      this.entry,
      this.question.root,
      this.exercise,
      this.stage,
      this.player.dial.root,
    );
    this.#showTexts();
    if (this.#code) this.#listen();
    else this.#setState("unnamed");
  }

  #firstLanguage() {
    const choices = [stored.get("lang"), document.documentElement.dataset.language];
    return choices.find((lang) => lang && lang in this.#texts) ?? "";
  }

  get words() {
    return this.#texts[this.#lang];
  }

  #listen() {
    this.#stream = new Stream(this.#eventsUrl(), {
      received: this.#receive,
      stateChanged: (state) => this.#setState(state),
    });
  }

  #eventsUrl() {
    const listener = this.#listener && `?listener=${encodeURIComponent(this.#listener)}`;
    return server(`${encodeURIComponent(this.#code)}/events${listener}`);
  }

  /** @type {StreamListener["received"]} */
  #receive = (kind, data) => {
    if (kind === "listener") return this.#setListener(data.listener);
    if (kind === "place") {
      this.#place = data;
      this.#follow();
    }
    if (kind === "question") this.#question = data;
    this.#showQuestion();
  };

  /**
   * A connection that is made again names its listener, so that his last answer counts and no other.
   * @param {string} listener
   */
  #setListener(listener) {
    this.#listener = listener;
    stored.set("listener", listener);
    if (this.#stream) this.#stream.url = this.#eventsUrl();
  }

  /** @param {State} state */
  #setState(state) {
    this.#state = state;
    if (FINAL.includes(state)) this.#question = null;
    this.#showQuestion();
    this.#showState();
  }

  // --- the walk ----------------------------------------------------------------------------------------------------

  /** Go where the projector is, with its numbers, in this telephone's language. */
  async #follow() {
    const walk = this.#place?.walk;
    if (walk !== undefined && (this.#shown.walk !== walk || this.#shown.lang !== this.#lang))
      await this.#load(walk, this.#lang);
    const place = this.#place;
    if (place && this.#shown.walk === place.walk && !this.#isAlone) this.#walk?.goTo(place);
    this.#offerExercise();
    this.#showState();
  }

  /**
   * Load the numbers of a walk, unless those of a newer place are loaded meanwhile. A lost network is waited for.
   * @type {(walk: string, lang: string) => Promise<void>}
   */
  async #load(walk, lang) {
    const loading = ++this.#loading;
    for (let attempt = 0; loading === this.#loading; attempt++) {
      const data = await this.#fetchWalk(walk, lang);
      if (loading !== this.#loading || data === null) return;
      if (data) return this.#show(data, { walk, lang });
      await wait(pause(attempt));
    }
  }

  /**
   * The data; null where there is none any more, undefined where it did not come.
   * @type {(walk: string, lang: string) => Promise<FollowedWalk | null | undefined>}
   */
  async #fetchWalk(walk, lang) {
    try {
      const response = await fetch(server(`${this.#code}/walks/${walk}?lang=${lang}`));
      if (response.ok) return await response.json();
      return response.status === 404 ? null : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * @param {FollowedWalk} data
   * @param {{ walk: string; lang: string }} shown
   */
  #show(data, shown) {
    if (!this.#place) return;
    if (this.#shown.walk !== shown.walk) this.#revision += 1;
    this.#shown = shown;
    /** @type {WalkModel["place"]} */
    const place = { ...this.#place, view: "" };
    const lecture = { ...data, place, session: this.#code, opened: 0, revision: this.#revision };
    const isOther = this.#lecture?.revision !== lecture.revision;
    this.#lecture = lecture;
    this.#walk ??= new Walk(this.stage, () => this.#walkHost(), lecture);
    if (!this.player.isOn) this.#walk.update({ data: lecture });
    else if (!isOther) this.#walk.update({ data: this.player.begin(lecture, this.#walk.model) });
    this.#showQuestion();
  }

  /** @returns {WalkHost} */
  #walkHost() {
    return {
      address: NO_ADDRESS, // that of this page is the room's
      controls: () => [],
      parts: () => [],
      placeChanged: (_place, remote) => this.#moved(remote),
      withholds: (place) => this.#withholds(place),
      comeBack: () => this.#comeBack(true),
      unmount: () => {},
    };
  }

  /** The walk is at another place, or is shown again. @param {boolean} remote */
  #moved(remote) {
    this.player.mark();
    if (!remote) this.#goAlone();
    this.#offerPlay();
  }

  #goAlone() {
    if (this.#isAlone) return;
    this.#isAlone = true;
    this.#showState();
  }

  /** A number that is asked for is only seen where the projector hides it. @param {Place} place */
  #withholds({ stage }) {
    const cell = this.#question?.open ? this.#question.cell : null;
    if (!cell || !this.#walk) return false;
    const { model } = this.#walk;
    return mayShow(model, model.stages[stage], cell.name);
  }

  /** @param {boolean} [isCalled] a question calls: the numbers that were played with are kept for afterwards */
  #comeBack(isCalled = false) {
    const numbers = this.player.end();
    if (numbers && this.#lecture) this.#walk?.update({ data: this.#lecture });
    if (numbers) this.#setAside = isCalled ? { walk: this.#playedFrom?.walk ?? "", numbers } : null;
    this.#isAlone = false;
    this.#showState(); // the numbers of the projector's place may be long in coming
    this.#follow();
  }

  #pressBack() {
    this.#comeBack();
    /** @type {HTMLElement | null} */
    const stage = this.stage.querySelector(".stage");
    stage?.focus();
  }

  // --- with numbers of one's own -----------------------------------------------------------------------------------

  /** Play with the numbers of this place, from here on alone. */
  #play() {
    const [walk, lecture] = [this.#walk, this.#lecture];
    if (!walk || !lecture) return;
    const { numbers = null } = this.#setAside?.walk === this.#shown.walk ? this.#setAside : {};
    this.#setAside = null;
    this.#playedFrom = this.#place;
    this.#isAlone = true;
    walk.heads = null; // what is said of two of them is of the lecturer's numbers
    walk.predictions.on = false;
    walk.update({ data: this.player.begin(lecture, numbers) });
    this.#showState();
    this.player.focus();
  }

  #offerPlay() {
    const walk = this.#walk;
    const isAsking = walk && (walk.focus.hiding || this.#withholds(walk.route.place));
    this.try.hidden = this.player.isOn || !walk || Boolean(isAsking) || !this.player.canPlay;
  }

  /** That these numbers are one's own, and where the lecturer has gone on to since. */
  #playingText() {
    const { words } = this;
    const [place, from] = [this.#place, this.#playedFrom];
    if (!place || (place.walk === from?.walk && place.step === from.step)) return words.playing;
    if (place.walk !== from?.walk) return prose(words.lecture_changed, words.playing);
    const title = this.#lecture?.stages.find(({ id }) => id === place.step)?.title;
    return prose(fill(words.lecture_moved, { step: title }), words.playing);
  }

  // --- around the walk --------------------------------------------------------------------------------------------

  #showQuestion() {
    const [walk, lecture] = [this.#walk, this.#lecture];
    if (!walk || !lecture) return;
    const isOneOfMany = this.#isOneOfMany(lecture);
    this.question.show(this.#question, { model: lecture, words: this.words, isOneOfMany });
    if (this.#isAlone && this.#withholds(walk.route.place)) this.#comeBack(true);
    else walk.rewriteLine();
    this.#offerPlay();
  }

  /** Whether the projector hides more than the one number that is asked for here. @param {WalkModel} model */
  #isOneOfMany(model) {
    if (!this.#place) return false;
    const route = new Route(model);
    route.read(this.#place);
    const { stage, step, place } = route;
    const isHere = step !== null && this.#question?.cell?.name === step.name;
    return isHere && asksForMany({ model, stage, step, head: stage.head }, place);
  }

  /** The exercise of the day: with numbers of one's own, or that of a link. */
  #offerExercise() {
    const { exercise = "", link = "" } = this.#place ?? {};
    this.exercise.hidden = !(exercise || link) || !this.#walk;
    if (!this.#walk || this.exercise.hidden) return;
    const own = { ...this.#walk.model.address, ask: exercise, seed: "own" };
    const query = new URLSearchParams(link || own);
    query.set("lang", this.#lang);
    this.exercise.href = `check?${query}`;
    this.exercise.textContent = link ? this.words.exercise_linked : this.words.exercise;
  }

  #showState() {
    const { words } = this;
    const state = this.#state === "open" ? this.#stateOfPlace() : this.#state;
    const { isOn: isPlaying } = this.player;
    document.documentElement.dataset.state = state;
    document.documentElement.toggleAttribute("data-playing", isPlaying);
    const said = words[state === "live" && this.#place?.dark ? "dark" : state];
    const text = !isPlaying ? said : prose(state !== "playing" && said, this.#playingText());
    if (this.status.textContent !== text) this.status.textContent = text;
    this.back.textContent = isPlaying ? words.back_playing : words.back;
    this.back.hidden = !isPlaying && (!this.#isAlone || FINAL.includes(state));
    this.entry.hidden = !ASKS_FOR_CODE.includes(state);
  }

  /** How the place of this telephone relates to that of the projector. */
  #stateOfPlace() {
    if (!this.#place) return "waiting";
    if (this.player.isOn) return "playing";
    if (this.#isAlone) return "alone";
    return this.#place.away ? "away" : "live";
  }

  /** Everything in this language and these colours. */
  #showTexts() {
    const { words } = this;
    const root = document.documentElement;
    root.lang = words.tag;
    document.title = words.title;
    this.try.textContent = words.try;
    this.player.dial.say(words);
    this.#scheme.say(words);
    const others = Object.keys(this.#texts).filter((lang) => lang !== this.#lang);
    const choices = [...others.map((lang) => this.#languageButton(lang)), this.#scheme.root];
    const title = element("h1", {}, this.#code ? `${words.room} ${this.#code}` : words.title);
    redrawn(this.head, () => this.head.replaceChildren(title, span("choices", ...choices)));
    const code = element("input", {
      name: "code",
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      maxlength: 6,
      required: true,
      "aria-label": words.code,
    });
    this.entry.replaceChildren(p("", words.code), code, element("button", {}, words.enter));
  }

  /** @param {string} lang */
  #languageButton(lang) {
    const { tag, name } = this.#texts[lang];
    return button({ lang: tag, data: { focus: "language" }, onclick: () => this.#setLanguage(lang) }, name);
  }

  /** @param {string} lang */
  #setLanguage(lang) {
    if (this.player.isOn && this.#place?.walk !== this.#playedFrom?.walk) this.#comeBack();
    this.#lang = lang;
    stored.set("lang", lang);
    this.#showTexts();
    this.#showState();
    if (this.#place && !FINAL.includes(this.#state)) this.#follow();
    this.#showQuestion();
  }

  /** @param {SubmitEvent} event */
  #enter(event) {
    event.preventDefault();
    const code = String(new FormData(this.entry).get("code")).trim().toUpperCase();
    location.href = new URL(`follow/${encodeURIComponent(code)}`, document.baseURI).href;
  }
}

new Follower(requireElement(document, "#follow"));
