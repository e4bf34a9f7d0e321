// The answers to a question as bars: their labels, their lengths, and which of them are right.

export const MOST = 8; // numbers that have a bar each; the others share one
const RARE = 0.02; // of all answers: what fewer gave has no bar of its own
const LETTERS = "ABCDEF";

/**
 * The label of a choice: A, or A with its text.
 * @type {(question: { choices: string[] }, index: number) => string}
 */
export const choiceOf = ({ choices }, index) =>
  choices[index] ? `${LETTERS[index]} · ${choices[index]}` : LETTERS[index];

/**
 * Which answers are right, and for numbers the label of the right one.
 * @typedef {{ is: (text: string) => boolean; label?: string }} Right
 * @typedef {{ label: string | null; count: number; share: number; right: boolean }} Bar
 */

/**
 * Bars of the answers: of choices all in their order; of numbers at most `most`, those given most often first, with the
 * right one among them however few gave it. One bar is of all others, and of what hardly anybody gave.
 * `right` is null while nobody is to know.
 * @type {(question: Pick<Question, "choices">, counts: Omit<AnswerCounts, "listeners">, right: Right | null,
 *   most?: number) => Bar[]}
 */
export function bars({ choices }, { answers, others }, right, most = MOST) {
  const total = Object.values(answers).reduce((sum, count) => sum + count, others);
  const shown = choices.length ? ofChoices(choices, answers, right) : ofNumbers(answers, right, most, total);
  const rest = shown.reduce((left, { count }) => left - count, total);
  const tail = rest ? [{ label: null, count: rest, right: false }] : [];
  return [...shown, ...tail].map((bar) => ({ ...bar, share: bar.count / (total || 1) }));
}

/** @typedef {Omit<Bar, "share">} CountedBar */

/** @type {(choices: string[], answers: Record<string, number>, right: Right | null) => CountedBar[]} */
const ofChoices = (choices, answers, right) =>
  choices.map((_, index) => ({
    label: choiceOf({ choices }, index),
    count: answers[index] ?? 0,
    right: Boolean(right?.is(String(index))),
  }));

/**
 * The commonest first. All ways to write a number are one, and so are all that are right: 0.89 and 0.8943.
 * @type {(answers: Record<string, number>, right: Right | null, most: number, total: number) => CountedBar[]}
 */
function ofNumbers(answers, right, most, total) {
  /** @type {CountedBar | null} */
  const rightBar = right && { label: right.label ?? null, count: 0, right: true };
  /** @type {Map<number, CountedBar>} */
  const wrong = new Map();
  for (const [text, count] of Object.entries(answers).sort(byCount)) {
    const isRight = Boolean(right?.is(text));
    const bar = (isRight && rightBar) ||
      wrong.get(numberOf(text)) || { label: shown(text), count: 0, right: false };
    bar.count += count;
    if (!bar.right) wrong.set(numberOf(text), bar);
  }
  const first = rightBar ? [rightBar] : [];
  const often = [...wrong.values()].filter(({ count }) => count >= RARE * total).sort(byHeight);
  return [...first, ...often.slice(0, most - first.length)].sort(byHeight);
}

/** @type {(a: CountedBar, b: CountedBar) => number} */
const byHeight = (a, b) => b.count - a.count;

/** @type {(a: [string, number], b: [string, number]) => number} */
const byCount = ([a, countA], [b, countB]) => countB - countA || numberOf(a) - numberOf(b);

/**
 * The bars of answers that were given with hands; `right` says whether a text is right, or is null.
 * @type {(answers: { text: string; count: number }[], right: ((text: string) => boolean) | null) => Bar[]}
 */
export function ofHands(answers, right) {
  const counts = Object.fromEntries(answers.map(({ count }, index) => [index, count]));
  return bars(
    { choices: answers.map(({ text }) => text) },
    { answers: counts, others: 0 },
    right && { is: (index) => right(answers[Number(index)].text) },
  );
}

/** @param {string} text */
const numberOf = (text) => (text === "-inf" ? Number.NEGATIVE_INFINITY : Number(text));
/** @param {string} text */
const shown = (text) => text.replace("inf", "∞").replaceAll("-", "−");
