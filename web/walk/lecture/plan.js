// A lecturer's own walk as the file has it, and the next one after a change. No DOM here.

/** @type {(text: LocalizedText | undefined, lang: string) => string} */
export const textIn = (text, lang) =>
  typeof text === "object" ? (text[lang] ?? text.en ?? Object.values(text)[0] ?? "") : (text ?? "");

/** @type {(step: OwnStep, lang: string) => string[]} */
export const choicesIn = ({ choices = [] }, lang) => choices.map((text) => textIn(text, lang));

/**
 * The same choices with another text of one of them; those at the end that say nothing go.
 * @type {(choices: LocalizedText[] | undefined, at: number, text: string, lang: string) => LocalizedText[] | undefined}
 */
export function withChoice(choices = [], at, text, lang) {
  const next = Array.from({ length: Math.max(choices.length, at + 1) }, (_, index) => choices[index] ?? "");
  const one = next[at];
  next[at] = typeof one === "object" && text ? { ...one, [lang]: text } : text;
  const last = next.findLastIndex((choice) => choice !== "");
  return last < 0 ? undefined : next.slice(0, last + 1);
}

/**
 * Every step in the order of the walk, those too that the example does not have.
 * @type {(lecture: Lecture) => OwnStep[]}
 */
export const entries = ({ own, order }) =>
  order.map(({ step }) => own.steps?.find((one) => one.step === step) ?? { step });

/**
 * The same with other fields of one step; what is empty is left out. A text in several languages keeps the others.
 * @type {(steps: OwnStep[], step: string, fields: Partial<OwnStep>, lang: string) => OwnStep[]}
 */
export const changed = (steps, step, fields, lang) =>
  steps.map((one) => {
    if (one.step !== step) return one;
    const next = { ...one };
    for (const [name, value] of Object.entries(fields)) {
      const isByLanguage = typeof one[name] === "object" && !Array.isArray(one[name]);
      next[name] = isByLanguage ? { ...one[name], [lang]: value } : value;
      if (!value) delete next[name];
    }
    return next;
  });

/**
 * The same with one step before another, or last.
 * @type {(steps: OwnStep[], step: string, before: string | null) => OwnStep[]}
 */
export function movedTo(steps, step, before) {
  if (step === before) return steps;
  const others = steps.filter((one) => one.step !== step);
  const at = before === null ? others.length : others.findIndex((one) => one.step === before);
  return others.toSpliced(at, 0, ...steps.filter((one) => one.step === step));
}

/**
 * The same with one step earlier (−1) or later (1), past the next that the example has.
 * @type {(steps: OwnStep[], step: string, by: number, has: (step: string) => boolean) => OwnStep[]}
 */
export function moved(steps, step, by, has) {
  const there = steps.map((one) => one.step).filter(has);
  const to = there.indexOf(step) + by;
  if (to < 0 || to >= there.length) return steps;
  return movedTo(steps, step, by < 0 ? there[to] : (there[to + 1] ?? null));
}

/**
 * What is written of it: of the usual order only the steps of which something is the lecturer's own.
 * @type {(steps: OwnStep[], minutes: number | undefined, usual: string[]) => Lecture["own"]}
 */
export function written(steps, minutes, usual) {
  const there = steps.map(({ step }) => step).filter((step) => usual.includes(step));
  const kept = there.join() === usual.join() ? steps.filter((one) => Object.keys(one).length > 1) : steps;
  return { ...(minutes ? { minutes } : {}), ...(kept.length ? { steps: kept } : {}) };
}

/** @type {(steps: OwnStep[]) => number} */
export const minutesOf = (steps) =>
  steps.reduce((sum, { minutes = 0, hidden }) => sum + (hidden ? 0 : minutes), 0);

/**
 * What somebody typed for minutes, 0 where nothing stands and NaN where it is no number; a comma is a point.
 * @type {(text: string) => number}
 */
export const minutesIn = (text) =>
  /^[\d.,]*$/.test(text.trim()) ? Number(text.trim().replace(",", ".")) : Number.NaN;
