// What Python and the browser send each other, by the types in Python: tools/declarations.py writes it.

/**
 * Write a block of numbers from (row, col) on; None leaves a cell as it is.
 *
 * `grow`: where there is no room, the matrix and all that must fit it are made larger first.
 */
interface SetBlock {
  op: "set";
  matrix: string;
  head?: number | null;
  row: number;
  col: number;
  values: (Value | null)[][];
  grow?: boolean;
}

/** Fill a matrix; integers and random numbers are drawn by `seed`. */
interface Fill {
  op: "fill";
  matrix: string;
  head?: number | null;
  with: "zeros" | "identity" | "integers" | "random";
  seed?: number;
}

/** Replace the text of a token. */
interface RenameToken {
  op: "rename_token";
  which: "tokens" | "context_tokens";
  index: number;
  text: string;
}

/** Insert a token before `index`, at the end where it is None. Without a text, its text is its number. */
interface AddToken {
  op: "add_token";
  which: "tokens" | "context_tokens";
  index?: number | null;
  text?: string;
}

/** Remove a token, with its rows and columns. */
interface RemoveToken {
  op: "remove_token";
  which: "tokens" | "context_tokens";
  index: number;
}

/** Token i is the one that was token `order[i]`. */
interface Permute {
  op: "permute";
  order: number[];
}

/** Replace the tokens with these words. */
interface SetSentence {
  op: "sentence";
  which: "tokens" | "context_tokens";
  tokens: string[];
}

/** A new head after the last, or a copy of one. */
interface AddHead {
  op: "add_head";
  copy?: number | null;
}

/** Remove a head, the last one where none is named. */
interface RemoveHead {
  op: "remove_head";
  head?: number | null;
}

/** Set a size, or change it by `by`. */
interface Resize {
  op: "resize";
  axis: "d_model" | "d_context" | "d_k" | "d_v" | "d_out" | "d_a";
  by?: number | null;
  size?: number | null;
}

/** W_O on or off. */
interface SwitchOutput {
  op: "w_o";
  on: boolean;
}

/** V on or off. */
interface SwitchValues {
  op: "values";
  on: boolean;
}

/** A bias for every weight matrix, or none. */
interface SwitchBiases {
  op: "biases";
  on: boolean;
}

/** A context of its own, or none. */
interface SwitchContext {
  op: "context";
  on: boolean;
}

/**
 * No mask, a causal one, a window, or one to paint. `window` and `corner`: as they are, where left out.
 *
 * `head`: the head whose own mask it is; None for the mask of all heads without their own.
 */
interface SetMask {
  op: "mask";
  kind: "none" | "causal" | "causal_window" | "window" | "painted";
  head?: number | null;
  window?: number | null;
  corner?: "top_left" | "bottom_right" | null;
}

/** A mask of a head's own, which starts as the one that it has, or that of the example again. */
interface SwitchHeadMask {
  op: "head_mask";
  head: number;
  on: boolean;
}

/** What the scores are divided by. */
interface SetScale {
  op: "scale";
  value: Scale;
}

/** What no score exceeds, or None: scores are not capped. */
interface SetSoftcap {
  op: "softcap";
  value?: number | null;
}

/** How queries and keys are normalized; `eps`: what is added to the mean square, where given. */
interface SetNorm {
  op: "norm";
  kind: "none" | "rms";
  eps?: number | null;
}

/** A sink for every head that computes its weights, or none. */
interface SwitchSinks {
  op: "sinks";
  on: boolean;
}

/** How a score is computed from a query and a key; `scale`: what it is divided by, where given. */
interface SetScoring {
  op: "scoring";
  kind: "dot" | "bilinear" | "additive" | "cosine";
  scale?: Scale | null;
}

/** So many heads with keys and values of their own. */
interface SetKvHeads {
  op: "kv_heads";
  count: number;
}

/** No positions, or one kind; which columns make a pair where they are rotary. */
interface SetPositions {
  op: "positions";
  kind: "none" | "sinusoidal" | "rotary" | "alibi";
  pairs?: "interleaved" | "half" | null;
}

/** Set the title. */
interface SetTitle {
  op: "title";
  text: string;
}

