// The heads of a run that a cell contains, as the page Models shows them: which part of the model and which sample is
// shown, and what is not in the cell.

import { div, element, fill, named, pressable, prose, span } from "../kit/dom.js";
import { Heads } from "../models/heads.js";
import { fitted, NONE_MISSING, START } from "../models/view_address.js";
import { Embedded } from "./embedded.js";
import { OpenInPython } from "./open_in_python.js";

/** @typedef {import("../kit/binary.js").Numbers} Numbers */

export class HeadsOfRun {
  #at = 0; // the view that is shown
  #showsPadding = false;
  #reading = Promise.resolve();
  /** @type {FittedPlace} */
  #place = { ...START, head: [0, 0] };

  /**
   * @param {CellHeads} data
   * @param {Record<string, Numbers>} arrays
   * @param {Record<string, string>} words
   * @param {{ colours: import("../models/theme_colours.js").Colours; limits: CellData["limits"]; shown: (sample: number) => void }} parts
   */
  constructor(data, arrays, words, { colours, limits, shown }) {
    this.data = data;
    this.words = words;
    this.shown = shown;
    this.sources = data.views.map((view, at) => ({
      whole: new Embedded(view, arrays, at, words, null),
      real: view.real && new Embedded(view, arrays, at, words, view.real),
    }));
    /** @type {ModelsHost} */
    const host = { go: (change) => this.#go(change), open() {}, reveal: () => this.#reveal() };
    /** @type {HeadSource} */
    const source = { numbers: (place) => this.#source.numbers(place) };
    const opening = new OpenInPython(words, () => this.#source.view);
    this.heads = new Heads(source, host, words, { colours, limits, opening });
    this.choices = div("cell-choices");
    this.notes = element("p", { class: "hint cell-notes" });
    const { tokens, overview, head } = this.heads;
    this.panes = div("panes", overview.root, head.root);
    this.root = div("run-heads", tokens.root, this.panes, this.notes);
  }

  get #source() {
    const { whole, real } = this.sources[this.#at];
    return this.#showsPadding ? whole : (real ?? whole);
  }

  /** Show the first part with changed heads, or else the first one. */
  start() {
    const { views } = this.data;
    const at = views.findIndex((view) => view.sample === views[0].sample && changedHead(view));
    this.open(Math.max(0, at));
  }

  /** Show a view. In another sample of the same part, what was chosen stays. @param {number} at */
  open(at) {
    const { part } = this.data.views[this.#at];
    const isOther = at === this.#at || part !== this.data.views[at].part;
    this.#at = at;
    const { run, view } = this.#source;
    const wanted = isOther ? this.#start : this.#place;
    this.#place = { ...fitted(wanted, run), off: view.run.off };
    this.#showChoices();
    this.shown(view.sample);
    this.#read();
  }

  /** What is shown of a part at first: of a changed run the differences, where pictures have them. @returns {ModelPlace} */
  get #start() {
    const { change, differences, sentences } = this.#source.run;
    if (!change) return { ...START, by: this.#place.by };
    const head = changedHead(this.#source.view);
    const isChanged = differences?.some((number) => number > 0);
    const by = isChanged && sentences[0].block > 1 ? "difference" : "";
    return { ...START, head, by, drawn: "map", shows: isChanged ? "difference" : "second" };
  }

  show() {
    const { run } = this.#source;
    this.#showNotes();
    this.heads.update({ run, place: this.#place, shuffled: null, missing: NONE_MISSING, refused: "" });
  }

  /** @param {Partial<FittedPlace>} change */
  #go(change) {
    const { pair } = this.#place;
    const isOfAnother = pair && change.token != null && change.token !== pair.query; // its numbers are no longer shown
    this.#place = { ...this.#place, ...(isOfAnother ? { pair: null } : {}), ...change };
    if (change.head) this.#reading = this.#read();
    else this.show();
  }

  /** Bring the chosen head into sight, once it is drawn. */
  async #reveal() {
    await this.#reading;
    this.heads.reveal();
  }

  async #read() {
    await this.heads.read(this.#place);
    this.show();
  }

  // --- the parts of the model and the samples ----------------------------------------------------------------------

  #showChoices() {
    const { words } = this;
    const { views, parts, samples } = this.data;
    const { part, sample } = this.#source.view;
    /** @param {Pick<CellView, "part" | "sample">} wanted */
    const open = (wanted) => {
      const ofPart = views.map((view, at) => ({ ...view, at })).filter((view) => view.part === wanted.part);
      this.open((ofPart.find((view) => view.sample === wanted.sample) ?? ofPart[0]).at);
    };
    const here = views.filter((view) => view.part === part).map((view) => view.sample);
    const ofPart = select(
      words.part,
      parts.map((_, at) => [at, this.#partName(at)]),
      part,
    );
    const ofSample = select(
      words.sample,
      here.map((n) => [n, fill(words.sample_n, { n, count: samples })]),
      sample,
    );
    ofPart.field.addEventListener("change", () => open({ part: Number(ofPart.field.value), sample }));
    ofSample.field.addEventListener("change", () => open({ part, sample: Number(ofSample.field.value) }));
    const shown = [...(parts.length > 1 ? [ofPart] : []), ...(samples > 1 ? [ofSample] : [])];
    this.choices.replaceChildren(...shown.map(({ root }) => root), ...this.#ofPadding());
  }

  /** What is said of padding, and the button that shows or hides it. */
  #ofPadding() {
    const { words } = this;
    const { real, run } = this.#source.view;
    if (!real) return [];
    const [{ texts, keyTexts = texts }] = run.sentences;
    const isShown = this.#showsPadding;
    const told = fill(words[isShown ? "padding_shown" : "padding_hidden"], {
      count: keyTexts.length - real.keys.length,
    });
    const act = () => this.#showPadding(!isShown);
    return [
      pressable(isShown, { class: "padding", data: { focus: "padding" }, onclick: act }, words.padding_show),
      span("quiet-text padding-told", told),
    ];
  }

  /** The token and the pair that are chosen stay, unless they are padding that is hidden. @param {boolean} shows */
  #showPadding(shows) {
    const { rows, keys } = /** @type {NonNullable<CellView["real"]>} */ (this.#source.view.real);
    const { token, pair } = this.#place;
    this.#showsPadding = shows;
    /** @type {(places: number[], at: number) => number} */
    const moved = (places, at) => (shows ? places[at] : places.indexOf(at));
    const row = token === null ? -1 : moved(rows, token);
    const [query, key] = pair ? [moved(rows, pair.query), moved(keys, pair.key)] : [-1, -1];
    this.#place = {
      ...this.#place,
      token: row < 0 ? null : row,
      pair: Math.min(query, key) < 0 ? null : { query, key },
    };
    this.#showChoices();
    named(this.choices, "padding")?.focus();
    this.#read();
  }

  /** @param {number} part */
  #partName(part) {
    const { words } = this;
    const at = this.data.views.findIndex((view) => view.part === part);
    const { sentences, labels } = this.sources[at].whole.run;
    const [{ n, m }] = sentences;
    const [first, ...others] = this.data.parts[part];
    const names = others.length ? `${first} … ${labels.at(-1)}` : first;
    return fill(words.part_n, { names, queries: n, keys: m });
  }

  // --- what is not here --------------------------------------------------------------------------------------------

  #showNotes() {
    const { words } = this;
    const { view, run } = this.#source;
    const { views, samples } = this.data;
    const { code } = /** @type {CellLayer[]} */ (view.layers.at(-1))[this.#place.head[0]];
    const [{ block }] = run.sentences;
    const here = new Set(views.map(({ sample }) => sample));
    const absent = Array.from({ length: samples }, (_, at) => at).filter((at) => !here.has(at));
    const count = Math.max(1, view.largest);
    const bytes = (view.factor_bytes / 1e6).toFixed(1);
    const text = prose(
      block > 1 && fill(words.pooled, { block }),
      !view.weights &&
        fill(words[view.levels ? "rounded_weights" : "absent_weights"], { count, code: `${code}.weights` }),
      !view.factors &&
        view.factor_bytes > 0 &&
        fill(words[view.alone ? "absent_factors" : "absent_all_factors"], { bytes, code }),
      absent.length > 0 &&
        fill(words.absent_samples, { count: absent.length, code: `capture(…, sample=${absent[0]})` }),
    );
    this.notes.textContent = text;
    this.notes.hidden = !text;
  }
}

/** The first head of a view that was switched off, or had a part replaced. @param {CellView} view */
const changedHead = ({ run: { off, patched } }) =>
  [...off, ...patched].sort(([layer, head], [other, next]) => layer - other || head - next)[0] ?? null;

/**
 * A choice of numbers by name.
 * @param {string} name
 * @param {[number, string][]} options
 * @param {number} chosen
 */
function select(name, options, chosen) {
  const all = options.map(([value, text]) => element("option", { value, selected: value === chosen }, text));
  const field = element("select", { data: { focus: name } }, ...all);
  return { field, root: element("label", { class: "select" }, span("select-name", name), field) };
}
