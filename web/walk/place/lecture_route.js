// The places of a lecture of so many minutes, for the two keys of a clicker. Every stage is shown; of a step the first
// cell slowly and the rest at once, or cell by cell as far as the time allows. No DOM here.

import { beatsOf } from "./path.js";

export const MINUTES = [10, 25, 50];
const PACE = 2; // presses a minute
const MOST_BEATS = 6; // of a cell that is explained term by term

/**
 * The lengths of a lecture to choose from, the lecturer's own among them.
 * @type {(model: WalkModel) => number[]}
 */
export const lengthsOf = ({ lecture }) =>
  [...new Set([...MINUTES, lecture?.own.minutes ?? MINUTES[0]])].sort((a, b) => a - b);

/**
 * What a lecturer has written to a step of his walk.
 * @type {(model: WalkModel, step: string) => LectureStep}
 */
export const ownOf = ({ lecture }, step) =>
  lecture?.own.steps?.find((entry) => entry.step === step) ?? { step };

/** @type {(stage: number, part?: number | null, beat?: number | null) => Place} */
const place = (stage, part = null, beat = null) => ({ stage, part, beat });

/** How many parts are in the first row. @type {(parts: WalkPart[]) => number} */
const inFirstRow = (parts) => parts.filter(([, , top]) => top === parts[0][2]).length;

/**
 * The ways to explain a stage, each longer than the one before: at once; its first part, then the rest; that part beat
 * by beat; after it the others of its row; all of them. Of a further head: at once, or step by step.
 * @type {(stages: WalkStage[], stage: number) => Place[][]}
 */
function waysOf(stages, stage) {
  const { kind, parts } = stages[stage];
  const whole = place(stage);
  if (kind === "head") return [[whole], parts.map((_, part) => place(stage, part))];
  if (kind !== "step" || parts.length < 2) return [[whole]];
  const beats = beatsOf(stages, { stage, part: 0 });
  const isByBeats = beats > 1 && beats <= MOST_BEATS;
  const first = isByBeats
    ? Array.from({ length: beats }, (_, beat) => place(stage, 0, beat))
    : [place(stage, 0)];
  const ways = [[whole], [place(stage, 0), whole]];
  if (isByBeats) ways.push([...first, whole]);
  const row = inFirstRow(parts);
  const others = (/** @type {number} */ end) => parts.slice(1, end).map((_, at) => place(stage, at + 1));
  if (row > 1 && row < parts.length) ways.push([...first, ...others(row), whole]);
  if (parts.length > 2) ways.push([...first, ...others(parts.length)]);
  return ways;
}

/**
 * The places of a lecture, in order: one press leads to the next. A stage that has minutes of its own is explained as
 * slowly as they allow, and the others share what is left.
 * @param {WalkStage[]} stages
 * @param {number} minutes
 * @param {(step: string) => number | null | undefined} [ownMinutes]
 * @returns {Place[]}
 */
export function lecture(stages, minutes, ownMinutes = () => undefined) {
  const ways = stages.map((_, stage) => waysOf(stages, stage));
  const own = stages.map(({ id }) => ownMinutes(id) ?? undefined);
  const chosen = ways.map((choices, stage) => {
    const minutesOfStage = own[stage];
    if (minutesOfStage === undefined) return choices[0];
    return choices.findLast(({ length }) => length <= PACE * minutesOfStage) ?? choices[0];
  });
  let left = PACE * minutes - (chosen.flat().length - 1);
  const deepest = Math.max(...ways.map(({ length }) => length));
  for (let level = 1; level < deepest; level++)
    for (const [stage, choices] of ways.entries()) {
      const more = (choices[level]?.length ?? 0) - chosen[stage].length;
      if (more <= 0 || more > left || own[stage] !== undefined) continue;
      chosen[stage] = choices[level];
      left -= more;
    }
  return chosen.flat();
}

/**
 * Minutes for each stage of such a lecture, in halves: as many halves as it has presses, and a share of what is left.
 * @param {WalkStage[]} stages
 * @param {number} minutes
 * @returns {Map<string, number>}
 */
export function shared(stages, minutes) {
  const places = lecture(stages, minutes - 1 / PACE); // its first place needs no press, and some time all the same
  const shares = stages.map(({ id }, at) => {
    const presses = places.filter(({ stage }) => stage === at).length;
    const share = (PACE * minutes * presses) / places.length;
    return { id, halves: Math.floor(share), rest: share % 1 };
  });
  const left = PACE * minutes - shares.reduce((sum, { halves }) => sum + halves, 0);
  const largest = shares.toSorted((a, b) => b.rest - a.rest).slice(0, left);
  return new Map(
    shares.map((share) => [share.id, (share.halves + (largest.includes(share) ? 1 : 0)) / PACE]),
  );
}

/** @type {(a: Place, b: Place) => boolean} */
const isSame = (a, b) => a.stage === b.stage && a.part === b.part && a.beat === b.beat;

/**
 * The index of a place among those of a lecture; of a place that is not among them the last of its stage.
 * @type {(places: Place[], at: Place) => number}
 */
export function indexIn(places, at) {
  const index = places.findIndex((place) => isSame(place, at));
  return index >= 0 ? index : places.findLastIndex(({ stage }) => stage === at.stage);
}

/**
 * The depth of a place: 0 a whole step, 1 a part, 2 a beat.
 * @type {(at: Place) => number}
 */
export const depthOf = ({ part, beat }) => (part === null ? 0 : beat === null ? 1 : 2);

/**
 * Milliseconds that each stage of a lecture may take, by its name: its own minutes, else by its presses a share of what
 * those leave.
 * @param {WalkStage[]} stages
 * @param {Place[]} places
 * @param {number} minutes
 * @param {(step: string) => number | null | undefined} ownMinutes
 * @returns {Map<string, number>}
 */
export function planned(stages, places, minutes, ownMinutes) {
  const presses = stages.map((_, at) => places.filter(({ stage }) => stage === at).length);
  const own = stages.map(({ id }) => ownMinutes(id));
  const left = minutes - own.reduce((/** @type {number} */ sum, own) => sum + (own ?? 0), 0);
  const others = presses.reduce((sum, count, at) => sum + (own[at] === undefined ? count : 0), 0);
  const share = (/** @type {number} */ at) => own[at] ?? (Math.max(0, left) * presses[at]) / others;
  return new Map(stages.map(({ id }, at) => [id, 60_000 * share(at)]));
}
