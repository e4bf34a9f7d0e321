// What the kit makes of what Python sends (generated.d.ts). JSDoc in the modules names these; nothing here is served.

/** A table: a matrix, of a head where each has its own. */
type TableId = Pick<Cell, "name" | "head">;

/** A matrix that a step reads. */
type Operand = Step["operands"][number];

interface Model {
  /** Those of the page, and of the example. */
  words: Record<string, string>;
  /** By name, the numbers as they were before the last edit. */
  before?: Record<string, Matrix["values"]> | null;
  /** What may be done with the example, where it may be edited. */
  controls?: Controls;
  /** Its goal and what belongs to the backward pass. */
  learning?: LearningData | null;
}

type TokenList = AddToken["which"];

/** What the server is asked to do; `seq`: its number, by which it is confirmed. */
type Edit = Operation & { seq?: number };

/** An edit on its way. */
type SentEdit = Operation & { seq: number };

/** What the live channel is asked for. */
interface LiveWish extends Partial<LiveRequest> {
  figures?: { names: string[]; theme: string; query: number };
}

/** A piece of a line of arithmetic: words, a number of a cell, a power of e, or the name of a place. */
interface Piece {
  text?: string;
  quiet?: boolean;
  number?: string;
  power?: string;
  strong?: boolean;
  cell?: Cell;
  place?: Cell;
}

/** How numbers are printed in a line of arithmetic. */
interface Manner {
  show: (number: Value) => string;
  rounds: (number: Value) => boolean;
  /** Of more terms the middle ones are left out. */
  most: number;
  /** Products with their factors in the other order. */
  turned?: boolean;
  /** Words for many terms that a mask makes 0. */
  masked?: (count: number) => string;
}

/** What was read: a value, or why there is none. */
interface Reading<T> {
  value?: T;
  wrong?: string;
}

/** A function of a cell, or of a matrix of a head. */
type OfCell<T> = (model: Model, cell: Cell) => T;
type OfMatrix<T> = (model: Model, name: string, head: number | null) => T;

/** What an element may hold; null, undefined and "" stand for nothing. */
type Child = Node | string | null | undefined;

type AttributeValue = string | number | boolean | null | undefined;

type Listeners = {
  [Name in keyof HTMLElementEventMap as `on${Name}`]?: (event: HTMLElementEventMap[Name]) => unknown;
};

/** Attributes of an element, its `data-…` and its event listeners. */
interface Attributes extends Listeners {
  data?: Record<string, AttributeValue>;
  [name: string]: AttributeValue | Record<string, AttributeValue> | ((event: never) => unknown);
}

/** What Streamlit hands over with every answer; `data` is what the page's Python has sent. */
interface Component<Data = unknown> {
  parentElement: HTMLElement;
  data: Data;
  setStateValue: (name: string, value: unknown) => void;
  setTriggerValue: (name: string, value: unknown) => void;
}

/** What a component builds on the page. */
interface Part<Data = never> {
  update(component: Component<Data>): void;
  unmount(): void;
}

/**
 * Whose numbers can be dragged. `What`: what is dragged. `slides`: a finger drags at once. Its elements then have
 * `touch-action: pan-y`, by which the browser still scrolls up and down.
 */
interface ScrubHost<What> {
  slides?: boolean;
  /** Its number; undefined where it may not be dragged. */
  valueOf(what: What): Value | undefined;
  /** A number some steps further. */
  moved(start: Value, steps: number): Value;
  element(what: What): HTMLElement | null | undefined;
  /** Show the number while it is dragged. */
  show(what: What, number: Value): void;
  /** The drag has ended: make the number an edit. */
  commit(what: What, number: Value): void;
  /** The drag is taken back: show the number from before it. */
  cancel(what: What, number: Value): void;
}

/** Gives a selection, a menu or a line its numbers, shows messages and pins cells. */
interface Host {
  model: Model;
  words: Record<string, string>;
  view: import("./kit/tables.js").View;
  say(text: string, kind?: string, place?: string | string[]): void;
  pin(cell: Cell): void;
  unpin(): void;
}

/** Receives what the live channel answers. */
interface LiveHost {
  seen(seen: Seen, seq: number): void;
  drawn(figures: Record<string, Drawn>): void;
  asking(): LiveWish;
  lost(): void;
  stateChanged(): void;
}

