// The matrix bench: edit and see the whole computation. Streamlit calls the default export with every answer.

import { Address } from "../kit/address.js";
import { drawnForHall, isInHall, MOST_IN_HALL, onHall, onHallLaidOut } from "../kit/audience.js";
import { active, announcer, element, named, setAttribute } from "../kit/dom.js";
import { Folds, MOST_UNFOLDED } from "../kit/folding.js";
import { isEditable, key, rowsOf, unkey } from "../kit/graph.js";
import { Explain } from "../kit/line.js";
import { mounting } from "../kit/mount.js";
import { pictures } from "../kit/pictures.js";
import { cellAt } from "../kit/selection.js";
import { sender } from "../kit/sender.js";
import { ofTab } from "../kit/storage.js";
import { structureOf } from "../kit/tables.js";
import { About } from "./about.js";
import { FillMenu } from "./editing/fill.js";
import { Grid } from "./editing/grid.js";
import { History, isReload } from "./editing/history.js";
import { Newest, overlay } from "./editing/newest.js";
import { Practice } from "./exercise/practice.js";
import { Start } from "./first_steps/first_steps.js";
import { Chips } from "./heads/head_chips.js";
import { Shown } from "./heads/shown_heads.js";
import { Compared } from "./last_edit.js";
import { Looking } from "./looking.js";
import { MessageLine } from "./notice.js";
import { Overview } from "./overview/overview.js";
import { Bar } from "./phone_bar.js";
import { Legend } from "./scale.js";
import { Acts } from "./toolbar/actions.js";
import { Controls } from "./toolbar/toolbar.js";
import { Verdict } from "./verdict.js";

const AGE = 120; // ms after which what was found of earlier numbers is greyed

/** One for the page: Streamlit may mount the bench anew at any time, and no edit may go with the old one. */
const history = new History(ofTab);
window.addEventListener("pagehide", () => history.flush(sender.pending));

export class Bench {
  /** @type {BenchModel} */
  model = null;
  /** @type {import("../kit/tables.js").View} */
  view = null;
  words = null;
  grid = new Grid(this);
  #structure = "";
  #gone = new AbortController(); // its signal takes every listener outside the bench away
  #sought = null; // the cell to go to once the answer to what was sent is here
  #address = new Address(() => this.settled());
  #aging = 0;
  #folds = new Folds();
  newest = new Newest(this);
  compared = new Compared(this);
  shown = new Shown(this);
  #messageLine = new MessageLine((edit) => this.#accept(edit));
  #about = new About();
  #resized = new ResizeObserver(() => this.shown.refit());
  #waiting = []; // who wants to know when every edit has been answered

  constructor(parent) {
    this.root = element("div", { class: "bench", role: "region" });
    this.live = announcer();
    this.live.classList.add("heard");
    this.tables = element("div", { class: "tables" });
    parent.append(this.root);
    this.#resized.observe(this.tables);
    this.grid.listen(this.tables);
    this.looking = new Looking(this);
    this.tables.addEventListener("focusout", () => this.looking.rest());
    this.tables.addEventListener("focusin", ({ target }) => this.practice?.reached(cellAt(target)));
    const { signal } = this.#gone;
    this.acts = new Acts(this, this.grid, signal);
    const leaving = (event) => {
      this.#address.flush();
      if (this.model?.unsaved) event.preventDefault(); // the address cannot hold this work: the browser asks
    };
    window.addEventListener("beforeunload", leaving, { signal });
    const hurry = (event) => event.composedPath().includes(this.root) || sender.hurry();
    for (const type of ["pointerdown", "focusin"])
      document.addEventListener(type, hurry, { signal, capture: true });
    for (const type of ["pagehide", "blur"]) window.addEventListener(type, () => sender.hurry(), { signal });
    pictures.enter(this);
    onHall(() => this.#inHall(), signal);
    onHallLaidOut(() => this.shown.refit(), signal);
    this.#inHall();
  }

  /** Before an audience larger tables are folded. */
  #inHall() {
    this.root.classList.toggle("in-hall", isInHall());
    this.#folds = new Folds(isInHall() ? MOST_IN_HALL : MOST_UNFOLDED);
    if (this.view) this.relay();
  }

