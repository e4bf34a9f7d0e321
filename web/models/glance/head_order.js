// In which order heads stand, and which of them. No DOM here.

import { kindOf } from "../runs.js";

/**
 * Heads by their flat number, layer · heads + head: sorted by a measure (of two sentences by how much larger it is in
 * either), those that do one thing alone.
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "by" | "only">} asked
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
  /** What has no number comes last, either way. */
  const place = (at) => sign * (measureOf(run, name, at) ?? sign * Number.MAX_VALUE);
  return shown.sort((one, other) => place(one) - place(other));
}

/**
 * A measure of a head, in two sentences the larger of both; null where no sentence has a place for it.
 * @param {ModelRun} run
 * @param {string} name
 * @param {number} at
 * @returns {number | null}
 */
export function measureOf(run, name, at) {
  if (name === "difference") return run.differences?.[at] ?? 0;
  const column = run.measures.indexOf(name);
  const numbers = run.sentences.map(({ measured }) => measured[at * run.measures.length + column]);
  return numbers.reduce(
    (most, number) => (Number.isNaN(number) ? most : Math.max(most ?? number, number)),
    null,
  );
}

/**
 * What heads do, and how many do it, the most frequent first.
 * @param {ModelRun} run
 * @returns {[string, number][]}
 */
export function kinds({ sentences: [sentence] }) {
  const counts = new Map();
  for (const at of sentence.labels.keys()) {
    const kind = kindOf(sentence, at);
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return [...counts].sort(([, one], [, other]) => other - one);
}
