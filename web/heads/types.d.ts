// What a notebook cell contains of the heads of a run (mha_view/heads).

/** The header of the cell's message. */
interface CellData {
  tag: string;
  words: Record<string, string>;
  limits: { excess: number; chance: number };
  heads: CellHeads | null;
  change: CellChange | null;
  sweep: CellSweep | null;
  /** What could not be followed, each as a sentence. */
  skipped: string[];
}

/** The heads of a run: one view for each part of the model and each sample that is here. */
interface CellHeads {
  views: CellView[];
  /** The names of each part's attentions. */
  parts: string[][];
  /** How many samples the batch has. */
  samples: number;
}

/** Attentions with the same heads, queries and keys, of one sample. */
interface CellView {
  part: number;
  sample: number;
  run: RunHeader & { off: HeadIndex[]; patched: HeadIndex[]; names: string[] };
  /** The glance without padding, and the numbers of the queries and keys that it leaves; null without padding. */
  real: { run: CellView["run"]; rows: number[]; keys: number[] } | null;
  /** Of each sentence: of a changed run before and after the change. */
  layers: CellLayer[][];
  /** Whether all weights are here exactly; else the largest of each query are, so many, and maybe all as levels. */
  weights: boolean;
  levels: boolean;
  largest: number;
  /** Whether queries and keys are here. */
  factors: boolean;
  /** How many bytes they have; 0 where the scores cannot be computed from them. */
  factor_bytes: number;
  /** Whether a cell of one of these attentions has its queries and keys. */
  alone: boolean;
}

/** What the arithmetic of a pair needs besides numbers, and the Python that finds the attention. */
interface CellLayer {
  name: string;
  code: string;
  /** Whether it is larger than an example. */
  cut: boolean;
  divisor: number;
  root: boolean;
  softcap: number | null;
  sinks: (number | null)[];
  causal: boolean;
}

/** How the output changed: for each sample the entries of its last row that changed most. */
interface CellChange {
  /** What was changed, each as a sentence. */
  done: string[];
  largest: string;
  shape: string;
  rows: CellRow[];
}

/** The entries of a sample's last row that changed most; `first`: the largest entries before and after. */
interface CellRow {
  sample: number;
  /** The name of the row's token; "" for none. */
  place: string;
  entries: CellEntry[];
  first: [string, string];
}

/** An entry of the output before and after. */
interface CellEntry {
  name: string;
  before: number;
  after: number;
  /** Of logits: the softmax before and after. */
  probabilities?: [number, number];
}

/** The change without each head; the numbers are the array "sweep", attentions × heads. */
interface CellSweep {
  names: string[];
  /** What is different in the names. */
  labels: string[];
  heads: number;
  /** The name of what was measured; "" for the largest change of the whole output. */
  measure: string;
  /** What was done to each head, as sentences. */
  done: string[];
  /** What a logit is the sum of besides, by name: all heads first, and the sum last; none for a sweep. */
  others: [string, number][];
}
