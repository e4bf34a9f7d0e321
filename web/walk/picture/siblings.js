// Steps of one kind, such as queries, keys and values: their matrices stand in the same places.

import { rowsOf } from "../../kit/graph.js";
import { ownerOf, printed } from "./scene.js";
import { widthOf } from "./table_sizes.js";

/** @type {WeakMap<WalkModel, Map<string, number>>} */
const known = new WeakMap();

/**
 * The widest number in the right factors and results of all products that read the same left factor.
 * @param {import("./scene.js").Scene} scene
 */
export function siblingWidth({ model, step, head }) {
  if (!known.has(model)) known.set(model, new Map());
  const widths = known.get(model);
  const [[left]] = step.operands;
  const kind = `${left} ${head}`;
  if (!widths.has(kind)) widths.set(kind, measured(model, left, head));
  return widths.get(kind);
}

/** @type {(model: WalkModel, left: string, head: number | null) => number} */
function measured(model, left, head) {
  const steps = model.stages.flatMap(({ steps, kind }) => (kind === "step" ? steps : []));
  const siblings = steps.filter(({ layout, operands }) => layout === "product" && operands[0][0] === left);
  const texts = siblings.flatMap((step) => {
    const scene = { model, step, head, stage: null };
    return [step.name, ...step.operands.slice(1).map(([name]) => name)].flatMap((name) => {
      const owner = ownerOf(scene, name);
      return (rowsOf(model, name, owner) ?? []).flat().map(printed(model, name, owner));
    });
  });
  return widthOf(texts);
}
