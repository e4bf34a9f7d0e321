// What the server sends, and what the kit makes of it. JSDoc in the modules names these; nothing here is served.

/** A number as it is sent: "-inf", "nan", a cell of a mask that allows, or a claim digit for digit. */
type Value = number | boolean | string;

/** Where a number stands; `head` is null for what the whole layer shares. */
interface Cell {
  name: string;
  head: number | null;
  row: number;
  col: number;
}

/** A matrix that a step reads: its name, the letters of its axes, and that of its head where it is read of every head. */
type Operand = [string, string, string];

/** A declared step: the letters of its axes, what it reads, and how its operation is told (operations.py says more). */
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
  /** Names of what is said beside the arithmetic, and beside that of an exception. */
  why?: [string, string];
}

interface Matrix {
  symbol: string;
  word: string;
  formula: string;
  axes: [string, string];
  perHead: boolean;
  /** Rows; of what each head has its own of, rows or null for each head. */
  values: any;
  /** Whether it may be edited; a list where heads differ. */
  edit: boolean | boolean[];
  /** Whether somebody writes down here what he has worked out. */
  claim?: boolean;
  /** Whether its numbers were typed elsewhere. */
  given?: boolean;
  hue: string;
  scale: string;
  /** Whether rows of queries that may attend to nothing are marked. */
  emptyRows?: boolean;
  /** For each head the head that holds its keys and values. */
  owners?: number[];
  /** The lens's numbers, and those of the baseline, shaped as the values. */
  lens?: any;
  was?: any;
}

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
  /** Of a page with tables, Stage; of the walkthrough, WalkStage. */
  stages: any[];
  matrices: Record<string, Matrix>;
  steps: Record<string, Step>;
  constants: Record<string, Value | null>;
  /** For each head and query, whether every key is hidden. */
  dead: boolean[][] | null;
  /** For each head and query, what softmax takes from its scores. */
  shifts: number[][];
  lens?: Lens | null;
  /** By name, the numbers as they were before the last edit. */
  before?: Record<string, any> | null;
  /** By key of a cell: whether a claim is right, what mistake was made there, and what would be right. */
  marks?: Record<string, string>;
  kinds?: Record<string, string>;
  notes?: Record<string, string>;
  check?: Check | null;
  controls?: Record<string, any>;
}

/** The bench's model: also what may be done, and how far the server has come with the edits. */
interface BenchModel extends Model, Answer {
  controls: Record<string, any>;
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
  asks: Record<string, any>;
  pinned: Cell | null;
  message: Message | null;
  /** Of an exercise that there can be others like: the query of a link for everybody. */
  class_link?: string;
  /** Which of the examples shown an exercise was set with, here; 0 where a link has brought it. */
  begun?: number;
}

interface WalkStep {
  name: string;
  title: string;
  symbol: string;
  formula: string;
  /** What stands before, between and behind the operands. */
  signs: string[];
  layout: string;
  operands: [string, string][];
  what: string;
  why: string;
  note: string;
}

/** Of a part: matrix, head, top, bottom, left, right, and how many beats it has. */
type WalkPart = [string, number | null, number, number, number, number, number];

interface WalkStage {
  id: string;
  kind: string;
  title: string;
  head: number | null;
  lesson: string | null;
  steps: WalkStep[];
  parts: WalkPart[];
  /** Of softmax, row by row: the powers of e, their sum, and what was taken from the scores. */
  powers?: { powers: number[]; total: number; shift: number }[];
  what: string;
  why: string;
  note: string;
}

/** `part` is null while a whole step is shown, `beat` while a whole part is. */
interface Place {
  stage: number;
  part: number | null;
  beat: number | null;
}

/** Where a walk stands, as windows and rooms are told it; `revealed`: what was asked for and is shown by now. */
interface Stood {
  step: string;
  sub: string;
  predict: boolean;
  revealed: string[];
}

/** What a room is told (mha_api/rooms): whose numbers are walked, where, and the step that an exercise asks for. */
interface RoomPlace extends Stood {
  walk: string;
  dark: boolean;
  away: boolean;
  exercise: string;
  link: string;
}

