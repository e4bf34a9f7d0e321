// What the page Puzzles is sent (mha_ui/puzzles).

/** A puzzle on offer: the weights that it begins with, of the heads that it is about, and its goals among them. */
interface PuzzleCard {
  key: string;
  title: string;
  /** The query of the address that opens it. */
  query: string;
  fewest: number;
  /** [head, rows] */
  maps: [number, number[][]][];
  /** [head, row, column] */
  goals: [number, number, number][];
}

/** Puzzles that teach one thing. */
interface PuzzleStage {
  title: string;
  about: string;
  puzzles: PuzzleCard[];
}

interface PuzzlesData {
  lang: string;
  words: Record<string, string>;
  stages: PuzzleStage[];
}