/**
 * One step: the lecturer's own note and question, how long it may take, and whether it is hidden.
 *
 * `choices`: the texts of A, B and so on where the question offers them; an empty text shows only the letter.
 */
interface LectureStep {
  step: string;
  note?: string | Record<string, string> | null;
  question?: string | Record<string, string> | null;
  choices?: (string | Record<string, string>)[];
  minutes?: number | null;
  hidden?: boolean;
}

/**
 * The order of `steps` is that of the walk; `minutes`: how long all of it may take.
 *
 * A step that is not among them follows its predecessor in the computation.
 */
interface Lecture {
  minutes?: number | null;
  steps?: LectureStep[];
}

/** Set the lecture, or remove it. */
interface SetLecture {
  op: "lecture";
  lecture?: Lecture | null;
}

/** A goal in a file: exactly one of `at_least`, `at_most` and `equals`; `within` only with the last. */
interface GoalJson {
  step: string;
  head?: number;
  row: number;
  col: number;
  at_least?: number;
  at_most?: number;
  equals?: number;
  within?: number;
}

/** A puzzle in a file (`mha_core.example.puzzle`). */
interface PuzzleJson {
  goals: GoalJson[];
  change?: string[];
  hints?: (string | Record<string, string>)[];
  solution?: Record<string, unknown>[];
  stage?: "aim" | "scores" | "scaling" | "masks" | "values" | "heads" | "positions";
  key?: string;
  tokens?: Record<string, string[]>;
}

/** Set the puzzle, or remove it together with its note, which tells its task. */
interface SetPuzzle {
  op: "puzzle";
  puzzle?: PuzzleJson | null;
}

/**
 * `step`: what the goal is about. `targets`: of output and Concat a target for each query; of the weights a
 * list of these for each head, None for a head without any. `rate`: η, above 0.
 */
interface Learning {
  step: "output" | "concat" | "weights";
  targets: (number[] | number | null)[] | ((number[] | number | null)[] | null)[];
  rate?: number;
}

/** Set the goal to be learned and its rate, or remove it. */
interface SetLearning {
  op: "learning";
  learning?: Learning | null;
}

/** Take so many steps of gradient descent toward the goal. */
interface Learn {
  op: "learn";
  steps?: number;
}

/** Write printed numbers from (row, col) on; "" clears a cell, None leaves it as it is. */
interface ClaimBlock {
  op: "claim";
  matrix: string;
  head?: number | null;
  row: number;
  col: number;
  values: (Value | null)[][];
}

/** Write what is read from a text; `whole`: each matrix in it must have the step's shape. */
interface ClaimText {
  op: "claim_text";
  matrix: string;
  head?: number | null;
  row?: number;
  col?: number;
  text: string;
  whole?: boolean;
}

/** Remove all claimed numbers, or those of one matrix. */
interface ClearClaims {
  op: "clear_claims";
  matrix?: string | null;
  head?: number | null;
}

/** Go back a step. */
interface Undo {
  op: "undo";
}

/** Go back to the numbers before these. */
interface UndoNumbers {
  op: "undo_numbers";
}

/** Go forward again a step. */
interface Redo {
  op: "redo";
}

/** Go back to the numbers that were opened. */
interface Reset {
  op: "reset";
}

/** Pin a cell, or unpin it. */
interface Pin {
  op: "pin";
  cell?: Cell | null;
}

/** Make a puzzle of what has been changed: this cell is to reach its number again. */
interface MakePuzzle {
  op: "make_puzzle";
  cell: Cell;
}

/** This server is new, and the page was at this address, to which this history led. */
interface Restore {
  op: "restore";
  address: Record<string, string>;
  history?: unknown;
}

/** Another window has these numbers. `way`: it went "back" or "forward" in its history, or else made a step. */
interface Follow {
  op: "follow";
  address: Record<string, string>;
  way?: string;
}

/** The history that the browser stored. */
interface Recall {
  op: "recall";
  history?: unknown;
}

/** Open the work that the browser stored because no link could hold it. */
interface Resume {
  op: "resume";
  text: string;
}

/** A learner wants a hint, for this cell or for this table. */
interface Hint {
  op: "hint";
  cell?: unknown;
}

/** A learner wants another exercise like this one. */
interface AnotherExercise {
  op: "another_exercise";
}

