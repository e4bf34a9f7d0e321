// What the server sends, and what the kit makes of it. JSDoc in the modules names these; nothing here is served.

/** A number as it is sent: "-inf", "nan", a cell of a mask that allows, or a claim digit for digit. */
type Value = number | boolean | string;

/** The place of a number; `head` is null in matrices that all heads share. */
interface Cell {
  name: string;
  head: number | null;
  row: number;
  col: number;
}

/** A table: a matrix, of a head where each has its own. */
type TableId = Pick<Cell, "name" | "head">;

/**
 * A matrix that a step reads: its name, the letters of its axes, and that of its head where it is read of every head.
 */
type Operand = [string, string, string];

/** A declared step: the letters of its axes, what it reads, and its arithmetic (mha_core/compute/operations.py). */
interface Step {
  index: string;
  operands: Operand[];
  /** Which of the layer's settings it reads. */
  constant?: string;
  adds?: boolean;
  copies?: boolean;
  shifts?: boolean;
  term?: string;
  lines: string[];
  exception?: { at: number; number: Value; line: string };
  /** Names of the words beside the arithmetic, and beside that of an exception. */
  why?: [string, string];
}

/** The rows of a table. */
type Rows = Value[][];

type LensRows = ((Value | null)[] | null)[];

interface MatrixBase {
  symbol: string;
  word: string;
  formula: string;
  axes: [string, string];
  /** Whether its numbers are claims: somebody writes down what he has worked out. */
  claim?: boolean;
  /** Whether its numbers were typed elsewhere. */
  given?: boolean;
  hue: string;
  scale: string;
  /** Whether rows of queries that may attend to nothing are marked. */
  emptyRows?: boolean;
  /** For each head the head that holds its keys and values. */
  owners?: number[];
}

/** A matrix that all heads share. */
interface SharedMatrix extends MatrixBase {
  perHead: false;
  values: Rows;
  /** Whether it may be edited. */
  edit: boolean;
  /** The lens's numbers, null where there is none, and the baseline's rows that differ. */
  lens?: LensRows | null;
  was?: LensRows | null;
}

/** A matrix of which each head has its own, or none. */
interface HeadMatrix extends MatrixBase {
  perHead: true;
  values: (Rows | null)[];
  /** Whether it may be edited; a list where heads differ. */
  edit: boolean | boolean[];
  lens?: (LensRows | null)[] | null;
  was?: (LensRows | null)[] | null;
}

type Matrix = SharedMatrix | HeadMatrix;

interface Lens {
  kind: string;
  target?: Cell | null;
  summary: string;
}

interface Stage {
  title: string;
  hint: string;
  remark?: boolean;
  matrices: string[];
}

/** A computation as the server sends it. */
interface Model {
  lang: string;
  words: Record<string, string>;
  decimals: number;
  dims: Record<string, number>;
  labels: Record<string, string[]>;
  matrices: Record<string, Matrix>;
  steps: Record<string, Step>;
  constants: Record<string, Value | null>;
  /** For each head and query, whether every key is hidden. */
  dead: boolean[][] | null;
  /** For each head and query, what softmax takes from its scores. */
  shifts: number[][];
  lens?: Lens | null;
  /** By name, the numbers as they were before the last edit. */
  before?: Record<string, Matrix["values"]> | null;
  /** By key of a cell: whether a claim is right, what mistake was made there, and what would be right. */
  marks?: Record<string, string>;
  kinds?: Record<string, string>;
  notes?: Record<string, string>;
  check?: Check | null;
  controls?: Controls;
}

/** A computation whose tables are laid out in stages. */
interface TablesModel extends Model {
  stages: Stage[];
}

