// A way through the walk for a clicker's two keys and a lecture of so many minutes: every stage is shown; the first cell
// of a step slowly, the rest of it at once, or cell by cell as far as the time goes. No DOM here.

import { beatsOf } from "./path.js";

export const MINUTES = [10, 25, 50];
const PACE = 2; // presses a minute
const MOST_BEATS = 6; // of a cell that is told term by term

/**
 * The lengths of a lecture to choose from, the lecturer's own among them.
 * @type {(model: WalkModel) => number[]}
 */
export const lengthsOf = ({ lecture }) =>
  [...new Set([...MINUTES, lecture?.own.minutes ?? MINUTES[0]])].sort((one, other) => one - other);

/**
 * What is the lecturer's own of a step.
 * @type {(model: WalkModel, step: string) => OwnStep}
 */
export const ownOf = ({ lecture }, step) => lecture?.own.steps?.find((one) => one.step === step) ?? { step };

/** @type {(stage: number, part?: number | null, beat?: number | null) => Place} */
const place = (stage, part = null, beat = null) => ({ stage, part, beat });

/** How many parts stand in the first row. @type {(parts: WalkPart[]) => number} */
const inFirstRow = (parts) => parts.filter(([, , top]) => top === parts[0][2]).length;

/**
 * The ways to tell a stage, each longer than the one before: at once; its first part, then the rest; that part beat by
 * beat; after it the others of its row; all of them. Of a further head: at once, or step by step.
 * @type {(stages: WalkStage[], stage: number) => Place[][]}
 */
function waysOf(stages, stage) {
  const { kind, parts } = stages[stage];
  const whole = place(stage);
  if (kind === "head") return [[whole], parts.map((_, part) => place(stage, part))];
  if (kind !== "step" || parts.length < 2) return [[whole]];
  const ways = [[whole], [place(stage, 0), whole]];
  const beats = beatsOf(stages, place(stage, 0));
  if (beats > 1 && beats <= MOST_BEATS)
    ways.push([...Array.from({ length: beats }, (_, beat) => place(stage, 0, beat)), whole]);
  const first = ways.at(-1).slice(0, -1);
  const row = inFirstRow(parts);
  const others = (count) => parts.slice(1, count).map((_, at) => place(stage, at + 1));
  if (row > 1 && row < parts.length) ways.push([...first, ...others(row), whole]);
  if (parts.length > 2) ways.push([...first, ...others(parts.length)]);
  return ways;
}

/**
 * The places of a lecture, in order: one press leads to the next. A stage that has minutes of its own is told as slowly
 * as they allow, and the others share what is left.
 * @param {WalkStage[]} stages
 * @param {number} minutes
 * @param {(step: string) => number | undefined} [ownMinutes]
 * @returns {Place[]}
 */
export function lecture(stages, minutes, ownMinutes = () => undefined) {
  const ways = stages.map((_, stage) => waysOf(stages, stage));
  const own = stages.map(({ id }) => ownMinutes(id));
  const chosen = ways.map((of, stage) => of.findLast(({ length }) => length <= PACE * own[stage]) ?? of[0]);
  let left = PACE * minutes - (chosen.flat().length - 1);
  const deepest = Math.max(...ways.map(({ length }) => length));
  for (let level = 1; level < deepest; level++)
    for (const [stage, of] of ways.entries()) {
      const more = (of[level]?.length ?? 0) - chosen[stage].length;
      if (more <= 0 || more > left || own[stage] !== undefined) continue;
      chosen[stage] = of[level];
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
  const most = shares.toSorted((one, other) => other.rest - one.rest).slice(0, left);
  return new Map(shares.map((one) => [one.id, (one.halves + (most.includes(one) ? 1 : 0)) / PACE]));
}

/** @type {(one: Place, other: Place) => boolean} */
const isSame = (one, other) =>
  one.stage === other.stage && one.part === other.part && one.beat === other.beat;

/**
 * Where a place stands among those of a lecture; one beside the way as the last of its stage.
 * @type {(places: Place[], at: Place) => number}
 */
export function indexIn(places, at) {
  const index = places.findIndex((one) => isSame(one, at));
  return index >= 0 ? index : places.findLastIndex(({ stage }) => stage === at.stage);
}

/**
 * How deep a place lies: 0 a whole step, 1 a part, 2 a beat.
 * @type {(at: Place) => number}
 */
export const depthOf = ({ part, beat }) => (part === null ? 0 : beat === null ? 1 : 2);

/**
 * Milliseconds that each stage of a lecture may take, by its name: its own minutes, else by its presses a share of what
 * those leave.
 * @param {WalkStage[]} stages
 * @param {Place[]} places
 * @param {number} minutes
 * @param {(step: string) => number | undefined} ownMinutes
 * @returns {Map<string, number>}
 */
export function planned(stages, places, minutes, ownMinutes) {
  const presses = stages.map((_, at) => places.filter(({ stage }) => stage === at).length);
  const own = stages.map(({ id }) => ownMinutes(id));
  const left = minutes - own.reduce((sum, one) => sum + (one ?? 0), 0);
  const others = presses.reduce((sum, count, at) => sum + (own[at] === undefined ? count : 0), 0);
  const share = (at) => own[at] ?? (Math.max(0, left) * presses[at]) / others;
  return new Map(stages.map(({ id }, at) => [id, 60_000 * share(at)]));
}
