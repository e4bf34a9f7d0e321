// A sentence as words: by the browser's own dictionary where it has one. No DOM here.

export const MOST_WORDS = 24;

/**
 * What splits a text into words.
 * @typedef {{
 *   new (lang: string, options: { granularity: "word" }): { segment(text: string): Iterable<Piece> };
 * }} WordSegmenter
 */

/** Null where the browser has none. */
const SEGMENTER = /** @type {WordSegmenter | null} */ (Intl.Segmenter ?? null);

/** A picture sign counts as a word, though no dictionary has it. */
const PICTURE = /\p{Extended_Pictographic}/u;

/** A text without spaces may be split around each of these: Chinese and Japanese. */
const SIGN = /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u;

/** Spaces between Chinese signs were typed on purpose: what is between them is a word. */
const IS_SPACED = new RegExp(`(?:${SIGN.source})\\s+(?:${SIGN.source})`, "u");

/** Signs that end a noun, though dictionaries cut them off: 图书|馆, 电影|院, 计算|机. */
const ENDS_NOUN = /^[馆院员机室园厅店们]$/u;
/** A noun that such a sign can end; not 这个 or 他的, after which it is a word of its own. */
const NOUN = /^\p{Script=Han}{2,}(?<![个的了这那])$/u;

/** A part of a text, as `Intl.Segmenter` gives it. @typedef {{ segment: string; isWordLike?: boolean }} Piece */

/**
 * The words of a text, and the signs that are none and are left out, each once.
 * @param {string} text
 * @param {string} lang
 * @param {WordSegmenter | null} [segmenter] null: the browser has none
 * @returns {{ words: string[]; signs: string[] }}
 */
export function taken(text, lang, segmenter = SEGMENTER) {
  const pieces = IS_SPACED.test(text)
    ? text.split(/\s+/).flatMap((part) => (SIGN.test(part) ? bySpaces(part) : split(part, lang, segmenter)))
    : split(text, lang, segmenter);
  const nonBlank = pieces.filter(({ segment }) => segment.trim());
  /** @param {Piece} piece */
  const isWord = ({ segment, isWordLike }) => isWordLike || PICTURE.test(segment);
  const texts = (/** @type {Piece[]} */ list) => list.map(({ segment }) => segment.trim());
  if (!nonBlank.some(isWord)) return { words: texts(nonBlank), signs: [] };
  const others = nonBlank.filter((piece) => !isWord(piece));
  return { words: texts(nonBlank.filter(isWord)), signs: [...new Set(texts(others))] };
}

/** @type {(text: string, lang: string, segmenter: WordSegmenter | null) => Piece[]} */
const split = (text, lang, segmenter) =>
  segmenter
    ? withEndings([...new segmenter(lang, { granularity: "word" }).segment(text)])
    : bySpaces(text).flatMap((piece) =>
        SIGN.test(piece.segment) ? [...piece.segment].map((segment) => ({ ...piece, segment })) : [piece],
      );

/** What is between spaces and punctuation, whole. @type {(text: string) => Piece[]} */
const bySpaces = (text) =>
  text
    .split(/\s+|(?=\p{P})|(?<=\p{P})/u)
    .map((segment) => ({ segment, isWordLike: /[\p{L}\p{N}]/u.test(segment) }));

/**
 * Nouns with their last sign.
 * @param {Piece[]} pieces
 */
function withEndings(pieces) {
  /** @type {Piece[]} */
  const whole = [];
  for (const piece of pieces) {
    const before = whole.at(-1);
    if (before && ENDS_NOUN.test(piece.segment) && NOUN.test(before.segment))
      whole.splice(-1, 1, { segment: before.segment + piece.segment, isWordLike: true });
    else whole.push(piece);
  }
  return whole;
}

/**
 * Words in another order: the one at `from` is moved to `to`.
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
  const close = SIGN.test(before.at(-1) ?? "") || SIGN.test(after.at(0) ?? "");
  return list.toSpliced(at - 1, 2, before + (close ? "" : " ") + after);
}

/**
 * A word is rewritten: spaces split it, and an empty one is removed.
 * @param {string[]} list
 * @param {number} at
 * @param {string} text
 */
export function rewritten(list, at, text) {
  const parts = text.split(/\s+/).filter(Boolean);
  const isSame = text.trim() === list[at]; // a word that contains a space keeps it
  return isSame ? list : list.toSpliced(at, 1, ...parts);
}
