// What a key press does to a walk.

import { named } from "../kit/dom.js";
import { isAnswerField, isOwn, Keys } from "../kit/keys.js";

/**
 * What the keys act on.
 * @typedef {{
 *   root: HTMLElement;
 *   commands: Record<string, () => void>;
 *   isOnStage: () => boolean;
 *   isHiding: () => boolean;
 *   uncover: () => boolean;
 *   rest: () => void;
 *   jump: (stage: number) => void;
 *   wholePicture: () => void;
 *   isNumber: (field: HTMLInputElement) => boolean;
 *   undo?: (redo: boolean) => void;
 * }} KeyTarget `uncover` takes away what covers the walk, and says whether there was anything
 */

const keys = new Keys();

/**
 * @param {KeyTarget} target
 * @param {KeyboardEvent} event
 */
export function onKey(target, event) {
  if (!target.root.isConnected) return;
  if (!isOwn(event) && target.uncover()) return event.preventDefault(); // the key does nothing else then
  /** @type {{ move?: string; jump?: number } | null} */
  const meaning = keys.read(event, target.isOnStage());
  if (!meaning) return onOtherKey(target, event);
  const { move, jump } = meaning;
  if (move !== undefined && !isPossible(target, move)) return;
  event.preventDefault();
  target.rest();
  if (move !== undefined) target.commands[move]();
  else if (jump === 0 && target.isOnStage()) target.wholePicture();
  else if (jump !== undefined) target.jump(jump);
}

/**
 * Whether a command can do anything here.
 * @param {KeyTarget} target
 * @param {string} command
 */
function isPossible(target, command) {
  if (command === "leave") return target.isOnStage();
  if (command === "reveal") return target.isHiding();
  const isOnPage = named(target.root, "projector") !== null; // and not on a telephone that follows
  if (command === "help") return target.isOnStage() || isOnPage;
  return command !== "project" || isOnPage;
}

/**
 * Undo and redo, as in Explore; in a field what a field does.
 * @param {KeyTarget} target
 * @param {KeyboardEvent} event
 */
function onOtherKey(target, event) {
  const [node] = event.composedPath();
  const field = isAnswerField(node) ? node : null;
  const letter = event.key.toLowerCase();
  const isUndo = (event.ctrlKey || event.metaKey) && !event.altKey && ["z", "y"].includes(letter);
  if (isUndo && !event.defaultPrevented && !field && target.undo) {
    event.preventDefault();
    target.undo(letter === "y" || event.shiftKey);
  } else if (field && !event.isComposing) onKeyInField(target, event, field);
}

/**
 * Enter goes on to the next field that is empty, and reveals after the last; Escape leaves the field.
 * @param {KeyTarget} target
 * @param {KeyboardEvent} event
 * @param {HTMLInputElement} field
 */
function onKeyInField(target, event, field) {
  if (event.key === "Escape") field.blur();
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (field.matches(".answer") && !target.isNumber(field)) return;
  /** @type {NodeListOf<HTMLInputElement>} */
  const answers = target.root.querySelectorAll("input.answer");
  const empty = [...answers].find((input) => !input.value.trim());
  if (empty) empty.focus();
  else target.commands.reveal();
}