/** A learner ends the exercise. */
interface EndExercise {
  op: "end_exercise";
}

/** Open this sentence, with the vectors of our own small model. */
interface OpenLearned {
  op: "learned_sentence";
  text: string;
}

/** The walk is at this place. */
interface GoTo {
  op: "place";
  step?: string;
  sub?: string;
  view?: string;
  predict?: boolean;
}

/** What the colours show. */
interface ChooseLens {
  op: "lens";
  value?: "" | "change" | "gradient" | null;
}

/** Pin the current example to compare with it, or `clear` the pinned one. */
interface PinBaseline {
  op: "baseline";
  clear?: boolean;
}

/** How many digits are shown; None: as many as fit. */
interface SetDecimals {
  op: "decimals";
  value?: number | null;
}

/** What stands above a table; {h} in the symbol is the number of a head. */
interface Caption {
  symbol: string;
  formula: string;
}

/**
 * What every matrix has.
 *
 * `claim`: its numbers are claims: somebody writes down what he has worked out; `given`: they were typed
 * elsewhere. `emptyRows`: rows of queries that may attend to nothing are marked. `owners`: for each head the head
 * that has its keys and values.
 */
interface MatrixBase extends Caption {
  word: string;
  hue: string;
  scale: string;
  axes: [string, string];
  claim?: boolean;
  given?: boolean;
  emptyRows?: boolean;
  owners?: number[];
}

/**
 * A matrix that all heads share; `edit`: whether it may be edited.
 *
 * `lens`: the lens's numbers, null where there are none; `was`: the rows of the baseline that differ.
 */
interface SharedMatrix extends MatrixBase {
  perHead: false;
  edit: boolean;
  values: Rows;
  lens?: LensRows | null;
  was?: LensRows | null;
}

/**
 * A matrix of which each head has its own, or none; `edit`: whether it may be edited, a list where heads differ.
 *
 * `lens` and `was`: as of a `SharedMatrix`, for each head.
 */
interface HeadMatrix extends MatrixBase {
  perHead: true;
  edit: boolean | boolean[];
  values: (Rows | null)[];
  lens?: (LensRows | null)[] | null;
  was?: (LensRows | null)[] | null;
}

/** The place of a number; `head` is null in matrices that all heads share. */
interface Cell {
  name: string;
  head: number | null;
  row: number;
  col: number;
}

/** Which lens the tables are seen through, and what it shows, in a sentence; `target`: of a gradient. */
interface Lens {
  kind: string;
  target: Cell | null;
  summary: string;
}

/**
 * A mistake that explains wrong numbers, and the first of them.
 *
 * `right` and `yours`: the two calculations; `walk`: the step of the walk that shows it.
 */
interface Cause {
  step: string;
  cell: Cell;
  text: string;
  walk: string;
  right?: string;
  yours?: string;
}

