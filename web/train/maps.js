// The maps of every head at one step, the chosen one larger with its tokens, and how it formed.

import { isBeforeAudience } from "../kit/audience.js";
import { accent, button, div, element, fill, p, prose, setText, span } from "../kit/dom.js";
import { colourOf, paintMap } from "../kit/maps.js";
import { format } from "../kit/numbers.js";

const DENSE = 24; // rows: of more, every second one has its token
const FILM = 12; // pictures of how the chosen head formed, at most

/** @typedef {{ recording: import("./recording.js").Recording; step: number; asked: number; head: TrainHead }} MapsValues */

export class Maps {
  /** @type {MapsValues | null} */
  #values = null;
  /** Row and column of the number that is read. @type {[number, number] | null} */
  #cell = null;

  /**
   * @param {Record<string, string>} words
   * @param {{ choose: (head: TrainHead) => void; go: (step: number) => void; open: () => void }} host
   */
  constructor(words, host) {
    this.words = words;
    this.host = host;
    this.title = element("h2");
    this.list = div("maps");
    this.head = element("h3");
    this.canvas = element("canvas");
    this.grid = div("large");
    this.mark = div("mark");
    this.said = p("hint said");
    this.said.setAttribute("role", "status");
    this.film = div("film");
    this.filmTitle = element("h3");
    this.formed = p("formed");
    this.open = button({ data: { focus: "bench" }, onclick: () => host.open() }, words.bench);
    this.root = element(
      "section",
      { class: "heads", "aria-label": words.heads },
      div("every", this.title, this.list),
      div("one", div("head-row", this.head, this.open), this.grid, this.said),
      div("forming", div("caption", this.filmTitle, this.formed), this.film),
    );
    this.grid.tabIndex = 0;
    this.grid.setAttribute("role", "group");
    this.grid.dataset.focus = "map";
    this.grid.addEventListener("keydown", (event) => this.#key(event));
    this.grid.addEventListener("pointermove", (event) => this.#point(event));
    this.grid.addEventListener("pointerdown", (event) => this.#point(event));
  }

  /** @param {MapsValues} values */
  update(values) {
    const isOther = this.#values?.recording !== values.recording;
    this.#values = values;
    const { words } = this;
    const { recording, step, asked, head } = values;
    const frame = recording.frames[recording.nearest(step)];
    this.root.hidden = !frame;
    if (!frame) return;
    setText(this.title, fill(words.every_head, { step: frame.step }));
    if (isOther) {
      this.#cell = null;
      this.#build(recording);
    }
    for (const [at, of] of recording.all.entries()) {
      const map = /** @type {HTMLButtonElement} */ (this.list.querySelectorAll("button")[at]);
      const isChosen = String(of) === String(head);
      map.setAttribute("aria-pressed", String(isChosen));
      setText(/** @type {HTMLElement} */ (map.lastElementChild), scoreText(words, recording, frame, of));
      this.#paint(/** @type {HTMLCanvasElement} */ (map.firstElementChild), frame, of);
    }
    setText(this.head, headName(words, recording, head));
    this.root.style.cssText = accent(indexOf(recording, head));
    setText(this.open, asked === frame.step ? words.bench : fill(words.bench_at, { step: asked }));
    this.#showLarge(frame);
    this.#showFilm(frame);
  }

  /** A button for each head. @param {MapsValues["recording"]} recording */
  #build(recording) {
    const isRow = recording.heads > 1; // each attention a row with its name
    const columns = isRow ? recording.heads : recording.all.length;
    this.list.style.setProperty("--columns", String(columns));
    this.list.replaceChildren(
      ...recording.all.flatMap((head) => [
        ...(isRow && head[1] === 0 ? [span("layer", partName(this.words, recording, head[0]))] : []),
        button(
          {
            class: "map",
            style: accent(indexOf(recording, head)),
            data: { focus: `map ${head}` },
            onclick: () => this.host.choose(head),
          },
          element("canvas", { "aria-hidden": "true" }),
          element(
            "strong",
            {},
            isRow ? fill(this.words.head, { head: head[1] + 1 }) : headName(this.words, recording, head),
          ),
          span("score"),
        ),
      ]),
    );
  }

  /** @type {(canvas: HTMLCanvasElement, frame: TrainFrame, head: TrainHead) => void} */
  #paint(canvas, frame, head) {
    const { recording } = this.#required;
    const { kind } = recording.begun.parts[head[0]];
    paintMap(canvas, recording.weights(frame, head), colourOf(canvas), {
      paper: colourOf(canvas, "borderTopColor"),
      isHidden: (row, col) => isMasked(kind, row, col),
    });
  }

  get #required() {
    return /** @type {MapsValues} */ (this.#values);
  }

  /** The chosen head with the tokens of its rows and columns. @param {TrainFrame} frame */
  #showLarge(frame) {
    const { recording, head } = this.#required;
    const { queries, keys } = recording.begun.parts[head[0]];
    const name = `${head[0]} ${queries.join(" ")} ${keys.join(" ")}`;
    if (this.grid.dataset.tokens !== name) {
      this.grid.dataset.tokens = name;
      this.grid.style.setProperty("--rows", String(queries.length));
      this.grid.style.setProperty("--columns", String(keys.length));
      this.grid.classList.toggle("is-dense", queries.length > DENSE);
      this.grid.classList.toggle(
        "has-words",
        keys.some((token) => token.length > 1),
      );
      this.grid.replaceChildren(
        div("key-tokens", ...keys.map((token) => span("token", token))),
        div("query-tokens", ...queries.map((token) => span("token", token))),
        div("picture", this.canvas, this.mark),
      );
    }
    this.#mark();
    this.grid.setAttribute(
      "aria-label",
      fill(this.words.map_label, { head: headName(this.words, recording, head) }),
    );
    this.#paint(this.canvas, frame, head);
    this.#say(frame);
  }

