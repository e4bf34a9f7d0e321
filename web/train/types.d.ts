// What the page Train is sent: by Python (mha_ui/train), and by the server's websocket (mha_api/training_messages.py).

type TrainSettings = Record<string, number | string | boolean>;

/** A task on offer, with its default settings and about how many steps they take. */
interface TrainTask {
  /** Of its recording. */
  key: string;
  task: string;
  title: string;
  rule: string;
  sample: string;
  steps: number;
  settings: TrainSettings;
}

interface TrainData {
  lang: string;
  tag: string;
  words: Record<string, string>;
  tasks: TrainTask[];
  /** The lowest and the highest value of each setting that is a number, and of the steps. */
  limits: Record<string, [number, number]>;
  /** Of the exercise: its task, the share of whole answers that must be right, and of how many lines. */
  goal: { task: string; answers: number; lines: number };
  /** Why Explore could not open an attention. */
  refused: string;
}

/** One of a model's attentions: the maps of its heads have a row for each query. */
interface TrainPart {
  kind: string;
  layer: number;
  queries: string[];
  keys: string[];
}

/** What a training is. `steps`: how many it takes or has taken. */
interface TrainBegun {
  key: string;
  task: string;
  title: string;
  rule: string;
  settings: TrainSettings;
  steps: number;
  /** The steps whose models can be asked, where these are not all that are recorded. */
  asks: number[] | null;
  /** Somebody's own lines. */
  lines: string;
  prompt: string[];
  answer: string[];
  parameters: number;
  /** How many tokens there are, and how many a line has at most. */
  vocabulary: number;
  longest: number;
  parts: TrainPart[];
}

interface TrainState {
  name: "connecting" | "waiting" | "starting" | "running" | "paused" | "ended" | "elsewhere";
  place?: number;
  why?: string;
  more?: boolean;
}

/** The header of a binary message with steps and maps. */
interface TrainSteps {
  first: number;
  frames: { step: number; scores: (number[] | null)[] | null }[];
  recorded: number[] | null;
  /** What the scores are: of prefix matching, or how often a head looks at the token that is said next. */
  measure: "prefix" | "aligned";
}

/** The maps of all heads after a step. */
interface TrainFrame {
  step: number;
  scores: (number[] | null)[] | null;
  maps: Uint16Array;
}

/** A step: what the model did before it changed. */
interface TrainRecord {
  loss: number;
  accuracy: number;
  exact: number;
  seconds: number;
}

/** A head: which attention, and which of its heads. */
type TrainHead = [number, number];

interface TrainSaid {
  token: string;
  probability: number;
  /** Parts × heads × tokens before it. */
  looked: number[][][];
}

/** Whether the model of a step reaches the goal of the exercise. `parameters`: how many numbers it learns. */
interface TrainJudged {
  step: number;
  parameters: number;
  answers: number;
  reached: boolean;
}

/** Shares of right tokens and of right answers. */
interface TrainWithout {
  all: [number, number];
  off: [number, number] | null;
  /** Parts × heads: right tokens without that head alone. */
  alone: number[][];
}

/** The share of right tokens before two heads change places, and after. */
interface TrainSwapped {
  step: number;
  heads: TrainHead[];
  before: number;
  after: number;
}
