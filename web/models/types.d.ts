// What the page Models is told by the server (mha_api/models.py), and where its visitor stands.

/** A model that is offered. */
interface ModelCard {
  key: string;
  title: string;
  about: string;
  /** Those that it was made for; none where that is not known. */
  languages: string[];
}

/** A sentence as the model reads it: its pieces, and the word that each belongs to. */
interface ModelTokens {
  texts: string[];
  /** null for special tokens */
  words: (number | null)[];
  special: boolean[];
}

/** All heads' weights of one sentence. Flat arrays run over layers, heads, and then as said. */
interface Looked extends ModelTokens {
  n: number;
  /** The texts, those that are repeated with a number. */
  names: string[];
  /** Pixels to a side of each map, each the largest weight of `block` × `block` pairs. */
  side: number;
  block: number;
  /** side × side levels: round(255·√weight) */
  maps: Uint8Array;
  /** For each query the key with the largest weight, and that weight. */
  keys: Uint16Array;
  tops: Float32Array;
  /** Of which tokens the model knows no more than that they are there. */
  unknown: boolean[];
  /** For each measure at how many places it is taken. */
  places: number[];
  /** For each measure its number, and what it would be by chance. */
  measured: Float32Array;
  chance: Float32Array;
  /** What each head does most of all; "none" where nothing stands out. */
  labels: string[];
  /** What each would be said to do, were there more places of it; "" where that is not so. */
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
  /** Most tokens of a sentence. */
  limit: number;
  /** Whether it can guess words. */
  guesses: boolean;
  /** Of each sentence where a word to be guessed was typed as the model's own sign for one, [MASK]. */
  masks: number[][];
  measures: string[];
  sentences: Looked[];
  /** Which token of the first sentence stands where which of the second does. */
  aligned: [number, number][];
  /** By head, how far its weights differ between the two. */
  differences: Float32Array | null;
  /** By head and token of the first sentence, the key whose weight changes most, and by how much. */
  shiftKeys: Uint16Array | null;
  shifts: Float32Array | null;
}

/** One head's exact numbers, each n × n or n × d. */
interface HeadNumbers {
  n: number;
  d: number;
  divisor: number;
  weights: Float32Array;
  scores: Float32Array;
  q: Float32Array;
  k: Float32Array;
}

/** What each head's measures are where the words stand in other orders. */
interface Shuffled {
  measures: string[];
  shuffled: Float32Array;
}

interface Guess {
  text: string;
  probability: number;
  /** Of a word that is not among the likeliest. */
  rank?: number;
}

/** How a word stands among all that a model could guess. */
interface Standing {
  probability: number;
  rank: number;
}

/** What a model guesses at a place, with all heads and without some. */
interface Guessed {
  place: number;
  before: Guess[];
  after: Guess[];
  /** The token that the text has there; null where it has none that the model knows. */
  word: { text: string; at: number; before: Standing; after: Standing } | null;
}

/** Where a visitor stands, as the address has it. Heads and tokens count from 0. */
interface ModelPlace {
  model: string;
  texts: string[];
  /** Which head is shown: layer and head; null: one that does something. */
  head: [number, number] | null;
  token: number | null;
  /** Heads that are switched off. */
  off: [number, number][];
  /** The token that is to be guessed. */
  guess: number | null;
  /** What heads are sorted by; "" for the model's own order, "-" before it for the smallest first. */
  by: string;
  /** Heads that do this are shown alone; "" for all. */
  only: string;
  /** How one head is drawn: "map", or "" for lines. */
  drawn: string;
  /** The tokens whose score is explained. */
  pair: Pair | null;
  shows: Pictured;
  /** Whether special tokens are hidden in the one head. */
  hides: boolean;
}

/** Which of two sentences a picture is of, or their difference. */
type Pictured = "first" | "second" | "difference";

/** A query and a key. */
interface Pair {
  query: number;
  key: number;
}

/** Numbers of pairs as a large map: weights in a colour, or, where there is none, differences in two. */
interface MapShown {
  numbers: Float32Array;
  colour: string;
  texts: string[];
  keyTexts: string[];
}
