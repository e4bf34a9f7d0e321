// A presenter's room: it is opened here, sent the place of the walk, asked questions, and ended. The windows of a pair
// share it (place/pair_sync.js); the window that changes it tells the server. Nothing that waits for the network ever
// holds up a key press.

import { Mounted } from "../../kit/mounted.js";
import { belowRoot } from "../../kit/root.js";
import { ofTab } from "../../kit/storage.js";
import { pairSync } from "../place/pair_sync.js";
import { pause, Stream } from "./stream.js";

const STORED = "mha-room"; // of the tab, so that a page that is reloaded keeps its room
const AWAY = 500; // ms that a walk may be gone before the audience is told: Streamlit may mount it again
const APART = 80; // ms between two places at least: who holds a key down does not send every place that he passes
const SHORT = 40; // ms between two looks whether a place has been sent
const MOST_WAITS = 50;
/** @type {AnswerCounts} */
const NO_ANSWERS = { listeners: 0, answers: {}, others: 0 };

/** @param {number} ms */
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Room {
  /** @type {RoomState | null} */
  state = ofTab.get(STORED);
  counts = NO_ANSWERS;
  /** @type {Question | null} */
  question = null;
  trouble = ""; // the name of a sentence about what went wrong
  /** @type {PresentedPlace | null} */
  #place = null; // the latest place of this window's walk whose numbers a link holds
  #isProjector = false; // the audience sees this window, which it does not see of a presenter's
  #isAway = false; // this window shows what those who follow do not see
  #leaving = 0;
  #sentPlace = "";
  #isSending = false;
  /** @type {{ cell: Cell | null; text: string }} */
  #wanted = { cell: null, text: "" }; // what is to be predicted at the place of the walk
  #isApplying = false;
  /** @type {Stream | null} */
  #stream = null;
  /** @type {Mounted<() => void>} */
  #views = new Mounted(); // each is called when there is something new to show

  constructor() {
    pairSync.guide = { moved: () => this.#sendPlace(), shared: (state) => this.#receive(state) };
    if (this.state) pairSync.share(this.state);
    window.addEventListener("pagehide", () => this.#views.last && this.#isProjector && this.#setAway(true));
  }

  /** The room that is open; raises where none is. */
  #requireState() {
    if (!this.state) throw new Error("no room is open");
    return this.state;
  }

  /** The walk is in a view that an audience sees, which `show` renders. @param {() => void} show */
  enter(show) {
    const isFirst = !this.#views.last;
    this.#views.enter(show);
    if (!isFirst) return;
    this.#listen();
    this.#sendPlace();
  }

  /** @param {() => void} show */
  leave(show) {
    if (!this.#views.leave(show) || this.#views.last) return;
    this.#stream?.stop();
    this.#stream = null;
    if (this.#isProjector) this.#leaving = Number(setTimeout(() => this.#setAway(true), AWAY));
  }

  /**
   * The place of this window's walk.
   * @param {PresentedPlace | null} place null where no link holds its numbers
   * @param {boolean} isProjector
   */
  setPlace(place, isProjector) {
    clearTimeout(this.#leaving);
    this.#isProjector = isProjector;
    this.#place = place ?? this.#place;
    if (isProjector) this.#setAway(place === null);
  }

  /** Whether the projector shows something that those who follow do not see. @param {boolean} away */
  #setAway(away) {
    this.#isAway = away;
    if (!this.state || Boolean(this.state.away) === away) return;
    this.#share({ ...this.state, away });
    this.#sendPlace();
  }

  async open() {
    const response = await this.#fetch("POST", "");
    if (!response?.ok) return this.#setTrouble("room_failed");
    /** @type {Pick<RoomState, "code" | "key">} */
    const { code, key } = await response.json();
    this.#share({ code, key, card: "code", exercise: "", link: "" });
    this.#sendPlace();
  }

  async end() {
    const ending = this.#fetch("DELETE", `/${this.#requireState().code}`);
    this.#share(null);
    await ending;
  }

  /** What the windows show of it. The code may lie over a poll. @param {RoomCard} card */
  show(card) {
    this.trouble = "";
    const under = card === "code" && this.state?.card === "poll" ? "poll" : "";
    if (this.state) this.#share({ ...this.state, card, under });
    else this.#changed();
  }

  /** The answers are shown while the question is open, or no longer. @param {boolean} isShown */
  showEarly(isShown) {
    const early = isShown && this.question ? this.question.question : 0;
    this.#share({ ...this.#requireState(), card: "poll", under: "", early });
  }

  /** Whether an audience may see how many gave which answer: not as long as somebody could go by it. */
  get showsCounts() {
    const { question, state } = this;
    return Boolean(question && (!question.open || state?.early === question.question));
  }

  /**
   * Everybody is offered an exercise: the step that it asks for, or the query of its link, or none.
   * @param {{ exercise?: string; link?: string }} offer
   */
  handOut({ exercise = "", link = "" }) {
    this.#share({ ...this.#requireState(), exercise, link });
    this.#sendPlace();
  }

  /**
   * Ask, and show the answers; whether the question has arrived.
   * @param {{ text?: string; choices?: string[]; cell?: Cell | null }} question
   */
  async ask({ text = "", choices = [], cell = null }) {
    const sent = cell ? { text, cell } : { text, choices };
    const response = await this.#fetch("POST", `/${this.#requireState().code}/questions`, sent);
    if (!response?.ok) {
      this.#setTrouble("room_lost");
      return false;
    }
    /** @type {Pick<Question, "question">} */
    const { question } = await response.json();
    this.#setQuestion({ question, open: true, text, choices, cell });
    this.show("poll");
    return true;
  }

  /** No more answers are taken; whether that has arrived. */
  async close() {
    const { question } = this;
    if (!question) return false;
    const response = await this.#fetch(
      "DELETE",
      `/${this.#requireState().code}/questions/${question.question}`,
    );
    if (response?.ok) this.#setQuestion({ ...question, open: false });
    return Boolean(response?.ok);
  }

  /**
   * Those who follow are to predict this number, or none any more. As of places only the latest request is sent.
   * @param {Cell | null} cell
   * @param {string} [text]
   */
  async predict(cell, text = "") {
    this.#wanted = { cell, text };
    if (this.#isApplying) return;
    this.#isApplying = true;
    for (let goesOn = true; goesOn && this.state; ) goesOn = await this.#applyWanted();
    this.#isApplying = false;
  }

  /** Whether something was to be done for it, and has arrived. */
  async #applyWanted() {
    const { cell, text } = this.#wanted;
    const open = this.question?.open ? this.question : null;
    if (open && !open.cell) return false; // the presenter's own question comes first
    if (!open && !cell) return false;
    const isSame = JSON.stringify(open?.cell ?? null) === JSON.stringify(cell);
    if (isSame && (!text || text === open?.text)) return false;
    if (!cell) return this.close();
    if (!this.#sentPlace) await this.#placeSent(); // the server knows no cell before it has the numbers
    return this.state ? this.ask({ text, cell }) : false;
  }

  /** Wait until the server has a place, and with it the numbers, but not for long. */
  async #placeSent() {
    for (let attempt = 0; attempt < MOST_WAITS && this.state && !this.#sentPlace; attempt++)
      await wait(SHORT);
  }

  // --- sending ---------------------------------------------------------------------------------------------------

  /** Send the latest place: of those that come while one is on its way only the last is sent. */
  async #sendPlace() {
    if (this.#isSending) return;
    this.#isSending = true;
    for (let attempt = 0; this.state && this.#placeText(this.state) !== this.#sentPlace; ) {
      const text = this.#placeText(this.state);
      const response = await this.#fetch("PUT", `/${this.state.code}/place`, JSON.parse(text));
      if (response?.status === 404) this.#lost();
      const isSettled = response !== null && response.status < 500 && response.status !== 429;
      if (isSettled) this.#sentPlace = text;
      attempt = isSettled ? 0 : attempt + 1;
      await wait(isSettled ? APART : pause(attempt));
    }
    this.#isSending = false;
  }

  /** What the server is sent of the place; the same as before where this window knows none. @param {RoomState} state */
  #placeText({ exercise, link, away = false }) {
    if (!this.#place || !pairSync.numbers) return this.#sentPlace;
    const { example, s } = pairSync.numbers;
    return JSON.stringify({ ...(s ? { token: s } : { example }), ...this.#place, away, exercise, link });
  }

  /**
   * @param {"POST" | "PUT" | "DELETE"} method
   * @param {string} path
   * @param {object} [body]
   * @returns {Promise<Response | null>} null where nobody answers
   */
  async #fetch(method, path, body = {}) {
    /** @type {Record<string, string>} */
    const headers = { "Content-Type": "application/json" };
    if (this.state) headers.Authorization = `Bearer ${this.state.key}`;
    const url = belowRoot(`api/rooms${path}`);
    const text = method === "DELETE" ? undefined : JSON.stringify(body);
    const keepalive = method === "DELETE" || Boolean(this.state?.away); // the page may be left just now
    try {
      return await fetch(url, { method, headers, body: text, keepalive });
    } catch {
      return null;
    }
  }

  // --- receiving -------------------------------------------------------------------------------------------------

  #listen() {
    this.#stream?.stop();
    this.#stream = null;
    if (!this.state || !this.#views.last) return;
    const url = belowRoot(`api/rooms/${this.state.code}/events?counts=1`);
    this.#stream = new Stream(url.href, {
      received: (kind, data) => {
        if (kind === "counts") this.counts = data;
        if (kind === "question") this.#setQuestion(data);
        this.#changed();
      },
      stateChanged: (state) => this.#connected(state),
    });
  }

  /** A question as it is now; older news of it may come later. @param {Question} question */
  #setQuestion(question) {
    const { question: number = 0, open = true } = this.question ?? {};
    const isOld = question.question < number || (question.question === number && question.open && !open);
    if (isOld) return;
    if (question.question > number) this.counts = { ...this.counts, answers: {}, others: 0 };
    this.question = question;
  }

  /** @param {StreamState} state */
  #connected(state) {
    if (state === "open" || state === "lost") this.#setTrouble(state === "lost" ? "room_lost" : "");
    else if (state === "ended")
      this.#share(null); // in another window
    else this.#lost();
  }

  /** The server has no such room any more. */
  #lost() {
    if (!this.state) return;
    this.#share(null);
    this.#setTrouble("room_gone");
  }

  // --- what the windows of the pair share ---------------------------------------------------------------------------

  /** @param {RoomState | null} state */
  #share(state) {
    this.#setState(state);
    pairSync.share(state);
  }

  /**
   * Another window has changed it; whether the projector is away only its own window knows.
   * @param {RoomState | null} state
   */
  #receive(state) {
    this.#setState(state);
    if (this.#isProjector && this.#views.last) this.#setAway(this.#isAway);
  }

  /** @param {RoomState | null} state */
  #setState(state) {
    const isAnother = state?.code !== this.state?.code;
    this.state = state;
    ofTab.set(STORED, state);
    if (isAnother) {
      Object.assign(this, { counts: NO_ANSWERS, question: null, trouble: "" });
      this.#sentPlace = "";
      this.#listen();
    }
    this.#changed();
  }

  /** @param {string} trouble */
  #setTrouble(trouble) {
    this.trouble = trouble;
    this.#changed();
  }

  #changed() {
    this.#views.last?.();
  }
}

/** One for a tab: it outlives the walk's page, so that an edit in Explore reaches those who follow as well. */
export const room = new Room();
