// What the server sends to the page Models (mha_api/model_answers.py, mha_ui/models), and what the page keeps of it.
// Layers, heads and tokens count from 0. A head's flat number is layer · heads + head.

/** A head of a model: its layer, and its number in that layer. */
type HeadIndex = [number, number];

/** A sentence or two that are offered, and what they open with: a head, and a hidden token. */
interface OfferedTexts {
  texts: string[];
  language: string;
  head?: HeadIndex;
  guess?: number;
}

/** What the page itself is sent. */
interface ModelsData {
  lang: string;
  /** The language as HTML names it. */
  tag: string;
  words: Record<string, string>;
  examples: OfferedTexts[];
  limits: ModelsLimits;
  session: string;
  /** The address of the work that the page Explore has open. */
  work: Record<string, string>;
  /** What of it this page's own address repeats. */
  address: Record<string, string>;
  /** Why the page Explore could not open the heads; "" if it was not refused. */
  refused: string;
}

/** The largest example that can be opened in Explore, and what a head's label needs. */
interface ModelsLimits {
  heads: number;
  tokens: number;
  excess: number;
  chance: number;
}

/** What the parts of the page may ask it to do. */
interface ModelsHost {
  /** Change where the visitor is. */
  go(change: Partial<FittedPlace>): void;
  /** Open heads of the shown layer in Explore, starting from "x" or "q". */
  open(heads: number[], start: string): void;
  /** Measure the heads on the same words in other orders, or stop showing that. Absent where no model can be run. */
  shuffle?(): void;
  /** Scroll to the chosen head. */
  reveal(): void;
}

/** A model on offer. */
interface ModelCard {
  key: string;
  title: string;
  about: string;
  /** The languages that it was made for; empty where that is not known. */
  languages: string[];
}

/** A sentence as the model reads it: its pieces, and the word that each belongs to. */
interface ModelTokens {
  texts: string[];
  /** null for special tokens */
  words: (number | null)[];
  special: boolean[];
}

/** The weights of all heads for one sentence. Flat arrays run over layers, heads, and then as described. */
interface SentenceWeights extends ModelTokens {
  n: number;
  /** The texts of the keys, and how many; in self-attention the texts themselves. */
  keyTexts: string[];
  m: number;
  /** The texts; those that occur more than once have a number. */
  names: string[];
  keyNames: string[];
  /** Rows and columns of a map. Each pixel is the largest weight of `block` × `block` pairs. */
  side: number;
  width: number;
  block: number;
  /** side × width levels: round(255·√weight) */
  maps: Uint8Array;
  /** For each query the key with the largest weight, and that weight. */
  keys: Uint16Array;
  tops: Float32Array;
  /** Tokens that the model does not know. */
  unknown: boolean[];
  /** For each measure, at how many places it is taken. */
  places: number[];
  /** For each measure its number, and what it would be by chance. NaN where the text has no place for it. */
  measured: Float32Array;
  chance: Float32Array;
  /** What each head does; "none" where nothing stands out. */
  labels: string[];
  /** What a head would be labelled if there were more places to measure it at; "" where that is not the case. */
  unsure: string[];
}

/** A model's answer to one sentence or two. */
interface ModelRun {
  model: string;
  layers: number;
  heads: number;
  d_model: number;
  d_head: number;
  causal: boolean;
  /** The most tokens a sentence may have. */
  limit: number;
  /** Whether it can guess words. */
  guesses: boolean;
  /** What heads were trained to do, by label: which head, and in which share of how many new texts it does it. */
  jobs?: Record<string, { at: number; found: number; texts: number }>;
  /** What heads are counted from on screen: 1 for students, 0 as in Python; and what the layers are called there. */
  first: number;
  labels: string[];
  /** For each sentence, the places of the model's sign for a word to guess, [MASK]. */
  masks: number[][];
  measures: string[];
  sentences: SentenceWeights[];
  /** Pairs of tokens, one of each sentence, that correspond. */
  aligned: [number, number][];
  /** For each head, how far its weights differ between two sentences; null for one sentence. */
  differences: Float32Array | null;
  /** For each head and token of the first sentence, the key whose weight changes most, and by how much. */
  shiftKeys: Uint16Array | null;
  shifts: Float32Array | null;
  /** Whether heads can be opened in Explore with X and their weights. */
  starts_from_x?: boolean;
  /** Whether the model can add the token that it expects next, and what its last token took. */
  continues?: boolean;
  step?: ModelStep | null;
  /** In a run of somebody's own model: the names of the attentions, and heads with a part replaced. */
  names?: string[];
  /** The two sentences are the same text, before and after heads were changed. */
  change?: boolean;
  patched?: HeadIndex[];
}

/**
 * Tokens that a model added to a text, why it added no more, and what the last one took: numbers of keys and values from the cache and new
 * ones, and multiplications, beside those of a run of the whole text.
 */
interface ModelStep {
  count: number;
  /** "eos": the last token ends the text; "length": the model takes no longer one; "steps": as many as asked for. */
  stopped: "eos" | "steps" | "length";
  read: number;
  computed: number;
  products: number;
  products_whole: number;
}

/** A model's answer to two sentences. */
interface PairRun extends ModelRun {
  differences: Float32Array;
  shiftKeys: Uint16Array;
  shifts: Float32Array;
}

/** The JSON header of a run; the arrays follow it. */
interface RunHeader
  extends Omit<ModelRun, "sentences" | "differences" | "shiftKeys" | "shifts" | "first" | "labels"> {
  first?: number;
  labels?: string[];
  sentences: (Omit<
    SentenceWeights,
    "n" | "m" | "names" | "keyNames" | "keyTexts" | "width" | "maps" | "keys" | "tops" | "measured" | "chance"
  > & { keyTexts?: string[]; width?: number })[];
  arrays: unknown;
}