/** What those who follow are asked: one of several choices, or the number in a cell. */
interface Question {
  question: number;
  open: boolean;
  text: string;
  choices: string[];
  cell: Cell | null;
}

/** A text for all languages, or one for each. */
type LocalizedText = string | Record<string, string>;

/** What is a lecturer's own of a step of his walk. */
interface OwnStep {
  step: string;
  note?: LocalizedText;
  question?: LocalizedText;
  choices?: LocalizedText[];
  minutes?: number;
  hidden?: boolean;
}

/** A lecture as its file has it; of its steps in order those that the example has not have no title. */
interface Lecture {
  own: { minutes?: number; steps?: OwnStep[] };
  usual: string[];
  order: { step: string; title: string | null; needs: string }[];
  teaching: Record<string, { say: string; wrong: string }>;
}

interface WalkModel extends Model {
  /** The lecturer's alone. */
  lecture?: Lecture;
  stages: WalkStage[];
  /** Of every two heads: how much attention they share, and the query with the least. */
  compare: ([string, number, number] | null)[][];
  closing: { matrix: string; looked: ({ keys: number[]; name: string; weight: number } | null)[][] };
  place: { step: string; sub: string; view: string; predict: string };
  title: string;
  session: string;
  opened: number;
  revision: number;
  address: Record<string, string>;
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
  offer?: { label: string; edit: Edit };
}

interface Check {
  state: string;
  summary: string;
  first?: Cell;
  causes?: { step: string; cell: Cell; text: string; right?: string; yours: string; walk?: string }[];
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

/** What the server is asked to do: an operation and what it needs. */
interface Edit {
  op: string;
  [detail: string]: any;
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

/** How numbers stand in a line of arithmetic. */
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

/** What is worked out of a cell, or of a matrix of a head. */
type OfCell<T> = (model: Model, cell: Cell) => T;
type OfMatrix<T> = (model: Model, name: string, head: number | null) => T;

type Child = Node | string | null | undefined;

/** What Streamlit hands over with every answer. */
interface Component {
  parentElement: HTMLElement;
  data: any;
  setStateValue: (name: string, value: unknown) => void;
  setTriggerValue: (name: string, value: unknown) => void;
}

/** What a component builds on the page. */
interface Part {
  update(component: Component): void;
  unmount(): void;
}

/** What gives a selection, a menu or a line its numbers, and is told what is said and held. */
interface Host {
  model: Model;
  words: Record<string, string>;
  view: import("./kit/tables.js").View;
  say(text: string, kind?: string, place?: string | string[]): void;
  pin(cell: Cell): void;
  unpin(): void;
}

/** Whom the live channel serves. */
interface LiveHost {
  painted(header: any, numbers: Float64Array): void;
  drawn(figures: Record<string, any>): void;
  asking(): Record<string, any>;
  lost(): void;
  stateChanged(): void;
}

/** Whose numbers are dragged. */
interface ScrubHost<What> {
  valueOf(what: What): Value | undefined;
  moved(start: Value, steps: number): Value;
  element(what: What): HTMLElement;
  show(what: What, number: Value): void;
  commit(what: What, number: Value): void;
  cancel(what: What, number: Value): void;
}

/** A host whose numbers can be edited. */
interface Editor extends Host {
  model: BenchModel;
  send(edit: Edit): void;
  show(edit: Edit): void;
  preview(edit: Edit | null): void;
  announce(place: string, number: string): void;
  root: HTMLElement;
  clearMessage(): void;
  repaint(name: string): void;
  solve(): void;
  looking: { wrote(cell: Cell): void };
}

/** A figure of Plotly's with its words. */
interface Drawn {
  figure: { data: any[]; layout: Record<string, any> };
  title: string;
  alt: string;
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
  kept(): void;
  outline(cell: Cell | null): void;
}

/** Who is told of the cell that is pointed at, or chosen, in a picture. */
interface CellReader {
  pointed(cell: Cell | null): void;
  chosen(cell: Cell): void;
}

/** What parts of the page tell each other. */
interface WindowEventMap {
  "mha-address-asked": CustomEvent;
  "mha-address-kept": CustomEvent;
  "mha-left": CustomEvent;
  "mha-place": CustomEvent;
  "mha-sent": CustomEvent;
  "mha-silence": CustomEvent;
}
