// What a key press does to a walk.

import { named } from "../kit/dom.js";
import { isField, isOwn, Keys } from "../kit/keys.js";

/** @typedef {import("./walk.js").Walk} Walk */

const keys = new Keys();

/**
 * @param {Walk} walk
 * @param {KeyboardEvent} event
 */
export function pressed(walk, event) {
  if (!walk.root.isConnected) return;
  if (uncovers(walk, event)) return event.preventDefault();
  const meant = keys.read(event, Boolean(walk.view));
  if (!meant) return undoes(walk, event) || inField(walk, event);
  if (!isMeant(walk, meant.move)) return;
  event.preventDefault();
  walk.awake.rest();
  if (meant.jump === 0 && walk.view) walk.closeUp(0);
  else if (meant.jump !== undefined) walk.jump(meant.jump);
  else if (meant.move === "leave") walk.escape();
  else walk[meant.move]();
}

/** Any key takes away what covers the walk, the list of keys or a dark screen, and does nothing else. */
function uncovers(walk, event) {
  if (isOwn(event)) return false;
  if (walk.keys.close()) return true;
  if (!walk.podium?.dark) return false;
  walk.darken();
  return true;
}

/** Whether there is anything here that a key could do. */
function isMeant(walk, move) {
  if (move === "leave") return Boolean(walk.view);
  if (move === "reveal") return walk.easel.hiding;
  const isOnPage = named(walk.root, "projector") !== null; // and on no telephone that follows
  if (move === "help") return Boolean(walk.view) || isOnPage;
  return move !== "project" || isOnPage;
}

/** Undo and redo, as on the bench; a field has its own. */
function undoes(walk, event) {
  const letter = event.key.toLowerCase();
  if (!(event.ctrlKey || event.metaKey) || event.altKey || !["z", "y"].includes(letter)) return false;
  if (event.defaultPrevented || !walk.around.undo || isField(event.composedPath()[0])) return false;
  event.preventDefault();
  walk.around.undo(letter === "y" || event.shiftKey);
  return true;
}

/** In a field Enter goes on to the next that is empty, and reveals after the last; Escape leaves it. */
function inField(walk, event) {
  const field = event.composedPath()[0];
  if (!isField(field) || event.isComposing) return;
  if (event.key === "Escape") field.blur();
  if (event.key !== "Enter") return;
  event.preventDefault();
  if (field.matches(".answer") && !walk.refused.takes(field)) return;
  const empty = [...walk.root.querySelectorAll("input.answer")].find((input) => !input.value.trim());
  if (empty) empty.focus();
  else walk.reveal();
}
