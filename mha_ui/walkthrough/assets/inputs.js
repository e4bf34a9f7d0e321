// Which steps show numbers of an input, which anybody may change there. No DOM here.

import { isClaim, isEditable, rowsOf } from "../mha.web/graph.js";
import { ownerOf } from "./scene.js";

/**
 * The matrices of a stage that can be changed where it shows them.
 * @type {(model: WalkModel, stage: WalkStage) => { name: string; head: number | null }[]}
 */
export function inputsOf(model, stage) {
  const { kind, head, steps, parts } = stage;
  if (kind === "head" || kind === "closing") return [];
  const scene = { model, stage, step: steps[0] ?? null, head };
  const names = steps[0] ? steps[0].operands.map(([name]) => name) : parts.map(([name]) => name);
  return [...new Set(names)]
    .map((name) => ({ name, head: ownerOf(scene, name) }))
    .filter(
      (of) =>
        rowsOf(model, of.name, of.head) && isEditable(model, of.name, of.head) && !isClaim(model, of.name),
    );
}

/**
 * The stage nearest to this one that shows inputs, one before it first; -1: none.
 * @type {(model: WalkModel, at: number) => number}
 */
export function nearestInputs(model, at) {
  const has = (stage) => inputsOf(model, stage).length > 0;
  const before = model.stages.findLastIndex((stage, index) => index <= at && has(stage));
  return before >= 0 ? before : model.stages.findIndex(has);
}
