// A user's text in a sentence of ours: isolated, quoted, cut short. No DOM here. mha_core/quoted.py does the same.

import { fill } from "./dom.js";

const MOST = 40; // characters that are quoted in full

/** Characters that change the writing direction of the text after them. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The text for a sentence. One that runs from right to left is isolated: it would turn an arrow beside it round.
 * @type {(text: string) => string}
 */
export function isolated(text) {
  const bare = text.replace(TURNS, "");
  return RIGHT_TO_LEFT.test(bare) ? `\u2068${bare}\u2069` : bare;
}

/**
 * “abc”, or “99999999999999999999…” (5,000 digits): of more than `most` characters the first half of that, and their
 * number.
 * @type {(words: Record<string, string>, text: string, most?: number) => string}
 */
export function quoted(words, text, most = MOST) {
  const characters = [...text];
  if (characters.length <= most) return `“${isolated(text)}”`;
  const start = `“${isolated(characters.slice(0, most / 2).join(""))}…”`;
  const isNumber = /^\p{Nd}+$/u.test(text);
  const count = characters.length.toLocaleString("en");
  return fill(isNumber ? words.quoted_digits : words.quoted_characters, { start, count });
}