  unmount() {
    this.#gone.abort();
    clearTimeout(this.#aging);
    this.#resized.disconnect();
    this.#address.stop();
    this.compared.stop();
    this.newest.live.stop();
    this.overview?.stop();
    this.start?.stop();
    pictures.leave(this);
    sender.retire(this);
    this.root.remove();
  }

  update({ data, setStateValue }) {
    const post = (sent) => setStateValue("edits", { ...sent, held: history.heldIn(sent.session) });
    sender.receive(data, post, this);
    if (data.opened !== this.model?.opened) this.#anew();
    const structure = structureOf(data);
    const grown = data.opened === this.model?.opened && data.dims.h > this.model.dims.h;
    const first = this.model === null;
    this.newest.take(data, structure === this.#structure);
    if (data.words.lang !== this.words?.lang) this.#setWords(data.words);
    if (first && data.pinned) this.#keepInSight(data.pinned);
    if (grown) this.shown.add(data.dims.h - 1);
    if (structure !== this.#structure || this.practice.isStale(data)) this.#rebuild(structure);
    else this.view.patch(data, this.grid.drafts);
    this.overview.update(data);
    if (grown && this.shown.isSingle) this.overview.bring(data.dims.h - 1);
    this.#about.show(this.model, this.words.plainly, this.newest.previewed !== null);
    this.compared.update();
    this.controls.update(data);
    this.bar.update(data);
    this.legend.update(data);
    this.root.classList.toggle("through", Boolean(data.lens));
    this.#check();
    this.root.classList.toggle("checking", Boolean(data.check));
    this.root.classList.toggle("practising", Boolean(data.check?.practice));
    const pinning = sender.pending.findLast((edit) => edit.op === "pin");
    this.looking.pinned = pinning?.op === "pin" ? pinning.cell : data.pinned;
    this.#messageLine.update(data, this.words);
    this.looking.rest();
    if (!sender.pending.length) this.#keepWork(data);
    this.start.update(data);
    this.busy();
    if (!sender.pending.length)
      for (const resolve of this.#waiting.splice(0)) resolve({ unsaved: data.unsaved });
    if (this.#sought && !sender.pending.length) this.#reach(this.#sought);
    this.practice.enter();
  }

  /** Nothing that was typed or said here is about the example that comes now. */
  #anew() {
    this.grid.drafts.clear();
    this.#messageLine.forget();
    this.shown.forget();
  }

  /** The address bar holds the work, and this tab its history: one of before a reload goes back to the server. */
  #keepWork(data) {
    const { searchParams: asked } = new URL(location.href);
    this.#address.keep(data.bar);
    const kept = history.update(data);
    if (kept) sender.send({ op: "recall", history: kept });
    const isOver = !isReload() && (asked.has("s") || asked.has("example")); // another link was opened
    if (isOver) return;
    for (let n = 0; kept && n < history.ahead; n++) sender.send({ op: "redo" });
    for (const edit of history.takeUnconfirmed()) sender.send(edit);
  }

  /**
   * The live channel has answered: paint it.
   * @param {Iterable<string>} names of the matrices that have changed
   */
  painted(names) {
    const { model } = this;
    this.#age(true);
    this.view.patchCaptions(model);
    this.patch(names);
    this.legend.update(model);
    this.#check();
    this.overview.patch(model);
    this.#about.show(model, this.words.plainly, this.newest.previewed !== null);
    this.compared.soon();
    this.looking.rest();
    this.busy();
  }

  /** What is found of somebody's own numbers: told all at once, or step by step in an exercise. */
  #check() {
    const { check, address } = this.model;
    this.verdict.update(check?.practice ? null : check, address);
    this.practice.update(this.model);
  }

  /** While a hand moves the numbers, the verdict keeps its height: the tables below it must not slip away. */
  #holdVerdict(hand) {
    const { root } = this.verdict;
    if (Boolean(root.style.height) === hand) return;
    root.style.height = hand && root.offsetHeight ? `${root.offsetHeight}px` : "";
  }

  /** Go to the mask that is now to be painted, which may stand far below, and say what to do there. */
  #reach(cell) {
    this.#sought = null;
    if (!this.view.cells.has(key(cell))) return;
    this.goTo(cell);
    this.say(this.words.paint_here);
  }

  send(edit) {
    if (edit.op === "mask" && edit.kind === "painted")
      this.#sought = { name: "mask", head: null, row: 0, col: 0 };
    if (["undo", "redo", "reset"].includes(edit.op)) this.grid.drafts.clear();
    if (edit.op === "reset") this.compared.forget();
    else if (!this.newest.previewed && edit.op !== "pin") this.compared.remember();
    this.#inHand(false);
    this.newest.send(edit);
    this.busy();
    overlay(this.model, edit);
    this.repaint(edit.matrix);
    if (edit.op === "set") this.start.did("edited");
    if (edit.op.endsWith("sentence")) {
      this.shown.renew();
      this.start.did("rewritten");
    }
  }

