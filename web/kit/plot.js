// A figure of Plotly's. It is drawn once it comes into view; a later figure is drawn into the same element.

import { isBeforeAudience, leastType, onAudienceChange, reportRedrawn } from "./audience.js";
import { element, setAttribute, setText } from "./dom.js";
import { enlarged } from "./enlarge.js";
import { isOfCells, withNumbersOf } from "./figure_numbers.js";
import { mounting } from "./mount.js";
import { painted, pictures } from "./pictures.js";
import { cleared, frameOf, restyled } from "./restyle.js";
import { belowRoot } from "./root.js";

const DARK = matchMedia("(prefers-color-scheme: dark)");
const NEAR = "400px"; // from the view: Plotly's script is on its way before a figure is seen

const LEAST_TYPE = 11; // pixels, of a figure's (mha_view/figures/layout.py)
const MOST = 0.64; // of the window's height before an audience, with words above and below
const ALONE = 0.8; // alone on a screen

/**
 * A figure as it is drawn here: larger before an audience. The layout is a copy, because Plotly writes into it and,
 * while it fits a drawing to another width, deletes its height.
 * @param {PlotFigure} figure
 * @returns {PlotFigure}
 */
function drawnHere(figure) {
  if (!isBeforeAudience()) return { ...figure, layout: structuredClone(figure.layout) };
  return enlarged(figure, leastType() / LEAST_TYPE, {
    most: MOST * innerHeight,
    alone: ALONE * innerHeight,
  });
}

/** @type {Promise<Plotly> | null} */
let script = null;

/**
 * Plotly, loaded once a document; after a failure it is requested again.
 * @param {string} version
 * @returns {Promise<Plotly>}
 */
function plotly(version) {
  script ??= new Promise((resolve, reject) => {
    const src = belowRoot(`api/plotly/${version}.js`).href;
    const onload = () => resolve(/** @type {Plotly} */ (window.Plotly));
    document.head.append(element("script", { src, onload, onerror: reject }));
  });
  script.catch(() => (script = null));
  return script;
}

/**
 * Report whether a node is within `margin` of the view, now and whenever that changes.
 * @param {Element} node
 * @param {string} margin
 * @param {(is: boolean) => void} report
 */
function watch(node, margin, report) {
  const options = { rootMargin: margin, scrollMargin: margin };
  const observer = new IntersectionObserver(
    (entries) => report(Boolean(entries.at(-1)?.isIntersecting)),
    options,
  );
  observer.observe(node);
  return observer;
}

class Plot {
  isInView = false;
  needsServer = false;
  /** @type {Follows | null} */
  follows = null;
  /** @type {PlotData} */
  #data; // what the page's Python has sent last
  /** @type {Drawn | null} */
  #figure = null; // the newest
  /** @type {PlotFigure | null} */
  #drawn = null; // the same as it is drawn here
  #isMissing = false; // only the texts of the newest were sent
  #text = ""; // the newest as JSON, to be compared
  #drawnText = ""; // what Plotly has drawn, likewise
  #drawnConfig = "";
  #drawnFrame = ""; // all of it but its numbers
  #width = 0;
  /** @type {Cell | null} */
  #cell = null;
  #canvas = /** @type {PlotCanvas} */ (/** @type {HTMLElement} */ (element("div"))); // Plotly sets its class, too
  #mark = element("div", { class: "mark", hidden: true });
  #texts = [element("p"), element("p")]; // for screen readers
  #scroller;
  #alternative;
  /** @type {(IntersectionObserver | ResizeObserver)[]} */
  #observers = [];
  /** @type {Component["setStateValue"]} */
  #setStateValue;
  #unmounted = new AbortController();

