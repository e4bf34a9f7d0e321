// The Explore page: edit and see the whole computation. Streamlit calls the default export with every answer.
//
// This class joins the parts of the page. Each part is given the values and the functions that it needs, and knows no
// other part.

import { Address } from "../kit/address.js";
import { Answers } from "../kit/answers.js";
import {
  isBeforeAudience,
  MOST_BEFORE_AUDIENCE,
  onAudienceChange,
  onLaidOut,
  reportRedrawn,
} from "../kit/audience.js";
import { ColourScales } from "../kit/colour_scales.js";
import { active, announcer, element, fill, named, setAttribute, setText } from "../kit/dom.js";
import { Folds, MOST_NARROW, MOST_UNFOLDED } from "../kit/folding.js";
import { isEditable, key, rowsOf, unkey } from "../kit/graph.js";
import { storePlace, storeWork } from "../kit/last_work.js";
import { Explain } from "../kit/line.js";
import { mounting } from "../kit/mount.js";
import { pictures } from "../kit/pictures.js";
import { cellAt } from "../kit/selection.js";
import { sender } from "../kit/sender.js";
import { ofTab } from "../kit/storage.js";
import { structureOf, View } from "../kit/tables.js";
import { Verdict } from "../kit/verdict.js";
import { About } from "./about.js";
import { FillMenu } from "./editing/fill_menu.js";
import { History, isReload } from "./editing/history.js";
import { Newest } from "./editing/newest.js";
import { Grid } from "./editing/table_editor.js";
import { Practice } from "./exercise/practice.js";
import { ExplainedCell } from "./explained_cell.js";
import { FirstSteps } from "./first_steps/first_steps.js";
import { HeadChips } from "./heads/head_chips.js";
import { ShownHeads } from "./heads/shown_heads.js";
import { LargeTables } from "./large_tables.js";
import { LastEdit } from "./last_edit.js";
import { cellsOfGoal } from "./learning/goals.js";
import { Learning } from "./learning/learning.js";
import { Legend } from "./legend.js";
import { MessageLine } from "./message_line.js";
import { movedSentence } from "./moved_sentence.js";
import { Overview } from "./overview/overview.js";
import { PhoneBar } from "./phone_bar.js";
import { pinnedActs } from "./pinned_acts.js";
import { Puzzle } from "./puzzle/puzzle.js";
import { skipLink } from "./skip_link.js";
import { Actions } from "./toolbar/actions.js";
import { Toolbar } from "./toolbar/toolbar.js";
import { beginningOf, isInSight } from "./viewport.js";
import { isOfTables, leadOf, opening } from "./ways_on.js";

const STALE = 120; // ms after which what was found of earlier numbers is greyed

/** One for the page: an answer has what is new since the one before, whichever component received that. */
const answers = new Answers();

/** One for the page: Streamlit may mount the component again, and no edit may be lost with the old one. */
const tabHistory = new History(ofTab);
window.addEventListener("pagehide", () => tabHistory.flush(sender.pending));
sender.historyFor = (session) => tabHistory.handOver(session);

/** @typedef {import("../kit/answers.js").Whole} Whole */
/** @typedef {import("../kit/answers.js").Next} Next */

/** @type {Cell} */
const FIRST_OF_MASK = { name: "mask", head: null, row: 0, col: 0 };

/**
 * The parts of the page that are made again for another language.
 * @typedef {{
 *   toolbar: Toolbar; verdict: Verdict; practice: Practice; legend: Legend; explain: Explain; menu: FillMenu;
 *   chips: HeadChips; overview: Overview; phoneBar: PhoneBar; firstSteps: FirstSteps; puzzle: Puzzle; skip: HTMLElement;
 *   learning: Learning; largeTables: LargeTables;
 * }} Parts
 */

class Explore {
  #host;
  #newest;
  #grid;
  #heads;
  #lastEdit;
  #explained;
  /** @type {Parts} */
  #parts;
  #about = new About();
  #messageLine = new MessageLine((edit) => this.#accept(edit));
  #words; // those that the parts were made with
  #fixed; // the settings in the toolbar where not all are there, as text
  /** @type {View} */
  #view;
  #structure = ""; // of the tables on the page; "" before the first update
  #folds = foldsForAudience();
  #scales = new ColourScales();
  #gone = new AbortController(); // removes the listeners outside the component
  #address = new Address(() => this.#settled());
  #resized = new ResizeObserver(() => this.#heads.refit());
  #isLarge = false; // no address holds the work
  #stale = 0; // the timer that greys what was found of earlier numbers
  /** @type {Cell | null} */
  #sought = null; // the cell to go to once every edit has been answered
  /** @type {((settled: { unsaved: boolean }) => void)[]} */
  #waiting = []; // for every edit to be answered

