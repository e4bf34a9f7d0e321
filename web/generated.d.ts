// What Python and the browser send each other, by the types in Python: tools/declarations.py writes it.

declare namespace Sent {
  /** Write a block of numbers from (row, col) on; None leaves a cell as it is. */
  interface SetBlock {
    op: "set";
    matrix: string;
    head?: number | null;
    row: number;
    col: number;
    values: (number | boolean | string | null)[][];
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

  /** Another word in the place of one. */
  interface RenameToken {
    op: "rename_token";
    which: "tokens" | "context_tokens";
    index: number;
    text: string;
  }

  /** Insert a token before `index`, at the end where it is None; it is called by its number where it has no text. */
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

  /** These words in the place of the tokens. */
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

  /** Set a size, or change it `by` so much. */
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

  /** No mask, a causal one, or one to paint. */
  interface SetMask {
    op: "mask";
    kind: "none" | "causal" | "painted";
  }

  /** What the scores are divided by. */
  interface SetScale {
    op: "scale";
    value: "sqrt_dk" | "none" | number;
  }

  /** How a query and a key make a score, and what it is divided by where that is named. */
  interface SetScoring {
    op: "scoring";
    kind: "dot" | "bilinear" | "additive" | "cosine";
    scale?: "sqrt_dk" | "none" | number | null;
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

  /** Another title. */
  interface SetTitle {
    op: "title";
    text: string;
  }

  /** One step: the lecturer's own note and question, how long it may take, and whether it is left out. */
  interface LectureStep {
    step: string;
    note?: string | Record<string, string> | null;
    question?: string | Record<string, string> | null;
    choices?: (string | Record<string, string>)[];
    minutes?: number | null;
    hidden?: boolean;
  }

  /** The order of `steps` is that of the walk; `minutes`: how long all of it may take. */
  interface Lecture {
    minutes?: number | null;
    steps?: LectureStep[];
  }

  /** Another lecture, or none. */
  interface SetLecture {
    op: "lecture";
    lecture?: Lecture | null;
  }

  /** Write printed numbers from (row, col) on; "" clears a cell, None leaves it as it is. */
  interface ClaimBlock {
    op: "claim";
    matrix: string;
    head?: number | null;
    row: number;
    col: number;
    values: (number | boolean | string | null)[][];
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

  /** Pin a cell, or none. */
  interface Pin {
    op: "pin";
    cell?: Cell | null;
  }

  /** This server is new, and the page was at this address. */
  interface Restore {
    op: "restore";
    address: Record<string, string>;
  }

  /** Another window has these numbers; `way`: by going "back" or "forward" in its history, or by a step. */
  interface Follow {
    op: "follow";
    address: Record<string, string>;
    way?: string;
  }

  /** The history that the browser kept. */
  interface Recall {
    op: "recall";
    history?: unknown;
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

  /** The walk stands here. */
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

  /** Pin the example at hand to compare with it, or `clear` what was pinned. */
  interface PinBaseline {
    op: "baseline";
    clear?: boolean;
  }

  /** How many digits are shown. */
  interface SetDecimals {
    op: "decimals";
    value: number;
  }

  /** The header of the live channel's answer; numbers follow it, block by block. What has not changed is left out. */
  interface LiveAnswer {
    id: number;
    blocks?: [string, number | null, number, number, number][];
    dead?: boolean[][] | null;
    shifts?: number[][];
    constants?: Record<string, number | string | null>;
    captions?: Record<string, Record<string, string>>;
    about?: string;
    looks?: string[];
    seen?: Record<string, unknown>;
  }

  /** A picture as it is sent to the browser: what Plotly draws, and its texts. */
  interface Drawn {
    figure: object;
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

  type Edit =
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
    | SetScale
    | SetScoring
    | SetKvHeads
    | SetPositions
    | SetTitle
    | SetLecture
    | ClaimBlock
    | ClaimText
    | ClearClaims;

  type Action =
    | Undo
    | UndoNumbers
    | Redo
    | Reset
    | Pin
    | Restore
    | Follow
    | Recall
    | Hint
    | AnotherExercise
    | EndExercise
    | OpenLearned
    | GoTo
    | ChooseLens
    | PinBaseline
    | SetDecimals;

  type LiveMessage = LiveAnswer | LivePictures | LiveRefusal | LiveGone;

  type Operation = (Edit | Action) & { seq: number };
}
