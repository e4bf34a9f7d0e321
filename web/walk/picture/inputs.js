// Which steps show numbers of an input, which anybody may change there. No DOM here.

import { isClaim, isEditable, rowsOf, sourcesOf, symbolOf } from "../../kit/graph.js";
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
 * Where numbers can be changed that a stage depends on, or any where it depends on none: the first step that is computed
 * from some, and their symbols; null where nothing can be changed.
 * @type {(model: WalkModel, at: number) => { stage: number; symbols: string[] } | null}
 */
export function inputsFor(model, at) {
  const { steps, head } = model.stages[at];
  const needed = steps.flatMap(({ name }) => sourcesOf(model, name, head));
  const symbols = model.stages.map((stage) =>
    inputsOf(model, stage).map((of) => symbolOf(model, of.name, of.head)),
  );
  const ofNeeded = symbols.map((some) => some.filter((one) => needed.includes(one)));
  for (const byStage of [ofNeeded, symbols]) {
    const isThere = (_, stage) => byStage[stage].length > 0;
    const step = model.stages.findIndex((one, stage) => one.kind === "step" && isThere(one, stage));
    const stage = step >= 0 ? step : model.stages.findIndex(isThere);
    if (stage >= 0) return { stage, symbols: byStage[stage] };
  }
  return null;
}
