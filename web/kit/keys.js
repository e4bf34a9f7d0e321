// Keys that walk, from anywhere on the page: but never those that a text field, a list, a slider or a pressed button
// needs.

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
const ON_STAGE = {
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
const OFF_STAGE = { p: "project", "?": "help" };
const PRESSES = new Set([" ", "Enter"]);
const OWN = [
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
const MOVED = "[role=slider], [role=radio], input[type=range], input[type=radio]"; // they need no letters
const BUTTONLIKE =
  "button, a[href], summary, input, [role=button], [role=switch], [role=checkbox], [role=tab]";
const NO_TEXT = new Set(["checkbox", "button", "submit", "reset", "file"]);
const DIGITS_APART = 700; // milliseconds within which two digits are one number

/** What a key press means here: {move}, {jump: number}, or null; before an audience some keys mean more, and one leads there. */
export class Keys {
  #digits = "";
  #typed = 0;

  read(event, onStage) {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey)
      return null;
    const target = event.composedPath()[0];
    if (target instanceof Element && isBusy(target, event.key)) return null;
    if (/^[0-9]$/.test(event.key)) return this.#digit(event);
    const shown = (onStage ? ON_STAGE : OFF_STAGE)[event.key.toLowerCase()];
    const move = shown || (!event.shiftKey && MOVES[event.key]);
    return move ? { move } : null;
  }

  #digit(event) {
    if (event.timeStamp - this.#typed > DIGITS_APART) this.#digits = "";
    this.#typed = event.timeStamp;
    this.#digits = (this.#digits + event.key).slice(-2);
    return { jump: Number(this.#digits) };
  }
}

function isBusy(target, key) {
  if (target.closest(OWN)) return true;
  if (target.closest(MOVED)) return key.length > 1 || PRESSES.has(key);
  const field = target.closest("input");
  if (field && !NO_TEXT.has(field.type)) return true;
  return PRESSES.has(key) && Boolean(target.closest(BUTTONLIKE));
}

const OWN_KEYS = /^(F\d+|Shift|Control|Alt|Meta|AltGraph|CapsLock)$/;

/** Whether a key is the browser's, or one that is held. @type {(event: KeyboardEvent) => boolean} */
export const isOwn = ({ key, ctrlKey, altKey, metaKey }) =>
  ctrlKey || altKey || metaKey || OWN_KEYS.test(key);

/** Whether somebody is typing into a text field. */
export const isField = (node) => node instanceof HTMLInputElement && node.classList.contains("answer");
