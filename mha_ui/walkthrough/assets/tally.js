// The answers to a question as bars: what they are called, how long they are, and which of them are right.

const MOST = 10; // numbers that have a bar each; the others share one
const LETTERS = "ABCDEF";

/** What a choice is called: A, or A with its text. */
export const choiceOf = ({ choices }, index) =>
  choices[index] ? `${LETTERS[index]} · ${choices[index]}` : LETTERS[index];

/**
 * Bars of the answers: of choices all in their order, of numbers those given most often, the smallest first.
 * `right` says whether a number is right, or is null while nobody is to know.
 * @typedef {{ label: string | null; count: number; share: number; right: boolean }} Bar
 * @type {(question: Question, counted: { answers: Record<string, number>; others: number },
 *   right: ((text: string) => boolean) | null) => Bar[]}
 */
export function bars({ choices }, { answers, others }, right) {
  const given = choices.length
    ? choices.map((_, index) => [String(index), answers[index] ?? 0])
    : Object.entries(answers).sort(([, one], [, other]) => other - one);
  const rest = given.splice(choices.length || MOST).reduce((sum, [, count]) => sum + Number(count), others);
  if (!choices.length) given.sort(([one], [other]) => numberOf(one) - numberOf(other));
  const all = given.reduce((sum, [, count]) => sum + Number(count), rest) || 1;
  const bar = (label, count, isIt) => ({ label, count, share: count / all, right: isIt });
  return [
    ...given.map(([text, count]) =>
      bar(choices.length ? choiceOf({ choices }, text) : shown(text), count, Boolean(right?.(String(text)))),
    ),
    ...(rest ? [bar(null, rest, false)] : []),
  ];
}

/**
 * The same of answers that were given with hands; `right` says whether a text is right, or is null.
 * @type {(answers: { text: string; count: number }[], right: ((text: string) => boolean) | null) => Bar[]}
 */
export function ofHands(answers, right) {
  const question = /** @type {Question} */ ({ choices: answers.map(({ text }) => text) });
  const counts = Object.fromEntries(answers.map(({ count }, index) => [index, count]));
  return bars(question, { answers: counts, others: 0 }, right && ((index) => right(answers[index].text)));
}

const numberOf = (text) => (text === "-inf" ? Number.NEGATIVE_INFINITY : Number(text));
const shown = (text) => text.replace("inf", "∞").replaceAll("-", "−");
