// The page of a telephone that follows a lecture: the walk as it is on the wall, in this telephone's own language and
// colours, without a session of Streamlit's. Whoever looks around alone comes back with one press.

import { button, div, element, p, redrawn, span } from "../kit/dom.js";
import { ofBrowser } from "../kit/storage.js";
import { asksForMany, mayShow } from "../walk/picture/scene.js";
import { Way } from "../walk/place/route.js";
import { pause, Stream } from "../walk/room/stream.js";
import { Walk } from "../walk/walk.js";
import { Asked } from "./phone_question.js";

const NO_ADDRESS = { keep() {}, flush() {}, stop() {} }; // the address of this page is the room's
const FINAL = ["none", "gone", "ended"];
const THEMES = ["light dark", "light", "dark"];

const server = (path) => new URL(`api/rooms/${path}`, document.baseURI).href;
const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const kept = {
  get: (name) => ofBrowser.text(`mha.follow.${name}`),
  set: (name, text) => ofBrowser.setText(`mha.follow.${name}`, text),
};

const sent = (code, answer) =>
  fetch(server(`${code}/answers`), {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(answer),
  });

class Follower {
  #texts = JSON.parse(document.getElementById("words").textContent); // by language
  #lang = [kept.get("lang"), document.documentElement.dataset.language].find((lang) => lang in this.#texts);
  #theme = Math.max(0, THEMES.indexOf(kept.get("theme")));
  #listener = kept.get("listener") ?? ""; // by which this browser may answer: the server gives it with the stream
  /** @type {Stream} */
  #stream = null;
  #code = decodeURIComponent(location.pathname.split("/follow/")[1] ?? "").toUpperCase();
  #state = "waiting";
  #alone = false; // this telephone stands elsewhere than the wall
  /** @type {RoomPlace} */
  #place = null;
  /** @type {Question | null} */
  #question = null;
  #shown = { walk: "", lang: "" };
  #revision = 0;
  #loading = 0;
  /** @type {Walk} */
  #walk = null;

  constructor(page) {
    this.status = element("p", { class: "status", role: "status" });
    this.head = element("header", {});
    this.asked = new Asked((answer) => sent(this.#code, { ...answer, listener: this.#listener }));
    this.back = button({ class: "back", hidden: true, onclick: () => this.#pressedBack() });
    this.entry = element("form", { class: "entry", hidden: true, onsubmit: (event) => this.#enter(event) });
    this.exercise = element("a", { class: "exercise", hidden: true });
    this.stage = element("main", {});
    page.replaceChildren(
      this.head,
      div("bar-of-state", this.status, this.back),
      this.entry,
      this.asked.root,
      this.exercise,
      this.stage,
    );
    this.#dress();
    if (this.#code) this.#listen();
    else this.#stands("unnamed");
  }

  get words() {
    return this.#texts[this.#lang];
  }

  #listen() {
    this.#stream = new Stream(this.#events(), {
      received: (kind, data) => this.#received(kind, data),
      stands: (state) => this.#stands(state),
    });
  }

  #events() {
    const who = this.#listener && `?listener=${encodeURIComponent(this.#listener)}`;
    return server(`${encodeURIComponent(this.#code)}/events${who}`);
  }

  /** Who comes back says who he is, so that his last answer counts and no other. */
  #named({ listener }) {
    this.#listener = listener;
    kept.set("listener", listener);
    this.#stream.url = this.#events();
  }

  #received(kind, data) {
    if (kind === "listener") return this.#named(data);
    if (kind === "place") this.#place = data;
    if (kind === "place") this.#follow();
    if (kind === "question") this.#question = data;
    this.#ask();
  }

  #stands(state) {
    this.#state = state;
    if (FINAL.includes(state)) this.#question = null;
    this.#ask();
    this.#say();
  }

  // --- the walk ----------------------------------------------------------------------------------------------------

  /** Stand where the wall stands, with its numbers, in this telephone's language. */
  async #follow() {
    const { walk } = this.#place;
    if (this.#shown.walk !== walk || this.#shown.lang !== this.#lang) await this.#load(walk, this.#lang);
    if (this.#shown.walk === this.#place.walk && !this.#alone) this.#walk.goTo(this.#place);
    this.#offer();
    this.#say();
  }

  /** The numbers of a walk; those of a newer place come before them, and a network that is lost is waited for. */
  async #load(walk, lang) {
    const loading = ++this.#loading;
    for (let attempt = 0; loading === this.#loading; attempt++) {
      const data = await this.#fetched(walk, lang);
      if (loading !== this.#loading || data === null) return;
      if (data) return this.#show(data, { walk, lang });
      await wait(pause(attempt));
    }
  }

  /** The data; null where there is none any more, undefined where it did not come. */
  async #fetched(walk, lang) {
    try {
      const answer = await fetch(server(`${this.#code}/walks/${walk}?lang=${lang}`));
      if (answer.ok) return await answer.json();
      return answer.status === 404 ? null : undefined;
    } catch {
      return undefined;
    }
  }

