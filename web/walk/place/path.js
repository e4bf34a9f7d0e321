// Where a walk may be, and the next place from each. A place is {stage, part, beat}: part is null while a whole step is
// shown, beat while a whole part is. `depth` says how finely one walks: 0 step by step, 1 part by part, 2 beat by beat.
// A stage without parts is one place at every depth.

/** @type {(stages: WalkStage[], stage: number) => number} */
const partsOf = (stages, stage) => stages[stage].parts.length;

const BEATS = 6; // index in a part: [matrix, head, top, bottom, left, right, beats]

/**
 * How many beats the part at a place has; 0 where a whole step is shown.
 * @type {(stages: WalkStage[], place: Pick<Place, "stage" | "part">) => number}
 */
export const beatsOf = (stages, { stage, part }) => (part === null ? 0 : stages[stage].parts[part][BEATS]);

/** @type {() => Place} */
export const start = () => ({ stage: 0, part: null, beat: null });

/**
 * The first place of a stage at a depth, or the last.
 * @type {(stages: WalkStage[], stage: number, depth: number, last?: boolean) => Place}
 */
export function entry(stages, stage, depth, last = false) {
  const parts = partsOf(stages, stage);
  if (depth < 1 || !parts) return { stage, part: null, beat: null };
  const part = last ? parts - 1 : 0;
  if (depth < 2) return { stage, part, beat: null };
  return { stage, part, beat: last ? beatsOf(stages, { stage, part }) - 1 : 0 };
}

/**
 * The place after this one, or null at the end.
 * @type {(stages: WalkStage[], place: Place, depth: number) => Place | null}
 */
export function after(stages, place, depth) {
  const { stage, part, beat } = place;
  if (beat !== null && beat + 1 < beatsOf(stages, place)) return { stage, part, beat: beat + 1 };
  if (part !== null && part + 1 < partsOf(stages, stage))
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
    const previous = { stage, part: part - 1 };
    return { ...previous, beat: depth > 1 ? beatsOf(stages, previous) - 1 : null };
  }
  return stage ? entry(stages, stage - 1, depth, true) : null;
}

/**
 * Whether the way from one place to another leads on: to a later place, or to the same one nearer or from further away.
 * @type {(from: Place, to: Place) => boolean}
 */
export function isOnward(from, to) {
  if (from.stage !== to.stage) return to.stage > from.stage;
  if ((from.part === null) !== (to.part === null) || (from.beat === null) !== (to.beat === null)) return true;
  const parts = (to.part ?? 0) - (from.part ?? 0);
  return parts > 0 || (parts === 0 && (to.beat ?? 0) > (from.beat ?? 0));
}

/**
 * The same place at another depth.
 * @type {(stages: WalkStage[], place: Place, depth: number) => Place}
 */
export function atDepth(stages, place, depth) {
  const result = { ...place };
  if (depth < 1) result.part = null;
  else if (result.part === null && partsOf(stages, result.stage)) result.part = 0;
  if (depth < 2 || result.part === null) result.beat = null;
  else result.beat ??= 0;
  return result;
}

/**
 * A place as an address has it: a stage by name, part and beat from 1.
 * @type {(stages: WalkStage[], place: Place, depth: number) => AddressPlace}
 */
export function written(stages, place, depth) {
  const { stage, part, beat } = place;
  const sub =
    depth === 0 ? "" : depth === 1 ? String((part ?? 0) + 1) : `${(part ?? 0) + 1}.${(beat ?? 0) + 1}`;
  return { step: stage ? stages[stage].id : "", sub };
}

/**
 * The place that an address names, or the nearest that exists.
 * @type {(stages: WalkStage[], address: AddressPlace) => { place: Place; depth: number }}
 */
export function read(stages, { step, sub }) {
  const stage = Math.max(
    0,
    stages.findIndex(({ id }) => id === step),
  );
  const [part, beat] = (sub || "").split(".").map((text) => Number(text) - 1);
  const depth = !sub ? 0 : beat === undefined ? 1 : 2;
  const place = entry(stages, stage, depth);
  if (place.part !== null) place.part = Math.min(part, partsOf(stages, stage) - 1);
  if (place.beat !== null) place.beat = Math.min(beat, beatsOf(stages, place) - 1);
  return { place, depth };
}
