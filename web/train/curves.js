// Loss, what is right, and how well heads match prefixes, step by step; and the slider that goes back in time.

import { accent, button, div, element, fill, p, prose, rich, setText, span } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { headName, indexOf } from "./maps.js";
import { thinned } from "./recording.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 100]; // of a plot's own coordinates; it is stretched to its place
const MOST = 400; // points of a line
const [PLAY_MS, LEAST_MS, MOST_MS] = [9000, 120, 450]; // how long Play takes, and shows a frame
const PAGE = 8; // recordings that Page Up and Page Down go

/** A line of a plot, and what it is called. @typedef {{ points: [number, number][]; look: string; label: string; head?: number }} Line */

/** @typedef {{ recording: import("./recording.js").Recording; step: number; head: TrainHead;
 *   before: import("./recording.js").Recording | null }} CurvesValues */

export class Curves {
  #timer = 0;
  /** @type {CurvesValues | null} */
  #values = null;

  /**
   * @param {Record<string, string>} words
   * @param {(step: number) => void} go
   */
  constructor(words, go) {
    this.words = words;
    this.go = go;
    this.loss = new Plot(words.loss);
    this.right = new Plot(words.right);
    /** It is the page's main button, and so placed among those. */
    this.playing = button(
      { class: "play main", data: { focus: "play" }, onclick: () => this.#toggle() },
      words.play,
    );
    /** @type {HTMLInputElement} */
    this.slider = element("input", {
      type: "range",
      min: 0,
      "aria-label": words.slider,
      data: { focus: "slider" },
      oninput: () => this.#slide(Number(this.slider.value)),
      onkeydown: (event) => this.#key(event),
    });
    this.about = p("hint");
    this.now = p("now");
    this.end = span("end");
    this.last = span("");
    this.root = element(
      "section",
      { class: "card curves", "aria-label": words.curves },
      this.loss.root,
      this.right.root,
      div("scrub", this.slider),
      div("axis", span("", fill(words.at_begin, { step: 0 })), this.last),
      div("under", this.now, this.end),
    );
  }

  /** Play or pause, where the recording can be played. */
  play() {
    if (this.root.isConnected && !this.playing.hidden) this.#toggle();
  }

  get isPlaying() {
    return this.#timer !== 0;
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#name(false);
  }

  /** @param {boolean} isPlaying */
  #name(isPlaying) {
    this.playing.classList.toggle("is-on", isPlaying);
    setText(this.playing, isPlaying ? this.words.pause_play : this.words.play);
  }

  /** @param {CurvesValues} values */
  update(values) {
    this.#values = values;
    const { words } = this;
    const { recording, step, head, before } = values;
    const total = Math.max(recording.steps, recording.begun.steps, 1);
    const at = recording.at(step);
    const { records, frames } = recording;
    const losses = records.map(({ loss }) => loss);
    const top = Math.max(
      1,
      ...losses.slice(0, 50),
      ...(before?.records.slice(0, 50).map(({ loss }) => loss) ?? []),
    );
    /** @type {(from: NonNullable<CurvesValues["before"]>, name: "loss" | "accuracy" | "exact", look: string, label: string) => Line} */
    const line = (from, name, look, label) => ({
      points: thinned(
        from.records.map((record) => record[name]),
        MOST,
      ),
      look,
      label,
    });
    /** @type {(name: "loss" | "exact") => Line[]} */
    const earlier = (name) =>
      before
        ? [line(before, name, "before", fill(words.before, { model: modelText(words, before.begun) }))]
        : [];
    this.loss.update({
      lines: [...earlier("loss"), line(recording, "loss", "loss", words.loss)],
      total,
      top,
      step,
      says: at ? format(at.loss, 2) : "",
    });
    this.right.update({
      lines: [
        ...earlier("exact"),
        ...scoreLines(words, recording, head),
        line(recording, "accuracy", "tokens", words.line_tokens),
        line(recording, "exact", "exact", words.line_answers),
      ],
      total,
      top: 1,
      step,
      says: at ? percent(at.exact) : "",
    });
    const about = recording.isScored ? words[`about_${recording.measure}`] : "";
    setText(this.last, fill(words.at_begin, { step: total }));
    setText(
      this.about,
      prose(words.about_loss, words.about_right, recording.begun.lines && words.about_own, about),
    );
    this.slider.max = String(total);
    this.slider.value = String(step);
    const text = at
      ? fill(words.at_step, {
          step,
          loss: format(at.loss, 3),
          exact: percent(at.exact),
          tokens: percent(at.accuracy),
        })
      : fill(words.at_begin, { step });
    this.slider.setAttribute("aria-valuetext", text);
    setText(this.now, text);
    setText(this.end, fill(words.recorded, { count: frames.length }));
  }

