// What a lecturer has around the walk: the address bar, and the room of those who follow. Before an audience a card
// shows how to get in, or the answers; the presenter's page has what can be asked besides.

import { Address } from "../../kit/address.js";
import { button, div, element, fill, p, redrawn, span } from "../../kit/dom.js";
import { shownAs, valueAt } from "../../kit/graph.js";
import { sender } from "../../kit/sender.js";
import { isTeaching, onTeachingChange } from "../../kit/teaching.js";
import { nameText } from "../picture/cell_name.js";
import { InputEditor } from "../picture/edit_input.js";
import { ownOf } from "../place/lecture_route.js";
import { confirmButton, walkButton } from "../room/buttons.js";
import { addressOf, entrance } from "../room/entrance.js";
import { HandCounter } from "../room/hand_count.js";
import { choiceList, histogram, questionNodes, rightOf } from "../room/poll.js";
import { room } from "../room/room.js";
import { bars, MOST } from "../room/tally.js";
import { choicesIn, textIn } from "./plan.js";
import { Planner } from "./planner.js";
import { RoomControls } from "./room_controls.js";

/** What is done in turn for answers that have no room: so many bars, and classes of the walk. */
const TIGHTER = [
  { most: 6, classes: [] },
  { most: 5, classes: [] },
  { most: 5, classes: ["crowded"] },
  { most: 5, classes: ["crowded", "cramped"] },
  { most: 3, classes: [] },
  { most: 2, classes: [] },
];

