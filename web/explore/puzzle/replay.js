// Shows a puzzle's solution as motion: each of its numbers goes from what it is to what it has to be.

import { numberOf, valueAt } from "../../kit/graph.js";
import { gently } from "../viewport.js";

const DURATION = 1200; // ms for a number

/**
 * `preview`: show an edit that is being made; `settled`: once the page has answered every edit.
 * @typedef {{
 *   readonly model: ExploreModel;
 *   send: (edit: Edit) => void;
 *   preview: (edit: Edit | null) => void;
 *   settled: () => unknown;
 *   goTo: (cell: Cell) => void;
 * }} ReplayHost
 */

/**
 * Make these edits one after another.
 * @param {Edit[]} edits
 * @param {ReplayHost} host
 * @param {AbortSignal} signal
 */
export async function replay(edits, host, signal) {
  for (const edit of edits) {
    if (signal.aborted) return;
    await slide(edit, host, signal);
    if (signal.aborted) return host.preview(null);
    host.send(edit);
    await host.settled();
  }
}

/**
 * Let a number slide to its new value. What is no single number is not shown on its way.
 * @param {Edit} edit
 * @param {ReplayHost} host
 * @param {AbortSignal} signal
 */
async function slide(edit, host, signal) {
  const between = waysBetween(edit, host.model);
  if (edit.op === "set") host.goTo(cellOf(edit));
  if (!between || gently() === "auto") return;
  const begun = performance.now();
  for (let part = 0; part < 1 && !signal.aborted; ) {
    part = Math.min(1, ((await nextFrame()) - begun) / DURATION);
    if (!signal.aborted && part > 0) host.preview(between(eased(part)));
  }
}

/** @returns {Promise<number>} */
const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

const eased = (/** @type {number} */ part) => part * part * (3 - 2 * part);

const rounded = (/** @type {number} */ number) => Math.round(20 * number) / 20; // as a hand would drag it

/** @type {(edit: SetBlock) => Cell} */
const cellOf = ({ matrix, head, row, col }) => ({ name: matrix, head: head ?? null, row, col });

/**
 * The edit on its way, by how much of it is done; null for one that has no way.
 * @type {(edit: Edit, model: ExploreModel) => ((part: number) => Edit) | null}
 */
function waysBetween(edit, model) {
  if (edit.op === "scale") {
    const { divisor } = model.constants;
    const to = edit.value;
    if (typeof divisor !== "number" || typeof to !== "number") return null;
    return (part) => ({ ...edit, value: rounded(divisor + part * (to - divisor)) });
  }
  if (edit.op !== "set") return null;
  const to = edit.values[0][0];
  const from = valueAt(model, cellOf(edit));
  if (typeof to !== "number" || typeof from !== "number" || edit.values.flat().length > 1) return null;
  const start = numberOf(from);
  return (part) => ({ ...edit, values: [[rounded(start + part * (to - start))]] });
}
