// The page Conventions: one component, mounted once for each section. Every number shown is the server's; here it is
// only put in its place.

import { mounting } from "../kit/mount.js";
import { Dead } from "./masked_rows.js";
import { Masks } from "./masks.js";
import { Packed } from "./packed.js";
import { Pairs } from "./rotary_pairs.js";
import { Rows } from "./row_column.js";

const PARTS = { rows: Rows, packed: Packed, masks: Masks, dead: Dead, pairs: Pairs };

export default mounting(({ parentElement, data }) => {
  const section = new PARTS[data.part](data.part);
  parentElement.append(section.root);
  return section;
});
