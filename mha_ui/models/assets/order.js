// In which order heads stand, and which of them. No DOM here.

/**
 * Heads by their flat number, layer · heads + head: sorted by a measure (of two sentences by how much larger it is in
 * either), those that do one thing alone.
 * @param {ModelRun} run
 * @param {Pick<ModelPlace, "by" | "only">} asked
 * @returns {number[]}
 */
export function ordered(run, { by, only }) {
  const all = Array.from({ length: run.layers * run.heads }, (_, at) => at);
  const shown = only ? all.filter((at) => run.sentences.some(({ labels }) => labels[at] === only)) : all;
  const name = by.replace("-", "");
  if (!name) return shown;
  const sign = by.startsWith("-") ? 1 : -1;
  /** What has no number comes last, either way. */
  const place = (at) => sign * (measureOf(run, name, at) ?? sign * Number.MAX_VALUE);
  return shown.sort((one, other) => place(one) - place(other));
}

/**
 * What of a wanted order there is not in a model's answer: the measure, or what heads are to do; "" where it is there.
 * @param {Pick<ModelPlace, "by" | "only">} wanted
 * @param {Pick<ModelPlace, "by" | "only">} found
 */
export const missing = (wanted, found) => ({
  by: wanted.by === found.by ? "" : wanted.by,
  only: wanted.only === found.only ? "" : wanted.only,
});

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
export function kinds({ sentences: [{ labels }] }) {
  const counts = new Map();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one);
}
