// The query parameters of our addresses, from mha_ui/state/url.py. Written by tools/declarations.py.

/** What an address says of models. */
export const MODEL_KEYS = [
  "model",
  "text",
  "second",
  "head",
  "token",
  "off",
  "guess",
  "by",
  "only",
  "drawn",
  "pair",
  "shows",
  "hides",
  "next",
];
/** Every parameter that a page of ours writes. */
export const PAGE_KEYS = [
  "example",
  "puzzle",
  "s",
  "lang",
  "cell",
  "decimals",
  "ask",
  "seed",
  "tally",
  "lesson",
  "from",
  "set",
  "experiment",
  "variant",
  "lens",
  "base",
  "step",
  "sub",
  "view",
  "predict",
  "lecture",
  ...MODEL_KEYS,
];
