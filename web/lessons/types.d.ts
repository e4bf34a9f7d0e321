// What a lesson's tables are sent (mha_view/lessons/scene.py).

interface SceneCell {
  text: string;
  /** How strong the color is, from −1 to 1. */
  share: number;
  why: string;
}

interface SceneTable {
  symbol: string;
  word: string;
  rows: string[];
  cols: string[];
  cells: SceneCell[][];
  marked: number | null;
  hue: string;
}

interface SceneLines {
  queries: string[];
  keys: string[];
  weights: number[][];
  marked: number | null;
  about: string;
}

interface SceneGroup {
  area: string;
  /** Neighbors of the same card are framed together. */
  card: string;
  title: string;
  note: string;
  head: number | null;
  lines: SceneLines | null;
  tables: SceneTable[];
}

interface SceneData {
  lang: string;
  words: Record<string, string>;
  layout: string;
  groups: SceneGroup[];
}
