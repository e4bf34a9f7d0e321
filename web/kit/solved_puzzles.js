// Which puzzles this browser has solved, and with how few changes.

import { ofBrowser } from "./storage.js";

const SOLVED = "mha.puzzles";

/** By the puzzle's key, the fewest changes that solved it here. @returns {Record<string, number>} */
export const solvedPuzzles = () => ofBrowser.get(SOLVED) ?? {};

/** @type {(key: string, changes: number) => void} */
export function storeSolved(key, changes) {
  const solved = solvedPuzzles();
  ofBrowser.set(SOLVED, { ...solved, [key]: Math.min(changes, solved[key] ?? changes) });
}