  /** @param {Component<PlotData>} component */
  constructor({ parentElement, data, setStateValue }) {
    this.#data = data;
    this.#setStateValue = setStateValue;
    this.version = data.version;
    this.root = element("div", { class: "mha-plot", "aria-busy": "true" }, this.#canvas, this.#mark);
    this.#scroller = element("div", { class: "mha-scroller", role: "group" }, this.root);
    this.#alternative = element("div", { class: "mha-unseen" }, ...this.#texts);
    parentElement.append(this.#scroller, this.#alternative);
    const { signal } = this.#unmounted;
    const again = () => this.#figure && this.take(this.#figure);
    onAudienceChange(again, signal);
    window.addEventListener("resize", () => isBeforeAudience() && again(), { signal });
    DARK.addEventListener("change", () => this.#recolour(), { signal });
  }

  /** The system has become dark, or light. Streamlit changes its own colours without running the script, but a figure
   * gets its colours from the server: so tell the server. */
  async #recolour() {
    await painted(); // by then Streamlit has the new theme, which it sends along
    this.#setStateValue("dark", DARK.matches);
  }

  /** @param {Component<PlotData>} component */
  update({ data, setStateValue }) {
    this.#data = data;
    this.#setStateValue = setStateValue;
    this.follows = data.follows;
    if (!this.#figure) this.#hold(data.drawn);
    pictures.add(this);
    this.refresh();
  }

  unmount() {
    pictures.remove(this);
    this.#unmounted.abort();
    for (const observer of this.#observers) observer.disconnect();
    window.Plotly?.purge(this.#canvas);
    this.#scroller.remove();
    this.#alternative.remove();
  }

  /** Take the page's figure, unless the bench shows other numbers. The bench's numbers are painted first. */
  refresh() {
    const { follows } = this;
    if (!follows || follows.revision === pictures.revision) {
      this.#hold(this.#data.drawn);
      this.#askForMissing();
      if (this.#isDue) painted().then(() => this.#draw());
    }
    if (!follows || pictures.revision !== undefined) this.#watch(); // a bench above it has its height by now
  }

  #watch() {
    if (this.#observers.length) return;
    const resized = new ResizeObserver(() => this.#resize());
    resized.observe(this.root);
    resized.observe(this.#scroller);
    this.#observers = [
      resized,
      watch(this.root, NEAR, (isNear) => isNear && plotly(this.version).catch(() => {})),
      watch(this.root, "0px", (isInView) => {
        this.isInView = isInView;
        this.#askForMissing();
        this.#draw();
      }),
    ];
  }

  /**
   * Show other numbers where that needs no server. What is said of the figure in words follows with the page's answer.
   * @param {Model} model
   */
  async show(model) {
    const newest = this.#figure;
    const figure = newest?.figure && withNumbersOf(newest.figure, model);
    if (!figure) this.needsServer = true;
    else await this.take({ ...newest, figure });
  }

  /**
   * Show a figure; resolves once it is drawn, if it is in view.
   * @param {Drawn} figure
   */
  take(figure) {
    this.#hold(figure);
    return this.#draw();
  }

  /** @param {Drawn} drawn */
  #hold(drawn) {
    const { config, min_width } = this.#data;
    if (isBeforeAudience()) plotly(this.version).catch(() => {}); // the next screen of a lesson must show its figure at once
    const { figure, title, alt } = drawn;
    this.#isMissing = !figure;
    const here = figure && drawnHere(figure);
    const text = here ? JSON.stringify([drawn, config, min_width, here.layout.height]) : this.#text;
    for (const [at, words] of [title, alt].entries()) setText(this.#texts[at], words);
    setAttribute(this.#scroller, "aria-label", title);
    if (here && text !== this.#text) {
      this.#figure = drawn;
      this.#drawn = here;
      this.needsServer = !isOfCells(here);
      this.#text = text;
      Object.assign(this.root.style, {
        minWidth: isBeforeAudience() ? "" : `${min_width}px`,
        height: `${here.layout.height}px`, // before it is drawn, too: the page is laid out by it
      });
      reportRedrawn();
    }
    if (this.#isDue) this.root.setAttribute("aria-busy", "true");
  }

  /** The page sends a picture that is out of view without its figure. */
  #askForMissing() {
    if (this.isInView && this.#isMissing) pictures.missed();
  }

  /** Whether the figure is in view, and is not what Plotly has drawn. */
  get #isDue() {
    const isOld = this.#isMissing || this.#text !== this.#drawnText;
    return this.isInView && isOld && this.root.clientWidth > 0;
  }

  async #draw() {
    if (!this.#observers.length) return;
    if (this.#isDue) {
      const Plotly = await plotly(this.version).catch(() => null);
      if (Plotly && this.#isDue && !this.#isMissing) await this.#react(Plotly);
    }
    setAttribute(this.root, "aria-busy", this.#isDue && "true");
  }

  /** @param {Plotly} Plotly */
  async #react(Plotly) {
    if (!this.#drawn) return;
    const { data, layout } = this.#drawn;
    const config = JSON.stringify(this.#data.config);
    const frame = frameOf(this.#drawn);
    const isNew = config !== this.#drawnConfig; // Plotly then starts again, and our listeners are removed
    const isLike = !isNew && frame === this.#drawnFrame && this.#width === this.root.clientWidth;
    this.#drawnText = this.#text;
    this.#drawnConfig = config;
    this.#drawnFrame = frame;
    if (isLike && restyled(this.#canvas, data)) return;
    this.#width = this.root.clientWidth;
    cleared(this.#canvas);
    await Plotly.react(this.#canvas, data, layout, JSON.parse(config));
    if (isNew) this.#listen();
    this.#outline();
  }

  /** @param {Cell | null} cell */
  outline(cell) {
    this.#cell = cell;
    this.#outline();
  }

  #listen() {
    this.#canvas.on("plotly_hover", ({ points: [point] }) => pictures.pointed(cellOf(point)));
    this.#canvas.on("plotly_unhover", () => pictures.pointed(null));
    this.#canvas.on("plotly_click", ({ points: [point] }) => {
      const cell = cellOf(point);
      if (cell) pictures.chosen(cell);
    });
  }

  #outline() {
    const place = this.#cell && this.#drawnText && this.#placeOf(this.#cell);
    setAttribute(this.#mark, "hidden", !place && "hidden");
    if (place) Object.assign(this.#mark.style, place);
  }

  /**
   * Where a cell of a matrix is in this figure; null where the figure does not show it.
   * @param {Cell} cell
   */
  #placeOf({ name, head, row, col }) {
    const { data, _fullLayout } = this.#canvas;
    const matrix = data.find(
      ({ type, meta }) => type === "heatmap" && meta?.matrix === name && meta.head === head,
    );
    if (!matrix?.xaxis || !matrix.yaxis) return null;
    const [left, width] = stretch(_fullLayout[matrix.xaxis.replace("x", "xaxis")], col);
    const [top, height] = stretch(_fullLayout[matrix.yaxis.replace("y", "yaxis")], row);
    return { left, width, top, height };
  }

  #resize() {
    // A figure that is wider than its place can be scrolled by keys as well.
    const { scrollWidth, clientWidth } = this.#scroller;
    setAttribute(this.#scroller, "tabindex", scrollWidth > clientWidth && "0");
    if (!this.#drawnText || !this.root.clientWidth || this.root.clientWidth === this.#width) return;
    this.#width = this.root.clientWidth;
    cleared(this.#canvas);
    window.Plotly?.Plots.resize(this.#canvas).then(() => this.#outline());
  }
}

/**
 * The cell that a figure's point stands for; null where its trace names no matrix.
 * @param {PointedPoint} point
 * @returns {Cell | null}
 */
function cellOf({ data: { meta }, pointNumber }) {
  if (!meta?.matrix) return null;
  const [row, col] = Array.isArray(pointNumber) ? pointNumber : [Number(meta.row), pointNumber];
  return { name: meta.matrix, head: meta.head, row, col };
}

/**
 * Where the cell of an index begins on an axis, and how long it is, for a style.
 * @param {PlotAxis} axis
 * @param {number} index
 */
function stretch(axis, index) {
  const [one, other] = [index - 0.5, index + 0.5].map((at) => axis._offset + axis.d2p(at));
  return [`${Math.min(one, other)}px`, `${Math.abs(other - one)}px`];
}

export default mounting((/** @type {Component<PlotData>} */ component) => new Plot(component));
