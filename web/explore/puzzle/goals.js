// How far a puzzle's goals are, as mha_core/puzzle says it. No DOM here.

import { numberOf, valueAt } from "../../kit/graph.js";

const NEAR = 1e-9; // by which a number may miss a bound: rounding

/** The number that a goal is about. @type {(model: Model, goal: PuzzleGoal) => number} */
export const numberAt = (model, { cell }) => numberOf(valueAt(model, cell) ?? Number.NaN);

/** @type {(goal: PuzzleGoal, now: number) => boolean} */
export function isMet({ relation, number, within }, now) {
  if (relation === "at_least") return now >= number - NEAR;
  if (relation === "at_most") return now <= number + NEAR;
  return Math.abs(now - number) <= within + NEAR;
}

/**
 * How much of the way from the start to the goal is done, 0 to 1; 0 for a goal that is met at the start and not now.
 * @type {(goal: PuzzleGoal, now: number) => number}
 */
export function progressOf(goal, now) {
  const { relation, number, start } = goal;
  if (isMet(goal, now)) return 1;
  if (start === null || isMet(goal, start)) return 0;
  const part =
    relation === "equals"
      ? 1 - Math.abs(now - number) / Math.abs(start - number)
      : (now - start) / (number - start);
  return Number.isFinite(part) ? Math.min(Math.max(part, 0), 1) : 0;
}

/**
 * The numbers at both ends of a goal's bar: 0 and 1 for shares, else some room on both sides of start and goal.
 * @type {(goal: PuzzleGoal) => [number, number]}
 */
function rangeOf({ start, number }) {
  const [low, high] = [Math.min(start ?? number, number), Math.max(start ?? number, number)];
  if (low >= 0 && high <= 1) return [0, 1];
  const room = (high - low || 1) / 4;
  return [low - room, high + room];
}

/** How much of a single goal's bar is filled, in percent. @type {(goal: PuzzleGoal, now: number) => number} */
export function shareOf(goal, now) {
  const [low, high] = rangeOf(goal);
  const share = Math.min(Math.max((now - low) / (high - low), 0), 1) || 0;
  const falls = goal.start !== null && goal.number < goal.start; // the goal is at the right
  return 100 * (falls ? 1 - share : share);
}

/** Whether a goal is met from the start. @param {PuzzleGoal} goal */
export const wasMet = (goal) => goal.start !== null && isMet(goal, goal.start);
