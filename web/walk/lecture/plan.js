// A lecturer's own walk as its file has it, and what a change makes of it. No DOM here.

/** @type {(text: LocalizedText | null | undefined, lang: string) => string} */
export const textIn = (text, lang) =>
  typeof text === "object" && text ? (text[lang] ?? text.en ?? Object.values(text)[0] ?? "") : (text ?? "");

/** @type {(step: LectureStep, lang: string) => string[]} */
export const choicesIn = ({ choices = [] }, lang) => choices.map((text) => textIn(text, lang));

/**
 * The same choices with another text of one of them; empty ones at the end are removed.
 * @type {(choices: LocalizedText[] | undefined, at: number, text: string, lang: string) => LocalizedText[] | undefined}
 */
export function withChoice(choices = [], at, text, lang) {
  const next = Array.from({ length: Math.max(choices.length, at + 1) }, (_, index) => choices[index] ?? "");
  const choice = next[at];
  next[at] = typeof choice === "object" && text ? { ...choice, [lang]: text } : text;
  const last = next.findLastIndex((choice) => choice !== "");
  return last < 0 ? undefined : next.slice(0, last + 1);
}

/**
 * Every step in the order of the walk, those too that the example does not have.
 * @type {(lecture: LecturePlan) => LectureStep[]}
 */
export const entries = ({ own, order }) =>
  order.map(({ step }) => own.steps?.find((entry) => entry.step === step) ?? { step });

/**
 * The same with other fields of one step; what is empty is left out. A text in several languages keeps the others.
 * @type {(steps: LectureStep[], step: string, fields: Partial<LectureStep>, lang: string) => LectureStep[]}
 */
export const changed = (steps, step, fields, lang) =>
  steps.map((entry) => {
    if (entry.step !== step) return entry;
    /** @type {Map<string, unknown>} */
    const next = new Map(Object.entries(entry));
    for (const [name, value] of Object.entries(fields)) {
      const previous = next.get(name);
      const isByLanguage = typeof previous === "object" && !Array.isArray(previous);
      if (value) next.set(name, isByLanguage ? { ...previous, [lang]: value } : value);
      else next.delete(name);
    }
    return { step, ...Object.fromEntries(next) };
  });

/**
 * The same with one step before another, or last.
 * @type {(steps: LectureStep[], step: string, before: string | null) => LectureStep[]}
 */
export function movedTo(steps, step, before) {
  if (step === before) return steps;
  const others = steps.filter((entry) => entry.step !== step);
  const at = before === null ? others.length : others.findIndex((entry) => entry.step === before);
  return others.toSpliced(at, 0, ...steps.filter((entry) => entry.step === step));
}

/**
 * The same with one step earlier (−1) or later (1), past the next that the example has.
 * @type {(steps: LectureStep[], step: string, by: number, isInExample: (step: string) => boolean) => LectureStep[]}
 */
export function moved(steps, step, by, isInExample) {
  const names = steps.map((entry) => entry.step).filter(isInExample);
  const to = names.indexOf(step) + by;
  if (to < 0 || to >= names.length) return steps;
  return movedTo(steps, step, by < 0 ? names[to] : (names[to + 1] ?? null));
}

/**
 * The same as its file has it: of steps in the usual order only those to which the lecturer has written something.
 * @type {(steps: LectureStep[], minutes: number | undefined, usual: string[]) => Lecture}
 */
export function written(steps, minutes, usual) {
  const order = steps.map(({ step }) => step).filter((step) => usual.includes(step));
  const isUsual = order.join() === usual.join();
  const kept = isUsual ? steps.filter((entry) => Object.keys(entry).length > 1) : steps;
  return { ...(minutes ? { minutes } : {}), ...(kept.length ? { steps: kept } : {}) };
}

/** @type {(steps: LectureStep[]) => number} */
export const minutesOf = (steps) =>
  steps.reduce((sum, { minutes, hidden }) => sum + (hidden ? 0 : (minutes ?? 0)), 0);

/**
 * The minutes that somebody typed, 0 where the field is empty and NaN where it is no number; a comma is a point.
 * @type {(text: string) => number}
 */
export const minutesIn = (text) =>
  /^[\d.,]*$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : Number.NaN;
