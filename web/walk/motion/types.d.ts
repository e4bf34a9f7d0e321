// A motion that explains a step, as plain data. Nothing here is served.

/**
 * Where a track is at a time, 0 to 1 of the motion. `on` is the key of a cell, or "power|row|col" of an exponential.
 * `dx` and `dy` move it by widths and heights of that cell; `from` and `to` are the piece of its width that a bar takes.
 */
interface MotionFrame {
  at: number;
  on: string;
  dx?: number;
  dy?: number;
  opacity?: number;
  scale?: number;
  from?: number;
  to?: number;
}

/** What moves: the number of a cell, a term of its arithmetic, or a bar. A cover hides a result until it is shown. */
interface MotionTrack {
  look: "number" | "term" | "bar" | "cover";
  /** The key of the cell whose colours it has. */
  of: string;
  text: string;
  frames: MotionFrame[];
}

/** A number of the picture that appears during a motion. */
interface MotionResult {
  on: string;
  at: number;
  text: string;
}

interface Motion {
  /** The layout of its step. */
  kind: string;
  /** In milliseconds. */
  duration: number;
  /** The times at which everything is at rest for a moment. */
  stations: number[];
  tracks: MotionTrack[];
  shows: MotionResult[];
  /** Of the plane, where values have two dimensions. */
  arrows: ArrowTrack[];
}

/** What each kind of motion says of itself; the rest is the same for all. */
type MotionParts = Pick<Motion, "tracks" | "shows" | "stations"> & Partial<Motion>;

/** What a motion is made from: a place, its cells in view that appear there, and what is in view at all. */
interface MotionInput {
  scene: StepScene;
  place: Place;
  cells: Cell[];
  isShown(on: string): boolean;
  print(cell: Cell): string;
  powers: ReturnType<typeof import("../picture/scene.js").powersOf>;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A frame in pixels: the middle of a piece, or the left end of a bar. `stretch`: how many of its widths a bar is long. */
interface PixelFrame {
  at: number;
  x: number;
  y: number;
  scale: number;
  stretch: number;
  opacity: number;
}

// --- a motion as a file ----------------------------------------------------------------------------------------------

interface SceneryLabel {
  x: number;
  y: number;
  text: string;
  size: number;
  weight: string;
  family: string;
  fill: string;
}

/** The colours of a cell, or of a piece that moves. */
interface Colours {
  fill: string;
  tone: number;
  bar: string;
  stroke: string;
}

interface SceneryPiece extends Colours {
  look: string;
  width: number;
  height: number;
  ink: string;
  text: string;
  steps: PixelFrame[];
}

/** An arrow in units of the plane, which is 100 of them wide and high. */
interface SceneryArrow {
  x: number;
  y: number;
  tip: string;
  turn: string;
  ink: string;
  stroke: number;
  steps: ArrowFrame[];
}

interface PlaneScenery extends Box {
  axes: string;
  axesInk: string;
  arrows: SceneryArrow[];
}

/** All that an animated SVG of a motion shows. */
interface Scenery {
  width: number;
  height: number;
  paper: string;
  font: string;
  size: number;
  lang: string;
  title: string;
  line: string;
  ink: string;
  patches: (Box & Colours)[];
  labels: SceneryLabel[];
  moving: SceneryPiece[];
  duration: number;
  plane: PlaneScenery | null;
}
