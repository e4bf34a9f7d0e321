// What a lecturer has around the walk: the address bar, and the room of those who follow. Before an audience a card
// shows how to get in, or what they answered; the presenter's page has what he asks besides.

import { Address } from "../../kit/address.js";
import { button, div, element, fill, p, redrawn, span } from "../../kit/dom.js";
import { shownAs, valueAt } from "../../kit/graph.js";
import { sender } from "../../kit/sender.js";
import { nameText } from "../picture/cell_name.js";
import { Change } from "../picture/edit_input.js";
import { ownOf } from "../place/lecture_route.js";
import { twice } from "../room/confirm_button.js";
import { addressOf, entrance } from "../room/entrance.js";
import { Hands } from "../room/hand_count.js";
import { asked, histogram, offered, rightOf } from "../room/poll.js";
import { room } from "../room/room.js";
import { bars, MOST } from "../room/tally.js";
import { choicesIn, textIn } from "./plan.js";
import { Planner } from "./planner.js";
import { Desk, pressed } from "./room_controls.js";

/** What is done in turn for answers that have no room: so many bars, and classes of the walk. */
const TIGHTER = [
  { most: 6, signs: [] },
  { most: 5, signs: [] },
  { most: 5, signs: ["crowded"] },
  { most: 5, signs: ["crowded", "cramped"] },
  { most: 3, signs: [] },
  { most: 2, signs: [] },
];

export class Lecturer {
  address = new Address();
  /** @type {import("../walk.js").Walk} */
  walk = null;
  #card = div("room-card");
  #desk = new Desk(this);
  #asking = element("section", { class: "room-question", hidden: true }); // on the presenter's page, while it is asked
  #closer = button({ data: { focus: "room close" }, onclick: (event) => this.#closed(event) });
  #last = div("room-last"); // what was asked last, and answered
  #way = div("room-way"); // how to get in, on the presenter's page
  #entry = span("room-entry");
  #drawn = "";
  #planner = new Planner(() => this.#planned());
  #opener = button({ data: { focus: "own" }, onclick: () => this.#planner.open(!this.#planner.isOpen) });
  #hands = new Hands(() => this.walk.share());
  #asker = button({ data: { focus: "ask" }, onclick: (event) => this.#pressedAsk(event) });
  #isAtDesk = false; // on the wall: what a presenter asks from his own page
  #counter = button({ data: { focus: "hands" }, onclick: (event) => this.#pressedHands(event) });
  /** @type {Change} */
  #change = null;
  #stood = ""; // the place of the walk that was told last
  #isBusy = false; // something was to be asked while a question is open, and the lecturer is told so
  #byHand = false; // the room answers with its hands, and telephones are not asked