/** What may be done with an example, and which of the menus' choices it has. */
interface Controls {
  undo: boolean;
  redo: boolean;
  /** Whether the example differs from the one that was opened. */
  changed: boolean;
  /** Whether a baseline is pinned. */
  baseline: boolean;
  values: boolean;
  w_o: boolean;
  biases: boolean;
  context: boolean;
  /** The axes whose sizes can be changed. */
  sizes: string[];
  scale: Scale;
  temperature: boolean;
  is_product: boolean;
  scoring: string;
  positions: string;
  kv_heads: number;
  mask: string;
  /** The current lens, "" for none; null where no choice is offered. */
  lens: string | null;
}

/** The divisor of the scores, or its rule. */
type Scale = "sqrt_dk" | "none" | number;

/** The model of the Explore page: also what may be done, and how far the server has come with the edits. */
interface ExploreModel extends TablesModel, Answer {
  controls: Controls;
  /** By menu, each choice's edit by its name. */
  choices: Record<string, Record<string, Edit>>;
  limits: { number: number; heads: number; size: number };
  revision: number;
  opened: number;
  about: string;
  about_ours: boolean;
  /** For each head, where it looks. */
  looks: string[];
  unsaved: boolean;
  /** Whether the address asked for nothing in particular, and how often the first steps have been asked for. */
  start: { first: boolean; asked: number };
  /** What the address bar holds: the address of the work, or the link to an exercise with numbers for each student. */
  bar: Record<string, string>;
  /** What undo and redo lead to. */
  history: import("./explore/editing/history.js").HistoryState;
  /** The example where no address holds it. */
  whole: string | null;
  /** What the live channel is asked for after an edit. */
  asks: LiveRequest;
  pinned: Cell | null;
  message: Message | null;
  /** Of an exercise that there can be others like: the query of a link for everybody. */
  class_link?: string;
  /** Which of the examples shown an exercise was set with, here; 0 where a link has brought it. */
  begun?: number;
}

/** Which session answers, and the last edit that it has applied. */
interface Answer {
  session: string;
  ack: number;
  address: Record<string, string>;
}

/** A sentence above the line; `place` is the name of a place in it, `offer` what can be done about it. */
interface Message {
  text: string;
  kind: string;
  place?: string;
  offer?: { label: string; edit: Edit } | null;
}

/** What is known of somebody's own numbers. */
interface Check {
  state: string;
  summary: string;
  first?: Cell | null;
  causes?: { step: string; cell: Cell; text: string; right?: string; yours?: string; walk?: string }[];
  findings?: { cell: Cell; text: string }[];
  practice?: PracticeState;
}

/** A table of an exercise, and how many of its numbers are right, or wrong. */
interface PracticeTable {
  name: string;
  head: number | null;
  label: string;
  cells: number;
  right: number;
  wrong: number;
}

/** How far a learner is: what is wrong where, the hint asked for, and what there is to say once all is right. */
interface PracticeState {
  texts: Record<string, string>;
  tables: PracticeTable[];
  explanations: { cell: Cell; text: string }[];
  hint: { cell: Cell; rung: string; text: string; more: string } | null;
  end: {
    result: string;
    weights: number[][][];
    looks: string[];
    queries: string[];
    keys: string[];
  } | null;
}

/** A block of numbers, written from (row, col) on; null leaves a cell as it is. */
interface BlockEdit {
  op: "set" | "claim";
  matrix: string;
  head: number | null;
  row: number;
  col: number;
  values: (Value | null)[][];
  /** Whether the matrix is made larger where there is no room. */
  grow?: boolean;
}

type TokenList = "tokens" | "context_tokens";

