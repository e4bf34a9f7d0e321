// A presenter's room: it is opened here, told where the walk stands, asked questions, and ended. All windows of a pair
// have it in common (pair_sync.js); what one of them changes, that one tells the room, and nothing that waits for the
// network ever holds up a key press.

import { Standing } from "../../kit/mounts.js";
import { belowRoot } from "../../kit/root.js";
import { ofTab } from "../../kit/storage.js";
import { together } from "../place/pair_sync.js";
import { pause, Stream } from "./stream.js";

const KEPT = "mha-room"; // of the tab, so that a page that is loaded again keeps its room
const AWAY = 500; // ms that a walk may be gone before an audience is told: Streamlit may mount it anew
const APART = 80; // ms between two places at least: who holds a key down tells where he is, not all that he passed
const NONE = { listeners: 0, answers: {}, others: 0 };

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Room {
  /**
   * `under`: what comes back once the code is closed; `early`: the number of a question whose answers are shown while it
   * is open; `away`: the wall shows what those who follow do not see.
   * @type {{ code: string; key: string; card: string; under?: string; early?: number; exercise: string; link: string;
   *   away?: boolean } | null}
   */
  at = ofTab.get(KEPT);
  counts = NONE;
  /** @type {Question | null} */
  question = null;
  /** The name of a sentence about what went wrong. */
  trouble = "";
  #place = null; // where the walk of this window stood last with numbers that a link holds
  #isWall = false; // an audience sees this window; it does not see a presenter's
  #isAway = false; // this window shows what those who follow do not see
  #leaving = 0;
  #sent = "";
  #sending = false;
  #wanted = { cell: null, text: "" }; // what is to be predicted where the walk stands
  #asking = false;
  /** @type {Stream | null} */
  #stream = null;
  #views = new Standing(); // each is called when there is something new to show

  constructor() {
    together.guide = { moved: () => this.#sendPlace(), shared: (at) => this.#learnOf(at) };
    if (this.at) together.share(this.at);
    window.addEventListener("pagehide", () => this.#views.last && this.#isWall && this.#turnAway(true));
  }

  /** The walk is in a view that an audience sees, which `show` draws. */
  enter(show) {
    const anew = !this.#views.last;
    this.#views.enter(show);
    if (!anew) return;
    this.#listen();
    this.#sendPlace();
  }

  leave(show) {
    if (!this.#views.leave(show) || this.#views.last) return;
    this.#stream?.stop();
    this.#stream = null;
    if (this.#isWall) this.#leaving = Number(setTimeout(() => this.#turnAway(true), AWAY));
  }

  /**
   * Where the walk of this window stands now.
   * @param {any} place or null where no link holds its numbers
   * @param {boolean} isWall
   */
  stands(place, isWall) {
    clearTimeout(this.#leaving);
    this.#isWall = isWall;
    this.#place = place ?? this.#place;
    if (isWall) this.#turnAway(place === null);
  }

  /** The wall shows something that those who follow do not see, or no longer. */
  #turnAway(away) {
    this.#isAway = away;
    if (!this.at || Boolean(this.at.away) === away) return;
    this.#share({ ...this.at, away });
    this.#sendPlace();
  }

  async open() {
    const answer = await this.#ask("POST", "");
    if (!answer?.ok) return this.#say("room_failed");
    this.#share({ ...(await answer.json()), card: "code", exercise: "", link: "" });
    this.#sendPlace();
  }

  async end() {
    const ending = this.#ask("DELETE", `/${this.at.code}`);
    this.#share(null);
    await ending;
  }

  /** What the windows show of it: "code", which may lie over the other, "poll", "corner" or nothing. */
  show(card) {
    this.trouble = "";
    const under = card === "code" && this.at?.card === "poll" ? "poll" : "";
    if (this.at) this.#share({ ...this.at, card, under });
    else this.#shown();
  }

  /** The answers are shown while the question is open, or no longer. */
  showEarly(isShown) {
    this.#share({ ...this.at, card: "poll", under: "", early: isShown ? this.question.question : 0 });
  }

  /** Whether an audience may see how many gave which answer: not as long as somebody could go by it. */
  get showsCounts() {
    const { question, at } = this;
    return Boolean(question && (!question.open || at?.early === question.question));
  }

  /**
   * Everybody is offered an exercise: the step that it asks for, or the query of its link, or none.
   * @param {{ exercise?: string; link?: string }} of
   */
  handOut({ exercise = "", link = "" }) {
    this.#share({ ...this.at, exercise, link });
    this.#sendPlace();
  }

  /** Ask, and show the answers; whether the question has arrived. */
  async ask({ text = "", choices = [], cell = null }) {
    const sent = cell ? { text, cell } : { text, choices };
    const answer = await this.#ask("POST", `/${this.at.code}/questions`, sent);
    if (!answer?.ok) {
      this.#say("room_lost");
      return false;
    }
    this.#learn({ ...(await answer.json()), open: true, text, choices, cell });
    this.show("poll");
    return true;
  }

  /** No more answers are taken; whether that has arrived. */
  async close() {
    const { question } = this;
    const answer = await this.#ask("DELETE", `/${this.at.code}/questions/${question.question}`);
    if (answer?.ok) this.#learn({ ...question, open: false });
    return Boolean(answer?.ok);
  }

  /**
   * Those who follow are to predict this number, or none any more: the latest alone, as of places.
   * @param {Cell | null} cell
   * @param {string} [text]
   */
  async predict(cell, text = "") {
    this.#wanted = { cell, text };
    if (this.#asking) return;
    this.#asking = true;
    for (let goesOn = true; goesOn && this.at; ) goesOn = await this.#applyWanted(this.#wanted);
    this.#asking = false;
  }

  /** Whether something was to be done for it, and has arrived. */
  async #applyWanted({ cell, text }) {
    const open = this.question?.open ? this.question : null;
    if (open && !open.cell) return false; // the presenter's own question comes first
    const isSame = JSON.stringify(open?.cell ?? null) === JSON.stringify(cell);
    if (isSame && (!text || text === open?.text)) return false;
    return cell ? this.ask({ text, cell }) : this.close();
  }

  // --- sending ---------------------------------------------------------------------------------------------------

  /** The latest place alone: while one is on its way, those that come are not sent but the last. */
  async #sendPlace() {
    if (this.#sending) return;
    this.#sending = true;
    for (let attempt = 0; this.at && this.#placeText() !== this.#sent; ) {
      const text = this.#placeText();
      const answer = await this.#ask("PUT", `/${this.at.code}/place`, JSON.parse(text));
      if (answer?.status === 404) this.#lost();
      const settled = answer && answer.status < 500 && answer.status !== 429;
      if (settled) this.#sent = text;
      attempt = settled ? 0 : attempt + 1;
      await wait(settled ? APART : pause(attempt));
    }
    this.#sending = false;
  }

  #placeText() {
    if (!this.#place || !together.numbers) return this.#sent;
    const { example, s } = together.numbers;
    const { exercise, link, away = false } = this.at;
    return JSON.stringify({ ...(s ? { token: s } : { example }), ...this.#place, away, exercise, link });
  }

  /** @returns {Promise<Response | null>} null where nobody answers */
  async #ask(method, path, body = {}) {
    const headers = { "Content-Type": "application/json" };
    if (this.at) headers.Authorization = `Bearer ${this.at.key}`;
    const url = belowRoot(`api/rooms${path}`);
    const text = method === "DELETE" ? undefined : JSON.stringify(body);
    const keepalive = method === "DELETE" || Boolean(this.at?.away); // the page may be left just now
    try {
      return await fetch(url, { method, headers, body: text, keepalive });
    } catch {
      return null;
    }
  }

  // --- listening -------------------------------------------------------------------------------------------------

  #listen() {
    this.#stream?.stop();
    this.#stream = null;
    if (!this.at || !this.#views.last) return;
    const url = belowRoot(`api/rooms/${this.at.code}/events?counts=1`);
    this.#stream = new Stream(url.href, {
      received: (kind, data) => this.#hear(kind, data),
      stands: (state) => this.#connected(state),
    });
  }

  #hear(kind, data) {
    if (kind === "counts") this.counts = data;
    if (kind === "question") this.#learn(data);
    this.#shown();
  }

  /** A question as it stands now; what was told of it before may come later. */
  #learn(question) {
    const { question: number = 0, open = true } = this.question ?? {};
    const isOld = question.question < number || (question.question === number && question.open && !open);
    if (isOld) return;
    if (question.question > number) this.counts = { ...this.counts, answers: {}, others: 0 };
    this.question = question;
  }

  #connected(state) {
    if (state === "open" || state === "lost") this.#say(state === "lost" ? "room_lost" : "");
    else if (state === "ended")
      this.#share(null); // in another window
    else this.#lost();
  }

  /** The server has no such room any more. */
  #lost() {
    if (!this.at) return;
    this.#share(null);
    this.#say("room_gone");
  }

  // --- what the pair has in common ----------------------------------------------------------------------------------

  #share(at) {
    this.#have(at);
    together.share(at);
  }

  /** Another window has changed it; where the wall is now its window alone knows. */
  #learnOf(at) {
    this.#have(at);
    if (this.#isWall && this.#views.last) this.#turnAway(this.#isAway);
  }

  #have(at) {
    const other = at?.code !== this.at?.code;
    this.at = at;
    ofTab.set(KEPT, at);
    if (other) {
      Object.assign(this, { counts: NONE, question: null, trouble: "" });
      this.#sent = "";
      this.#listen();
    }
    this.#shown();
  }

  #say(trouble) {
    this.trouble = trouble;
    this.#shown();
  }

  #shown() {
    this.#views.last?.();
  }
}

/** One for a tab: it outlives the walk's page, so that an edit on the bench is told as well. */
export const room = new Room();
