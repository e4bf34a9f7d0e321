// What somebody gave, as a sentence repeats it: fenced off, quoted, cut short. No DOM here. As mha_core/quoted.py.

import { fill } from "./dom.js";

const MOST = 40; // characters that are repeated as they are

/** What turns the writing direction of the text after it. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/**
 * The text in a sentence: fenced off where it runs from right to left, or it turns an arrow beside it round.
 * @type {(text: string) => string}
 */
export function isolated(text) {
  const bare = text.replace(TURNS, "");
  return RIGHT_TO_LEFT.test(bare) ? `\u2068${bare}\u2069` : bare;
}

/**
 * “abc”, or “99999999999999999999…” (5,000 digits): of more than `most` characters half as many, and how many they were.
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
