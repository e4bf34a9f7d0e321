// Where the walk may stand, and the next place from each. A place is {stage, part, beat}: part is null while a whole
// step is shown, beat while a whole part is. `depth` is how far in one walks: 0 step by step, 1 part by part, 2 beat by
// beat; a stage without parts is one place at every depth.

/** @type {(stages: WalkStage[], place: Place) => number} */
const partsOf = (stages, place) => stages[place.stage].parts.length;
const BEATS = 6; // of a part: [matrix, head, top, bottom, left, right, beats]
/** @type {(stages: WalkStage[], place: Place) => number} */
export const beatsOf = (stages, place) => stages[place.stage].parts[place.part][BEATS];

/** @type {() => Place} */
export const start = () => ({ stage: 0, part: null, beat: null });

/**
 * The first place of a stage at a depth, or the last.
 * @type {(stages: WalkStage[], stage: number, depth: number, last?: boolean) => Place}
 */
export function entry(stages, stage, depth, last = false) {
  const place = { stage, part: null, beat: null };
  if (depth > 0 && partsOf(stages, place)) {
    place.part = last ? partsOf(stages, place) - 1 : 0;
    if (depth > 1) place.beat = last ? beatsOf(stages, place) - 1 : 0;
  }
  return place;
}

/**
 * The place after this one, or null at the end.
 * @type {(stages: WalkStage[], place: Place, depth: number) => Place | null}
 */
export function after(stages, place, depth) {
  const { stage, part, beat } = place;
  if (beat !== null && beat + 1 < beatsOf(stages, place)) return { stage, part, beat: beat + 1 };
  if (part !== null && part + 1 < partsOf(stages, place))
    return { stage, part: part + 1, beat: depth > 1 ? 0 : null };
  return stage + 1 < stages.length ? entry(stages, stage + 1, depth) : null;
}

/**
 * The place before this one, or null at the start.
 * @type {(stages: WalkStage[], place: Place, depth: number) => Place | null}
 */
export function before(stages, place, depth) {
  const { stage, part, beat } = place;
  if (beat) return { stage, part, beat: beat - 1 };
  if (part) {
    const previous = { stage, part: part - 1, beat: null };
    if (depth > 1) previous.beat = beatsOf(stages, previous) - 1;
    return previous;
  }
  return stage ? entry(stages, stage - 1, depth, true) : null;
}

/**
 * Whether a place comes after another, or tells the same from nearer or from further away.
 * @type {(one: Place, other: Place) => boolean}
 */
export function isOnward(one, other) {
  if (one.stage !== other.stage) return other.stage > one.stage;
  if ((one.part === null) !== (other.part === null) || (one.beat === null) !== (other.beat === null))
    return true;
  return other.part > one.part || (other.part === one.part && other.beat > one.beat);
}

/**
 * The same place one depth further in or out.
 * @type {(stages: WalkStage[], place: Place, depth: number) => Place}
 */
export function atDepth(stages, place, depth) {
  const result = { ...place };
  if (depth < 1) result.part = null;
  else if (result.part === null && partsOf(stages, result)) result.part = 0;
  if (depth < 2 || result.part === null) result.beat = null;
  else result.beat ??= 0;
  return result;
}

/**
 * As an address has it: a stage by name, and part and beat from 1.
 * @type {(stages: WalkStage[], place: Place, depth: number) => { step: string; sub: string }}
 */
export function written(stages, place, depth) {
  const { stage, part, beat } = place;
  const sub =
    depth === 0 ? "" : depth === 1 ? String((part ?? 0) + 1) : `${(part ?? 0) + 1}.${(beat ?? 0) + 1}`;
  return { step: stage ? stages[stage].id : "", sub };
}

/**
 * The place that an address names, or the nearest that there is.
 * @type {(stages: WalkStage[], at: { step: string; sub: string }) => { place: Place; depth: number }}
 */
export function read(stages, { step, sub }) {
  const stage = Math.max(
    0,
    stages.findIndex(({ id }) => id === step),
  );
  const [part, beat] = (sub || "").split(".").map((text) => Number(text) - 1);
  const depth = !sub ? 0 : beat === undefined ? 1 : 2;
  const place = entry(stages, stage, depth);
  if (place.part !== null) place.part = Math.min(part, partsOf(stages, place) - 1);
  if (place.beat !== null) place.beat = Math.min(beat, beatsOf(stages, place) - 1);
  return { place, depth };
}
