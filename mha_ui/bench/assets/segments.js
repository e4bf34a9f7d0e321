// A sentence as words: by the browser's own dictionary where it has one. No DOM here.

export const MOST_WORDS = 24;

/** @type {any} */
const Segmenter = /** @type {any} */ (Intl).Segmenter;

/** Between what and what a text without spaces may be split: Chinese and Japanese, sign by sign. */
const SIGN = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/**
 * The words of a text, without its punctuation unless there is nothing else.
 * @param {string} text
 * @param {string} lang
 * @param {any} [segmenter] what splits into words; null: the browser has none
 * @returns {string[]}
 */
export function wordsOf(text, lang, segmenter = Segmenter) {
  const pieces = segmenter ? [...new segmenter(lang, { granularity: "word" }).segment(text)] : bySpaces(text);
  const told = pieces.filter(({ segment }) => segment.trim());
  const worded = told.filter(({ isWordLike }) => isWordLike);
  return (worded.length ? worded : told).map(({ segment }) => segment.trim());
}

/** Words between spaces, and each Chinese sign by itself. */
const bySpaces = (text) =>
  text
    .split(/\s+|(?=\p{P})|(?<=\p{P})/u)
    .flatMap((part) => (SIGN.test(part) ? [...part] : [part]))
    .map((segment) => ({ segment, isWordLike: /[\p{L}\p{N}]/u.test(segment) }));
