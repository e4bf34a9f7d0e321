// What the modules that draw one step of a walk pass to each other. Nothing here is served.

/** A step of the walk as it is drawn. `step` is null where the stage computes nothing. */
interface Scene {
  model: WalkModel;
  stage: WalkStage;
  step: WalkStep | null;
  head: number | null;
  /** The result whose arithmetic is shown where a whole matrix is, unless somebody asks about another. */
  followed?: Cell | null;
  /** The number that somebody asks about. */
  about?: Cell | null;
}

/** A scene whose stage computes something. */
type StepScene = Scene & { step: WalkStep };

/** How far a cell of the result is shown at a place. */
type CellState = "before" | "now" | "later";

/** Rows, columns, heads or terms that are left out: the first of them, and how many. */
interface Gap {
  from: number;
  count: number;
}

/** One of many that is shown, by its index, or those that are left out there. */
type IndexOrGap = number | Gap;

/** How many rows and columns of one matrix are shown at most. */
interface Limit {
  rows: number;
  cols: number;
}

/** A number that somebody predicted. `right` is undefined where the text is no number. */
interface Prediction {
  text: string;
  right: boolean | undefined;
}

/** What a cell of a result shows: its number, nothing, a field for a prediction, or the number beside the prediction. */
type ResultMode = "shown" | "hidden" | "field" | "checked";

/** A cell of the matrix that a step computes, with what the table prints there. */
interface ResultCell {
  td: HTMLTableCellElement;
  cell: Cell;
  text: string;
  value: Value;
  /** The colour of its value (kindAt in kit/graph.js), or "bar". */
  kind: string;
  tone: string;
  /** What a screen reader adds to the number. */
  description: string;
  /** What the cell shows now. Undefined before anything was filled in. */
  look?: string;
}

/** A cell of softmax's exponentials; `phase` is the beat at which it appears. */
interface PowerCell {
  td: HTMLTableCellElement;
  row: number;
  phase: number;
  text: string;
}

/** How a picture shows a place. */
interface ShowOptions {
  /** Whether the numbers of this place are asked for and not shown yet. */
  hiding: boolean;
  /** Whether they were asked for and are shown by now. */
  revealed: boolean;
  /** By key of a cell. */
  answers: Map<string, Prediction>;
  onAnswer: OnAnswer;
}

type OnAnswer = (result: ResultCell, text: string) => void;

/** Says in the line of arithmetic why something was not done, and reads it out; "" takes the sentence back. */
type Refuse = (sentence: string, how?: { nodes?: (text: string) => Child[]; spoken?: string }) => void;

/** What typing into a picture needs of the walk around it. */
interface RefusedHost {
  root: HTMLElement;
  model(): WalkModel;
  refuse: Refuse;
}

/** What changing an input needs besides: the index of the stage that is shown. */
interface InputEditorHost extends RefusedHost {
  stage(): number;
  refused: import("./refused.js").Refused;
}

/** A row of values with two dimensions, or their sum, as an arrow that begins at `from`. `key` is that of its first cell. */
interface VectorArrow {
  key: string;
  vector: [number, number];
  /** Its weight, which shortens it. */
  share: number;
  from: [number, number];
  isSum: boolean;
}

/** Where an arrow begins at a time, 0 to 1 of the motion, and how it looks. */
interface ArrowFrame {
  at: number;
  x: number;
  y: number;
  scale: number;
  opacity: number;
}

interface ArrowTrack {
  key: string;
  frames: ArrowFrame[];
}

/** What the stage needs of the walk. Another model or another view makes another stage. */
interface RendererHost {
  root: HTMLElement;
  model: WalkModel;
  view: WalkView;
  route: import("../place/route.js").Route;
  predictions: import("./predictions.js").Predictions;
  panel: import("../step_panel.js").Panel;
  /** Two heads that are compared. */
  heads(): number[] | null;
  /** Whether a phone asks for what this place computes, beside the walk. */
  withholds(place: Place): boolean;
}
