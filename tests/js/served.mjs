// Where the kit's modules stand for a page's own, which import them as they are served: node --import tests/js/served.mjs

import { register } from "node:module";

const found = `export const resolve = (module, context, next) =>
  next(module.replace("../mha.web/", "../../web/assets/"), context);`;
register(`data:text/javascript,${encodeURIComponent(found)}`);