/** One head's exact numbers. */
interface HeadNumbers {
  n: number;
  m: number;
  /** n × m. Where `exact` is 0, the weight is about this, or at most. */
  weights: Float32Array;
  /** n × m; null where all are exact. */
  exact: Uint8Array | null;
  /** The sign before a weight that is not exact: "≈ " or "≤ ". */
  sign: string;
  /** What the scores are computed from; null where that is not known. */
  factors: HeadFactors | null;
  /** Why there are no factors, in a sentence; "" where there are. */
  unexplained: string;
}

/** The JSON header of one head's numbers. Without factors there are only `n` and `unexplained`. */
interface HeadHeader {
  n: number;
  d: number;
  divisor: number;
  root: boolean;
  softcap: number | null;
  sink: number | null;
  unexplained: string;
}

/** What a head's scores are computed from. */
interface HeadFactors {
  d: number;
  divisor: number;
  /** Whether the divisor is √d. */
  root: boolean;
  /** Scores above this are bent down to it; null where there is no such number. */
  softcap: number | null;
  /** One more score in each sum, without a key; null for a head without. */
  sink: number | null;
  /** n × d and m × d */
  q: Float32Array;
  k: Float32Array;
  /** The score of a pair, not yet divided; −∞ where the key is hidden. */
  score(query: number, key: number): number;
  /** What the mask adds to the score of a pair. */
  added(query: number, key: number): number;
}

/** Where the numbers of a head come from: a server, or what a page contains. */
interface HeadSource {
  /** The numbers of the head of a place, for each sentence. */
  numbers(place: FittedPlace): Promise<HeadNumbers[]>;
}

/** A head's measure, what it would be by chance, and at how many places it is taken. */
interface HeadMeasure {
  name: string;
  number: number;
  chance: number;
  places: number;
}

/** Each head's measures on the same words in other orders. */
interface Shuffled {
  measures: string[];
  shuffled: Float32Array;
}

/** The product of one dimension of a query and a key, and its two factors. */
interface ScoreTerm {
  q: number;
  k: number;
  product: number;
}

interface Guess {
  text: string;
  probability: number;
  /** Given only for a word that is not among the likeliest. */
  rank?: number;
}

/** How likely a word is among all that a model could guess. */
interface WordRank {
  probability: number;
  rank: number;
}

/** What a model guesses at a place, with all heads and without some. */
interface Guessed {
  place: number;
  before: Guess[];
  after: Guess[];
  /** The token that the text has there; null where the model does not know it. */
  word: { text: string; at: number; before: WordRank; after: WordRank } | null;
}

/** What the server is asked to run: one sentence or two, and the heads that are switched off. */
interface RunRequest {
  model: string;
  texts: string[];
  without: HeadIndex[];
  /** How many tokens the model adds first; left out for none. */
  steps?: number;
}

/** What the server is asked about one sentence. */
interface TextRequest {
  model: string;
  text: string;
  without: HeadIndex[];
  steps?: number;
}

/** Where a visitor is, as the address has it. */
interface ModelPlace {
  model: string;
  texts: string[];
  /** The head that is shown; null: one that does something. */
  head: HeadIndex | null;
  token: number | null;
  /** Heads that are switched off. */
  off: HeadIndex[];
  /** The token to be guessed. */
  guess: number | null;
  /** What heads are sorted by; "" for the model's own order, "-" before it for the smallest first. */
  by: string;
  /** Only heads that do this are shown; "" for all. */
  only: string;
  /** How one head is drawn: "map", "lines", or "" for lines where all can be drawn and else a map. */
  drawn: string;
  /** The tokens whose score is explained. */
  pair: Pair | null;
  shows: PictureOf;
  /** Whether the view of one head hides special tokens. */
  hides: boolean;
  /** How many tokens the model has added to the text. */
  steps: number;
}

/** A place in a model's answer: its head is known. */
interface FittedPlace extends ModelPlace {
  head: HeadIndex;
}

/** What an address asks for that does not exist, by its name in the address; "" where all is well. */
interface MissingParts {
  head: string;
  by: string;
  only: string;
  off: string;
}

/** Which of two sentences a picture shows, or their difference. */
type PictureOf = "first" | "second" | "difference";

/** A query and a key. */
interface Pair {
  query: number;
  key: number;
}

/** How the head of a place is opened as an example. */
interface HeadOpening {
  root: HTMLElement;
  /** `refused`: why it could not be opened; "" where it was not refused. */
  update(run: ModelRun, place: FittedPlace, refused: string): void;
}

/** What a picture of one head reports. */
interface PictureHost {
  /** A token is chosen; null: none. */
  chosen(query: number | null): void;
  /** A query is hovered over; null: none. */
  hovered(query: number | null): void;
  /** A pair is pointed at; null: none. */
  pointed(pair: Pair | null): void;
  /** A pair is to be explained; `scrolls`: and its explanation scrolled into view. */
  picked(pair: Pair, scrolls: boolean): void;
}

/** The weights of a head as lines. Where `exact` is 0, the weight has the sign before it. */
interface LinesContent extends Omit<MapContent, "numbers"> {
  /** n × m */
  weights: Float32Array;
}

/** The rows of a picture for the chosen query, the pair that is pointed at or picked, and the query hovered over. */
interface LinesPlace {
  token: number | null;
  pair: Pair | null;
  hovered: number | null;
}

/** Numbers of pairs as a large map: weights in a colour, or differences in two where `colour` is "". */
interface MapContent {
  numbers: Float32Array;
  colour: string;
  /** Where it is 0, the number is not exact and has the sign before it; null where all are exact. */
  exact: Uint8Array | null;
  sign: string;
  texts: string[];
  keyTexts: string[];
}
