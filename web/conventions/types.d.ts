// What the sections of the page Notation are sent (mha_ui/conventions/model.py), and what their tables are made of.

/** What every section is sent. */
interface SectionModel {
  /** The section's name, which its words and its class have too. */
  part: string;
  lang: string;
  words: Record<string, string>;
  decimals: number;
  labels: Record<string, string[]>;
}

/** A matrix in one of the two conventions. */
interface ConventionForm {
  symbol: string;
  formula: string;
  shape: [number, number];
  axes: [string, string];
  factors: { name: string; symbol: string; transposed: boolean }[];
  /** What is printed before, between and behind the factors. */
  signs: string[];
}

/** A matrix in both conventions; `op` is null where it is given. */
interface ConventionEntry {
  name: string;
  op: string | null;
  row: ConventionForm;
  column: ConventionForm;
  /** Whether it is computed row by row, as softmax is. */
  rowwise: boolean;
}

interface RowColumnModel extends Model {
  part: "rows";
  /** For each head. */
  entries: ConventionEntry[][];
}

/** Where a matrix of the example is in a tensor. */
interface TensorBlock {
  name: string;
  head: number | null;
  top: number;
  left: number;
  transposed: boolean;
}

/** The lines of a tensor that heads have, from `start` to before `stop`; `code` takes them out in Python. */
interface TensorGroup {
  letter: string;
  heads: number[];
  start: number;
  stop: number;
  code: string;
}

/** A tensor of a library that holds weights of all heads. */
interface TensorLayout {
  library: string;
  kind: "weight" | "bias" | "result";
  /** Which of q, k, v and o it holds. */
  letters: string;
  /** Its name in the library. */
  tensor: string;
  shape: number[];
  rows: number;
  cols: number;
  blocks: TensorBlock[];
  /** Whose lines its rows and columns are, where they are divided among heads. */
  down: TensorGroup[];
  across: TensorGroup[];
  /** Of a product, the matrix that is multiplied; otherwise "". */
  source: string;
}

/** A tensor as it is drawn: perhaps its first heads only, with `offset` lines before them, `heads` of all. */
interface ShownTensor extends TensorLayout {
  offset: number;
  /** How many heads there are; 0 where all are drawn. */
  allHeads: number;
}

interface PackedModel extends Model {
  part: "packed";
  letters: string;
  layouts: TensorLayout[];
  /** For each library why it cannot hold the example; null where it can. */
  refusals: Record<string, string | null>;
  /** For each letter why there is nothing to pack. */
  missing: Record<string, string>;
}

/** A mask as a library wants it. */
interface LibraryMask {
  name: string;
  library: string;
  argument: string;
  polarity: string;
  rows: string[][];
  code: string;
  error: string | null;
}

interface MasksModel extends SectionModel {
  part: "masks";
  forms: LibraryMask[];
}

/** What a library makes of a query that sees no key. */
interface MaskedOutcome {
  rule: string;
  kind: "zero" | "nan" | "uniform" | "weighted";
  library: string;
  call: string;
  why: string;
  weights: Value[];
  total: Value;
  output: Value[];
}

interface MaskedRowsModel extends SectionModel {
  part: "dead";
  query: number;
  scores: Value[];
  values: Value[][];
  outcomes: MaskedOutcome[];
}

/** The columns of Q paired in one way; `partners`: the two columns of each pair. */
interface RotaryPairing {
  name: string;
  title: string;
  users: string;
  partners: [number, number][];
  rotated: number[];
  code: string;
}

interface RotaryPairsModel extends SectionModel {
  part: "pairs";
  token: string;
  row: number[];
  angles: number[];
  pairings: RotaryPairing[];
}

/** A number in a table. `Info` is what its section needs to explain it. */
interface SheetCell<Info> {
  /** Cells with the same key light up together. */
  key: string;
  /** Other keys with which it lights up. */
  also?: string[];
  text: string;
  kind: string;
  tone?: number;
  info: Info;
  /** A further class. */
  name?: string | null;
}

/** Rows or columns, from `start` to before `stop`, with a title in a head's colour. */
interface SheetGroup {
  label: string;
  start: number;
  stop: number;
  accent: number;
}

/** A table; `cell` is null where there is nothing. */
interface SheetTable<Info> {
  sign?: string;
  shape?: string;
  label: string;
  hue?: string;
  scale?: string;
  rowLabels: string[];
  colLabels: string[];
  down?: SheetGroup[];
  across?: SheetGroup[];
  /** A further class. */
  name?: string;
  cell(row: number, col: number): SheetCell<Info> | null;
}

/** A number of the example, with its index in a tensor where it is shown there; null: a zero that fills a tensor. */
type MatrixInfo = { cell: Cell; at?: string } | { cell: null; at: string };