export class Lecturer {
  address = new Address();
  #walk;
  #card = div("room-card"); // what the audience sees of the room
  #roomControls = new RoomControls({
    showCode: () => this.#turn("code"),
    predictHere: () => this.#walk.setPredicting(true, { once: true }),
    refuseBusy: () => this.#refuseBusy(),
    changed: () => this.#show(),
  });
  #openQuestion = element("section", { class: "room-question", hidden: true }); // on the presenter's page
  #lastQuestion = div("room-last"); // that was answered, on the presenter's page
  #address = div("room-way"); // of the room, on the presenter's page
  #entry = span("room-entry");
  #planner = new Planner(() => this.#showPlanner());
  #planOpener = button({ data: { focus: "own" }, onclick: () => this.#planner.open(!this.#planner.isOpen) });
  #stopped = new AbortController();
  #closer = walkButton("room close", () => room.close(), {});
  #asker = walkButton("ask", () => this.ask(), {});
  #counter = walkButton("hands", () => this.countHands(), {});
  #hands = new HandCounter(() => this.#walk.share());
  #inputEditor;
  #rendered = "";
  #place = ""; // that the room was sent last
  #areControlsOpen = false; // on the projector, where no presenter's page is open
  #isBusy = false; // something was to be asked while a question is open, and the lecturer sees a sentence about it
  #isTeaching = false; // a room has been open on this page, or a lecture walked
  #isByHand = false; // the room answers with its hands, and telephones are not asked

  /** @param {HostedWalk} walk */
  constructor(walk) {
    this.#walk = walk;
    this.#inputEditor = new InputEditor({
      root: walk.root,
      model: () => walk.model,
      stage: () => walk.route.place.stage,
      refused: walk.refused,
      refuse: (sentence, how) => walk.refuse(sentence, how),
    });
    onTeachingChange(() => this.#showTeaching(), this.#stopped.signal);
    this.#roomControls.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.#closeControls()) event.stopPropagation();
    });
  }

  get #model() {
    return this.#walk.model;
  }

  get #words() {
    return this.#model.words;
  }

  get #view() {
    return this.#walk.view;
  }

  // --- what the walk asks for --------------------------------------------------------------------------------------

  /** @type {WalkHost["controls"]} */
  controls(own) {
    const words = this.#words;
    this.#planOpener.textContent = words.own_lecture;
    this.#counter.textContent = words.hands;
    this.#closer.textContent = words.question_close;
    this.#asker.textContent = words.ask;
    const isProjector = this.#view === "projector";
    const plan = isProjector ? [] : [this.#planOpener];
    const questions = isProjector ? [this.#closer, this.#asker] : [];
    return [...plan, ...questions, ...(this.#view ? [this.#counter] : []), this.#entry, ...own];
  }

  /** Whoever has a room open or walks a lecture keeps what a lecturer needs until the page is left. */
  #showTeaching() {
    this.#isTeaching ||= this.isFollowed || this.#walk.route.minutes > 0;
    const teaches = this.#isTeaching || isTeaching();
    if (!teaches && this.#planner.isOpen) this.#planner.open(false);
    this.#walk.root.dataset.teaches = String(teaches);
  }

  /** @type {WalkHost["parts"]} */
  parts() {
    const walk = this.#walk;
    walk.notes?.add(this.#address, this.#lastQuestion, this.#roomControls.root);
    this.#rendered = "";
    const { root: planner } = this.#planner;
    if (walk.view === "projector") planner.hidden = true;
    if (!planner.isConnected) walk.root.after(planner);
    planner.dataset.view = walk.view || "page";
    this.#planner.update(walk.model);
    this.#showPlanner();
    if (!walk.view) {
      walk.controls.root.append(this.#card); // in the page it makes room for itself
      return [];
    }
    return walk.view === "projector"
      ? [this.#hands.root, this.#card, this.#roomControls.root]
      : [this.#hands.root, this.#openQuestion];
  }

  /** A walk that others follow goes together with them also where no audience sees it. */
  get isFollowed() {
    return Boolean(room.state);
  }

  /** @type {WalkHost["placeChanged"]} */
  placeChanged(place, remote) {
    const walk = this.#walk;
    const dark = Boolean(walk.podium?.dark);
    const presented = { ...place, decimals: walk.model.decimals, dark };
    room.setPlace(this.#fitsLink() ? presented : null, walk.view !== "presenter");
    this.#roomControls.prefill(walk.model, walk.step);
    this.#inputEditor.again();
    this.#hands.show(walk.model, walk.focus.hiding);
    this.#counter.setAttribute("aria-expanded", String(Boolean(this.#hands.state)));
    if (walk.view || room.state) {
      room.enter(this.#show);
      this.#clearCard(`${place.step} ${place.sub}`, remote);
      if (!remote) this.#predictAlong();
    } else {
      room.leave(this.#show);
      walk.join();
    }
    this.#show();
  }

  /**
   * Who goes on wants the picture visible: how to get in is in a corner from then on.
   * @param {string} place
   * @param {boolean} remote
   */
  #clearCard(place, remote) {
    const goesOn = this.#place && place !== this.#place && !remote;
    this.#place = place;
    const { focus, predictions } = this.#walk;
    const { question, state } = room;
    const isFound = Boolean(question?.cell) && !focus.hiding;
    const isOver = !question?.open || isFound;
    if (goesOn && state?.card === "code") room.show((!isOver && state.under) || "corner");
    else if (goesOn && state?.card === "poll" && isOver) room.show("corner");
    const reveals = !goesOn && !remote && question?.open && isFound && predictions.on;
    if (reveals && (state?.card === "code" || state?.card === "corner")) room.show("poll");
  }

  /** A number that is hidden here is asked for on telephones until it is shown. */
  #predictAlong() {
    const { cell, hiding } = this.#walk.focus;
    room.predict(hiding && !this.#isByHand && !this.#hands.state ? cell : null, this.#roomControls.sentence);
  }

  /** A count of hands belongs to one place. */
  goesOn() {
    this.#hands.end();
    this.#isByHand = this.#isBusy = false;
  }

  unmount() {
    room.leave(this.#show);
    this.#planner.root.remove();
    this.#stopped.abort();
  }

  shares() {
    return { hands: this.#hands.state };
  }

  /** @param {ReceivedPlace} place */
  shared({ hands }) {
    if (hands !== undefined) this.#hands.receive(hands);
  }

  closes() {
    return this.#closeControls() || this.#hands.close() || this.#closesCard();
  }

  /** On the projector how to get in, and answers that are all there, are closed before the view is left. */
  #closesCard() {
    const { state, question } = room;
    const isOver = state?.card === "code" || (state?.card === "poll" && !question?.open);
    if (this.#view !== "projector" || !isOver) return false;
    this.#turn(state.card);
    return true;
  }

  /** Undo or redo an edit of the walk or of Explore; on the projector only edits of numbers. @param {boolean} redo */
  undo(redo) {
    const undo = this.#view === "projector" ? "undo_numbers" : "undo";
    sender.send({ op: redo ? "redo" : undo });
  }

  /** The room's hands are counted; the number that this place computes is hidden until then. */
  countHands() {
    const walk = this.#walk;
    const begins = this.#hands.state === null;
    if (begins && room.state && room.question?.open) return this.#refuseBusy();
    this.#isByHand = true;
    // Where numbers are predicted already, what is revealed stays revealed.
    if (begins && walk.focus.cell && !walk.predictions.on) walk.setPredicting(true, { once: true });
    const { cell, hiding } = walk.focus;
    const own = ownOf(walk.model, walk.step);
    const question = textIn(own.question, walk.model.lang);
    if (cell && !hiding && !question) this.#askWhoFound(cell);
    else this.#hands.ask(question, hiding ? cell : null, choicesIn(own, walk.model.lang));
    this.#counter.setAttribute("aria-expanded", String(Boolean(this.#hands.state)));
  }

  /** Who had found the number that is shown by now. @param {Cell} cell */
  #askWhoFound(cell) {
    const model = this.#model;
    const number = shownAs(model, cell.name, cell.head)(valueAt(model, cell) ?? "");
    this.#hands.ask(fill(model.words.hands_found, { place: nameText(model, cell) }), cell, [number]);
  }

  /** Telephones are asked something: on the projector, too, where no presenter's page is open. */
  ask() {
    if (this.#closeControls()) return;
    if (!room.state) return this.#walk.refuse(this.#words.ask_no_room);
    if (room.question?.open) return this.#refuseBusy();
    this.#hands.close();
    this.#areControlsOpen = this.#view === "projector";
    this.#roomControls.unfold();
    this.#show();
    this.#roomControls.focusQuestion();
  }

  /** Close the room's controls on the projector; whether they were open there. */
  #closeControls() {
    const wasOpen = this.#areControlsOpen;
    this.#areControlsOpen = false;
    if (wasOpen) this.#show();
    return wasOpen;
  }

  /** A question that telephones are being asked is not replaced silently. */
  #refuseBusy() {
    this.#isBusy = true;
    this.#show();
  }

  change() {
    this.#inputEditor.begin();
  }

  /** How to get in, large, or in its corner again. */
  code() {
    if (room.state) this.#turn("code");
  }

  /** On the walk's own page it is followed from now on; before an audience it is already. */
  async #open() {
    room.enter(this.#show);
    await room.open();
    this.#walk.join();
    this.#walk.share();
  }

  #showPlanner() {
    this.#planOpener.setAttribute("aria-expanded", String(this.#planner.isOpen));
  }

  // --- rendering ---------------------------------------------------------------------------------------------------

  #show = () => {
    this.#showTeaching();
    const { state, question, trouble } = room;
    const walk = this.#walk;
    if (!question?.open) this.#isBusy = false;
    if (question?.open || !state || walk.view !== "projector") this.#areControlsOpen = false; // the question takes its place
    const { model, view, focus } = walk;
    const shown = [
      state,
      question,
      trouble,
      model.lang,
      view,
      focus.hiding,
      this.#fitsLink(),
      this.#roomControls.state,
    ];
    const rendered = JSON.stringify([...shown, this.#isBusy, this.#areControlsOpen]);
    if (rendered !== this.#rendered) {
      this.#rendered = rendered;
      redrawn(walk.root, () => this.#render());
    }
    this.#showCounts(room.counts, question);
    this.#makeRoom();
  };

  /** A question to the audience covers nothing: the stage makes room for it, and on the presenter's page the words. */
  #makeRoom() {
    const walk = this.#walk;
    const isPoll = !this.#card.hidden && this.#card.classList.contains("poll");
    const asks = { "": false, projector: isPoll, presenter: !this.#openQuestion.hidden };
    const isAsking = this.#hands.state ? Boolean(walk.view) : asks[walk.view];
    if (isAsking !== walk.root.classList.contains("asking")) {
      walk.root.classList.toggle("asking", isAsking);
      walk.notes?.root.scrollTo(0, 0); // the question is above the button at its end that was pressed
      walk.refit();
    }
    this.#tighten(isAsking);
  }

  /** The window has another size. */
  resized() {
    const { root } = this.#walk;
    this.#renderBars(root, MOST);
    this.#tighten(root.classList.contains("asking"));
  }

  /**
   * A question and its answers are shown whole: with fewer bars where there is less room, then without what is beside
   * them.
   * @param {boolean} isAsking
   */
  #tighten(isAsking) {
    const { root, view } = this.#walk;
    const question = view === "projector" ? this.#card : this.#openQuestion;
    const panel = this.#hands.state ? this.#hands.root : question;
    root.classList.remove("crowded", "cramped");
    for (const { most, classes } of TIGHTER) {
      if (!isAsking || panel.scrollHeight <= panel.clientHeight) return;
      root.classList.add(...classes);
      if (!this.#hands.state) this.#renderBars(panel, most);
    }
  }

  #render() {
    const { state, question } = room;
    const isProjector = this.#view === "projector";
    this.#entry.replaceChildren(this.#entryButton(state));
    this.#renderCard(state);
    this.#closer.hidden = !isClosable(question);
    for (const button of [this.#asker, this.#counter]) // on the projector nothing is offered while an answer is awaited
      button.hidden = isProjector && Boolean(question?.open);
    const asked = this.#questionInSight(state);
    this.#openQuestion.replaceChildren(
      ...(asked && state ? [...this.#presented(state, asked), ...this.#alert()] : []),
    );
    this.#openQuestion.hidden = !asked;
    this.#address.replaceChildren(...(state ? [addressOf(state), this.#endButton()] : []));
    const alert = asked || isProjector ? [] : this.#alert();
    this.#roomControls.root.replaceChildren(
      ...alert,
      ...(state ? [this.#roomControls.parts(this.#model, state)] : []),
    );
    const last = asked || isProjector ? null : question;
    this.#lastQuestion.replaceChildren(
      ...(state && last ? [...this.#poll(last), this.#answersButton(state)] : []),
    );
    this.#roomControls.root.hidden = isProjector && !this.#areControlsOpen;
    this.#asker.setAttribute("aria-expanded", String(this.#areControlsOpen));
  }

  /** @param {RoomState | null} state */
  #renderCard(state) {
    const { classList } = this.#card;
    this.#card.replaceChildren(...this.#cardParts(state));
    this.#card.hidden = !this.#card.firstChild;
    classList.toggle("corner", state?.card === "corner" && !this.#alert().length);
    classList.toggle("poll", Boolean(this.#card.querySelector(".bars")));
    classList.toggle("entering", Boolean(this.#card.querySelector(".entrance")));
  }

  /** Whether a link holds the numbers: those that it does not hold are not followed. */
  #fitsLink() {
    const { example, s } = this.#model.address;
    return Boolean(example || s);
  }

  #alert() {
    const tooLarge = room.state && !this.#fitsLink() ? "room_too_large" : "";
    const trouble = room.trouble || (this.#isBusy ? "question_busy" : tooLarge);
    return trouble ? [element("p", { role: "alert" }, this.#words[trouble])] : [];
  }

  /** The button that opens the room, and then shows how to get in. @param {RoomState | null} state */
  #entryButton(state) {
    const words = this.#words;
    if (!state) return walkButton("room follow", () => this.#open(), {}, words.follow_me);
    const label = { "aria-label": `${words.room} ${state.code}` };
    const following = span("following", "0");
    return walkButton("room follow", () => this.#turn("code"), label, state.code, " · ", following);
  }

  /**
   * Show this card; where it is shown already, what it lies over, or how to get in, in its corner.
   * @param {RoomCard} card
   */
  #turn(card) {
    const { state } = room;
    room.show(state?.card === card ? state.under || "corner" : card);
  }

  /** @param {RoomState | null} state */
  #cardParts(state) {
    const { dismiss } = this.#words;
    const named = { class: "round", title: dismiss, "aria-label": dismiss };
    const close = walkButton("room card", () => this.#dismissCard(), named, "✕");
    const { question, trouble } = room;
    const alert = this.#alert();
    const busy = this.#isBusy ? alert : [];
    if (state?.card === "poll" && question)
      return [...this.#poll(question), ...busy, addressOf(state), close];
    if (state?.card === "code" && !trouble)
      return [...entrance(this.#words, state, this.#endButton()), ...alert, close];
    if (trouble || busy.length || (state?.card === "corner" && alert.length)) return [...alert, close];
    return state?.card === "corner" ? [addressOf(state)] : [];
  }

  #dismissCard() {
    this.#isBusy = false;
    room.show(room.state?.under ?? "");
    this.#show(); // also where no room could be opened
  }

  #endButton() {
    const { room_end: label, room_end_sure: sure } = this.#words;
    const say = (/** @type {string} */ text) => this.#walk.announce(text);
    return confirmButton({ data: { focus: "room end" } }, label, sure, () => room.end(), say);
  }

  /** @param {Question} question */
  #title(question) {
    return element("h3", {}, ...questionNodes(this.#model, question, this.#words));
  }

  /** @param {Question} question */
  #poll(question) {
    return [this.#title(question), div("bars"), p("answered")];
  }

  // --- on the presenter's page -------------------------------------------------------------------------------------

  /**
   * The question that is shown above the presenter's notes: while it is open, or its answers are on the projector.
   * @param {RoomState | null} state
   */
  #questionInSight(state) {
    const { question } = room;
    const isShown = this.#view === "presenter" && (question?.open || state?.card === "poll");
    return state && isShown ? question : null;
  }

  /**
   * A question, first of all what can be done about it.
   * @param {RoomState} state
   * @param {Question} question
   */
  #presented(state, question) {
    const close = walkButton("room close", () => room.close(), {}, this.#words.question_close);
    const acts = [...(isClosable(question) ? [close] : []), this.#answersButton(state), p("answered")];
    return [this.#title(question), span("group", ...acts), div("bars")];
  }

  /** @param {RoomState} state */
  #answersButton(state) {
    const isShown = state.card === "poll" && room.showsCounts;
    const toggle = () => (room.question?.open ? room.showEarly(!isShown) : this.#turn("poll"));
    const attributes = { "aria-pressed": String(isShown) };
    return walkButton("room show poll", toggle, attributes, this.#words.answers_show);
  }

  /**
   * Counts change often, and nothing else is rendered for them.
   * @param {AnswerCounts} counts
   * @param {Question | null} question
   */
  #showCounts(counts, question) {
    const words = this.#words;
    const { root } = this.#walk;
    const put = (/** @type {string} */ selector, /** @type {string} */ text) => {
      for (const node of root.querySelectorAll(selector)) node.textContent = text;
    };
    put(".following", String(counts.listeners));
    put(".followers", fill(words.room_followers, { count: counts.listeners }));
    if (!question) return;
    const given = Object.values(counts.answers).reduce((sum, count) => sum + count, counts.others);
    put(".answered", fill(words.answered, { count: given, all: counts.listeners }));
    this.#renderBars(root, MOST);
  }

  /**
   * @param {Element} within
   * @param {number} most numbers that have a bar each
   */
  #renderBars(within, most) {
    const { question, counts } = room;
    if (!question) return;
    const { model, focus } = this.#walk;
    const known = rightOf(model, question); // also while nobody is to know: numbers may be edited once it is closed
    const right = question.open || focus.hiding ? null : known;
    for (const node of within.querySelectorAll(".bars")) {
      const isShown = room.showsCounts || !this.#card.contains(node);
      const choices = question.choices.length ? [choiceList(question)] : [];
      node.replaceChildren(
        ...(isShown ? [histogram(bars(question, counts, right, most), this.#words)] : choices),
      );
    }
  }
}

/** Whether a press closes a question: a number's ends as it is revealed. @param {Question | null} question */
const isClosable = (question) => Boolean(question?.open && !question.cell);
