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
  const shown = only ? all.filter((at) => does(run, at, only)) : all;
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

/** Whether a head does this in any of the sentences. @type {(run: Pick<ModelRun, "sentences">, at: number, kind: string) => boolean} */
const does = ({ sentences }, at, kind) => sentences.some((sentence) => kindOf(sentence, at) === kind);

/**
 * What heads do in the first sentence, and how many are shown for it, the most frequent first. Those of which nothing can
 * be said come last.
 * @param {Pick<ModelRun, "sentences">} run
 * @param {number} [from] the first head that is shown
 * @returns {[string, number][]}
 */
export function kinds(run, from = 0) {
  const [sentence] = run.sentences;
  const heads = [...sentence.labels.keys()];
  const names = new Set(heads.map((at) => kindOf(sentence, at)));
  const counts = [...names].map((kind) => {
    const shown = heads.slice(from).filter((at) => does(run, at, kind));
    return /** @type {[string, number]} */ ([kind, shown.length]);
  });
  return counts.sort(
    ([kind, one], [otherKind, other]) =>
      Number(isNameless(kind)) - Number(isNameless(otherKind)) || other - one,
  );
}

/** Whether a head does nothing that has a name. @param {string} kind */
export const isNameless = (kind) => kind === "none" || kind === "unsure";
