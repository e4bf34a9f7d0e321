// The walk's places, and the messages between its windows and rooms.

/** A part of a stage. */
type WalkPart = WalkStage["parts"][number];

/** A place of the walk: `part` is null while a whole step is shown, `beat` while a whole part is. */
interface Place {
  stage: number;
  part: number | null;
  beat: number | null;
}

/** A place as an address has it: a stage by its name, part and beat from 1 as in "2.1". */
interface AddressPlace {
  step: string;
  sub: string;
}

/** How a walk is shown: on its page, to an audience, or to who presents. */
type WalkView = WalkPosition["view"];

/** A place that windows and rooms share; `revealed`: the questions whose answers are shown by now. */
interface SharedPlace extends AddressPlace {
  predict: boolean;
  revealed: string[];
}

/** A place as the windows of a pair share it, with what both show besides. */
interface PairPlace extends SharedPlace {
  /** Two heads that are compared. */
  heads: number[] | null;
  dark: boolean;
  /** Numbers are asked for at this place alone. */
  once: boolean;
  /** How often the motion of a place was asked for. */
  plays: number;
  hands?: HandCount | null;
}

/** A place that comes from another window, or from a room, which says less. */
type ReceivedPlace = SharedPlace & Partial<PairPlace>;

/** The numbers of a pair; `way`: whether an undo ("back") or a redo ("forward") led to them. */
interface PairNumbers {
  count: number;
  id: string;
  address: { example?: string; s?: string };
  way: string;
}

/** A value with how often it was changed. */
interface Counted<T> {
  count: number;
  at: T;
}

/** What a window tells the others of its pair: all that they share. */
interface PairMessage {
  pair: string;
  numbers: PairNumbers;
  place: Counted<PairPlace | null>;
  /** The minutes of the lecture that is walked. */
  lecture: Counted<number | null>;
  room: Counted<RoomState | null>;
}

/** A part of the page that goes where the other windows of its pair are. */
interface PairMember {
  goTo(place: ReceivedPlace): void;
  /** Another window has chosen the lecture. */
  teach(minutes: number): void;
}

/** What goes on around a pair: its own window has moved, or another has changed the room. */
interface PairGuide {
  moved(): void;
  shared(room: RoomState | null): void;
}

/** What the audience of a room is shown: how to get in, large or in a corner, a question's answers, or nothing. */
type RoomCard = "" | "code" | "poll" | "corner";

/** A room as the windows of its presenter share it. */
interface RoomState {
  code: string;
  key: string;
  card: RoomCard;
  /** What comes back once the code is closed. */
  under?: RoomCard;
  /** The number of a question whose answers are shown while it is open. */
  early?: number;
  exercise: string;
  link: string;
  /** The projector shows what those who follow do not see. */
  away?: boolean;
}

/** A place as a room is sent it; its numbers come with it by name or token. */
interface PresentedPlace extends SharedPlace {
  decimals: number;
  dark: boolean;
}

/** What a room sends those who follow (mha_api/rooms): whose numbers are walked, where, and the exercise on offer. */
interface RoomPlace extends SharedPlace {
  walk: string;
  dark: boolean;
  away: boolean;
  exercise: string;
  link: string;
}

/** How many follow, and how many gave which answer. */
interface AnswerCounts {
  listeners: number;
  answers: Record<string, number>;
  others: number;
}

/** An event of a room by its kind. */
type RoomEvent =
  | ["place", RoomPlace]
  | ["question", Question]
  | ["counts", AnswerCounts]
  | ["listener", { listener: string }];

/** Of a connection to a room. "lost": tried again; "none": no such room; "gone": no longer; "ended": by its presenter. */
type StreamState = "open" | "lost" | "none" | "gone" | "ended";

/** Receives a room's events, and the state of the connection to it. */
interface StreamListener {
  received: (...event: RoomEvent) => void;
  stateChanged: (state: StreamState) => void;
}

/** A question that is answered with hands, about a cell or in general, and how many hands each answer got. */
interface HandCount {
  text: string;
  cell: Cell | null;
  answers: { text: string; count: number }[];
}

/** A question to those who follow: for one of several choices, or for the number in a cell. */
interface Question {
  question: number;
  open: boolean;
  text: string;
  choices: string[];
  cell: Cell | null;
}

/** A text for all languages, or one for each. */
type LocalizedText = NonNullable<LectureStep["note"]>;

/** The time that each step of a lecture may take, and all of it, in milliseconds. */
interface LectureTimes {
  times: Map<string, number>;
  all: number;
}

/** What the host of a walk may read of it and call. */
type HostedWalk = Pick<
  import("./walk.js").Walk,
  | "announce"
  | "controls"
  | "focus"
  | "join"
  | "model"
  | "notes"
  | "podium"
  | "predictions"
  | "refit"
  | "refuse"
  | "refused"
  | "root"
  | "route"
  | "setPredicting"
  | "share"
  | "step"
  | "view"
>;

/**
 * The host of a walk: it has the address bar that holds the work, further controls and parts of the page, and acts on
 * each new place.
 */
interface WalkHost {
  address: { keep(query: Record<string, string>, shown: WalkModel): void; flush(): void; stop(): void };
  /** The controls at the end of the bar; `own`: the walk's ways to show itself. */
  controls(own: Node[]): Node[];
  /** The parts below the walk. */
  parts(): Node[];
  placeChanged(place: SharedPlace, remote: boolean): void;
  /** Whether others follow the walk also where no audience sees it. */
  isFollowed?: boolean;
  ask?(): void;
  change?(): void;
  code?(): void;
  countHands?(): void;
  /** Whether Escape has closed something that lay over the walk. */
  closes?(): boolean;
  /** The walk leaves its place. */
  goesOn?(): void;
  /** Nobody sees more at this place than the projector shows, nor goes there alone. */
  withholds?(place: Place): boolean;
  /** Back to the place of the projector. */
  comeBack?(): void;
  resized?(): void;
  undo?(redo: boolean): void;
  /** What both windows of a pair show besides the place. */
  shares?(): Pick<PairPlace, "hands">;
  shared?(place: ReceivedPlace): void;
  unmount(): void;
}
