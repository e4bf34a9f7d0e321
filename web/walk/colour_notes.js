// What the colours mean, said at the step where each appears first.

import { element, span } from "../kit/dom.js";

const HUES = ["q", "k", "v"];

/**
 * For each stage the colours that appear there first: "signed", "weights", or the hue of queries, keys or values.
 * @param {WalkModel} model
 * @returns {string[][]}
 */
export function legends({ stages, matrices }) {
  const known = new Set();
  return stages.map(({ parts, steps, kind }) => {
    const names = new Set([
      ...parts.map(([name]) => name),
      ...(kind === "step" ? steps.flatMap(({ operands }) => operands.map(([name]) => name)) : []),
    ]);
    const colours = [...names].flatMap((name) => coloursOf(matrices[name]));
    const fresh = [...new Set(colours)].filter((colour) => !known.has(colour));
    for (const colour of fresh) known.add(colour);
    return fresh;
  });
}

/** @param {Matrix | undefined} matrix */
function coloursOf(matrix) {
  if (!matrix) return [];
  const colours = HUES.includes(matrix.hue) ? [matrix.hue] : [];
  if (matrix.scale === "weights") colours.push("weights");
  else if (matrix.scale !== "mask") colours.push("signed");
  return colours;
}

/** @type {(words: Record<string, string>, colours: string[]) => HTMLElement[]} */
export const legendOf = (words, colours) =>
  colours.map((colour) =>
    HUES.includes(colour)
      ? element("strong", { class: `hue-${colour}` }, words[`hue_${colour}`])
      : span("scale", ...scaleOf(words, colour)),
  );

/** @type {(words: Record<string, string>, colour: string) => Child[]} */
const scaleOf = (words, colour) =>
  colour === "weights"
    ? ["0", element("i", { class: "weights" }), "1"]
    : [words.negative, element("i", { class: "signed" }), words.positive];
