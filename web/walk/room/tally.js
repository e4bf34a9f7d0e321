// The answers to a question as bars: what they are called, how long they are, and which of them are right.

export const MOST = 8; // numbers that have a bar each; the others share one
const RARE = 0.02; // of all answers: what fewer gave has no bar of its own
const LETTERS = "ABCDEF";

/** What a choice is called: A, or A with its text. */
export const choiceOf = ({ choices }, index) =>
  choices[index] ? `${LETTERS[index]} · ${choices[index]}` : LETTERS[index];

/**
 * Which answers are right, and for numbers what the right one is called.
 * @typedef {{ is: (text: string) => boolean; label?: string }} Right
 * @typedef {{ label: string | null; count: number; share: number; right: boolean }} Bar
 */

/**
 * Bars of the answers: of choices all in their order; of numbers at most `most`, those given most often first, with the
 * right one among them however few gave it. One bar is of all others, and of what hardly anybody gave.
 * `right` is null while nobody is to know.
 * @type {(question: Question, counted: { answers: Record<string, number>; others: number }, right: Right | null,
 *   most?: number) => Bar[]}
 */
export function bars({ choices }, { answers, others }, right, most = MOST) {
  const all = Object.values(answers).reduce((sum, count) => sum + count, others);
  const shown = choices.length ? ofChoices(choices, answers, right) : ofNumbers(answers, right, most, all);
  const rest = shown.reduce((left, { count }) => left - count, all);
  const tail = rest ? [{ label: null, count: rest, right: false }] : [];
  return [...shown, ...tail].map((one) => ({ ...one, share: one.count / (all || 1) }));
}

/** @typedef {Omit<Bar, "share">} Counted */

/** @type {(choices: string[], answers: Record<string, number>, right: Right | null) => Counted[]} */
const ofChoices = (choices, answers, right) =>
  choices.map((_, index) => ({
    label: choiceOf({ choices }, index),
    count: answers[index] ?? 0,
    right: Boolean(right?.is(String(index))),
  }));

/**
 * The commonest first. All ways to write a number are one, and so are all that are right: 0.89 and 0.8943.
 * @type {(answers: Record<string, number>, right: Right | null, most: number, all: number) => Counted[]}
 */
function ofNumbers(answers, right, most, all) {
  const found = right ? [{ label: right.label, count: 0, right: true }] : [];
  const wrong = new Map();
  for (const [text, count] of Object.entries(answers).sort(byCount)) {
    const fresh = { label: shown(text), count: 0, right: false };
    const one = right?.is(text) ? found[0] : (wrong.get(numberOf(text)) ?? fresh);
    one.count += count;
    if (!one.right) wrong.set(numberOf(text), one);
  }
  const often = [...wrong.values()].filter(({ count }) => count >= RARE * all).sort(byHeight);
  return [...found, ...often.slice(0, most - found.length)].sort(byHeight);
}

/** @type {(one: Counted, other: Counted) => number} */
const byHeight = (one, other) => other.count - one.count;

/** @type {(one: [string, number], other: [string, number]) => number} */
const byCount = ([one, many], [other, few]) => few - many || numberOf(one) - numberOf(other);

/**
 * The same of answers that were given with hands; `right` says whether a text is right, or is null.
 * @type {(answers: { text: string; count: number }[], right: ((text: string) => boolean) | null) => Bar[]}
 */
export function ofHands(answers, right) {
  const question = /** @type {Question} */ ({ choices: answers.map(({ text }) => text) });
  const counts = Object.fromEntries(answers.map(({ count }, index) => [index, count]));
  return bars(
    question,
    { answers: counts, others: 0 },
    right && { is: (index) => right(answers[index].text) },
  );
}

const numberOf = (text) => (text === "-inf" ? Number.NEGATIVE_INFINITY : Number(text));
const shown = (text) => text.replace("inf", "∞").replaceAll("-", "−");