  /** Frame the number that is read, and its tokens. */
  #mark() {
    const [row, col] = this.#cell ?? [-1, -1];
    this.grid.style.setProperty("--row", String(row));
    this.grid.style.setProperty("--col", String(col));
    this.mark.hidden = !this.#cell;
    for (const [name, chosen] of [
      ["query-tokens", row],
      ["key-tokens", col],
    ])
      for (const [at, token] of [...(this.grid.querySelector(`.${name}`)?.children ?? [])].entries())
        token.classList.toggle("read", at === chosen);
  }

  /** One weight in words, or where this head looks most. @param {TrainFrame} frame */
  #say(frame) {
    const { recording, head } = this.#required;
    const { queries, keys, kind } = recording.begun.parts[head[0]];
    const weights = recording.weights(frame, head);
    const last = queries.length - 1;
    const row = this.#cell?.[0] ?? last;
    const col = this.#cell?.[1] ?? weights[row].indexOf(Math.max(...weights[row]));
    const { one_weight, one_masked, last_row } = this.words;
    const one = isMasked(kind, row, col) ? one_masked : one_weight;
    const words = this.#cell ? one : last_row;
    const place = { query: queries[row], row: row + 1, key: keys[col], col: col + 1 };
    setText(this.said, fill(words, { ...place, weight: format(weights[row][col], 2) }));
  }

  /** Pictures of the chosen head at the steps between which it changes most. @param {TrainFrame} shown */
  #showFilm(shown) {
    const { recording, head } = this.#required;
    const chosen = recording.film(head, FILM);
    const count = chosen.length;
    setText(
      this.formed,
      prose(
        formedText(this.words, recording),
        inductionText(this.words, recording, shown),
        isBeforeAudience() ? "" : fallText(this.words, recording), // the curve shows it, and room is scarce
      ),
    );
    setText(this.filmTitle, fill(this.words.film, { head: headName(this.words, recording, head) }));
    const nearest = chosen.reduce((best, one) =>
      Math.abs(one.step - shown.step) < Math.abs(best.step - shown.step) ? one : best,
    );
    while (this.film.children.length > count) this.film.lastElementChild?.remove();
    for (const [at, frame] of chosen.entries()) {
      if (!this.film.children[at]) this.film.append(this.#picture());
      const picture = /** @type {HTMLButtonElement} */ (this.film.children[at]);
      picture.dataset.step = String(frame.step);
      picture.dataset.focus = `film ${at}`;
      picture.setAttribute("aria-pressed", String(frame === nearest));
      picture.setAttribute("aria-label", fill(this.words.to_step, { step: frame.step }));
      setText(/** @type {HTMLElement} */ (picture.lastElementChild), String(frame.step));
      this.#paint(/** @type {HTMLCanvasElement} */ (picture.firstElementChild), frame, head);
    }
  }

  #picture() {
    const picture = button({ class: "still" }, element("canvas", { "aria-hidden": "true" }), span("at"));
    picture.addEventListener("click", () => this.host.go(Number(picture.dataset.step)));
    return picture;
  }

  /** @param {PointerEvent} event */
  #point({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect();
    const { recording, head } = this.#required;
    const { queries, keys } = recording.begun.parts[head[0]];
    const row = Math.floor(((clientY - top) / height) * queries.length);
    const col = Math.floor(((clientX - left) / width) * keys.length);
    if (row in queries && col in keys) this.#read(row, col);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[
      event.key
    ] ?? [0, 0];
    if (!down && !right) return;
    event.preventDefault();
    const { recording, head } = this.#required;
    const { queries, keys } = recording.begun.parts[head[0]];
    const [row, col] = this.#cell ?? [queries.length - 1, 0];
    const to = [row + down, col + right];
    if (to[0] in queries && to[1] in keys) this.#read(to[0], to[1]);
  }

  /** @param {number} row @param {number} col */
  #read(row, col) {
    const { recording, step } = this.#required;
    this.#cell = [row, col];
    this.#mark();
    this.#say(recording.frames[recording.nearest(step)]);
  }
}

