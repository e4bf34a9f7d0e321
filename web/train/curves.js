// Loss, what is right, and how well heads match prefixes, step by step; and the slider that goes back in time.

import { accent, button, div, element, fill, p, setText, span } from "../kit/dom.js";
import { format } from "../kit/numbers.js";
import { thinned } from "./recording.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [1000, 100]; // of a plot's own coordinates; it is stretched to its place
const MOST = 400; // points of a line
const FRAME_MS = 120; // how long Play shows a recording
const PAGE = 8; // recordings that Page Up and Page Down go

/** A line of a plot. @typedef {{ points: [number, number][]; look: string; head?: number }} Line */

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
    this.loss = new Plot(words.loss, "");
    this.right = new Plot(words.right, "");
    this.playing = button(
      { class: "play", data: { focus: "play" }, onclick: () => this.#toggle() },
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
    this.now = p("now");
    this.end = span("end");
    this.root = element(
      "section",
      { class: "card curves", "aria-label": words.curves },
      this.loss.root,
      this.right.root,
      div("scrub", this.slider),
      div("under", this.playing, this.now, this.end),
    );
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    setText(this.playing, this.words.play);
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
    /** @type {Line[]} */
    const earlier = before
      ? [
          {
            points: thinned(
              before.records.map(({ loss }) => loss),
              MOST,
            ),
            look: "before",
          },
        ]
      : [];
    this.loss.update({
      lines: [...earlier, { points: thinned(losses, MOST), look: "loss" }],
      total,
      top,
      step,
      marks: at ? [at.loss] : [],
      says: at ? format(at.loss, 2) : "",
      note: before ? fill(words.before, { model: modelText(words, before.begun) }) : "",
    });
    this.right.update({
      lines: [
        ...(before
          ? [
              {
                points: thinned(
                  before.records.map(({ exact }) => exact),
                  MOST,
                ),
                look: "before",
              },
            ]
          : []),
        ...scoreLines(recording, head),
        {
          points: thinned(
            records.map(({ accuracy }) => accuracy),
            MOST,
          ),
          look: "tokens",
        },
        {
          points: thinned(
            records.map(({ exact }) => exact),
            MOST,
          ),
          look: "exact",
        },
      ],
      total,
      top: 1,
      step,
      marks: at ? [at.exact] : [],
      says: at ? percent(at.exact) : "",
      note: frames.at(-1)?.scores ? words[`lines_${recording.measure}`] : words.lines,
    });
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
    setText(this.playing, this.words.pause_play);
    this.#timer = setInterval(() => this.#move(1) || this.stop(), FRAME_MS);
  }
}

/** A score for each head, the chosen head's last. @type {(recording: CurvesValues["recording"], chosen: TrainHead) => Line[]} */
function scoreLines({ frames, all, heads }, [part, head]) {
  if (!frames.at(-1)?.scores) return [];
  /** @type {(of: TrainHead) => [number, number][]} */
  const points = ([one, other]) => frames.map(({ step, scores }) => [step, scores?.[one]?.[other] ?? 0]);
  const others = all.filter(([one, other]) => one !== part || other !== head);
  return [
    ...others.map((of) => ({ points: points(of), look: "score" })),
    { points: points([part, head]), look: "score chosen", head: part * heads + head },
  ];
}

/** One plot over all steps: its lines, the step that is shown, and its numbers there. */
class Plot {
  /** @param {string} title @param {string} note */
  constructor(title, note) {
    this.svg = document.createElementNS(SVG, "svg");
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    this.svg.setAttribute("preserveAspectRatio", "none");
    this.svg.setAttribute("aria-hidden", "true");
    this.note = span("note", note);
    this.top = span("top");
    this.cursor = div("cursor");
    this.says = span("says");
    this.cursor.append(this.says);
    this.root = div(
      "plot",
      element("h3", {}, title, " ", this.note),
      div("area", this.svg, this.top, span("bottom", "0"), this.cursor),
    );
  }

  /**
   * @param {{ lines: Line[]; total: number; top: number; step: number; marks: number[]; says: string; note: string }} values
   */
  update({ lines, total, top, step, marks, says, note }) {
    const y = (/** @type {number} */ number) => HEIGHT * (1 - Math.min(1, number / top));
    this.svg.replaceChildren(
      ...lines.map(({ points, look, head }) => {
        const line = document.createElementNS(SVG, "polyline");
        line.setAttribute("class", look);
        if (head !== undefined) line.setAttribute("style", accent(head));
        const places = points.map(
          ([at, number]) => `${((at / total) * WIDTH).toFixed(1)},${y(number).toFixed(2)}`,
        );
        line.setAttribute("points", places.join(" "));
        return line;
      }),
    );
    setText(this.note, note);
    setText(this.top, format(top, top === 1 ? 0 : 1));
    this.cursor.style.left = `${(100 * Math.min(step, total)) / total}%`;
    this.cursor.classList.toggle("late", step > total / 2);
    setText(this.says, says);
    this.says.style.top = marks.length ? `${Math.min(80, y(marks[0]))}%` : "0";
  }
}

/** @param {number} share */
export const percent = (share) => `${format(100 * share, 0)}\u00a0%`;

/** "2 × 4 heads, d 48" @type {(words: Record<string, string>, begun: TrainBegun) => string} */
export const modelText = (words, { settings: { layers, heads, d_model } }) =>
  fill(words.model, { layers: Number(layers), heads: Number(heads), d_model: Number(d_model) });