/**
 * One trace of a figure of Plotly's; `meta` says which matrix its points are of, and of which row where they are one.
 */
interface PlotTrace {
  type?: string;
  xaxis?: string;
  yaxis?: string;
  meta?: { matrix?: string; head: number | null; row?: number };
  z?: (number | null)[][];
  y?: number[];
  [name: string]: unknown;
}

/** A trace of one of our heatmaps, and of our bars. */
type HeatmapTrace = PlotTrace & { hovertext: string[][]; text?: string[][] };
type BarTrace = PlotTrace & { hovertext: string[]; text?: string[] };

/** An annotation or a shape; on paper its y counts from 0 to 1. */
interface PlotMark {
  yref?: string;
  [name: string]: unknown;
}

interface PlotLayout {
  height: number;
  margin: { l: number; r: number; t: number; b: number };
  annotations?: PlotMark[];
  shapes?: PlotMark[];
  [name: string]: unknown;
}

interface PlotFigure {
  data: PlotTrace[];
  layout: PlotLayout;
}

/** A point of a figure that the pointer is on. */
interface PointedPoint {
  data: PlotTrace;
  pointNumber: number | [number, number];
}

/** An axis as Plotly has laid it out: `d2p` turns a place on it into pixels from its start. */
interface PlotAxis {
  _offset: number;
  d2p(at: number): number;
}

/** The scale of colours that all heatmaps of a figure share. */
interface ColourAxis {
  cmin: number;
  cmax: number;
  colorscale: [number, string][];
}

/** What Plotly keeps of a bar; the first one of a trace also has the trace, and the element that it is drawn into. */
interface PlotPoint {
  trace: PlotTrace;
  node3?: { node(): Element };
  s1?: number;
}

/** The element that Plotly draws into, with what Plotly adds to it. */
interface PlotCanvas extends HTMLElement {
  data: PlotTrace[];
  calcdata?: PlotPoint[][];
  _fullLayout: Record<string, PlotAxis> & { coloraxis: ColourAxis };
  on(event: string, act: (event: { points: PointedPoint[] }) => void): void;
}

interface Plotly {
  react(canvas: HTMLElement, data: PlotTrace[], layout: PlotLayout, config: object): Promise<unknown>;
  purge(canvas: HTMLElement): void;
  Plots: { resize(canvas: HTMLElement): Promise<unknown> };
}

interface Window {
  Plotly?: Plotly;
}

/** What a figure's component is sent (mha_ui/plot.py). */
interface PlotData {
  drawn: Drawn;
  min_width: number;
  config: object;
  version: string;
  follows: Follows | null;
}

/** Which of the bench's pictures a figure is, and of which revision of its example (mha_ui/plot.py). */
interface Follows {
  name: string;
  theme: string;
  query: number;
  revision: number;
  is_live: boolean;
}

/** A picture on the page. */
interface Picture {
  isInView: boolean;
  follows: Follows | null;
  /** Whether the server has to draw it for other numbers. */
  needsServer: boolean;
  /** Show other numbers, which the page has not answered yet. */
  show(model: Model): Promise<void>;
  take(figure: Drawn): Promise<void>;
  refresh(): void;
  outline(cell: Cell | null): void;
}

/** Receives the cell that is pointed at in a picture, or chosen. */
interface CellReader {
  pointed(cell: Cell | null): void;
  chosen(cell: Cell): void;
  /** Have the page answer, with the pictures that are in view. */
  answerAgain(): void;
}

/** What the address cannot say of the work: that it holds no address of all edits, or that it is of models. */
interface WorkState {
  unsaved?: boolean;
  ofModels?: boolean;
}

/** Events by which parts of the page reach each other; none imports the other. */
interface WindowEventMap {
  /** Somebody wants the newest address: each part that has one adds a promise. */
  "mha-address-asked": CustomEvent<Promise<WorkState>[]>;
  /** The address bar is about to get these parameters. */
  "mha-address-kept": CustomEvent<Record<string, string>>;
  /** Edits are pending, and no part of the page is left that could send them. */
  "mha-left": CustomEvent<null>;
  /** The walk has come to a place. */
  "mha-place": CustomEvent<WalkPosition>;
  "mha-sent": CustomEvent<Operation>;
  /** The server has not answered. */
  "mha-silence": CustomEvent<null>;
}