  /** Go to the recording that is nearest to a step. @param {number} step */
  #slide(step) {
    if (!this.#values) return;
    const { recording } = this.#values;
    this.go(recording.frames[recording.nearest(step)]?.step ?? 0);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const far = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: PAGE, PageDown: -PAGE }[
      event.key
    ];
    if (!far) return;
    event.preventDefault();
    this.#move(far);
  }

  /** Go so many recordings further; false at the end. @param {number} far */
  #move(far) {
    if (!this.#values) return false;
    const { recording, step } = this.#values;
    const at = recording.nearest(step);
    const to = Math.min(recording.frames.length - 1, Math.max(0, at + far));
    if (to === at) return false;
    this.go(recording.frames[to].step);
    return true;
  }

  /** Show one recording after the other, from the first one where the last one is shown. */
  #toggle() {
    if (this.#timer) return this.stop();
    if (!this.#move(1)) this.#slide(0);
    this.#name(true);
    const each = PLAY_MS / (this.#values?.recording.frames.length || 1);
    this.#timer = setInterval(
      () => this.#move(1) || this.stop(),
      Math.min(MOST_MS, Math.max(LEAST_MS, each)),
    );
  }
}

/** A score for each head, the chosen head's last. @type {(words: Record<string, string>, recording: CurvesValues["recording"], chosen: TrainHead) => Line[]} */
function scoreLines(words, recording, chosen) {
  if (!recording.isScored) return [];
  const measure = words[`measure_${recording.measure}`];
  /** @type {(of: TrainHead) => [number, number][]} */
  const points = (of) => recording.frames.map((frame) => [frame.step, recording.score(frame, of) ?? 0]);
  const others = recording.all.filter((of) => String(of) !== String(chosen));
  const last = fill(words.line_head, { measure, head: headName(words, recording, chosen) });
  return [
    ...others.map((of) => ({
      points: points(of),
      look: "score",
      label: fill(words.line_heads, { measure }),
    })),
    { points: points(chosen), look: "score chosen", label: last, head: indexOf(recording, chosen) },
  ];
}

/** One plot over all steps: its lines, the step that is shown, and its numbers there. */
class Plot {
  /** @param {string} title */
  constructor(title) {
    this.svg = picture(`0 0 ${WIDTH} ${HEIGHT}`);
    this.top = span("top");
    this.cursor = div("cursor");
    this.says = span("says");
    this.legend = div("legend");
    this.root = div(
      "plot",
      element("h3", {}, title, " ", this.says),
      this.legend,
      div("area", this.svg, this.top, span("bottom", "0"), this.cursor),
    );
  }

  /** @param {{ lines: Line[]; total: number; top: number; step: number; says: string }} values */
  update({ lines, total, top, step, says }) {
    const y = (/** @type {number} */ number) => HEIGHT * (1 - Math.min(1, number / top));
    this.svg.replaceChildren(
      ...lines.map((line) => {
        const places = line.points.map(
          ([at, number]) => `${((at / total) * WIDTH).toFixed(1)},${y(number).toFixed(2)}`,
        );
        return polyline(line, places.join(" "));
      }),
    );
    this.#name(lines);
    setText(this.top, format(top, top === 1 ? 0 : 1));
    this.cursor.style.left = `${(100 * Math.min(step, total)) / total}%`;
    setText(this.says, says);
  }

  /** What each kind of line is, where there are several. @param {Line[]} lines */
  #name(lines) {
    const kinds = [...new Map(lines.map((line) => [line.label, line])).values()];
    const name = kinds.map(({ label, head }) => `${label} ${head}`).join();
    if (this.legend.dataset.lines === name) return;
    this.legend.dataset.lines = name;
    this.legend.hidden = kinds.length < 2;
    this.legend.replaceChildren(
      ...kinds.map((line) => {
        const sample = picture("0 0 28 10");
        sample.append(polyline(line, "0,5 28,5"));
        return element("span", {}, sample, ...rich(line.label));
      }),
    );
  }
}

/** A drawing that is stretched to its place. @param {string} viewBox */
function picture(viewBox) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", viewBox);
  svg.setAttribute("preserveAspectRatio", "none");
  svg.setAttribute("aria-hidden", "true");
  return svg;
}

/** @param {Line} line @param {string} points */
function polyline({ look, head }, points) {
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("class", look);
  if (head !== undefined) line.setAttribute("style", accent(head));
  line.setAttribute("points", points);
  return line;
}

/** @param {number} share */
export const percent = (share) => `${format(100 * share, 0)}%`;

/** With a decimal, where whole percents would hide that a goal is missed. @param {number} share */
export const exactPercent = (share) => `${format(100 * share, share === 1 ? 0 : 1)}%`;

/** "2 × 4 heads, d 48" @type {(words: Record<string, string>, begun: TrainBegun) => string} */
export const modelText = (words, { settings: { layers, heads, d_model } }) =>
  fill(words.model, { layers: Number(layers), heads: Number(heads), d_model: Number(d_model) });