  /**
   * @param {HTMLElement} parent
   * @param {ExploreModel} model
   */
  constructor(parent, model) {
    this.root = element("div", { class: "bench", role: "region" });
    this.tables = element("div", { class: "tables" });
    this.live = announcer();
    this.live.classList.add("heard");
    parent.append(this.root);
    document.querySelector('[data-testid="stMain"]')?.scrollTo(0, 0); // the page before may have been scrolled
    this.#resized.observe(this.tables);
    this.#newest = new Newest(model, {
      pinned: () => this.#explained.pinned,
      seen: (names) => this.#showNewest(names),
      stateChanged: () => this.#showState(),
    });
    this.#words = model.words;
    this.#fixed = String(model.controls.fixed);
    this.#view = new View(model, { bare: true }); // until the first update
    this.#host = this.#makeHost();
    this.#grid = new Grid(this.#host);
    this.#grid.listen(this.tables);
    this.#heads = new ShownHeads(this.#host);
    this.#lastEdit = new LastEdit(this.#host);
    this.#explained = new ExplainedCell(this.#host);
    this.#parts = this.#makeParts();
    new Actions(this.#host, this.#grid, this.#gone.signal);
    this.#layOutParts();
    this.tables.addEventListener("focusout", () => this.#explained.explainSoon());
    this.tables.addEventListener("focusin", ({ target }) => this.#parts.practice.reached(cellAt(target)));
    this.#listenToPage();
    pictures.enter(this);
    this.root.classList.toggle("in-hall", isBeforeAudience());
  }

  #listenToPage() {
    const { signal } = this.#gone;
    window.addEventListener(
      "beforeunload",
      (event) => {
        this.#address.flush();
        tabHistory.leave();
        if (this.#model.unsaved) event.preventDefault(); // the address cannot hold this work: the browser asks
      },
      { signal },
    );
    const hurry = (/** @type {Event} */ event) => {
      if (!event.composedPath().includes(this.root)) sender.hurry();
    };
    for (const type of ["pointerdown", "focusin"])
      document.addEventListener(type, hurry, { signal, capture: true });
    for (const type of ["pagehide", "blur"]) window.addEventListener(type, () => sender.hurry(), { signal });
    onAudienceChange(() => this.#audienceChanged(), signal);
    onLaidOut(() => this.#heads.refit(), signal);
  }

  /** Before an audience smaller tables are folded too. */
  #audienceChanged() {
    this.root.classList.toggle("in-hall", isBeforeAudience());
    this.#folds = foldsForAudience();
    this.#relay();
  }

  unmount() {
    this.#gone.abort();
    clearTimeout(this.#stale);
    this.#resized.disconnect();
    this.#address.stop();
    this.#lastEdit.stop();
    this.#newest.live.stop();
    this.#parts.overview.stop();
    this.#parts.firstSteps.stop();
    this.#parts.puzzle.stop();
    this.#parts.learning.stop();
    this.#parts.skip.remove();
    pictures.leave(this);
    sender.retire(this);
    this.root.remove();
  }

  get #model() {
    return this.#newest.model;
  }

  // --- an answer of the page ---------------------------------------------------------------------------------------

  /** @param {{ data: ExploreModel; setStateValue: Component["setStateValue"] }} component */
  update({ data, setStateValue }) {
    this.#receive(data, setStateValue);
    const { opened, dims } = this.#model;
    const isFirst = this.#structure === "";
    const isSameExample = data.opened === opened;
    if (!isSameExample) this.#forgetExample();
    const hasNewHead = isSameExample && data.dims.h > dims.h;
    const structure = structureOf(data);
    this.#lastEdit.carry(data);
    this.#newest.take(data);
    const model = this.#model;
    const hasOtherMenus = String(data.controls.fixed) !== this.#fixed;
    if (data.words.lang !== this.#words.lang || hasOtherMenus) this.#setWords(data.words);
    if (isFirst && data.pinned) this.#keepUnfolded(data.pinned);
    if (hasNewHead) this.#heads.add(data.dims.h - 1);
    if (structure !== this.#structure || this.#parts.practice.isStale(data)) this.#rebuild(structure);
    else {
      this.#view.patch(model, this.#grid.drafts);
      this.#view.reveal(cellsOfGoal(model));
    }
    if ((isFirst || !isSameExample) && model.puzzle) this.#heads.show(model.puzzle.goals[0].cell.head);
    this.#updateParts(model, hasNewHead);
    if (!sender.pending.length) this.#storeWork(data);
    this.#parts.firstSteps.update(data);
    this.#showState();
    if (!sender.pending.length) this.#allAnswered(data);
    this.#parts.practice.enter();
    if (isFirst && location.hash) this.#enterAt(decodeURIComponent(location.hash.slice(1)));
    this.#parts.puzzle.update(this.#model);
  }

  /**
   * @param {ExploreModel} data
   * @param {Component["setStateValue"]} setStateValue
   */
  #receive(data, setStateValue) {
    const post = (/** @type {{ session: string; edits: Edit[] }} */ sent) =>
      setStateValue("edits", {
        ...sent,
        held: tabHistory.lastKnown(sent.session),
        known: answers.last,
        unseen: pictures.unseen,
      });
    sender.receive(data, post, this);
  }

  /** Another example is opened: what was typed, said and chosen was about the one before. */
  #forgetExample() {
    this.#grid.drafts.clear();
    this.#messageLine.forget();
    this.#heads.forget();
    this.#scales.forget();
    this.#parts.explain.forget();
  }

  /**
   * @param {ExploreModel} model
   * @param {boolean} hasNewHead
   */
  #updateParts(model, hasNewHead) {
    const { overview, toolbar, phoneBar, legend } = this.#parts;
    overview.update(model);
    if (hasNewHead && this.#heads.isSingle) overview.bring(model.dims.h - 1);
    this.#showAbout();
    const lead = this.root.querySelector(".lead > p");
    if (lead) setText(lead, leadOf(model, this.#words));
    this.#lastEdit.update();
    toolbar.update(model);
    phoneBar.update(model);
    legend.update(model);
    this.#parts.learning.update(model);
    this.root.classList.toggle("through", Boolean(model.lens));
    this.root.classList.toggle("numbers-only", model.controls.fixed?.length === 0 && !isOfTables(model));
    this.#showCheck();
    this.root.classList.toggle("checking", Boolean(model.check));
    this.root.classList.toggle("practising", Boolean(model.check?.practice));
    const pin = sender.pending.findLast((edit) => edit.op === "pin");
    this.#explained.pinned = pin ? (pin.cell ?? null) : model.pinned;
    this.#messageLine.update(model, this.#words);
    this.#explained.explainSoon();
  }

  /** @param {ExploreModel} data the answer to the last edit */
  #allAnswered(data) {
    for (const resolve of this.#waiting.splice(0)) resolve({ unsaved: data.unsaved });
    if (this.#heads.heads.length < data.dims.h) this.#heads.refit(); // shorter numbers may leave room for more
    if (this.#sought) this.#goToMask(this.#sought);
  }

  /**
   * Put the work into the address bar, and its history into the tab's storage. A history from before a reload goes back
   * to the server.
   * @param {ExploreModel} data
   */
  #storeWork(data) {
    const { searchParams } = new URL(location.href);
    const large = "puzzle" in data.address ? null : data.whole; // the address names a puzzle that is as it began
    const exercise = large === null && this.#parts.practice.title;
    if (exercise) storePlace("exercise", data.address, exercise);
    this.#address.keep(data.bar ?? data.address, exercise ? undefined : data, large);
    this.#sayWhetherKept(large);
    const earlier = tabHistory.update(data);
    if (earlier) sender.send({ op: "recall", history: earlier });
    const isOtherLink = !isReload() && ["s", "example", "puzzle"].some((name) => searchParams.has(name));
    if (isOtherLink) return;
    const op = tabHistory.ahead < 0 ? "undo" : "redo";
    for (let n = 0; earlier && n < Math.abs(tabHistory.ahead); n++) sender.send({ op });
    for (const edit of tabHistory.takeUnconfirmed()) sender.send(edit);
  }

  /**
   * Once the work has become too large for a link, say whether this browser keeps it.
   * @param {string | null} large the work, where no address holds it
   */
  #sayWhetherKept(large) {
    if (large !== null && !this.#isLarge) {
      const kept = storeWork(large, this.#model) ? this.#words.large_kept : this.#words.large_not_kept;
      const { message } = this.#model;
      const hasMore = message?.kind === "info" && message.text !== this.#words.large; // which `kept` says too
      this.#host.say(hasMore ? `${message.text} ${kept}` : kept);
    }
    this.#isLarge = large !== null;
  }

  /**
   * Every edit has been answered: go to the mask that is now to be painted, which may be far below, and say how.
   * @param {Cell} cell
   */
  #goToMask(cell) {
    this.#sought = null;
    if (!this.#view.cells.has(key(cell))) return;
    this.#goTo(cell);
    this.#host.say(this.#words.paint_here);
  }

  // --- showing -----------------------------------------------------------------------------------------------------

  #showAbout() {
    if (isOfTables(this.#model)) this.#about.root.hidden = true;
    else this.#about.show(this.#model, this.#words);
  }

  /** Show what is found of claimed numbers: all at once, or step by step in an exercise. */
  #showCheck() {
    const { check, address } = this.#model;
    this.#parts.verdict.update(check?.practice ? null : check, address);
    this.#parts.practice.update(this.#model);
  }

  /**
   * Show these matrices again.
   * @param {Iterable<string>} names
   */
  #patch(names) {
    if (this.#newest.previewed) this.#view.followNumbers(this.#model, names, this.#grid.drafts);
    else this.#view.patchNumbers(this.#model, names, this.#grid.drafts);
  }

  /** @param {string | undefined} name of a matrix */
  #repaint(name) {
    if (!name || !this.#model.matrices[name]) return;
    this.#patch([name]);
    this.#parts.overview.patch(this.#model);
  }

  /**
   * @param {string[]} names of the matrices whose marks have changed
   * @param {boolean} hasEdit whether there is an edit to speak of
   */
  #showMoved(names, hasEdit) {
    const model = this.#model;
    const { overview, chips } = this.#parts;
    this.#view.patchNumbers(model, names, this.#grid.drafts);
    overview.compare(model);
    chips.draw(model, this.#heads.isShortened);
    const goals = model.puzzle?.goals ?? [];
    const looked = [this.#explained.pinned, ...goals.map(({ cell }) => cell)].filter((cell) => cell !== null);
    overview.say(hasEdit ? movedSentence(model, this.#words, looked) : []);
    this.#showState();
  }

  /**
   * @param {Cell | null} cell that is explained
   * @param {Cell | null} pinned
   * @param {boolean} byFocus whether a screen reader says it
   */
  #showExplained(cell, pinned, byFocus) {
    const { explain, overview, firstSteps } = this.#parts;
    explain.show(this.#host, cell, pinned);
    pictures.outline(cell);
    overview.outline(cell);
    if (byFocus) this.#announce(explain.text());
    firstSteps.did("explained");
  }

  /** Mark whether the numbers answer every edit, and whether the page has them too. Styles and tests read it. */
  #showState() {
    const { pending } = sender;
    const { isAnswered, previewed } = this.#newest;
    this.root.setAttribute("aria-busy", String(!isAnswered || this.#view.isBehind));
    this.#setStale(!isAnswered);
    this.root.dataset.kept = String(pending.length === 0);
    setAttribute(this.#parts.verdict.root, "aria-busy", previewed && "true"); // it is read out after the drag
    pictures.follow(pending.length || previewed ? null : this.#model.revision);
  }

  /**
   * Grey what was found of earlier numbers, unless what is found of the new ones comes soon.
   * @param {boolean} isStale
   */
  #setStale(isStale) {
    if (isStale) {
      this.#stale ||= setTimeout(() => this.root.classList.add("behind"), STALE);
      return;
    }
    clearTimeout(this.#stale);
    this.#stale = 0;
    this.root.classList.remove("behind");
  }

  /** @param {string} text for a screen reader */
  #announce(text) {
    this.live.textContent = text;
  }

  // --- edits -------------------------------------------------------------------------------------------------------

  /** @param {Edit} edit */
  #send(edit) {
    if (edit.op !== "learn") this.#parts.learning.interrupt();
    if (edit.op === "mask" && edit.kind === "painted") this.#sought = FIRST_OF_MASK;
    if (["undo", "redo", "reset"].includes(edit.op)) this.#grid.drafts.clear();
    if (edit.op === "reset") this.#lastEdit.forget();
    else if (!this.#newest.previewed && edit.op !== "pin") this.#lastEdit.remember();
    if (edit.op.endsWith("sentence")) {
      this.#parts.explain.forget();
      this.#explained.unpin();
    }
    this.#setDragging(false);
    this.#newest.send(edit);
    this.#showNewest(this.#newest.show());
    if (edit.op === "set") this.#parts.firstSteps.did("edited");
    if (edit.op.endsWith("sentence")) {
      this.#heads.renew();
      this.#parts.firstSteps.did("rewritten");
    }
  }

  /**
   * Show what an edit would do while it is being made. It is sent when the drag ends.
   * @param {Edit | null} edit null: it is taken back
   */
  #preview(edit) {
    if (edit && edit.op !== "learn") this.#parts.learning.interrupt();
    if (edit) this.#lastEdit.unmark();
    if (edit && !this.#newest.previewed) this.#lastEdit.remember();
    this.#setDragging(edit !== null);
    this.#newest.preview(edit);
    this.#showNewest(this.#newest.show());
  }

  /**
   * Show what is known of the edits before the page has answered them.
   * @param {Set<string>} names of the matrices that may look different
   */
  #showNewest(names) {
    const model = this.#model;
    if (names.size) {
      this.#view.patchCaptions(model);
      this.#patch(names);
      this.#parts.overview.patch(model);
      this.#parts.puzzle.follow(model);
      this.#parts.learning.follow(model);
      this.#lastEdit.soon();
      this.#explained.explainSoon();
    }
    if (model.asks?.lens) {
      this.#parts.legend.update(model);
      this.#showCheck();
    }
    this.#showState();
    if (names.size) pictures.show(model);
  }

  /**
   * While a number is dragged the verdict keeps its height, so that the tables below do not move.
   * @param {boolean} isDragging
   */
  #setDragging(isDragging) {
    this.#view.isInHand = isDragging;
    this.#parts.overview.setDragging(isDragging);
    const { root } = this.#parts.verdict;
    if (Boolean(root.style.height) === isDragging) return;
    root.style.height = isDragging && root.offsetHeight ? `${root.offsetHeight}px` : "";
  }

  /**
   * Do what a message offers.
   * @param {Edit} edit
   */
  #accept(edit) {
    if (edit.op === "set")
      this.#goTo({ name: edit.matrix, head: edit.head ?? null, row: edit.row, col: edit.col });
    this.#messageLine.clear();
    this.#send(edit);
  }

  /**
   * Once every edit has been answered: whether the address cannot hold the work.
   * @returns {{ unsaved: boolean } | Promise<{ unsaved: boolean }>}
   */
  #settled() {
    if (!sender.pending.length) return { unsaved: this.#model.unsaved };
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  // --- going to a cell ---------------------------------------------------------------------------------------------

  /** A link leads to a number, which may be far below. @param {string} wanted the number's key */
  #enterAt(wanted) {
    const cell = unkey(wanted);
    if (Object.hasOwn(this.#model.matrices, cell.name))
      requestAnimationFrame(() => this.root.isConnected && this.#goTo(cell));
  }

  /**
   * Bring a cell into view, unfolded, and give it the focus.
   * @param {Cell} cell
   * @param {ScrollLogicalPosition} [block] where in the window
   */
  #goTo(cell, block) {
    this.#parts.learning.reach(this.#model, cell.name);
    if (!this.#view.cells.has(key(cell))) this.#parts.practice.reach(cell);
    this.#reveal(cell.head, [cell]);
    const td = this.#view.cells.get(key(cell));
    this.#bring(td, "auto", block);
    td?.focus({ preventScroll: true });
  }

  /**
   * Bring a whole table into view, and give it the focus: Tab then leads to its numbers.
   * @param {TableId} table
   */
  #goToTable({ name, head }) {
    this.#reveal(head, []);
    const first = this.#view.cells.get(key({ name, head, row: 0, col: 0 }));
    const numbers = first?.closest("table");
    if (!numbers) return;
    if (!isInSight(numbers, this.#host, 1)) this.#bring(beginningOf(numbers), "auto", "start");
    numbers.tabIndex = -1;
    numbers.addEventListener("blur", () => numbers.removeAttribute("tabindex"), { once: true });
    numbers.focus({ preventScroll: true });
  }

  /**
   * Show a head's tables, with these cells unfolded.
   * @param {number | null} head
   * @param {Cell[]} cells
   */
  #reveal(head, cells) {
    this.#heads.show(head);
    this.#view.reveal(cells);
  }

  /**
   * Scroll an element into view. What comes to lie beneath the pointer does not count as pointed at.
   * @param {Element} [node]
   * @param {ScrollBehavior} [behavior]
   * @param {ScrollLogicalPosition} [block] where in the window
   */
  #bring(node, behavior = "auto", block = "center") {
    const scroll = () => {
      this.#explained.pointing.rest();
      node?.scrollIntoView({ block, inline: "nearest", behavior });
    };
    scroll();
    // Tables that come into view take their true size, which may push the element away again.
    if (behavior === "auto") requestAnimationFrame(() => requestAnimationFrame(scroll));
  }

  /** @param {Cell | null} cell that is pointed at in a picture */
  pointed(cell) {
    this.#explained.pointed(cell);
  }

  /** @param {Cell} cell that is clicked in a picture */
  chosen(cell) {
    this.#explained.chosen(cell);
  }

  /** Have the page answer once more, with the pictures that are in view. */
  answerAgain() {
    this.#newest.answerAgain();
  }

  // --- building the tables -----------------------------------------------------------------------------------------

  /** Show large tables as a whole, or shortened again. */
  #toggleFolds() {
    this.#folds.setAll(!this.#folds.areOpen);
    this.#relay();
  }

  /** Lay the tables out again. */
  #relay() {
    this.#rebuild(this.#structure);
  }

  /** @param {string} structure */
  #rebuild(structure) {
    const stored = this.#grid.storedEditor();
    const focused = active(this.root)?.closest("[data-focus]");
    const focus = focused instanceof HTMLElement ? focused.dataset.focus : undefined;
    this.#grid.rebuilt();
    this.#structure = structure;
    this.#folds.keep(cellsOfGoal(this.#model));
    this.#heads.measure();
    for (const draft of [...this.#grid.drafts.keys()])
      if (!this.#isInput(unkey(draft))) this.#grid.drafts.delete(draft);
    const { practice, chips } = this.#parts;
    const { heads, digits } = this.#heads;
    if (!isBeforeAudience()) this.#folds.most = digits === undefined ? MOST_UNFOLDED : MOST_NARROW;
    this.#view = practice.view(this.#model, { folds: this.#folds, heads, digits, scales: this.#scales });
    this.#view.patch(this.#model, this.#grid.drafts);
    this.#view.isInHand = this.#newest.previewed !== null;
    this.#parts.learning.place(this.#view.backward);
    this.tables.replaceChildren(this.#view.root, this.#parts.learning.root);
    this.tables.classList.toggle("narrow", digits !== undefined);
    this.#parts.largeTables.update(this.#view.hasLarge, this.#folds.areOpen);
    chips.update(this.#model, this.#view.heads, Number.isFinite(digits), this.#heads.isShortened);
    practice.update(this.#model);
    if (stored && this.#isInput(stored.cell)) this.#grid.resume(stored);
    else if (focus) this.#refocus(focus);
    reportRedrawn();
  }

  /**
   * What an address leads to is unfolded from the start.
   * @param {Cell} cell
   */
  #keepUnfolded(cell) {
    this.#folds.keep([cell]);
    this.#heads.measure();
    if (cell.head !== null) this.#heads.choose(cell.head);
  }

  /**
   * Give the focus back to what had it; if that is gone, to what stands before it.
   * @param {string} name of the element in its data
   */
  #refocus(name) {
    const before = name.replace(/(\d+)$/, (index) => String(Math.max(0, Number(index) - 1)));
    const node = named(this.root, name) ?? named(this.root, before);
    const cell = node ?? this.tables.querySelector("td[tabindex='0']");
    if (cell instanceof HTMLElement) cell.focus();
  }

  /** @param {Cell} cell */
  #isInput({ name, head, row, col }) {
    const model = this.#model;
    return Boolean(
      model.matrices[name] &&
        isEditable(model, name, head) &&
        rowsOf(model, name, head)?.[row]?.[col] !== undefined,
    );
  }

  // --- the parts ---------------------------------------------------------------------------------------------------

  /** What the parts are given. Each declares which of these values and functions it uses. */
  #makeHost() {
    const explore = this;
    return {
      root: this.root,
      tables: this.tables,
      get model() {
        return explore.#model;
      },
      get words() {
        return explore.#words;
      },
      get view() {
        return explore.#view;
      },
      get overview() {
        return explore.#parts.overview;
      },
      get explain() {
        return explore.#parts.explain;
      },
      get menu() {
        return explore.#parts.menu;
      },
      get shownHeads() {
        return explore.#view.heads;
      },
      get shownDigits() {
        return explore.#view.digits;
      },
      get areTablesOpen() {
        return explore.#folds.areOpen;
      },
      get pinned() {
        return explore.#explained.pinned;
      },
      get explained() {
        return explore.#explained.cell;
      },
      get moved() {
        return explore.#lastEdit.most;
      },

      send: (/** @type {Edit} */ edit) => this.#send(edit),
      preview: (/** @type {Edit | null} */ edit) => this.#preview(edit),
      wrote: (/** @type {Cell} */ cell) => this.#explained.wrote(cell),
      settled: () => this.#settled(),
      isBusy: () => !this.#newest.isAnswered,
      isKept: () => !this.#newest.previewed && !sender.pending.length,
      isFree: () => !this.#newest.previewed && !this.#grid.editing,
      isFixed: () => this.#parts.practice.leads,

      patch: (/** @type {string[]} */ names) => this.#patch(names),
      repaint: (/** @type {string} */ name) => this.#repaint(name),
      relay: () => this.#relay(),
      showMoved: (/** @type {string[]} */ names, /** @type {boolean} */ hasEdit) =>
        this.#showMoved(names, hasEdit),

      say: (/** @type {string} */ text, kind = "info", /** @type {string | string[]} */ place = "") =>
        this.#messageLine.say(text, kind, place),
      clearMessage: () => this.#messageLine.clear(),
      announce: (/** @type {string} */ place, /** @type {string} */ number) =>
        this.#announce(`${place.replaceAll("_", "")} = ${number}`),
      announceText: (/** @type {string} */ text) => this.#announce(text),

      pin: (/** @type {Cell} */ cell) => this.#explained.pin(cell),
      unpin: () => this.#explained.unpin(),
      pointed: (/** @type {Cell | null} */ cell) => this.#explained.pointed(cell),
      chosen: (/** @type {Cell} */ cell) => this.#explained.chosen(cell),
      hinted: () => this.#parts.practice.hinted,
      looked: () => this.#parts.firstSteps.did("looked"),
      explainSoon: () => this.#explained.explainSoon(),
      showExplained: (
        /** @type {Cell | null} */ cell,
        /** @type {Cell | null} */ pinned,
        /** @type {boolean} */ byFocus,
      ) => this.#showExplained(cell, pinned, byFocus),
      solve: () => this.#solve(),
      aimAt: (/** @type {Cell} */ cell) => this.#parts.learning.aimAt(cell),

      goTo: (/** @type {Cell} */ cell, /** @type {ScrollLogicalPosition | undefined} */ block = undefined) =>
        this.#goTo(cell, block),
      goToTable: (/** @type {TableId} */ table) => this.#goToTable(table),
      reveal: (/** @type {number | null} */ head, /** @type {Cell[]} */ cells) => this.#reveal(head, cells),
      bring: (
        /** @type {Element} */ node,
        /** @type {ScrollBehavior} */ behavior,
        /** @type {ScrollLogicalPosition} */ block,
      ) => this.#bring(node, behavior, block),
      bringHead: (/** @type {number} */ head) => this.#parts.overview.bring(head),
      swiped: (/** @type {number} */ head) => this.#heads.swiped(head),
      toggleHead: (/** @type {number} */ head) => this.#toggleHead(head),
      chooseHeads: () => this.#chooseHeads(),
    };
  }

  /** Show what is right in the place of the number that is explained, and say it. */
  #solve() {
    const { explain } = this.#parts;
    explain.solve();
    this.#announce(explain.text());
  }

  /** Show a head's tables, or hide them. @param {number} head */
  #toggleHead(head) {
    this.#heads.toggle(head);
    const list = this.#view.heads.map((shown) => shown + 1).join(", ");
    this.#announce(fill(this.#words.heads_now, { list }));
    this.#explained.explainSoon();
  }

  /** Go to the chips that choose the heads. */
  #chooseHeads() {
    const { root } = this.#parts.chips;
    this.#bring(root);
    root.querySelector("button")?.focus({ preventScroll: true });
  }

  /**
   * The page is in another language, or has other settings: make its parts again.
   * @param {Record<string, string>} words
   */
  #setWords(words) {
    this.#words = words;
    this.#fixed = String(this.#model.controls.fixed);
    this.#structure = "";
    this.#messageLine.forget(); // it was said in the other language
    this.#parts.overview.stop();
    this.#parts.firstSteps.stop();
    this.#parts.puzzle.stop();
    this.#parts.learning.stop();
    this.#parts.skip.remove();
    this.#parts = this.#makeParts();
    this.#layOutParts();
  }

  /** @returns {Parts} those that speak the language of the page */
  #makeParts() {
    const [host, words] = [this.#host, this.#words];
    const overview = new Overview(host, this.#model);
    const legend = new Legend(words);
    const explain = this.#makeExplain(legend);
    const phoneBar = new PhoneBar(host, words, this.#gone.signal);
    explain.root.append(phoneBar.root);
    return {
      overview,
      legend,
      explain,
      phoneBar,
      toolbar: new Toolbar(host),
      verdict: new Verdict(host, words),
      practice: new Practice(host, this.#model),
      menu: new FillMenu(host),
      chips: new HeadChips(words),
      firstSteps: new FirstSteps(host, words),
      puzzle: new Puzzle(host, words),
      learning: new Learning(host, words),
      largeTables: new LargeTables(words, () => this.#toggleFolds()),
      skip: skipLink(words.skip, this.tables),
    };
  }

  /** @param {Legend} legend */
  #makeExplain(legend) {
    return new Explain(
      this.#words,
      {
        unpin: () => this.#explained.unpin(),
        hold: (cell) => this.#explained.chosen(cell),
        go: (cell) => this.#explained.goTo(cell),
        traced: (path, begun) => this.#explained.traced(path, begun),
        acts: (_, cell) => pinnedActs(this.#model, cell, this.#host),
      },
      this.#messageLine.root,
      legend.root,
    );
  }

  /** Put the parts on the page. */
  #layOutParts() {
    const words = this.#words;
    const { toolbar, verdict, practice, explain, menu, chips, overview, firstSteps, puzzle } = this.#parts;
    this.root.setAttribute("aria-label", words.bench);
    if (document.querySelector(".st-key-frame")) document.body.prepend(this.#parts.skip);
    // Share sets the page's language too, but an embedded page has no Share.
    document.documentElement.lang = this.root.lang = words.lang;
    toolbar.root.append(chips.fewerDecimals, this.#parts.largeTables.root);
    const lead = opening(this.#model, words, (edit) => this.#send(edit), firstSteps.tour);
    if (!lead.hidden) lead.append(this.#about.root);
    this.root.replaceChildren(
      lead,
      ...(lead.hidden ? [this.#about.root] : []),
      puzzle.root,
      ...firstSteps.elements,
      overview.slim.place,
      overview.root,
      toolbar.root,
      verdict.root,
      practice.root,
      chips.root,
      this.tables,
      explain.root,
      menu.root,
      this.live,
    );
  }
}

const foldsForAudience = () => new Folds(isBeforeAudience() ? MOST_BEFORE_AUDIENCE : MOST_UNFOLDED);

/** @type {(component: Component<ExploreModel>) => (() => void) | undefined} */
const mounted = mounting(({ parentElement, data }) => new Explore(parentElement, data));

export default (/** @type {Component<Whole | Next>} */ component) => {
  const { data, setStateValue } = component;
  const whole = answers.whole(data);
  if (whole) return mounted({ ...component, data: whole });
  const asked = performance.now(); // a value that is as the one before would not be sent
  setStateValue("edits", { session: data.session, edits: sender.pending, held: 0, known: 0, asked });
};
