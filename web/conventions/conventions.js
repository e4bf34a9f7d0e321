// The page Notation: one component, mounted once for each section. Every number on it comes from the server.

import { mounting } from "../kit/mount.js";
import { MaskedRows } from "./masked_rows.js";
import { Masks } from "./masks.js";
import { PackedWeights } from "./packed.js";
import { RotaryPairs } from "./rotary_pairs.js";
import { RowAndColumn } from "./row_column.js";

/** @typedef {RowColumnModel | PackedModel | MasksModel | MaskedRowsModel | RotaryPairsModel} AnySection */

/** @param {AnySection} model */
function sectionFor(model) {
  switch (model.part) {
    case "rows":
      return new RowAndColumn(model);
    case "packed":
      return new PackedWeights(model);
    case "masks":
      return new Masks(model);
    case "dead":
      return new MaskedRows(model);
    case "pairs":
      return new RotaryPairs(model);
  }
}

export default mounting((/** @type {Component<AnySection>} */ { parentElement, data }) => {
  const section = sectionFor(data);
  parentElement.append(section.root);
  return /** @type {Part<AnySection>} */ (section); // a mounted section is only ever sent its own model
});