  constructor() {
    this.#desk.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#leaveDesk()) event.stopPropagation();
    });
  }

  // --- what the walk asks for --------------------------------------------------------------------------------------

  controls(walk, own) {
    this.walk = walk;
    this.#opener.textContent = walk.model.words.own_lecture;
    const plan = walk.view === "projector" ? [] : [this.#opener];
    this.#counter.textContent = walk.model.words.hands;
    this.#closer.textContent = walk.model.words.question_close;
    this.#asker.textContent = walk.model.words.ask;
    const close = walk.view === "projector" ? [this.#closer, this.#asker] : []; // of the bar: no audience needs them
    return [...plan, ...close, ...(walk.view ? [this.#counter] : []), this.#entry, ...own];
  }

  parts(walk) {
    walk.notes?.stand(this.#way, this.#last, this.#desk.root);
    this.#drawn = "";
    if (walk.view === "projector") this.#planner.root.hidden = true;
    if (!this.#planner.root.isConnected) walk.root.after(this.#planner.root);
    this.#planner.root.dataset.view = walk.view || "page";
    this.#planner.update(walk.model);
    this.#planned();
    this.#change ??= new Change(walk);
    if (!walk.view) {
      walk.controls.root.append(this.#card); // in the page it makes room for itself
      return [];
    }
    return walk.view === "projector"
      ? [this.#hands.root, this.#card, this.#desk.root]
      : [this.#hands.root, this.#asking];
  }

  /** A walk that others follow goes together with them also where no audience sees it. */
  get isFollowed() {
    return Boolean(room.at);
  }

  placeChanged(walk, at, remote) {
    const dark = Boolean(walk.podium?.dark);
    const isWall = walk.view !== "presenter";
    room.stands(this.#fits() ? { ...at, decimals: walk.model.decimals, dark } : null, isWall);
    this.#desk.prefill(walk.model, walk.step);
    this.#change.again();
    this.#hands.show(walk.model, walk.asked.hiding);
    this.#counter.setAttribute("aria-expanded", String(Boolean(this.#hands.state)));
    if (walk.view || room.at) {
      room.enter(this.show);
      this.#makeRoom(`${at.step} ${at.sub}`, remote);
      if (!remote) this.#predictAlong();
    } else {
      room.leave(this.show);
      walk.join();
    }
    this.show();
  }

  /** Who goes on wants the picture in sight: how to get in stands in a corner from then on. */
  #makeRoom(stood, remote) {
    const goesOn = this.#stood && stood !== this.#stood && !remote;
    this.#stood = stood;
    const { question, at } = room;
    const isFound = Boolean(question?.cell) && !this.walk.asked.hiding;
    const isOver = !question?.open || isFound;
    if (goesOn && at?.card === "code") room.show((!isOver && at.under) || "corner");
    else if (goesOn && at?.card === "poll" && isOver) room.show("corner");
    const reveals = !goesOn && !remote && question?.open && isFound && this.walk.predictions.on;
    if (reveals && ["code", "corner"].includes(at?.card)) room.show("poll");
  }

  /** A number that is hidden here is asked for on telephones until it is shown. */
  #predictAlong() {
    const { cell, hiding } = this.walk.asked;
    room.predict(hiding && !this.#byHand && !this.#hands.state ? cell : null, this.#desk.sentence);
  }

  /** What was counted at one place goes with it. */
  goesOn() {
    this.#hands.end();
    this.#byHand = this.#isBusy = false;
  }

  unmount() {
    room.leave(this.show);
    this.#planner.root.remove();
  }

  /** What both windows of a pair show besides the place. */
  shares() {
    return { hands: this.#hands.state };
  }

  /** @param {ReceivedPlace} place */
  shared({ hands }) {
    if (hands !== undefined) this.#hands.take(hands);
  }

  closes() {
    return this.#leaveDesk() || this.#hands.close() || this.#closesCard();
  }

  /** Before an audience how to get in, and answers that are all there, go before the walk is left. */
  #closesCard() {
    const { at, question } = room;
    const isOver = at?.card === "code" || (at?.card === "poll" && !question?.open);
    if (this.walk.view !== "projector" || !isOver) return false;
    this.turn(at.card);
    return true;
  }

  /** An edit of before is taken back, or made again: the walk's own and the bench's; on the wall one of numbers alone. */
  undo(redo) {
    const undo = this.walk.view === "projector" ? "undo_numbers" : "undo";
    sender.send({ op: redo ? "redo" : undo });
  }

  #pressedHands(event) {
    if (event.detail > 0) event.currentTarget.blur(); // the keys walk on
    this.countHands();
  }

  /** The room's hands are counted; a number that would stand here is hidden until then. */
  countHands() {
    const walk = this.walk;
    const begins = this.#hands.state === null;
    if (begins && room.at && room.question?.open) return this.refuse();
    this.#byHand = true;
    if (begins && walk.asked.cell && !walk.predictions.on) walk.setPredicting(true, { once: true }); // what is revealed stays
    const { cell, hiding } = walk.asked;
    const own = textIn(ownOf(walk.model, walk.step).question, walk.model.lang);
    if (cell && !hiding && !own) this.#askWho(cell);
    else this.#hands.ask(own, hiding ? cell : null, choicesIn(ownOf(walk.model, walk.step), walk.model.lang));
    this.#counter.setAttribute("aria-expanded", String(Boolean(this.#hands.state)));
  }

  #pressedAsk(event) {
    if (event.detail > 0) event.currentTarget.blur();
    this.ask();
  }

  /** Telephones are asked something: on the wall, too, where no presenter's page is open. */
  ask() {
    if (this.#leaveDesk()) return;
    const { easel, live, view } = this.walk;
    if (!room.at) {
      easel.refuse(this.words.ask_no_room);
      live.textContent = easel.refused;
      return;
    }
    if (room.question?.open) return this.refuse();
    this.#hands.close();
    this.#isAtDesk = view === "projector";
    this.#desk.unfold();
    this.show();
    this.#desk.begin();
  }

  /** Whether the desk lay over the wall, which it does not any more. */
  #leaveDesk() {
    const was = this.#isAtDesk;
    this.#isAtDesk = false;
    if (was) this.show();
    return was;
  }

  /** Who had the number that stands there by now. */
  #askWho(cell) {
    const { model } = this.walk;
    const number = shownAs(model, cell.name, cell.head)(valueAt(model, cell));
    this.#hands.ask(fill(model.words.hands_found, { place: nameText(model, cell) }), cell, [number]);
  }

  /** What telephones are being asked is not taken from them unsaid. */
  refuse() {
    this.#isBusy = true;
    this.show();
  }

  change() {
    this.#change.begin();
  }

  /** How to get in, large, or in its corner again. */
  code() {
    if (room.at) this.turn("code");
  }

  /** On the walk's own page it is followed from now on; before an audience it is already. */
  async #open() {
    room.enter(this.show);
    await room.open();
    this.walk.join();
    this.walk.share();
  }

  #planned() {
    this.#opener.setAttribute("aria-expanded", String(this.#planner.isOpen));
  }

  // --- drawing -----------------------------------------------------------------------------------------------------

  show = () => {
    const { at, question, trouble } = room;
    if (!question?.open) this.#isBusy = false;
    if (question?.open || !at || this.walk.view !== "projector") this.#isAtDesk = false; // what was asked stands there now
    const { model, view, asked: here } = this.walk;
    const state = [at, question, trouble, model.lang, view, here.hiding, this.#fits(), this.#desk.state];
    const drawn = JSON.stringify([...state, this.#isBusy, this.#isAtDesk]);
    if (drawn !== this.#drawn) {
      this.#drawn = drawn;
      redrawn(this.walk.root, () => this.#draw());
    }
    this.#count(room.counts, question);
    this.#makePlace();
  };

  /** What the audience is asked stands over nothing: the stage makes room for it, and on the presenter's page the words. */
  #makePlace() {
    const { root, view } = this.walk;
    const isPoll = !this.#card.hidden && this.#card.classList.contains("poll");
    const isAsked = { projector: isPoll, presenter: !this.#asking.hidden }[view] ?? false;
    const asks = this.#hands.state ? Boolean(view) : isAsked;
    if (asks !== root.classList.contains("asking")) {
      root.classList.toggle("asking", asks);
      this.walk.notes?.root.scrollTo(0, 0); // what was pressed at its end stands above it now
      this.walk.refit();
    }
    this.#crowd(asks);
  }

  /** The window has another size. */
  resized() {
    const { root } = this.walk;
    this.#drawBars(root, MOST);
    this.#crowd(root.classList.contains("asking"));
  }

  /** What is asked and answered is whole: with fewer bars where it has less room, then without what is told beside it. */
  #crowd(asks) {
    const { root, view } = this.walk;
    const panel = this.#hands.state ? this.#hands.root : view === "projector" ? this.#card : this.#asking;
    root.classList.remove("crowded", "cramped");
    for (const { most, signs } of TIGHTER) {
      if (!asks || panel.scrollHeight <= panel.clientHeight) return;
      root.classList.add(...signs);
      if (!this.#hands.state) this.#drawBars(panel, most);
    }
  }

  #draw() {
    const { at } = room;
    this.#entry.replaceChildren(this.#enter(at));
    this.#card.replaceChildren(...this.#shownTo(at));
    this.#card.hidden = !this.#card.firstChild;
    this.#card.classList.toggle("corner", at?.card === "corner" && !this.#alert().length);
    this.#card.classList.toggle("poll", Boolean(this.#card.querySelector(".bars")));
    this.#card.classList.toggle("entering", Boolean(this.#card.querySelector(".entrance")));
    this.#closer.hidden = !this.#closes(room.question);
    for (const one of [this.#asker, this.#counter]) // on the wall nothing is offered that waits for an answer
      one.hidden = this.walk.view === "projector" && Boolean(room.question?.open);
    const asks = this.isAsking(at);
    this.#asking.replaceChildren(...(asks ? [...this.#presented(at), ...this.#alert()] : []));
    this.#asking.hidden = !asks;
    this.#way.replaceChildren(...(at ? [addressOf(at), this.#end()] : []));
    const isOnWall = this.walk.view === "projector";
    const alert = asks || isOnWall ? [] : this.#alert();
    this.#desk.root.replaceChildren(...alert, ...(at ? [this.#desk.parts(at)] : []));
    const last = at && !asks && !isOnWall ? room.question : null;
    this.#last.replaceChildren(...(last ? [...this.poll(last), this.showsAnswers(at)] : []));
    this.#desk.root.hidden = isOnWall && !this.#isAtDesk;
    this.#asker.setAttribute("aria-expanded", String(this.#isAtDesk));
  }

  get words() {
    return this.walk.model.words;
  }

  /** Whether a link holds the numbers: those that it does not hold are not followed. */
  #fits() {
    const { example, s } = this.walk.model.address;
    return Boolean(example || s);
  }

  #alert() {
    const large = room.at && !this.#fits() ? "room_too_large" : "";
    const trouble = room.trouble || (this.#isBusy ? "question_busy" : large);
    return trouble ? [element("p", { role: "alert" }, this.words[trouble])] : [];
  }

  /** The button that opens the room, and then shows how to get in. */
  #enter(at) {
    const words = this.words;
    if (!at) return pressed("follow", () => this.#open(), {}, words.follow_me);
    const label = { "aria-label": `${words.room} ${at.code}` };
    return pressed("follow", () => this.turn("code"), label, at.code, " · ", span("following", "0"));
  }

  /** Show this to the audience, or what it lies over, or how to get in, in its corner. */
  turn(card) {
    room.show(room.at.card === card ? room.at.under || "corner" : card);
  }

  /** What the audience sees. */
  #shownTo(at) {
    const { dismiss } = this.words;
    const named = { class: "round", title: dismiss, "aria-label": dismiss };
    const close = pressed("card", () => this.#close(), named, "✕");
    const { question } = room;
    const alert = this.#alert();
    const busy = this.#isBusy ? alert : [];
    if (at?.card === "poll" && question) return [...this.poll(question), ...busy, addressOf(at), close];
    if (at?.card === "code" && !room.trouble)
      return [...entrance(this.words, at, this.#end()), ...alert, close];
    if (room.trouble || busy.length || (at?.card === "corner" && alert.length)) return [...alert, close];
    return at?.card === "corner" ? [addressOf(at)] : [];
  }

  #close() {
    this.#isBusy = false;
    room.show(room.at?.under ?? "");
    this.show(); // also where no room could be opened
  }

  #end() {
    const { room_end: label, room_end_sure: sure } = this.words;
    const say = (text) => (this.walk.live.textContent = text);
    return twice({ data: { focus: "room end" } }, label, sure, () => room.end(), say);
  }

  #asked(question) {
    return element("h3", {}, ...asked(this.walk.model, question, this.words));
  }

  poll(question) {
    return [this.#asked(question), div("bars"), p("answered")];
  }

  /** Whether a press closes it: a number's ends as it is revealed. */
  #closes(question) {
    return Boolean(question?.open && !question.cell);
  }

  #closed(event) {
    if (event.detail > 0) event.currentTarget.blur(); // the keys walk on
    room.close();
  }

  // --- the presenter's desk ------------------------------------------------------------------------------------------

  /** Whether a question stands on the presenter's page in sight: while it is open, or its answers are on the wall. */
  isAsking(at) {
    const { question } = room;
    return this.walk.view === "presenter" && Boolean(at && question && (question.open || at.card === "poll"));
  }

  /** What is asked, and first of all what can be done about it. */
  #presented(at) {
    const { question } = room;
    const close = pressed("close", () => room.close(), {}, this.words.question_close);
    const acts = [...(this.#closes(question) ? [close] : []), this.showsAnswers(at), p("answered")];
    return [this.#asked(question), span("group", ...acts), div("bars")];
  }

  showsAnswers(at) {
    const isShown = at.card === "poll" && room.showsCounts;
    const toggle = () => (room.question.open ? room.showEarly(!isShown) : this.turn("poll"));
    return pressed("show poll", toggle, { "aria-pressed": String(isShown) }, this.words.answers_show);
  }

  /** Numbers change often, and nothing else is drawn for them. */
  #count(counts, question) {
    const words = this.words;
    const { root } = this.walk;
    const put = (selector, text) => {
      for (const node of root.querySelectorAll(selector)) node.textContent = text;
    };
    put(".following", String(counts.listeners));
    put(".followers", fill(words.room_followers, { count: counts.listeners }));
    if (!question) return;
    const given = Object.values(counts.answers).reduce((sum, count) => sum + count, counts.others);
    put(".answered", fill(words.answered, { count: given, all: counts.listeners }));
    this.#drawBars(root, MOST);
  }

  /**
   * @param {Element} within
   * @param {number} most numbers that have a bar each
   */
  #drawBars(within, most) {
    const { question, counts } = room;
    if (!question) return;
    const { model, asked: here } = this.walk;
    const known = rightOf(model, question); // also while nobody is to know: numbers may be edited once it is closed
    const right = question.open || here.hiding ? null : known;
    for (const node of within.querySelectorAll(".bars")) {
      const isShown = room.showsCounts || !this.#card.contains(node);
      const before = question.choices.length ? [offered(question)] : [];
      node.replaceChildren(
        ...(isShown ? [histogram(bars(question, counts, right, most), this.words)] : before),
      );
    }
  }
}
