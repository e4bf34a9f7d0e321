// In which order heads are shown, and which of them. No DOM here.

import { kindOf } from "../runs.js";

/**
 * Heads by their flat number, sorted by a measure (of two sentences the larger number counts); `only`: those that do
 * one thing.
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "by" | "only">} place
 * @returns {number[]}
 */
export function ordered(run, { by, only }) {
  const all = Array.from({ length: run.layers * run.heads }, (_, at) => at);
  const shown = only
    ? all.filter((at) => run.sentences.some((sentence) => kindOf(sentence, at) === only))
    : all;
  const name = by.replace("-", "");
  if (!name) return shown;
  const sign = by.startsWith("-") ? 1 : -1;
  /** A head without a number comes last, in either direction. @param {number} at */
  const rank = (at) => sign * (measureOf(run, name, at) ?? sign * Number.MAX_VALUE);
  return shown.sort((one, other) => rank(one) - rank(other));
}

/**
 * A measure of a head, of two sentences the larger; null where no sentence has a place for it.
 * @param {ModelRun} run
 * @param {string} name
 * @param {number} at
 * @returns {number | null}
 */
export function measureOf(run, name, at) {
  if (name === "difference") return run.differences?.[at] ?? 0;
  const column = run.measures.indexOf(name);
  const numbers = run.sentences
    .map(({ measured }) => measured[at * run.measures.length + column])
    .filter((number) => !Number.isNaN(number));
  return numbers.length ? Math.max(...numbers) : null;
}

/**
 * What heads do, and how many do it, the most frequent first. Those of which nothing can be said come last.
 * @param {Pick<ModelRun, "sentences">} run
 * @returns {[string, number][]}
 */
export function kinds({ sentences: [sentence] }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const at of sentence.labels.keys()) {
    const kind = kindOf(sentence, at);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(
    ([kind, one], [otherKind, other]) =>
      Number(isNameless(kind)) - Number(isNameless(otherKind)) || other - one,
  );
}

/** Whether a head does nothing that has a name. @param {string} kind */
export const isNameless = (kind) => kind === "none" || kind === "unsure";