/** What an operation of `mha_core/edit/fields.py`, or of `mha_ui/state/edits.py`, asks for. */
type Operation =
  | BlockEdit
  | { op: "fill"; matrix: string; head: number | null; with: string; seed: number }
  | { op: "rename_token"; which: TokenList; index: number; text: string }
  | { op: "add_token"; which: TokenList; index?: number; text?: string }
  | { op: "remove_token"; which: TokenList; index: number }
  | { op: "sentence"; which: TokenList; tokens: string[] }
  | { op: "learned_sentence"; text: string }
  | { op: "add_head"; copy?: number }
  | { op: "remove_head"; head?: number }
  | { op: "resize"; axis: string; by: number }
  | { op: "w_o" | "values" | "biases" | "context"; on: boolean }
  | { op: "mask"; kind: string }
  | { op: "scale"; value: Scale }
  | { op: "scoring"; kind: string; scale: Scale }
  | { op: "positions"; kind: string; pairs: string | null }
  | { op: "kv_heads"; count: number }
  | { op: "lecture"; lecture: Lecture["own"] | null }
  | {
      op: "claim_text";
      matrix: string;
      head: number | null;
      row: number;
      col: number;
      text: string;
      whole?: boolean;
    }
  | { op: "clear_claims"; matrix?: string; head?: number | null }
  | { op: "undo" | "undo_numbers" | "redo" | "reset" | "another_exercise" | "end_exercise" }
  | { op: "pin" | "hint"; cell: Cell | null }
  | { op: "restore"; address: Record<string, string> }
  | { op: "follow"; address: Record<string, string>; way: string }
  | { op: "recall"; history: unknown }
  | ({ op: "place" } & WalkPosition)
  | { op: "lens"; value: string }
  | { op: "baseline"; clear?: boolean }
  | { op: "decimals"; value: number };

/** What the server is asked to do; `seq`: its number, by which it is confirmed. */
type Edit = Operation & { seq?: number };

/** An edit on its way. */
type SentEdit = Operation & { seq: number };

/** What a lens shows: parts of the whole, and by name parts of a matrix (mha_api/channel.py, `seen`). */
interface Seen extends Partial<Pick<Model, "lens" | "marks" | "kinds" | "notes" | "check">> {
  matrices: Record<string, Partial<Matrix>>;
}

/** What the live channel is asked for besides the numbers (mha_api/channel.py). */
interface LiveRequest {
  lang?: string;
  about?: boolean;
  lens?: unknown;
  figures?: { names: string[]; theme: string; query: number };
}

/** Where numbers of an answer go: matrix, head, first row, rows, columns. */
type Block = [string, number | null, number, number, number];

/** The header of an answer of the live channel (mha_api/channel.py). */
interface LiveAnswer extends Partial<Pick<Model, "dead" | "shifts" | "constants">> {
  id: number;
  blocks?: Block[];
  captions?: Record<string, Pick<Matrix, "symbol" | "formula">>;
  about?: string;
  looks?: string[];
  seen?: Seen;
  figures?: Record<string, Drawn>;
  error?: string;
  gone?: boolean;
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
  painted(header: LiveAnswer, numbers: Float64Array): void;
  drawn(figures: Record<string, Drawn>): void;
  asking(): LiveRequest;
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
  [name: string]: unknown;
}

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
interface PlotPoint {
  data: PlotTrace;
  pointNumber: number | [number, number];
}

/** An axis as Plotly has laid it out: `d2p` turns a place on it into pixels from its start. */
interface PlotAxis {
  _offset: number;
  d2p(at: number): number;
}

/** The element that Plotly draws into, with what Plotly adds to it. */
interface PlotCanvas extends HTMLElement {
  data: PlotTrace[];
  _fullLayout: Record<string, PlotAxis>;
  on(event: string, act: (event: { points: PlotPoint[] }) => void): void;
}

interface Plotly {
  react(canvas: HTMLElement, data: PlotTrace[], layout: PlotLayout, config: object): Promise<unknown>;
  purge(canvas: HTMLElement): void;
  Plots: { resize(canvas: HTMLElement): Promise<unknown> };
}

interface Window {
  Plotly?: Plotly;
}

/** A figure of Plotly's with its words. */
interface Drawn {
  figure: PlotFigure;
  title: string;
  alt: string;
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
  take(figure: Drawn): Promise<void>;
  refresh(): void;
  outline(cell: Cell | null): void;
}

/** Receives the cell that is pointed at in a picture, or chosen. */
interface CellReader {
  pointed(cell: Cell | null): void;
  chosen(cell: Cell): void;
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
