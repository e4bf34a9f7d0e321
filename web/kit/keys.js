// The keys that lead through the walk and the lessons, wherever the focus is on the page. A key that the focused text
// field, list, slider or button needs is left to it.

/** @typedef {Record<string, string>} Meanings what keys mean, by key */

/** @type {Meanings} */
const MOVES = {
  ArrowRight: "next",
  PageDown: "next",
  ArrowLeft: "previous",
  PageUp: "previous",
  ArrowDown: "into",
  ArrowUp: "out",
  Home: "first",
  End: "last",
  " ": "play",
  Enter: "reveal",
  Escape: "leave",
};
/** @type {Meanings} */
const BEFORE_AUDIENCE = {
  a: "ask",
  b: "darken",
  c: "code",
  ".": "darken",
  f: "fillScreen",
  l: "point",
  e: "change",
  q: "askFirst",
  h: "countHands",
  v: "compareHeads",
  "?": "help",
  "+": "closer",
  "=": "closer",
  "-": "further",
  m: "animate",
  "[": "stationBefore",
  "]": "stationAfter",
};
/** @type {Meanings} */
const ELSEWHERE = { p: "project", "?": "help" };
const PRESSES = new Set([" ", "Enter"]);
const NEEDS_KEYS = [
  "textarea",
  "select",
  "[contenteditable]",
  "[role=combobox]",
  "[role=listbox]",
  "[role=option]",
  "[role=menu]",
  "[role^=menuitem]",
  "[role=dialog]",
  "iframe",
].join();
const NEEDS_NO_LETTERS = "[role=slider], [role=radio], input[type=range], input[type=radio]";
const BUTTONLIKE =
  "button, a[href], summary, input, [role=button], [role=switch], [role=checkbox], [role=tab]";
const NO_TEXT = new Set(["checkbox", "button", "submit", "reset", "file"]);
const DIGITS_APART = 700; // milliseconds within which two digits are one number

/** @typedef {{ move?: string; jump?: number }} Meant what a key means: a move by its name, or a jump to a number */

export class Keys {
  #digits = "";
  #typed = 0;

  /**
   * What a key press means; null where it means nothing here.
   * @param {KeyboardEvent} event
   * @param {boolean} isBeforeAudience some keys then mean something else
   * @returns {Meant | null}
   */
  read(event, isBeforeAudience) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
      return null;
    const target = event.composedPath()[0];
    if (target instanceof Element && isBusy(target, event.key)) return null;
    if (/^[0-9]$/.test(event.key)) return this.#digit(event);
    const meanings = isBeforeAudience ? BEFORE_AUDIENCE : ELSEWHERE;
    const move = meanings[event.key.toLowerCase()] || (!event.shiftKey && MOVES[event.key]);
    return move ? { move } : null;
  }

  /** @param {KeyboardEvent} event */
  #digit(event) {
    if (event.timeStamp - this.#typed > DIGITS_APART) this.#digits = "";
    this.#typed = event.timeStamp;
    this.#digits = (this.#digits + event.key).slice(-2);
    return { jump: Number(this.#digits) };
  }
}

/**
 * Whether the focused element needs this key.
 * @param {Element} target
 * @param {string} key
 */
function isBusy(target, key) {
  if (target.closest(NEEDS_KEYS)) return true;
  if (target.closest(NEEDS_NO_LETTERS)) return key.length > 1 || PRESSES.has(key);
  const field = target.closest("input");
  if (field && !NO_TEXT.has(field.type)) return true;
  return PRESSES.has(key) && Boolean(target.closest(BUTTONLIKE));
}

const MODIFIERS = /^(F\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/;

/** Whether a key belongs to the browser, or only modifies others. @type {(event: KeyboardEvent) => boolean} */
export const isOwn = ({ key, ctrlKey, altKey, metaKey }) =>
  ctrlKey || altKey || metaKey || MODIFIERS.test(key);

/**
 * Whether this is the field of an answer, which somebody types into.
 * @param {unknown} node
 * @returns {node is HTMLInputElement}
 */
export const isAnswerField = (node) => node instanceof HTMLInputElement && node.classList.contains("answer");