/** What there is to say of a number. */
interface Remark {
  text: string;
  cell: Cell;
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

/** The hint that was asked for; `more`: what the next one is called, "" where there is none. */
interface ShownHint {
  cell: Cell;
  rung: string;
  text: string;
  more: string;
}

/** What there is to say once all is right: how it went, who attends to whom, and where each head looks. */
interface PracticeEnd {
  result: string;
  weights: number[][][];
  looks: string[];
  queries: string[];
  keys: string[];
}

/** How far a learner is: what is wrong where, the hint asked for, and the end. */
interface PracticeState {
  texts: Record<string, string>;
  tables: PracticeTable[];
  explanations: Remark[];
  hint: ShownHint | null;
  end: PracticeEnd | null;
}

/** What is known of somebody's own numbers. */
interface Check {
  state: string;
  summary: string;
  first?: Cell | null;
  causes?: Cause[];
  findings?: Remark[];
  practice?: PracticeState;
}

/**
 * What a lens may show of the whole.
 *
 * By key of a cell, `marks`: whether a claim is right; `kinds`: what mistake was made there; `notes`: what would
 * be right.
 */
interface LensParts {
  lens?: Lens | null;
  marks?: Record<string, string>;
  kinds?: Record<string, string>;
  notes?: Record<string, string>;
  check?: Check | null;
}

/** What a lens shows of one matrix: of each head where each has its own. */
interface SeenMatrix {
  lens: LensRows | (LensRows | null)[] | null;
  was?: LensRows | (LensRows | null)[] | null;
}

/** What a lens shows: parts of the whole, and by name parts of a matrix. */
interface Seen extends LensParts {
  matrices: Record<string, SeenMatrix>;
}

/** The live channel's answer; `seen`: what the lens shows, where there is one. */
interface LiveAnswer {
  id: number;
  seen?: Seen;
}

/**
 * A picture as it is sent to the browser: what Plotly draws, and its texts.
 *
 * `figure`: None where the picture is out of view and the browser has one of the same size.
 */
interface Drawn {
  figure: PlotFigure | null;
  title: string;
  alt: string;
}

/** The pictures that a message of the live channel asked for, by name. */
interface LivePictures {
  id: number;
  figures: Record<string, Drawn>;
}

/** Why the live channel refuses a message, in a sentence. */
interface LiveRefusal {
  id: number;
  error: string;
}

/** The live channel no longer has what a message starts from. */
interface LiveGone {
  id: number;
  gone: true;
}

/** Numbers that call for another line (`mha_core.compute.operations.Exceptional`). */
interface StepException {
  at: number;
  number: Value;
  line: string;
}

/**
 * A declared step: its operation, the letters of its axes, what it reads, and its arithmetic (`Operation`).
 *
 * `operands`: each a matrix, the letters of its axes, and that of its head where it is read of every head.
 * `ownHead`: the letter of the heads in an operand of which the result is one head's part.
 * `constant`: which of the layer's settings it reads. `why`: names of the words beside the arithmetic, and beside
 * that of an exception.
 */
interface Step {
  op: string;
  index: string;
  operands: [string, string, string][];
  ownHead?: string;
  constant?: string;
  adds?: boolean;
  copies?: boolean;
  shifts?: boolean;
  term?: string;
  lines: string[];
  exception?: StepException;
  why?: [string, string];
}

/**
 * A computation; `own_words`: what its example says otherwise than the page (`page_words`).
 *
 * For each head and query, `dead`: whether every key is hidden; `shifts`: what softmax takes from its scores.
 */
interface Model extends LensParts {
  lang: string;
  own_words: Record<string, string>;
  decimals: number;
  dims: Record<string, number>;
  labels: Record<string, string[]>;
  matrices: Record<string, Matrix>;
  steps: Record<string, Step>;
  constants: Record<string, number | boolean | string | null>;
  dead: boolean[][] | null;
  shifts: number[][];
}

/** A stage of the tables. `terms`: of the glossary. `remark`: its hint says something of this very example. */
interface Stage {
  title: string;
  hint: string;
  matrices: string[];
  terms: string[];
  remark?: boolean;
}

/** A computation whose tables are laid out in stages. */
interface TablesModel extends Model {
  stages: Stage[];
}

/**
 * The goal of an example, as its file has it, and what its backward pass shows.
 *
 * `stages`: of the tables below those of the computation. `learned`: the matrices that a step changes.
 * `refused`: why there is no loss, "" where there is one; `remarks`: where a derivative is not defined.
 */
interface LearningData {
  goal: Learning;
  stages: Stage[];
  learned: string[];
  refused: string;
  remarks: string[];
}

/** The same with the backward pass; `learning`: null where the example has no goal. */
interface LearningModel extends TablesModel {
  learning: LearningData | null;
}

/** Which session answers, and the last edit that it has applied. */
interface Answer {
  session: string;
  ack: number;
  address: Record<string, string>;
}

/** `about`: the example's note, else what the page is for. `looks`: for each head, where it looks. */
interface About {
  about: string;
  looks: string[];
}

/** A puzzle by name, and the query of the address that opens it. */
interface PuzzleLink {
  key: string;
  title: string;
  query: string;
}

/**
 * What a visitor may begin with.
 *
 * `first`: whether the address asked for nothing in particular; `asked`: how often the first steps have been asked
 * for; `puzzles`: in their order, none where there is something to be worked out already.
 */
interface Start {
  first: boolean;
  asked: number;
  puzzles: PuzzleLink[];
}

/**
 * The history as the browser stores it, by numbers of `examples`; `at`: the place of the current one.
 *
 * A start is a place in the history, the number of the example that reset returns to from there on, and that example's
 * name if it is built in. A text belongs to the example of this number.
 */
interface HistoryState {
  examples: number[];
  at: number;
  starts: [number, number, string | null][];
  texts: [number, string][];
}

/** An edit that would do what a refused one was meant to do, and what it is called. */
interface OfferData {
  label: string;
  edit: Operation;
}

/** A sentence above the line; `place` is the name of a place in it, `offer` what can be done about it. */
interface MessageData {
  text: string;
  kind: string;
  place: string;
  offer: OfferData | null;
}

/**
 * A number that a puzzle wants: what it asks for, in words, and as numbers. `within`: how far it may be from
 * `number`. `start`: what it is at first, null where it is infinite, or where there is none.
 */
interface PuzzleGoal {
  text: string;
  cell: Cell;
  relation: "at_least" | "at_most" | "equals";
  number: number;
  within: number;
  start: number | null;
}

/**
 * A puzzle: its words, its goals, and the edits that solve it from the start.
 *
 * `key`: "" for a visitor's own. `place`: which of ours it is, "" for a visitor's. `change`: what may be
 * changed, nothing for all. `changed`: how many numbers differ from the start; `fewest`: how many the solution
 * changes. `next`: the query of the next puzzle, "" after the last; `link`: that of this one, as it began.
 */
interface PuzzleData {
  key: string;
  place: string;
  title: string;
  story: string;
  goals: PuzzleGoal[];
  change: string[];
  hints: string[];
  solution: Operation[];
  changed: number;
  fewest: number;
  next: string;
  link: string;
}

/**
 * What may be done with an example, and which of the menus' choices it has.
 *
 * `changed`: the example differs from the one that was opened; `baseline`: one is pinned. `sizes`: the axes
 * whose sizes can be changed. `window`: of the mask, null where it has none; `corner`: null where there is
 * nothing to choose. `head_masks`: which heads have their own; null where there is only one head.
 * `rate`: of the goal, null without one. `lens`: the current one, "" for none; null where no choice is offered.
 * `fixed`: only numbers can be changed, and these of the layer's settings. `norm`: the eps of the norm of Q and K.
 */
interface Controls {
  undo: boolean;
  redo: boolean;
  changed: boolean;
  baseline: boolean;
  values: boolean;
  w_o: boolean;
  biases: boolean;
  context: boolean;
  sizes: string[];
  scale: Scale;
  softcap: number | null;
  sinks: boolean;
  norm: number | null;
  temperature: boolean;
  is_product: boolean;
  scoring: string;
  positions: string;
  kv_heads: number;
  mask: "none" | "causal" | "causal_window" | "window" | "painted";
  window: number | null;
  corner: "top_left" | "bottom_right" | null;
  head_masks: boolean[] | null;
  rate: number | null;
  lens: string | null;
  fixed?: string[];
}

/** The largest number, and the most heads and tokens or dimensions, of an example that can be edited. */
interface Limits {
  number: number;
  size: number;
  heads: number;
}

/** What the live channel is asked for after an edit; `lens`: as `mha_view.lenses.lens.read` reads it. */
interface LiveRequest {
  lang: string;
  lens: Record<string, unknown> | null;
}

/**
 * Everything that the Explore page shows.
 *
 * `puzzle`: null for an example without one. `bar`: what the address bar holds where that is not the address of
 * the work: the link to an exercise with numbers for each student. `whole`: the example where no address holds it.
 * `choices`: by menu, each choice's edit by its name. `asks`: null where there is no server.
 *
 * Of an exercise, `class_link`: the query of a link for everybody, where there can be others like it; `begun`:
 * which of the examples shown it was set with, here; 0 where a link has brought it.
 */
interface ExploreModel extends LearningModel, Answer, About {
  revision: number;
  opened: number;
  unsaved: boolean;
  start: Start;
  bar: Record<string, string> | null;
  history: HistoryState;
  whole: string | null;
  pinned: Cell | null;
  decimals_chosen: boolean;
  message: MessageData | null;
  about_ours: boolean;
  puzzle: PuzzleData | null;
  choices: Record<string, Record<string, Operation>>;
  controls: Controls;
  limits: Limits;
  asks: LiveRequest | null;
  class_link?: string;
  begun?: number;
}

/** An answer with everything, and its number. */
interface WholeAnswer extends ExploreModel {
  answer: number;
}

/**
 * What an answer has that an earlier one has not.
 *
 * `parts`: of the whole. `matrices`: of matrices, by name, besides their numbers. `floats`: float64,
 * little-endian, as base64.
 */
interface NewParts {
  parts: Record<string, unknown>;
  matrices: Record<string, Record<string, unknown>>;
  numbers: [string, number | null, number[], Value[] | null][];
  floats: string;
}

/** An answer with what the answer `base` has not; `answer`: its number. */
interface NextAnswer {
  session: string;
  ack: number;
  lang: string;
  own_words: Record<string, string>;
  answer: number;
  base: number;
  new: NewParts;
}

/** What is said of a step, or of a stage: `note` is for who presents it. */
interface StepWords {
  title: string;
  what: string;
  why: string;
  note: string;
}

/** A step of the computation as the walk explains it; `signs`: printed before, between and after the operands. */
interface WalkStep extends StepWords {
  name: string;
  symbol: string;
  formula: string;
  signs: string[];
  layout: "product" | "softmax" | "concat" | "beside";
  operands: [string, string][];
}

/** A row of softmax: the powers of e, their sum, and what was subtracted from the scores. */
interface SoftmaxRow {
  powers: number[];
  total: number;
  shift: number;
}

/**
 * A stage of the walk: a step, all steps of a further head, or what comes before and after them.
 *
 * `parts`: each a matrix, a head, top, bottom, left and right, and how many beats it has.
 */
interface WalkStage extends StepWords {
  id: string;
  kind: "tokens" | "inputs" | "given" | "step" | "head" | "closing";
  head: number | null;
  lesson: string | null;
  steps: WalkStep[];
  parts: [string, number | null, number, number, number, number, number][];
  powers?: SoftmaxRow[];
}

/** Where a query looks most: the keys by their places and by name, and the weight. */
interface LooksMost {
  keys: number[];
  name: string;
  weight: number;
}

/** The end of a walk: the matrix that the layer hands on, and for each head and query where it looks most. */
interface Closing {
  matrix: string | null;
  looked: (LooksMost | null)[][];
}

/**
 * What the walk shows besides the numbers.
 *
 * `compare`: of every two heads how much attention they share, the query with the least, and how many have as
 * little.
 */
interface Walked {
  stages: WalkStage[];
  closing: Closing;
  compare: ([string, number, number] | null)[][];
  title: string;
}

/** Where a walk stands, and how it is shown. */
interface WalkPosition {
  step: string;
  sub: string;
  view: "" | "projector" | "presenter";
  predict: boolean;
}

/** A step in the order of a lecture; `title`: null where the example does not have it. */
interface LectureLine {
  step: string;
  title: string | null;
  needs: string;
}

/** What a lecturer may say at a step, and what is often wrong there. */
interface Advice {
  say: string;
  wrong: string;
}

/** What only a lecturer is sent of a walk: the lecture as its file has it, and what belongs to each step. */
interface LecturePlan {
  own: Lecture;
  usual: string[];
  order: LectureLine[];
  teaching: Record<string, Advice>;
}

/** What the walk reads of what it is sent; only a lecturer has a `lecture`. */
interface WalkModel extends Model, Walked {
  address: Record<string, string>;
  session: string;
  opened: number;
  revision: number;
  place: WalkPosition;
  lecture?: LecturePlan;
}

/** What the walk shows to those who only look, and its words. */
interface FollowedWalk extends Model, Walked {
  words: Record<string, string>;
  address: Record<string, string>;
}

/** The tables, and the sentences above them. */
interface PageTables extends LearningModel, About {
  about_ours: boolean;
}

/** The hints for a number. `early`: those that keep secret what else is asked for, where that changes them. */
interface CellHints {
  cell: Cell;
  all: ["idea" | "formula" | "numbers" | "answer", string][];
  early: ["idea" | "formula" | "numbers" | "answer", string][] | null;
}

/** An exercise with nothing filled in; `hints`: for each of its cells in order. */
interface PageExercise {
  tables: TablesModel;
  check: Check;
  hints: CellHints[];
}

/**
 * The page in one language, before anything is changed.
 *
 * `puzzle`: null also where the page could not change what it asks to be changed.
 */
interface PageTexts {
  words: Record<string, string>;
  explore: PageTables;
  walk: Walked;
  exercise: PageExercise | null;
  puzzle: PuzzleData | null;
}

/** What the sentences call the tokens. `same`: whether queries and keys are the same tokens. */
interface PageTokens {
  queries: string[];
  keys: string[];
  same: boolean;
}

/**
 * A page without a server.
 *
 * `first`: the language for a browser whose own is not one of ours. `file`: the example as a file has it.
 * `temperature`: whether the divisor is one. `most`: the largest number that may be entered. `app`: the address
 * of an app that opens the same numbers, "" for none. `kept`: the edits in a copy that was saved with other numbers.
 */
interface PageData {
  languages: Record<string, PageTexts>;
  first: string;
  tokens: PageTokens;
  file: Record<string, unknown>;
  scale: Scale;
  temperature: boolean;
  most: number;
  app: string;
  kept: Record<string, unknown>[];
}

/**
 * A matrix of the text. `at`: its place in the list of all; `example`: null where it is not used.
 *
 * `why`: what it was read by, or why it is not used. `sure`: it is not a guess; `again`: it is printed before.
 * `rows`: each number with that of its mark. `labels`: the tokens of its rows. `likely`: what else it may be.
 */
interface ArticleMatrix {
  at: number;
  example: number | null;
  name: string;
  head: number | null;
  turned: boolean;
  symbol: string;
  hue: string;
  sure: boolean;
  chosen: boolean;
  again: boolean;
  why: string;
  line: number;
  rows: [string, number | null][][];
  labels: string[];
  likely: [string, number | null][];
}

/** A wrong number. `own`: it does not only follow from an earlier one. `line`: a sentence that says where. */
interface ArticleMark {
  example: number;
  cell: Cell;
  right: string;
  own: boolean;
  line: string;
  cause: string;
}

/**
 * One example of the text. `also`: in what other readings differ under which as many numbers are right.
 *
 * `check`: null where the text has no results to check; `said`: what there is to say then.
 */
interface ArticleExample {
  title: string;
  heads: number;
  form: string;
  scale: number | string;
  mask: string;
  also: string;
  check: Check | null;
  said: string;
}

/** A text that was read. `nothing`: why there is no example in it. */
interface Article {
  pieces: [string, number | null, number | null][];
  matrices: ArticleMatrix[];
  marks: ArticleMark[];
  examples: ArticleExample[];
  nothing: string;
}

/**
 * What the component is sent. `article`: null where no text is open. `most`: MB of the largest file.
 *
 * `token`: the text and the choices in an address, "" where they are too large for one.
 */
interface ArticleData {
  lang: string;
  words: Record<string, string>;
  name: string;
  article: Article | null;
  choices: Record<string, unknown>;
  names: [string, string][];
  refused: string;
  token: string;
  most: number;
  formats: string[];
}

type Scale = "sqrt_dk" | "none" | number;

type Value = number | boolean | string;

type Rows = Value[][];

type LensRows = ((number | boolean | string | null)[] | null)[];

type Matrix = SharedMatrix | HeadMatrix;

type LiveMessage = LiveAnswer | LivePictures | LiveRefusal | LiveGone;

type Operation =
  | SetBlock
  | Fill
  | RenameToken
  | AddToken
  | RemoveToken
  | Permute
  | SetSentence
  | AddHead
  | RemoveHead
  | Resize
  | SwitchOutput
  | SwitchValues
  | SwitchBiases
  | SwitchContext
  | SetMask
  | SwitchHeadMask
  | SetScale
  | SetSoftcap
  | SetNorm
  | SwitchSinks
  | SetScoring
  | SetKvHeads
  | SetPositions
  | SetTitle
  | SetLecture
  | SetPuzzle
  | SetLearning
  | Learn
  | ClaimBlock
  | ClaimText
  | ClearClaims
  | Undo
  | UndoNumbers
  | Redo
  | Reset
  | Pin
  | MakePuzzle
  | Restore
  | Follow
  | Recall
  | Resume
  | Hint
  | AnotherExercise
  | EndExercise
  | OpenLearned
  | GoTo
  | ChooseLens
  | PinBaseline
  | SetDecimals;