  #show(data, shown) {
    if (this.#shown.walk !== shown.walk) this.#revision += 1;
    this.#shown = shown;
    const place = { ...this.#place, view: "" };
    const model = { ...data, place, session: this.#code, opened: 0, revision: this.#revision };
    this.#walk ??= new Walk(this.stage, {
      address: NO_ADDRESS,
      controls: () => [],
      parts: () => [],
      placeChanged: (_walk, _at, remote) => remote || this.#goAlone(),
      withholds: (place) => this.#withholds(place),
      comeBack: () => this.#comeBack(),
      unmount: () => {},
    });
    this.#walk.update({ data: model });
    this.#ask();
  }

  #goAlone() {
    if (this.#alone) return;
    this.#alone = true;
    this.#say();
  }

  /** What is asked of those who follow they see where the wall hides it, and nowhere else. */
  #withholds({ stage }) {
    const { model } = this.#walk;
    const cell = this.#question?.open ? this.#question.cell : null;
    return Boolean(cell) && mayShow(model, model.stages[stage], cell.name);
  }

  #comeBack() {
    this.#alone = false;
    this.#follow();
  }

  #pressedBack() {
    this.#comeBack();
    /** @type {HTMLElement | null} */ (this.stage.querySelector(".stage"))?.focus?.();
  }

  // --- what stands around it ---------------------------------------------------------------------------------------

  #ask() {
    if (!this.#walk) return;
    this.asked.show(this.#question, this.#walk.model, this.words, this.#isOneOfMany());
    if (this.#alone && this.#withholds(this.#walk.way.place)) this.#comeBack();
    else this.#walk.easel.writeLine();
  }

  /** Whether the wall hides more than the one number that is asked for here. */
  #isOneOfMany() {
    const { model } = this.#walk;
    const way = Object.assign(new Way(), { model });
    way.read(this.#place);
    const { stage, step, place } = way;
    const isHere = step !== null && this.#question?.cell?.name === step.name;
    return isHere && asksForMany({ model, stage, step, head: stage.head }, place);
  }

  /** The exercise of the day: with numbers of one's own, or that of a link. */
  #offer() {
    const { exercise, link } = this.#place;
    this.exercise.hidden = !(exercise || link) || !this.#walk;
    if (this.exercise.hidden) return;
    const own = { ...this.#walk.model.address, ask: exercise, seed: "own" };
    const query = new URLSearchParams(link || own);
    query.set("lang", this.#lang);
    this.exercise.href = `check?${query}`;
    this.exercise.textContent = link ? this.words.exercise_linked : this.words.exercise;
  }

  #say() {
    const { words } = this;
    const state = this.#state === "open" ? this.#standing() : this.#state;
    document.documentElement.dataset.state = state;
    const text = words[state === "live" && this.#place.dark ? "dark" : state];
    if (this.status.textContent !== text) this.status.textContent = text;
    this.back.hidden = !this.#alone || FINAL.includes(state);
    this.entry.hidden = !["none", "unnamed", "gone", "ended"].includes(state);
  }

  /** How this telephone stands to the wall. */
  #standing() {
    if (!this.#place) return "waiting";
    if (this.#alone) return "alone";
    return this.#place.away ? "away" : "live";
  }

  /** In this language and these colours. */
  #dress() {
    const { words } = this;
    const root = document.documentElement;
    root.lang = words.tag;
    root.style.colorScheme = THEMES[this.#theme];
    document.title = words.title;
    this.back.textContent = words.back;
    const others = Object.keys(this.#texts).filter((lang) => lang !== this.#lang);
    const choices = [...others.map((lang) => this.#language(lang)), this.#themes()];
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

  #language(lang) {
    const { tag, name } = this.#texts[lang];
    return button({ lang: tag, data: { focus: "language" }, onclick: () => this.#setLanguage(lang) }, name);
  }

  #setLanguage(lang) {
    this.#lang = lang;
    kept.set("lang", lang);
    this.#dress();
    this.#say();
    if (this.#place && !FINAL.includes(this.#state)) this.#follow();
    this.#ask();
  }

  #themes() {
    const label = this.words[`theme_${this.#theme}`];
    const onclick = () => this.#recolour();
    return button(
      { title: label, "aria-label": label, data: { focus: "theme" }, onclick },
      "◐☀☾"[this.#theme],
    );
  }

  #recolour() {
    this.#theme = (this.#theme + 1) % THEMES.length;
    kept.set("theme", THEMES[this.#theme]);
    this.#dress();
  }

  #enter(event) {
    event.preventDefault();
    const code = new FormData(this.entry).get("code");
    location.href = new URL(
      `follow/${encodeURIComponent(String(code).trim().toUpperCase())}`,
      document.baseURI,
    ).href;
  }
}

new Follower(document.getElementById("follow"));
