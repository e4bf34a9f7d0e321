// The matrix bench: edit and see the whole computation. Streamlit calls the default export with every answer.

import { Address } from "../mha.web/address.js";
import { active, announcer, element, fill, named, setAttribute } from "../mha.web/dom.js";
import { Folds, MOST_UNFOLDED } from "../mha.web/folding.js";
import { isEditable, isPerHead, key, rowsOf, unkey } from "../mha.web/graph.js";
import { drawnForHall, isInHall, MOST_IN_HALL, onHall, onLaid } from "../mha.web/hall.js";
import { Explain } from "../mha.web/line.js";
import { Live, layOver, laySeen } from "../mha.web/live.js";
import { mounting } from "../mha.web/mount.js";
import { movedIn, remembered, toldMoved } from "../mha.web/moved.js";
import { pictures } from "../mha.web/pictures.js";
import { cellAt } from "../mha.web/selection.js";
import { sender } from "../mha.web/sender.js";
import { structureOf } from "../mha.web/tables.js";
import { About } from "./about.js";
import { Acts } from "./acts.js";
import { Bar } from "./bar.js";
import { Controls } from "./controls.js";
import { FillMenu } from "./fill.js";
import { Grid } from "./grid.js";
import { Chips } from "./heads.js";
import { History, isReload } from "./history.js";
import { Legend } from "./legend.js";
import { Looking } from "./looking.js";
import { Overview } from "./overview.js";
import { Practice } from "./practice.js";
import { Said } from "./said.js";
import { Shown } from "./shown.js";
import { Start } from "./start.js";
import { Verdict } from "./verdict.js";

const REST = 150; // ms without new numbers, after which it is told what the last edit has moved
const AGE = 120; // ms after which what was found of earlier numbers is greyed

/** One for the page: Streamlit may mount the bench anew at any time, and no edit may go with the old one. */
const history = new History(() => sessionStorage);
window.addEventListener("pagehide", () => history.flush());

