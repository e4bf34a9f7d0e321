// What the page of experiments sends to its board (mha_ui/experiments/board.py).

/** By how much a number differs from that of the other side; one side alone may be −∞. */
type NumberChange = number | "inf" | "-inf";

/** How a matrix of the last side differs from the first's; null: the first side has no such number. */
interface Difference {
  name: string;
  head: number | null;
  kind: string;
  by: (NumberChange | null)[][];
}

/** `wrong`: by matrix, the formula that was computed by mistake. */
interface SideData {
  title: string;
  model: TablesModel;
  wrong: Record<string, string>;
}

interface SliderPlace {
  value: number;
  text: string;
  remark: string;
  edit: Edit;
}

interface SliderData {
  label: string;
  places: SliderPlace[];
  chosen: number;
}

interface BoardData {
  words: Record<string, string>;
  panes: SideData[];
  stages: Stage[];
  differences: Difference[];
  /** By axis: for each index of the last side, that of the same token on the first. */
  places: Record<string, number[]>;
  /** Whether only the matrices that differ are shown at first. */
  only: boolean;
  slider: SliderData | null;
}