  /**
   * Show what an edit would do while it is being made; `null`: it is taken back. It is sent when the hand lets go.
   * @param {Record<string, any> | null} edit
   */
  preview(edit) {
    if (edit) this.compared.unmark();
    if (edit && !this.newest.previewed) this.compared.remember();
    this.#inHand(edit !== null);
    this.newest.preview(edit);
    if (edit) this.show(edit);
    this.busy();
  }

  /** A number is in the hand, or no longer. */
  #inHand(hand) {
    this.view.isInHand = hand;
    this.overview.byHand(hand);
    this.#holdVerdict(hand);
  }

  /** Tell who cannot see it what a number is now. */
  announce(place, number) {
    this.announceText(`${place.replaceAll("_", "")} = ${number}`);
  }

  announceText(text) {
    this.live.textContent = text;
  }

  /** Lay the tables out anew. */
  relay() {
    this.#rebuild(this.#structure);
  }

  /** What there is to say of the work, once every edit has been answered. */
  settled() {
    if (!sender.pending.length) return { unsaved: this.model.unsaved };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Whether the numbers shown answer every edit so far, and the page has kept them; styles and tests read it. */
  busy() {
    const { pending } = sender;
    const { isAnswered: answered, live, previewed } = this.newest;
    const isBehind = Boolean(this.view?.isBehind);
    this.root.setAttribute("aria-busy", String(!answered || isBehind));
    this.#age(answered && !(previewed && live.state === "busy"));
    this.root.dataset.kept = String(pending.length === 0);
    this.root.dataset.live = isBehind ? "busy" : live.state;
    setAttribute(this.verdict.root, "aria-busy", previewed && "true"); // read out once the hand lets go
    pictures.follow(pending.length || previewed ? null : this.model.revision);
  }

  /** Grey what was found of earlier numbers, unless what is found of these comes before one sees it. */
  #age(fresh) {
    if (fresh) {
      clearTimeout(this.#aging);
      this.#aging = 0;
      this.root.classList.remove("behind");
    } else this.#aging ||= setTimeout(() => this.root.classList.add("behind"), AGE);
  }

  /** Show the numbers of one matrix anew. */
  repaint(name) {
    if (!this.model.matrices[name]) return;
    this.patch([name]);
    this.overview.patch(this.model);
  }

  /** Bring the numbers of these matrices up to date. */
  patch(names) {
    if (this.newest.previewed) this.view.followNumbers(this.model, names, this.grid.drafts);
    else this.view.patchNumbers(this.model, names, this.grid.drafts);
  }

  /** Show an edit that is not finished, without sending it. */
  show(edit) {
    overlay(this.model, edit);
    this.repaint(edit.matrix);
  }

  /**
   * @param {string} text
   * @param {string} [kind]
   * @param {string | string[]} [place]
   */
  say(text, kind = "info", place = "") {
    this.#messageLine.say(text, kind, place);
  }

  clearMessage() {
    this.#messageLine.clear();
  }

  pin(cell) {
    this.looking.pin(cell);
  }

  unpin() {
    this.looking.unpin();
  }

  /** Tell what is right in the place of the number that is explained, to who cannot see it as well. */
  solve() {
    this.explain.solve();
    this.announceText(this.explain.text());
  }

  /** Bring a cell into view and give it the focus; where it is folded away it is unfolded. */
  goTo(cell) {
    if (!this.view.cells.has(key(cell))) this.practice.reach(cell);
    this.shown.show(cell.head);
    this.view.reveal([cell]);
    const td = this.view.cells.get(key(cell));
    this.bring(td);
    td?.focus({ preventScroll: true });
  }

  /**
   * Scroll something into view; what comes to lie beneath the pointer is not meant.
   * @param {HTMLElement} [node]
   * @param {ScrollBehavior} [behavior]
   * @param {ScrollLogicalPosition} [block] where in the window
   */
  bring(node, behavior = "auto", block = "center") {
    const go = () => {
      this.looking.pointing.rest();
      node?.scrollIntoView({ block, inline: "nearest", behavior });
    };
    go();
    // Tables that come into view take their true size, and push it away again.
    if (behavior === "auto") requestAnimationFrame(() => requestAnimationFrame(go));
  }

  // --- building --------------------------------------------------------------------------------------------------

  #setWords(words) {
    this.words = words;
    this.#structure = "";
    this.#messageLine.forget(); // it was said in another language
    this.controls = new Controls(this);
    this.verdict = new Verdict(this, words);
    this.practice = new Practice(this);
    this.legend = new Legend(words);
    this.explain = new Explain(
      words,
      {
        unpin: () => this.unpin(),
        hold: (cell) => this.looking.chosen(cell),
        go: (cell) => this.looking.goTo(cell),
        traced: (path, begun) => this.looking.traced(path, begun),
        mask: this.model.check ? undefined : (pair, hides) => this.#mask(pair, hides),
      },
      this.#messageLine.root,
      this.legend.root,
    );
    this.menu = new FillMenu(this);
    this.chips = new Chips(words);
    this.overview?.stop();
    this.overview = new Overview(this, words);
    this.bar = new Bar(this, words, this.#gone.signal);
    this.explain.root.append(this.bar.root);
    this.start?.stop();
    this.start = new Start(this, words);
    this.root.setAttribute("aria-label", words.bench);
    document.documentElement.lang = this.root.lang = words.lang; // Share says it too, which an embedded page lacks
    this.root.replaceChildren(
      element("p", { class: "lead", hidden: Boolean(this.model.check) }, words.lead),
      this.#about.root,
      this.start.live,
      this.start.root,
      this.start.ring,
      this.start.also,
      this.overview.slim.place,
      this.overview.root,
      this.controls.root,
      this.verdict.root,
      this.practice.root,
      this.chips.root,
      this.tables,
      this.explain.root,
      this.menu.root,
      this.live,
    );
  }

  #rebuild(structure) {
    const held = this.grid.heldEditor();
    const focus = active(this.root)?.closest("[data-focus]")?.getAttribute("data-focus");
    this.grid.rebuilt();
    this.#structure = structure;
    this.shown.measure();
    for (const draft of [...this.grid.drafts.keys()])
      if (!this.#isInput(unkey(draft))) this.grid.drafts.delete(draft);
    this.view = this.practice.view(this.model, { folds: this.#folds, heads: this.shown.heads });
    this.view.patch(this.model, this.grid.drafts);
    this.view.isInHand = this.newest.previewed !== null;
    this.tables.replaceChildren(this.view.root);
    this.chips.update(this.model, this.view.heads);
    this.practice.update(this.model);
    if (held && this.#isInput(held.cell)) this.grid.resume(held);
    else if (focus) this.#refocus(focus);
    drawnForHall();
  }

  /** What an address leads to is shown from the start. */
  #keepInSight(cell) {
    this.#folds.keep([cell]);
    this.shown.measure();
    if (cell.head !== null) this.shown.choose(cell.head);
  }

  /** Give the focus back to what had it; where that is gone, to what stands before it. */
  #refocus(name) {
    const before = name.replace(/(\d+)$/, (index) => Math.max(0, index - 1));
    (
      named(this.root, name) ??
      named(this.root, before) ??
      this.tables.querySelector("td[tabindex='0']")
    )?.focus();
  }

  #isInput({ name, head, row, col }) {
    const matrix = this.model.matrices[name];
    return Boolean(
      matrix &&
        isEditable(this.model, name, head) &&
        rowsOf(this.model, name, head)?.[row]?.[col] !== undefined,
    );
  }

  /** Do what the message offers. */
  #accept(edit) {
    this.goTo({ name: edit.matrix, head: edit.head ?? null, row: edit.row, col: edit.col });
    this.clearMessage();
    this.send(edit);
  }

  /** Hide a pair or let it attend again; where there is no mask it is one of this pair alone. */
  #mask({ row, col }, hides) {
    const adds = typeof this.model.matrices.mask?.values[row][col] !== "boolean" && this.model.matrices.mask;
    const value = adds ? (hides ? "-inf" : 0) : !hides;
    this.send({ op: "set", matrix: "mask", head: null, row, col, values: [[value]] });
  }

  /** The weight that the last edit has moved most, if one. */
  get moved() {
    return this.compared.most;
  }

  get explained() {
    return this.looking.explained;
  }

  swiped(head) {
    this.shown.swiped(head);
  }

  pointed(cell) {
    this.looking.pointed(cell);
  }

  chosen(cell) {
    this.looking.chosen(cell);
  }
}

export default mounting(({ parentElement }) => new Bench(parentElement));