export class Bench {
  /** @type {BenchModel} */
  model = null;
  /** @type {import("../mha.web/tables.js").View} */
  view = null;
  words = null;
  #grid = new Grid(this);
  #structure = "";
  #gone = new AbortController(); // its signal takes every listener outside the bench away
  #sought = null; // the cell to go to once the answer to what was sent is here
  #previewed = null; // an edit that is being made
  #before = null; // the numbers before the last edit
  #address = new Address(() => this.settled());
  #live = new Live({
    painted: (header, numbers) => this.#painted(header, numbers),
    drawn: (figures) => pictures.answered(figures),
    asking: () => ({ ...this.model.asks, ...pictures.asked }),
    lost: () => this.#lost(),
    stirred: () => this.#busy(),
  });
  #seen = null; // what the lens shows of the last numbers that came by the live channel
  #aging = 0;
  #folds = new Folds();
  #shown = new Shown(this);
  #said = new Said((edit) => this.#accept(edit));
  #about = new About();
  #resized = new ResizeObserver(() => this.#refit());
  #resting = 0; // until it is told what the last edit has moved
  #waiting = []; // who wants to know when every edit has been answered

  constructor(parent) {
    this.root = element("div", { class: "bench", role: "region" });
    this.live = announcer();
    this.live.classList.add("heard");
    this.tables = element("div", { class: "tables" });
    parent.append(this.root);
    this.#resized.observe(this.tables);
    this.#grid.listen(this.tables);
    this.looking = new Looking(this);
    this.tables.addEventListener("focusout", () => this.looking.rest());
    this.tables.addEventListener("focusin", ({ target }) => this.practice?.reached(cellAt(target)));
    const { signal } = this.#gone;
    this.acts = new Acts(this, this.#grid, signal);
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
    onLaid(() => this.#refit(), signal);
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
    clearTimeout(this.#resting);
    this.#resized.disconnect();
    this.#address.stop();
    this.#live.stop();
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
    this.#take(data, structure === this.#structure);
    if (data.words.lang !== this.words?.lang) this.#setWords(data.words);
    if (first && data.pinned) this.#keepInSight(data.pinned);
    if (grown) this.#shown.show(data.dims.h - 1);
    if (structure !== this.#structure || this.practice.isStale(data)) this.#rebuild(structure);
    else this.view.patch(data, this.#grid.drafts);
    this.overview.update(data);
    if (grown && this.#shown.fits === 1) this.overview.bring(data.dims.h - 1);
    this.#about.show(this.model, this.words.plainly, this.#previewed !== null);
    if (this.#before) this.#compareSoon();
    else this.#compare();
    this.controls.update(data);
    this.bar.update(data);
    this.legend.update(data);
    this.root.classList.toggle("through", Boolean(data.lens));
    this.#check();
    this.root.classList.toggle("checking", Boolean(data.check));
    this.root.classList.toggle("practising", Boolean(data.check?.practice));
    const pinning = sender.pending.findLast((edit) => edit.op === "pin");
    this.looking.pinned = pinning ? pinning.cell : data.pinned;
    this.#said.update(data, this.words);
    this.looking.rest();
    if (!sender.pending.length) this.#keepWork(data);
    this.start.update(data);
    this.#busy();
    this.#tell();
    if (!sender.pending.length)
      for (const resolve of this.#waiting.splice(0)) resolve({ unsaved: data.unsaved });
    if (this.#sought && !sender.pending.length) this.#reach(this.#sought);
    this.practice.enter();
  }

  /**
   * Take the page's numbers, unless newer ones have come by the live channel: those of edits that this answer lacks.
   * @param {BenchModel} data
   * @param {boolean} steady
   */
  #take(data, steady) {
    const pending = this.#previewed ? [...sender.pending, this.#previewed] : sender.pending;
    const answered =
      steady && pending.length > 0 && this.#live.takes(pending) && this.#live.answered > data.ack;
    const newer = answered && JSON.stringify(data.asks) === JSON.stringify(this.model.asks);
    if (newer) this.#keep(data);
    if (data.opened !== this.model?.opened || !sameSizes(data, this.model)) this.#before = null;
    data.before = this.#before && this.model.before;
    this.model = data;
    for (const edit of pending) overlay(data, edit);
    this.#live.settle(data.whole ? { s: data.whole } : data.address, data.ack, newer);
    if (pending.length && !newer && this.#isLive(pending)) this.#live.ask(pending, this.#seq);
  }

  /** Nothing that was typed or said here is about the example that comes now. */
  #anew() {
    this.#grid.drafts.clear();
    this.#said.forget();
  }

  /** The address bar holds the work, and this tab its history: one of before a reload goes back to the server. */
  #keepWork(data) {
    const { searchParams: asked } = new URL(location.href);
    this.#address.keep(data.address);
    const kept = history.update(data);
    if (!kept) return;
    sender.send({ op: "recall", history: kept });
    if (!isReload() && (asked.has("s") || asked.has("example"))) return;
    for (let n = 0; n < history.ahead; n++) sender.send({ op: "redo" });
  }

  /** Lay what the live channel has answered, and is shown, over an answer of the page that is older. */
  #keep(data) {
    const { matrices, dead, shifts, constants, about, about_ours, looks } = this.model;
    for (const [name, matrix] of Object.entries(data.matrices)) {
      const { values, symbol: letter, formula } = matrices[name];
      Object.assign(matrix, { values, symbol: letter, formula });
    }
    Object.assign(data, { dead, shifts, constants, about, about_ours, looks });
    if (this.#seen) laySeen(data, this.#seen);
  }

  /** The number of what is to be shown: between two edits, while the next one is being made. */
  get #seq() {
    return sender.last + (this.#previewed ? 0.5 : 0);
  }

  /** Whether the live channel can answer these edits: with a first divisor or mask, or without one, there are other tables. */
  #isLive(edits) {
    const { constants, matrices } = this.model;
    const stays = ({ op, matrix }) =>
      op === "scale" ? constants.divisor !== null : matrix !== "mask" || Boolean(matrices.mask);
    return this.#live.takes(edits) && edits.every(stays);
  }

  /** Paint what the live channel has answered. */
  #painted({ blocks = [], captions = {}, about, seen, id: _, ...marks }, numbers) {
    const { model } = this;
    Object.assign(model, marks);
    if (about !== undefined && about !== model.about) Object.assign(model, { about, about_ours: false });
    for (const [name, caption] of Object.entries(captions))
      Object.assign(model.matrices[name] ?? {}, caption);
    const changed = layOver(model, blocks, numbers);
    const hand = this.#previewed ? [{ ...this.#previewed, seq: this.#seq }] : [];
    // Meanwhile the hand has gone on.
    for (const edit of [...sender.pending, ...hand]) if (edit.seq > this.#live.answered) overlay(model, edit);
    this.#seen = seen;
    this.#age(true);
    if (seen) laySeen(model, seen);
    this.view.patchCaptions(model);
    this.#patch(seen ? Object.keys(model.matrices) : changed);
    this.legend.update(model);
    this.#check();
    this.overview.patch(model);
    this.#about.show(this.model, this.words.plainly, this.#previewed !== null);
    this.#compareSoon();
    this.looking.rest();
    this.#busy();
  }

  /** What is found of somebody's own numbers: told all at once, or step by step in an exercise. */
  #check() {
    const { check, address } = this.model;
    this.verdict.update(check?.practice ? null : check, address);
    this.practice.update(this.model);
  }

  /** What the last edit has moved is told once the numbers rest: they come first, and a hand may still move them. */
  #compareSoon() {
    clearTimeout(this.#resting);
    const act = () => (this.#live.state === "busy" ? this.#compareSoon() : this.#compare());
    this.#resting = setTimeout(act, REST);
  }

  #compare() {
    const { model } = this;
    const isNew = this.#before && !model.before;
    if (isNew) model.before = this.#before;
    this.view.patchNumbers(model, isNew ? Object.keys(model.matrices) : [], this.#grid.drafts);
    this.overview.compare(model);
    this.chips.draw(model);
    this.overview.say(this.#before ? toldMoved(model, this.words) : "");
    this.#busy();
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
    if (["undo", "redo", "reset"].includes(edit.op)) this.#grid.drafts.clear();
    if (edit.op === "reset") this.#forget();
    else if (!this.#previewed && edit.op !== "pin") this.#remember();
    this.#previewed = null;
    this.view.isInHand = false;
    this.overview.byHand(false);
    this.#holdVerdict(false);
    const live = this.#isLive([...sender.pending, edit]);
    sender.send(edit, live ? () => this.#live.state === "busy" : null);
    if (live) this.#live.ask(sender.pending, sender.last);
    this.#busy();
    overlay(this.model, edit);
    this.repaint(edit.matrix);
    if (edit.op === "set") this.start.did("edited");
    if (edit.op.endsWith("sentence")) this.start.did("rewritten");
  }

  /**
   * Show what an edit would do while it is being made; `null`: it is taken back. It is sent when the hand lets go.
   * @param {Record<string, any> | null} edit
   */
  preview(edit) {
    if (edit) this.#unmark();
    if (edit && !this.#previewed) this.#remember();
    this.#previewed = edit;
    this.view.isInHand = edit !== null;
    this.overview.byHand(edit !== null);
    this.#holdVerdict(edit !== null);
    const edits = edit ? [...sender.pending, edit] : sender.pending;
    if (this.#isLive(edits)) this.#live.ask(edits, this.#seq);
    if (edit) this.show(edit);
    this.#busy();
  }

  /**
   * What an edit is about to move is compared with how it stands now. What the last one has moved stays marked until
   * the answer is painted: to unmark it now would lay out every table twice.
   */
  #remember() {
    if (this.model.check) return; // there the marks say what is right
    this.model.before = null;
    this.#before = remembered(this.model);
  }

  /** Where everything begins anew nothing has moved. */
  #forget() {
    this.model.before = this.#before = null;
  }

  /** While numbers move none is marked as moved. */
  #unmark() {
    if (!this.model.before) return;
    this.model.before = null;
    this.view.patchNumbers(this.model, Object.keys(this.model.matrices), this.#grid.drafts);
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

  /** Once these numbers are painted, and nothing newer is on its way: pictures may follow. */
  #tell() {
    const { revision } = this.model;
    requestAnimationFrame(() =>
      setTimeout(() => {
        if (revision === this.model.revision && !sender.pending.length)
          window.dispatchEvent(new CustomEvent("mha-painted", { detail: revision }));
      }),
    );
  }

  /** The page must answer in place of the live channel: what waits, or else what stands there. */
  #lost() {
    if (sender.pending.length) sender.hurry();
    else if (!this.#previewed) sender.send({ op: "pin", cell: this.looking.pinned });
  }

  /** Whether the numbers shown answer every edit so far, and the page has kept them; styles and tests read it. */
  #busy() {
    const { pending, last } = sender;
    const takenBack = !this.#previewed && this.#live.answered > last; // what was tried and given up still stands there
    const answered =
      !takenBack && (pending.length === 0 || (this.#isLive(pending) && this.#live.answered === last));
    const isBehind = Boolean(this.view?.isBehind);
    this.root.setAttribute("aria-busy", String(!answered || isBehind));
    this.#age(answered && !(this.#previewed && this.#live.state === "busy"));
    this.root.dataset.kept = String(pending.length === 0);
    this.root.dataset.live = isBehind ? "busy" : this.#live.state;
    setAttribute(this.verdict.root, "aria-busy", this.#previewed && "true"); // read out once the hand lets go
    pictures.follow(pending.length || this.#previewed ? null : this.model.revision);
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
    this.#patch([name]);
    this.overview.patch(this.model);
  }

  /** Bring the numbers of these matrices up to date. */
  #patch(names) {
    if (this.#previewed) this.view.followNumbers(this.model, names, this.#grid.drafts);
    else this.view.patchNumbers(this.model, names, this.#grid.drafts);
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
    this.#said.say(text, kind, place);
  }

  clearMessage() {
    this.#said.clear();
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
    this.showHead(cell.head);
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
    this.#said.forget(); // it was said in another language
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
      this.#said.root,
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
    this.root.lang = words.lang;
    this.root.replaceChildren(
      element("p", { class: "lead", hidden: Boolean(this.model.check) }, words.lead),
      this.#about.root,
      this.start.said,
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
    const held = this.#grid.heldEditor();
    const focus = active(this.root)?.closest("[data-focus]")?.dataset.focus;
    this.#grid.rebuilt();
    this.#structure = structure;
    this.#shown.measure();
    for (const draft of [...this.#grid.drafts.keys()])
      if (!this.#isInput(unkey(draft))) this.#grid.drafts.delete(draft);
    this.view = this.practice.view(this.model, { folds: this.#folds, heads: this.#shown.heads });
    this.view.patch(this.model, this.#grid.drafts);
    this.view.isInHand = this.#previewed !== null;
    this.tables.replaceChildren(this.view.root);
    this.chips.update(this.model, this.view.heads);
    this.practice.update(this.model);
    if (held && this.#isInput(held.cell)) this.#grid.resume(held);
    else if (focus) this.#refocus(focus);
    drawnForHall();
  }

  // --- heads -----------------------------------------------------------------------------------------------------

  /** Another width: other heads may fit; not while a number is in the hand. */
  #refit() {
    if (!this.root.isConnected) return; // a page that is left has neither widths nor colours
    if (!this.view || this.#previewed || this.#grid.editing) return;
    if (!this.tables.clientWidth) return; // nor does one that is not on the screen before an audience
    this.#shown.measure();
    this.#reshow();
  }

  /** Have the tables of the heads that are to be shown, and of no others; where it is one, its lines as well. */
  #reshow() {
    if (this.practice.leads || String(this.#shown.heads) === String(this.view.heads)) return;
    this.#rebuild(this.#structure);
    if (this.#shown.fits === 1) this.overview.bring(this.view.heads[0]);
  }

  /** A head's lines have been swiped to: where there is room for one head its tables follow. */
  swiped(head) {
    if (this.#shown.fits === 1 && !this.#previewed && !this.#grid.editing) this.showHead(head);
  }

  /** Show the tables of a head, where it is not shown. */
  showHead(head) {
    if (head === null || this.view.heads.includes(head)) return;
    this.#shown.show(head);
    this.#reshow();
  }

  /** A chip is pressed. */
  toggleHead(head) {
    this.#shown.toggle(head);
    this.#reshow();
    const list = this.view.heads.map((one) => one + 1).join(", ");
    this.live.textContent = fill(this.words.heads_now, { list });
    this.looking.rest();
  }

  /** What an address leads to is shown from the start. */
  #keepInSight(cell) {
    this.#folds.keep([cell]);
    this.#shown.measure();
    if (cell.head !== null) this.#shown.show(cell.head);
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
    return this.#before && this.model.matrices.weights ? movedIn(this.model, "weights").most : null;
  }

  get explained() {
    return this.looking.explained;
  }

  pointed(cell) {
    this.looking.pointed(cell);
  }

  chosen(cell) {
    this.looking.chosen(cell);
  }
}

/** Whether as many numbers are of the same tokens, in the same places: those of others have not moved, they are others. */
const sameSizes = (now, before) =>
  JSON.stringify([now.dims, now.labels.n_q, now.labels.n_k]) ===
  JSON.stringify([before.dims, before.labels.n_q, before.labels.n_k]);

/** Show an edit of numbers at once, before the server has answered: an input is its own value. */
function overlay(model, edit) {
  if (edit.op === "scale") model.controls.scale = edit.value;
  if (!["set", "claim"].includes(edit.op) || !model.matrices[edit.matrix]) return;
  const rows = rowsOf(model, edit.matrix, isPerHead(model, edit.matrix) ? edit.head : null);
  edit.values.forEach((values, i) =>
    values.forEach((value, j) => {
      if (value !== null && rows?.[edit.row + i]?.[edit.col + j] !== undefined)
        rows[edit.row + i][edit.col + j] = value;
    }),
  );
}

export default mounting(({ parentElement }) => new Bench(parentElement));
