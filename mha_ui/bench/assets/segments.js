// A sentence as words: by the browser's own dictionary where it has one. No DOM here.

export const MOST_WORDS = 24;

/** @type {any} */
const Segmenter = /** @type {any} */ (Intl).Segmenter;

/** A picture sign is a word too, though no dictionary has it. */
const PICTURE = /\p{Extended_Pictographic}/u;

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
  const nonBlank = pieces.filter(({ segment }) => segment.trim());
  const worded = nonBlank.filter(({ segment, isWordLike }) => isWordLike || PICTURE.test(segment));
  return (worded.length ? worded : nonBlank).map(({ segment }) => segment.trim());
}

/** Words between spaces, and each Chinese sign by itself. */
const bySpaces = (text) =>
  text
    .split(/\s+|(?=\p{P})|(?<=\p{P})/u)
    .flatMap((part) => (SIGN.test(part) ? [...part] : [part]))
    .map((segment) => ({ segment, isWordLike: /[\p{L}\p{N}]/u.test(segment) }));

/**
 * Words in another order: the one at `from` stands at `to`.
 * @param {string[]} list
 * @param {number} from
 * @param {number} to
 */
export function reordered(list, from, to) {
  const rest = list.toSpliced(from, 1);
  return rest.toSpliced(to, 0, list[from]);
}

/**
 * The word at `at` joined to the one before it: Chinese and Japanese without a space between them.
 * @param {string[]} list
 * @param {number} at
 */
export function joined(list, at) {
  if (!list[at - 1] || list[at] === undefined) return list;
  const [before, after] = [list[at - 1], list[at]];
  const close = SIGN.test(before.at(-1)) || SIGN.test(after.at(0));
  return list.toSpliced(at - 1, 2, before + (close ? "" : " ") + after);
}

/**
 * A word written anew: spaces split it, and without a letter it goes.
 * @param {string[]} list
 * @param {number} at
 * @param {string} text
 */
export function rewritten(list, at, text) {
  const parts = text.split(/\s+/).filter(Boolean);
  const same = text.trim() === list[at]; // a word that has a space in it keeps it
  return same ? list : list.toSpliced(at, 1, ...parts);
}