/** Whether a token may not look at another one. @type {(kind: string, row: number, col: number) => boolean} */
const isMasked = (kind, row, col) => kind === "decoder" && col > row;

/** A head's score; in the first of several layers, where prefixes matter, how much it looks at the token before.
 * @type {(words: Record<string, string>, recording: MapsValues["recording"], frame: TrainFrame, head: TrainHead) => string} */
function scoreText(words, recording, frame, head) {
  const score = recording.score(frame, head);
  if (score === undefined) return "";
  const isBelow = recording.measure === "prefix" && head[0] + 1 < recording.begun.parts.length;
  if (isBelow) return fill(words.score_previous, { score: format(recording.previous(frame, head), 2) });
  return fill(words[`score_${recording.measure}`], { score: format(score, 2) });
}

/** How two layers work together. @type {(words: Record<string, string>, recording: MapsValues["recording"], frame: TrainFrame) => string} */
function inductionText(words, recording, frame) {
  const found = recording.induction(frame);
  if (!found) return "";
  const [first, second] = [found.first, found.second].map(({ head }) => headName(words, recording, head));
  const [before, prefix] = [found.first, found.second].map(({ value }) => format(value, 2));
  return fill(found.isPair ? words.induction_pair : words.induction, {
    step: frame.step,
    first,
    second,
    before,
    prefix,
  });
}

/** Which head formed, and by when. @type {(words: Record<string, string>, recording: MapsValues["recording"]) => string} */
function formedText(words, recording) {
  const formed = recording.formed;
  if (!formed) return "";
  const { head, level, step } = formed;
  const values = { head: headName(words, recording, head), measure: words[`measure_${recording.measure}`] };
  return step === null
    ? fill(words.not_formed, { ...values, level })
    : fill(words.formed, { ...values, level, step });
}

/** Where to look: the steps in which the loss falls fastest. @type {(words: Record<string, string>, recording: MapsValues["recording"]) => string} */
function fallText(words, recording) {
  const { fall } = recording;
  if (!fall) return "";
  const [before, after] = [fall.before, fall.after].map((loss) => format(loss, 2));
  return fill(words.fall, { from: fall.from, to: fall.to, before, after });
}

/** @type {(recording: MapsValues["recording"], head: TrainHead) => number} */
export const indexOf = ({ heads }, [part, head]) => part * heads + head;

/** "Layer 2 · Head 3" @type {(words: Record<string, string>, recording: MapsValues["recording"], head: TrainHead) => string} */
export function headName(words, recording, [part, head]) {
  return `${partName(words, recording, part)} · ${fill(words.head, { head: head + 1 })}`;
}

/** "Layer 2" @type {(words: Record<string, string>, recording: MapsValues["recording"], part: number) => string} */
export function partName(words, { begun }, part) {
  const { kind, layer } = begun.parts[part];
  const isBeside = kind === "decoder" && begun.parts.some((one) => one.kind === "cross");
  return fill(words[isBeside ? "part_target" : `part_${kind}`], { layer: layer + 1 });
}
